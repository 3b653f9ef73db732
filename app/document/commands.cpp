// What each command does to the document.
#include "app/document/commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "compute/error.h"

namespace lanescope::app {
namespace {

constexpr float smallest_panel = 4; // em
constexpr float largest_panel = 60;

// The newest counts.
void want(Document& document, Wanted wanted)
{
    document.wanted = std::move(wanted);
}

// What waits to be opened takes the newest values along.
void want_restart(Document& document)
{
    if (!document.wanted) want(document, {Wanted::restart, document.lab().title});
}

const labs::Parameter& parameter(const labs::Lab& lab, const std::string& id)
{
    labs::Values(lab).text(id); // throws for what there is not
    return *lab.find_parameter(id);
}

void perform(Document& document, const ChooseVariant& command)
{
    labs::find_variant(document.lab(), command.id);
    if (document.variant == command.id) return;
    document.variant = command.id;
    document.look.request.site = -1; // a site is one of its kernel
    document.look.request.request = 0;
}

void perform(Document& document, const SetValue& command)
{
    labs::Values values(document.lab());
    values.set(command.id, command.text);
    const std::string text = values.text(command.id); // as it is written
    if (document.values[command.id] == text) return;
    document.values[command.id] = text;
    if (parameter(document.lab(), command.id).restarts) want_restart(document);
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
    document.preset = command.index;
}

void perform(Document& document, const Paint& command)
{
    document.strokes.push_back(command.stroke);
    document.saved = false;
}

void perform(Document& document, const Pause& command)
{
    document.paused = command.on;
}

void perform(Document& document, const StepOnce&)
{
    document.paused = true;
    ++document.single_steps;
}

void perform(Document& document, const Restart&)
{
    want_restart(document);
}

void perform(Document& document, const ChooseLab& command)
{
    const labs::Lab& lab = labs::find(command.lab);
    const std::string variant = command.variant.empty() ? lab.variants.front().id : command.variant;
    labs::find_variant(lab, variant);
    want(document, {Wanted::lab, lab.title, lab.id, variant});
}

void perform(Document& document, const ChooseEngine& command)
{
    want(document, {.kind = Wanted::restart,
                    .title = fmt::format("the engine {}", command.choice),
                    .engine = command.choice});
}

void perform(Document& document, const OpenFile& command)
{
    const std::filesystem::path file = command.path;
    want(document, {.kind = Wanted::session, .title = file.filename().string(), .file = file});
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

void perform(Document& document, const SetMapBlend& command)
{
    document.look.map_blend = std::clamp(command.blend, 0.0F, 1.0F);
}

void perform(Document& document, const SetMapScale& command)
{
    document.look.map_automatic = command.automatic;
}

void perform(Document& document, const ShowSubject& command)
{
    if (document.look.subject == command.subject) return;
    document.look.subject = command.subject;
    document.look.pan_zoom = {};
}

void perform(Document& document, const ShowMemory& command)
{
    document.look.memory = command.name;
    document.look.memory_warps = command.warps;
}

void perform(Document& document, const ShowRequest& command)
{
    document.look.request = {command.choice.site, std::max<std::int64_t>(command.choice.warp, 0),
                             std::max<std::int64_t>(command.choice.request, 0)};
}

void perform(Document& document, const Compare& command)
{
    if (!command.variant.empty()) labs::find_variant(document.lab(), command.variant);
    document.look.compare = command.variant;
}

void perform(Document& document, const ShowDifference& command)
{
    document.look.difference = command.on;
}

void perform(Document& document, const MoveDivider& command)
{
    document.look.swipe = std::clamp(command.to, 0.0F, 1.0F);
}

void perform(Document& document, const Turn& command)
{
    document.look.camera = command.camera;
}

void perform(Document& document, const Zoom& command)
{
    document.look.pan_zoom = command.to;
}

void perform(Document& document, const SetTheme& command)
{
    document.look.theme = command.light ? Theme::light : Theme::dark;
}

void perform(Document& document, const SetTextZoom& command)
{
    document.look.text_zoom = std::clamp(command.zoom, 0.5F, 3.0F);
}

void perform(Document& document, const Lecture& command)
{
    document.look.lecture = command.on;
}

// A panel that is folded away stays so: only its tab's key unfolds it.
void perform(Document& document, const SizePanel& command)
{
    PanelSizes& panels = document.look.panels;
    float& size = command.panel == "left"    ? panels.left
                  : command.panel == "right" ? panels.right
                                             : panels.bottom;
    if (size > 0) size = std::clamp(command.em, smallest_panel, largest_panel);
}

void perform(Document& document, const ShowTab& command)
{
    PanelSizes& panels = document.look.panels;
    if (command.tab.empty()) {
        panels.bottom = 0;
        return;
    }
    const bool is_text =
        command.tab == "timings" || command.tab == "source" || command.tab == "lesson";
    panels.bottom = std::max(panels.bottom, is_text ? 15.0F : 19.0F); // plots need height
    panels.bottom_tab = command.tab;
    document.sweep.begun |= command.tab == "sweep";
}

void perform(Document& document, const SetCapture& command)
{
    document.look.capture = command.choice;
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
                    "Make it first, or choose another one.");
    document.folder = chosen;
}

void perform(Document& document, const Dismiss&)
{
    document.log.dismiss();
}

void perform(Document&, const Undo&) {}
void perform(Document&, const Redo&) {}
void perform(Document&, const Take&) {}
void perform(Document&, const GiveUpFiles&) {}
void perform(Document&, const Close&) {}

} // namespace

void apply(Document& document, const Command& command)
{
    Document changed = document;
    std::visit([&](const auto& one) { perform(changed, one); }, command);
    document = std::move(changed);
}

void arrive(Document& document, const Session& session, Wanted::Kind kind)
{
    const Document found = document_of(session);
    const labs::Lab& lab = found.lab();
    if (kind != Wanted::session) document.device = found.device; // files do not change the engine
    document.start = found.start;
    document.variant = found.variant;
    // What was changed meanwhile and waits for the next restart stays.
    const bool newer = kind == Wanted::restart && document.wanted &&
                       document.wanted->kind == Wanted::restart && !document.wanted->engine;
    if (!newer) document.values = found.values;
    document.strokes.clear();
    document.strokes_before = found.strokes_before;
    document.log.dismiss();
    document.saved = true;
    document.opened_line = 0;
    if (kind == Wanted::session) {
        document.look = found.look;
        document.paused = found.paused;
    } else if (kind == Wanted::lab) {
        document.look.view = lab.views.front();
        document.look.pan_zoom = {};
        document.look.memory.clear();
        document.look.request = {};
        document.look.compare.clear();
        document.paused = false;
    }
    if (kind == Wanted::restart) return;
    document.preset.reset();
    document.sweep = {};
    document.sweep.begun = document.sweep_is_open();
}

} // namespace lanescope::app
