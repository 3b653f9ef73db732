// CUDA C++ to PTX while the program runs: by NVRTC where its library is found, by nvcc where that
// is installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compute/error.h"
#include "compute/process/walls.h"

namespace lanescope {
class FileView;
} // namespace lanescope

namespace lanescope::cuda {

class Nvrtc;

struct CompileOptions {
    std::string architecture = "compute_75";
    // The text's, searched for headers first; empty where it is from no folder.
    std::filesystem::path own_folder{};
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

// `name` is in messages and in the PTX's line table. NVRTC reads device code only, so what it
// refuses goes to nvcc, if there is one and the text may hold more. Throws CompileError, or
// DeviceError with the cure when there is no compiler. In this process and without walls: a
// stranger's text goes to a CompilerProcess.
Compiled compile_to_ptx(std::string_view text, const std::filesystem::path& name,
                        const CompileOptions& options = {});

// The two compilers alone. They throw CompileError.
Compiled compile_by_nvrtc(const Nvrtc& nvrtc, std::string_view text,
                          const std::filesystem::path& name, const CompileOptions& options);

// nvcc writes to `folder` alone. Without `walls` it is as free as this process.
Compiled compile_by_nvcc(const std::filesystem::path& nvcc, std::string_view text,
                         const std::filesystem::path& name, const CompileOptions& options,
                         const std::filesystem::path& folder, const Walls* walls = nullptr,
                         FileView* view = nullptr);

// What nvcc may read where NVRTC does not: host code, and the headers that it needs. A kernel alone
// is as wrong for the one as for the other, and nvcc takes half a second to say so again.
bool may_need_nvcc(std::string_view text);
[[noreturn]] void throw_no_compiler(const std::filesystem::path& name);

// Headers that a text with these options may read: the toolkits', those of its own folder, and what
// the options name.
std::vector<std::filesystem::path> readable_headers(const CompileOptions& options);
// What nvcc, the host's compiler and they alone need besides; writable is `folder`.
Walls walls_for_nvcc(const std::filesystem::path& nvcc, const CompileOptions& options,
                     const std::filesystem::path& folder);

// One sentence for `doctor`: which compilers were found, and where.
std::string compilers_found();

} // namespace lanescope::cuda
