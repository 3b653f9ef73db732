// Kernels by the names that people type: as in the PTX, as in the source, or demangled.
#pragma once

#include <string>
#include <string_view>

#include "compute/device/kernel_names.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

using device::demangled;

// The kernel that the name means: the PTX's own name, the demangled one with or without its
// parameters, template arguments and scopes. An empty name means the only kernel. Throws Error that
// lists what there is: no_such_thing, or bad_usage when several are meant.
const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name);

// The same for variables of the module.
const ptx::Variable& find_variable(const ptx::Module& module, const std::string& name);

} // namespace lanescope::app
