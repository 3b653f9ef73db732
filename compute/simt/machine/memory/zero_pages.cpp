// Small areas come from calloc, which is faster than a mapping of their own.
#include "compute/simt/machine/memory/zero_pages.h"

#include <algorithm>
#include <cstring>

#if !defined(__EMSCRIPTEN__)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace lanescope::simt {

namespace {

bool is_zero(std::span<const std::byte> bytes)
{
    // A range is zero if its first byte is, and each byte equals the one after it.
    return bytes.empty() || (bytes[0] == std::byte{0} &&
                             std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// Finds the pages of a private mapping that were never touched. Asks the operating system for a few
// thousand pages at a time; without its answer, any page may have been touched.
class TouchedPages {
public:
    TouchedPages(const std::byte* begin, [[maybe_unused]] bool is_mapped)
        : first_(reinterpret_cast<std::uintptr_t>(begin) / 4096)
    {
#if !defined(__EMSCRIPTEN__)
        if (is_mapped && sysconf(_SC_PAGESIZE) == 4096)
            file_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
#endif
    }
    ~TouchedPages()
    {
#if !defined(__EMSCRIPTEN__)
        if (file_ >= 0) close(file_);
#endif
    }
    TouchedPages(const TouchedPages&) = delete;
    TouchedPages& operator=(const TouchedPages&) = delete;

    // Ascending calls are fast.
    bool may_contain(std::size_t page)
    {
        if (file_ < 0) return true;
        if (page < begin_ || page >= begin_ + count_) read_from(page);
        if (page >= begin_ + count_) return true;
        return (entries_[page - begin_] & present_or_swapped) != 0;
    }

private:
    static constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;

    void read_from([[maybe_unused]] std::size_t page)
    {
        begin_ = page;
        count_ = 0;
#if !defined(__EMSCRIPTEN__)
        constexpr std::size_t entry_bytes = sizeof(std::uint64_t);
        entries_.resize(4096);
        const ssize_t got = pread(file_, entries_.data(), entries_.size() * entry_bytes,
                                  static_cast<off_t>((first_ + page) * entry_bytes));
        if (got > 0) count_ = static_cast<std::size_t>(got) / entry_bytes;
#endif
    }

    [[maybe_unused]] std::uintptr_t first_; // number of the first page in the address space
    int file_ = -1;
    std::size_t begin_ = 0, count_ = 0; // pages in `entries_`
    std::vector<std::uint64_t> entries_;
};

} // namespace

void FreedMemory::operator()(void* memory) const
{
#if !defined(__EMSCRIPTEN__)
    if (mapped_bytes != 0) {
        munmap(memory, mapped_bytes);
        return;
    }
#endif
    std::free(memory);
}

std::unique_ptr<std::byte[], FreedMemory> zero_bytes(std::size_t bytes)
{
#if !defined(__EMSCRIPTEN__)
    if (bytes >= min_mapped_bytes) {
        void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) return nullptr;
        return {static_cast<std::byte*>(made), FreedMemory{bytes}};
    }
#endif
    return {static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1)),
            FreedMemory{}};
}

std::unique_ptr<std::byte[], FreedMemory> unset_bytes(std::size_t bytes)
{
    std::unique_ptr<std::byte[], FreedMemory> made;
    if (bytes >= min_mapped_bytes)
        made = zero_bytes(bytes);
    else
        made.reset(static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1))));
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

NonzeroPages::NonzeroPages(std::span<const std::byte> bytes, bool is_mapped)
    : bytes_(bytes.size()), is_mapped_(is_mapped)
{
    if (!is_mapped) contents_.reserve(bytes.size());
    TouchedPages touched(bytes.data(), is_mapped);
    for (std::size_t begin = 0; begin < bytes.size(); begin += page_bytes) {
        if (!touched.may_contain(begin / page_bytes)) continue;
        const auto page = bytes.subspan(begin, std::min(page_bytes, bytes.size() - begin));
        if (is_zero(page)) continue;
        pages_.push_back(begin / page_bytes);
        contents_.insert(contents_.end(), page.begin(), page.end());
    }
}

void NonzeroPages::restore(std::span<std::byte> to) const
{
    std::size_t next = 0;
    TouchedPages touched(to.data(), is_mapped_);
    for (std::size_t begin = 0; begin < bytes_; begin += page_bytes) {
        const auto page = to.subspan(begin, std::min(page_bytes, bytes_ - begin));
        if (next < pages_.size() && pages_[next] == begin / page_bytes) {
            // All stored pages but the last have page_bytes bytes.
            std::memcpy(page.data(), contents_.data() + next * page_bytes, page.size());
            ++next;
        } else if (touched.may_contain(begin / page_bytes) && !is_zero(page)) {
            std::memset(page.data(), 0, page.size());
        }
    }
}

} // namespace lanescope::simt
