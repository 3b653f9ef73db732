// The text format of lessons, lectures and cards: lines of "key: value". A line that starts with a
// blank continues the previous value, one that starts with # is a comment, and empty lines are
// ignored. {…} in a value that is shown is a formula (measure/quantity.h), replaced by its number.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/quantity.h"

namespace lanescope::app {

struct FormLine {
    std::string key;
    std::string value;
    int line = 1;
};

// Parses a text and reports errors with file and line.
class FormText {
public:
    // Throws Error (bad_usage).
    FormText(std::string name, std::string_view text);

    const std::vector<FormLine>& lines() const { return lines_; }
    const std::string& name() const { return name_; }
    // Throws Error (bad_usage): "name, line 7: problem".
    [[noreturn]] void refuse(int line, const std::string& problem) const;
    // Calls `reader` on a value; adds the line to its errors.
    void read(const FormLine& line, const std::function<void()>& reader) const;

    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

private:
    std::string name_;
    std::vector<FormLine> lines_;
};

// Text with embedded formulas.
struct Words {
    struct Piece {
        std::string text;
        Formula formula{}; // follows the text; may be empty
        friend bool operator==(const Piece&, const Piece&) = default;
    };
    std::vector<Piece> pieces;

    bool empty() const { return pieces.empty(); }
    // The text with its numbers; "…" for those that `find` does not know yet.
    std::string filled(const std::function<const Answer*(const Formula&)>& find) const;
    friend bool operator==(const Words&, const Words&) = default;
};
// Throws Error.
Words read_words(std::string_view text, const FindNamed& find = named_lab);

// "16.5", "65,536", "0.127": the number format of lessons and cards.
std::string number_text(double value);
// "sectors per load request", or "sector per load request" for a value of one.
std::string unit_of(double value, const std::string& unit);

// Splits at " | ".
std::vector<std::string> columns_of(std::string_view text);

} // namespace lanescope::app
