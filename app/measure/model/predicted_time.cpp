// Changes are predicted like the step itself: same model, changed counts.
#include "app/measure/model/predicted_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "compute/assembled/tools.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

using predicted::Prediction;
using predicted::Unit;
using predicted::WhatIf;

// One launch of the step, as the model reads it.
struct LaunchOfStep {
    const caches::Recording& recording;
    const assembled::SassFunction& function;
    trace::Trace counts; // of this launch alone
    const std::vector<caches::Served>& served;
    const caches::Traffic& traffic;

    predicted::Work work(const counting::Gpu& gpu, const WhatIf& what_if = {}) const
    {
        return work_of(function, {counts, recording, served, traffic}, gpu, what_if);
    }
};

std::vector<LaunchOfStep> launches_of(const caches::Recordings& recorded,
                                      const caches::Result& result, const assembled::Sass& sass)
{
    std::vector<LaunchOfStep> launches;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        const caches::Recording& one = recorded[i];
        const assembled::SassFunction* const function = sass.find(one.kernel);
        if (function == nullptr)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("The SASS has no kernel {}.", one.kernel), "");
        trace::Trace counts;
        counts.sites = one.sites;
        counts.counts = one.counts;
        launches.push_back(
            {one, *function, std::move(counts), result.launches[i], result.traffics[i]});
    }
    return launches;
}

template <class Predict>
Prediction predict_all(const std::vector<LaunchOfStep>& launches, const Predict& predict_one)
{
    std::vector<Prediction> each;
    for (const LaunchOfStep& launch : launches) each.push_back(predict_one(launch));
    return predicted::sum_of(each);
}

const trace::Site* site_at(const std::vector<trace::Site>& sites, int ptx_line)
{
    const auto found = std::ranges::find(sites, ptx_line, &trace::Site::ptx_line);
    return found == sites.end() ? nullptr : &*found;
}

std::optional<TimeReport::Line> costliest(const predicted::Work& work, Unit limit,
                                          const std::vector<trace::Site>& sites)
{
    const std::map<int, double>* lines = nullptr;
    double sum = 0;
    switch (limit) {
    case Unit::data: lines = &work.data_lines; break;
    case Unit::l2: lines = &work.l2_lines; break;
    case Unit::dram: lines = &work.dram_lines; break;
    case Unit::latency:
        lines = &work.chain.lines;
        sum = work.chain.cycles;
        break;
    case Unit::block_starts:
    case Unit::instructions: return {};
    }
    if (limit == Unit::data) sum = work.data;
    if (sum == 0)
        for (const auto& [line, part] : *lines) sum += part;
    const trace::Site* most = nullptr;
    double part = 0;
    for (const auto& [line, here] : *lines) {
        const trace::Site* const site = site_at(sites, line);
        if (site == nullptr || here <= part) continue;
        most = site;
        part = here;
    }
    if (most == nullptr || sum <= 0) return {};
    return TimeReport::Line{*most, std::min(1.0, part / sum)};
}

void find_better(TimeReport& report, const std::vector<LaunchOfStep>& launches,
                 const counting::Gpu& gpu)
{
    constexpr double worth_saying = 0.95;
    const auto consider = [&](const std::string& how, const auto& predict_one) {
        const Prediction changed = predict_all(launches, predict_one);
        const double best = report.better ? report.better->us : worth_saying * report.prediction.us;
        if (changed.us < best) report.better = TimeReport::Change{how, changed.us};
    };
    const auto with = [&](const WhatIf& what_if) {
        return [&gpu, what_if](const LaunchOfStep& one) {
            return predict(one.work(gpu, what_if), gpu);
        };
    };
    consider("without bank conflicts", with({.no_bank_conflicts = true}));
    consider("with each warp's accesses to global memory in as few sectors as their bytes fill",
             with({.contiguous = true}));
    if (report.prediction.limit == Unit::block_starts)
        consider("in a quarter of the blocks, each with four times the work",
                 [&](const LaunchOfStep& one) {
                     return predicted::predict_in_fewer_blocks(one.work(gpu), gpu);
                 });
}

void add_notes(TimeReport& report, const std::vector<LaunchOfStep>& launches,
               const counting::Gpu& gpu)
{
    if (report.launches == 1 && report.work.blocks < gpu.multiprocessors)
        report.notes.push_back(fmt::format("Only {:.0f} of {} multiprocessors have a block.",
                                           report.work.blocks, gpu.multiprocessors));
    if (report.work.calls_functions)
        report.notes.emplace_back("The instructions of called functions are not included.");
    if (report.work.indexed_constants)
        report.notes.emplace_back(
            "Lanes that read different constants take longer; the prediction assumes one.");
    const auto is_image = [](const trace::Site& site) {
        return site.space == trace::Space::texture || site.space == trace::Space::surface;
    };
    if (std::ranges::any_of(launches, [&](const LaunchOfStep& one) {
            return std::ranges::any_of(one.counts.sites, is_image);
        }))
        report.notes.emplace_back("Textures and surfaces are not followed through the caches.");
    if (!report.prediction.validated)
        report.notes.push_back(fmt::format("Predictions for the {} have not been validated; the "
                                           "errors are those of an H100.",
                                           report.gpu));
}

// Predicts the launches, the longest of which has the report's work.
void fill(TimeReport& report, const std::vector<LaunchOfStep>& launches, const counting::Gpu& gpu)
{
    const LaunchOfStep* longest = &launches.front();
    double max_us = 0;
    report.prediction = predict_all(launches, [&](const LaunchOfStep& one) {
        predicted::Work work = one.work(gpu);
        const Prediction made = predict(work, gpu);
        if (made.us > max_us) {
            max_us = made.us;
            longest = &one;
            report.work = std::move(work);
        }
        return made;
    });
    report.costliest = costliest(report.work, report.prediction.limit, longest->counts.sites);
    find_better(report, launches, gpu);
    add_notes(report, launches, gpu);
}

} // namespace

TimeReport predict_time(const caches::Recordings& launches, const CacheReport& caches,
                        std::string_view ptx, const counting::Gpu& gpu)
{
    TimeReport report{.gpu = std::string(gpu.name),
                      .before = caches.before,
                      .unavailable = caches.unavailable,
                      .launches = launches.size()};
    if (launches.empty()) report.unavailable = "The step launches no kernel.";
    if (std::ranges::any_of(launches, &caches::Recording::from_device))
        report.unavailable = "Launches from the device overlap; their time is not predicted.";
    if (!report.unavailable.empty()) return report;
    try {
        const auto sass = assembled::assemble(ptx, gpu.architecture());
        fill(report, launches_of(launches, caches.result, *sass), gpu);
    } catch (const Error& error) {
        report.unavailable = error.what();
    }
    return report;
}

std::string limit_words(const Prediction& prediction)
{
    if (prediction.by_launch) return "launching";
    const bool pipe = prediction.limit == Unit::instructions && prediction.pipe != "issue slots";
    return fmt::format("{}{}", name(prediction.limit),
                       pipe ? fmt::format(" ({})", prediction.pipe) : "");
}

} // namespace lanescope::app
