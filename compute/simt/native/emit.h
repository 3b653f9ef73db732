// Native code for x86-64 with AVX2, and for browsers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/simt/native/activation.h"
#include "compute/simt/native/plan.h"

namespace lanescope::simt::native {

constexpr std::uint32_t no_entry = 0xffffffffu;

struct Code {
    std::vector<std::byte> bytes;     // begins with the function Enter; WebAssembly: a module of it
    std::vector<std::uint32_t> entry; // by pc: what is added to CodeMemory::data, or no_entry
    bool straight = false;            // minds Activation::straight
    std::uint32_t generic_entry = no_entry; // of a straight kernel: where its region's items begin
};

struct Variant {
    bool observed = false;
    bool masked = false; // for paths that lack lanes; else all 32 are active
};

// Empty where nothing can be emitted for this computer.
Code emit(const Plan& plan, const Variant& variant, const Helpers& helpers);

} // namespace lanescope::simt::native
