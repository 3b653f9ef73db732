// What is asked for of a kernel's memory after its launch: files of whole buffers, images and
// variables, and their first values as text.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/kernel/kernel_run.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

// One thing of a launch that can be looked at.
struct Looked {
    std::string name; // an argument's index, a name, or a variable's name in the PTX
    bool is_variable = false;
    const NumberType* type = nullptr;
};

struct Dump {
    Looked of;
    std::filesystem::path path;
};

struct Print {
    Looked of;
    std::size_t count = 32; // at most so many values
};

// "INDEX:PATH" or "NAME:PATH"; with `variables`, "VARIABLE:PATH". Throws Error (bad_usage) for what
// is no buffer or image, or cannot be written; no_such_thing for a variable that there is not.
Dump parse_dump(std::string_view text, const KernelLaunch& launch);
Dump parse_variable_dump(std::string_view text, const ptx::Module& module);
// "WHAT[:COUNT][:TYPE]", WHAT being an index, a name or a variable. Throws Error.
Print parse_print(std::string_view text, const KernelLaunch& launch, const ptx::Module& module);

void write_dump(const Dump& dump, KernelRun& run);
std::string print_text(const Print& print, KernelRun& run);
nlohmann::ordered_json print_json(const Print& print, KernelRun& run);

} // namespace lanescope::app
