// Collects the report's numbers; when OpenGL's log is on, also the resources held.
#include "app/window/report.h"

#include <imgui.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "app/document/editing.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "app/measure/ratios.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/why_tree.h"
#include "app/run/editing/compiling.h"
#include "app/window/editor/text/editing.h"
#include "app/window/gui/layout.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/source_heat.h"
#include "compute/process/own_program.h"
#include "compute/text.h"
#include "render/capture/file.h"
#include "render/gl/census.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

// Resources held; a leak shows as growth. For the heap, only the bytes in use: how much more the
// allocator keeps differs from run to run.
ordered_json resource_usage()
{
    return {{"heap_mb", static_cast<double>(heap_bytes()) / (1 << 20)},
            {"descriptors", open_descriptors()},
            {"idle_compilers", idle_compilers()},
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

// Positions of the parts of the window, in points, and their sizes in pixels.
ordered_json layout_json(const Document& document, const Interaction& ui)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const Look& look = document.look;
    const Layout layout = layout_of(look, size);
    const auto area = [](const Area& area) {
        return ordered_json{area.at.x, area.at.y, area.size.x, area.size.y};
    };
    return {{"points", {size.x, size.y}},      {"pixels_per_point", ui.pixels_per_point},
            {"bar", area(layout.bar)},         {"left", area(layout.left)},
            {"right", area(layout.right)},     {"bottom", area(layout.bottom)},
            {"picture", area(layout.picture)}, {"number", area(layout.number)},
            {"code", area(layout.code)},       {"drawer", ui.drawer}};
}

// Positions of clickable widgets.
ordered_json places_json(const Interaction& ui)
{
    ordered_json places = ordered_json::object();
    for (const auto& [id, at] : ui.places) places[id] = {std::lround(at.x), std::lround(at.y)};
    return places;
}

// The program on offer, and the result of the last run.
ordered_json program_json(const Document& document, const Interaction& ui)
{
    using State = ProgramFrame::State;
    ordered_json json{{"offered", ui.program.offered.filename().string()}, {"state", "none"}};
    const ProgramFrame* const frame = ui.program.frame.get();
    if (frame == nullptr) return json;
    json["state"] = frame->state == State::running  ? "running"
                    : frame->state == State::done   ? "done"
                    : frame->state == State::failed ? "failed"
                                                    : "stopped";
    json["run"] = frame->number;
    json["problem"] = frame->problem;
    json["edits"] = frame->job.edits.size();
    json["output"] = frame->result.end.output;
    json["copies"] = frame->result.report.each_copy.size();
    json["findings"] = ordered_json::array();
    for (const ProgramFinding& one : frame->result.report.findings)
        json["findings"].push_back({{"kind", one.kind}, {"line", one.line}});
    json["launches"] = ordered_json::array();
    for (const ProgramLaunch& one : frame->result.report.launches)
        json["launches"].push_back({{"kernel", one.kernel}, {"stream", one.stream}});
    const ProgramLaunch* const shown = frame->launch_of(document.lab().origin());
    json["shown"] = shown ? shown->index : -1;
    return json;
}

// The current beat or card, and its text.
ordered_json talk_json(const Document& document, const Answers& answers)
{
    const Presentation& presentation = document.presentation;
    ordered_json json{{"title", presentation.talk ? presentation.talk->title : ""},
                      {"blank", presentation.blank},
                      {"card", presentation.card ? static_cast<int>(*presentation.card) : -1}};
    if (const Beat* const beat = presentation.now()) {
        json["beat"] = presentation.beat;
        json["beats"] = presentation.talk->beats.size();
        json["name"] = beat->title;
        json["arriving"] = presentation.arriving;
        json["end"] = presentation.end;
        json["asks"] = presentation.asks();
        json["revealed"] = presentation.revealed;
        const Answer* const answer = beat->reveal.empty() ? nullptr : answers.find(beat->reveal);
        json["reveal"] = answer ? ordered_json(answer->value) : ordered_json(nullptr);
        json["origin"] = answer ? answer->origin : "";
        const auto right = answer ? beat->right(answer->value) : std::nullopt;
        json["right"] = right ? static_cast<int>(*right) + 1 : 0;
        json["votes"] = presentation.current_votes();
    }
    if (presentation.card) {
        const Card& card = *cards_for(document.lab()).all[*presentation.card];
        const auto verdict =
            verdict_of(card, [&](const Formula& one) { return answers.find(one); });
        json["verdict"] = verdict.value_or("");
    }
    return json;
}

// The notes below the lines of the code.
ordered_json notes_json(const CodeSheet& sheet)
{
    ordered_json notes = ordered_json::array();
    for (const CodeNote& note : sheet.notes())
        notes.push_back({{"line", note.line + 1},
                         {"words", note.words},
                         {"quiet", note.kind == CodeNote::Kind::quiet},
                         {"cost", note.kind == CodeNote::Kind::cost}});
    return notes;
}

ordered_json complaints_json(const Document& document)
{
    ordered_json all = ordered_json::array();
    for (const Complaint* one : complaints_of(document, edited_text(document).file))
        all.push_back({{"line", one->line}, {"sentence", one->sentence}});
    return all;
}

ordered_json code_json(const Document& document, const Interaction& ui)
{
    return {{"lit", ui.code.highlighted},
            {"line", ui.code.line},
            {"opened_line", document.opened_line},
            {"finding", ui.code.finding},
            {"match", ui.code.match},
            {"editing", ui.code.editing},
            {"text", edited_text(document).text},
            {"newer", edited_text(document).newer},
            {"pending", is_pending(document)},
            {"versions", document.bench.versions.size()},
            {"notes", notes_json(ui.code.sheet)},
            {"complaints", complaints_json(document)},
            {"standing", edit_status(document).words}};
}

// The state of the stepped launch, and its clickable places: centres in points, by kind.
ordered_json stepping_json(const Document& document, const Interaction& ui, ImVec2 size)
{
    const StepChoice& step = document.look.step;
    ordered_json json{{"on", step.on}, {"page", static_cast<int>(step.page)}};
    if (!step.on) return json;
    const auto& frame = ui.stepped.frame;
    json["ready"] = frame != nullptr;
    if (frame) {
        json["problem"] = frame->problem;
        json["position"] = frame->position;
        json["known"] = frame->known;
        json["complete"] = frame->complete;
        json["line"] = frame->place.line;
        json["block"] = frame->block_linear;
        json["warp"] = frame->warp;
        json["shown"] = frame->shown;
        json["stop"] = stop_reason(frame->stop);
        json["sentence"] = frame->sentence;
        json["optimised"] = frame->text == SteppedText::as_optimised;
        json["breakpoints"] = step.breakpoints;
        json["variables"] = ordered_json::array();
        for (const DebuggedVariable& one : frame->variables) json["variables"].push_back(one.name);
    }
    json["nodes"] = ui.stepped.why ? static_cast<int>(ui.stepped.why->nodes.size()) : -1;
    json["pointed"] = ui.step_pointed;
    const Area picture = layout_of(document.look, size).picture;
    const auto point = [&](const render::Box& box) {
        return ordered_json{picture.at.x + (box.x + box.width / 2) / ui.pixels_per_point,
                            picture.at.y + (box.y + box.height / 2) / ui.pixels_per_point};
    };
    for (const render::SteppingHit& hit : ui.step_hits.launch) {
        using What = render::SteppingHit::What;
        if (hit.what == What::gutter) json["gutter"][std::to_string(hit.index)] = point(hit.box);
        if (hit.what == What::line) json["lines"][std::to_string(hit.index)] = point(hit.box);
        if (hit.what == What::warp) json["warps"].push_back(point(hit.box));
        if (hit.what == What::bar)
            json["bar"] = {picture.at.x + hit.box.x / ui.pixels_per_point,
                           picture.at.y + (hit.box.y + hit.box.height / 2) / ui.pixels_per_point,
                           hit.box.width / ui.pixels_per_point};
    }
    return json;
}

void add_engine(const EngineFrame& engine, const Spread& step_ms, ordered_json& report)
{
    report["engine"] = device::name(engine.engine);
    report["engine_reason"] = engine.reason;
    report["sharing"] = engine.sharing;
    report["median_ms"] = step_ms.count > 0 ? ordered_json(step_ms.median) : ordered_json(nullptr);
    report["map_us"] = engine.map_us;
    report["unmap_us"] = engine.unmap_us;
}

void add_pace(const Pace& pace, ordered_json& report)
{
    report["first_picture_s"] = pace.first_picture_s().value_or(0);
    report["frames"] = pace.frames();
    report["pictures"] = pace.pictures();
    report["frames_per_s"] = pace.frames_per_s();
    report["pictures_per_s"] = pace.pictures_per_s();
    report["worst_frame_ms"] = pace.worst_frame_ms();
    report["seconds"] = pace.seconds();
    for (const Pace::SlowFrame& slow : pace.slow_frames())
        report["slow_frames"].push_back({slow.at_s, slow.took_ms, slow.own_ms, slow.busy_with});
}

// The number of quantities that have a history.
std::size_t histories(const Frame& frame)
{
    std::size_t count = 0;
    for (const auto& [id, variant] : frame.variants)
        count += (variant.step_ms ? 1U : 0U) + (variant.warp_instructions ? 1U : 0U);
    return count;
}

// The number of variants whose bars are still empty.
std::ptrdiff_t uncounted_variants(const Document& document, const Frame& frame)
{
    return std::ranges::count_if(variant_readings(document, frame), [](const auto& one) {
        return !one.totals && one.uncounted == not_counted_yet;
    });
}

ordered_json state_json(const ReportedWindow& window)
{
    const auto& [document, frame, ui, pace, opening, answers] = window;
    const bool open = frame.is_open();
    const Message* const error = document.log.error();
    const Message* const notice = document.log.notice();
    const auto or_null = [](bool there, double value) {
        return there ? ordered_json(value) : ordered_json(nullptr);
    };
    ordered_json report{
        {"steps", frame.a.facts.steps},
        {"variant", document.variant},
        {"paused", document.paused},
        {"help", document.help},
        {"settings", ui.settings},
        {"status", {ui.status.what, ui.status.keys}},
        {"log", document.log.all().size()},
        {"log_open", document.log_open},
        {"asks_to_close", ui.close_question_open},
        {"unsaved", unsaved_words(document)},
        {"notice", notice ? notice->text : ""},
        {"layout", layout_json(document, ui)},
        {"places", places_json(ui)},
        {"recording", ui.captures.recording ? ui.captures.frames : 0},
        {"finishing", ui.captures.finishing},
        {"folder", document.folder.string()},
        {"opening", opening},
        {"replaying", frame.a.replay.in_progress || (frame.b && frame.b->replay.in_progress)},
        {"hover", ui.hover},
        {"mouse", {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y}},
        {"shift", ImGui::GetIO().KeyShift},
        {"subject_drawn", open && has_subject(frame.a, document.look)},
        {"loads_of_tiles", open ? loads_of_tiles(frame.a) : 0},
        {"counting_problem", frame.a.counting_problem},
        {"map_drawn", open && frame.a.warp_map.has_value()},
        {"counted_lines", std::ranges::count_if(source_lines(frame), &SourceLine::counted)},
        {"code", code_json(document, ui)},
        {"side_by_side", ui.beside},
        {"largest_difference",
         or_null(ui.beside && frame.difference.has_value(),
                 frame.difference ? static_cast<double>(frame.difference->largest) : 0)},
        {"preset", document.preset ? static_cast<int>(*document.preset) : -1},
        {"printed", {{"bytes", ui.printed->bytes}, {"kept", printable(ui.printed->kept)}}},
        {"history", histories(frame)},
        {"sweep", sweep_json(frame)},
        {"error", error ? error->text : ""},
        {"fault_line", fault_line(frame)},
        {"global_sectors", ordered_json::object()},
        {"dialogue_open", ui.dialogue_open()},
        {"uncounted_variants", uncounted_variants(document, frame)},
        {"talk", talk_json(document, answers)},
        {"program", program_json(document, ui)},
        {"stepping", stepping_json(document, ui, ImGui::GetIO().DisplaySize)},
    };
    add_engine(frame.engine, frame.step_ms(document.variant), report);
    for (const auto& [variant, known] : frame.variants)
        if (known.totals) report["global_sectors"][variant] = trace::global(*known.totals).sectors;
    constexpr std::size_t max_events = 1000; // writing more would take too long
    if (open && frame.a.events->size() <= max_events)
        report["session"] = ordered_json::parse(to_json(session_of(document, frame.a.journal())));
    return report;
}

} // namespace

bool Report::due() const
{
    return !file_.empty() &&
           std::chrono::steady_clock::now() - written_ > std::chrono::milliseconds(100);
}

void Report::write(const ReportedWindow& window)
{
    if (file_.empty()) return;
    written_ = std::chrono::steady_clock::now();
    ordered_json report = state_json(window);
    report["reports"] = ++reports_;
    add_pace(window.pace, report);
    if (log_) {
        std::ranges::move(log_->take(), std::back_inserter(complaints_));
        report["gl_errors"] = complaints_;
        report["resources"] = resource_usage();
    }
    // A folder's name may not be valid UTF-8.
    const auto replace = ordered_json::error_handler_t::replace;
    render::write_file(file_, report.dump(2, ' ', false, replace) + "\n");
}

} // namespace lanescope::app
