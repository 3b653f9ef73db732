// Whoever comes to a page first keeps it; others who are about to write there wait until it is
// kept.
#include "compute/simt/checks/undo.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "compute/simt/operations/images.h"

namespace lanescope::simt {

Undo::Undo(const LaunchState& launch)
{
    bool stores = false;
    for (const Function& function : launch.program.functions)
        stores = stores || !function.images.empty();
    if (!stores) return;
    for (const ImageData& image : launch.images.surfaces())
        texels_.push_back({image.texels, {image.texels.begin(), image.texels.end()}});
}

Undo::Marks& Undo::marks_of(const Allocation& allocation)
{
    const std::lock_guard lock(mutex_);
    Marks& marks = marks_.at(allocation);
    if (!marks.pages) {
        const std::size_t pages = (allocation.bytes() + page_bytes - 1) / page_bytes;
        marks.pages = std::make_unique<std::atomic<std::uint8_t>[]>(pages);
    }
    return marks;
}

void Undo::keep(const Allocation& allocation, std::uint64_t page)
{
    std::atomic<std::uint8_t>& mark = marks_of(allocation).pages[page];
    std::uint8_t state = mark.load(std::memory_order_acquire);
    if (state == 2) return;
    if (state == 0 && mark.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
        const std::uint64_t begin = page * page_bytes;
        const std::uint64_t end = std::min<std::uint64_t>(begin + page_bytes, allocation.bytes());
        Page kept{&allocation, page, {allocation.host + begin, allocation.host + end}};
        {
            const std::lock_guard lock(mutex_);
            kept_.push_back(std::move(kept));
        }
        mark.store(2, std::memory_order_release);
        return;
    }
    while (mark.load(std::memory_order_acquire) != 2) std::this_thread::yield();
}

void Undo::restore()
{
    for (const Page& page : kept_)
        std::ranges::copy(page.bytes, page.allocation->host + page.index * page_bytes);
    for (const Texels& texels : texels_) std::ranges::copy(texels.bytes, texels.place.begin());
}

} // namespace lanescope::simt
