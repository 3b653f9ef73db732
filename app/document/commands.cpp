// The effect of each command on the document.
#include "app/document/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/document/editing.h"
#include "app/document/look/maps.h"
#include "app/document/look/subject.h"
#include "app/document/look/tabs.h"
#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "compute/error.h"
#include "compute/experiment/record/layout.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr float min_panel_em = 4; // minimum size of an unfolded panel
constexpr float max_panel_em = 60;

// Requests that something be opened; replaces an earlier request.
void request_open(Document& document, Wanted wanted)
{
    document.wanted = std::move(wanted);
}

// Restarts stepping, because the launch is now a different one.
void step_from_start(Document& document)
{
    StepChoice& choice = document.look.step;
    choice.launch = choice.position = 0;
    choice.warp = -1;
    choice.page = StepChoice::Page::launch;
}

// Requests a restart. A pending request uses the newest values anyway.
void want_restart(Document& document)
{
    if (!document.wanted || document.wanted->kind == Wanted::edit) // an edit is requested again
                                                                   // automatically
        request_open(document, {Wanted::restart, document.lab().title});
}

const labs::Parameter& parameter(const labs::Lab& lab, const std::string& id)
{
    labs::Values(lab).text(id); // throws if the parameter does not exist
    return *lab.find_parameter(id);
}

// Returns `word` if it is one of `known`, else throws with the list.
const std::string& one_of(const std::vector<std::string>& known, const std::string& word,
                          const std::string& preset)
{
    if (std::ranges::find(known, word) == known.end())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The preset '{}' names '{}', which does not exist.", preset, word),
                    fmt::format("Available: {}.", fmt::join(known, ", ")));
    return word;
}

void perform(Document& document, const SetView& command)
{
    if (std::ranges::find(document.lab().views, command.view) != document.lab().views.end())
        document.look.view = command.view;
}

void perform(Document& document, const SetMap& command)
{
    document.look.map = command.map;
}

void perform(Document& document, const SetMapOf& command)
{
    document.look.map_of = command.of;
}

void perform(Document& document, const ShowSubject& command)
{
    if (document.look.subject == command.subject) return;
    document.look.subject = command.subject;
    document.look.pan_zoom = {};
}

void perform(Document& document, const ChooseVariant& command)
{
    if (follow_new_variant(document, command.id)) return;
    const std::string& id = labs::find_variant(document.lab(), command.id).id;
    document.following = {};
    if (document.variant == id) return;
    document.variant = id;
    step_from_start(document);
    document.look.step.breakpoints.clear(); // breakpoints are lines of the old source
    document.look.request.request = 0;      // the site stays selected, by its role
}

void perform(Document& document, const SetValue& command)
{
    labs::Values values(document.lab());
    values.set(command.id, command.text);
    const std::string text = values.text(command.id); // in canonical form
    if (document.values[command.id] == text) return;
    document.values[command.id] = text;
    step_from_start(document);
    if (parameter(document.lab(), command.id).restarts) want_restart(document);
}

void perform(Document& document, const EditText& command)
{
    edit_text(document, command.variant, command.text);
}

void perform(Document& document, const EditFile& command)
{
    edit_file(document, command.file, command.text);
}

void perform(Document& document, const SetRecordEntry& command)
{
    edit_file(document, "lab.json",
              labs::with_entry(edited_record(document), command.pointer, command.value));
}

void perform(Document& document, const BeginVariant& command)
{
    begin_variant(document, command.title);
}

void perform(Document& document, const RevertText&)
{
    revert_texts(document);
}

void perform(Document& document, const GoToVersion& command)
{
    go_to_version(document, command.variant, command.number);
}

void perform(Document& document, const CompareVersion& command)
{
    compare_version(document, command.variant, command.number);
}

void perform(Document& document, const CompileNow&)
{
    ++document.bench.compile_now;
    document.bench.asked = document.texts;
}

void perform(Document& document, const SetAutomaticCompiling& command)
{
    document.bench.automatic = command.on;
}

void perform(Document& document, const SetIncludeFolders& command)
{
    std::vector<std::string> folders; // absolute, since a session may be opened from another folder
    for (const std::string_view folder : parts(command.folders, ':'))
        folders.push_back(std::filesystem::absolute(trimmed(folder)).string());
    document.include_folders = fmt::format("{}", fmt::join(folders, ":"));
    perform(document, CompileNow{});
}

void perform(Document& document, const SetCareful& command)
{
    document.bench.careful = command.on;
    document.bench.outcome.reset(); // retries sources that were refused
}

void perform(Document& document, const ChoosePreset& command)
{
    const labs::Lab& lab = document.lab();
    if (command.index >= lab.presets.size()) return;
    const labs::Preset& preset = lab.presets[command.index];
    labs::Values values(lab);
    for (const auto& [id, text] : preset.values) values.set(id, text);
    for (const auto& [id, text] : as_texts(lab, values)) perform(document, SetValue{id, text});
    if (!preset.variant.empty()) perform(document, ChooseVariant{preset.variant});
    if (!preset.view.empty()) perform(document, SetView{preset.view});
    if (!preset.map.empty())
        perform(document, SetMap{one_of(map_names(), preset.map, preset.title)});
    if (!preset.show.empty())
        perform(document,
                ShowSubject{subject_named(one_of(subject_names(), preset.show, preset.title))});
    document.preset = command.index;
    document.log.add("Preset: " + preset.title, false, Message::Clock::now());
}

void perform(Document& document, const Paint& command)
{
    labs::Stroke stroke = command.stroke;
    for (double* const share : {&stroke.u, &stroke.v, &stroke.radius})
        *share = std::clamp(*share, 0.0, 1.0);
    document.strokes.push_back(stroke);
    ++document.painted;
}

// A running experiment cannot be stepped through.
void perform(Document& document, const Pause& command)
{
    document.paused = command.on;
    if (!command.on) document.look.step.on = false;
}

void perform(Document& document, const StepMode& command)
{
    StepChoice choice;
    choice.on = command.on;
    choice.optimised = document.look.step.optimised;
    choice.ptx = document.look.step.ptx;
    choice.breakpoints = document.look.step.breakpoints;
    document.look.step = choice;
    if (!command.on) return;
    document.paused = true;
    document.look.compare.clear(); // only one kernel can be stepped at a time
    document.look.difference = false;
    document.look.panels.whole = false;
}

void perform(Document& document, const ShowStepped& command)
{
    StepChoice& choice = document.look.step;
    // positions in one source mean nothing in the other
    if (choice.optimised != command.choice.optimised) choice.position = 0;
    choice.optimised = command.choice.optimised;
    choice.ptx = command.choice.ptx;
    choice.warp = std::clamp(command.choice.warp, -1, 31);
    choice.lane = std::clamp(command.choice.lane, 0, 31);
    choice.page = command.choice.page;
    choice.node = std::max(command.choice.node, 0);
}

void perform(Document& document, const ToggleBreakpoint& command)
{
    std::vector<int>& all = document.look.step.breakpoints;
    const auto found = std::ranges::find(all, command.line);
    if (found != all.end())
        all.erase(found);
    else if (command.line > 0)
        all.insert(std::ranges::lower_bound(all, command.line), command.line);
}

void perform(Document& document, const StepOnce&)
{
    document.paused = true;
    step_from_start(document);
    ++document.single_steps;
}

void perform(Document& document, const Restart&)
{
    step_from_start(document);
    want_restart(document);
}

void perform(Document& document, const ChooseLab& command)
{
    const labs::Lab& lab = labs::find(with_edits(document, command.lab));
    const std::string variant =
        command.variant.empty() ? lab.opening_variant().id : command.variant;
    labs::find_variant(lab, variant);
    request_open(document, {.kind = Wanted::lab,
                            .title = lab.title,
                            .lab_id = lab.place,
                            .variant = variant,
                            .values = lab.opens.values});
}

void perform(Document& document, const ChooseEngine& command)
{
    request_open(document, {.kind = Wanted::restart,
                            .title = fmt::format("the engine {}", command.choice),
                            .engine = command.choice});
}

void perform(Document& document, const OpenFile& command)
{
    const std::filesystem::path file = command.path;
    request_open(document,
                 {.kind = Wanted::session, .title = file.filename().string(), .file = file});
}

void perform(Document& document, const SetMapBlend& command)
{
    document.look.map_blend = std::clamp(command.blend, 0.0F, 1.0F);
}

void perform(Document& document, const SetMapScale& command)
{
    document.look.map_automatic = command.automatic;
}

void perform(Document& document, const ShowTree& command)
{
    document.look.tree_block = command.block;
}

void perform(Document& document, const ShowMemory& command)
{
    document.look.memory = command.name;
    document.look.memory_warps = command.warps;
}

void perform(Document& document, const ShowRequest& command)
{
    document.look.request = {command.choice.site, std::max<std::int64_t>(command.choice.warp, -1),
                             std::max<std::int64_t>(command.choice.request, 0),
                             command.choice.site < 0 ? "" : document.variant};
}

void perform(Document& document, const Compare& command)
{
    document.look.compare =
        command.variant.empty() ? "" : labs::find_variant(document.lab(), command.variant).id;
}

void perform(Document& document, const ShowDifference& command)
{
    document.look.difference = command.on;
}

void perform(Document& document, const MoveDivider& command)
{
    document.look.swipe = std::clamp(command.to, 0.0F, 1.0F);
}

void perform(Document& document, const Orbit& command)
{
    render::Camera camera = command.camera;
    camera.azimuth_degrees = std::clamp(camera.azimuth_degrees, -1e6F, 1e6F);
    camera.elevation_degrees = std::clamp(camera.elevation_degrees, -89.0F, 89.0F);
    camera.distance = std::clamp(camera.distance, 1.2F, 20.0F);
    document.look.camera = camera;
}

void perform(Document& document, const Zoom& command)
{
    render::PanZoom to = command.to;
    to.zoom = std::clamp(to.zoom, 1.0, 400.0);
    to.centre = {std::clamp(to.centre.x, 0.0, 1.0), std::clamp(to.centre.y, 0.0, 1.0)};
    document.look.pan_zoom = to;
}

void perform(Document& document, const ShowWholePicture&)
{
    document.look.pan_zoom = {};
    document.look.camera = {};
}

void perform(Document& document, const SetTheme& command)
{
    document.look.theme = command.light ? Theme::light : Theme::dark;
}

void perform(Document& document, const SetTextZoom& command)
{
    document.look.text_zoom = std::clamp(command.zoom, 0.5F, 3.0F);
}

// Returns the state that the current beat shows: after the reveal, the one with the answer.
const BeatState& state_of(const Presentation& presentation)
{
    return presentation.revealed ? presentation.now()->after : presentation.now()->scene;
}

void perform(Document& document, const Lecture& command)
{
    document.look.lecture = command.on;
    // In the lecture mode a page replaces the picture; otherwise the page is below it.
    if (!command.on) {
        document.presentation.blank = false;
        document.look.panels.whole = false;
    } else if (document.presentation.now() && state_of(document.presentation).has_page()) {
        document.look.panels.whole = true;
    }
}

void apply_beat_scene(Document& document)
{
    const BeatState& state = state_of(document.presentation);
    apply_scene(document.look, state);
    document.opened_line = state.line;
    document.paused = state.paused || state.step_line > 0;
}

// Shows a beat, at once or when its lab has been opened.
void go_to(Document& document, std::size_t beat, bool revealed)
{
    Presentation& presentation = document.presentation;
    presentation.beat = beat;
    presentation.revealed = revealed;
    presentation.end.clear();
    const BeatState& scene = state_of(presentation);
    presentation.arriving = scene.lab != document.start.lab;
    if (presentation.arriving) {
        const labs::Lab& lab = labs::find(scene.lab);
        return request_open(document, {.kind = Wanted::lab,
                                       .title = lab.title,
                                       .lab_id = lab.place,
                                       .variant = scene.variant,
                                       .values = scene.values});
    }
    for (const auto& [id, text] : scene.values) perform(document, SetValue{id, text});
    perform(document, ChooseVariant{scene.variant});
    apply_beat_scene(document);
}

// The lesson of the next lab in direction `by` that has one; null if none has.
std::shared_ptr<const Talk> next_lesson(const Document& document, int by)
{
    const auto all = labs::listed();
    const std::string place = document.presentation.talk ? document.presentation.talk->lesson_of
                                                         : document.lab().origin();
    auto at = std::ranges::find(all, place, &labs::Lab::place) - all.begin();
    for (at += by; at >= 0 && at < std::ssize(all); at += by)
        if (auto lesson = lesson_of(*all[static_cast<std::size_t>(at)])) return lesson;
    return {};
}

void start_lesson(Document& document, std::shared_ptr<const Talk> lesson, int by)
{
    document.presentation.votes.clear();
    document.presentation.talk = std::move(lesson);
    const Talk& talk = *document.presentation.talk;
    const std::size_t beat = by > 0 ? 0 : talk.beats.size() - 1;
    go_to(document, beat, by < 0 && !talk.beats[beat].question.empty());
}

void perform(Document& document, const AdvanceBeat& command)
{
    Presentation& presentation = document.presentation;
    const int by = command.by < 0 ? -1 : 1;
    if (presentation.blank) {
        presentation.blank = false;
        return;
    }
    if (presentation.card) {
        const auto last = std::ssize(embedded_cards()) - 1;
        presentation.card = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
            static_cast<std::ptrdiff_t>(*presentation.card) + by, 0, last));
        return;
    }
    if (!presentation.talk) {
        presentation.talk = lesson_of(document.lab());
        presentation.votes.clear();
        if (!presentation.talk)
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("The lab {} has no lesson.", document.lab().title),
                        "Write beats.txt in its folder.");
        return go_to(document, 0, false);
    }
    const Talk& talk = *presentation.talk;
    if (by < 0 && !talk.lesson_of.empty() && !presentation.end.empty())
        return presentation.end.clear();
    const bool has_question = !presentation.now()->question.empty();
    if (has_question && presentation.revealed == (by < 0)) {
        go_to(document, presentation.beat, by > 0);
    } else if (by > 0 && presentation.beat + 1 < talk.beats.size()) {
        go_to(document, presentation.beat + 1, false);
    } else if (by < 0 && presentation.beat > 0) {
        go_to(document, presentation.beat - 1, !talk.beats[presentation.beat - 1].question.empty());
    } else if (auto next = talk.lesson_of.empty() ? nullptr : next_lesson(document, by); !next) {
        // Beside the beat's words; a notice would cover the picture's recorded times.
        presentation.end =
            by > 0 ? "This is the end of the talk." : "This is the start of the talk.";
    } else if (by > 0 && presentation.end.empty()) {
        // Otherwise the next lab's question would follow the last answer at once.
        presentation.end = fmt::format("End of the lesson. PageDown opens {}.",
                                       labs::find(next->beats.front().scene.lab).title);
    } else {
        start_lesson(document, std::move(next), by);
    }
}

void perform(Document& document, const Blank& command)
{
    document.presentation.blank = command.on;
}

void perform(Document& document, const Vote& command)
{
    Presentation& presentation = document.presentation;
    if (!presentation.asks()) return;
    const std::size_t choices = presentation.now()->choices.size();
    if (command.choice >= choices) return;
    std::vector<int>& votes = presentation.votes[presentation.beat];
    votes.resize(choices);
    int& count = votes[command.choice];
    count = std::max(0, count + (command.withdrawn ? -1 : 1));
}

void perform(Document& document, const EndTalk&)
{
    document.presentation = {};
    document.look.compare.clear();
    document.look.difference = false;
}

void perform(Document& document, const ShowCards& command)
{
    document.presentation.card.reset();
    if (command.on)
        document.presentation.card = std::min(command.card, embedded_cards().size() - 1);
}

// Resizing does not unfold a folded panel: only its tab's key does.
void perform(Document& document, const SizePanel& command)
{
    PanelSizes& panels = document.look.panels;
    float& size = command.panel == "left"    ? panels.left
                  : command.panel == "right" ? panels.right
                                             : panels.bottom;
    if (size > 0) size = std::clamp(command.em, min_panel_em, max_panel_em);
}

void perform(Document& document, const ShowTab& command)
{
    PanelSizes& panels = document.look.panels;
    if (command.tab.empty()) {
        panels.bottom = 0;
        panels.whole = false;
        return;
    }
    const tabs::Tab* const tab = tabs::find(command.tab);
    if (!tab)
        throw Error(ExitStatus::bad_usage, fmt::format("There is no tab \"{}\".", command.tab),
                    fmt::format("Available: {}.", fmt::join(tabs::ids(), ", ")));
    if (command.tab == tabs::source) document.look.code.place = CodePlace::strip;
    panels.bottom = std::max(panels.bottom, tab->is_plot ? 19.0F : 15.0F);
    panels.bottom_tab = command.tab;
    document.sweep.begun |= command.tab == tabs::sweep;
}

void perform(Document& document, const PlaceCode& command)
{
    PanelSizes& panels = document.look.panels;
    if (command.choice.beside() && panels.bottom_tab == tabs::source) { // the source is shown in
                                                                        // one place only
        panels.bottom = 0;
        panels.whole = false;
    }
    document.look.code = command.choice;
    document.look.code.share = std::clamp(command.choice.share, min_code_share, max_code_share);
}

// Unfolds a folded strip to fill the window.
void perform(Document& document, const WholeStrip& command)
{
    PanelSizes& panels = document.look.panels;
    if (command.on && panels.bottom == 0) perform(document, ShowTab{panels.bottom_tab});
    panels.whole = command.on;
}

void perform(Document& document, const SetCapture& command)
{
    CaptureChoice capture = command.choice;
    capture.scale = std::clamp(capture.scale, 1, 4);
    capture.rate = std::clamp(capture.rate, 1, 60);
    capture.seconds = std::clamp(capture.seconds, 0, 3600);
    if (capture.format == "mp4" || capture.format == "gif" || capture.format == "png")
        document.look.capture = capture;
}

void perform(Document& document, const ChooseSweep& command)
{
    document.sweep = command.choice;
    document.sweep.begun = true;
}

void perform(Document& document, const OpenLine& command)
{
    document.opened_line = command.line;
}

void perform(Document& document, const ShowHelp& command)
{
    document.help = command.on;
}

void perform(Document& document, const ShowLog& command)
{
    document.log_open = command.on;
}

void perform(Document& document, const SetFolder& command)
{
    const std::filesystem::path chosen = std::filesystem::absolute(command.path);
    std::error_code ignored;
    if (!std::filesystem::is_directory(chosen, ignored))
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no folder {}.", command.path),
                    "Create it first, or choose another one.");
    document.folder = chosen;
}

void perform(Document& document, const Dismiss&)
{
    document.log.dismiss();
}

void perform(Document&, const Undo&) {}
void perform(Document&, const Redo&) {}
void perform(Document&, const Take&) {}
void perform(Document&, const SaveLab&) {}
void perform(Document&, const SaveText&) {}
void perform(Document&, const SaveSession&) {}
void perform(Document&, const CancelFiles&) {}
void perform(Document&, const StepLaunch&) {}
void perform(Document&, const ExplainElement&) {}
void perform(Document&, const RunProgram&) {}
void perform(Document&, const RunProgramOnGpu&) {}
void perform(Document&, const StopProgram&) {}
void perform(Document&, const OpenLaunch&) {}
void perform(Document&, const Close&) {}

// Called when a lab has been opened: applies the beat that requested it, or ends the lesson if the
// user chose another lab.
void enter_beat(Document& document)
{
    Presentation& presentation = document.presentation;
    const Beat* const beat = presentation.now();
    if (!beat) return;
    const bool lab_is_open = beat->scene.lab == document.start.lab;
    if (std::exchange(presentation.arriving, false) && lab_is_open) {
        apply_beat_scene(document);
    } else if (!presentation.talk->lesson_of.empty() && !lab_is_open) {
        presentation = {};
    }
}

} // namespace

void apply(Document& document, const Command& command)
{
    Document changed = document;
    command.visit([&](const auto& one) { perform(changed, one); });
    document = std::move(changed);
}

void arrive(Document& document, const Session& session, Wanted::Kind kind)
{
    const Document found = document_of(session);
    const labs::Lab& lab = found.lab();
    if (kind != Wanted::session)
        document.device = found.device; // session files do not change the
                                        // engine
    if (kind == Wanted::edit) return show_validated_edit(document, found);
    if (kind != Wanted::restart) {
        stash_texts(document, found);
        document.kernel_file = found.kernel_file;
    }
    document.start = found.start;
    document.variant = found.variant;
    // Keeps changes that were made in the meantime and wait for the next restart.
    const bool newer = kind == Wanted::restart && document.wanted &&
                       document.wanted->kind == Wanted::restart && !document.wanted->engine;
    if (!newer) document.values = found.values;
    document.strokes.clear();
    document.strokes_before = found.strokes_before;
    document.log.dismiss();
    document.saved_strokes = document.painted;
    document.opened_line = 0;
    if (kind == Wanted::session) {
        document.look = found.look;
        document.paused = found.paused;
        enter_beat(document);
    } else if (kind == Wanted::lab) {
        open_on_subject(document.look, lab, document.variant);
        document.look.step = {};
        document.paused = false;
        enter_beat(document);
    }
    if (kind == Wanted::restart) return;
    document.preset.reset();
    document.sweep = {};
    document.sweep.begun = document.sweep_is_open();
}

} // namespace lanescope::app
