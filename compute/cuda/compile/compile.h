// Compiles CUDA C++ to PTX at run time: with NVRTC if its library is found, with nvcc if that is
// installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compute/error.h"

namespace lanescope::cuda {

struct CompileOptions {
    std::string architecture = "compute_75";
    bool own_folder = true; // search the file's folder for headers
    std::vector<std::filesystem::path> include_directories{};
    std::vector<std::string> definitions{}; // "TILE=32"
    std::string standard = "c++20";
    std::vector<std::string> flags{}; // further compiler options, passed on unchanged
};

// Carries the compiler's messages, with their lines. Exit status 2.
class CompileError : public Error {
public:
    CompileError(const std::filesystem::path& name, std::string log);
    const std::string& log() const noexcept { return log_; }

private:
    std::string log_;
};

// Cure for a header that the compiler didn't find; for headers of NVIDIA's samples, where to get
// them.
std::string missing_header(std::string_view header);

struct Compiled {
    std::string ptx;
    std::string log; // warnings, with their lines
};

// `name` is used in messages and in the PTX's line table; its folder is searched for includes,
// unless the options say otherwise. NVRTC compiles device code only, so text that it refuses is
// passed to nvcc, if that is installed and the text may contain host code. Throws CompileError, or
// DeviceError with the cure if there is no compiler.
Compiled compile_to_ptx(std::string_view text, const std::filesystem::path& name,
                        const CompileOptions& options = {});

// One sentence for `doctor`: the compilers found, and where.
std::string compilers_found();

} // namespace lanescope::cuda
