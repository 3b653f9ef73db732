// Measures every variant of a lab and its peers, interleaved (A B A B), at two problem sizes: one
// that fits the L2 cache and one that does not.
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
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct BenchResult {
    std::string lab;
    std::string variant; // a variant's id, or the peer's title
    bool is_peer = false;
    labs::Check check;                         // against the reference, for variants and peers
    std::string size;                          // "l2" or "dram"
    std::map<std::string, std::string> values; // all parameters of the lab
    cuda::Summary time;                        // per simulation step
    labs::Work work;                           // per step
    std::string library{};                     // peer's library with its version
    std::string note{};                        // how the peer is more general than the lab's
                                               // kernels
    std::string device_names{};                // devices of a multi-device variant: "2 GPUs"
    std::map<std::string, double> shape{};     // numbers that the record passes to the peer
    int steps = 1;                             // simulation steps per launch
    std::string rate{};                        // rate that limits the lab: Lab::rate

    double gb_per_s() const { return work.bytes / (time.ms.median * 1e6); }
    double giga_items_per_s() const { return work.items / (time.ms.median * 1e6); }
    double gflop_per_s() const { return work.flops / (time.ms.median * 1e6); }
};

// A peer that could not be measured.
struct SkippedPeer {
    std::string lab;
    std::string peer;
    std::string reason;
};

struct Benchmark {
    std::vector<BenchResult> results{};
    std::vector<SkippedPeer> left_out{};
    // Timelines of variants with a timeline view, at the larger size and at each setting of the
    // lab's sweeps.
    std::vector<labs::Timeline> timelines{};
};

struct BenchOptions {
    std::vector<std::string> assignments; // "name=value", overriding the size's values
    std::uint64_t seed = 1;
};

// Where peers and times come from.
struct BenchTools {
    std::function<std::unique_ptr<cuda::Peer>(std::string_view name, const cuda::Task&)> peer;
    std::function<std::vector<cuda::Summary>(std::span<const cuda::Work>)> measure;
};
BenchTools gpu_tools(cuda::CudaDevice& device, int samples);

// Compares every result with the reference before measuring it. Throws DeviceError on an engine
// without a clock.
Benchmark benchmark(device::Device& device, const labs::Lab& lab, const std::string& size,
                    const BenchOptions& options, const BenchTools& tools);

// result_wrong if any result is wrong.
ExitStatus status_of(const Benchmark& all);

} // namespace lanescope::app
