// Counts of what the GPU executes instead of what the PTX says: whether they can be had, and for
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

// That of the GPU at hand, or the default one: "sm_90".
std::string sass_architecture();

// How the assembler makes a kernel's sites. Where that is not known, as a tool is missing or the
// assembler refuses the text, there are none, and the reason says why.
std::shared_ptr<const trace::Assembled>
assembled_kernel(std::string_view ptx, std::string_view kernel, std::string_view architecture);

// For trace::Trace::assembler: that of every kernel, made when it is first asked for.
trace::Assembler assembler_for(std::string architecture);

// Why a launch that was to be counted as assembled was not; empty where it was.
std::string why_not_assembled(const trace::Trace& trace, device::Engine engine);

// For simt::Options::meetings: parted lanes meet where the SASS of that architecture lets them,
// where that is known.
std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture);

} // namespace lanescope::app
