// Compiles in a separate, sandboxed process: source that hangs the compiler, crashes it or exhausts
// its memory ends only that process, and no source can make it read, write or send anything
// outside. All commands and the window compile here.
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

// The source requested a file outside the sandbox. The message has the file's path, but nothing of
// its contents.
class OutsideError : public CompileError {
public:
    using CompileError::CompileError;
};

// Compiling the source took longer than the limit.
class TimeoutError : public CompileError {
public:
    using CompileError::CompileError;
};

class CompilerProcess {
public:
    // `command` must be a program that only calls serve_compilations().
    explicit CompilerProcess(std::vector<std::string> command,
                             std::chrono::milliseconds limit = max_compile_time);
    // Kills the processes without waiting for them.
    ~CompilerProcess();
    CompilerProcess(const CompilerProcess&) = delete;
    CompilerProcess& operator=(const CompilerProcess&) = delete;

    // Starts a process that loads the compiler ahead of the first compile().
    void prepare();

    // Like compile_to_ptx(), from any thread. Also throws CompileError for source that exceeds the
    // time limit or crashes the compiler, and OutsideError for source that requests a file not
    // among readable_headers(options).
    Compiled compile(std::string_view text, const std::filesystem::path& name,
                     const CompileOptions& options);

    // Number of processes kept for later sources; at most four.
    int idle();

private:
    enum class By { nvrtc, nvcc };
    struct Waiting {
        std::string key; // identifies its sandbox settings
        std::unique_ptr<Process> process;
    };

    // nullopt if that compiler is not installed.
    std::optional<Compiled> ask(By by, std::string_view text, const std::filesystem::path& name,
                                const CompileOptions& options);
    std::unique_ptr<Process> take(const std::string& key);
    std::unique_ptr<Process> start() const;
    void give_back(const std::string& key, std::unique_ptr<Process> process);

    const std::vector<std::string> command_;
    const std::chrono::milliseconds limit_;
    std::mutex mutex_;
    // Idle processes: each compiles one source at a time, and starting one takes as long as
    // compiling one.
    std::vector<Waiting> waiting_;
};

// The compiler process: compiles sources received through stdin, which must be a socket, and
// answers through it, until it is closed. Returns the exit status of the process.
int serve_compilations();

} // namespace lanescope::cuda
