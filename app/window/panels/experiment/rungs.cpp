// The variants as rungs with their keys, and recorded or predicted times; the chosen one shows its
// idea.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/measure/measurements.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "compute/counting/gpus.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// A full-width row: a small key or number, the title and, at the right, the time; the chosen one in
// the accent colour.
bool rung(const PanelStyle& style, const std::string& key, const labs::Variant& variant,
          const std::string& time, bool chosen)
{
    const IdScope id(variant.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = style.em * 1.4F;
    const bool clicked = ImGui::Selectable("##rung", chosen, 0, {width, height});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 back = ImGui::GetColorU32(chosen ? style.palette.accent : style.palette.raised);
    const ImVec4 ink = chosen ? style.palette.text_on_accent : style.palette.quiet;
    const float box = style.em * 1.2F;
    const ImVec2 corner{at.x + style.em * 0.2F, at.y + (height - box) / 2};
    draw.AddRectFilled(corner, {corner.x + box, corner.y + box}, back, style.em * 0.2F);
    const ImVec2 size = style.fonts.bold->CalcTextSizeA(style.em * 0.95F, FLT_MAX, 0, key.c_str());
    draw_words(draw, {style.fonts.bold, style.em * 0.95F, ink},
               {corner.x + (box - size.x) / 2, corner.y + (box - size.y) / 2}, key);
    ImFont* const font = chosen ? style.fonts.bold : style.fonts.plain;
    const float left = corner.x + box + style.em * 0.5F;
    const float small = 0.93F * style.em;
    const float time_px = time.empty() ? 0 : width_of(style.fonts.plain, small, time);
    float room = at.x + width - left;
    // A long title keeps its size and its row to itself.
    if (time_px > 0 && width_of(font, style.em, variant.title) + style.em + time_px <= room) {
        draw_words(draw,
                   {style.fonts.plain, small, chosen ? style.palette.text : style.palette.quiet},
                   {at.x + width - time_px, at.y + (height - small) / 2}, time);
        room -= time_px;
    }
    const float em = fitting(font, style.em, variant.title, room);
    draw_words(draw, {font, em, style.palette.text}, {left, at.y + (height - em) / 2},
               variant.title);
    return clicked;
}

// True until the talk's last question about this variant is answered: its idea may give away the
// answer.
bool withholds_idea(const Presentation& presentation, const std::string& lab,
                    const std::string& variant)
{
    if (!presentation.talk) return false;
    const auto& beats = presentation.talk->beats;
    for (std::size_t i = presentation.beat; i < beats.size(); ++i) {
        const bool is_open = i > presentation.beat || !presentation.revealed;
        if (is_open && !beats[i].question.empty() && beats[i].scene.lab == lab &&
            beats[i].scene.variant == variant)
            return true;
    }
    return false;
}

std::string tooltip_of(const std::optional<RecordedTime>& recorded,
                       const std::optional<PredictedStep>& predicted)
{
    std::string words;
    if (recorded)
        words =
            fmt::format("Recorded: {} per {}\n{}", recorded->time, recorded->per, recorded->source);
    if (predicted) words += (words.empty() ? "" : "\n") + predicted->tooltip();
    return words;
}

void rungs(const View& view, const labs::Lab& lab, Commands& out)
{
    const labs::Variant& chosen = labs::find_variant(lab, view.document.variant);
    bool any_predicted = false;
    std::string recorded_at; // "recorded on H100 at size 8,192"
    const auto offer = [&](const std::string& key, const labs::Variant& variant) {
        const bool shown = &variant == &chosen;
        const auto recorded = recorded_time(view.document, view.frame, variant.id);
        const auto predicted = shown_prediction(view.document, view.frame, variant.id);
        const bool shows_predicted = !recorded && predicted;
        any_predicted |= shows_predicted;
        if (recorded && recorded_at.empty() && !recorded->size.empty())
            recorded_at =
                fmt::format("{}recorded on {} at {}", recorded->per == "frame" ? "per frame, " : "",
                            recorded->device, recorded->size);
        const std::string time = recorded          ? recorded->time
                                 : shows_predicted ? "≈ " + format_time(predicted->ms)
                                                   : "";
        if (rung(view.style, key, variant, time, shown) && !shown)
            out.push_back(ChooseVariant{variant.id});
        view.ui.places[variant.id] = item_centre();
        if ((recorded || predicted) && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
            ImGui::SetTooltip("%s", tooltip_of(recorded, predicted).c_str());
        const std::string compares = shown ? "" : "Shift " + key + " compares";
        if (recorded)
            describe_item(view,
                          fmt::format("{}: {} on {}{}", variant.title, recorded->time,
                                      recorded->device,
                                      recorded->size.empty() ? "" : " at " + recorded->size),
                          compares);
        else if (shows_predicted)
            describe_item(view,
                          fmt::format("{}: {}", variant.title,
                                      prediction_words(view.document, view.frame, variant.id)),
                          compares);
        else if (!shown)
            describe_item(view, variant.title, compares);
        if (shown && !withholds_idea(view.document.presentation, lab.id, variant.id))
            quiet_text(view.style, variant.idea);
    };
    const auto numbered = lab.rungs();
    for (std::size_t i = 0; i < numbered.size(); ++i) {
        const labs::Variant& variant = *numbered[i];
        offer(std::to_string(i + 1), variant);
        // A fix without its own number is listed below its mistake while either is shown.
        const labs::Variant* const fixed = lab.find_variant(variant.fixed);
        if (fixed && fixed->index == variant.index + 1 && (fixed == &chosen || &variant == &chosen))
            offer("G", *fixed);
    }
    // Dear ImGui would also break a number after its comma.
    if (!recorded_at.empty())
        quiet_text(view.style, broken_into_lines(view.style.fonts.plain, view.style.em, recorded_at,
                                                 ImGui::GetContentRegionAvail().x));
    if (any_predicted)
        quiet_text(view.style, fmt::format("≈ predicted for {} at these values",
                                           counting::simulated_gpu().name));
}

} // namespace

std::optional<RecordedTime> recorded_time(const Document& document, const Frame& frame,
                                          const std::string& variant)
{
    const labs::Lab& lab = document.lab();
    const Presentation& talk = document.presentation;
    if (talk.asks() || talk.withholds_time(lab.id, variant)) return {};
    const auto shown = shown_measurements(frame.engine.has_clock);
    const Measured* const one =
        shown ? shown->shown_of_variant(lab.id, document.values, variant) : nullptr;
    if (!one) return {};
    const std::string size = size_in_words(lab, *one);
    const auto frame_ms = shown->frame_ms(*one);
    return RecordedTime{format_time(frame_ms.value_or(one->median_ms)), model_of(one->on.device),
                        size, (size.empty() ? "" : "at " + size + " ") + "on " + one->on.words(),
                        frame_ms ? "frame" : "step"};
}

std::string fastest_words(const Document& document, const Frame& frame)
{
    const labs::Lab& lab = document.lab();
    const auto shown = shown_measurements(frame.engine.has_clock);
    const Measured* const own =
        shown ? shown->shown_of_variant(lab.id, document.values, document.variant) : nullptr;
    if (!own || document.presentation.talk || !lab.opens.no_ladder.empty()) return {};
    const Measured* best = own;
    const labs::Variant* fastest = nullptr; // null: the variant itself
    std::size_t compared = 1;
    for (const labs::Variant* rung : lab.rungs()) {
        if (rung->id == document.variant || rung->wrong || !rung->fault.empty()) continue;
        const Measured* const one = shown->shown_of_variant(lab.id, document.values, rung->id);
        if (!one || one->on.device != own->on.device || one->values != own->values) continue;
        ++compared;
        if (one->median_ms >= best->median_ms) continue;
        best = one;
        fastest = rung;
    }
    constexpr double noticeable = 0.95; // of the time
    if (compared == 1 || (fastest && best->median_ms > noticeable * own->median_ms)) return {};
    if (!fastest) return fmt::format("the fastest of {}", compared);
    return fmt::format("fastest: {}, {}", fastest->title, format_time(best->median_ms));
}

void variants_panel(const View& view, Commands& out)
{
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0.5F * view.style.em, 0.1F * view.style.em});
    rungs(view, view.document.lab(), out);
    ImGui::PopStyleVar();
}

} // namespace lanescope::app
