// From PTX to a program of the machine. Everything that the machine cannot run is refused here, by
// name and line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/decode/symbols.h"
#include "compute/simt/machine/program.h"

namespace lanescope::simt {

// `module` must outlive the program. Throws LaunchError that names the instruction and its line.
Program decode(const ptx::Module& module, std::string_view kernel, const Symbols& symbols, Isa isa);

// Where the .shared variables lie that a kernel and the functions that it reaches (indices into
// Module::functions, the kernel's first) have in a block's shared memory.
struct SharedLayout {
    std::map<std::string, std::uint32_t> offsets;
    std::size_t static_bytes = 0; // dynamic ones lie behind them
};
SharedLayout shared_layout(const ptx::Module& module, const std::vector<int>& functions);
SharedLayout shared_layout(const ptx::Module& module, std::string_view kernel);

} // namespace lanescope::simt
