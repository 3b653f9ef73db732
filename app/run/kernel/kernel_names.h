// Resolves kernel names as people type them: as in the PTX, as in the source, or demangled.
#pragma once

#include <string>
#include <string_view>

#include "compute/device/kernel_names.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

using device::demangled;

// Finds a kernel by its PTX name or its demangled name with or without parameters, template
// arguments and scopes. An empty name means the only kernel. Throws Error with the list of kernels:
// no_such_thing, or bad_usage if several match.
const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name);

// The same for module variables.
const ptx::Variable& find_variable(const ptx::Module& module, const std::string& name);

} // namespace lanescope::app
