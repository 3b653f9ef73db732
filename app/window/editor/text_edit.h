// What a key does to a text: plain functions of text, caret and key, without a window. The text
// itself is the document's, and so are undo and redo.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/input/chords.h"

namespace lanescope::app {

// Bytes of a text, always between characters. What lies between the two is selected.
struct Caret {
    std::size_t at = 0;
    std::size_t anchor = 0;
    int column = -1; // that up and down keep to; -1: the caret's own
    std::size_t begin() const { return at < anchor ? at : anchor; }
    std::size_t end() const { return at < anchor ? anchor : at; }
    friend bool operator==(const Caret&, const Caret&) = default;
};

// A place in a text: its line, from 0, and the byte of that line.
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

// Whether the key is one of the editor's: what is typed, and what moves and changes. Others, such
// as Ctrl S and F1, mean what they always do.
bool is_editing_key(const KeyEvent& key);
// What the key makes of the text; nothing where it only moves the caret. `page` is how many lines
// are seen.
std::optional<std::string> edited(std::string_view text, Caret& caret, const KeyEvent& key,
                                  int page, const Clipboard& clipboard);

// Selects the word around a place.
void select_word(std::string_view text, Caret& caret, std::size_t at);
// Where the caret belongs after somebody else changed the text: behind what is new.
void follow_change(std::string_view was, std::string_view is, Caret& caret);

} // namespace lanescope::app
