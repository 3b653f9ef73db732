// Gathers the report's numbers; with OpenGL's log also what the program holds.
#include "app/window/report.h"

#include <malloc.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "app/draw/subject_view.h"
#include "app/measure/ratios.h"
#include "app/window/plots/source_heat.h"
#include "render/capture/file.h"
#include "render/gl/census.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

// A leak shows as growth. Of the heap what is in use, because how much of the rest the allocator
// keeps differs from run to run.
ordered_json holdings()
{
    const struct mallinfo2 heap = mallinfo2();
    const auto descriptors =
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    return {{"heap_mb", static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20)},
            {"descriptors", descriptors},
            {"gl_objects", render::gl::census()}};
}

ordered_json sweep_json(const Frame& frame)
{
    const auto& sweep = frame.sweep;
    const bool begun = sweep && sweep->plan;
    return {{"parameter", begun ? sweep->plan->sweep->parameter : ""},
            {"points", sweep ? sweep->points->size() : 0},
            {"finished", sweep && sweep->finished},
            {"error", sweep ? sweep->error : ""}};
}

// How many quantities have a history.
std::size_t histories(const Frame& frame)
{
    std::size_t count = 0;
    for (const auto& [id, variant] : frame.variants)
        count += (variant.step_ms ? 1U : 0U) + (variant.warp_instructions ? 1U : 0U);
    return count;
}

} // namespace

bool Report::due() const
{
    return !file_.empty() &&
           std::chrono::steady_clock::now() - written_ > std::chrono::milliseconds(100);
}

void Report::write(const Document& document, const Frame& frame, const Interaction& ui,
                   const Pace& pace, bool opening)
{
    if (file_.empty()) return;
    written_ = std::chrono::steady_clock::now();
    const bool open = frame.is_open();
    const Message* const error = document.log.error();
    const Message* const notice = document.log.notice();
    const Spread step = frame.step_ms(document.variant);
    const auto or_null = [](bool there, double value) {
        return there ? ordered_json(value) : ordered_json(nullptr);
    };
    ordered_json report{
        {"reports", ++reports_},
        {"first_picture_s", pace.first_picture_s().value_or(0)},
        {"frames", pace.frames()},
        {"pictures", pace.pictures()},
        {"frames_per_s", pace.frames_per_s()},
        {"pictures_per_s", pace.pictures_per_s()},
        {"worst_frame_ms", pace.worst_frame_ms()},
        {"seconds", pace.seconds()},
        {"engine", device::name(frame.engine.engine)},
        {"sharing", frame.engine.sharing},
        {"median_ms", or_null(step.count > 0, step.median)},
        {"map_us", frame.engine.map_us},
        {"unmap_us", frame.engine.unmap_us},
        {"steps", frame.a.facts.steps},
        {"variant", document.variant},
        {"paused", document.paused},
        {"help", document.help},
        {"log", document.log.all().size()},
        {"log_open", document.log_open},
        {"asks_to_close", ui.asks_to_close},
        {"notice", notice ? notice->text : ""},
        {"recording", ui.captures.recording ? ui.captures.frames : 0},
        {"finishing", ui.captures.finishing},
        {"folder", document.folder.string()},
        {"opening", opening},
        {"replaying", frame.a.replay.under_way || (frame.b && frame.b->replay.under_way)},
        {"hover", ui.hover},
        {"subject_drawn", open && has_subject(frame.a, document.look)},
        {"map_drawn", open && frame.a.warp_map.has_value()},
        {"counted_lines", std::ranges::count_if(source_lines(frame), &SourceLine::counted)},
        {"side_by_side", ui.beside},
        {"largest_difference",
         or_null(ui.beside && frame.difference.has_value(),
                 frame.difference ? static_cast<double>(frame.difference->largest) : 0)},
        {"preset", document.preset ? static_cast<int>(*document.preset) : -1},
        {"history", histories(frame)},
        {"sweep", sweep_json(frame)},
        {"error", error ? error->text : ""},
        {"global_sectors", ordered_json::object()},
    };
    for (const auto& [variant, known] : frame.variants)
        if (known.totals) report["global_sectors"][variant] = global_sectors(*known.totals);
    if (log_) {
        std::ranges::move(log_->take(), std::back_inserter(complaints_));
        report["gl_errors"] = complaints_;
        report["holdings"] = holdings();
    }
    for (const Pace::SlowFrame& slow : pace.slow_frames())
        report["slow_frames"].push_back({slow.at_s, slow.took_ms});
    constexpr std::size_t most_events = 1000; // writing more would be a task of its own
    if (open && frame.a.events->size() <= most_events)
        report["session"] = ordered_json::parse(to_json(session_of(document, frame.a.journal())));
    render::write_file(file_, report.dump(2) + "\n");
}

} // namespace lanescope::app
