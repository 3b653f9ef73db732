// Every variant of a lab and its peers, measured in turns (A B A B) at two problem sizes: one that
// fits the L2 cache and one that does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compute/cuda/measure/measure.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

struct BenchResult {
    std::string lab;
    std::string variant; // or the peer's name
    bool is_peer = false;
    labs::Check check; // of a variant against the reference, of a peer against the same
    std::string size;  // "l2" or "dram"
    std::map<std::string, std::string> values; // the lab's parameters of that size
    cuda::Summary time;                        // of one step
    labs::Work work;                           // of one step

    double gb_per_s() const { return work.bytes / (time.median_ms * 1e6); }
    double giga_items_per_s() const { return work.items / (time.median_ms * 1e6); }
};

struct BenchOptions {
    std::vector<std::string> assignments; // "name=value", over those of the size
    std::uint64_t seed = 1;
    int samples = 30;
};

// Throws DeviceError on an engine without a clock.
std::vector<BenchResult> benchmark(device::Device& device, const labs::Lab& lab,
                                   const std::string& size, const BenchOptions& options);

} // namespace lanescope::app
