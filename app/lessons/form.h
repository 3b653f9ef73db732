// The one text form of lessons, lectures and cards, as people write them: lines of "key: value". A
// line that begins with a blank goes on with the value before it, one that begins with # is a note,
// and empty lines mean nothing. {…} in a value that is read aloud is a formula
// (measure/quantity.h): the program puts its number there.
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

// What is wrong with a text, by its file and line.
class FormText {
public:
    // Throws Error (bad_usage).
    FormText(std::string name, std::string_view text);

    const std::vector<FormLine>& lines() const { return lines_; }
    const std::string& name() const { return name_; }
    // Throws Error (bad_usage): "name, line 7: problem".
    [[noreturn]] void refuse(int line, const std::string& problem) const;
    // Runs what reads a value; what it throws is told with its line.
    void read(const FormLine& line, const std::function<void()>& reader) const;

    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

private:
    std::string name_;
    std::vector<FormLine> lines_;
};

// A text with formulas in it.
struct Words {
    struct Piece {
        std::string text;
        Formula formula{}; // after the text; may be empty
        friend bool operator==(const Piece&, const Piece&) = default;
    };
    std::vector<Piece> pieces;

    bool empty() const { return pieces.empty(); }
    // With its numbers; "…" for those that `find` does not know yet.
    std::string filled(const std::function<const Answer*(const Formula&)>& find) const;
    friend bool operator==(const Words&, const Words&) = default;
};
// Throws Error.
Words read_words(std::string_view text, const FindNamed& find = named_lab);

// "16.5", "65,536", "0.127": as lessons and cards write numbers.
std::string in_words(double value);
// "sectors per load request", of one of them "sector a load request".
std::string unit_of(double value, const std::string& unit);

// Parts between " | ".
std::vector<std::string> columns_of(std::string_view text);

} // namespace lanescope::app
