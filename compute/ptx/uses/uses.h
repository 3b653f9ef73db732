// How a kernel uses what it is given, read off its text: which parameters are pointers that it
// reads, writes or updates, which numbers bound which axis, and which thread coordinates it knows.
// What flows where is followed through registers, not through memory and not into functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

struct ParameterUse {
    std::size_t bytes = 0;
    Type type = Type::none; // as declared: f32, u64, or b8 of a structure
    // Addresses are computed from it, and there:
    bool read = false;
    bool written = false;
    bool updated = false;          // by atomics
    std::size_t element_bytes = 0; // of the narrowest access; 0: none
    int vector = 0;                // elements that the narrowest access moves at once; 0: none
    bool through_data = false;     // an address depends on what was read from memory
    bool real_elements = false;
    // The stores' addresses differ from block to block only, or not at all.
    bool by_block = false;
    bool by_nothing = false;
    std::uint64_t flowing = 0; // into its addresses: a bit for each of the parameters
    // Numbers that are compared with an index along x, y, z.
    std::array<bool, 3> bounds{};

    bool is_address() const { return read || written || updated; }
};

struct KernelUse {
    std::string name; // in the PTX
    std::vector<ParameterUse> parameters;
    std::array<bool, 3> thread_axes{}; // %tid.x, .y, .z are read
    std::array<bool, 3> block_axes{};  // %ctaid
    bool strides = false;              // %nctaid is read: any grid does
    bool dynamic_shared = false;       // the module has a shared array without a size
    std::array<int, 3> block{};        // that it insists on; 0: none
    int max_threads = 1024;            // of a block
};

// Of every kernel of the module that was understood, in the order of the text.
std::vector<KernelUse> kernel_uses(const Module& module);

} // namespace lanescope::ptx
