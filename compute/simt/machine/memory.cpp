// Bump allocation over a 47-bit space: deterministic, never reused, a gap behind every allocation.
#include "compute/simt/machine/memory.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

constexpr Address alignment = 256;
constexpr Address smallest_gap = Address{1} << 20;
constexpr std::size_t most_remembered = 256;

} // namespace

Address Memory::insert(std::size_t bytes, std::byte* host, std::unique_ptr<std::byte[]> owned)
{
    auto allocation = std::make_unique<Allocation>();
    allocation->begin = next_;
    allocation->end = next_ + bytes;
    allocation->host = host;
    allocation->owned = std::move(owned);
    allocation->number = ++count_;
    next_ = (allocation->end + smallest_gap + alignment - 1) & ~(alignment - 1);
    const Address begin = allocation->begin;
    allocations_.emplace(begin, std::move(allocation));
    return begin;
}

Address Memory::allocate(std::size_t bytes)
{
    auto owned = std::make_unique<std::byte[]>(std::max<std::size_t>(bytes, 1));
    std::byte* host = owned.get();
    const Address begin = insert(bytes, host, std::move(owned));
    if (watch_uninitialised_) allocations_[begin]->written.assign(bytes, 0);
    return begin;
}

Address Memory::adopt(std::span<std::byte> host)
{
    return insert(host.size(), host.data(), nullptr);
}

void Memory::release(Address begin)
{
    const auto found = allocations_.find(begin);
    if (found == allocations_.end()) return;
    released_.push_back({begin, found->second->end, found->second->number});
    if (released_.size() > most_remembered) released_.pop_front();
    allocations_.erase(found);
}

int Memory::released(Address address) const
{
    for (const Released& range : released_)
        if (address >= range.begin && address < range.end) return range.number;
    return 0;
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
            fmt::format("The {} bytes at {:#x} are not inside one allocation of the simt device.",
                        bytes, address),
            "Copy only between live buffers, within their sizes.");
    return {allocation->host + (address - allocation->begin), bytes};
}

void Memory::mark_written(Address address, std::size_t bytes)
{
    const Allocation* allocation = find(address);
    if (allocation == nullptr || allocation->written.empty()) return;
    auto& written = allocations_[allocation->begin]->written;
    std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(address - allocation->begin), bytes,
                std::uint8_t{1});
}

void Memory::restore_written(Address begin, const std::vector<std::uint8_t>& written)
{
    allocations_.at(begin)->written = written;
}

std::vector<const Allocation*> Memory::allocations() const
{
    std::vector<const Allocation*> all;
    for (const auto& [begin, allocation] : allocations_) all.push_back(allocation.get());
    return all;
}

} // namespace lanescope::simt
