// Random kernels on two engines: bits and counts, what explains a difference, and the smallest
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

// In what two engines may differ; only the worst of a kernel is counted.
enum class Differs : std::uint8_t {
    nothing,
    grouping, // lanes ran the same instructions, but not together: they met elsewhere
    counts,
    probed, // what the counted launch has computed
    plain,  // what the plain launch has computed
    faults, // of the kernel with a mistake: outputs, counts or faults
    error,
};

// Where the time went.
struct KernelSeconds {
    double machine = 0;
    double loading = 0; // what the other engine's plain launches run
    double plain = 0;
    double counted = 0; // loading what it runs, too
    double damaged = 0;
    double explaining = 0; // with all that is run for it, as in shrinking
    double shrinking = 0;
};

struct KernelReport {
    std::array<std::uint64_t, 7> kernels{}; // by Differs, but for those that are explained
    std::uint64_t faulted = 0;              // damaged ones that ran into a fault, the same on both
    std::map<std::string, std::uint64_t> explained; // by what explains them
    // The kernel that failed in such a way that this process cannot use the GPU again: none was
    // run behind it. It is counted by the process that is told so, or fails by it again.
    std::optional<std::uint64_t> lost_at;
    std::optional<std::size_t> lost_by; // what was tried to explain that has lost it, too
    KernelSeconds seconds;
    int differ() const;          // without an explanation
    std::string summary() const; // a line
    std::string table() const;   // a row for each way in which a kernel can end
};

struct KernelOptions {
    std::uint64_t seed = 1;
    std::uint64_t count = 1;
    double seconds = 1e9;  // after so many no other kernel is begun
    std::string out = "."; // where what differs is left
    bool mixed = false;    // most of them small (random_kernels::mixed_size)
    // Each kernel runs once more with a mistake in it (random_kernels::damaged), plain and counted:
    // for engines that tell the same faults in the same words, models included.
    bool damaged = false;
    // The first kernel has lost the GPU to an earlier process: it is only looked for what explains
    // that, and is not run as it is. So many explanations were tried before, and lost it, too.
    std::optional<std::size_t> lost{};
    double shrinking_seconds = 60; // then, behind the last kernel, nothing more is made smaller
    // A kernel that takes longer does not end: it is given up, and has lost the GPU. Where not even
    // that ends, since what it used cannot be freed, `stuck` is called with the report so far, by
    // another thread: it had better end the process.
    double patience_seconds = 60;
    std::function<void(const KernelReport&)> stuck{};
};

// Those of the seeds from `seed` on. Calls `tell` with each that differs, and again when it is
// shrunk.
KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
