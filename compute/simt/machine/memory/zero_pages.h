// Zeroed memory that becomes resident only where it is touched, so that an allocation may be larger
// than the computer's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace lanescope::simt {

// Frees memory of zero_bytes(), or of malloc.
struct FreedMemory {
    std::size_t mapped_bytes = 0; // 0: from malloc or calloc
    void operator()(void* memory) const;
};

constexpr std::size_t min_mapped_bytes = std::size_t{64} << 20;

// Null if there is no memory. Areas of min_mapped_bytes and more are mapped without reserving
// memory for them.
std::unique_ptr<std::byte[], FreedMemory> zero_bytes(std::size_t bytes);
// The same with undefined contents. Throws std::bad_alloc.
std::unique_ptr<std::byte[], FreedMemory> unset_bytes(std::size_t bytes);

// `count` zeros. Throws std::bad_alloc.
template <class Value>
std::unique_ptr<Value[], FreedMemory> zeros(std::size_t count)
{
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(Value)) throw std::bad_alloc();
    auto bytes = zero_bytes(count * sizeof(Value));
    if (bytes == nullptr) throw std::bad_alloc();
    const FreedMemory freed = bytes.get_deleter();
    return {reinterpret_cast<Value*>(bytes.release()), freed};
}

// An array of words that are zero at first.
class ZeroWords {
public:
    ZeroWords() = default;
    explicit ZeroWords(std::size_t count) : words_(zeros<std::uint64_t>(count)), count_(count) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    std::uint64_t& operator[](std::size_t i) { return words_[i]; }
    std::uint64_t operator[](std::size_t i) const { return words_[i]; }
    bool is_mapped() const { return words_.get_deleter().mapped_bytes != 0; }
    std::uint64_t back() const { return words_[count_ - 1]; }
    const std::uint64_t* begin() const { return words_.get(); }
    const std::uint64_t* end() const { return words_.get() + count_; }
    std::span<std::byte> bytes()
    {
        return {reinterpret_cast<std::byte*>(words_.get()), count_ * sizeof(std::uint64_t)};
    }
    std::span<const std::byte> bytes() const
    {
        return {reinterpret_cast<const std::byte*>(words_.get()), count_ * sizeof(std::uint64_t)};
    }

private:
    std::unique_ptr<std::uint64_t[], FreedMemory> words_;
    std::size_t count_ = 0;
};

// A copy of some bytes that stores only the pages that are not zero.
class NonzeroPages {
public:
    // `is_mapped`: they are a whole area of zero_bytes() that is mapped, so pages never touched are
    // known to be zero without reading them.
    explicit NonzeroPages(std::span<const std::byte> bytes, bool is_mapped = false);
    std::size_t size() const { return bytes_; }
    // Writes the copied bytes to `to`, which has size() bytes. Does not touch pages that are zero
    // in both.
    void restore(std::span<std::byte> to) const;

private:
    static constexpr std::size_t page_bytes = 4096;

    std::size_t bytes_;
    bool is_mapped_;
    std::vector<std::size_t> pages_; // numbers of the stored pages
    std::vector<std::byte> contents_;
};

} // namespace lanescope::simt
