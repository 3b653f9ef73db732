// From PTX to a program of the machine. Everything that the machine cannot run is refused here, by
// name and line.
#pragma once

#include <string_view>

#include "compute/simt/decode/symbols.h"
#include "compute/simt/machine/program.h"

namespace lanescope::simt {

// `module` must outlive the program. Throws LaunchError that names the instruction and its line.
Program decode(const ptx::Module& module, std::string_view kernel, const Symbols& symbols, Isa isa);

} // namespace lanescope::simt
