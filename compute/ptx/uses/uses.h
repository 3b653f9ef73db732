// How a kernel uses its parameters, derived from its text: which ones are pointers that it reads,
// writes or updates, which numbers bound which axis, and which thread coordinates it reads. Values
// are tracked through registers, but not through memory or into functions.
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
    Type type = Type::none; // as declared: f32, u64, or b8 for a structure
    // How memory is accessed at addresses computed from it:
    bool read = false;
    bool written = false;
    bool updated = false;          // by atomics
    std::size_t element_bytes = 0; // size of the narrowest access; 0: none
    int vector = 0;                // number of elements in the narrowest access; 0: none
    bool depends_on_data = false;  // an address depends on data read from memory
    bool real_elements = false;
    // The addresses of all stores depend on the block index but not on the thread index
    // (depends_on_block), or on neither (depends_on_nothing).
    bool depends_on_block = false;
    bool depends_on_nothing = false;
    std::uint64_t flowing = 0; // parameters that its addresses depend on, one bit each
    // The number is compared with an index along x, y, z.
    std::array<bool, 3> bounds{};

    bool is_address() const { return read || written || updated; }
};

struct KernelUse {
    std::string name; // name in the PTX
    std::vector<ParameterUse> parameters;
    std::array<bool, 3> thread_axes{}; // %tid.x, .y, .z are read
    std::array<bool, 3> block_axes{};  // %ctaid
    bool strides = false;              // %nctaid is read: the kernel works with any grid
    bool dynamic_shared = false;       // the module has an unsized shared array
    std::array<int, 3> block{};        // required block size; 0: unspecified
    int max_threads = 1024;            // maximum block size
};

KernelUse kernel_use(const Module& module, const Function& kernel);

// An access to memory at an address that is computed from parameters of 8 bytes.
struct ParameterAccess {
    int instruction = -1;         // in Function::instructions
    std::uint64_t parameters = 0; // one bit each
    bool reads = false;
    bool writes = false; // updates read and write
};
std::vector<ParameterAccess> parameter_accesses(const Module& module, const Function& kernel);

// Uses of every kernel of the module that could be parsed, in text order.
std::vector<KernelUse> kernel_uses(const Module& module);

} // namespace lanescope::ptx
