// The first thread to touch a page saves it; other writers wait for the copy.
#include "compute/simt/checks/fast/undo.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

namespace {

// Copies one page of an allocation of `bytes` bytes.
void copy_page(const std::byte* from, std::byte* to, std::uint64_t bytes, std::uint64_t page)
{
    const std::uint64_t begin = page * page_bytes;
    std::memcpy(to + begin, from + begin, std::min(page_bytes, bytes - begin));
}

} // namespace

Undo::Undo(const LaunchState& launch)
{
    bool stores = false;
    for (const Function& function : launch.program.functions)
        stores = stores || !function.images.empty();
    if (!stores) return;
    for (const ImageData& image : launch.images.surfaces())
        texels_.push_back({image.texels, {image.texels.begin(), image.texels.end()}});
}

Undo::SavedPages& Undo::of(const Allocation& allocation)
{
    const std::lock_guard lock(mutex_);
    SavedPages& kept = kept_.at(allocation);
    if (kept.allocation != nullptr) return kept;
    const std::size_t pages = (allocation.bytes() + page_bytes - 1) / page_bytes;
    kept.bytes = unset_bytes(allocation.bytes());
    kept.marks = std::make_unique<std::atomic<std::uint8_t>[]>(pages);
    kept.allocation = &allocation;
    return kept;
}

void Undo::keep(SavedPages& kept, std::uint64_t page)
{
    std::atomic<std::uint8_t>& mark = kept.marks[page];
    std::uint8_t state = mark.load(std::memory_order_acquire);
    if (state == 2) return;
    if (state == 0 && mark.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
        copy_page(kept.allocation->host, kept.bytes.get(), kept.allocation->bytes(), page);
        mark.store(2, std::memory_order_release);
        return;
    }
    while (mark.load(std::memory_order_acquire) != 2) std::this_thread::yield();
}

void Undo::restore()
{
    for (const auto& [begin, kept] : kept_) {
        if (kept.allocation == nullptr) continue; // its allocation failed
        const std::size_t bytes = kept.allocation->bytes();
        for (std::uint64_t page = 0; page * page_bytes < bytes; ++page)
            if (kept.marks[page] == 2)
                copy_page(kept.bytes.get(), kept.allocation->host, bytes, page);
    }
    for (const Texels& texels : texels_) std::ranges::copy(texels.bytes, texels.place.begin());
}

} // namespace lanescope::simt
