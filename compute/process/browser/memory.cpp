// A browser's memory: no pages of the system's own, and no machine code.
#include "compute/process/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace lanescope {

std::size_t physical_memory_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

void* map_pages(std::size_t bytes) noexcept
{
    void* const made =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept
{
    munmap(pages, bytes);
}

AlignedMemory allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept
{
    return {std::aligned_alloc(alignment, bytes), 0};
}

std::size_t code_page_bytes(std::size_t code_bytes)
{
    return code_bytes;
}

CodePages map_code(std::span<const std::byte>) noexcept
{
    return {};
}

void unmap_code(const CodePages&) noexcept {}

bool is_mapped(std::uint64_t address)
{
    constexpr std::uint64_t page = TouchedPages::page_bytes;
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

TouchedPages::TouchedPages(const std::byte* begin, bool)
    : first_(reinterpret_cast<std::uintptr_t>(begin) / page_bytes)
{
}

TouchedPages::~TouchedPages() = default;

bool TouchedPages::may_contain(std::size_t page)
{
    return file_ < 0 || page < begin_ + count_ || page < first_ || entries_.empty();
}

void TouchedPages::read_from(std::size_t) {}

} // namespace lanescope
