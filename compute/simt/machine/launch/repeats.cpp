// Brent's cycle detection: keeps the state of every call whose number is a power of two, and
// compares the following states with it.
#include "compute/simt/machine/launch/repeats.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

namespace {

// Two running hashes that mix each word with all preceding words.
class Mixer {
public:
    void add(std::uint64_t word)
    {
        sums_[0] = std::rotl(sums_[0] ^ word, 29) * 0x9e3779b97f4a7c15u;
        sums_[1] = (std::rotl(sums_[1], 41) + word) * 0xd1342543de82ef95u + 1;
    }
    void add(const void* from, std::size_t bytes)
    {
        add(bytes);
        const auto* next = static_cast<const std::byte*>(from);
        for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t)) {
            std::uint64_t word;
            std::memcpy(&word, next, sizeof word);
            add(word);
            next += sizeof word;
        }
        std::uint64_t rest = 0;
        if (bytes != 0) std::memcpy(&rest, next, bytes);
        add(rest);
    }
    template <class... Words>
    void add_all(Words... words)
    {
        (add(static_cast<std::uint64_t>(words)), ...);
    }
    const std::array<std::uint64_t, 2>& sums() const { return sums_; }

private:
    std::array<std::uint64_t, 2> sums_{1, 2};
};

void add(Mixer& mixer, const BulkCopy& copy)
{
    mixer.add_all(reinterpret_cast<std::uintptr_t>(copy.instruction), copy.warp, copy.lane,
                  copy.read, copy.byte_mask, copy.group, copy.object, copy.bytes);
    for (const BulkPiece& piece : copy.pieces)
        mixer.add_all(piece.global, piece.shared, piece.bytes, piece.source, piece.filled);
    mixer.add(copy.data.data(), copy.data.size());
}

void add(Mixer& mixer, const Warp& warp)
{
    mixer.add_all(warp.exited, warp.current);
    for (std::size_t i = 0; i < warp.paths.size(); ++i) {
        const Path& path = warp.paths[i];
        if (!path.live) continue;
        mixer.add_all(i, path.pc, path.reconvergence, path.parent, path.frame, path.child_frame,
                      path.call, path.mask, path.arrived, path.node, path.wait, path.barrier);
    }
    for (std::size_t i = 0; i < warp.frames.size(); ++i) {
        const Frame& frame = warp.frames[i];
        if (!frame.live) continue;
        mixer.add_all(i, reinterpret_cast<std::uintptr_t>(frame.function), frame.rows_begin,
                      frame.local_begin, frame.max_grown);
        if (warp.grows) mixer.add(frame.grown.data(), sizeof frame.grown);
    }
    for (const AsyncCopy& copy : warp.copies)
        mixer.add_all(copy.lane, copy.bytes, copy.source_bytes, copy.group, copy.to, copy.from);
    for (const std::uint32_t groups : warp.copy_groups) mixer.add(groups);
    for (const PendingProduct& product : warp.products) {
        mixer.add_all(product.pc, product.group, product.adds, product.descriptor_a,
                      product.descriptor_b);
        mixer.add(product.a.data(), sizeof product.a);
    }
    mixer.add_all(warp.product_groups, warp.fenced);
    for (const std::uint32_t groups : warp.bulk_groups) mixer.add(groups);
    mixer.add(warp.rows.data(), warp.rows.size());
    mixer.add(warp.local.data(), warp.local.size());
}

} // namespace

Repeats::Repeats(const LaunchState& launch)
    : launch_(launch),
      reads_clocks_(std::ranges::any_of(launch.program.functions, [](const Function& function) {
          return std::ranges::any_of(
              function.code, [](const Instruction& in) { return in.kind == HandlerKind::clock; });
      }))
{
}

Repeats::Fingerprint Repeats::of(std::span<const Block* const> blocks) const
{
    Mixer mixer;
    for (const Block* block : blocks) {
        mixer.add(block->linear);
        for (const Barrier& barrier : block->barriers) {
            mixer.add(barrier.arrived.data(), sizeof barrier.arrived);
            mixer.add_all(barrier.expected, barrier.open, barrier.count, barrier.all, barrier.any);
        }
        const ClusterBarrier& cluster = block->cluster_barrier;
        mixer.add(cluster.arrived.data(), sizeof cluster.arrived);
        mixer.add(cluster.owing.data(), sizeof cluster.owing);
        mixer.add(block->shared.data(), block->shared.size());
        for (const BulkCopy& copy : block->bulk.copies) add(mixer, copy);
        for (const Warp& warp : block->warps) add(mixer, warp);
    }
    return mixer.sums();
}

Repeats::Fingerprint Repeats::fingerprint_of_memory() const
{
    Mixer mixer;
    for (const Allocation* allocation : launch_.memory.allocations()) {
        mixer.add(allocation->begin);
        mixer.add(allocation->host, allocation->bytes());
    }
    for (const ImageData& image : launch_.images.surfaces())
        mixer.add(image.texels.data(), image.texels.size());
    return mixer.sums();
}

bool Repeats::blocks_repeat(std::span<const Block* const> blocks)
{
    if (reads_clocks_) return false;
    const Fingerprint now = of(blocks);
    if (calls_ != 0 && now == kept_) return true;
    if (std::has_single_bit(++calls_)) {
        kept_ = now;
        has_memory_fingerprint_ = false;
    }
    return false;
}

bool Repeats::all_repeats(std::span<const Block* const> blocks)
{
    if (!blocks_repeat(blocks)) return false;
    if (left_ != 0) {
        --left_;
        return false;
    }
    const Fingerprint now = fingerprint_of_memory();
    if (has_memory_fingerprint_ && now == memory_fingerprint_) return true;
    if (has_memory_fingerprint_) left_ = pause_ = 2 * pause_ + 1;
    memory_fingerprint_ = now;
    has_memory_fingerprint_ = true;
    return false;
}

} // namespace lanescope::simt
