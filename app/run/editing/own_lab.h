// A user's file with kernels as a lab: its source, its headers, and a record guessed from its
// signatures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/quantity.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {

// True for file names ending in .cu or .ptx.
bool is_kernel_file(const std::filesystem::path& file);

// "dir/saxpy.cu" from "dir/saxpy.cu" or "dir/saxpy.cu/variant"; empty for other names, or if the
// file does not exist.
std::optional<std::string_view> kernel_file_in(std::string_view target);

struct OwnKernels {
    labs::Texts texts;
    std::vector<std::string> notes{}; // for the user: kernels left out, and why
};

// Reads the file and the headers beside it that it includes, compiles, and guesses a record. Throws
// Error: no_such_thing if it cannot be read or has no kernel; bad_usage if it does not compile,
// includes files outside its folder, or is too large.
OwnKernels read_kernels(const std::filesystem::path& file);

// For the window: if it does not compile, has no kernel, does not exist or is Python, returns a
// placeholder with the source, for the editor. Throws Error if it is not text.
OwnKernels read_kernels_or_text(const std::filesystem::path& file);

// For lectures in a folder: resolves labs, and kernel files in the folder ("saxpy.cu/saxpy" as
// "LAB/VARIANT"). Throws Error as read_kernels() does, and bad_usage for a file outside it.
FindNamed labs_and_kernels_in(std::filesystem::path folder);

// A placeholder that shows the file's text, of which nothing is compiled or run. Throws Error if it
// is not text.
labs::Texts text_alone(const std::filesystem::path& file, std::string text);

// Like read_kernels(), with the given source in place of the file's; text_alone() for Python.
OwnKernels kernels_of_text(const std::filesystem::path& file, std::string text);

// Compiles a single file to PTX; the compiler searches its folder and the -I folders, and gets
// these flags, too. Throws Error as read_kernels() does.
std::string compile_kernel_file(const std::filesystem::path& file, const std::string& text,
                                const std::vector<std::string>& more_flags = {});

} // namespace lanescope::app
