// Random kernels on two engines: results and counts, explanations of differences, and the smallest
// kernel that still differs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compute/device/device.h"
#include "tests/random_kernels/program.h"

namespace lanescope::conformance {

// Kinds of differences between two engines; only the worst one of a kernel is counted.
enum class Differs : std::uint8_t {
    nothing,
    grouping, // same instructions per lane, but lanes reconverged elsewhere
    counts,
    probed, // results of the counted launch
    plain,  // results of the plain launch
    faults, // outputs, counts or faults of the damaged kernel
    error,
};

// Time spent per phase.
struct KernelSeconds {
    double machine = 0;
    double loading = 0; // the other engine's plain kernels
    double plain = 0;
    double counted = 0; // including loading
    double damaged = 0;
    double explaining = 0; // including every run that it needs; the same for shrinking
    double shrinking = 0;
};

struct KernelReport {
    std::array<std::uint64_t, 7> kernels{};         // per Differs, without explained ones
    std::uint64_t faulted = 0;                      // damaged kernels with the same fault on both
    std::map<std::string, std::uint64_t> explained; // per explanation
    // The kernel that failed so badly that this process cannot use the GPU any more; no kernel ran
    // after it. It is counted by the next process, which explains it or fails on it again.
    std::optional<std::uint64_t> lost_at;
    std::optional<std::size_t> lost_by; // attempted explanation that lost it too
    KernelSeconds seconds;
    int differ() const;          // unexplained ones
    std::string summary() const; // one line
    std::string table() const;   // one row per outcome
};

struct KernelOptions {
    std::uint64_t seed = 1;
    std::uint64_t count = 1;
    double seconds = 1e9;  // no kernel starts after this time
    std::string out = "."; // folder for kernels that differ
    bool mixed = false;    // mostly small kernels (random_kernels::mixed_size)
    // Also runs each kernel with a defect (random_kernels::damaged), plain and counted: for engines
    // that report identical faults, models included.
    bool damaged = false;
    // Set if the first kernel lost the GPU in an earlier process: only its explanation is searched
    // for, and the kernel itself does not run. This many explanations were tried before and lost
    // the GPU too.
    std::optional<std::size_t> lost{};
    double shrinking_seconds = 60; // time limit for shrinking, after the last kernel
    // A kernel that takes longer counts as endless: it is cancelled, and the GPU is lost. If even
    // that hangs because its resources cannot be freed, another thread calls `stuck` with the
    // report so far; `stuck` should end the process.
    double patience_seconds = 60;
    std::function<void(const KernelReport&)> stuck{};
};

// Compares the kernels of the seeds from `seed` on. Calls `tell` for each one that differs, and
// again when it is shrunk.
KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
