// Keys as text: "Ctrl+Shift+S", "PageDown", "?". Letters and symbols follow the keyboard layout, so
// they match the printed keys. Digits are key positions, because some layouts need Shift to type
// them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

// A key as the window system reports it.
struct KeyEvent {
    int key = 0;       // GLFW_KEY_…: the position, named as on a US keyboard
    int modifiers = 0; // GLFW_MOD_SHIFT, _CONTROL, _ALT, _SUPER
    bool repeat = false;
    char32_t label = 0;     // label of the key in the layout, in lower case; 0: none
    char32_t character = 0; // produced with the modifiers; 0: none
    unsigned gui_event = 0; // number of the first Dear ImGui event it generated
};

struct Chord {
    int modifiers = 0;
    int key = 0;            // for named keys and digits
    char32_t character = 0; // for letters and symbols; 0: use `key`
};

// Empty if the text names no key.
std::optional<Chord> parse_chord(std::string_view text);
// Parses chords separated by blanks; throws Error (bad_usage) that names an invalid one.
std::vector<Chord> parse_chords(std::string_view texts);

bool matches(const Chord& chord, const KeyEvent& event);

// For display: "Ctrl S", "←".
std::string words_of(std::string_view chord);

// The keys that the user changed, by action, read from the user's configuration file
// "lanescope/keys.json": {"lanescope_keys": 1, "keys": {"pause": "Space P"}}; `actions` are the
// known ones. Throws Error (bad_usage) that names the line; empty without a file.
std::map<std::string, std::string> user_keys(const std::vector<std::string>& actions);
std::map<std::string, std::string> keys_from_json(std::string_view text, const std::string& name,
                                                  const std::vector<std::string>& actions);
std::filesystem::path user_keys_file();

} // namespace lanescope::app
