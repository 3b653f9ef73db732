// Options that several commands share, parsed once: the engine, parameter values, steps and seed;
// and LAB/VARIANT.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/labs/lab.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

struct CommonOptions {
    std::string device = "auto";          // "auto", "cuda" or "simt"
    std::vector<std::string> assignments; // "name=value"
    std::optional<std::int64_t> steps;
    std::uint64_t seed = 1;
    std::string image;                  // for labs that take one; empty: a generated one
    bool validates = true;              // what came from elsewhere, on the CPU before it runs
    std::optional<double> time_limit_s; // --time-limit
    double validation_limit_s() const { return time_limit_s.value_or(2); }
    // 0: none. One launch of a kernel from elsewhere on the lockstep machine: it may depend on what
    // earlier steps wrote, so that its first step says nothing of how long others take.
    double launch_limit_s(const labs::Lab& lab) const;
};

// Adds --device to the command.
void add_device_option(CLI::App& command, std::string& device);

// Adds --device, --set, --steps, --seed and --image to the command.
void add_common_options(CLI::App& command, CommonOptions& options);

// Adds --request SITE[,WARP[,OCCURRENCE]], which parse_request() reads.
CLI::Option* add_request_option(CLI::App& command, std::string& request);

// Whether counts are to be those of the GPU's own code as well.
struct SassChoice {
    std::string architecture; // "sm_90"; "true": of the GPU at hand, or the default; empty: no
    std::string reconverge;   // "sass", "ptx"; empty: as the counts

    bool counts() const { return !architecture.empty(); }
    bool meets() const { return reconverge.empty() ? counts() : reconverge == "sass"; }
    std::string target() const; // the architecture that is meant
};
// Adds --sass[=ARCH] and --reconverge; gives --sass.
CLI::Option* add_sass_options(CLI::App& command, SassChoice& choice);

// Adds what a .cu is compiled with to the command: -I, -D, --arch, --std, -O and --flag. They go
// into compile_options().
void add_compiler_options(CLI::App& command);

// Those of add_common_options that concern what came from elsewhere: --no-validation, --time-limit
// and those of the compiler.
void add_validation_options(CLI::App& command, CommonOptions& options);

// Adds --most-steps: how many steps of a session are run again without being asked. Sessions come
// from others, and one of 10^12 steps would keep a machine busy for ever.
void add_most_steps_option(CLI::App& command, std::int64_t& max_steps);
constexpr std::int64_t default_most_steps = 1'000'000;

// Throws Error (bad_usage) when a session of so many steps is more than that.
void require_few_steps(std::int64_t steps, std::int64_t max_steps);

// A lab and, when the text names one, a variant of it.
struct Target {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr; // null: none named
};

// Reads "LAB" or "LAB/VARIANT", where LAB is a lab's id, a folder with a lab.json, which is read
// then, or a file with kernels (.cu, .ptx), for which a record is guessed: what was left out is
// told on stderr. Throws Error (no_such_thing) that lists what there is.
Target find_target(std::string_view text);

// The variants that the target means: the named one, or all of the lab.
std::vector<const labs::Variant*> variants_of(const Target& target);

// The lab's initial values changed by "name=value" texts. Throws Error (bad_usage).
labs::Values values_from(const labs::Lab& lab, std::span<const std::string> assignments);

} // namespace lanescope::app
