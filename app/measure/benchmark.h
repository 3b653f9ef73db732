// Every variant of a lab and its peers, measured in turns (A B A B) at two problem sizes: one that
// fits the L2 cache and one that does not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/cuda/measure/measure.h"
#include "compute/cuda/peers/peers.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

struct BenchResult {
    std::string lab;
    std::string variant; // or the peer's title
    bool is_peer = false;
    labs::Check check; // of a variant against the reference, of a peer against the same
    std::string size;  // "l2" or "dram"
    std::map<std::string, std::string> values; // all parameters of the lab
    cuda::Summary time;                        // of one step of the simulated thing
    labs::Work work;                           // of one step
    std::string library{};                     // of a peer, with its version
    std::string note{};                        // in what the peer is more general than the lab
    std::string played{}; // of a variant of several devices, what they were: "2 GPUs"
    std::map<std::string, double> shape{}; // the numbers that the peer was given
    int steps = 1;                         // of the simulated thing that a launch makes
    std::string rate{};                    // that bounds the lab: Lab::rate

    double gb_per_s() const { return work.bytes / (time.ms.median * 1e6); }
    double giga_items_per_s() const { return work.items / (time.ms.median * 1e6); }
    double gflop_per_s() const { return work.flops / (time.ms.median * 1e6); }
};

// A peer that was not measured.
struct SkippedPeer {
    std::string lab;
    std::string peer;
    std::string reason;
};

struct Benchmark {
    std::vector<BenchResult> results{};
    std::vector<SkippedPeer> left_out{};
    // Of variants that have such a view, at the larger size and each setting of the lab's sweeps.
    std::vector<labs::Timeline> timelines{};
};

struct BenchOptions {
    std::vector<std::string> assignments; // "name=value", over those of the size
    std::uint64_t seed = 1;
};

// What peers and times come from.
struct BenchTools {
    std::function<std::unique_ptr<cuda::Peer>(std::string_view name, const cuda::Task&)> peer;
    std::function<std::vector<cuda::Summary>(std::span<const cuda::Work>)> measure;
};
BenchTools gpu_tools(cuda::CudaDevice& device, int samples);

// Every result is compared with the reference before it is measured. Throws DeviceError on an
// engine without a clock.
Benchmark benchmark(device::Device& device, const labs::Lab& lab, const std::string& size,
                    const BenchOptions& options, const BenchTools& tools);

// result_wrong where any result is.
ExitStatus status_of(const Benchmark& all);

} // namespace lanescope::app
