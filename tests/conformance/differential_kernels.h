// Random kernels on two engines: bits and counts, and the smallest kernel that still differs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compute/device/device.h"
#include "tests/random_kernels/program.h"

namespace lanescope::conformance {

struct KernelOptions {
    std::uint64_t seed = 1;
    std::uint64_t count = 1;
    double seconds = 1e9;  // after so many no other kernel is begun
    std::string out = "."; // where what differs is left
};

// In what two engines may differ; only the worst of a kernel is counted.
enum class Differs : std::uint8_t {
    nothing,
    grouping, // lanes ran the same instructions, but not together: they met elsewhere
    counts,
    probed, // what the counted launch has computed
    plain,  // what the plain launch has computed
    error,
};

struct KernelReport {
    std::array<std::uint64_t, 6> kernels{}; // by Differs
    // The kernel that failed in such a way that this process cannot use the GPU again: none was
    // run behind it.
    std::optional<std::uint64_t> lost_at;
    int differ() const; // but for grouping
    std::string summary() const;
};

// Of one kernel; `text` says what.
Differs compare(device::Device& machine, device::Device& other,
                const random_kernels::RandomKernel& kernel, std::string& text);

// Those of the seeds from `seed` on. Calls `tell` with each that differs, when it is shrunk.
KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
