// If a step could not be reached in time, later steps are not attempted.
#include "app/run/maps/simt_replay.h"

#include <fmt/format.h>

#include "app/document/experiment/journal.h"
#include "app/run/debug/step_start.h"
#include "app/run/maps/tiles.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

constexpr double max_s = 1;
constexpr std::size_t max_replay_bytes = std::size_t{64} << 20;

} // namespace

void SimtReplay::watch(const DebugStart& start, const std::string& view, const Counting& wanted,
                       trace::Trace& trace)
{
    const auto machine = simt::make_device({.time_limit_s = max_s});
    machine->set_printer([](std::string_view) {});
    device::PlainAllocator memory(*machine);
    const StepBegin begin = step_start(start, *machine, memory);
    labs::Experiment& experiment = *begin.experiment;
    step_ = begin.step;
    std::size_t bytes = 0;
    for (const labs::Experiment::Memory& one : experiment.memory()) bytes += one.buffer->bytes();
    if (bytes > max_replay_bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Only the lockstep machine can record this, and only for labs that "
                                "use at most {} MB.",
                                max_replay_bytes >> 20),
                    "Choose a smaller size.");
    if (wanted.request && start.lab->kind_of_view(view) == labs::ViewKind::tiles)
        Tiles(*machine).ask(experiment, view, *wanted.request, trace);
    experiment.step(&trace);
}

void SimtReplay::complete(const DebugStart& start, const std::string& view, const Counting& wanted,
                          bool accept_any_step, trace::Trace& trace)
{
    if (!wanted.tree && start.lab->kind_of_view(view) != labs::ViewKind::tiles) {
        question_.reset();
        return;
    }
    Question question{start.lab->place,
                      start.variant->id,
                      as_texts(*start.lab, start.values),
                      start.seed,
                      start.image,
                      start.events.size(),
                      view,
                      wanted.request,
                      wanted.tree};
    const std::int64_t step = start.launches_before + 1;
    const bool same = question_ == question;
    if (!same || (!accept_any_step && requested_ != step)) {
        const bool too_far = same && step > requested_ && step_ < requested_;
        question_ = std::move(question);
        requested_ = step;
        if (!too_far) {
            problem_.reset();
            step_ = step;
            trace::Trace seen;
            seen.lanes = trace.lanes.asked();
            try {
                DebugStart bounded = start;
                bounded.max_replay_s = max_s;
                watch(bounded, view, wanted, seen);
            } catch (const Error& error) {
                problem_ = error;
            }
            lanes_ = std::move(seen.lanes);
            watched_block_ = std::move(seen.watched_block);
        }
    }
    if (problem_) throw *problem_;
    trace.lanes = lanes_;
    trace.watched_block = watched_block_;
}

} // namespace lanescope::app
