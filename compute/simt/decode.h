// From PTX to a program of the machine. Everything that the machine cannot run is refused here, by
// name and line.
#pragma once

#include <string_view>

#include "compute/simt/program.h"
#include "compute/simt/symbols.h"

namespace lanescope::simt {

// `module` must outlive the program. Throws LaunchError that names the instruction and its line.
Program decode(const ptx::Module& module, std::string_view kernel, const Symbols& symbols, Isa isa);

} // namespace lanescope::simt
