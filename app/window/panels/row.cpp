// Measures and draws a row's entries.
#include "app/window/panels/row.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lanescope::app {
namespace {

constexpr float key_size = 0.9F; // relative to the title; bold, because thin letters look pale
constexpr float key_gap_em = 0.3F;
constexpr float gap_em = 0.75F; // between entries
constexpr float icon_em = 1.0F;
constexpr float height_em = 1.3F;
constexpr float more_em = 1.6F; // width of the list's button

// Measured in bold, so that nothing moves when an entry is chosen.
float entry_width(const PanelStyle& style, const RowEntry& entry, bool keys)
{
    const float em = style.em;
    const bool icon = entry.icon != RowEntry::Icon::none;
    const float title = icon ? icon_em * em : width_of(style.fonts.bold, em, entry.title);
    if (!keys || entry.key.empty()) return title;
    return title + key_gap_em * em + width_of(style.fonts.bold, key_size * em, entry.key);
}

void draw_icon(ImDrawList& draw, RowEntry::Icon icon, ImVec2 middle, float em, ImU32 colour)
{
    const float r = 0.36F * em;
    if (icon == RowEntry::Icon::run) {
        draw.AddTriangleFilled({middle.x - 0.7F * r, middle.y - r},
                               {middle.x - 0.7F * r, middle.y + r}, {middle.x + r, middle.y},
                               colour);
    } else if (icon == RowEntry::Icon::pause) {
        for (const float side : {-1.0F, 1.0F})
            draw.AddRectFilled({middle.x + (0.5F * side - 0.25F) * r, middle.y - r},
                               {middle.x + (0.5F * side + 0.25F) * r, middle.y + r}, colour);
    } else {
        constexpr int teeth = 8;
        draw.AddCircle(middle, 0.66F * r, colour, 0, 0.42F * r);
        for (int i = 0; i < teeth; ++i) {
            const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(i) / teeth;
            const ImVec2 way{std::cos(angle), std::sin(angle)};
            draw.AddLine({middle.x + 0.8F * r * way.x, middle.y + 0.8F * r * way.y},
                         {middle.x + 1.25F * r * way.x, middle.y + 1.25F * r * way.y}, colour,
                         0.36F * r);
        }
    }
}

bool draw_entry(const View& view, const RowEntry& entry, bool keys)
{
    const PanelStyle& style = view.style;
    const float em = style.em;
    const IdScope id(entry.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{std::max(entry_width(style, entry, keys), 1.0F), height_em * em};
    const bool clicked = ImGui::InvisibleButton("entry", size, ImGuiButtonFlags_EnableNav);
    view.ui.places[entry.id] = item_centre();
    describe_item(view, entry.help, entry.key);
    const ImVec4 colour = entry.chosen             ? style.palette.accent
                          : ImGui::IsItemHovered() ? style.palette.text
                                                   : style.palette.quiet;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    ImFont* const font = entry.chosen ? style.fonts.bold : style.fonts.plain;
    const float top = at.y + (size.y - em) / 2;
    float right = at.x;
    if (entry.icon == RowEntry::Icon::none) {
        draw_words(draw, {font, em, colour}, {at.x, top}, entry.title);
        right += width_of(font, em, entry.title);
    } else {
        draw_icon(draw, entry.icon, {at.x + icon_em * em / 2, at.y + size.y / 2}, em,
                  ImGui::GetColorU32(colour));
        right += icon_em * em;
    }
    if (keys && !entry.key.empty())
        draw_words(draw, {style.fonts.bold, key_size * em, style.palette.quiet},
                   {right + key_gap_em * em, top + em * (1 - key_size)}, entry.key);
    if (entry.chosen)
        draw.AddRectFilled({at.x, at.y + size.y - 0.1F * em}, {at.x + size.x, at.y + size.y},
                           ImGui::GetColorU32(style.palette.accent));
    return clicked;
}

// The number of entries that fit beside the list of the others.
std::size_t fitting_entries(const PanelStyle& style, std::span<const RowEntry> entries, float room)
{
    float used = more_em * style.em;
    std::size_t count = 0;
    while (count < entries.size()) {
        used += entry_width(style, entries[count], false) + gap_em * style.em;
        if (used > room) break;
        ++count;
    }
    return count;
}

} // namespace

float row_width(const PanelStyle& style, std::span<const RowEntry> entries, bool keys)
{
    float width = 0;
    for (const RowEntry& entry : entries)
        width += entry_width(style, entry, keys) + gap_em * style.em;
    return std::max(0.0F, width - gap_em * style.em);
}

std::optional<std::size_t> draw_row(const View& view, std::span<const RowEntry> entries, float room)
{
    const PanelStyle& style = view.style;
    const bool keys = row_width(style, entries, true) <= room;
    const bool all = keys || row_width(style, entries, false) <= room;
    const std::size_t count = all ? entries.size() : fitting_entries(style, entries, room);
    std::vector<std::size_t> shown(count);
    for (std::size_t i = 0; i < count; ++i) shown[i] = i;
    // The chosen entry is always visible.
    for (std::size_t i = count; i < entries.size() && count > 0; ++i)
        if (entries[i].chosen) shown.back() = i;
    std::optional<std::size_t> clicked;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) ImGui::SameLine(0, gap_em * style.em);
        if (draw_entry(view, entries[shown[i]], keys)) clicked = shown[i];
    }
    if (all || room < more_em * style.em) return clicked;
    if (count > 0) ImGui::SameLine(0, gap_em * style.em);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.3F * style.em, 0.12F * style.em});
    ImGui::SetNextItemWidth(more_em * style.em);
    if (ImGui::BeginCombo("##more", "…", ImGuiComboFlags_NoArrowButton)) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (std::ranges::find(shown, i) != shown.end()) continue;
            const RowEntry& entry = entries[i];
            const std::string words = entry.title + (entry.key.empty() ? "" : "  " + entry.key);
            if (ImGui::Selectable(words.c_str(), entry.chosen)) clicked = i;
            describe_item(view, entry.help, entry.key);
        }
        ImGui::EndCombo();
    }
    ImGui::PopStyleVar();
    return clicked;
}

} // namespace lanescope::app
