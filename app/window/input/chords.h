// Keys as texts: "Ctrl+Shift+S", "PageDown", "?". Letters and symbols are what the keyboard's
// layout produces, so that they are where they are printed; digits are places, because some layouts
// reach them with Shift only.
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
    int key = 0;       // GLFW_KEY_…: the place, named as on an American keyboard
    int modifiers = 0; // GLFW_MOD_SHIFT, _CONTROL, _ALT, _SUPER
    bool repeat = false;
    char32_t label = 0;     // what the layout prints on the key, in lower case; 0: nothing
    char32_t character = 0; // what it produced with the modifiers; 0: nothing
    unsigned gui_event = 0; // number of the first of Dear ImGui's events that it made
};

struct Chord {
    int modifiers = 0;
    int key = 0;            // of a key that has a name, or of a digit
    char32_t character = 0; // of a letter or symbol; 0: by `key`
};

// Nothing for what names no key.
std::optional<Chord> parse_chord(std::string_view text);
// Chords with blanks between them; throws Error (bad_usage) that names the wrong one.
std::vector<Chord> parse_chords(std::string_view texts);

bool matches(const Chord& chord, const KeyEvent& event);

// For people: "Ctrl S", "←".
std::string words_of(std::string_view chord);

// The keys that the user changed, by action, from the user's file: "lanescope/keys.json" where
// programs keep their configuration, {"lanescope_keys": 1, "keys": {"pause": "Space P"}}; `actions`
// are those that there are. Throws Error (bad_usage) that names the line; empty without a file.
std::map<std::string, std::string> user_keys(const std::vector<std::string>& actions);
std::map<std::string, std::string> keys_from_json(std::string_view text, const std::string& name,
                                                  const std::vector<std::string>& actions);
std::filesystem::path user_keys_file();

} // namespace lanescope::app
