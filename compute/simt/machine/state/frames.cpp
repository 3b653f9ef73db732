// Call frames of a warp: registers, parameter areas and local memory, stacked. Frames of diverged
// calls may end in any order, so a frame's space is reused only when no later frame is live.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "compute/simt/machine/state/warp.h"

namespace lanescope::simt {

namespace {

std::uint32_t rows_end(const Frame& frame)
{
    return frame.rows_begin + frame.function->frame_bytes();
}

std::uint32_t local_end(const Frame& frame)
{
    return frame.local_begin + frame.function->local_bytes + frame.max_grown;
}

void grow_local(Warp& warp, std::size_t needed)
{
    if (needed <= warp.local_stride) return;
    std::size_t stride = warp.local_stride == 0 ? 256 : warp.local_stride;
    while (stride < needed) stride *= 2;
    Rows larger(stride * warp_lanes);
    for (int lane = 0; lane < warp_lanes; ++lane)
        if (warp.local_stride != 0)
            std::memcpy(larger.data() + lane * stride, warp.local.data() + lane * warp.local_stride,
                        warp.local_stride);
    warp.local = std::move(larger);
    warp.local_stride = static_cast<std::uint32_t>(stride);
}

} // namespace

int push_frame(Warp& warp, const Function& function, bool looks)
{
    Frame frame;
    frame.function = &function;
    frame.live = true;
    if (!warp.frames.empty()) {
        const Frame& top = warp.frames.back();
        frame.rows_begin = rows_end(top);
        frame.local_begin = (local_end(warp) + 15u) & ~15u;
    }
    frame.stack_bytes = function.local_bytes;
    if (rows_end(frame) > max_frame_bytes ||
        frame.local_begin + function.local_bytes > max_local_bytes)
        throw std::length_error("stack");
    if (warp.rows.size() < rows_end(frame)) warp.rows.resize(rows_end(frame) + rows_end(frame) / 2);
    std::byte* const rows = warp.rows.data() + frame.rows_begin;
    if (looks || !function.unset.empty() || function.param_stride != 0)
        std::memset(rows, 0, function.frame_bytes());
    else
        std::memset(rows + function.carry_row, 0, sizeof(std::uint32_t));
    grow_local(warp, frame.local_begin + function.local_bytes);
    warp.frames.push_back(frame);
    return static_cast<int>(warp.frames.size()) - 1;
}

std::uint32_t local_end(const Warp& warp)
{
    if (!warp.grows) return local_end(warp.frames.back());
    // A frame may have grown past those that were pushed after it.
    std::uint32_t end = 0;
    for (const Frame& frame : warp.frames) end = std::max(end, local_end(frame));
    return end;
}

void grow_frame(Warp& warp, Frame& frame, int lane, std::uint32_t bytes)
{
    warp.grows = true;
    frame.grown[static_cast<std::size_t>(lane)] = bytes;
    frame.max_grown = std::max(frame.max_grown, bytes);
    grow_local(warp, local_end(frame));
}

void release_frame(Warp& warp, int index)
{
    warp.frames[index].live = false;
    while (!warp.frames.empty() && !warp.frames.back().live) warp.frames.pop_back();
}

} // namespace lanescope::simt
