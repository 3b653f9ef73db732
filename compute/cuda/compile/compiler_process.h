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

// Time enough for a kernel that includes much of CUDA's headers, on a slow laptop.
constexpr std::chrono::seconds longest_compilation{20};
constexpr std::size_t most_compiler_bytes = std::size_t{4} << 30;

// The text asked for a file outside, whose path the message has; of the file itself it has nothing.
class OutsideError : public CompileError {
public:
    using CompileError::CompileError;
};

class CompilerProcess {
public:
    // `command` is a program that calls compile_for_another() and nothing else.
    explicit CompilerProcess(std::vector<std::string> command,
                             std::chrono::milliseconds limit = longest_compilation);
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
    // Each compiles one text at a time, and starting one takes as long as a text.
    std::vector<Waiting> waiting_;
};

// The other side: compiles what comes through stdin, which must be a socket, and answers through
// it, until it is closed. The exit status of the process.
int compile_for_another();

} // namespace lanescope::cuda
