// Branches, reconvergence marks, ret and exit: how paths jump, split and end.
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/barriers.h"
#include "compute/simt/operations/control/cluster_barrier.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/matrix/warp_group.h"

namespace lanescope::simt {

namespace {

void part(Executor& x, const Branch& where, std::span<const Side> sides)
{
    int path = x.path_index;
    if (!where.outer.empty() && x.path().reconvergence != where.reconvergence)
        path = nest(*x.warp, path, where.outer);
    diverge(*x.warp, path, sides, where.reconvergence);
}

template <bool Observed>
Flow branch(Executor& x, const Instruction& in, std::uint32_t taken)
{
    const Branch& where = x.function->branches[in.extra];
    Path& path = x.path();
    if constexpr (Observed)
        for (Observer* observer : x.observers)
            observer->branch(x, in, path.mask, taken != 0 && taken != path.mask);
    if (taken == path.mask) {
        path.pc = where.target;
        return Flow::jump;
    }
    if (taken == 0) return Flow::next;
    const std::array<Side, 2> sides{Side{x.pc_of(in) + 1, path.mask & ~taken},
                                    Side{where.target, taken}};
    part(x, where, sides);
    return Flow::reload;
}

template <bool Observed>
Flow table_branch(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Branch& where = x.function->branches[in.extra];
    Path& path = x.path();
    const auto* index = x.row<const std::uint32_t>(where.index);
    std::vector<Side> sides;
    const auto go = [&](int pc, std::uint32_t lane) {
        for (Side& side : sides)
            if (side.pc == pc) {
                side.lanes |= lane;
                return;
            }
        sides.push_back({pc, lane});
    };
    for (std::uint32_t rest = path.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint32_t bit = 1u << lane;
        if ((mask & bit) == 0) {
            go(x.pc_of(in) + 1, bit);
            continue;
        }
        if (index[lane] >= where.table.size())
            x.fault(in, "out_of_bounds", lane, index[lane],
                    "branches with an index outside its table of targets");
        go(where.table[index[lane]], bit);
    }
    if constexpr (Observed)
        for (Observer* observer : x.observers) observer->branch(x, in, path.mask, sides.size() > 1);
    if (sides.size() == 1) {
        path.pc = sides[0].pc;
        return Flow::jump;
    }
    part(x, where, sides);
    return Flow::reload;
}

Flow reconverge(Executor& x, const Instruction& in, std::uint32_t)
{
    if (x.path().reconvergence != x.pc_of(in)) {
        const bool follows = !x.launch.program.module->meetings_of.empty();
        return follows && join_above(*x.warp, x.path_index, x.pc_of(in)) ? Flow::reload
                                                                         : Flow::next;
    }
    join_parent(*x.warp, x.path_index);
    return Flow::reload;
}

Flow exit_kernel(Executor& x, const Instruction& in, std::uint32_t mask)
{
    Warp& warp = *x.warp;
    if ((warp.exited | mask) == full_mask) leave_group(x, in, mask);
    x.path().pc = x.pc_of(in) + 1; // lanes that remain continue here
    warp.exited |= mask;
    warp.products.clear();
    if (!warp.copies.empty())
        std::erase_if(warp.copies,
                      [&](const AsyncCopy& copy) { return (mask >> copy.lane & 1u) != 0; });
    if (warp.paths.size() == 1 && mask == x.path().mask)
        warp.paths.clear(); // all lanes at once: no ancestors to update
    else
        leave(warp, x.path_index, mask, -1);
    complete_barriers(x);
    if (!x.cluster.empty() || x.block->cluster_barrier.used) complete_cluster_barrier(x);
    return Flow::reload;
}

Flow trap(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const bool plain = x.launch.program.cooperative && x.launch.grid_sync == 0;
    x.fault(in, "trap", lowest_lane(mask), 0,
            plain ? "executes a trap, as sync() of a grid does in a launch that is not "
                    "cooperative: launch the kernel with cudaLaunchCooperativeKernel"
                  : "executes a trap: the program aborts itself here");
}

} // namespace

Handlers branch_handlers()
{
    return {{branch<false>, branch<true>}, HandlerKind::branch};
}
Handlers table_branch_handlers()
{
    return {table_branch<false>, table_branch<true>};
}
Handlers reconverge_handlers()
{
    return same<reconverge>(HandlerKind::reconvergence);
}
Handlers exit_handlers()
{
    return same<exit_kernel>(HandlerKind::exit);
}
Handlers trap_handlers()
{
    return same<trap>();
}

} // namespace lanescope::simt
