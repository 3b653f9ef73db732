// Compiling beside the window: the newest text waits for a pause in the typing, is compiled and
// tried, and what came of it is taken by the window when it likes. Nobody waits for anything here.
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

// What the user's kernels are compiled with: of the whole process, and chosen before the first.
cuda::CompileOptions& compile_options();

// Kernels of labs that come as texts or in folders are compiled by compile_text(). `beside`: the
// program, with its arguments, that does it in a process of its own and within walls; empty: this
// process does.
void compile_labs_with_cuda(const std::vector<std::string>& beside = {});

// The only way from a text to PTX, for every command and the window: as compile_options() has it,
// but for an architecture that the file's name says ("…_sm_80.cu"). Headers of the lab are in the
// text already, and its rule has been checked (labs::check_includes); `folder` as for
// labs::Compiler.
cuda::Compiled compile_text(std::string_view text, const std::filesystem::path& name,
                            const std::filesystem::path& folder,
                            const std::vector<std::string>& more_flags = {});

// Folders that the user named in the window, searched after those of compile_options(). From any
// thread.
void search_for_headers_in(std::vector<std::filesystem::path> folders);
// All that are searched, in their order.
std::vector<std::filesystem::path> header_folders();

// The argument at which the program does nothing but this.
constexpr const char* compile_word = "--compile-for-another";
int compile_for_another();

// A version, by the place of its lab and the variant in it.
using VersionKey = std::pair<std::string, std::string>;

struct ValidationJob {
    Shared<labs::Texts> texts;
    std::string variant; // whose text is edited; empty: the first with a file of its own
    TrialStart start;    // as what is shown was started
    bool careful = true; // it is tried on the lockstep machine before it counts as validated
    std::vector<VersionKey> also{}; // to be counted as well
    std::uint64_t compile_now = 0;  // a greater one than before: without a pause
    std::string kernel_file{};      // that the texts were read from; empty: none
    friend bool operator==(const ValidationJob&, const ValidationJob&) = default;
};

struct ValidationResult {
    std::shared_ptr<const TextOutcome> outcome; // never null
    std::shared_ptr<const StepCost> original; // of the variant that the text was made from, or null
    std::map<VersionKey, std::shared_ptr<const StepCost>> costs; // of ValidationJob::also
};

// The pause after the last keystroke for texts that took so long, newest last: as long as two of
// them, but a tenth of a second to a second.
std::chrono::milliseconds pause_after(const std::vector<double>& compile_ms);

// Compiles and tries at once; what Compiling does on its thread. Throws device::Cancelled when the
// trials are cancelled, nothing else.
ValidationResult validate_texts(const ValidationJob& job, Trials& trials);

class Compiling {
public:
    // `news` is called, on the thread, when something is there to be taken.
    explicit Compiling(std::function<void()> news = {});
    ~Compiling(); // what is being compiled is waited for
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

    // Only the newest job counts. The same again does nothing.
    void want(const ValidationJob& job);
    // Nothing is wanted any more.
    void drop();
    // What came of the newest job, once; null: nothing yet.
    std::unique_ptr<const ValidationResult> take();
    // What is being compiled, or waits for the pause.
    std::optional<Shared<labs::Texts>> in_progress() const;
    // Whether the thread is in the compiler or a trial now, and cannot be ended soon.
    bool busy() const;

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

} // namespace lanescope::app
