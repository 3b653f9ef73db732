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

// Kinds of differences between two engines. A kernel counts once, under its worst difference.
enum class Differs : std::uint8_t {
    nothing,
    grouping, // the same instructions per lane, but lanes reconverged at other places
    counts,
    probed, // results of the counted launch
    plain,  // results of the plain launch
    faults, // outputs, counts or faults of the damaged kernel
    error,
};

// Time spent per phase.
struct KernelSeconds {
    double machine = 0;
    double loading = 0; // compiling and loading plain kernels on the other engine
    double plain = 0;
    double counted = 0; // including loading
    double damaged = 0;
    double explaining = 0; // includes every run that it needs, as does `shrinking`
    double shrinking = 0;
};

struct KernelReport {
    std::array<std::uint64_t, 7> kernels{};         // per kind; without explained ones
    std::uint64_t faulted = 0;                      // damaged kernels that fault alike on both
    std::map<std::string, std::uint64_t> explained; // number of kernels per explanation
    // Seed of a kernel after which this process can no longer use the GPU, so that no other kernel
    // ran. The next process counts it: it explains the kernel or loses the GPU again.
    std::optional<std::uint64_t> lost_at;
    std::optional<std::size_t> lost_by; // the explanation whose attempt lost the GPU, too
    KernelSeconds seconds;
    int differ() const;          // number of unexplained differences
    std::string summary() const; // one line
    std::string table() const;   // one row per outcome
};

struct KernelOptions {
    std::uint64_t seed = 1;
    std::uint64_t count = 1;
    double seconds = 1e9;  // no kernel starts after this time
    std::string out = "."; // folder for kernels that differ
    bool mixed = false;    // mostly small kernels (random_kernels::mixed_size)
    // Also runs each kernel with a defect (random_kernels::damaged), plain and counted. Only for
    // engines that report identical faults and modelled counts.
    bool damaged = false;
    // Set if the first kernel lost the GPU in an earlier process: then the kernel itself does not
    // run, only versions that may explain it. The number of explanations that were tried before and
    // also lost the GPU.
    std::optional<std::size_t> lost{};
    double shrinking_seconds = 60; // time limit for shrinking, after the last kernel
    // A kernel that takes longer counts as endless: it is cancelled, and the GPU is lost. If that
    // hangs too, because the launch's resources cannot be freed, another thread calls `stuck` with
    // the report so far; `stuck` should end the process.
    double patience_seconds = 60;
    std::function<void(const KernelReport&)> stuck{};
};

// Compares the kernels of consecutive seeds. Calls `tell` with a description of each one that
// differs, and again once it is shrunk.
KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
