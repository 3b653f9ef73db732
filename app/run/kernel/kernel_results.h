// Reads a kernel's memory after its launch: writes whole buffers, images and variables to files,
// and prints their first values.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/kernel/kernel_run.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

// Memory to read after a launch: a buffer, an image or a variable.
struct Looked {
    std::string name; // index or name of an argument, or PTX name of a variable
    bool is_variable = false;
    const NumberType* type = nullptr;
};

struct Dump {
    Looked of;
    std::filesystem::path path;
};

struct Print {
    Looked of;
    std::size_t count = 32; // maximum number of values
};

// Parses "INDEX:PATH" or "NAME:PATH"; with `variables`, "VARIABLE:PATH". Throws Error: bad_usage if
// it is not a buffer or image, or cannot be written; no_such_thing for an unknown variable.
Dump parse_dump(std::string_view text, const KernelLaunch& launch);
Dump parse_variable_dump(std::string_view text, const ptx::Module& module);
// Parses "WHAT[:COUNT][:TYPE]", where WHAT is an index, a name or a variable. Throws Error.
Print parse_print(std::string_view text, const KernelLaunch& launch, const ptx::Module& module);

void write_dump(const Dump& dump, KernelRun& run);
std::string print_text(const Print& print, KernelRun& run);
nlohmann::ordered_json print_json(const Print& print, KernelRun& run);

} // namespace lanescope::app
