// Layout of a kernel's text on the screen: lines with colours and counts, wrapped at a number of
// columns. It is cached, and rebuilt only when text, counts or width change, so that a text of any
// length costs a frame nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/editor/text/highlight.h"
#include "app/window/plots/source_heat.h"

namespace lanescope::app {

// A note below a line.
struct CodeNote {
    enum class Kind : std::uint8_t {
        error,
        quiet,  // a warning, or an error in an older text
        detail, // the compiler's original message
        cost,   // cost of the line compared with the previous version
        gone,   // about a line that no longer exists
    };
    int line = 0; // zero-based
    Kind kind = Kind::error;
    std::string words;
    std::string detail{}; // shown as a tooltip
    int column = 0;       // underlined column, from 1; 0: none
    friend bool operator==(const CodeNote&, const CodeNote&) = default;
};

// One row on the screen.
struct CodeRow {
    enum class Kind : std::uint8_t { code, ptx, sass, note };
    Kind kind = Kind::code;
    int line = 0;            // zero-based
    std::size_t of = 0;      // PTX, SASS: index of the instruction in its line; note: its index
    std::uint32_t begin = 0; // range of bytes shown in the row
    std::uint32_t end = 0;
    int indent = 0; // columns left blank
    bool first = true;
    bool last = true; // last row of its line, instruction or note
};

// A search result.
struct CodeMatch {
    int line = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class CodeSheet {
public:
    CodeSheet();

    // Sets the text and the counts. `counted` is the text that was counted: this one, or the one
    // compiled last, in which case only unchanged lines have counts. Sites are sites in `file`.
    void show(std::string_view text, std::string_view counted, std::string_view file,
              const std::shared_ptr<const trace::Trace>& trace,
              const std::shared_ptr<const trace::ServedBy>& served = nullptr);
    // Wraps rows at `columns`; below line `opened_line` (from 1; 0: none) come its PTX and the SASS
    // the assembler made of it.
    void lay_out(int columns, int opened_line, const std::vector<CodeNote>& notes);
    // Case-insensitive. Cached until text or needle changes.
    const std::vector<CodeMatch>& find(const std::string& needle);

    int line_count() const { return static_cast<int>(at_->lines.size()); }
    // Offset of a line in the whole text.
    std::size_t start_of(int line) const
    {
        return static_cast<std::size_t>(this->line(line).data() - at_->text.data());
    }
    const std::string& text() const { return at_->text; }
    std::string_view line(int line) const { return at_->lines[static_cast<std::size_t>(line)]; }
    const std::vector<TokenSpan>& inks(int line) const
    {
        return at_->inks[static_cast<std::size_t>(line)];
    }
    const SourceLine* counts(int line) const; // null if there are none
    bool counted() const { return !at_->counts.empty(); }
    const std::vector<CodeRow>& rows() const { return at_->rows; }
    const std::vector<CodeNote>& notes() const { return at_->notes; }
    // The text of a row, and its colours.
    std::string_view text_of(const CodeRow& row) const;
    // The row that contains a byte of a line.
    int row_of(int line, std::uint32_t byte) const;

private:
    struct Kept {
        std::string text, counted, file;
        std::vector<std::string_view> lines; // views into `text`
        std::vector<std::vector<TokenSpan>> inks;
        std::shared_ptr<const trace::Trace> trace;
        std::vector<SourceLine> counts; // for lines of `counted`
        std::vector<int> place;         // index into `counts` for each line; -1: the line is new
        int columns = 0, opened_line = 0;
        bool laid_out = false;
        std::vector<CodeNote> notes;
        std::vector<CodeRow> rows;
        std::vector<int> first_row; // first row of each line
        std::string needle;
        bool searched = false;
        std::vector<CodeMatch> matches;
    };
    void add_rows(CodeRow row, std::string_view text, int indent, int columns);

    std::shared_ptr<Kept> at_;
};

// Width of a text in columns: one per character, four per tab.
int columns_of_text(std::string_view text);
// The byte at a column or, past the end, the text's length.
std::size_t byte_at_column(std::string_view text, int column);

} // namespace lanescope::app
