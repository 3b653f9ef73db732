// Options shared by several commands: LAB/VARIANT, engine, parameter values, steps and seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/session/session.h"
#include "compute/experiment/lab/lab.h"

namespace CLI {
class App;
class Option;
class Validator;
} // namespace CLI

namespace lanescope::app {

struct CommonOptions {
    std::string device = "auto";          // "auto", "cuda" or "simt"
    std::vector<std::string> assignments; // "name=value"
    std::optional<std::int64_t> steps;
    std::uint64_t seed = 1;
    std::string image;                  // for labs that use one; empty: a generated image
    bool validates = true;              // validates external labs and kernels on the CPU before
                                        // they run
    std::optional<double> time_limit_s; // --time-limit
    double validation_limit_s() const { return time_limit_s.value_or(2); }
    // Time limit of a launch on the lockstep machine; 0: none. Applies to each launch of an
    // external kernel, since later steps may take longer than the validated first one.
    double launch_limit_s(const labs::Lab& lab) const;
};

// Adds --gpu, the GPU that the lockstep machine simulates; its architecture is the default of
// --arch. `device`, if given, becomes "simt" where it was "auto". Throws Error (bad_usage) while
// options are parsed if --arch is newer than that GPU, or --device is cuda.
void add_gpu_option(CLI::App& command, std::string* device = nullptr);

// Simulates the GPU that a session names, unless --gpu named another; a session with the engine
// "auto" then runs on simt. Throws Error (bad_usage) for an unknown name.
void simulate_gpu_of(Session& session);

// Adds --device and --gpu to the command.
void add_device_option(CLI::App& command, std::string& device);

// Accepts numbers in this range; refuses NaN.
CLI::Validator number_between(double lowest, double highest);
// Accepts the range of a 64-bit unsigned integer; CLI11 alone would wrap "-1" around.
CLI::Validator unsigned_number();

// Adds --device, --set, --steps, --seed and --image to the command.
void add_common_options(CLI::App& command, CommonOptions& options);

// Adds --request SITE[,WARP[,OCCURRENCE]], which parse_request() reads.
CLI::Option* add_request_option(CLI::App& command, std::string& request);

// Whether SASS is counted as well, and where diverged lanes reconverge.
struct SassChoice {
    std::string architecture; // "sm_90"; "true": the GPU's, or the default; empty: off
    std::string reconverge;   // "sass", "ptx"; empty: "sass" if SASS is counted

    bool counts() const { return !architecture.empty(); }
    bool meets() const { return reconverge.empty() ? counts() : reconverge == "sass"; }
    std::string target() const; // the resolved architecture
};
// Adds --sass[=ARCH] and --reconverge; returns --sass.
CLI::Option* add_sass_options(CLI::App& command, SassChoice& choice);

// Adds the compiler options of a .cu file: -I, -D, --arch, --std, -O and --flag. They are stored in
// compile_options().
void add_compiler_options(CLI::App& command);

// Adds the options for external labs and kernels: --no-validation, --time-limit and the compiler's.
void add_validation_options(CLI::App& command, CommonOptions& options);

// Adds --most-steps, the max number of session steps to replay. Sessions come from other people,
// and one of 10^12 steps would keep a machine busy forever.
void add_most_steps_option(CLI::App& command, std::int64_t& max_steps);
constexpr std::int64_t default_most_steps = 1'000'000;

// Throws Error (bad_usage) if a session has more than `max_steps` steps.
void require_few_steps(std::int64_t steps, std::int64_t max_steps);

// A lab and, when the text names one, a variant of it.
struct Target {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr; // null if none was named
};

// Resolves "LAB" or "LAB/VARIANT", where LAB is a lab's id, a folder with a lab.json, which is
// read, or a file with kernels (.cu, .ptx), for which a record is guessed; omitted kernels are
// reported on stderr. Throws Error (no_such_thing) that lists the existing names.
Target find_target(std::string_view text);

// The named variant, or all variants of the lab.
std::vector<const labs::Variant*> variants_of(const Target& target);

// The lab's initial values with "name=value" texts applied. Throws Error (bad_usage).
labs::Values values_from(const labs::Lab& lab, std::span<const std::string> assignments);

} // namespace lanescope::app
