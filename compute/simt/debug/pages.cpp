// Regions are listed in the same order in every state: allocations by address, images by handle.
#include "compute/simt/debug/pages.h"

#include <algorithm>
#include <cstring>

#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

namespace {

constexpr Address image_regions = Address{1} << 62; // above all addresses

const PagedRegion* find(const MemoryState* state, Address begin)
{
    if (state == nullptr) return nullptr;
    const auto found = std::ranges::lower_bound(state->regions, begin, {}, &PagedRegion::begin);
    return found != state->regions.end() && found->begin == begin ? &*found : nullptr;
}

std::size_t page_length(std::size_t bytes, std::size_t page)
{
    return std::min(kept_page_bytes, bytes - page * kept_page_bytes);
}

std::shared_ptr<const Page> page_of(std::span<const std::byte> bytes, std::size_t page)
{
    auto made = std::make_shared<Page>();
    std::memcpy(made->data(), bytes.data() + page * kept_page_bytes,
                page_length(bytes.size(), page));
    return made;
}

bool same(const Page& page, std::span<const std::byte> bytes, std::size_t index)
{
    return std::memcmp(page.data(), bytes.data() + index * kept_page_bytes,
                       page_length(bytes.size(), index)) == 0;
}

} // namespace

std::vector<PagedMemory::Live> PagedMemory::live() const
{
    std::vector<Live> all;
    for (const Allocation* allocation : launch_.memory.allocations())
        all.push_back({allocation->begin, {allocation->host, allocation->bytes()}});
    Address image = image_regions;
    for (const ImageData& data : launch_.images.surfaces()) all.push_back({image++, data.texels});
    return all;
}

Address PagedMemory::image_region(std::uint64_t handle) const
{
    const ImageData* wanted = launch_.images.surface(handle);
    if (wanted == nullptr) return 0;
    Address image = image_regions;
    for (const ImageData& data : launch_.images.surfaces()) {
        if (data.texels.data() == wanted->texels.data()) return image;
        ++image;
    }
    return 0;
}

std::size_t PagedMemory::bytes() const
{
    std::size_t sum = 0;
    for (const Live& region : live()) sum += region.bytes.size();
    return sum;
}

MemoryState PagedMemory::capture(const MemoryState* before, const std::vector<PageId>* written,
                                 bool compare) const
{
    MemoryState state;
    state.heap = launch_.memory.heap();
    state.launches = *launch_.launched;
    for (const Live& region : live()) {
        PagedRegion made{region.begin, region.bytes.size(), {}};
        const std::size_t count = (region.bytes.size() + kept_page_bytes - 1) / kept_page_bytes;
        const PagedRegion* old = find(before, region.begin);
        if (old != nullptr && old->bytes == region.bytes.size() && written != nullptr) {
            made.pages = old->pages;
        } else {
            made.pages.resize(count);
            for (std::size_t i = 0; i < count; ++i) {
                const bool kept = old != nullptr && i < old->pages.size() &&
                                  old->bytes == region.bytes.size() &&
                                  same(*old->pages[i], region.bytes, i);
                made.pages[i] = kept ? old->pages[i] : page_of(region.bytes, i);
            }
        }
        state.regions.push_back(std::move(made));
    }
    if (before == nullptr || written == nullptr) return state;
    const std::vector<Live> regions = live();
    for (const PageId& id : *written) {
        const auto found =
            std::ranges::lower_bound(state.regions, id.region, {}, &PagedRegion::begin);
        if (found == state.regions.end() || found->begin != id.region) continue;
        const auto index = static_cast<std::size_t>(found - state.regions.begin());
        if (id.page >= found->pages.size()) continue;
        std::shared_ptr<const Page>& page = found->pages[id.page];
        if (!compare || !same(*page, regions[index].bytes, id.page))
            page = page_of(regions[index].bytes, id.page);
    }
    return state;
}

void PagedMemory::restore(const MemoryState& state, const MemoryState* now,
                          const std::vector<PageId>* written) const
{
    launch_.memory.restore(state.heap);
    *launch_.launched = state.launches;
    const std::vector<Live> regions = live();
    std::size_t index = 0;
    for (const PagedRegion& wanted : state.regions) {
        while (index < regions.size() && regions[index].begin < wanted.begin) ++index;
        if (index == regions.size() || regions[index].begin != wanted.begin) continue;
        const std::span<std::byte> bytes = regions[index].bytes;
        const PagedRegion* known = written != nullptr ? find(now, wanted.begin) : nullptr;
        if (known != nullptr && known->bytes != wanted.bytes) known = nullptr;
        for (std::size_t i = 0; i < wanted.pages.size(); ++i)
            if (known == nullptr || known->pages[i] != wanted.pages[i])
                std::memcpy(bytes.data() + i * kept_page_bytes, wanted.pages[i]->data(),
                            page_length(bytes.size(), i));
    }
    if (written == nullptr || now == nullptr) return;
    for (const PageId& id : *written) {
        const PagedRegion* wanted = find(&state, id.region);
        if (wanted == nullptr || id.page >= wanted->pages.size()) continue;
        const auto region = std::ranges::lower_bound(regions, id.region, {}, &Live::begin);
        if (region == regions.end() || region->begin != id.region) continue;
        std::memcpy(region->bytes.data() + std::size_t{id.page} * kept_page_bytes,
                    wanted->pages[id.page]->data(), page_length(region->bytes.size(), id.page));
    }
}

std::vector<PageId> PagedMemory::difference(const MemoryState& a, const MemoryState& b)
{
    std::vector<PageId> pages;
    for (const PagedRegion& region : b.regions) {
        const PagedRegion* other = find(&a, region.begin);
        for (std::size_t i = 0; i < region.pages.size(); ++i)
            if (other == nullptr || i >= other->pages.size() || other->pages[i] != region.pages[i])
                pages.push_back({region.begin, static_cast<std::uint32_t>(i)});
    }
    return pages;
}

std::size_t PagedMemory::own_bytes(const MemoryState& state, const MemoryState* other)
{
    std::size_t pages = 0;
    std::size_t pointers = 0;
    for (const PagedRegion& region : state.regions) {
        const PagedRegion* shared = find(other, region.begin);
        pointers += region.pages.size();
        for (std::size_t i = 0; i < region.pages.size(); ++i)
            pages += shared == nullptr || i >= shared->pages.size() ||
                     shared->pages[i] != region.pages[i];
    }
    // Each page has a control block, and each reference to it is a shared_ptr.
    return pages * (kept_page_bytes + 32) + pointers * sizeof(std::shared_ptr<const Page>);
}

bool PagedMemory::read(const MemoryState& state, Address address, std::span<std::byte> to)
{
    auto after = std::ranges::upper_bound(state.regions, address, {}, &PagedRegion::begin);
    if (after == state.regions.begin()) return false;
    const Address region = std::prev(after)->begin;
    return read(state, region, address - region, to);
}

bool PagedMemory::read(const MemoryState& state, Address region, std::uint64_t offset,
                       std::span<std::byte> to)
{
    const PagedRegion* found = find(&state, region);
    if (found == nullptr || offset > found->bytes || to.size() > found->bytes - offset)
        return false;
    for (std::byte& byte : to) {
        byte = (*found->pages[offset / kept_page_bytes])[offset % kept_page_bytes];
        ++offset;
    }
    return true;
}

} // namespace lanescope::simt
