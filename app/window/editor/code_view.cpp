// The kernel's text with a gutter: the number of each line, and one metric in large type as heat.
// If there is room, the other metrics get columns; tooltips show all of them. A click opens the
// line's PTX. A double click, or Ctrl E, starts editing; from then on clicks set the caret.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/document/editing.h"
#include "app/measure/ratios.h"
#include "app/run/debug/debug_frame.h"
#include "app/window/editor/cross_highlight.h"
#include "app/window/editor/text/editing.h"
#include "app/window/interaction/stepping.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"
#include "render/views/colours/colour_maps.h"

namespace lanescope::app {
namespace {

constexpr float code_size = 0.95F;  // relative to the panel's text
constexpr float row_height = 1.32F; // relative to the code's text
constexpr int min_columns = 40;     // columns of text before metrics get their own columns

// Horizontal layout of the panel, in points from its left edge.
struct PanelSheet {
    float px = 0;      // text size of the code
    float advance = 0; // width of a column
    float numbers = 0; // right edge of the line numbers
    float heat = 0;    // left edge of the heat cell …
    float heat_end = 0;
    float text = 0; // left edge of the text
    int columns = 0;
    struct Column {
        const LineMetric* metric; // null: divergent branches
        float end;
    };
    std::vector<Column> metrics{};
};

constexpr const char* divergent_title = "divergent";

float width_of(const PanelStyle& style, ImFont* font, float px, const char* words)
{
    return font->CalcTextSizeA(px, FLT_MAX, 0, words).x + 0.6F * style.em;
}

PanelSheet measured(const View& view, float room)
{
    const PanelStyle& style = view.style;
    const LineMetric& chosen = line_metric(view.document.look.code.heat);
    PanelSheet sheet;
    sheet.px = std::max(code_size * style.em, view.document.look.lecture ? style.em : 0.0F);
    sheet.advance = style.fonts.code->CalcTextSizeA(sheet.px, FLT_MAX, 0, "0").x;
    const int digits = view.ui.code.sheet.line_count() > 999 ? 5 : 3;
    sheet.numbers = (static_cast<float>(digits) + 0.3F) * sheet.advance;
    sheet.heat = sheet.numbers + 0.5F * sheet.advance;
    sheet.heat_end = sheet.heat + width_of(style, style.fonts.bold, sheet.px, chosen.widest);
    sheet.text = sheet.heat_end + 0.8F * sheet.advance;
    const auto columns_in = [&](float width) {
        return static_cast<int>(std::floor(width / sheet.advance));
    };
    std::vector<PanelSheet::Column> all;
    float end = room - 0.1F * style.em; // a letter's ink may be wider than its advance
    const auto add = [&](const LineMetric* metric, const char* title) {
        all.push_back({metric, end});
        end -= std::max(width_of(style, style.fonts.plain, sheet.px, title),
                        width_of(style, style.fonts.plain, sheet.px, "88.88×"));
    };
    add(nullptr, divergent_title);
    for (const LineMetric& metric : line_metrics())
        if (&metric != &chosen && !metric.is_extra) add(&metric, metric.column);
    const bool wide = columns_in(end - sheet.text) >= min_columns;
    if (wide) sheet.metrics = std::move(all);
    sheet.columns = std::max(columns_in((wide ? end : room) - sheet.text), 8);
    return sheet;
}

ImVec4 colour_of(const Palette& palette, TokenKind ink)
{
    switch (ink) {
    case TokenKind::plain: return palette.text;
    case TokenKind::comment: return palette.quiet;
    case TokenKind::keyword: return palette.keyword;
    case TokenKind::type: return palette.type;
    case TokenKind::cuda: return palette.cuda;
    case TokenKind::number: return palette.number;
    case TokenKind::string: return palette.string;
    }
    return palette.text;
}

// A row and its upper left corner on screen.
struct PlacedRow {
    const CodeRow& row;
    ImVec2 at;
    float height = 0;
};

// Draws a row's part of its line, span by span.
void draw_text(const PanelStyle& style, const PanelSheet& sheet, const PlacedRow& placed,
               std::string_view line, const std::vector<TokenSpan>& inks)
{
    const CodeRow& row = placed.row;
    const ImVec2 at{placed.at.x + sheet.text, placed.at.y};
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    int column = row.indent;
    const auto piece = [&](std::uint32_t begin, std::uint32_t end, TokenKind ink) {
        begin = std::max(begin, row.begin);
        end = std::min(end, row.end);
        if (begin >= end) return;
        const std::string_view text = line.substr(begin, end - begin);
        if (text.find_first_not_of(" \t") != std::string_view::npos) {
            const float x = at.x + static_cast<float>(column) * sheet.advance;
            draw.AddText(style.fonts.code, sheet.px, {x, at.y},
                         ImGui::GetColorU32(colour_of(style.palette, ink)), text.data(),
                         text.data() + text.size());
        }
        column += columns_of_text(text);
    };
    std::uint32_t done = row.begin;
    for (const TokenSpan& span : inks) {
        if (span.end <= done) continue;
        if (span.begin >= row.end) break;
        piece(done, span.begin, TokenKind::plain);
        piece(std::max(done, span.begin), span.end, span.ink);
        done = std::max(done, span.end);
    }
    piece(done, row.end, TokenKind::plain);
}

void right_aligned_text(ImFont* font, float px, ImVec2 end, ImVec4 colour, const std::string& words)
{
    if (words.empty()) return;
    const float width = font->CalcTextSizeA(px, FLT_MAX, 0, words.c_str()).x;
    ImGui::GetWindowDrawList()->AddText(font, px, {end.x - width, end.y},
                                        ImGui::GetColorU32(colour), words.c_str());
}

// Has the colours of the heatmap; the number is black or white, whichever contrasts more.
void heat_cell(const PanelStyle& style, const PanelSheet& sheet, const PlacedRow& placed,
               const LineMetric& metric, const SourceLine& line)
{
    const float heat = metric.heat(line);
    const ImVec2 at = placed.at;
    constexpr float min_heat = 0.01F;
    ImVec4 ink = style.palette.text;
    if (heat > min_heat) {
        const render::Colour c =
            metric.colour ? metric.colour(line) : colour_at(render::ColourMap::excess, heat);
        ImGui::GetWindowDrawList()->AddRectFilled({at.x + sheet.heat, at.y},
                                                  {at.x + sheet.heat_end, at.y + placed.height},
                                                  IM_COL32(c.red, c.green, c.blue, 255));
        const auto linear = [](std::uint8_t byte) {
            return std::pow(static_cast<float>(byte) / 255, 2.2F);
        };
        const float light =
            0.2126F * linear(c.red) + 0.7152F * linear(c.green) + 0.0722F * linear(c.blue);
        ink = light > 0.18F ? ImVec4{0, 0, 0, 1} : ImVec4{1, 1, 1, 1};
    }
    right_aligned_text(style.fonts.bold, sheet.px, {at.x + sheet.heat_end - 0.25F * sheet.px, at.y},
                       ink, metric.words(line));
}

// Tooltip with the numbers of a line.
void explain(const SourceLine& line)
{
    if (!line.counted()) return;
    std::string text;
    for (const LineMetric& metric : line_metrics())
        if (const std::string words = metric.words(line); !words.empty())
            text += fmt::format("{}  {}\n", words, metric.meaning);
    if (line.global.requests)
        text +=
            fmt::format("global: {}, {}, ideal {}\n", counted(line.global.requests, "request"),
                        counted(line.global.sectors, "sector"), grouped(line.global.ideal_sectors));
    if (line.served.read())
        text += fmt::format("sectors read from L1: {}, from L2: {}, from DRAM: {} (model)\n",
                            grouped(line.served.l1), grouped(line.served.l2),
                            grouped(line.served.dram));
    if (line.shared.requests)
        text += fmt::format("shared: {}, {}, ideal {}\n", counted(line.shared.requests, "request"),
                            counted(line.shared.wavefronts, "wavefront"),
                            grouped(line.shared.ideal_wavefronts));
    if (line.modelled.requests) {
        text += fmt::format("texels, local memory: {}", counted(line.modelled.requests, "request"));
        if (line.modelled.modelled_sectors)
            text += fmt::format(", {} by a model of the layout",
                                counted(line.modelled.modelled_sectors, "sector"));
        text += "\n";
    }
    if (line.branches.executions)
        text += fmt::format("branches: {}, divergent {}\n", grouped(line.branches.executions),
                            grouped(line.branches.divergent));
    text += "Counts of the PTX. Click to show it and its SASS.";
    ImGui::SetTooltip("%s", text.c_str());
}

void instruction_row(const View& view, const PanelSheet& sheet, ImVec2 at, const CodeRow& row,
                     const SourceLine& line)
{
    const PanelStyle& style = view.style;
    const SourceLine::Instruction& one = line.instructions[row.of];
    draw_text(style, sheet, {row, at}, one.ptx, highlight_ptx(one.ptx));
    if (!row.first) return;
    // Wraps the instruction in a line, to reuse the text for lines.
    SourceLine alone{{}, {}, {}, {}};
    const bool branch = one.counts.requests == 0;
    (branch                                                             ? alone.branches
     : one.counts.ideal_wavefronts > 0 && one.counts.ideal_sectors == 0 ? alone.shared
                                                                        : alone.global) =
        one.counts;
    alone.served = one.served;
    alone.instructions.push_back(one);
    const LineMetric& chosen = line_metric(view.document.look.code.heat);
    right_aligned_text(style.fonts.plain, sheet.px,
                       {at.x + sheet.heat_end - 0.25F * sheet.px, at.y}, style.palette.quiet,
                       chosen.words(alone));
    for (const auto& [metric, end] : sheet.metrics)
        right_aligned_text(style.fonts.plain, sheet.px, {at.x + end, at.y}, style.palette.quiet,
                           metric ? metric->words(alone) : alone.divergent_words());
}

// In the stepping mode: marks the selected warp's line, lines where other warps are, and
// breakpoints.
void stepped_marks(const View& view, const PanelSheet& sheet, const PlacedRow& placed)
{
    const DebugFrame* const frame = view.ui.stepped.frame.get();
    if (!frame || view.ui.code.editing) return;
    const auto& [row, at, height] = placed;
    const int number = row.line + 1;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    bool current = false;
    bool others = false;
    for (const simt::WarpView& warp : frame->warps)
        for (const simt::PathView& path : warp.paths) {
            if (path.in_source().line != number) continue;
            const bool shown = warp.warp == frame->shown && &path == &warp.paths.front();
            current |= shown;
            others |= !shown;
        }
    ImVec4 back = view.style.palette.accent;
    back.w = 0.25F;
    const float wide = ImGui::GetContentRegionAvail().x;
    if (current)
        draw.AddRectFilled({at.x, at.y}, {at.x + std::max(wide, sheet.text), at.y + height},
                           ImGui::GetColorU32(back));
    else if (others)
        draw.AddRectFilled({at.x, at.y}, {at.x + 0.25F * sheet.px, at.y + height},
                           ImGui::GetColorU32(view.style.palette.quiet));
    if (row.first && std::ranges::find(frame->breakpoints, number, &Breakpoint::line) !=
                         frame->breakpoints.end())
        draw.AddCircleFilled({at.x + 0.28F * sheet.px, at.y + height / 2}, 0.26F * sheet.px,
                             ImGui::GetColorU32(view.style.palette.warning));
}

void code_row(const View& view, const PanelSheet& sheet, const PlacedRow& placed,
              Highlight highlight)
{
    const auto& [row, at, height] = placed;
    const PanelStyle& style = view.style;
    const CodeSheet& code = view.ui.code.sheet;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const SourceLine* const line = code.counts(row.line);
    stepped_marks(view, sheet, placed);
    if (highlight != Highlight::no) {
        const float wide = 0.3F * sheet.px;
        draw.AddRectFilled({at.x + sheet.heat_end + 0.1F * sheet.advance, at.y},
                           {at.x + sheet.heat_end + 0.1F * sheet.advance + wide, at.y + height},
                           ImGui::GetColorU32(style.palette.accent));
    }
    draw_text(style, sheet, placed, code.line(row.line), code.inks(row.line));
    if (!row.first) return;
    right_aligned_text(style.fonts.code, sheet.px, {at.x + sheet.numbers, at.y},
                       highlight == Highlight::wrote ? style.palette.accent : style.palette.quiet,
                       std::to_string(row.line + 1));
    if (!line) return;
    const LineMetric& chosen = line_metric(view.document.look.code.heat);
    heat_cell(style, sheet, placed, chosen, *line);
    for (const auto& [metric, end] : sheet.metrics)
        right_aligned_text(style.fonts.plain, sheet.px, {at.x + end, at.y}, style.palette.text,
                           metric ? metric->words(*line) : line->divergent_words());
}

// x coordinate of a byte in a row, from the panel's left edge.
float x_of(const CodeSheet& code, const PanelSheet& sheet, const CodeRow& row, std::size_t byte)
{
    const std::string_view line = code.line(row.line);
    const std::size_t from = std::min<std::size_t>(row.begin, byte);
    const int columns = row.indent + columns_of_text(line.substr(from, byte - from));
    return sheet.text + static_cast<float>(columns) * sheet.advance;
}

// Draws frames around the search results in a row.
void draw_matches(const View& view, const PanelSheet& sheet, const PlacedRow& placed,
                  const std::vector<CodeMatch>& matches)
{
    const CodeRow& row = placed.row;
    const ImVec2 at = placed.at;
    const float height = placed.height;
    const CodeSheet& code = view.ui.code.sheet;
    auto match = std::ranges::lower_bound(matches, row.line, {}, &CodeMatch::line);
    for (; match != matches.end() && match->line == row.line; ++match) {
        const std::uint32_t begin = std::max(match->begin, row.begin);
        const std::uint32_t end = std::min(match->end, row.end);
        if (begin >= end) continue;
        const auto x = [&](std::uint32_t byte) { return at.x + x_of(code, sheet, row, byte); };
        const bool current =
            static_cast<std::size_t>(match - matches.begin()) == view.ui.code.match;
        ImGui::GetWindowDrawList()->AddRect({x(begin) - 1, at.y}, {x(end) + 1, at.y + height},
                                            ImGui::GetColorU32(view.style.palette.accent), 0, 0,
                                            (current ? 0.18F : 0.07F) * sheet.px);
    }
}

void note_row(const View& view, const PanelSheet& sheet, ImVec2 at, const CodeRow& row)
{
    const PanelStyle& style = view.style;
    const CodeSheet& code = view.ui.code.sheet;
    const CodeNote& note = code.notes()[row.of];
    const ImVec4 colour = note.kind == CodeNote::Kind::error  ? style.palette.warning
                          : note.kind == CodeNote::Kind::cost ? style.palette.type
                                                              : style.palette.quiet;
    ImFont* const font = note.kind == CodeNote::Kind::detail ? style.fonts.code : style.fonts.plain;
    const std::string_view text = code.text_of(row);
    ImGui::GetWindowDrawList()->AddText(
        font, sheet.px, {at.x + sheet.text + static_cast<float>(row.indent) * sheet.advance, at.y},
        ImGui::GetColorU32(colour), text.data(), text.data() + text.size());
}

// Draws the selected part of a row, and the caret if it is in this row.
void draw_selection(const View& view, const PanelSheet& sheet, ImVec2 at, float height,
                    const CodeRow& row)
{
    const CodeState& state = view.ui.code;
    const CodeSheet& code = state.sheet;
    const std::size_t begin = code.start_of(row.line);
    const std::size_t first = begin + row.begin;
    const std::size_t last = begin + row.end;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const auto x = [&](std::size_t place) {
        return at.x + x_of(code, sheet, row, std::clamp(place, first, last) - begin);
    };
    const Caret& caret = state.caret;
    const bool over_end = caret.end() > last && row.last; // the line break is selected, too
    if (caret.begin() < caret.end() && caret.begin() <= last && caret.end() >= first)
        draw.AddRectFilled({x(caret.begin()), at.y},
                           {x(caret.end()) + (over_end ? 0.5F * sheet.advance : 0), at.y + height},
                           ImGui::GetColorU32(ImGuiCol_TextSelectedBg));
    const bool here = caret.at >= first && (row.last ? caret.at <= last : caret.at < last);
    if (here)
        draw.AddRectFilled({x(caret.at) - 0.06F * sheet.px, at.y},
                           {x(caret.at) + 0.06F * sheet.px, at.y + height},
                           ImGui::GetColorU32(view.style.palette.accent));
}

// Underlines the word that a complaint refers to.
void draw_underlines(const View& view, const PanelSheet& sheet, ImVec2 at, float height,
                     const CodeRow& row)
{
    const CodeSheet& code = view.ui.code.sheet;
    const std::string_view line = code.line(row.line);
    for (const CodeNote& note : code.notes()) {
        if (note.line != row.line || note.column <= 0) continue;
        const std::size_t begin = std::min(static_cast<std::size_t>(note.column) - 1, line.size());
        Caret word;
        select_word(line, word, begin);
        const std::size_t end = std::max(word.end(), std::min(begin + 1, line.size()));
        if (begin < row.begin || begin >= row.end) continue;
        const float y = at.y + height - 0.08F * sheet.px;
        ImGui::GetWindowDrawList()->AddLine(
            {at.x + x_of(code, sheet, row, begin), y},
            {at.x + x_of(code, sheet, row, std::min<std::size_t>(end, row.end)), y},
            ImGui::GetColorU32(view.style.palette.warning), 0.12F * sheet.px);
    }
}

// Draws the titles over the columns.
void column_titles(const View& view, const PanelSheet& sheet)
{
    if (sheet.metrics.empty()) return;
    const PanelStyle& style = view.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const auto title = [&](float end, const char* words) {
        right_aligned_text(style.fonts.plain, sheet.px, {at.x + end, at.y}, style.palette.quiet,
                           words);
    };
    const LineMetric& chosen = line_metric(view.document.look.code.heat);
    const float wide = style.fonts.bold->CalcTextSizeA(sheet.px, FLT_MAX, 0, chosen.column).x;
    ImGui::GetWindowDrawList()->AddText(style.fonts.bold, sheet.px,
                                        {at.x + std::max(0.0F, sheet.heat_end - wide), at.y},
                                        ImGui::GetColorU32(style.palette.text), chosen.column);
    for (const auto& [metric, end] : sheet.metrics)
        title(end, metric ? metric->column : divergent_title);
    ImGui::Dummy({1, row_height * sheet.px});
}

// Places widgets next to each other, and breaks the line at the right edge.
class Flow {
public:
    explicit Flow(float gap)
        : left_(ImGui::GetCursorPosX()), right_(left_ + ImGui::GetContentRegionAvail().x),
          x_(left_), gap_(gap)
    {
    }
    void place(float width)
    {
        if (x_ > left_ && x_ + width > right_) x_ = left_;
        if (x_ > left_) ImGui::SameLine(x_);
        x_ += width + gap_;
    }
    float rest() const { return right_ - x_; }

private:
    float left_, right_, x_, gap_;
};

float button_width(const char* words)
{
    return ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// While the search is open, press_in_code() edits the needle: no key is lost to a focus change.
void find_field(const View& view)
{
    const PanelStyle& style = view.style;
    CodeState& code = view.ui.code;
    if (!code.finding) return;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
        !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
        code.finding = false;
    const auto& matches = code.sheet.find(code.needle);
    const std::string found = code.needle.empty() ? "Esc: done"
                              : matches.empty()
                                  ? "not found"
                                  : fmt::format("{} of {}", code.match + 1, matches.size());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x - 7 * style.em, 6 * style.em);
    const float height = 1.5F * style.em;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg));
    const char* const words = code.needle.empty() ? "find (Enter: next)" : code.needle.c_str();
    const ImVec4 ink = code.needle.empty() ? style.palette.quiet : style.palette.text;
    const ImVec2 text{at.x + 0.4F * style.em, at.y + 0.2F * style.em};
    draw.PushClipRect(at, {at.x + width, at.y + height}, true);
    draw.AddText(style.fonts.plain, style.em, text, ImGui::GetColorU32(ink), words);
    draw.PopClipRect();
    const float caret = style.fonts.plain
                            ->CalcTextSizeA(style.em, FLT_MAX, 0, code.needle.c_str(),
                                            code.needle.c_str() + code.needle_caret.at)
                            .x;
    draw.AddRectFilled({text.x + caret, text.y},
                       {text.x + caret + 0.1F * style.em, text.y + style.em},
                       ImGui::GetColorU32(style.palette.accent));
    ImGui::Dummy({width, height});
    ImGui::SameLine();
    quiet_text(style, found);
}

// Chooses the metric of the gutter.
void choose_heat(const CodeChoice& now, Flow& flow, Commands& out)
{
    float widest = 0;
    for (const LineMetric& metric : line_metrics())
        widest = std::max(widest, button_width(metric.title));
    widest += ImGui::GetFrameHeight();
    flow.place(widest);
    ImGui::SetNextItemWidth(widest);
    if (!ImGui::BeginCombo("##heat", line_metric(now.heat).title)) return;
    for (const LineMetric& metric : line_metrics())
        if (ImGui::Selectable(metric.title, metric.id == now.heat)) {
            CodeChoice choice = now;
            choice.heat = metric.id;
            out.push_back(PlaceCode{choice});
        }
    ImGui::EndCombo();
}

// Chooses how an edited text is compiled and validated.
void choose_compiling(const Workbench& bench, Flow& flow, Commands& out)
{
    const auto box = [&](const char* words, bool is, const char* help) {
        flow.place(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                   ImGui::CalcTextSize(words).x);
        const bool changed = ImGui::Checkbox(words, &is);
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) ImGui::SetTooltip("%s", help);
        return changed;
    };
    if (box("compile as you type", bench.automatic,
            "Compiles when you pause; when off, Ctrl Enter compiles."))
        out.push_back(SetAutomaticCompiling{!bench.automatic});
    if (box("validate on the CPU first", bench.careful,
            "The lockstep machine runs new code first, with all checks; code that faults or "
            "does not end never runs on the GPU."))
        out.push_back(SetCareful{!bench.careful});
}

// Draws title, metric and other controls; in the strip, which has tabs, only the editor's buttons.
void header(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const Document& document = view.document;
    CodeState& state = view.ui.code;
    const CodeChoice& now = document.look.code;
    const TextScope text(style.fonts.plain, style.em, style.palette.text);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0.4F * style.em, 0.14F * style.em});
    Flow flow(ImGui::GetStyle().ItemSpacing.x);
    const labs::Variant* const variant = document.lab().find_variant(document.variant);
    const bool begun = edited_text(document).newer && variant && variant->edited.empty();
    const std::string title =
        variant ? variant->title + (begun ? " (edited)" : "") : view.frame.a.variant->title;
    const auto button = [&](const char* words) {
        flow.place(button_width(words));
        return ImGui::Button(words);
    };
    {
        const TextScope bold(style.fonts.bold, style.em, style.palette.text);
        flow.place(ImGui::CalcTextSize(title.c_str()).x);
        ImGui::TextUnformatted(title.c_str());
    }
    choose_heat(now, flow, out);
    if (state.editing) {
        if (button("Done (Esc)")) state.editing = false;
        choose_compiling(document.bench, flow, out);
    } else if (!document.look.lecture) {
        if (button("Edit (Ctrl E)")) begin_editing(state, document);
        if (button("Find (Ctrl F)")) state.finding = true;
    }
    if (now.beside() && !document.look.lecture && button("×")) {
        CodeChoice choice = now;
        choice.place = CodePlace::strip;
        out.push_back(PlaceCode{choice});
    }
    ImGui::PopStyleVar();
}

// The edit status goes below the code, so that the text does not move.
float footer_height(const View& view, const std::string& words)
{
    if (words.empty()) return 0;
    const float room = ImGui::GetContentRegionAvail().x;
    const float px = view.style.em;
    return view.style.fonts.plain->CalcTextSizeA(px, FLT_MAX, room, words.c_str()).y + 0.5F * px;
}

void footer(const View& view, const EditStatus& status)
{
    if (status.words.empty()) return;
    const TextScope text(view.style.fonts.plain, view.style.em,
                         status.wrong ? view.style.palette.warning : view.style.palette.text);
    plain_text(status.words);
}

// The byte of the text under the mouse; `top` is the position of the first row.
std::size_t byte_under_mouse(const CodeState& state, const PanelSheet& sheet, ImVec2 top,
                             float height)
{
    const CodeSheet& code = state.sheet;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto count = static_cast<int>(code.rows().size());
    int at = std::clamp(static_cast<int>(std::floor((mouse.y - top.y) / height)), 0, count - 1);
    while (at > 0 && code.rows()[static_cast<std::size_t>(at)].kind != CodeRow::Kind::code) --at;
    const CodeRow& row = code.rows()[static_cast<std::size_t>(at)];
    const auto column =
        static_cast<int>(std::floor((mouse.x - top.x - sheet.text) / sheet.advance + 0.5F));
    const std::string_view shown = code.text_of(row);
    return code.start_of(row.line) + row.begin + byte_at_column(shown, column - row.indent);
}

// Sets the caret and the selection with the mouse; a double click starts editing.
void handle_mouse_on_text(const View& view, const PanelSheet& sheet, ImVec2 top, float height)
{
    CodeState& state = view.ui.code;
    const bool hovered = ImGui::IsWindowHovered();
    const bool twice = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    if (!state.editing && !twice) return;
    if (state.editing && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !hovered &&
        !ImGui::IsAnyItemHovered())
        state.editing = false; // clicked elsewhere: keys go to the program again
    if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        if (!state.editing) begin_editing(state, view.document);
        state.to_caret = false;
        const std::size_t at = byte_under_mouse(state, sheet, top, height);
        state.caret.at = at;
        if (!ImGui::GetIO().KeyShift) state.caret.anchor = at;
        state.caret.column = -1;
        if (twice) select_word(state.sheet.text(), state.caret, at);
        state.dragging = !twice;
    }
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state.dragging = false;
    if (state.dragging) state.caret.at = byte_under_mouse(state, sheet, top, height);
}

// A click opens a counted line or, left of the text in the stepping mode, sets a breakpoint.
// Occupies the row's space in the list; returns true if the mouse is on it.
bool handle_row(const View& view, const PanelSheet& sheet, const CodeRow& row, ImVec2 size,
                Commands& out)
{
    const CodeState& state = view.ui.code;
    const SourceLine* const line = state.sheet.counts(row.line);
    const bool is_code = row.kind == CodeRow::Kind::code;
    const DebugFrame* const stepped = view.ui.stepped.frame.get();
    const bool in_gutter =
        ImGui::GetIO().MousePos.x < ImGui::GetCursorScreenPos().x + sheet.numbers;
    const int number = row.line + 1;
    if (!state.editing && is_code && row.first && line && line->counted()) {
        const bool opened = view.document.opened_line == number;
        if (ImGui::Selectable("##line", false, 0, size) && !(stepped && in_gutter))
            out.push_back(OpenLine{opened ? 0 : number});
    } else {
        ImGui::Dummy(size);
    }
    if (!ImGui::IsItemHovered()) return false;
    if (stepped && is_code && in_gutter && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        if (const int at = breakpoint_line(*stepped, number); at > 0)
            out.push_back(ToggleBreakpoint{at});
    if (line && is_code && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) explain(*line);
    return true;
}

void draw_row(const View& view, const PanelSheet& sheet, const CodeRow& row, ImVec2 at,
              float height)
{
    CodeState& state = view.ui.code;
    const CodeSheet& code = state.sheet;
    const SourceLine* const line = code.counts(row.line);
    switch (row.kind) {
    case CodeRow::Kind::ptx: return instruction_row(view, sheet, at, row, *line);
    case CodeRow::Kind::sass:
        return draw_text(view.style, sheet, {row, at, height}, line->instructions[row.of].sass, {});
    case CodeRow::Kind::note: {
        note_row(view, sheet, at, row);
        const std::string& detail = code.notes()[row.of].detail;
        if (!detail.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", detail.c_str());
        return;
    }
    case CodeRow::Kind::code: break;
    }
    if (state.editing) draw_selection(view, sheet, at, height, row);
    code_row(view, sheet, {row, at, height}, highlight_of(state, view.frame.a, line));
    draw_underlines(view, sheet, at, height, row);
}

// Lays out only visible rows. Returns the line under the mouse, from 1; 0: none.
int rows(const View& view, const PanelSheet& sheet, Commands& out)
{
    CodeState& state = view.ui.code;
    const CodeSheet& code = state.sheet;
    const std::vector<CodeMatch> none;
    const auto& matches = state.finding ? state.sheet.find(state.needle) : none;
    const float height = std::round(row_height * sheet.px);
    int pointed = 0;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const float width = ImGui::GetContentRegionAvail().x;
    handle_mouse_on_text(view, sheet, ImGui::GetCursorScreenPos(), height);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(code.rows().size()), height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const CodeRow& row = code.rows()[static_cast<std::size_t>(i)];
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const IdScope id(std::to_string(i));
            if (handle_row(view, sheet, row, {width, height}, out)) pointed = row.line + 1;
            draw_row(view, sheet, row, at, height);
            if (row.kind == CodeRow::Kind::code)
                draw_matches(view, sheet, {row, at, height}, matches);
        }
    ImGui::PopStyleVar();
    return pointed;
}

// Scrolls a row into view with a few rows around it; from far away, or with `to_top`, to a third
// from the top.
void scroll_to(int row, float height, bool to_top)
{
    constexpr float around = 3; // rows
    const float y = static_cast<float>(row) * height;
    const float top = ImGui::GetScrollY();
    const float seen = ImGui::GetWindowHeight();
    const float margin = std::min(around * height, seen / 3);
    const float low = y + height + margin - seen; // the smallest scroll that shows it
    if (to_top)
        ImGui::SetScrollY(y);
    else if (y < top - seen / 2 || y > top + 1.5F * seen)
        ImGui::SetScrollY(std::max(0.0F, y - seen / 3));
    else if (y - margin < top)
        ImGui::SetScrollY(std::max(0.0F, y - margin));
    else if (low > top)
        ImGui::SetScrollY(low);
}

} // namespace

namespace {

// Shows the text in the editor with the current counts. If these belong to the version that the
// text was edited from, only lines in both texts get counts.
void show_text(const View& view)
{
    const EditedText edited = edited_text(view.document);
    const SideFrame& side = view.frame.a;
    if (view.ui.code.editing) sync_code_state(view.ui.code, edited.text);
    const bool counts_match = edited.begun || side.variant->id == edited.variant;
    const std::string_view counted = counts_match ? side.lab->source(*side.variant) : edited.text;
    view.ui.code.sheet.show(edited.text, counted, side.variant->source,
                            counts_match ? side.trace : nullptr, side.served);
}

// Scrolls to the first executed line when the text or its counts are new.
void scroll_to_first_counted(CodeState& state, const std::string& variant, bool appears,
                             float height)
{
    const bool had_counts = std::exchange(state.had_counts, state.sheet.counted());
    const bool same = std::exchange(state.of, variant) == variant;
    if (same && !appears && (had_counts || !state.sheet.counted())) return;
    for (int i = 0; i < state.sheet.line_count() && !state.editing; ++i)
        if (const SourceLine* const line = state.sheet.counts(i); line && line->counted())
            return scroll_to(state.sheet.row_of(std::max(i - 1, 0), 0), height, true);
}

void apply_scroll_requests(const View& view, float height)
{
    CodeState& state = view.ui.code;
    if (std::exchange(state.to_match, false)) {
        const auto& matches = state.sheet.find(state.needle);
        if (state.match < matches.size()) {
            const CodeMatch& match = matches[state.match];
            scroll_to(state.sheet.row_of(match.line, match.begin), height, false);
        }
    }
    if (std::exchange(state.to_caret, false) && state.editing) {
        const TextPlace place =
            place_in(state.sheet.text(), std::min(state.caret.at, state.sheet.text().size()));
        scroll_to(state.sheet.row_of(place.line, static_cast<std::uint32_t>(place.byte)), height,
                  false);
    }
    const auto seen = [&](int line) {
        const float y = static_cast<float>(state.sheet.row_of(line - 1, 0)) * height;
        const float top = ImGui::GetScrollY();
        return y >= top && y + height <= top + ImGui::GetWindowHeight();
    };
    if (!state.highlighted.empty() && std::ranges::none_of(state.highlighted, seen))
        scroll_to(state.sheet.row_of(state.highlighted.front() - 1, 0), height, false);
}

// The current line of the selected warp in the stepping mode; 0: none.
int stepped_line(const View& view)
{
    const DebugFrame* const frame = view.ui.stepped.frame.get();
    if (!frame || frame->shown >= std::ssize(frame->warps)) return 0;
    const auto& paths = frame->warps[static_cast<std::size_t>(frame->shown)].paths;
    return paths.empty() ? 0 : paths.front().in_source().line;
}

} // namespace

// The edit's status or, if nothing is edited, why the kernel takes its predicted time.
static EditStatus status_below(const View& view)
{
    EditStatus status = edit_status(view.document);
    if (!status.words.empty() || view.ui.code.editing || view.document.lab().placeholder)
        return status;
    const std::string& variant = view.document.variant;
    if (const auto made = shown_prediction(view.document, view.frame, variant))
        status.words = made->reason();
    else if (const std::string why = why_unpredicted(view.frame, variant); !why.empty())
        status.words = "Its time is not predicted: " + why;
    return status;
}

void source_panel(const View& view, Commands& out)
{
    CodeState& state = view.ui.code;
    if (!view.frame.is_open()) return;
    const bool appears = ImGui::IsWindowAppearing();
    show_text(view);
    if (view.document.look.code_is_beside() || state.editing) header(view, out);
    find_field(view);
    // Room for a scroll bar is always reserved, so that wrapping does not depend on it.
    const PanelSheet sheet =
        measured(view, ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize);
    column_titles(view, sheet);
    std::vector<CodeNote> notes = notes_of(view.document, state);
    const int bad = state.editing ? 0 : fault_line(view.frame);
    if (bad > 0)
        notes.push_back({bad - 1, CodeNote::Kind::error, view.frame.fault->message, {}, 0});
    state.sheet.lay_out(sheet.columns, view.document.opened_line, notes);
    const EditStatus status = status_below(view);
    const float below = footer_height(view, status.words);
    ImGui::BeginChild("code",
                      {0, std::max(ImGui::GetContentRegionAvail().y - below, 3 * sheet.px)});
    const float height = std::round(row_height * sheet.px);
    const int page = std::max(1, static_cast<int>(ImGui::GetWindowHeight() / height) - 1);
    const std::size_t current_rows = state.sheet.rows().size();
    state.to_caret |= state.page != page || state.row_count != current_rows;
    state.page = page;
    state.row_count = current_rows;
    state.highlighted = written_by(state, view.frame.a);
    scroll_to_first_counted(state, view.document.variant, appears, height);
    apply_scroll_requests(view, height);
    const int stepped = stepped_line(view);
    if (std::exchange(state.stepped, stepped) != stepped && stepped > 0 &&
        stepped <= state.sheet.line_count())
        scroll_to(state.sheet.row_of(stepped - 1, 0), height, false);
    if (std::exchange(state.fault, bad) != bad && bad > 0) // scroll to a fault once
        scroll_to(state.sheet.row_of(bad - 1, 0), height, false);
    state.line = rows(view, sheet, out);
    ImGui::EndChild();
    footer(view, status);
}

} // namespace lanescope::app
