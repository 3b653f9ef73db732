// Runs the compiler in a separate process: a text that makes it hang, exhaust memory or crash only
// affects that process.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compute/cuda/compile/compile.h"
#include "compute/process/process.h"

namespace lanescope::cuda {

// Enough for a kernel that includes many of CUDA's headers, on a slow laptop.
constexpr std::chrono::seconds longest_compilation{20};
constexpr std::size_t most_compiler_bytes = std::size_t{4} << 30;

class CompilerProcess {
public:
    // `command` must be a program that only calls compile_for_another().
    explicit CompilerProcess(std::vector<std::string> command,
                             std::chrono::milliseconds limit = longest_compilation);
    ~CompilerProcess();
    CompilerProcess(const CompilerProcess&) = delete;
    CompilerProcess& operator=(const CompilerProcess&) = delete;

    // Like compile_to_ptx(), thread-safe. Also throws CompileError for a text that exceeds the
    // compiler's time limit or crashes it.
    Compiled compile(std::string_view text, const std::filesystem::path& name,
                     const CompileOptions& options);

private:
    std::unique_ptr<Process> take();
    void give_back(std::unique_ptr<Process> process);

    const std::vector<std::string> command_;
    const std::chrono::milliseconds limit_;
    std::mutex mutex_;
    // Idle processes: each compiles one text at a time, and starting one takes as long as compiling
    // a text.
    std::vector<std::unique_ptr<Process>> waiting_;
};

// The compiler process: compiles texts received through stdin, which must be a socket, and answers
// through it, until it is closed. Returns the exit status of the process.
int compile_for_another();

} // namespace lanescope::cuda
