// The compiler in a process of its own and within walls: a text that it hangs on, that takes all
// memory or that ends it costs that process alone, and no text makes it read, write or send
// anything outside. All commands and the window compile here.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/cuda/compile/compile.h"
#include "compute/process/process.h"

namespace lanescope::cuda {

// Enough for a kernel that includes many of CUDA's headers, on a slow laptop.
constexpr std::chrono::seconds max_compile_time{20};
constexpr std::size_t max_compiler_bytes = std::size_t{4} << 30;

// The text asked for a file outside, whose path the message has; of the file itself it has nothing.
class OutsideError : public CompileError {
public:
    using CompileError::CompileError;
};

// The text took the compiler longer than the limit.
class OutOfTimeError : public CompileError {
public:
    using CompileError::CompileError;
};

class CompilerProcess {
public:
    // `command` must be a program that only calls serve_compilations().
    explicit CompilerProcess(std::vector<std::string> command,
                             std::chrono::milliseconds limit = max_compile_time);
    ~CompilerProcess();
    CompilerProcess(const CompilerProcess&) = delete;
    CompilerProcess& operator=(const CompilerProcess&) = delete;

    // As compile_to_ptx(), from any thread. A CompileError also for a text that takes the compiler
    // longer than the limit, or that ends it; an OutsideError for one that asks for a file that is
    // not among readable_headers(options).
    Compiled compile(std::string_view text, const std::filesystem::path& name,
                     const CompileOptions& options);

private:
    enum class By { nvrtc, nvcc };
    struct Waiting {
        std::string key; // of its walls
        std::unique_ptr<Process> process;
    };

    // Nothing where there is no such compiler.
    std::optional<Compiled> ask(By by, std::string_view text, const std::filesystem::path& name,
                                const CompileOptions& options);
    std::unique_ptr<Process> take(const std::string& key);
    void give_back(const std::string& key, std::unique_ptr<Process> process);

    const std::vector<std::string> command_;
    const std::chrono::milliseconds limit_;
    std::mutex mutex_;
    // Idle processes: each compiles one text at a time, and starting one takes as long as compiling
    // a text.
    std::vector<Waiting> waiting_;
};

// The compiler process: compiles texts received through stdin, which must be a socket, and answers
// through it, until it is closed. Returns the exit status of the process.
int serve_compilations();

} // namespace lanescope::cuda
