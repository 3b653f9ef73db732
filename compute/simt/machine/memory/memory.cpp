// Bump allocation in a 47-bit space: deterministic, never reused, with a gap after each allocation.
#include "compute/simt/machine/memory/memory.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

constexpr Address alignment = 256;
constexpr Address min_gap = Address{1} << 20;
constexpr std::size_t max_remembered = 256;
constexpr std::size_t heap_unit = 16;

// Heap space that an allocation takes: small ones are rounded up to whole heap units.
std::size_t heap_share(std::size_t bytes)
{
    return bytes > SIZE_MAX - heap_unit ? bytes : (bytes + heap_unit - 1) / heap_unit * heap_unit;
}

} // namespace

Address Memory::insert(std::size_t bytes, std::byte* host,
                       std::unique_ptr<std::byte[], FreedMemory> owned)
{
    auto allocation = std::make_unique<Allocation>();
    allocation->begin = next_;
    allocation->end = next_ + bytes;
    allocation->host = host;
    allocation->owned = std::move(owned);
    allocation->number = ++count_;
    next_ = (allocation->end + min_gap + alignment - 1) & ~(alignment - 1);
    const Address begin = allocation->begin;
    allocations_.emplace(begin, std::move(allocation));
    return begin;
}

Address Memory::allocate(std::size_t bytes)
{
    auto owned = zeros<std::byte>(bytes);
    std::byte* host = owned.get();
    ZeroWords written;
    if (watch_uninitialised_) written = ZeroWords((bytes + 63) / 64);
    const Address begin = insert(bytes, host, std::move(owned));
    allocations_[begin]->written = std::move(written);
    return begin;
}

Address Memory::adopt(std::span<std::byte> host)
{
    return insert(host.size(), host.data(), nullptr);
}

void Memory::adopt_at(Address begin, std::span<std::byte> host)
{
    const Address next = next_;
    next_ = begin;
    insert(host.size(), host.data(), nullptr);
    next_ = next;
}

void Memory::release(Address begin)
{
    const auto found = allocations_.find(begin);
    if (found == allocations_.end()) return;
    const Allocation& gone = *found->second;
    released_.push_back({begin, gone.end, gone.number, gone.heap});
    if (released_.size() > max_remembered) released_.pop_front();
    allocations_.erase(found);
}

Address Memory::allocate_unnumbered(std::size_t bytes)
{
    const Address begin = allocate(bytes);
    allocations_[begin]->number = 0;
    --count_;
    return begin;
}

Address Memory::allocate_heap(std::size_t bytes)
{
    if (bytes == 0) return 0;
    if (heap_share(bytes) > heap_limit_ - std::min(heap_bytes_, heap_limit_)) {
        failed_heap_request_ = bytes;
        return 0;
    }
    const Address begin = allocate_unnumbered(bytes);
    Allocation& made = *allocations_[begin];
    made.heap = true;
    made.number = -++heap_count_;
    heap_bytes_ += heap_share(bytes);
    return begin;
}

bool Memory::release_heap(Address begin)
{
    const auto found = allocations_.find(begin);
    if (found == allocations_.end() || !found->second->heap) return false;
    heap_bytes_ -= heap_share(found->second->bytes());
    release(begin);
    return true;
}

Memory::Heap Memory::heap() const
{
    Heap heap{next_, heap_count_, {}};
    for (const auto& [begin, allocation] : allocations_)
        if (allocation->heap) heap.live[begin] = {allocation->bytes(), allocation->number};
    return heap;
}

void Memory::restore(const Heap& heap)
{
    for (const auto& [begin, kept] : this->heap().live)
        if (!heap.live.contains(begin)) release_heap(begin);
    for (const auto& [begin, wanted] : heap.live) {
        if (allocations_.contains(begin)) continue;
        next_ = begin;
        allocate_heap(wanted.first);
        allocations_[begin]->number = wanted.second;
    }
    next_ = heap.next;
    heap_count_ = heap.count;
}

const Memory::Released* Memory::released(Address address) const
{
    for (const Released& range : released_)
        if (address >= range.begin && address < range.end) return &range;
    return nullptr;
}

const Allocation* Memory::find(Address address) const
{
    auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return nullptr;
    const Allocation* candidate = std::prev(after)->second.get();
    return address < candidate->end ? candidate : nullptr;
}

const Allocation* Memory::nearest(Address address) const
{
    auto after = allocations_.upper_bound(address);
    const Allocation* below =
        after == allocations_.begin() ? nullptr : std::prev(after)->second.get();
    const Allocation* above = after == allocations_.end() ? nullptr : after->second.get();
    if (below == nullptr || above == nullptr) return below == nullptr ? above : below;
    if (address < below->end) return below;
    return address - below->end <= above->begin - address ? below : above;
}

std::span<std::byte> Memory::range(Address address, std::size_t bytes) const
{
    if (bytes == 0) return {};
    const Allocation* allocation = find(address);
    if (allocation == nullptr || bytes > allocation->end - address)
        throw device::LaunchError(
            fmt::format(
                "The {} bytes at {:#x} are not within one allocation of the lockstep machine.",
                bytes, address),
            "Copy only between live buffers, within their sizes.");
    return {allocation->host + (address - allocation->begin), bytes};
}

void Memory::mark_written(Address address, std::size_t bytes)
{
    const Allocation* allocation = find(address);
    if (allocation == nullptr || allocation->written.empty()) return;
    if (bytes == 0) return;
    auto& written = allocations_[allocation->begin]->written;
    const std::uint64_t begin = address - allocation->begin;
    const std::uint64_t end = begin + bytes;
    for (std::uint64_t cell = begin / 64; cell * 64 < end; ++cell) {
        const std::uint64_t from = std::max(begin, cell * 64) - cell * 64;
        const std::uint64_t to = std::min(end, cell * 64 + 64) - cell * 64;
        written[cell] |= ~std::uint64_t{0} >> (64 - (to - from)) << from;
    }
}

void Memory::mark_cell(const Allocation& allocation, std::size_t cell, std::uint64_t bits)
{
    const_cast<Allocation&>(allocation).written[cell] |= bits; // not const in allocations_
}

void Memory::mark_cell_concurrently(const Allocation& allocation, std::size_t cell,
                                    std::uint64_t bits)
{
    // Like std::atomic_ref, which not every C++20 library provides.
    std::uint64_t* const written = &const_cast<Allocation&>(allocation).written[cell];
    if ((bits & ~__atomic_load_n(written, __ATOMIC_RELAXED)) != 0)
        __atomic_fetch_or(written, bits, __ATOMIC_RELAXED);
}

bool Memory::is_written_whole(const Allocation& allocation)
{
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const ZeroWords& written = allocation.written;
    if (allocation.known_whole || written.empty()) return true;
    const std::size_t rest = allocation.bytes() % 64;
    const std::uint64_t* const last = written.end() - (rest == 0 ? 0 : 1);
    if (std::find_if(written.begin(), last, [](std::uint64_t cell) { return cell != all; }) != last)
        return false;
    if (rest != 0 && written.back() != all >> (64 - rest)) return false;
    const_cast<Allocation&>(allocation).known_whole = true; // not const in allocations_
    return true;
}

void Memory::restore_written(Address begin, const NonzeroPages& written)
{
    Allocation& allocation = *allocations_.at(begin);
    written.restore(allocation.written.bytes());
    allocation.known_whole = false;
}

std::vector<const Allocation*> Memory::allocations() const
{
    std::vector<const Allocation*> all;
    for (const auto& [begin, allocation] : allocations_) all.push_back(allocation.get());
    return all;
}

} // namespace lanescope::simt
