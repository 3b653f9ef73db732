// The replay is of the same values, seed and picture, and stops after a second.
#include "app/run/maps/simt_replay.h"

#include <fmt/format.h>

#include "app/document/journal.h"
#include "app/run/maps/tiles.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

constexpr double longest_s = 1;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

void watch(labs::Setup setup, const std::string& view, const Counting& wanted, trace::Trace& trace)
{
    const auto machine = simt::make_device({.time_limit_s = longest_s});
    machine->set_printer([](std::string_view) {});
    device::PlainAllocator memory(*machine);
    const auto experiment = setup.lab.start(
        {*machine, memory, setup.lab, setup.variant, setup.values, setup.seed, setup.image});
    std::size_t bytes = 0;
    for (const labs::Experiment::Memory& one : experiment->memory()) bytes += one.buffer->bytes();
    if (bytes > most_bytes)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("Only the lockstep machine records this, within {} MB.", most_bytes >> 20),
            "Choose a smaller size.");
    if (wanted.request && setup.lab.kind_of_view(view) == labs::ViewKind::tiles)
        Tiles(*machine).ask(*experiment, view, *wanted.request, trace);
    experiment->step(&trace);
}

} // namespace

void SimtReplay::complete(const labs::Setup& setup, const std::string& view, const Counting& wanted,
                          trace::Trace& trace)
{
    if (!wanted.tree && setup.lab.kind_of_view(view) != labs::ViewKind::tiles) return;
    Question question{setup.lab.place, setup.variant.id,     as_texts(setup.lab, setup.values),
                      setup.seed,      setup.image.string(), view,
                      wanted.request,  wanted.tree};
    if (asked_ != question) {
        asked_ = std::move(question);
        problem_.reset();
        trace::Trace seen;
        seen.lanes = trace.lanes.asked();
        try {
            watch(setup, view, wanted, seen);
        } catch (const Error& error) {
            problem_ = error;
        }
        lanes_ = std::move(seen.lanes);
        watched_block_ = std::move(seen.watched_block);
    }
    if (problem_) throw *problem_;
    trace.lanes = lanes_;
    trace.watched_block = watched_block_;
}

} // namespace lanescope::app
