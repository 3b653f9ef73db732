// A program's text for a debugger: its lines, and its variables, named by debug information.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/debug/debugger.h"
#include "compute/ptx/debug/dwarf.h"
#include "compute/simt/debug/inspect.h"

namespace lanescope::app {

struct Debugger::Texts {
    // `source_info` is the debug information of the same source as written, for a program without
    // its own; may be null.
    Texts(const simt::Program& program, const ptx::DebugInfo* source_info, std::string_view source);

    simt::CodeLines lines;
    ptx::DebugInfo info;
    bool has_variables = false;
    const ptx::DebugInfo* arrays = nullptr;
    std::shared_ptr<const std::string> ptx;
    std::shared_ptr<const std::vector<int>> code_lines;
};

} // namespace lanescope::app
