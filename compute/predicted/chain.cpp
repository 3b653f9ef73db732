// The time of a basic block is the time that it adds to the execution of its most frequent
// predecessors. The number of times that the slowest warp runs a block follows from the number of
// warps that reach it; between barriers, warps wait for each other, so a branch that some of them
// take costs all of them.
#include "compute/predicted/chain.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compute/predicted/operands.h"

namespace lanescope::predicted {

using assembled::SassFunction;
using assembled::SassInstruction;

namespace {

struct Prepared {
    Operands operands;
    Latency latency;
    Pipe pipe = Pipe::none;
    double pipe_cycles = 0;
    double gap = 1;
    bool barrier = false;
    bool waits_for_copies = false; // DEPBAR
    bool copies = false;           // LDGSTS
    bool padding = false;
};

std::vector<Prepared> prepare(const SassFunction& function, const Accesses& accesses, int warps)
{
    constexpr double longest = 16; // of a pipe: MATCH takes longer only with many values
    std::vector<Prepared> all;
    all.reserve(function.instructions.size());
    for (const SassInstruction& in : function.instructions) {
        const auto access = accesses.find(in.ptx_line);
        const Access* const counts = access == accesses.end() ? nullptr : &access->second;
        Prepared one{.operands = operands_of(in),
                     .latency = latency_of(in, counts),
                     .pipe = pipe_of(in),
                     .pipe_cycles = std::min(pipe_cycles(in), longest),
                     .gap = gap_after(in, warps),
                     .barrier = in.name() == "BAR",
                     .waits_for_copies = in.name() == "DEPBAR",
                     .copies = in.name() == "LDGSTS",
                     .padding = is_padding(in)};
        if (one.pipe == Pipe::fma) one.pipe = Pipe::none; // as fast as instructions are issued
        all.push_back(std::move(one));
    }
    return all;
}

// One warp's in-order execution.
class Scoreboard {
public:
    Scoreboard(const SassFunction& function, const std::vector<Prepared>& prepared)
        : function_(function), prepared_(prepared), ready_(register_count, 0.0),
          producer_(register_count, -1)
    {
    }

    // Adds the block's time to `into`, if it is not null.
    void run(const Block& block, Chain* into)
    {
        for (int i = block.begin; i < block.end; ++i)
            if (!prepared_[static_cast<std::size_t>(i)].padding) step(i, into);
    }
    double now() const { return now_; }
    // When the last result arrives.
    double last() const { return std::max(now_, *std::ranges::max_element(ready_)); }

private:
    void step(int index, Chain* into)
    {
        const Prepared& in = prepared_[static_cast<std::size_t>(index)];
        double start = now_;
        int waited_for = -1;
        const auto wait = [&](double until, int producer) {
            if (until <= start) return;
            start = until;
            waited_for = producer;
        };
        for (const Register each : in.operands.read) wait(ready_[each], producer_[each]);
        for (const Register each : in.operands.written) // results arrive in order
            if (ready_[each] - start > in.latency.cycles)
                wait(ready_[each] - in.latency.cycles, producer_[each]);
        if (in.waits_for_copies) wait(copied_, copier_);
        const double operands_at = start;
        if (in.pipe != Pipe::none) {
            double& free = free_[static_cast<std::size_t>(in.pipe)];
            start = std::max(start, free);
            free = start + in.pipe_cycles;
        }
        for (const Register each : in.operands.written) {
            ready_[each] = start + in.latency.cycles;
            producer_[each] = index;
        }
        if (in.copies) {
            copied_ = std::max(copied_, start + in.latency.cycles);
            copier_ = index;
        }
        if (into != nullptr) record(in, operands_at - now_, waited_for, start - operands_at, *into);
        now_ = start + in.gap;
    }

    void record(const Prepared& in, double waited, int waited_for, double busy, Chain& into) const
    {
        const auto add = [&](Wait wait, double cycles) {
            into.waits[static_cast<std::size_t>(wait)] += cycles;
        };
        if (waited > 0 && waited_for >= 0) {
            const auto producer = static_cast<std::size_t>(waited_for);
            add(prepared_[producer].latency.wait, waited);
            into.lines[function_.instructions[producer].ptx_line] += waited;
        }
        add(Wait::issue, busy + 1);
        add(in.barrier ? Wait::barrier : Wait::branch, in.gap - 1);
        into.cycles += waited + busy + in.gap;
    }

    const SassFunction& function_;
    const std::vector<Prepared>& prepared_;
    std::vector<double> ready_;
    std::vector<int> producer_;
    std::array<double, pipe_count> free_{};
    double now_ = 0;
    double copied_ = 0;
    int copier_ = -1;
};

// The innermost loop around each block, as the range of its blocks.
using Loop = std::pair<std::size_t, std::size_t>;

std::vector<Loop> innermost_loops(const std::vector<Block>& blocks)
{
    std::vector<Loop> loops;
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (const int to : blocks[b].successors)
            if (static_cast<std::size_t>(to) <= b && blocks[b].executions > 0)
                loops.emplace_back(static_cast<std::size_t>(to), b);
    std::vector<Loop> inner(blocks.size(), {0, std::numeric_limits<std::size_t>::max()});
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (const Loop& loop : loops)
            if (loop.first <= b && b <= loop.second &&
                loop.second - loop.first < inner[b].second - inner[b].first)
                inner[b] = loop;
    return inner;
}

// Average number of a thread block's warps that reach each basic block.
std::vector<double> reaching_warps(const std::vector<Block>& blocks, const Shape& shape,
                                   bool has_barriers)
{
    const std::vector<Loop> loop = innermost_loops(blocks);
    std::vector<double> warps(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Block& block = blocks[b];
        if (block.executions <= 0) continue;
        const double runs = block.executions / shape.blocks;
        const bool counted = block.counted || b == 0;
        const double most = counted ? std::min<double>(shape.warps_per_block, runs)
                                    : static_cast<double>(shape.warps_per_block);
        std::optional<double> reached;
        for (const int from : block.predecessors) {
            const auto p = static_cast<std::size_t>(from);
            if (p >= b || blocks[p].executions <= 0) continue;
            // A branch inside a loop, neither of whose sides leaves it, splits the warps.
            bool splits =
                has_barriers && counted && (blocks[p].counted || p == 0) && loop[p] == loop[b];
            for (const int side : blocks[p].successors)
                splits = splits && loop[static_cast<std::size_t>(side)] == loop[b];
            const double part =
                splits ? std::min(1.0, block.executions / blocks[p].executions) : 1.0;
            reached = std::max(reached.value_or(0.0), warps[p] * part);
        }
        if (!reached)
            warps[b] = most;
        else
            warps[b] = std::min(most, has_barriers ? std::max(*reached, 1.0) : *reached);
    }
    return warps;
}

std::optional<std::size_t> usual_predecessor(const std::vector<Block>& blocks, std::size_t of)
{
    std::optional<std::size_t> best;
    for (const int from : blocks[of].predecessors) {
        const auto p = static_cast<std::size_t>(from);
        if (blocks[p].executions > 0 && (!best || blocks[p].executions > blocks[*best].executions))
            best = p;
    }
    return best;
}

} // namespace

Chain chain_of(const SassFunction& function, const std::vector<Block>& blocks,
               const Accesses& accesses, const Shape& shape)
{
    constexpr std::size_t context = 4; // blocks that are followed
    const std::vector<Prepared> prepared = prepare(function, accesses, shape.warps_per_block);
    const bool has_barriers =
        shape.warps_per_block > 1 && std::ranges::any_of(prepared, &Prepared::barrier);
    const std::vector<double> warps = reaching_warps(blocks, shape, has_barriers);
    Chain chain;
    double drain = 0; // for results that are still under way at the end
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b].executions <= 0 || warps[b] <= 0) continue;
        std::vector<std::size_t> before{b};
        while (before.size() < context) {
            const auto previous = usual_predecessor(blocks, before.back());
            if (!previous) break;
            before.push_back(*previous);
        }
        Scoreboard warp(function, prepared);
        Chain once;
        for (std::size_t i = before.size(); i-- > 0;)
            warp.run(blocks[before[i]], i == 0 ? &once : nullptr);
        const double runs = blocks[b].executions / shape.blocks / warps[b];
        chain.cycles += runs * once.cycles;
        for (std::size_t w = 0; w < wait_count; ++w) chain.waits[w] += runs * once.waits[w];
        for (const auto& [line, cycles] : once.lines) chain.lines[line] += runs * cycles;
        const auto last = static_cast<std::size_t>(blocks[b].end - 1);
        if (function.instructions[last].name() == "EXIT")
            drain = std::max(drain, warp.last() - warp.now());
    }
    chain.cycles += drain;
    chain.waits[static_cast<std::size_t>(Wait::global)] += drain;
    return chain;
}

} // namespace lanescope::predicted
