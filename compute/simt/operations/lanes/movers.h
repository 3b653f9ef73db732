// Copies between memory and rows of lanes, by element size, signedness and lane size.
#pragma once

#include <cstddef>
#include <cstdint>

// Excludes accesses made on behalf of a kernel from ThreadSanitizer: races in the kernel are
// reported by the checks.
#ifdef __SANITIZE_THREAD__
#define OF_THE_KERNEL __attribute__((no_sanitize("thread")))
#else
#define OF_THE_KERNEL
#endif

namespace lanescope::simt {

// Copies between a row and memory. The strided functions require all lanes to be active, `stride`
// bytes apart.
struct Mover {
    void (*load_strided)(const std::byte* from, std::size_t stride, void* row) = nullptr;
    void (*load_lanes)(const std::byte* from, const std::uint64_t* offsets, std::uint32_t mask,
                       void* row) = nullptr;
    void (*store_strided)(std::byte* to, std::size_t stride, const void* row) = nullptr;
    void (*store_lanes)(std::byte* to, const std::uint64_t* offsets, std::uint32_t mask,
                        const void* row) = nullptr;
    bool words = false; // element and lane are both 4 bytes, moved unchanged
};

// `element_bytes` is 1, 2, 4, 8 or 16; `row_bytes` is 4, 8 or 16, and at least as large. Signed
// elements are sign-extended to the lane, others zero-extended.
Mover mover(int element_bytes, bool is_signed, int row_bytes);

} // namespace lanescope::simt
