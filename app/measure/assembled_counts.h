// Counts of what the GPU executes instead of what the PTX says: whether they can be had, and for
// which architecture.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "compute/trace/assembled.h"

namespace lanescope::ptx {
struct Module;
}

namespace lanescope::app {

// That of the GPU at hand, or the default one: "sm_90".
std::string sass_architecture();

// How the assembler makes a kernel's sites, or why that is not known: a missing tool, or a text
// that the assembler refuses.
struct AssembledOrNot {
    std::shared_ptr<const trace::Assembled> assembled; // null: not known
    std::string reason;                                // a sentence then
};
AssembledOrNot assembled_kernel(std::string_view ptx, std::string_view kernel,
                                std::string_view architecture);

// Why there is no SASS on this machine, as a sentence; empty where its tools are there.
std::string missing_sass();

// For simt::Options::meetings: parted lanes meet where the SASS of that architecture lets them,
// where that is known.
std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture);

} // namespace lanescope::app
