// CUDA C++ to PTX while the program runs: by NVRTC where its library is found, by nvcc where that
// is installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compute/error.h"

namespace lanescope::cuda {

struct CompileOptions {
    std::string architecture = "compute_75";
    bool own_folder = true; // is searched for headers
    std::vector<std::filesystem::path> include_directories{};
    std::vector<std::string> definitions{}; // "TILE=32"
    std::string standard = "c++20";
    std::vector<std::string> flags{}; // whatever else the compilers take, as they are
};

// The compiler's own words, with its lines. Exit status 2.
class CompileError : public Error {
public:
    CompileError(const std::filesystem::path& name, std::string log);
    const std::string& log() const noexcept { return log_; }

private:
    std::string log_;
};

// What to do about a header that the compiler did not find; for those of NVIDIA's samples where
// they are.
std::string missing_header(std::string_view header);

struct Compiled {
    std::string ptx;
    std::string log; // warnings, with their lines
};

// `name` stands in messages and in the PTX's line table; its folder is searched for includes,
// unless the options say otherwise. NVRTC reads device code only, so what it refuses goes to nvcc,
// if there is one and the text may hold more. Throws CompileError, or DeviceError with the cure
// when there is no compiler.
Compiled compile_to_ptx(std::string_view text, const std::filesystem::path& name,
                        const CompileOptions& options = {});

// One sentence for `doctor`: which compilers were found, and where.
std::string compilers_found();

} // namespace lanescope::cuda
