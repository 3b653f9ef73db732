// Compiles CUDA C++ to PTX at run time: with NVRTC if its library is found, or with nvcc if it is
// installed.
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
    // Folder of the source, searched for headers first; empty if the source has none.
    std::filesystem::path own_folder{};
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

// Cure for a header that the compiler didn't find. For headers of NVIDIA's
// samples, it says where to get them.
std::string missing_header(std::string_view header);

struct Compiled {
    std::string ptx;
    std::string log; // warnings, with their lines
};

// `name` appears in messages and in the PTX's line table. NVRTC compiles device code only, so
// source that it refuses goes to nvcc, if that is installed and the source may contain host code.
// Throws CompileError, or DeviceError with a fix if there is no compiler. Compiles in this
// process without a sandbox: use a CompilerProcess for untrusted sources.
Compiled compile_to_ptx(std::string_view text, const std::filesystem::path& name,
                        const CompileOptions& options = {});

// The two compilers individually. They throw CompileError.
Compiled compile_with_nvrtc(const Nvrtc& nvrtc, std::string_view text,
                            const std::filesystem::path& name, const CompileOptions& options);

// nvcc's output goes to `folder`. `walls`: sandbox for nvcc; null: none.
Compiled compile_with_nvcc(const std::filesystem::path& nvcc, std::string_view text,
                           const std::filesystem::path& name, const CompileOptions& options,
                           const std::filesystem::path& folder, const Walls* walls = nullptr,
                           FileView* view = nullptr);

// True if nvcc may accept source that NVRTC refused: source with host code or headers. A plain
// kernel fails in both compilers, and nvcc would take another half second to report it.
bool may_need_nvcc(std::string_view text);
[[noreturn]] void throw_no_compiler(const std::filesystem::path& name);

// Headers that source with these options may read: those of the toolkits and of its own folder, and
// those that the options name.
std::vector<std::filesystem::path> readable_headers(const CompileOptions& options);
// The sandbox for nvcc and the host compiler, in which only `folder` is writable.
Walls walls_for_nvcc(const std::filesystem::path& nvcc, const CompileOptions& options,
                     const std::filesystem::path& folder);

// One sentence for `doctor`: the compilers found, and where.
std::string compilers_found();

} // namespace lanescope::cuda
