// Counts of the SASS that a GPU executes, instead of the PTX: whether SASS is available, and for
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

// Why a launch has no assembled counts although they were requested; empty if it has them.
std::string why_not_assembled(const trace::Trace& trace, device::Engine engine);

// For simt::Options::meetings: makes diverged lanes reconverge where the architecture's SASS does,
// if the SASS is known.
std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture);

} // namespace lanescope::app
