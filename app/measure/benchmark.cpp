// See benchmark.h.
#include "app/measure/benchmark.h"

#include <memory>
#include <string>

#include "compute/cuda/measure/peers.h"
#include "compute/labs/histogram/stream.h"

namespace lanescope::app {
namespace {

// What NVIDIA's libraries offer for a lab's task; null where they offer nothing, or are not on the
// machine.
std::unique_ptr<cuda::Peer> peer_of(cuda::CudaDevice& gpu, const labs::Lab& lab,
                                    const labs::Values& values, std::uint64_t seed)
{
    if (lab.id == "transpose") {
        try {
            return cuda::make_transpose_peer(gpu, values.integer("size"), values.integer("size"));
        } catch (const device::DeviceError&) {
            return nullptr; // cuBLAS is optional
        }
    }
    if (lab.id == "histogram") {
        const int bins = std::stoi(values.text("bins")); // a choice: its number is not its value
        const auto stream = labs::histogram::make_stream(values.text("source"),
                                                         values.integer("size"), bins, seed, {});
        const bool bytes = stream.sample_bytes == 1;
        return cuda::make_histogram_peer(
            gpu,
            bytes ? std::as_bytes(std::span(stream.bytes)) : std::as_bytes(std::span(stream.words)),
            stream.sample_bytes, bins, bytes ? 256U : static_cast<unsigned>(bins));
    }
    return nullptr;
}

labs::Values values_of(const labs::Lab& lab, const std::map<std::string, std::string>& sized,
                       const std::vector<std::string>& assignments)
{
    labs::Values values(lab);
    for (const auto& [id, text] : sized) values.set(id, text);
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        values.set(std::string_view(assignment).substr(0, equals),
                   equals == std::string::npos ? ""
                                               : std::string_view(assignment).substr(equals + 1));
    }
    return values;
}

} // namespace

std::vector<BenchResult> benchmark(device::Device& device, const labs::Lab& lab,
                                   const std::string& size, const BenchOptions& options)
{
    const auto& sized = size == "l2" ? lab.l2_sized : lab.dram_sized;
    const labs::Values values = values_of(lab, sized, options.assignments);
    device::PlainAllocator plain(device);
    std::vector<std::unique_ptr<labs::Experiment>> experiments;
    std::vector<BenchResult> results;
    std::vector<cuda::Work> candidates;
    for (const labs::Variant& variant : lab.variants) {
        experiments.push_back(lab.start({device, plain, lab, variant, values, options.seed, {}}));
        labs::Experiment& experiment = *experiments.back();
        experiment.step(); // uploads its input
        candidates.emplace_back([&experiment] { experiment.step(); });
        results.push_back({lab.id, variant.id, false, size, sized, {}, experiment.work()});
    }
    std::unique_ptr<cuda::Peer> peer;
    if (auto* gpu = dynamic_cast<cuda::CudaDevice*>(&device))
        peer = peer_of(*gpu, lab, values, options.seed);
    if (peer) {
        candidates.emplace_back([&peer] { peer->queue(); });
        results.push_back({lab.id, peer->name(), true, size, sized, {}, results.front().work});
    }
    const auto times = cuda::measure(device, candidates, {.samples = options.samples});
    for (std::size_t i = 0; i < results.size(); ++i) results[i].time = times[i];
    return results;
}

} // namespace lanescope::app
