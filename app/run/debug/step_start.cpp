// Falls back to step 1 if the earlier steps, judged by those already run, would take too long.
#include "app/run/debug/step_start.h"

#include <chrono>

#include <fmt/format.h>

#include "app/document/experiment/journal.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/machine/state/options.h"

namespace lanescope::app {
namespace {

void apply(labs::Experiment& experiment, labs::Values& values, const DebugStart& start,
           const Event& event)
{
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what)) {
        experiment.paint(*stroke);
    } else if (const auto* change = std::get_if<ParameterChange>(&event.what)) {
        values.set(change->id, change->text);
        experiment.set(values);
    } else {
        experiment.select(labs::find_variant(*start.lab, std::get<VariantChange>(event.what).id));
    }
}

} // namespace

std::unique_ptr<simt::SteppedDevice> stepped_device(const DebugStart& start,
                                                    const std::string& written)
{
    simt::SteppedDevice::PtxTransform replace;
    if (start.text == SteppedText::as_written && !written.empty())
        replace = [own = std::string(start.lab->ptx(*start.variant)), written](
                      std::string_view ptx) { return ptx == own ? written : std::string(ptx); };
    simt::Options options;
    options.time_limit_s = start.time_limit_s;
    if (start.checks) options.checks = simt::Checks::all();
    auto device = std::make_unique<simt::SteppedDevice>(options, std::move(replace));
    device->set_printer([](std::string_view) {});
    return device;
}

StepBegin step_start(const DebugStart& start, device::Device& device, device::Allocator& allocator)
{
    using Clock = std::chrono::steady_clock;
    constexpr double min_timed_s = 1;
    const labs::Variant* selected = start.first ? start.first : start.variant;
    const labs::Variant& first = start.first ? *start.first : *start.variant;
    const auto fresh_journal = [&](const labs::Variant& variant, const labs::Values& values) {
        return start.lab->start(
            {device, allocator, *start.lab, variant, values, start.seed, start.image});
    };
    labs::Values values = start.values;
    StepBegin begin{fresh_journal(first, values), start.launches_before + 1, {}, values};
    std::size_t done = 0;
    const auto do_events = [&](std::int64_t until) {
        for (; done < start.events.size() && start.events[done].step <= until; ++done)
            apply(*begin.experiment, values, start, start.events[done]);
    };
    const auto since = Clock::now();
    for (std::int64_t i = 0; i < start.launches_before; ++i) {
        const double passed = std::chrono::duration<double>(Clock::now() - since).count();
        const double all =
            i > 0 ? passed / static_cast<double>(i) * static_cast<double>(start.launches_before)
                  : 0;
        if (start.max_replay_s > 0 && passed > min_timed_s && all > start.max_replay_s) {
            for (; done < start.events.size(); ++done)
                if (const auto* change = std::get_if<ParameterChange>(&start.events[done].what))
                    values.set(change->id, change->text);
            begin = {fresh_journal(*start.variant, values), 1,
                     fmt::format("Showing step 1; reaching step {} would take {:.0f} s on the "
                                 "lockstep machine.",
                                 start.launches_before + 1, all),
                     values};
            return begin;
        }
        do_events(i);
        begin.experiment->step();
    }
    do_events(start.launches_before);
    for (const Event& event : start.events)
        if (const auto* change = std::get_if<VariantChange>(&event.what);
            change && event.step <= start.launches_before)
            selected = &labs::find_variant(*start.lab, change->id);
    if (selected->id != start.variant->id) begin.experiment->select(*start.variant);
    return begin;
}

} // namespace lanescope::app
