// The caches follow the launch once it has ended, so that a launch that runs again is not counted
// twice.
#include "app/commands/shared/caches.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "compute/assembled/tools.h"
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

CLI::Option* add_time_option(CLI::App& command, CachesChoice& choice)
{
    return command.add_flag(
        "--time", choice.time,
        "Predict the launch's time on the simulated GPU (--gpu, else an H100), and what limits it. "
        "The caches are those of --caches; without it, as the same launch left them. Needs ptxas "
        "and nvdisasm, but no GPU");
}

bool meets_as_sass(const SassChoice& sass, const CachesChoice& choice)
{
    return sass.meets() || (choice.time && sass.reconverge.empty());
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
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is a model of the lockstep machine.",
                                choice.shown() ? "--caches" : "--time"),
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
    report->before = choice_.contents();
    report->sizes = caches::sizes_of(gpu);
    report->launches = launches_->size();
    if (launches_->overflow()) {
        report->unavailable = fmt::format("The launch makes more accesses than are recorded ({} "
                                          "million lines). Choose a smaller size.",
                                          caches::Recordings::max_words >> 20);
        return report;
    }
    const caches::Result result = caches::replay(
        *launches_, gpu, report->before == "warm" ? caches::Before::warm : caches::Before::cold);
    report->fit = result.fit;
    report->traffic = result.traffic;
    report->sites.resize(trace.sites.size());
    for (std::size_t i = 0; i < launches_->size(); ++i)
        add_launch(report->sites, trace, (*launches_)[i], result.launches[i]);
    return report;
}

std::unique_ptr<TimeReport> CacheRecording::time(const trace::Trace& trace,
                                                 const CacheReport* caches, std::string_view ptx,
                                                 std::string_view kernel) const
{
    if (!choice_.time || caches == nullptr) return nullptr;
    auto report = std::make_unique<TimeReport>();
    const counting::Gpu& gpu = counting::simulated_gpu();
    report->gpu = gpu.name;
    report->before = caches->before;
    report->unavailable = caches->unavailable;
    if (launches_->size() != 1)
        report->unavailable =
            fmt::format("The step makes {} launches; the time of a single launch can be predicted.",
                        launches_->size());
    if (!report->unavailable.empty()) return report;
    try {
        const auto sass = assembled::assemble(ptx, gpu.architecture());
        const assembled::SassFunction* const function = sass->find(kernel);
        if (function == nullptr) {
            report->unavailable = fmt::format("The SASS has no kernel {}.", kernel);
            return report;
        }
        fill_time(*report, *function, gpu,
                  {trace, launches_->front(), caches->sites, caches->traffic});
    } catch (const Error& error) {
        report->unavailable = error.what();
    }
    return report;
}

} // namespace lanescope::app
