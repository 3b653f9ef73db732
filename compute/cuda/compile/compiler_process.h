// The compiler in a process of its own: a text that it hangs on, that takes all memory or that ends
// it costs that process alone.
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

// Time enough for a kernel that includes much of CUDA's headers, on a slow laptop.
constexpr std::chrono::seconds max_compile_time{20};
constexpr std::size_t max_compiler_bytes = std::size_t{4} << 30;

class CompilerProcess {
public:
    // `command` is a program that calls serve_compilations() and nothing else.
    explicit CompilerProcess(std::vector<std::string> command,
                             std::chrono::milliseconds limit = max_compile_time);
    ~CompilerProcess();
    CompilerProcess(const CompilerProcess&) = delete;
    CompilerProcess& operator=(const CompilerProcess&) = delete;

    // As compile_to_ptx(), from any thread. A CompileError also for a text that takes the compiler
    // longer than the limit, or that ends it.
    Compiled compile(std::string_view text, const std::filesystem::path& name,
                     const CompileOptions& options);

private:
    std::unique_ptr<Process> take();
    void give_back(std::unique_ptr<Process> process);

    const std::vector<std::string> command_;
    const std::chrono::milliseconds limit_;
    std::mutex mutex_;
    // Each compiles one text at a time, and starting one takes as long as a text.
    std::vector<std::unique_ptr<Process>> waiting_;
};

// The other side: compiles what comes through stdin, which must be a socket, and answers through
// it, until it is closed. The exit status of the process.
int serve_compilations();

} // namespace lanescope::cuda
