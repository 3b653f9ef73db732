// A forward dataflow pass finds the BSSY/BSYNC regions of each instruction. The PTX line of a
// region's BSYNC, which is that of the last PTX instruction before it, gives the
// reconvergence point in the PTX.
#include "compute/assembled/meeting.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"

namespace lanescope::assembled {
namespace {

// A convergence region: its barrier register, and the instruction where its lanes reconverge.
struct Region {
    std::string barrier;
    int place = 0;
    friend bool operator==(const Region&, const Region&) = default;
};
using Regions = std::vector<Region>; // outermost first

std::string barrier_of(const SassInstruction& in)
{
    return in.operands.substr(0, in.operands.find_first_of(", "));
}

void apply(const SassInstruction& in, Regions& regions)
{
    const std::string_view name = in.name();
    const bool begins = name == "BSSY";
    if (!begins && name != "BSYNC" && !(name == "BREAK" && in.guard.empty())) return;
    const std::string barrier = barrier_of(in);
    std::erase_if(regions, [&](const Region& region) { return region.barrier == barrier; });
    if (begins && !in.targets.empty()) regions.push_back({barrier, in.targets.front()});
}

std::vector<int> successors(const SassFunction& function, int index)
{
    const SassInstruction& in = function.instructions[static_cast<std::size_t>(index)];
    const std::string_view name = in.name();
    const bool jumps = name == "BRA" || name == "BRX" || name == "JMP" || name == "JMX";
    const bool ends = name == "EXIT" || name == "RET" || name == "KILL";
    std::vector<int> next;
    if (jumps) next = in.targets;
    // "BRA P0, `(.L_x_1)" is guarded by an operand.
    const bool always = in.guard.empty() && (in.operands.empty() || in.operands.front() != 'P') &&
                        !in.operands.starts_with("!P") && !in.operands.starts_with("U") &&
                        !in.operands.starts_with("!U");
    if (!((jumps || ends) && always)) next.push_back(index + 1);
    std::erase_if(next,
                  [&](int each) { return each >= static_cast<int>(function.instructions.size()); });
    return next;
}

// Regions that contain each instruction; empty optional if it is unreachable.
std::vector<std::optional<Regions>> regions_of(const SassFunction& function)
{
    std::vector<std::optional<Regions>> before(function.instructions.size());
    if (before.empty()) return before;
    before[0].emplace();
    std::deque<int> waiting{0};
    while (!waiting.empty()) {
        const int index = waiting.front();
        waiting.pop_front();
        Regions after = *before[static_cast<std::size_t>(index)];
        apply(function.instructions[static_cast<std::size_t>(index)], after);
        for (int next : successors(function, index)) {
            std::optional<Regions>& known = before[static_cast<std::size_t>(next)];
            if (!known) {
                known = after;
                waiting.push_back(next);
                continue;
            }
            Regions common = *known;
            std::erase_if(common, [&](const Region& region) {
                return std::ranges::find(after, region) == after.end();
            });
            if (common == *known) continue;
            known = std::move(common);
            waiting.push_back(next);
        }
    }
    return before;
}

bool reconverges_warp(const SassInstruction& in)
{
    return in.name() == "WARPSYNC" && in.has("ALL") && in.guard.empty();
}

// For each instruction the WARPSYNC.ALL that every path reaches first; -1 if there is none or paths
// differ.
std::vector<int> next_syncs(const SassFunction& function)
{
    constexpr int open = -2; // not known yet; remains for paths that exit the kernel
    const int count = static_cast<int>(function.instructions.size());
    std::vector<int> sync(static_cast<std::size_t>(count), open);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = count - 1; i >= 0; --i) {
            int found = open;
            if (reconverges_warp(function.instructions[static_cast<std::size_t>(i)])) {
                found = i;
            } else {
                for (int next : successors(function, i)) {
                    const int from = sync[static_cast<std::size_t>(next)];
                    if (from != open && from != found) found = found == open ? from : -1;
                }
            }
            if (std::exchange(sync[static_cast<std::size_t>(i)], found) != found) changed = true;
        }
    }
    std::ranges::replace(sync, open, -1);
    return sync;
}

class Meetings {
public:
    explicit Meetings(ptx::Module& module) : module_(module)
    {
        for (std::size_t f = 0; f < module.functions.size(); ++f) {
            const ptx::Function& function = module.functions[f];
            for (std::size_t i = 0; i < function.instructions.size(); ++i) {
                const ptx::Instruction& in = function.instructions[i];
                const bool parts = (in.op == ptx::Op::bra && in.guard) || in.op == ptx::Op::brx;
                if (parts)
                    branches_[in.ptx_line].emplace_back(static_cast<int>(f), static_cast<int>(i));
            }
        }
    }

    void read(const SassFunction& sass)
    {
        const auto regions = regions_of(sass);
        const auto syncs = next_syncs(sass);
        for (std::size_t i = 0; i < sass.instructions.size(); ++i) {
            const SassInstruction& in = sass.instructions[i];
            const std::string_view name = in.name();
            if (!regions[i] || (name != "BRA" && name != "BRX" && name != "JMX")) continue;
            const auto found = branches_.find(in.ptx_line);
            if (found == branches_.end() || found->second.size() != 1) continue;
            if (name == "BRA" && successors(sass, static_cast<int>(i)).size() < 2) continue;
            note(found->second.front(), sass, *regions[i], syncs[i]);
        }
    }

    int finish()
    {
        int known = 0;
        for (auto& [branch, places] : places_) {
            if (!places) continue;
            module_.functions[static_cast<std::size_t>(branch.first)].meetings[branch.second] =
                std::move(*places);
            ++known;
        }
        return known;
    }

private:
    using Branch = std::pair<int, int>; // function and instruction index in the PTX

    void note(const Branch& branch, const SassFunction& sass, const Regions& regions, int sync)
    {
        std::optional<std::vector<int>> places{std::in_place};
        for (auto region = regions.rbegin(); region != regions.rend() && places; ++region) {
            const int place = place_in_ptx(branch.first, sass, *region);
            if (place < 0)
                places.reset();
            else
                places->push_back(place);
        }
        if (places && sync >= 0) {
            const int place = place_of_sync(branch.first, sass, sync);
            if (place < 0)
                places.reset();
            else if (places->empty() || places->back() != place)
                places->push_back(place);
        }
        const auto [at, first] = places_.emplace(branch, places);
        if (!first && at->second != places) at->second.reset();
    }

    // PTX instruction at which the lanes of a region reconverge; -1 if it cannot be determined.
    int place_in_ptx(int function, const SassFunction& sass, const Region& region)
    {
        const auto is_wait = [&](int index) {
            if (index < 0 || index >= static_cast<int>(sass.instructions.size())) return false;
            const SassInstruction& in = sass.instructions[static_cast<std::size_t>(index)];
            return in.name() == "BSYNC" && barrier_of(in) == region.barrier;
        };
        const int wait = is_wait(region.place) ? region.place : region.place - 1;
        if (!is_wait(wait)) return -1;
        const int line = sass.instructions[static_cast<std::size_t>(wait)].ptx_line;
        const ptx::Function& source = module_.functions[static_cast<std::size_t>(function)];
        const auto& all = source.instructions;
        const auto next = std::ranges::find_if(
            all, [&](const ptx::Instruction& in) { return in.ptx_line > line; });
        if (next == all.begin() || next == all.end()) return -1;
        const int place = static_cast<int>(next - all.begin());
        const ptx::ControlFlow& flow = flow_of(function);
        const int block = flow.block_of[static_cast<std::size_t>(place)];
        return flow.blocks[static_cast<std::size_t>(block)].begin == place ? place : -1;
    }

    // A WARPSYNC.ALL before a barrier has the barrier's line, any other one that of the last
    // instruction before it.
    int place_of_sync(int function, const SassFunction& sass, int sync)
    {
        const auto at = [&](int index) -> const SassInstruction& {
            return sass.instructions[static_cast<std::size_t>(index)];
        };
        const int line = at(sync).ptx_line;
        const auto& all = module_.functions[static_cast<std::size_t>(function)].instructions;
        const auto here = std::ranges::find(all, line, &ptx::Instruction::ptx_line);
        if (here == all.end()) return -1;
        const bool waits = ptx::form_of(here->op).effect == ptx::Effect::synchronises ||
                           ptx::form_of(here->op).unit == ptx::Unit::barrier;
        const auto place = waits ? here : here + 1;
        return place == all.end() ? -1 : static_cast<int>(place - all.begin());
    }

    const ptx::ControlFlow& flow_of(int function)
    {
        auto found = flows_.find(function);
        if (found == flows_.end())
            found =
                flows_
                    .emplace(function,
                             ptx::control_flow(
                                 module_, module_.functions[static_cast<std::size_t>(function)]))
                    .first;
        return found->second;
    }

    ptx::Module& module_;
    std::map<int, std::vector<Branch>> branches_; // keyed by line
    std::map<Branch, std::optional<std::vector<int>>> places_;
    std::map<int, ptx::ControlFlow> flows_;
};

} // namespace

int fill_reconvergence_points(ptx::Module& module, const Sass& sass)
{
    Meetings meetings(module);
    for (const SassFunction& function : sass.functions) meetings.read(function);
    module.meetings_of = sass.architecture;
    return meetings.finish();
}

} // namespace lanescope::assembled
