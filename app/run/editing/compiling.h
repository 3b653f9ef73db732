// Background compilation: waits for a pause in typing, compiles and tries the newest source; the
// window collects the result later. Nothing here blocks the window.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/document/editing/workbench.h"
#include "app/run/editing/trial.h"

namespace lanescope::cuda {
struct Compiled;
struct CompileOptions;
} // namespace lanescope::cuda

namespace lanescope::app {

// Compile options for the user's kernels, process-wide. Set them before the first compilation.
cuda::CompileOptions& compile_options();

// Makes labs that come as texts or in folders use compile_text(). `beside` is the command of a
// compiler process, which runs in a sandbox; empty: this process compiles.
void compile_labs_with_cuda(const std::vector<std::string>& beside = {});

// Lets the compiler process of compile_labs_with_cuda() load the compiler in the background, for a
// command that will compile.
void prepare_compiler();

// Number of idle compiler processes, which wait for the next source.
int idle_compilers();

// Compiles source to PTX, for every command and the window, with compile_options(); an architecture
// in the file's name ("…_sm_80.cu", "…_sm_90a.cu") takes precedence. The source already includes
// the lab's headers, and labs::check_includes has checked it; `folder` as for labs::Compiler.
cuda::Compiled compile_text(std::string_view text, const std::filesystem::path& name,
                            const std::filesystem::path& folder,
                            const std::vector<std::string>& more_flags = {});

// Include folders set in the window, searched after those of compile_options(). Callable from any
// thread.
void search_for_headers_in(std::vector<std::filesystem::path> folders);
// All include folders, in search order.
std::vector<std::filesystem::path> header_folders();

// Argument that makes the program a compiler process.
constexpr const char* compile_word = "--compile-for-another";
int serve_compilations();

// A version: its lab's id and its variant.
using VersionKey = std::pair<std::string, std::string>;

struct ValidationJob {
    Shared<labs::Texts> texts;
    std::string variant; // variant whose source is edited; empty: the first with its own file
    TrialStart start;    // the start of the experiment on screen
    bool careful = true; // if set, sources must run on the lockstep machine to count as validated
    std::vector<VersionKey> also{}; // further versions to count
    std::uint64_t compile_now = 0;  // increase to skip the pause
    std::string kernel_file{};      // file that the sources were read from; empty: none
    friend bool operator==(const ValidationJob&, const ValidationJob&) = default;
};

struct ValidationResult {
    std::shared_ptr<const TextOutcome> outcome; // never null
    std::shared_ptr<const StepCost> original; // cost of the variant the source is based on, or null
    std::map<VersionKey, std::shared_ptr<const StepCost>> costs; // costs of ValidationJob::also
};

// Pause after the last keystroke, from recent compile times (newest last): twice their duration,
// within 0.1 to 1 s.
std::chrono::milliseconds pause_after(const std::vector<double>& compile_ms);

// Compiles and tries synchronously, as Compiling does on its thread. Only throws device::Cancelled,
// when the trials are cancelled.
ValidationResult validate_texts(const ValidationJob& job, Trials& trials);

class Compiling {
public:
    // `news` is called on the thread when a result is ready.
    explicit Compiling(std::function<void()> news = {});
    ~Compiling(); // waits for the compilation in progress
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

    // Only the newest job counts; repeating it has no effect.
    void want(const ValidationJob& job);
    // Drops the current job.
    void drop();
    // Result of the newest job, returned once; null if not ready.
    std::unique_ptr<const ValidationResult> take();
    // Sources being compiled, or waiting for the pause.
    std::optional<Shared<labs::Texts>> in_progress() const;
    // True while the thread is in the compiler or in a trial.
    bool busy() const;

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

} // namespace lanescope::app
