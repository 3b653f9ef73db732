// See overlays.h.
#include "app/window/panels/overlays.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/document/keys.h"

namespace lanescope::app {

void help_overlay(const PanelStyle& style, ImVec2 at, ImVec2 size)
{
    const auto lines = key_help();
    const std::size_t rows = (lines.size() + 1) / 2;
    const ImVec2 box{std::min(size.x, style.em * 63),
                     std::min(size.y, style.em * (1.2F * static_cast<float>(rows) + 3))};
    const PanelScope panel("help", {at.x + (size.x - box.x) / 2, at.y + (size.y - box.y) / 2}, box,
                           ImGuiWindowFlags_NoFocusOnAppearing, true);
    heading(style, "Keys");
    if (!ImGui::BeginTable("keys", 4)) return;
    for (int half = 0; half < 2; ++half) {
        ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, style.em * 11);
        ImGui::TableSetupColumn("words");
    }
    for (std::size_t i = 0; i < rows; ++i) {
        ImGui::TableNextRow();
        for (const std::size_t line : {i, i + rows}) {
            ImGui::TableNextColumn();
            if (line < lines.size()) {
                const TextScope bold(style.fonts.bold, style.em, style.palette.accent);
                ImGui::TextUnformatted(lines[line].keys);
            }
            ImGui::TableNextColumn();
            if (line < lines.size()) plain_text(lines[line].words);
        }
    }
    ImGui::EndTable();
}

void lecture_number(const PanelStyle& style, const Readings& readings, ImVec2 at, ImVec2 size)
{
    const Headline headline = headline_of(readings);
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    const float large = std::min(style.em * 3.6F, size.y * 0.85F);
    const float small = std::round(large / 2.4F);
    const ImVec2 corner{at.x + style.em, at.y + (size.y - large) / 2};
    const float width =
        style.fonts.bold->CalcTextSizeA(large, FLT_MAX, 0, headline.number.c_str()).x;
    draw.AddText(style.fonts.bold, large, corner, ImGui::GetColorU32(style.palette.accent),
                 headline.number.c_str());
    constexpr float baseline = 0.8F; // of a line's height, from its top
    draw.AddText(style.fonts.plain, small,
                 {corner.x + width + style.em, corner.y + baseline * (large - small)},
                 ImGui::GetColorU32(style.palette.text), headline.meaning.c_str());
}

namespace {

// Lines no wider than that; the widget that lets text be selected breaks none itself.
std::string broken_into_lines(const std::string& text, float width)
{
    std::string lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string word = text.substr(at, end - at);
        const std::string longer = line.empty() ? word : line + ' ' + word;
        if (!line.empty() && ImGui::CalcTextSize(longer.c_str()).x > width) {
            lines += line + '\n';
            line = word;
        } else {
            line = longer;
        }
        at = end + 1;
    }
    return lines + line;
}

} // namespace

bool error_strip(const PanelStyle& style, const std::string& error, ImVec2 at, ImVec2 size)
{
    const TextScope warning(style.fonts.plain, style.em, style.palette.warning);
    const float button = style.em * 6.5F;
    std::string text = broken_into_lines(error, size.x - button - style.em * 4);
    const auto lines = static_cast<float>(1 + std::ranges::count(text, '\n'));
    const float height = std::min(size.y, style.em * (2.4F + 1.25F * std::max(lines, 2.0F)));
    const PanelScope panel("error", {at.x, at.y + size.y - height}, {size.x, height},
                           ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::InputTextMultiline("##error", text.data(), text.size() + 1,
                              {ImGui::GetContentRegionAvail().x - button - style.em, -FLT_MIN},
                              ImGuiInputTextFlags_ReadOnly);
    ImGui::SameLine();
    return ImGui::Button("Close (Esc)", {button, -FLT_MIN});
}

void notice_strip(const PanelStyle& style, const std::string& text, ImVec2 at, ImVec2 size)
{
    ImDrawList& draw = *ImGui::GetForegroundDrawList();
    const float height = style.em * 1.9F;
    const ImVec2 corner{at.x, at.y + size.y - height};
    draw.AddRectFilled(corner, {at.x + size.x, at.y + size.y},
                       ImGui::GetColorU32(style.palette.panel));
    draw.AddText(style.fonts.plain, style.em, {corner.x + style.em, corner.y + style.em * 0.4F},
                 ImGui::GetColorU32(style.palette.text), text.c_str());
}

void progress_overlay(const PanelStyle& style, const std::string& what, double share, ImVec2 at,
                      ImVec2 size)
{
    const ImVec2 box{std::min(size.x, style.em * 24), style.em * 4.4F};
    const PanelScope panel("progress", {at.x + (size.x - box.x) / 2, at.y + style.em * 2}, box,
                           ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs);
    plain_text(what);
    ImGui::ProgressBar(static_cast<float>(share), {-FLT_MIN, style.em * 1.2F});
}

void busy_overlay(const PanelStyle& style, const std::string& what, double seconds, ImVec2 at,
                  ImVec2 size)
{
    // A negative share makes the bar run back and forth.
    progress_overlay(style, fmt::format("{}: {:.0f} s", what, seconds), -ImGui::GetTime(), at,
                     size);
}

} // namespace lanescope::app
