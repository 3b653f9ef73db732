// Parses chords and matches them against keys.
#include "app/window/input/events/chords.h"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/document/session/json_reader.h"
#include "compute/error.h"
#include "compute/process/files.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

struct NamedKey {
    const char* name;
    const char* shown;
    int key;
};

constexpr NamedKey named[] = {{"Space", "Space", GLFW_KEY_SPACE},
                              {"Enter", "Enter", GLFW_KEY_ENTER},
                              {"Esc", "Esc", GLFW_KEY_ESCAPE},
                              {"Tab", "Tab", GLFW_KEY_TAB},
                              {"Backspace", "Backspace", GLFW_KEY_BACKSPACE},
                              {"Delete", "Delete", GLFW_KEY_DELETE},
                              {"Insert", "Insert", GLFW_KEY_INSERT},
                              {"Home", "Home", GLFW_KEY_HOME},
                              {"End", "End", GLFW_KEY_END},
                              {"PageUp", "PageUp", GLFW_KEY_PAGE_UP},
                              {"PageDown", "PageDown", GLFW_KEY_PAGE_DOWN},
                              {"Left", "←", GLFW_KEY_LEFT},
                              {"Right", "→", GLFW_KEY_RIGHT},
                              {"Up", "↑", GLFW_KEY_UP},
                              {"Down", "↓", GLFW_KEY_DOWN}};

struct Modifier {
    const char* name;
    int bit;
};
constexpr Modifier modifiers[] = {{"Ctrl", GLFW_MOD_CONTROL},
                                  {"Shift", GLFW_MOD_SHIFT},
                                  {"Alt", GLFW_MOD_ALT},
                                  {"Super", GLFW_MOD_SUPER}};

bool is_digit(char32_t c)
{
    return c >= U'0' && c <= U'9';
}

bool is_letter(char32_t c)
{
    return c >= U'a' && c <= U'z';
}

// The digit of a key position, including the keypad; -1: none.
int digit_at(int key)
{
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return key - GLFW_KEY_0;
    if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) return key - GLFW_KEY_KP_0;
    return -1;
}

// True if a digit-row key means its digit. With AltGr, which is not a modifier here, it means the
// character it produces.
bool means_digit(const KeyEvent& event)
{
    if (digit_at(event.key) < 0) return false;
    return (event.modifiers & GLFW_MOD_SHIFT) != 0 || event.character == 0 ||
           is_digit(event.character) || event.character == event.label;
}

// The letter of a key: as printed or, on a layout without Latin letters, as on a US keyboard.
char32_t letter_of(const KeyEvent& event)
{
    if (is_letter(event.label)) return event.label;
    const bool other_script = event.label == 0 || event.label > 0x24F;
    if (other_script && event.key >= GLFW_KEY_A && event.key <= GLFW_KEY_Z)
        return U'a' + static_cast<char32_t>(event.key - GLFW_KEY_A);
    return 0;
}

// The only character of a UTF-8 text of up to three bytes; 0 if there are none or several.
char32_t single_character(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.size() == 1 && byte(0) < 0x80) return byte(0);
    if (text.size() == 2 && byte(0) >> 5 == 6) return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    if (text.size() == 3 && byte(0) >> 4 == 14)
        return (byte(0) & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    return 0;
}

// Removes the modifiers from the front of the text, and returns them.
int take_modifiers(std::string_view& text)
{
    int all = 0;
    for (bool found = true; found;) {
        found = false;
        for (const Modifier& one : modifiers) {
            const std::string start = std::string(one.name) + '+';
            if (!text.starts_with(start) || text.size() == start.size()) continue;
            all |= one.bit;
            text.remove_prefix(start.size());
            found = true;
        }
    }
    return all;
}

} // namespace

std::optional<Chord> parse_chord(std::string_view text)
{
    Chord chord;
    chord.modifiers = take_modifiers(text);
    for (const NamedKey& one : named)
        if (text == one.name) {
            chord.key = one.key;
            return chord;
        }
    if (text.size() >= 2 && text.size() <= 3 && text[0] == 'F') {
        const int number = std::atoi(std::string(text.substr(1)).c_str());
        if (number < 1 || number > 12) return {};
        chord.key = GLFW_KEY_F1 + number - 1;
        return chord;
    }
    char32_t character = single_character(text);
    if (character == 0) return {};
    if (character >= U'A' && character <= U'Z') character += U'a' - U'A';
    if (is_digit(character))
        chord.key = GLFW_KEY_0 + static_cast<int>(character - U'0');
    else
        chord.character = character;
    return chord;
}

std::vector<Chord> parse_chords(std::string_view texts)
{
    std::vector<Chord> all;
    while (!texts.empty()) {
        const std::size_t end = std::min(texts.find(' '), texts.size());
        const std::string_view text = texts.substr(0, end);
        texts.remove_prefix(std::min(end + 1, texts.size()));
        if (text.empty()) continue;
        const auto chord = parse_chord(text);
        if (!chord)
            throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is not a key.", text),
                        "Write keys as in S, Ctrl+S, Shift+F6, PageDown, Space or ?.");
        all.push_back(*chord);
    }
    return all;
}

bool matches(const Chord& chord, const KeyEvent& event)
{
    if (chord.character == 0) {
        if (chord.modifiers != event.modifiers) return false;
        if (const int digit = digit_at(chord.key); digit >= 0)
            return means_digit(event) && digit_at(event.key) == digit;
        return chord.key == event.key ||
               (chord.key == GLFW_KEY_ENTER && event.key == GLFW_KEY_KP_ENTER);
    }
    if (is_letter(chord.character))
        return chord.modifiers == event.modifiers && letter_of(event) == chord.character;
    // Ignores Shift, which a symbol may need on one layout and not on another.
    const int wanted = chord.modifiers | (event.modifiers & GLFW_MOD_SHIFT);
    const char32_t character = event.character != 0 ? event.character : event.label;
    const bool plain_digit = means_digit(event) && (event.modifiers & ~GLFW_MOD_SHIFT) == 0;
    return wanted == event.modifiers && character == chord.character && !plain_digit;
}

std::string words_of(std::string_view chord)
{
    std::string words;
    int bits = take_modifiers(chord);
    for (const Modifier& one : modifiers)
        if ((bits & one.bit) != 0) words += std::string(one.name) + ' ';
    for (const NamedKey& one : named)
        if (chord == one.name) return words + one.shown;
    return words + (chord == "-" ? "−" : std::string(chord));
}

std::filesystem::path user_keys_file()
{
    const std::filesystem::path folder = settings_folder();
    return folder.empty() ? folder : folder / "keys.json";
}

namespace {

// The message suggests names with the same beginning, because most wrong names are misspelt.
void require_action(const std::string& action, const std::vector<std::string>& actions)
{
    if (std::ranges::find(actions, action) != actions.end()) return;
    std::vector<std::string> alike;
    for (const std::string& one : actions)
        if (!action.empty() && one.front() == action.front()) alike.push_back(one);
    throw Error(
        ExitStatus::bad_usage, fmt::format("There is no action \"{}\".", action),
        fmt::format("Choose one of: {}.", fmt::join(alike.empty() ? actions : alike, ", ")));
}

// The current name of an action: a user's file may have an older one.
std::string current_action_name(const std::string& old)
{
    constexpr std::pair<std::string_view, std::string_view> renamed[] = {
        {"mend", "fix"},
        {"go_on", "next_beat"},
        {"go_back", "previous_beat"},
        {"give_up", "cancel_video"}};
    for (const auto& [was, is] : renamed)
        if (old == was) return std::string(is);
    return old;
}

} // namespace

std::map<std::string, std::string> keys_from_json(std::string_view text, const std::string& name,
                                                  const std::vector<std::string>& actions)
{
    const JsonText json(name, text);
    JsonObject object(json);
    std::int64_t version = 0;
    object.read("lanescope_keys", version, 1, 1);
    if (version != 1) object.refuse("lanescope_keys", "\"lanescope_keys\": 1 is missing.");
    std::map<std::string, std::string> keys;
    object.read("keys", keys, [&](const std::string& action, const std::string& chords) {
        require_action(current_action_name(action), actions);
        parse_chords(chords);
    });
    object.finish();
    std::map<std::string, std::string> known;
    for (const auto& [action, chords] : keys) known[current_action_name(action)] = chords;
    return known;
}

std::map<std::string, std::string> user_keys(const std::vector<std::string>& actions)
{
    const std::filesystem::path file = user_keys_file();
    std::error_code ignored;
    if (file.empty() || !std::filesystem::is_regular_file(file, ignored)) return {};
    constexpr std::size_t max_bytes = 1 << 20;
    return keys_from_json(render::read_file(file, max_bytes), file.string(), actions);
}

} // namespace lanescope::app
