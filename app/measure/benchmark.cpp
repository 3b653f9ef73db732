// Setting up every variant and peer on the same input, checking each, then measuring in turns.
#include "app/measure/benchmark.h"

#include <memory>
#include <string>

#include "compute/cuda/measure/peers.h"

namespace lanescope::app {
namespace {

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
        const labs::Check check = experiment.check();
        candidates.emplace_back([&experiment] { experiment.step(); });
        results.push_back(
            {lab.id, variant.id, false, check, size, sized, {}, experiment.work_per_launch()});
    }
    // Peers work on the input of the last variant and are compared as it is.
    labs::Experiment& last = *experiments.back();
    const cuda::Task task{[&last](std::string_view name) { return last.buffer(name); },
                          [&last](std::string_view name) { return last.number(name); }};
    std::vector<std::unique_ptr<cuda::Peer>> peers;
    auto* gpu = dynamic_cast<cuda::CudaDevice*>(&device);
    for (const std::string& name : lab.peers) {
        if (!gpu) break;
        try {
            peers.push_back(cuda::make_peer(name, *gpu, task));
        } catch (const device::DeviceError&) {
            continue; // its library is optional
        }
        cuda::Peer& peer = *peers.back();
        peer.queue();
        const device::Buffer& made = peer.result();
        const auto bytes = device::download<std::byte>(device, made.address(), made.bytes());
        candidates.emplace_back([&peer] { peer.queue(); });
        results.push_back({lab.id,
                           peer.title(),
                           true,
                           last.check(bytes),
                           size,
                           sized,
                           {},
                           last.work_per_launch()});
    }
    const auto times = cuda::measure(device, candidates, {.samples = options.samples});
    for (std::size_t i = 0; i < results.size(); ++i) results[i].time = times[i];
    return results;
}

} // namespace lanescope::app
