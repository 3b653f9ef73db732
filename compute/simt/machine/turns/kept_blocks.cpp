// A kept block retains only its capacity, and the rows of thread indices.
#include "compute/simt/machine/turns/kept_blocks.h"

namespace lanescope::simt {

namespace {

constexpr std::size_t max_bytes = std::size_t{4} << 20; // per core

std::size_t bytes_of(const Block& block)
{
    std::size_t bytes = block.shared.capacity();
    for (const Warp& warp : block.warps)
        bytes += warp.rows.capacity() + warp.specials.capacity() + warp.local.capacity();
    return bytes;
}

void forget_launch(Warp& warp)
{
    warp.paths.clear();
    warp.frames.clear();
    warp.copies.clear();
    warp.copy_groups.clear();
    warp.forget_products();
    warp.bulk_groups.clear();
    warp.object_wait = {};
    warp.local.clear();
    warp.local_stride = 0;
    warp.grows = false;
    warp.bindings.rows = nullptr; // bindings belong to another kernel
    warp.current = 0;
    warp.exited = full_mask;
    warp.warp_instructions = warp.thread_instructions = 0;
}

} // namespace

std::unique_ptr<Block> KeptBlocks::take(int core)
{
    std::unique_ptr<Block> kept = std::move(per_core_[static_cast<std::size_t>(core)].block);
    return kept ? std::move(kept) : std::make_unique<Block>();
}

void KeptBlocks::keep(int core, std::unique_ptr<Block> block)
{
    if (bytes_of(*block) > max_bytes) return;
    for (Warp& warp : block->warps) forget_launch(warp);
    block->bulk.clear();
    per_core_[static_cast<std::size_t>(core)].block = std::move(block);
}

} // namespace lanescope::simt
