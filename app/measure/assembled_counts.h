// Counts of the SASS that a GPU executes, instead of the PTX: whether they are available, and for
// which architecture.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "compute/device/device.h"
#include "compute/trace/trace.h"

namespace lanescope::ptx {
struct Module;
}

namespace lanescope::app {

// Architecture of the GPU that --gpu names, else of the GPU at hand, or the default: "sm_90".
std::string sass_architecture();

// How the assembler lowered a kernel's sites. Empty, with a reason, if a tool is missing or the
// assembler refuses the text.
std::shared_ptr<const trace::Assembled>
assembled_kernel(std::string_view ptx, std::string_view kernel, std::string_view architecture);

// For trace::Trace::assembler: lowers each kernel on first use.
trace::Assembler assembler_for(std::string architecture);

// Why a launch that should be counted as assembled was not; empty if it was.
std::string why_not_assembled(const trace::Trace& trace, device::Engine engine);

// For simt::Options::meetings: diverged lanes reconverge where the architecture's SASS lets them,
// if that is known.
std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture);

} // namespace lanescope::app
