// A site that the assembler copied, by unrolling a loop, is counted once. Where its block has
// several copies of it, all executions are attributed to the blocks with the most copies: those
// with fewer handle a loop's remainder. Blocks without a site get what flows in from their
// predecessors. Slow paths of divisions and roots, which end in a call, are assumed never to run.
#include "compute/predicted/flow.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "compute/predicted/names.h"

namespace lanescope::predicted {

using assembled::SassFunction;
using assembled::SassInstruction;

namespace {

double per_request(std::uint64_t count, std::uint64_t requests)
{
    if (requests == 0) return 1;
    return std::max(1.0, static_cast<double>(count) / static_cast<double>(requests));
}

double share(std::uint64_t part, std::uint64_t all)
{
    return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

bool is_jump(std::string_view name)
{
    return is_one_of(name, {"BRA", "BRX", "JMP"});
}

// "BRA P0, `(.L_x_1)", a uniform predicate or a divergence test also make a jump conditional.
bool is_conditional(const SassInstruction& in)
{
    if (!in.guard.empty()) return true;
    std::string_view operands = in.operands;
    if (operands.starts_with('!')) operands.remove_prefix(1);
    return operands.starts_with("UP") || operands.starts_with('P') || in.has("DIV") ||
           in.has("CONV");
}

// Index of the block that begins at an instruction; -1 if none does.
int block_at(const std::vector<Block>& blocks, int instruction)
{
    const auto found = std::ranges::find(blocks, instruction, &Block::begin);
    return found == blocks.end() ? -1 : static_cast<int>(found - blocks.begin());
}

void link(std::vector<Block>& blocks, const SassFunction& function)
{
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Block& block = blocks[i];
        const SassInstruction& last =
            function.instructions[static_cast<std::size_t>(block.end - 1)];
        std::set<int> next;
        const bool jumps =
            is_jump(last.name()) || (last.name() == "WARPSYNC" && !last.targets.empty());
        if (jumps)
            for (const int target : last.targets) next.insert(block_at(blocks, target));
        const bool ends = is_one_of(last.name(), {"EXIT", "RET"}) && last.guard.empty();
        if (!ends && (!jumps || is_conditional(last))) next.insert(block_at(blocks, block.end));
        next.erase(-1);
        block.successors.assign(next.begin(), next.end());
        for (const int to : next)
            blocks[static_cast<std::size_t>(to)].predecessors.push_back(static_cast<int>(i));
    }
}

// Distributes executions over the blocks.
class Flow {
public:
    Flow(std::vector<Block>& blocks, const SassFunction& function, const Accesses& accesses,
         double warps)
        : blocks_(blocks), function_(function), accesses_(accesses), warps_(warps),
          known_(blocks.size()), seen_(blocks.size())
    {
    }

    void run()
    {
        count_sites();
        settle();
        for (int rounds = 0; rounds < 40 && spread(); ++rounds) continue;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            blocks_[i].executions = estimate_[i].value_or(0.0);
            blocks_[i].counted = known_[i].has_value();
        }
    }

private:
    enum class Kind : std::uint8_t { plain, guarded, branch };

    std::optional<Kind> kind_of(const SassInstruction& in) const
    {
        const auto found = accesses_.find(in.ptx_line);
        if (found == accesses_.end()) return {};
        const bool is_branch = found->second.site.op == trace::Op::branch;
        if (is_memory(in) && !is_branch) return in.guard.empty() ? Kind::plain : Kind::guarded;
        if (is_jump(in.name()) && !in.guard.empty() && is_branch) return Kind::branch;
        return {};
    }

    // The highest number that an unguarded access of the block shows; a branch counts only if the
    // block has no access.
    void count_sites()
    {
        std::map<std::pair<int, Kind>, std::map<std::size_t, int>> copies;
        std::vector<bool> accesses(blocks_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (int i = blocks_[b].begin; i < blocks_[b].end; ++i) {
                const SassInstruction& in = function_.instructions[static_cast<std::size_t>(i)];
                const auto kind = kind_of(in);
                if (!kind) continue;
                ++copies[{in.ptx_line, *kind}][b];
                if (*kind != Kind::branch) accesses[b] = true;
            }
        std::vector<std::optional<double>> plain(blocks_.size()), branch(blocks_.size());
        std::vector<bool> rest(blocks_.size());
        for (auto& [key, in_blocks] : copies) {
            const auto& [line, kind] = key;
            const bool in_loop_body =
                kind == Kind::branch && std::ranges::any_of(in_blocks, [&](const auto& one) {
                    return accesses[one.first];
                });
            if (in_loop_body)
                std::erase_if(in_blocks, [&](const auto& one) { return !accesses[one.first]; });
            int most = 0, holders = 0;
            for (const auto& [block, number] : in_blocks) most = std::max(most, number);
            for (const auto& [block, number] : in_blocks) holders += number == most;
            const double each =
                static_cast<double>(accesses_.at(line).counts.executions) / (most * holders);
            for (const auto& [block, number] : in_blocks) {
                auto& into = kind == Kind::branch ? branch : plain;
                if (number != most) {
                    rest[block] = true;
                } else if (kind != Kind::guarded) {
                    into[block] = std::max(into[block].value_or(0.0), each);
                }
            }
        }
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (plain[b])
                known_[b] = plain[b];
            else if (rest[b])
                known_[b] = 0.0;
            else
                known_[b] = branch[b];
        }
        if (!known_.empty()) known_[0] = warps_;
        estimate_ = known_;
    }

    void settle()
    {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const auto last = static_cast<std::size_t>(blocks_[b].end - 1);
            if (!known_[b] && function_.instructions[last].name() == "CALL") known_[b] = 0.0;
        }
        estimate_ = known_;
        for (std::size_t b = 0; b < blocks_.size(); ++b) seen_[b] = below(b);
    }

    // Number of executions of the first known block that every path from here reaches; nullopt if
    // the paths diverge before it.
    std::optional<double> below(std::size_t block) const
    {
        for (std::size_t steps = 0; steps < blocks_.size(); ++steps) {
            if (known_[block]) return known_[block];
            if (blocks_[block].successors.size() != 1) return {};
            block = static_cast<std::size_t>(blocks_[block].successors.front());
        }
        return {};
    }

    bool is_settled(int block) const
    {
        const auto at = static_cast<std::size_t>(block);
        return known_[at] && blocks_[at].predecessors.size() == 1;
    }

    // The part of a predecessor's executions that continues in this block.
    double share_of(std::size_t from, std::size_t to) const
    {
        double left = *estimate_[from];
        std::optional<std::size_t> other;
        int open = 1;
        for (const int next : blocks_[from].successors) {
            const auto at = static_cast<std::size_t>(next);
            if (at == to) continue;
            if (is_settled(next)) {
                left -= *known_[at];
            } else {
                other = at;
                ++open;
            }
        }
        left = std::max(left, 0.0);
        if (!other) return left;
        const auto &mine = seen_[to], &theirs = seen_[*other];
        if (mine && !theirs) return std::min(left, *mine);
        if (!mine && theirs) return std::max(0.0, left - *theirs);
        if (mine && theirs && *mine + *theirs > 0) return left * *mine / (*mine + *theirs);
        return left / open;
    }

    // One pass over the blocks that no site counts. Returns false if nothing changed.
    bool spread()
    {
        bool changed = false;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (known_[b]) continue;
            std::optional<double> sum;
            for (const int from : blocks_[b].predecessors) {
                const auto at = static_cast<std::size_t>(from);
                if (!estimate_[at]) continue;
                const bool alone = blocks_[at].successors.size() == 1;
                sum = sum.value_or(0.0) + (alone ? *estimate_[at] : share_of(at, b));
            }
            if (!sum || (estimate_[b] && std::abs(*estimate_[b] - *sum) <= 1e-6 * *sum)) continue;
            estimate_[b] = sum;
            changed = true;
        }
        return changed;
    }

    std::vector<Block>& blocks_;
    const SassFunction& function_;
    const Accesses& accesses_;
    double warps_;
    std::vector<std::optional<double>> known_, estimate_, seen_;
};

} // namespace

double Access::wavefronts() const
{
    return per_request(counts.wavefronts, counts.requests);
}

double Access::lines() const
{
    return per_request(counts.lines, counts.requests);
}

double Access::sectors() const
{
    return per_request(counts.sectors, counts.requests);
}

double Access::from_l1() const
{
    return share(served.l1, served.read());
}

double Access::from_dram() const
{
    return share(served.dram, served.read());
}

Accesses accesses_of(const trace::Trace& trace, const std::vector<caches::Served>& served)
{
    Accesses accesses;
    for (std::size_t i = 0; i < trace.sites.size() && i < trace.counts.size(); ++i) {
        // Constant loads have a cache of their own, whose costs are part of the instruction's.
        if (trace.sites[i].space == trace::Space::constant) continue;
        const auto [at, is_new] = accesses.try_emplace(trace.sites[i].ptx_line);
        if (is_new) at->second.site = trace.sites[i];
        at->second.counts += trace.counts[i];
        if (i < served.size()) at->second.served += served[i];
    }
    return accesses;
}

std::vector<Block> blocks_of(const SassFunction& function)
{
    const int size = static_cast<int>(function.instructions.size());
    std::set<int> begins{0};
    for (int i = 0; i < size; ++i) {
        const SassInstruction& in = function.instructions[static_cast<std::size_t>(i)];
        if (is_jump(in.name()) ||
            is_one_of(in.name(), {"EXIT", "RET", "BSYNC", "CALL", "WARPSYNC"}))
            begins.insert(i + 1);
        if (is_jump(in.name()) || is_one_of(in.name(), {"BSSY", "CALL", "WARPSYNC"}))
            begins.insert(in.targets.begin(), in.targets.end());
    }
    std::erase_if(begins, [size](int at) { return at >= size; });
    std::vector<Block> blocks;
    for (const int at : begins) {
        if (!blocks.empty()) blocks.back().end = at;
        blocks.push_back({.begin = at, .end = size});
    }
    link(blocks, function);
    return blocks;
}

void count_executions(std::vector<Block>& blocks, const SassFunction& function,
                      const Accesses& accesses, double warps)
{
    Flow(blocks, function, accesses, warps).run();
}

bool is_memory(const SassInstruction& in)
{
    return is_one_of(in.name(), {"LDG",   "STG",  "LDS",  "STS",   "LD",     "ST",  "LDL", "STL",
                                 "ATOMG", "ATOM", "RED",  "REDG",  "LDSM",   "TEX", "TLD", "TLD4",
                                 "SULD",  "SUST", "STSM", "ATOMS", "LDGSTS", "REDS"});
}

bool is_padding(const SassInstruction& in)
{
    return in.name() == "NOP";
}

} // namespace lanescope::predicted
