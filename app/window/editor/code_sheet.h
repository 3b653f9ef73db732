// A kernel's text as it is laid out on the screen: its lines with their colours and counts, broken
// into rows of so many columns. It is kept from frame to frame and made anew only when its text,
// its counts or its width change, so that texts of any length cost a frame nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/editor/highlight.h"
#include "app/window/plots/source_heat.h"

namespace lanescope::app {

// What is said below a line.
struct CodeNote {
    enum class Kind : std::uint8_t {
        error,
        quiet,  // a warning, or an error of an older text
        detail, // the compiler's own words
        cost,   // what the line costs against the version before
        gone,   // a line of an older text
    };
    int line = 0; // from 0
    Kind kind = Kind::error;
    std::string words;
    std::string detail{}; // for whoever points at it
    int column = 0;       // that is underlined, from 1; 0: none
    friend bool operator==(const CodeNote&, const CodeNote&) = default;
};

// A line of the screen.
struct CodeRow {
    enum class Kind : std::uint8_t { code, ptx, sass, note };
    Kind kind = Kind::code;
    int line = 0;            // from 0
    std::size_t of = 0;      // PTX, SASS: the line's instruction; a note: its place among the notes
    std::uint32_t begin = 0; // bytes of the text that the row shows
    std::uint32_t end = 0;
    int indent = 0; // columns that it begins after
    bool first = true;
    bool last = true; // of its line, instruction or note
};

// Where text was found.
struct CodeMatch {
    int line = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class CodeSheet {
public:
    CodeSheet();

    // The text to be shown, and the counts of `counted`: the same text, or as it was when it was
    // compiled; then lines that have not changed keep their counts. Sites are those of `file`.
    void show(std::string_view text, std::string_view counted, std::string_view file,
              const std::shared_ptr<const trace::Trace>& trace);
    // Rows of so many columns; the PTX of one line (from 1; 0: none) stands below it, and
    // what the assembler made of that.
    void lay_out(int columns, int opened_line, const std::vector<CodeNote>& notes);
    // Case is ignored. Kept while text and needle stay.
    const std::vector<CodeMatch>& find(const std::string& needle);

    int line_count() const { return static_cast<int>(at_->lines.size()); }
    // Where a line begins in the whole text.
    std::size_t begin_of(int line) const
    {
        return static_cast<std::size_t>(this->line(line).data() - at_->text.data());
    }
    const std::string& text() const { return at_->text; }
    std::string_view line(int line) const { return at_->lines[static_cast<std::size_t>(line)]; }
    const std::vector<TokenSpan>& inks(int line) const
    {
        return at_->inks[static_cast<std::size_t>(line)];
    }
    const SourceLine* counts(int line) const; // null: there are none
    bool counted() const { return !at_->counts.empty(); }
    const std::vector<CodeRow>& rows() const { return at_->rows; }
    const std::vector<CodeNote>& notes() const { return at_->notes; }
    // What a row shows, and its colours.
    std::string_view text_of(const CodeRow& row) const;
    // The row where a byte of a line stands.
    int row_of(int line, std::uint32_t byte) const;

private:
    struct Kept {
        std::string text, counted, file;
        std::vector<std::string_view> lines; // of `text`
        std::vector<std::vector<TokenSpan>> inks;
        std::shared_ptr<const trace::Trace> trace;
        std::vector<SourceLine> counts; // of `counted`
        std::vector<int> place;         // of each line in `counts`; -1: it is new
        int columns = 0, opened_line = 0;
        bool laid_out = false;
        std::vector<CodeNote> notes;
        std::vector<CodeRow> rows;
        std::vector<int> first_row; // of each line
        std::string needle;
        bool searched = false;
        std::vector<CodeMatch> matches;
    };
    void add_rows(CodeRow row, std::string_view text, int indent, int columns);

    std::shared_ptr<Kept> at_;
};

// Columns of a text: one a character, four a tab.
int columns_of_text(std::string_view text);
// The byte that stands in that column or, behind the end, the text's length.
std::size_t byte_at_column(std::string_view text, int column);

} // namespace lanescope::app
