// The caches follow the launch once it has ended, so that a launch that runs again is not counted
// twice.
#include "app/commands/shared/caches.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "compute/caches/replay.h"
#include "compute/counting/gpus.h"
#include "compute/error.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/sum.h"

namespace lanescope::app {

CLI::Option* add_caches_option(CLI::App& command, CachesChoice& choice)
{
    return command
        .add_flag("--caches{cold}", choice.before,
                  "Show which level serves each sector of global memory: L1, L2 or DRAM of the "
                  "simulated GPU (--gpu, else an H100). --caches=cold (default) starts with empty "
                  "caches, --caches=warm after the same launch")
        ->check(CLI::IsMember({"cold", "warm"}));
}

std::string device_of(const CachesChoice& choice, const std::string& device)
{
    return choice.wanted() && device == "auto" ? "simt" : device;
}

CacheRecording::CacheRecording(const CachesChoice& choice, device::Device& device)
    : choice_(choice), device_(device)
{
    if (!choice.wanted()) return;
    auto* const machine = dynamic_cast<simt::SimtDevice*>(&device);
    if (machine == nullptr)
        throw Error(ExitStatus::bad_usage, "--caches is a model of the lockstep machine.",
                    "Use it with --device simt.");
    launches_ = std::make_unique<caches::Recordings>();
    machine->record_accesses(launches_.get());
}

CacheRecording::~CacheRecording()
{
    if (launches_) dynamic_cast<simt::SimtDevice&>(device_).record_accesses(nullptr);
}

namespace {

// Adds the sectors of a launch to the same sites of the trace.
void add_launch(std::vector<caches::Served>& sums, const trace::Trace& trace,
                const caches::Recording& launch, const std::vector<caches::Served>& served)
{
    for (std::size_t i = 0; i < served.size(); ++i) {
        const std::size_t at = trace::place_of(launch.sites[i], trace.sites, i);
        if (at < sums.size()) sums[at] += served[i];
    }
}

} // namespace

std::unique_ptr<CacheReport> CacheRecording::report(const trace::Trace& trace) const
{
    if (!launches_) return nullptr;
    auto report = std::make_unique<CacheReport>();
    const counting::Gpu& gpu = counting::simulated_gpu();
    report->gpu = gpu.name;
    report->before = choice_.before;
    report->sizes = caches::sizes_of(gpu);
    report->launches = launches_->size();
    if (launches_->overflow()) {
        report->unavailable = fmt::format("The launch makes more accesses than are recorded ({} "
                                          "million lines). Choose a smaller size.",
                                          caches::Recordings::max_words >> 20);
        return report;
    }
    const caches::Result result = caches::replay(
        *launches_, gpu, choice_.before == "warm" ? caches::Before::warm : caches::Before::cold);
    report->fit = result.fit;
    report->traffic = result.traffic;
    report->sites.resize(trace.sites.size());
    for (std::size_t i = 0; i < launches_->size(); ++i)
        add_launch(report->sites, trace, (*launches_)[i], result.launches[i]);
    return report;
}

} // namespace lanescope::app
