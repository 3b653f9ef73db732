// The caches follow the launches once these have ended, so that a launch that runs again is not
// counted twice.
#include "app/measure/model/followed_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compute/error.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/sum.h"

namespace lanescope::app {
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

// A step of several launches has the warps of the first launch that stored the picture,
// added up over launches of the same kernel and shape. Their sectors say which these are.
struct Candidate {
    std::vector<caches::Served> warps{};
    std::uint64_t sectors = 0;

    void add(const caches::Recording& launch, const std::vector<caches::Served>& served)
    {
        warps.resize(std::max(warps.size(), served.size()));
        for (std::size_t i = 0; i < served.size(); ++i) warps[i] += served[i];
        for (std::size_t i = 0; i < launch.sites.size() && i < launch.counts.size(); ++i)
            sectors += launch.counts[i].sectors;
    }
};

bool same_shape(const caches::Recording& a, const caches::Recording& b)
{
    return a.kernel == b.kernel && a.grid == b.grid && a.block == b.block;
}

std::vector<Candidate> candidates(const caches::Recordings& launches,
                                  const std::vector<std::vector<caches::Served>>& served)
{
    std::vector<Candidate> all(1);
    for (std::size_t i = 0; i < launches.size(); ++i)
        if (same_shape(launches[i], launches.front())) all.front().add(launches[i], served[i]);
    for (std::size_t i = 1; i < launches.size(); ++i)
        if (!same_shape(launches[i], launches.front()))
            all.emplace_back().add(launches[i], served[i]);
    return all;
}

// Sums by warp as in the trace; empty if they cannot be assigned.
std::vector<caches::Served> warps_of(const trace::Trace& trace, const caches::Recordings& launches,
                                     const std::vector<std::vector<caches::Served>>& served)
{
    if (trace.device_launches != 0) { // the warps of all launches follow one another
        std::vector<caches::Served> warps;
        for (const auto& launch : served) warps.insert(warps.end(), launch.begin(), launch.end());
        return warps.size() == trace.warps.size() ? warps : std::vector<caches::Served>();
    }
    std::uint64_t sectors = 0;
    for (const trace::WarpCounts& warp : trace.warps) sectors += warp.global_sectors;
    for (Candidate& one : candidates(launches, served))
        if (one.warps.size() == trace.warps.size() && one.sectors == sectors)
            return std::move(one.warps);
    return {};
}

} // namespace

std::string_view name(caches::Before before)
{
    return before == caches::Before::warm ? "warm" : "cold";
}

RecordedAccesses::RecordedAccesses(device::Device& device, std::string_view user,
                                   std::uint64_t max_words)
    : device_(device), launches_(max_words)
{
    auto* const machine = dynamic_cast<simt::SimtDevice*>(&device);
    if (machine == nullptr)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is a model of the lockstep machine.", user),
                    "Use it with --device simt.");
    machine->record_accesses(&launches_);
}

RecordedAccesses::~RecordedAccesses()
{
    dynamic_cast<simt::SimtDevice&>(device_).record_accesses(nullptr);
}

namespace {

// The report without its result; `unavailable` says if there can be none.
CacheReport begun_report(const caches::Recordings& launches, const counting::Gpu& gpu,
                         caches::Before before)
{
    CacheReport report;
    report.gpu = gpu.name;
    report.before = name(before);
    report.sizes = caches::sizes_of(gpu);
    report.launches = launches.size();
    if (launches.overflow())
        report.unavailable = fmt::format("The launch makes more accesses than are recorded ({} "
                                         "million lines). Choose a smaller size.",
                                         launches.max_words() >> 20);
    return report;
}

void set_result(CacheReport& report, const caches::Recordings& launches, const trace::Trace& trace,
                caches::Result result)
{
    report.result = std::move(result);
    report.sites.resize(trace.sites.size());
    for (std::size_t i = 0; i < launches.size(); ++i)
        add_launch(report.sites, trace, launches[i], report.result.launches[i]);
    if (!report.result.warps.empty()) report.warps = warps_of(trace, launches, report.result.warps);
}

} // namespace

CacheReport follow_caches(const caches::Recordings& launches, const trace::Trace& trace,
                          const counting::Gpu& gpu, caches::Before before)
{
    CacheReport report = begun_report(launches, gpu, before);
    if (report.unavailable.empty())
        set_result(report, launches, trace, caches::replay(launches, gpu, before));
    return report;
}

CacheReport FollowedSteps::follow(const caches::Recordings& launches, const trace::Trace& trace,
                                  const counting::Gpu& gpu, caches::Before before)
{
    constexpr bool by_warp = true;
    CacheReport report = begun_report(launches, gpu, before);
    if (before == caches::Before::cold || !report.unavailable.empty()) forget();
    if (!report.unavailable.empty()) return report;
    if (before == caches::Before::cold) {
        set_result(report, launches, trace, caches::replay(launches, gpu, before, by_warp));
        return report;
    }
    if (!warm_) {
        warm_.emplace(caches::sizes_of(gpu));
        caches::replay_after(*warm_, launches, gpu);
    }
    set_result(report, launches, trace, caches::replay_after(*warm_, launches, gpu, by_warp));
    return report;
}

std::shared_ptr<const trace::ServedBy> served_by(CacheReport report)
{
    return std::make_shared<const trace::ServedBy>(trace::ServedBy{
        .gpu = std::move(report.gpu),
        .warm = report.before == name(caches::Before::warm),
        .sites = std::move(report.sites),
        .warps = std::move(report.warps),
        .unavailable = std::move(report.unavailable),
    });
}

} // namespace lanescope::app
