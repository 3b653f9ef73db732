// Memory directly from the system: zeroed pages, pages for machine code, and facts about both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lanescope {

// Installed memory of this machine.
std::size_t physical_memory_bytes();

#ifdef __EMSCRIPTEN__
constexpr bool has_lazy_pages = false; // they are allocated, and zeroed, at once
#else
constexpr bool has_lazy_pages = true;
#endif
// Private pages that are zeroed on first touch and count as used from then on. Null if refused.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

// Memory with an alignment, with undefined contents; no data: refused.
struct AlignedMemory {
    void* data = nullptr;
    std::size_t mapped_bytes = 0; // for unmap_pages(); 0: std::free() frees it
};
AlignedMemory allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;

// Machine code in pages of its own: written first, then executable, never both at once.
struct CodePages {
    std::byte* data = nullptr; // null: refused
    std::size_t bytes = 0;     // whole pages
};
std::size_t code_page_bytes(std::size_t code_bytes);
CodePages map_code(std::span<const std::byte> code) noexcept;
void unmap_code(const CodePages& pages) noexcept;

// True if the address belongs to memory of this process.
bool is_mapped(std::uint64_t address);

// Finds the pages of map_pages() that were never touched. Asks the operating system for a few
// thousand pages at a time; without its answer, any page may have been touched.
class TouchedPages {
public:
    static constexpr std::size_t page_bytes = 4096;

    // `is_mapped`: the memory comes from map_pages().
    TouchedPages(const std::byte* begin, bool is_mapped);
    ~TouchedPages();
    TouchedPages(const TouchedPages&) = delete;
    TouchedPages& operator=(const TouchedPages&) = delete;

    // Ascending calls are fast.
    bool may_contain(std::size_t page);

private:
    void read_from(std::size_t page);

    std::uintptr_t first_; // number of the first page in the address space
    int file_ = -1;
    std::size_t begin_ = 0, count_ = 0; // pages in `entries_`
    std::vector<std::uint64_t> entries_;
};

} // namespace lanescope
