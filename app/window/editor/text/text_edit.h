// The effect of a key on a text: pure functions of text, caret and key, independent of the window.
// The document owns the text, undo and redo.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/input/events/chords.h"

namespace lanescope::app {

// Byte offsets in a text, always between characters. The range between the two is selected.
struct Caret {
    std::size_t at = 0;
    std::size_t anchor = 0;
    int column = -1; // column that up and down keep; -1: the caret's own
    std::size_t begin() const { return at < anchor ? at : anchor; }
    std::size_t end() const { return at < anchor ? anchor : at; }
    friend bool operator==(const Caret&, const Caret&) = default;
};

// A position in a text: its line, from 0, and the byte in that line.
struct TextPlace {
    int line = 0;
    std::size_t byte = 0;
};
TextPlace place_in(std::string_view text, std::size_t at);
std::size_t byte_of(std::string_view text, TextPlace place);

struct Clipboard {
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;
};

// True if the editor handles the key: typing, moving and changing. Others, such as Ctrl S and F1,
// keep their usual meaning.
bool is_editing_key(const KeyEvent& key);
// Returns the text after the key; empty if the key only moves the caret. `page` is the number of
// visible lines.
std::optional<std::string> edited(std::string_view text, Caret& caret, const KeyEvent& key,
                                  int page, const Clipboard& clipboard);

// Selects the word at an offset.
void select_word(std::string_view text, Caret& caret, std::size_t at);
// Moves the caret to the end of the changed part, after the text was changed elsewhere.
void follow_change(std::string_view was, std::string_view is, Caret& caret);

} // namespace lanescope::app
