// Labs and rungs; the chosen variant shows its idea.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/measure/measurements.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// The time of a variant's step, at the right of its row: measured here, or recorded.
struct RungTime {
    std::string words{};
    bool fastest = false;
};

// In milliseconds; 0 if unknown.
double step_time_ms(const View& view, const labs::Variant& variant)
{
    if (view.frame.engine.has_clock) return view.frame.step_ms(variant.id).median;
    const auto recorded = recorded_time(view, variant.id);
    return recorded ? recorded->median_ms : 0;
}

// A full-width row: a small key or number, then the title; the chosen one in the accent colour.
bool rung(const PanelStyle& style, const std::string& key, const labs::Variant& variant,
          bool chosen, const RungTime& time)
{
    const IdScope id(variant.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = style.em * 1.5F;
    const bool clicked = ImGui::Selectable("##rung", chosen, 0, {width, height});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 back = ImGui::GetColorU32(chosen ? style.palette.accent : style.palette.raised);
    const ImVec4 ink = chosen ? style.palette.on_accent : style.palette.quiet;
    const float box = style.em * 1.2F;
    const ImVec2 corner{at.x + style.em * 0.2F, at.y + (height - box) / 2};
    draw.AddRectFilled(corner, {corner.x + box, corner.y + box}, back, style.em * 0.2F);
    const ImVec2 size = style.fonts.bold->CalcTextSizeA(style.em * 0.95F, FLT_MAX, 0, key.c_str());
    draw_words(draw, {style.fonts.bold, style.em * 0.95F, ink},
               {corner.x + (box - size.x) / 2, corner.y + (box - size.y) / 2}, key);
    ImFont* const font = chosen ? style.fonts.bold : style.fonts.plain;
    const float left = corner.x + box + style.em * 0.5F;
    ImFont* const time_font = time.fastest ? style.fonts.bold : style.fonts.plain;
    const float beside = width_of(time_font, style.em, time.words) + style.em;
    // The title is more important: a long one leaves out the time.
    const bool has_time = !time.words.empty() &&
                          width_of(font, style.em, variant.title) <= at.x + width - left - beside;
    const float em =
        fitting(font, style.em, variant.title, at.x + width - left - (has_time ? beside : 0));
    draw_words(draw, {font, em, style.palette.text}, {left, at.y + (height - em) / 2},
               variant.title);
    if (has_time)
        draw_words(
            draw, {time_font, style.em, time.fastest ? style.palette.text : style.palette.quiet},
            {at.x + width - beside + 0.7F * style.em, at.y + (height - style.em) / 2}, time.words);
    return clicked;
}

void rungs(const View& view, const labs::Lab& lab, Commands& out)
{
    const labs::Variant& chosen = labs::find_variant(lab, view.document.variant);
    // Times may give away the answer to one of the talk's questions, also a later one.
    const bool asks = view.document.presentation.talk != nullptr;
    double fastest = 0;
    std::shared_ptr<const Measured> recorded;
    for (const labs::Variant* one : lab.rungs()) {
        const double time = asks || one->wrong ? 0 : step_time_ms(view, *one);
        if (time > 0 && (fastest == 0 || time < fastest)) fastest = time;
        if (time > 0 && !recorded) recorded = recorded_time(view, one->id);
    }
    const auto offer = [&](const std::string& key, const labs::Variant& variant) {
        const bool shown = &variant == &chosen;
        const double ms = asks ? 0 : step_time_ms(view, variant);
        const RungTime time{ms > 0 ? format_time(ms) : "", ms > 0 && ms == fastest};
        if (rung(view.style, key, variant, shown, time) && !shown)
            out.push_back(ChooseVariant{variant.id});
        view.ui.places[variant.id] = item_centre();
        // An idea may give away the answer to a lesson's question.
        if (shown && !view.document.presentation.asks()) quiet_text(view.style, variant.idea);
    };
    const auto numbered = lab.rungs();
    for (std::size_t i = 0; i < numbered.size(); ++i) {
        const labs::Variant& variant = *numbered[i];
        offer(std::to_string(i + 1), variant);
        // A fix without a number of its own is listed below its mistake while either is shown.
        const labs::Variant* const fixed = lab.find_variant(variant.fixed);
        if (fixed && fixed->index == variant.index + 1 && (fixed == &chosen || &variant == &chosen))
            offer("G", *fixed);
    }
    if (!recorded) return;
    std::string words =
        fmt::format("times per step, {}, {}", short_device(recorded->on.device), recorded->on.date);
    for (const auto& [id, text] : recorded->values)
        if (lab.dram_sized.contains(id)) words += fmt::format(", {} {}", id, readable(text));
    quiet_text(view.style, words);
}

// All listed labs, plus the current one if it is not among them.
std::vector<const labs::Lab*> listed(const labs::Lab& shown)
{
    auto all = labs::listed();
    if (std::ranges::find(all, shown.origin(), &labs::Lab::place) == all.end())
        all.push_back(&shown);
    return all;
}

// Labs under the heading of their topic, in the order of the list.
struct Topic {
    std::string title;
    std::vector<const labs::Lab*> labs;
};

bool matches_search(const labs::Lab& lab, std::string_view typed)
{
    const auto holds = [&](std::string_view text) {
        return std::ranges::search(text, typed, [](unsigned char a, unsigned char b) {
                   return std::tolower(a) == std::tolower(b);
               }).begin() != text.end();
    };
    return typed.empty() || holds(lab.title) || holds(lab.topic) || holds(lab.question) ||
           holds(lab.id);
}

std::vector<Topic> topics_of(const std::vector<const labs::Lab*>& labs, std::string_view typed)
{
    std::vector<Topic> topics;
    for (const labs::Lab* one : labs) {
        if (!matches_search(*one, typed)) continue;
        const std::string title = one->topic.empty() ? "Your own" : one->topic;
        auto topic = std::ranges::find(topics, title, &Topic::title);
        if (topic == topics.end()) topic = topics.insert(topics.end(), {title, {}});
        topic->labs.push_back(one);
    }
    return topics;
}

// The topics in columns of about the same height. Returns the clicked lab; null if none.
const labs::Lab* draw_topics(const View& view, const std::vector<Topic>& topics, float wide,
                             int columns)
{
    const PanelStyle& style = view.style;
    constexpr float heading_rows = 1.5F;
    const labs::Lab* clicked = nullptr;
    float rows = 0;
    for (const Topic& topic : topics) rows += heading_rows + static_cast<float>(topic.labs.size());
    const float most = std::max(rows / static_cast<float>(columns), 4.0F);
    float filled = 0;
    ImGui::BeginGroup();
    for (std::size_t i = 0; i < topics.size(); ++i) {
        const float more = heading_rows + static_cast<float>(topics[i].labs.size());
        if (filled > 0 && filled + more / 2 > most) {
            ImGui::EndGroup();
            ImGui::SameLine(0, style.em);
            ImGui::BeginGroup();
            filled = 0;
        }
        filled += more;
        {
            const TextScope quiet(style.fonts.plain, 0.93F * style.em, style.palette.quiet);
            ImGui::TextUnformatted(topics[i].title.c_str());
        }
        for (const labs::Lab* one : topics[i].labs) {
            const IdScope id(one->place);
            const bool chosen = one->place == view.document.lab().origin();
            const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                                 style.palette.text);
            if (ImGui::Selectable(with_ellipsis(one->title, wide).c_str(), chosen, 0, {wide, 0}))
                clicked = one;
            view.ui.places["lab " + one->id] = item_centre();
            if (ImGui::IsItemHovered() || ImGui::IsItemFocused())
                view.ui.status = {{"", one->question}};
        }
    }
    ImGui::EndGroup();
    return clicked;
}

} // namespace

void lab_list(const View& view, float width, Commands& out)
{
    const PanelStyle& style = view.style;
    const labs::Lab& chosen = view.document.lab();
    ImGui::SetNextItemWidth(width);
    const float inner = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    const bool open = ImGui::BeginCombo("##lab", with_ellipsis(chosen.title, inner).c_str(),
                                        ImGuiComboFlags_HeightLargest);
    if (!open) {
        view.ui.places["lab list"] = item_centre();
        if (ImGui::IsItemHovered())
            view.ui.status = {{"", "all labs, by topic; type to search"},
                              {"Ctrl PageDown", "the next"},
                              {"", chosen.question}};
        return;
    }
    std::string& typed = view.ui.lab_search;
    if (ImGui::IsWindowAppearing()) {
        typed.clear();
        ImGui::SetKeyboardFocusHere();
    }
    constexpr float column_em = 15;
    const float room = ImGui::GetIO().DisplaySize.x - 4 * style.em;
    const int columns = std::clamp(static_cast<int>(room / ((column_em + 1) * style.em)), 1, 3);
    const float wide = std::min(column_em * style.em, room);
    ImGui::SetNextItemWidth(static_cast<float>(columns) * (wide + style.em) - style.em);
    const bool entered =
        ImGui::InputTextWithHint("##search", "type to search, Enter opens the first", &typed,
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    const auto topics = topics_of(listed(chosen), typed);
    const labs::Lab* clicked = draw_topics(view, topics, wide, columns);
    if (topics.empty()) quiet_text(style, "No lab is called that; ? searches everything.");
    if (entered && !topics.empty()) clicked = topics.front().labs.front();
    if (clicked) {
        if (clicked->place != chosen.origin()) out.push_back(ChooseLab{clicked->place, {}});
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndCombo();
}

void rungs_panel(const View& view, Commands& out)
{
    rungs(view, view.document.lab(), out);
}

void labs_panel(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const labs::Lab& shown = view.document.lab();
    for (const labs::Lab* place : listed(shown)) {
        const labs::Lab& one = *place;
        const bool chosen = one.place == shown.origin();
        const IdScope id(one.id);
        {
            const TextScope text(chosen ? style.fonts.bold : style.fonts.plain, style.em,
                                 style.palette.text);
            if (ImGui::Selectable(one.title.c_str(), false) && !chosen)
                out.push_back(ChooseLab{one.place, {}});
            if (!one.question.empty()) ImGui::SetItemTooltip("%s", one.question.c_str());
        }
        if (!chosen) continue;
        rungs(view, shown, out); // including edited ones
        ImGui::Dummy({0, style.em * 0.4F});
    }
}

} // namespace lanescope::app
