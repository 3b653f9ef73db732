// Work that depends on the text alone is done once per text.
#include "app/window/editor/text/code_sheet.h"

#include <algorithm>

#include "app/document/editing/workbench.h"
#include "app/document/values/text_lines.h"
#include "compute/python_source.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr int tab_columns = 4;

int width_of(char byte)
{
    return byte == '\t' ? tab_columns : continues(byte) ? 0 : 1;
}

// End of the row that starts at `begin`: after the last blank, comma or bracket that fits,
// otherwise in the middle of a word.
std::size_t find_row_end(std::string_view text, std::size_t begin, int columns)
{
    int used = 0;
    std::size_t good = begin;
    for (std::size_t at = begin; at < text.size(); ++at) {
        const int wide = width_of(text[at]);
        if (used + wide > columns && at > begin && wide > 0) return good > begin ? good : at;
        used += wide;
        const char c = text[at];
        if (c == ' ' || c == ',' || c == '(' || c == ';') good = at + 1;
    }
    return text.size();
}

} // namespace

int columns_of_text(std::string_view text)
{
    int columns = 0;
    for (const char c : text) columns += width_of(c);
    return columns;
}

std::size_t byte_at_column(std::string_view text, int column)
{
    int used = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const int wide = width_of(text[at]);
        if (wide > 0 && used + (wide + 1) / 2 > column) return at;
        used += wide;
    }
    return text.size();
}

CodeSheet::CodeSheet() : at_(std::make_shared<Kept>())
{
    show("", "", "", nullptr);
}

void CodeSheet::show(std::string_view text, std::string_view counted, std::string_view file,
                     const std::shared_ptr<const trace::Trace>& trace,
                     const std::shared_ptr<const trace::ServedBy>& served)
{
    Kept& kept = *at_;
    const bool same_text = kept.text == text && !kept.lines.empty();
    const bool same_counted = kept.counted == counted && kept.file == file;
    if (same_text && same_counted && kept.trace == trace) return;
    kept.laid_out = false;
    const bool python = is_python_source(file);
    if (!same_text || python != is_python_source(kept.file)) {
        kept.text = text;
        kept.lines = lines_of(kept.text);
        kept.inks = python ? highlight_python(kept.text) : highlight_cuda(kept.text);
        kept.searched = false;
    }
    kept.counted = counted;
    kept.file = file;
    kept.trace = trace;
    kept.counts.clear();
    if (trace && !trace->sites.empty())
        kept.counts = source_heat(kept.counted, file, *trace, served.get());
    if (same_text && same_counted && !kept.place.empty()) return;
    kept.place = matching_lines(kept.counted, kept.text);
    for (int& line : kept.place) --line; // zero-based
}

const SourceLine* CodeSheet::counts(int line) const
{
    const int place = at_->place[static_cast<std::size_t>(line)];
    if (place < 0 || place >= static_cast<int>(at_->counts.size())) return nullptr;
    return &at_->counts[static_cast<std::size_t>(place)];
}

void CodeSheet::add_rows(CodeRow row, std::string_view text, int indent, int columns)
{
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    const int hanging =
        std::min(indent + columns_of_text(text.substr(0, first)) + 2, std::max(columns / 3, 1));
    std::size_t begin = 0;
    do {
        const bool is_first = begin == 0;
        row.indent = is_first ? indent : hanging;
        row.first = is_first;
        row.begin = static_cast<std::uint32_t>(begin);
        begin = find_row_end(text, begin, std::max(columns - row.indent, 4));
        row.end = static_cast<std::uint32_t>(begin);
        row.last = begin >= text.size();
        at_->rows.push_back(row);
    } while (begin < text.size());
}

void CodeSheet::lay_out(int columns, int opened_line, const std::vector<CodeNote>& notes)
{
    Kept& kept = *at_;
    if (kept.laid_out && kept.columns == columns && kept.opened_line == opened_line &&
        kept.notes == notes)
        return;
    kept.laid_out = true;
    kept.columns = columns;
    kept.opened_line = opened_line;
    kept.notes = notes;
    kept.rows.clear();
    kept.first_row.clear();
    for (int i = 0; i < line_count(); ++i) {
        kept.first_row.push_back(static_cast<int>(kept.rows.size()));
        add_rows({.line = i}, line(i), 0, columns);
        for (std::size_t note = 0; note < notes.size(); ++note)
            if (std::clamp(notes[note].line, 0, line_count() - 1) == i)
                add_rows({.kind = CodeRow::Kind::note, .line = i, .of = note}, notes[note].words, 2,
                         columns);
        const SourceLine* const counted = opened_line == i + 1 ? counts(i) : nullptr;
        if (!counted) continue;
        for (std::size_t of = 0; of < counted->instructions.size(); ++of) {
            const SourceLine::Instruction& one = counted->instructions[of];
            add_rows({.kind = CodeRow::Kind::ptx, .line = i, .of = of}, one.ptx, 4, columns);
            if (!one.sass.empty())
                add_rows({.kind = CodeRow::Kind::sass, .line = i, .of = of}, one.sass, 8, columns);
        }
    }
}

std::string_view CodeSheet::text_of(const CodeRow& row) const
{
    std::string_view whole = line(row.line);
    if (row.kind == CodeRow::Kind::note) whole = at_->notes[row.of].words;
    if (row.kind == CodeRow::Kind::sass) whole = counts(row.line)->instructions[row.of].sass;
    if (row.kind == CodeRow::Kind::ptx) whole = counts(row.line)->instructions[row.of].ptx;
    return whole.substr(row.begin, row.end - row.begin);
}

int CodeSheet::row_of(int line, std::uint32_t byte) const
{
    auto row = static_cast<std::size_t>(at_->first_row[static_cast<std::size_t>(line)]);
    while (!at_->rows[row].last && byte >= at_->rows[row].end) ++row;
    return static_cast<int>(row);
}

const std::vector<CodeMatch>& CodeSheet::find(const std::string& needle)
{
    Kept& kept = *at_;
    if (kept.searched && kept.needle == needle) return kept.matches;
    kept.searched = true;
    kept.needle = needle;
    kept.matches.clear();
    const std::string wanted = lower_case(needle);
    for (int i = 0; i < line_count() && !wanted.empty(); ++i) {
        const std::string text = lower_case(line(i));
        for (std::size_t at = text.find(wanted); at != std::string::npos;
             at = text.find(wanted, at + wanted.size()))
            kept.matches.push_back({i, static_cast<std::uint32_t>(at),
                                    static_cast<std::uint32_t>(at + wanted.size())});
    }
    return kept.matches;
}

} // namespace lanescope::app
