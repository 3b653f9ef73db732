// Native code generation for x86-64 with AVX2, and for browsers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/simt/native/activation.h"
#include "compute/simt/native/plan.h"

namespace lanescope::simt::native {

constexpr std::uint32_t no_entry = 0xffffffffu;

struct Code {
    std::vector<std::byte> bytes;           // starts with the function Enter; WebAssembly: a module
    std::vector<std::uint32_t> entry;       // per pc: offset from CodeMemory::data(), or no_entry
    bool straight = false;                  // supports Activation::straight
    std::uint32_t generic_entry = no_entry; // straight-line kernel: offset of its region's items
};

struct Variant {
    bool observed = false;
    bool masked = false; // for partial warps; otherwise all 32 lanes are active
};

// Empty if this computer is not supported.
Code emit(const Plan& plan, const Variant& variant, const Helpers& helpers);

} // namespace lanescope::simt::native
