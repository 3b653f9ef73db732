// Memory for rows of lanes, aligned to 64 bytes. Copyable, so that a warp's state can be saved.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lanescope::simt {

constexpr std::size_t row_alignment = 64;

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
        return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{row_alignment}));
    }
    void deallocate(T* memory, std::size_t)
    {
        ::operator delete (memory, std::align_val_t{row_alignment});
    }
    friend bool operator==(const RowAllocator&, const RowAllocator&) { return true; }
};

using Rows = std::vector<std::byte, RowAllocator<std::byte>>;

} // namespace lanescope::simt
