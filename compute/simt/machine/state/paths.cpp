// Divergence as a tree: a split turns its path into a node that waits at the reconvergence point,
// and its sides run as leaves below it. Unlike with a stack, any leaf may run, which `*.sync`
// instructions and spinning lanes need.
#include <bit>

#include "compute/simt/machine/state/warp.h"

namespace lanescope::simt {

namespace {

// Adds a leaf below `parent` and makes it the current path. Written field by field: copying a whole
// struct that was just written in parts would stall on store forwarding.
Path& add_path(Warp& warp, int parent, std::uint32_t lanes)
{
    std::size_t i = 0;
    while (i < warp.paths.size() && warp.paths[i].live) ++i;
    if (i == warp.paths.size()) warp.paths.emplace_back();
    Path& path = warp.paths[i];
    path.pc = 0;
    path.reconvergence = -1;
    path.parent = parent;
    path.frame = 0;
    path.child_frame = path.call = -1;
    path.mask = lanes;
    path.arrived = 0;
    path.counted = path.node = false;
    path.live = true;
    path.wait = Wait::none;
    path.barrier = 0;
    warp.current = static_cast<int>(i);
    return path;
}

void drop_path(Warp& warp, int index)
{
    warp.paths[index].live = false;
    while (!warp.paths.empty() && !warp.paths.back().live) warp.paths.pop_back();
}

void finish_call(Warp& warp, Path& node)
{
    if (node.child_frame < 0) return;
    release_frame(warp, node.child_frame);
    node.child_frame = -1;
}

// Call after lanes have left or arrived: turns complete nodes into leaves and removes empty paths,
// from `index` upwards.
void settle(Warp& warp, int index)
{
    while (index >= 0) {
        Path& path = warp.paths[index];
        const int parent = path.parent;
        if (path.mask == 0) {
            finish_call(warp, path);
            drop_path(warp, index);
        } else {
            if (path.node && path.arrived == path.mask) {
                finish_call(warp, path);
                path.node = false;
                path.arrived = 0;
                warp.current = index;
            }
            return;
        }
        index = parent;
    }
}

} // namespace

void begin_paths(Warp& warp)
{
    warp.paths.assign(1, Path{});
    warp.paths[0].mask = warp.lanes;
    warp.paths[0].live = true;
    warp.current = 0;
}

int choose_path(Warp& warp)
{
    if (warp.current < static_cast<int>(warp.paths.size()) && warp.paths[warp.current].runnable())
        return warp.current;
    for (int i = static_cast<int>(warp.paths.size()) - 1; i >= 0; --i)
        if (warp.paths[i].runnable()) return warp.current = i;
    return -1;
}

void diverge(Warp& warp, int index, std::span<const Side> sides, int reconvergence)
{
    Path& waiting = warp.paths[index];
    const int parent = waiting.parent, frame = waiting.frame;
    int node = index;
    if (parent >= 0 && waiting.reconvergence == reconvergence && reconvergence >= 0 &&
        warp.paths[parent].frame == frame) {
        node = parent; // all sides join the node that already waits there
        drop_path(warp, index);
    } else {
        waiting.node = true;
        waiting.arrived = 0;
        waiting.pc = reconvergence;
    }
    for (const Side& part : sides) {
        if (part.pc == reconvergence) {
            warp.paths[node].arrived |= part.lanes;
            continue;
        }
        Path& side = add_path(warp, node, part.lanes);
        side.pc = part.pc;
        side.reconvergence = reconvergence;
        side.frame = frame;
        side.counted = part.counted;
    }
    settle(warp, node);
}

void join_parent(Warp& warp, int index)
{
    const int parent = warp.paths[index].parent;
    const std::uint32_t lanes = warp.paths[index].mask;
    drop_path(warp, index);
    warp.paths[parent].arrived |= lanes;
    settle(warp, parent);
}

int nest(Warp& warp, int index, std::span<const int> outer)
{
    const Path path = warp.paths[index];
    std::size_t missing = outer.size();
    if (path.parent >= 0 && warp.paths[path.parent].frame == path.frame)
        for (std::size_t i = 0; i < outer.size(); ++i)
            if (outer[i] == path.reconvergence) missing = i;
    while (missing-- > 0) {
        Path& waiting = warp.paths[index];
        waiting.node = true;
        waiting.arrived = 0;
        waiting.pc = outer[missing];
        Path& inner = add_path(warp, index, path.mask);
        inner.pc = path.pc;
        inner.reconvergence = outer[missing];
        inner.frame = path.frame;
        inner.counted = path.counted;
        index = warp.current;
    }
    return index;
}

bool join_above(Warp& warp, int index, int pc)
{
    const Path path = warp.paths[index];
    int node = path.parent;
    while (node >= 0 && warp.paths[node].frame == path.frame && warp.paths[node].child_frame < 0 &&
           warp.paths[node].pc != pc)
        node = warp.paths[node].parent;
    if (node < 0 || warp.paths[node].frame != path.frame || warp.paths[node].child_frame >= 0)
        return false;
    leave(warp, index, path.mask, node);
    warp.paths[node].arrived |= path.mask;
    settle(warp, node);
    return true;
}

void leave(Warp& warp, int index, std::uint32_t lanes, int until)
{
    for (int i = index; i != until && i >= 0; i = warp.paths[i].parent)
        warp.paths[i].mask &= ~lanes;
    int i = index;
    while (i != until && i >= 0 && warp.paths[i].mask == 0) {
        const int parent = warp.paths[i].parent;
        finish_call(warp, warp.paths[i]);
        drop_path(warp, i);
        i = parent;
    }
    if (i != until) settle(warp, i);
}

int call_node(const Warp& warp, int index)
{
    const int frame = warp.paths[index].frame;
    int i = warp.paths[index].parent;
    while (i >= 0 && warp.paths[i].child_frame != frame) i = warp.paths[i].parent;
    return i;
}

void enter_call(Warp& warp, int index, int frame, int return_to, int call)
{
    Path& caller = warp.paths[index];
    caller.node = true;
    caller.arrived = 0;
    caller.pc = return_to;
    caller.child_frame = frame;
    caller.call = call;
    add_path(warp, index, caller.mask).frame = frame;
}

void return_from_call(Warp& warp, int index, std::uint32_t lanes)
{
    const int node = call_node(warp, index);
    leave(warp, index, lanes, node);
    warp.paths[node].arrived |= lanes;
    settle(warp, node);
}

bool release_arrived(Warp& warp)
{
    for (int i = static_cast<int>(warp.paths.size()) - 1; i >= 0; --i) {
        Path& node = warp.paths[i];
        if (!node.live || !node.node || node.arrived == 0 || node.pc < 0) continue;
        const Path waiting = node; // a copy: add_path() may reallocate
        node.mask &= ~waiting.arrived;
        node.arrived = 0;
        warp.ahead |= waiting.arrived;
        Path& ahead = add_path(warp, waiting.parent, waiting.arrived);
        ahead.pc = waiting.pc;
        ahead.reconvergence = waiting.reconvergence;
        ahead.frame = waiting.frame;
        ahead.counted = waiting.counted;
        return true;
    }
    return false;
}

} // namespace lanescope::simt
