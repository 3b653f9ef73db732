// Shared appearance of panels: colours, fonts and the height of a line of text.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <string>
#include <string_view>

#include "app/window/gui/theme.h"

namespace lanescope::app {

struct PanelStyle {
    const Palette& palette;
    const Fonts& fonts;
    float em; // height of plain text in points
};

// Width of one line of text in pixels; 0 at a size that Dear ImGui cannot draw: it rounds sizes to
// whole pixels, and aborts the program at 0.
inline constexpr float min_size_px = 1;
inline float width_of(ImFont* font, float size_px, std::string_view words)
{
    if (size_px < min_size_px) return 0;
    return font->CalcTextSizeA(size_px, FLT_MAX, 0, words.data(), words.data() + words.size()).x;
}

// The size, at most `size_px`, at which the words fit on one line of `room` pixels; 0 if they never
// do.
inline float fitting(ImFont* font, float size_px, std::string_view words, float room)
{
    const float wide = width_of(font, size_px, words);
    const float size = wide > room ? size_px * std::max(room, 0.0F) / wide : size_px;
    return size < min_size_px ? 0 : size;
}

// Font, size and colour of text.
struct Writing {
    ImFont* font = nullptr;
    float size_px = 0;
    ImVec4 colour{};
};

// Draws words at a position; draws nothing at a size too small.
inline void draw_words(ImDrawList& draw, const Writing& writing, ImVec2 at, std::string_view words)
{
    if (writing.size_px >= min_size_px)
        draw.AddText(writing.font, writing.size_px, at, ImGui::GetColorU32(writing.colour),
                     words.data(), words.data() + words.size());
}

// Centre of the last widget.
inline ImVec2 item_centre()
{
    const ImVec2 from = ImGui::GetItemRectMin();
    const ImVec2 to = ImGui::GetItemRectMax();
    return {(from.x + to.x) / 2, (from.y + to.y) / 2};
}

// Lines no wider than `room` pixels, broken only at spaces: Dear ImGui would also break "6.97"
// after its point. A wider word gets its own line.
std::string broken_into_lines(ImFont* font, float size_px, std::string_view words, float room);

// Text in another font, size or colour until the end of the scope.
class TextScope {
public:
    TextScope(ImFont* font, float size_px, ImVec4 colour)
    {
        ImGui::PushFont(font, size_px);
        ImGui::PushStyleColor(ImGuiCol_Text, colour);
    }
    ~TextScope()
    {
        ImGui::PopStyleColor();
        ImGui::PopFont();
    }
    TextScope(const TextScope&) = delete;
    TextScope& operator=(const TextScope&) = delete;
};

// Widget ids in their own namespace until the end of the scope.
class IdScope {
public:
    explicit IdScope(const std::string& id) { ImGui::PushID(id.c_str()); }
    ~IdScope() { ImGui::PopID(); }
    IdScope(const IdScope&) = delete;
    IdScope& operator=(const IdScope&) = delete;
};

// A fixed part of the window that holds widgets, until the end of the scope. With `in_front`, it is
// above the others.
class PanelScope {
public:
    PanelScope(const char* name, ImVec2 at, ImVec2 size, ImGuiWindowFlags more = 0,
               bool in_front = false)
    {
        ImGui::SetNextWindowPos(at);
        ImGui::SetNextWindowSize(size);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, in_front ? 1.0F : 0.0F);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1}); // Dear ImGui's is 32 pixels
        ImGui::Begin(name, nullptr,
                     ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                         ImGuiWindowFlags_NoSavedSettings |
                         (in_front ? 0 : ImGuiWindowFlags_NoBringToFrontOnFocus) | more);
        ImGui::PopStyleVar(2);
    }
    ~PanelScope() { ImGui::End(); }
    PanelScope(const PanelScope&) = delete;
    PanelScope& operator=(const PanelScope&) = delete;
};

inline void plain_text(std::string_view text)
{
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
}

inline void quiet_text(const PanelStyle& style, std::string_view text)
{
    const TextScope quiet(style.fonts.plain, style.em * 0.93F, style.palette.quiet);
    plain_text(text);
}

inline void heading(const PanelStyle& style, std::string_view text)
{
    const TextScope bold(style.fonts.bold, style.em, style.palette.text);
    plain_text(text);
}

} // namespace lanescope::app
