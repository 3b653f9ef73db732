// A fault in place of the picture, as large as possible: the sentence at its source line, and the
// key that leads to the fixed variant.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/document/editing.h"
#include "app/document/values/text_lines.h"
#include "app/window/editor/text/highlight.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/source_heat.h"
#include "compute/python_source.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

// One source line after its number; wrapped if it is too long.
void source_line(const PanelStyle& style, float px, int number, std::string_view text, bool bad)
{
    const float numbers = 2.2F * px;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float high =
        style.fonts.code
            ->CalcTextSizeA(px, FLT_MAX, width - numbers, text.data(), text.data() + text.size())
            .y;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    if (bad) {
        ImVec4 back = style.palette.fault;
        back.w = 0.12F;
        draw.AddRectFilled({at.x - 0.3F * px, at.y}, {at.x + width, at.y + std::max(high, px)},
                           ImGui::GetColorU32(back));
    }
    const TextScope code(style.fonts.code, px, bad ? style.palette.fault : style.palette.quiet);
    ImGui::TextUnformatted(fmt::format("{:>2}", number).c_str());
    ImGui::SameLine(numbers);
    ImGui::PushStyleColor(ImGuiCol_Text, style.palette.text);
    plain_text(text.empty() ? " " : text);
    ImGui::PopStyleColor();
}

void sentence(const PanelStyle& style, float px, const std::string& text)
{
    ImGui::Indent(2.2F * px);
    {
        const TextScope bold(style.fonts.bold, px, style.palette.fault);
        plain_text(text);
    }
    ImGui::Unindent(2.2F * px);
    ImGui::Dummy({0, 0.3F * px});
}

bool wrong_in(const Document& document, const Frame& frame)
{
    return frame.fault && frame.a.variant && frame.a.variant->id == document.variant;
}

} // namespace

bool shows_fault(const Document& document, const Frame& frame)
{
    return document.lab().placeholder || wrong_in(document, frame);
}

bool is_fault_overlay(const Document& document, const Frame& frame, const std::string& error)
{
    return wrong_in(document, frame) && frame.fault->message == error;
}

// A Python script of which nothing has run, and how to run it.
static void script_panel(const View& view, Commands& out)
{
    const ProgramShown& program = view.ui.program;
    const std::string name = printable(std::string(edited_text(view.document).file));
    if (view.document.kernel_file.empty())
        return plain_text(
            fmt::format("Only the text of {} is here. Open the file to run it.", name));
    if (program.frame && program.frame->state == ProgramFrame::State::running)
        return plain_text(fmt::format("{} is running.", name));
    plain_text(
        fmt::format("Running {0} imports it, which is host code and not sandboxed: it has your "
                    "permissions, for up to five minutes. It runs only when you ask for it, and "
                    "then again each time you save it, until you close it.",
                    name));
    ImGui::Dummy({0, 0.3F * view.style.em});
    if (ImGui::Button(fmt::format("Run {} (Ctrl R)###run", name).c_str()))
        out.push_back(RunProgram{});
    view.ui.places["run_script"] = item_centre();
}

// Why nothing in the file can run yet, and how to change that.
static void placeholder_panel(const View& view, const Area& area, Commands& out)
{
    constexpr std::size_t max_errors = 4;
    const PanelStyle& style = view.style;
    const float px = picture_text(view.document.look, style.em);
    const PanelScope panel("fault", area.at, area.size, ImGuiWindowFlags_NoFocusOnAppearing);
    const EditedText edited = edited_text(view.document);
    {
        const TextScope title(style.fonts.bold, 1.3F * px, style.palette.text);
        plain_text(std::string(edited.file));
    }
    ImGui::Dummy({0, 0.3F * px});
    const auto complaints = complaints_of(view.document, edited.file);
    const auto lines = lines_of(edited.text);
    std::size_t shown = 0;
    bool header = !view.document.include_folders.empty();
    for (const Complaint* one : complaints) {
        if (one->warning || is_stale(view.document)) continue;
        if (shown++ == max_errors) break;
        if (one->line > 0 && one->line <= std::ssize(lines))
            source_line(style, px, one->line, lines[static_cast<std::size_t>(one->line) - 1], true);
        sentence(style, px, one->sentence);
        header |= one->sentence.starts_with("There is no header");
    }
    const TextScope words(style.fonts.plain, px, style.palette.text);
    if (is_python_source(edited.file)) return script_panel(view, out);
    if (shown == 0 && (is_stale(view.document) || !view.document.bench.outcome))
        plain_text("It is being compiled.");
    else if (shown == 0)
        plain_text(view.document.bench.outcome->sentence);
    ImGui::Dummy({0, 0.3F * px});
    if (header) include_folders(view, out);
    ImGui::Dummy({0, 0.3F * px});
    plain_text("Fix it here (Ctrl E) or in another editor: it opens as soon as it compiles.");
}

void fault_panel(const View& view, const Area& area, Commands& out)
{
    if (view.document.lab().placeholder) return placeholder_panel(view, area, out);
    const PanelStyle& style = view.style;
    const labs::Lab& lab = *view.frame.a.lab;
    const labs::Variant& variant = *view.frame.a.variant;
    const trace::Fault& fault = *view.frame.fault;
    const float px = picture_text(view.document.look, style.em);
    const PanelScope panel("fault", area.at, area.size, ImGuiWindowFlags_NoFocusOnAppearing);
    {
        const TextScope title(style.fonts.bold, 1.3F * px, style.palette.text);
        plain_text((view.document.look.lecture ? lab.title + ": " : "") + variant.title);
    }
    if (!headline_over_fault(view, area) && !view.document.look.lecture) {
        const Headline headline = headline_of(view.document, view.frame);
        const TextScope number(style.fonts.bold, px, style.palette.fault);
        plain_text(fmt::format("{} {} · {}", headline.number, headline.meaning, headline.ideal));
    }
    {
        const TextScope asked(style.fonts.plain, px, style.palette.text);
        plain_text(lab.question);
    }
    if (!view.document.look.lecture) quiet_text(style, view.frame.engine.reason);
    ImGui::Dummy({0, 0.3F * px});

    const auto lines = lines_of(lab.source(variant));
    const int bad = fault_line(view.frame);
    if (bad < 1 || bad > std::ssize(lines)) {
        sentence(style, px, fault.message);
    } else {
        // Number of source lines that fit beside the message, including the fault's.
        const float line_px = ImGui::GetStyle().ItemSpacing.y + 1.2F * px;
        const float room = ImGui::GetContentRegionAvail().y - 9 * px;
        const int shown = std::max(3, static_cast<int>(room / line_px));
        const int last = std::min(static_cast<int>(lines.size()), std::max(bad + 2, shown));
        const int first = std::max(1, last - shown + 1);
        for (int number = std::min(first, bad); number <= last; ++number) {
            source_line(style, px, number, lines[static_cast<std::size_t>(number) - 1],
                        number == bad);
            if (number == bad) sentence(style, px, fault.message);
        }
    }
    if (const labs::Variant* const fixed = lab.find_variant(variant.fixed)) {
        ImGui::Dummy({0, 0.3F * px});
        {
            const TextScope key(style.fonts.bold, px, style.palette.accent);
            ImGui::TextUnformatted("G");
        }
        ImGui::SameLine();
        const TextScope words(style.fonts.plain, px, style.palette.text);
        plain_text(fixed->title);
    }
}

} // namespace lanescope::app
