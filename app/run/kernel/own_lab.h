// A file with kernels of the user's own as a lab: its text and its headers, and the record that its
// signatures let guess.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/quantity.h"
#include "compute/labs/texts.h"

namespace lanescope::app {

// By its name: .cu or .ptx.
bool is_kernel_file(const std::filesystem::path& file);

// "dir/saxpy.cu" of "dir/saxpy.cu" and of "dir/saxpy.cu/variant"; nothing for other names, or where
// there is no such file.
std::optional<std::string_view> kernel_file_in(std::string_view target);

struct OwnKernels {
    labs::Texts texts;
    std::vector<std::string> notes{}; // sentences for the user: what was left out, and why
};

// Reads the file and the headers beside it that it includes, compiles and guesses. Throws Error:
// no_such_thing for a file that cannot be read or holds no kernel, bad_usage for what does not
// compile, includes more than its folder, or is too large.
OwnKernels read_kernels(const std::filesystem::path& file);

// For the window: what cannot be compiled, holds no kernel or is not there is a placeholder with
// the text, to be fixed in the editor. Throws Error for what is no text.
OwnKernels read_kernels_or_text(const std::filesystem::path& file);

// For the lectures of a folder: labs, and kernels' files of the folder, "saxpy.cu/saxpy" as
// "LAB/VARIANT". Throws Error as read_kernels() does, and bad_usage for a file outside of it.
FindNamed labs_and_kernels_in(std::filesystem::path folder);

// read_kernels() with what the file's text is now.
OwnKernels kernels_of_text(const std::filesystem::path& file, std::string text);

// The PTX of a file alone, whose folder and -I are searched by the compiler. Throws Error as
// read_kernels() does.
std::string compile_kernel_file(const std::filesystem::path& file, const std::string& text);

} // namespace lanescope::app
