// Small areas come from calloc, which is faster than a mapping of their own.
#include "compute/simt/machine/memory/zero_pages.h"

#include <algorithm>
#include <cstring>

#include "compute/process/memory.h"

namespace lanescope::simt {

namespace {

bool is_zero(std::span<const std::byte> bytes)
{
    // A range is zero if its first byte is, and each byte equals the one after it.
    return bytes.empty() || (bytes[0] == std::byte{0} &&
                             std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

} // namespace

void FreedMemory::operator()(void* memory) const
{
    if (mapped_bytes != 0)
        unmap_pages(memory, mapped_bytes);
    else
        std::free(memory);
}

std::unique_ptr<std::byte[], FreedMemory> zero_bytes(std::size_t bytes)
{
    if (has_lazy_pages && bytes >= min_mapped_bytes) {
        void* const made = map_pages(bytes);
        if (made == nullptr) return nullptr;
        return {static_cast<std::byte*>(made), FreedMemory{bytes}};
    }
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
