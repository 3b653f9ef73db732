// Lays out a table. Widths are counted in code points, so that "µs" takes two columns.
#include "app/export/table.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "compute/read_number.h"
#include "render/capture/markup.h"

namespace lanescope::app {
namespace {

std::size_t code_points(const std::string& text)
{
    return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

bool is_number(const std::string& text)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = read_number(text.data(), end, value);
    return error == std::errc{} && stop == end;
}

// Spreadsheets evaluate cells that start with these characters as formulas; a leading apostrophe
// marks them as text.
std::string defused(const std::string& text)
{
    const bool computes = text.find_first_of("=+-@\t\r") == 0;
    return computes && !is_number(text) ? "'" + text : text;
}

std::string quoted(const std::string& given)
{
    const std::string text = defused(given);
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

// A cell must be a single line.
std::string on_one_line(std::string text)
{
    for (char& c : text)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    return text;
}

std::string markdown_cell(const std::string& text)
{
    return render::markdown_text(on_one_line(text));
}

// Escapes characters that are special in LaTeX.
std::string latex_text(const std::string& given)
{
    const std::string text = render::without_controls(on_one_line(given));
    static const std::map<std::string_view, std::string_view> written = {
        {"\\", "\\textbackslash{}"},
        {"{", "\\{"},
        {"}", "\\}"},
        {"$", "\\$"},
        {"&", "\\&"},
        {"#", "\\#"},
        {"%", "\\%"},
        {"_", "\\_"},
        {"^", "\\textasciicircum{}"},
        {"~", "\\textasciitilde{}"},
        {"<", "\\textless{}"},
        {">", "\\textgreater{}"},
        {"×", "$\\times$"},
        {"µ", "$\\mu$"},
        {"−", "$-$"},
        {"→", "$\\to$"},
        {"·", "$\\cdot$"},
        {"≤", "$\\le$"},
        {"≥", "$\\ge$"}};
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t bytes = 1;
        while (at + bytes < text.size() && (text[at + bytes] & 0xC0) == 0x80) ++bytes;
        const std::string_view letter = std::string_view(text).substr(at, bytes);
        const auto found = written.find(letter);
        out += found == written.end() ? letter : found->second;
        at += bytes;
    }
    return out;
}

} // namespace

void Table::add(std::vector<std::string> row)
{
    if (row.size() != columns_.size())
        throw std::invalid_argument("a table row with the wrong number of cells");
    rows_.push_back(std::move(row));
}

std::string Table::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = code_points(columns_[c].title);
        for (const auto& row : rows_) width = std::max(width, code_points(row[c]));
        widths.push_back(width);
    }
    std::string out;
    const auto line = [&](auto&& cell) {
        std::string text;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string& value = cell(c);
            const std::string space(widths[c] - code_points(value), ' ');
            text += c ? "  " : "";
            text += columns_[c].number ? space + value : value + space;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    };
    line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
    for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
    return out;
}

std::string Table::csv() const
{
    std::string out;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        out += (c ? "," : "") + quoted(columns_[c].title);
    out += '\n';
    for (const auto& row : rows_) {
        for (std::size_t c = 0; c < row.size(); ++c) out += (c ? "," : "") + quoted(row[c]);
        out += '\n';
    }
    return out;
}

std::string Table::latex() const
{
    std::string out = "\\begin{tabular}{";
    for (const Column& column : columns_) out += column.number ? 'r' : 'l';
    out += "}\n\\hline\n";
    const auto line = [&](auto&& cell) {
        for (std::size_t c = 0; c < columns_.size(); ++c)
            out += (c ? " & " : "") + latex_text(cell(c));
        out += " \\\\\n";
    };
    line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
    out += "\\hline\n";
    for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
    return out + "\\hline\n\\end{tabular}\n";
}

std::string Table::markdown() const
{
    std::string out = "|";
    for (const Column& column : columns_) out += ' ' + markdown_cell(column.title) + " |";
    out += "\n|";
    for (const Column& column : columns_) out += column.number ? "---:|" : "---|";
    out += '\n';
    for (const auto& row : rows_) {
        out += '|';
        for (const std::string& cell : row) out += ' ' + markdown_cell(cell) + " |";
        out += '\n';
    }
    return out;
}

} // namespace lanescope::app
