// The GPUs that the lockstep machine can simulate. Device attributes, limits, compilers and
// messages all describe the simulated GPU by its row of gpus.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compute/counting/occupancy.h"

namespace lanescope::counting {

// Shared memory per block that a kernel can use without opting in; the same on every GPU.
constexpr int shared_bytes_without_opt_in = 49152;

// Sources of all values are in gpus.def.
struct Gpu {
    std::string_view name;    // "RTX 4090"
    std::string_view product; // "NVIDIA GeForce RTX 4090"
    int compute_major = 0;
    int compute_minor = 0;
    int multiprocessors = 0;
    int clock_khz = 0;              // highest boost clock
    int fp32_per_fp64 = 0;          // FP32 throughput / FP64 throughput
    int l1_bytes = 0;               // per multiprocessor, including shared memory
    int l2_bytes = 0;               // as the driver reports it
    int persisting_l2_bytes = 0;    // maximum that can be set aside; 0: none
    std::uint64_t memory_bytes = 0; // nominal
    int memory_bus_bits = 0;        // width
    int memory_clock_khz = 0;       // two transfers per cycle
    double memory_gb_per_s = 0;     // peak
    int copy_engines = 0;           // for copies that overlap with kernels
    bool ecc = false;               // memory errors are corrected

    // Limits of its multiprocessors and blocks.
    const MultiprocessorLimits& limits() const;
    int capability() const { return 10 * compute_major + compute_minor; } // 89
    std::string architecture() const;                                     // "sm_89"
    std::string with_article() const;                                     // "an RTX 4090"
};

std::span<const Gpu> gpus();

// Ignores case, punctuation, and words that NVIDIA puts before the name: "rtx4090", "RTX 4090",
// "GeForce RTX 4090" and "4090" are the same GPU. Throws Error (bad_usage) that lists all GPUs.
const Gpu& gpu_named(std::string_view name);

// The GPU chosen for this process, or null. Thread-safe.
const Gpu* chosen_gpu();
void choose_gpu(const Gpu& gpu);
// The chosen GPU, else an H100.
const Gpu& simulated_gpu();

} // namespace lanescope::counting
