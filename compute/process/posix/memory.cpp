// mmap(), and /proc/self/pagemap for the pages that were touched.
#include "compute/process/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace lanescope {

std::size_t physical_memory_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

void* map_pages(std::size_t bytes) noexcept
{
    void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (code_bytes + page - 1) / page * page;
}

CodePages map_code(std::span<const std::byte> code) noexcept
{
    const std::size_t bytes = code_page_bytes(code.size());
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return {};
    std::memcpy(pages, code.data(), code.size());
    if (mprotect(pages, bytes, PROT_READ | PROT_EXEC) != 0) {
        munmap(pages, bytes);
        return {};
    }
    return {static_cast<std::byte*>(pages), bytes};
}

void unmap_code(const CodePages& pages) noexcept
{
    munmap(pages.data, pages.bytes);
}

bool is_mapped(std::uint64_t address)
{
    constexpr std::uint64_t page = TouchedPages::page_bytes;
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

namespace {

constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;

} // namespace

TouchedPages::TouchedPages(const std::byte* begin, bool is_mapped)
    : first_(reinterpret_cast<std::uintptr_t>(begin) / page_bytes)
{
    if (is_mapped && sysconf(_SC_PAGESIZE) == page_bytes)
        file_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

TouchedPages::~TouchedPages()
{
    if (file_ >= 0) close(file_);
}

bool TouchedPages::may_contain(std::size_t page)
{
    if (file_ < 0) return true;
    if (page < begin_ || page >= begin_ + count_) read_from(page);
    if (page >= begin_ + count_) return true;
    return (entries_[page - begin_] & present_or_swapped) != 0;
}

void TouchedPages::read_from(std::size_t page)
{
    begin_ = page;
    count_ = 0;
    constexpr std::size_t entry_bytes = sizeof(std::uint64_t);
    entries_.resize(4096);
    const ssize_t got = pread(file_, entries_.data(), entries_.size() * entry_bytes,
                              static_cast<off_t>((first_ + page) * entry_bytes));
    if (got > 0) count_ = static_cast<std::size_t>(got) / entry_bytes;
}

} // namespace lanescope
