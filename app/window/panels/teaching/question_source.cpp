// The kernel that an open question is about, to its left: the code without its comments, which may
// give the answer away, and without counts.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/document/values/text_lines.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

// Parts of the area's width, and text sizes in em: a longer kernel takes more of the area.
constexpr std::array<std::pair<float, float>, 4> source_sizes{
    {{0.43F, 1}, {0.43F, 0.93F}, {0.5F, 0.93F}, {0.56F, 0.93F}}};
constexpr float min_source_area_em = 44; // narrower areas show the question alone
constexpr float line_pitch = 1.22F;      // relative to the text size
constexpr std::size_t source_indent = 4; // columns per level in the source, and as drawn
constexpr std::size_t drawn_indent = 2;
constexpr std::size_t max_level = 5;

// The line without its linkage, its comment and trailing blanks.
std::string uncommented(std::string_view line)
{
    constexpr std::string_view linkage = "extern \"C\" ";
    if (line.starts_with(linkage)) line.remove_prefix(linkage.size());
    line = line.substr(0, line.find("//"));
    const std::size_t end = line.find_last_not_of(" \t\r");
    return std::string(line.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

// The lines of code, and those of the kernel: from its declaration to its closing brace.
struct KernelCode {
    std::vector<std::string> lines;
    std::size_t kernel = 0;
    std::size_t end = 0;
};

KernelCode kernel_code(const labs::Lab& lab, const labs::Variant& variant)
{
    KernelCode code;
    for (const std::string_view text : lines_of(lab.source(variant))) {
        std::string line = uncommented(text);
        if (line.empty()) continue;
        if (line.find(variant.kernel + "(") != std::string::npos) code.kernel = code.lines.size();
        code.lines.push_back(std::move(line));
    }
    const auto from = code.lines.begin() + static_cast<std::ptrdiff_t>(code.kernel);
    const auto brace = std::find(from, code.lines.end(), "}");
    code.end = static_cast<std::size_t>(brace - code.lines.begin()) + (brace != code.lines.end());
    return code;
}

// Breaks a line of code at blanks so that no part has more columns than there are; its continuation
// is indented further.
void append_wrapped(const std::string& line, std::size_t columns, std::vector<std::string>& out)
{
    const std::size_t blanks = line.find_first_not_of(' ');
    // Parameters below an opening bracket move to the left.
    const std::size_t level = blanks / source_indent;
    const std::string indent((level > max_level ? 1 : level) * drawn_indent, ' ');
    std::string rest = indent + line.substr(blanks);
    while (rest.size() > columns) {
        std::size_t at = rest.rfind(' ', columns);
        if (at == std::string::npos || at <= indent.size() + 2 * drawn_indent) at = columns;
        out.push_back(rest.substr(0, at));
        rest.erase(0, std::min(rest.find_first_not_of(' ', at), rest.size()));
        rest = indent + std::string(2 * drawn_indent, ' ') + rest;
        if (rest.find_first_not_of(' ') == std::string::npos) return;
    }
    out.push_back(std::move(rest));
}

// As much of the file as fits on that many lines: all of it, or the kernel with the helpers before
// it, or the kernel alone, whose end may be left out.
std::vector<std::string> wrapped_code(const KernelCode& code, std::size_t columns, std::size_t room)
{
    std::vector<std::string> lines;
    for (const auto& [first, end] : {std::pair<std::size_t, std::size_t>{0, code.lines.size()},
                                     {0, code.end},
                                     {code.kernel, code.end}}) {
        lines.clear();
        for (std::size_t i = first; i < end; ++i) append_wrapped(code.lines[i], columns, lines);
        if (lines.size() <= room) break;
    }
    return lines;
}

} // namespace

Area beside_question_source(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const labs::Lab& lab = view.document.lab();
    const labs::Variant* const variant = lab.find_variant(view.document.variant);
    if (!variant || area.size.x < min_source_area_em * style.em) return area;
    const KernelCode code = kernel_code(lab, *variant);
    if (code.lines.empty()) return area;

    const float margin = style.em;
    const float top = area.at.y + 2.6F * style.em;
    float px = style.em;
    float width = 0;
    std::size_t room = 0;
    std::vector<std::string> lines;
    for (const auto& [share, em] : source_sizes) {
        px = em * style.em;
        width = std::round(share * area.size.x);
        const float column = width_of(style.fonts.code, px, "0");
        const auto columns =
            static_cast<std::size_t>(std::max(16.0F, std::floor((width - 2 * margin) / column)));
        room = static_cast<std::size_t>(
            std::max(1.0F, (area.at.y + area.size.y - margin - top) / (line_pitch * px) - 1));
        lines = wrapped_code(code, columns, room);
        if (lines.size() <= room) break;
    }
    if (lines.size() > room) {
        lines.resize(room);
        lines.back() = "…";
    }
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_words(draw, {style.fonts.bold, px, style.palette.text}, {area.at.x + margin, top},
               variant->title);
    float y = top + 1.5F * px;
    for (const std::string& line : lines) {
        draw_words(draw, {style.fonts.code, px, style.palette.text}, {area.at.x + margin, y}, line);
        y += line_pitch * px;
    }
    draw.AddLine({area.at.x + width, area.at.y + 2 * style.em},
                 {area.at.x + width, area.at.y + area.size.y - margin},
                 ImGui::GetColorU32(style.palette.line));
    return {{area.at.x + width, area.at.y}, {area.size.x - width, area.size.y}};
}

} // namespace lanescope::app
