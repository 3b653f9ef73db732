// Translates PTX to a program of the machine. Unsupported instructions are refused here, by name
// and line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/machine/memory/symbols.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

// `module` must outlive the program. Throws LaunchError naming the instruction and its line.
Program decode(const ptx::Module& module, std::string_view kernel, const Symbols& symbols, Isa isa);

// Offsets in a block's shared memory of the .shared variables of a kernel and the functions it
// reaches (indices into Module::functions, the kernel's first).
struct SharedLayout {
    std::map<std::string, std::uint32_t> offsets;
    std::size_t static_bytes = 0; // dynamic variables follow
};
SharedLayout shared_layout(const ptx::Module& module, const std::vector<int>& functions);
SharedLayout shared_layout(const ptx::Module& module, std::string_view kernel);

} // namespace lanescope::simt
