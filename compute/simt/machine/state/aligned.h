// Memory for rows of lanes, aligned to 64 bytes. Copyable, so that a warp's state can be saved.
//
// A kernel decides how many registers and how much local memory its threads take, so the total is
// limited: all rows of the process together take at most a quarter of the machine's memory.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lanescope::simt {

constexpr std::size_t row_alignment = 64;
constexpr std::size_t min_counted_row_bytes = std::size_t{64} << 10; // smaller ones are not counted

// Throws std::length_error if the counted rows would exceed the limit.
void count_rows(std::size_t bytes);
void uncount_rows(std::size_t bytes);
// For tests; 0: a quarter of the machine's memory again.
void limit_rows(std::size_t bytes);

template <class T>
struct RowAllocator {
    using value_type = T;
    RowAllocator() = default;
    template <class U>
    RowAllocator(const RowAllocator<U>&)
    {
    }
    T* allocate(std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        if (bytes >= min_counted_row_bytes) count_rows(bytes);
        void* const memory = ::operator new (bytes, std::align_val_t{row_alignment}, std::nothrow);
        if (memory != nullptr) return static_cast<T*>(memory);
        if (bytes >= min_counted_row_bytes) uncount_rows(bytes);
        throw std::bad_alloc();
    }
    void deallocate(T* memory, std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        if (bytes >= min_counted_row_bytes) uncount_rows(bytes);
        ::operator delete (memory, std::align_val_t{row_alignment});
    }
    friend bool operator==(const RowAllocator&, const RowAllocator&) { return true; }
};

using Rows = std::vector<std::byte, RowAllocator<std::byte>>;

} // namespace lanescope::simt
