// Keys are identified by position (arrows), by their label (Ctrl with a letter), or by the
// character they produced.
#include "app/window/editor/text/text_edit.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/document/values/text_lines.h"
#include "app/window/editor/text/code_sheet.h"

namespace lanescope::app {
namespace {

constexpr std::string_view one_indent = "    ";

bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::size_t before(std::string_view text, std::size_t at)
{
    if (at == 0) return 0;
    do --at;
    while (at > 0 && continues(text[at]));
    return at;
}

std::size_t after(std::string_view text, std::size_t at)
{
    if (at >= text.size()) return text.size();
    do ++at;
    while (at < text.size() && continues(text[at]));
    return at;
}

std::size_t word_before(std::string_view text, std::size_t at)
{
    while (at > 0 && !in_word(text[at - 1])) --at;
    while (at > 0 && in_word(text[at - 1])) --at;
    return at;
}

std::size_t word_after(std::string_view text, std::size_t at)
{
    while (at < text.size() && !in_word(text[at])) ++at;
    while (at < text.size() && in_word(text[at])) ++at;
    return at;
}

std::size_t line_start(std::string_view text, std::size_t at)
{
    const std::size_t found = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return found == std::string_view::npos ? 0 : found + 1;
}

std::size_t line_end(std::string_view text, std::size_t at)
{
    return std::min(text.find('\n', at), text.size());
}

// The first non-blank character of the line or, from there, the start of the line.
std::size_t home(std::string_view text, std::size_t at)
{
    const std::size_t begin = line_start(text, at);
    const std::size_t end = line_end(text, at);
    std::size_t first = begin;
    while (first < end && (text[first] == ' ' || text[first] == '\t')) ++first;
    return at == first ? begin : first;
}

void move_lines(std::string_view text, Caret& caret, int by)
{
    const auto lines = lines_of(text);
    const TextPlace now = place_in(text, caret.at);
    if (caret.column < 0)
        caret.column =
            columns_of_text(lines[static_cast<std::size_t>(now.line)].substr(0, now.byte));
    const int line = std::clamp(now.line + by, 0, static_cast<int>(lines.size()) - 1);
    const std::string_view there = lines[static_cast<std::size_t>(line)];
    caret.at = byte_of(text, {line, byte_at_column(there, caret.column)});
}

std::string replaced(std::string_view text, Caret& caret, std::size_t begin, std::size_t end,
                     std::string_view words)
{
    std::string result;
    result.reserve(text.size() + words.size());
    result.append(text.substr(0, begin)).append(words).append(text.substr(end));
    caret.at = caret.anchor = begin + words.size();
    return result;
}

std::string put(std::string_view text, Caret& caret, std::string_view words)
{
    return replaced(text, caret, caret.begin(), caret.end(), words);
}

// Starts a new line with the indentation of the line before, deeper after a brace.
std::string new_line(std::string_view text, Caret& caret)
{
    const std::size_t begin = line_start(text, caret.begin());
    std::size_t first = begin;
    while (first < caret.begin() && (text[first] == ' ' || text[first] == '\t')) ++first;
    std::string words = "\n" + std::string(text.substr(begin, first - begin));
    std::size_t last = caret.begin();
    while (last > begin && text[last - 1] == ' ') --last;
    if (last > begin && text[last - 1] == '{') words += one_indent;
    return put(text, caret, words);
}

// Indents or outdents every selected line.
std::string indent_lines(std::string_view text, Caret& caret, bool out)
{
    const TextPlace first = place_in(text, caret.begin());
    TextPlace last = place_in(text, caret.end());
    if (last.byte == 0 && last.line > first.line) --last.line;
    std::string result;
    const auto lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string_view line = lines[i];
        const bool inside = static_cast<int>(i) >= first.line && static_cast<int>(i) <= last.line;
        if (inside && out)
            for (std::size_t n = 0; n < one_indent.size() && line.starts_with(' '); ++n)
                line.remove_prefix(1);
        if (inside && !out && !line.empty()) result += one_indent;
        result += line;
        if (i + 1 < lines.size()) result += '\n';
    }
    caret.anchor = byte_of(result, {first.line, 0});
    caret.at = line_end(result, byte_of(result, {last.line, 0}));
    return result;
}

std::string tab(std::string_view text, Caret& caret, bool out)
{
    const bool lines = place_in(text, caret.begin()).line != place_in(text, caret.end()).line;
    if (lines || out) return indent_lines(text, caret, out);
    const std::size_t begin = line_start(text, caret.begin());
    const int column = columns_of_text(text.substr(begin, caret.begin() - begin));
    return put(text, caret, std::string(4 - static_cast<std::size_t>(column % 4), ' '));
}

std::string utf8(char32_t character)
{
    char bytes[5];
    ImTextCharToUtf8(bytes, character);
    return bytes;
}

bool with_control(const KeyEvent& key)
{
    return (key.modifiers & GLFW_MOD_CONTROL) != 0;
}

bool with_shift(const KeyEvent& key)
{
    return (key.modifiers & GLFW_MOD_SHIFT) != 0;
}

bool is_typed(const KeyEvent& key)
{
    return key.character >= 32 && key.character != 127 && !with_control(key) &&
           (key.modifiers & (GLFW_MOD_SUPER | GLFW_MOD_ALT)) == 0;
}

// The letter of Ctrl A, C, X or V; 0 for other keys.
char32_t clipboard_letter(const KeyEvent& key)
{
    const bool alone = with_control(key) && !with_shift(key) && (key.modifiers & GLFW_MOD_ALT) == 0;
    const std::u32string_view letters = U"acxv";
    return alone && letters.find(key.label) != std::u32string_view::npos ? key.label : 0;
}

bool moves(const KeyEvent& key)
{
    switch (key.key) {
    case GLFW_KEY_LEFT:
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_HOME:
    case GLFW_KEY_END: return true;
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
    case GLFW_KEY_PAGE_UP:
    case GLFW_KEY_PAGE_DOWN: return !with_control(key);
    default: return false;
    }
}

void move(std::string_view text, Caret& caret, const KeyEvent& key, int page)
{
    const bool words = with_control(key);
    const bool selected = caret.begin() != caret.end();
    const int column = caret.column;
    caret.column = -1;
    const auto keep_column = [&](int by) {
        caret.column = column;
        move_lines(text, caret, by);
    };
    switch (key.key) {
    case GLFW_KEY_LEFT:
        caret.at = words                          ? word_before(text, caret.at)
                   : selected && !with_shift(key) ? caret.begin()
                                                  : before(text, caret.at);
        break;
    case GLFW_KEY_RIGHT:
        caret.at = words                          ? word_after(text, caret.at)
                   : selected && !with_shift(key) ? caret.end()
                                                  : after(text, caret.at);
        break;
    case GLFW_KEY_HOME: caret.at = words ? 0 : home(text, caret.at); break;
    case GLFW_KEY_END: caret.at = words ? text.size() : line_end(text, caret.at); break;
    case GLFW_KEY_UP: keep_column(-1); break;
    case GLFW_KEY_DOWN: keep_column(1); break;
    case GLFW_KEY_PAGE_UP: keep_column(-page); break;
    case GLFW_KEY_PAGE_DOWN: keep_column(page); break;
    default: break;
    }
    if (!with_shift(key)) caret.anchor = caret.at;
}

} // namespace

TextPlace place_in(std::string_view text, std::size_t at)
{
    const std::string_view above = text.substr(0, at);
    const auto line = static_cast<int>(std::ranges::count(above, '\n'));
    return {line, at - line_start(text, at)};
}

std::size_t byte_of(std::string_view text, TextPlace place)
{
    std::size_t begin = 0;
    for (int line = 0; line < place.line; ++line) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string_view::npos) return text.size();
        begin = end + 1;
    }
    return std::min(begin + place.byte, line_end(text, begin));
}

bool is_editing_key(const KeyEvent& key)
{
    if (is_typed(key) || moves(key) || clipboard_letter(key) != 0) return true;
    switch (key.key) {
    case GLFW_KEY_BACKSPACE:
    case GLFW_KEY_DELETE: return true;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
    case GLFW_KEY_TAB: return !with_control(key);
    default: return false;
    }
}

std::optional<std::string> edited(std::string_view text, Caret& caret, const KeyEvent& key,
                                  int page, const Clipboard& clipboard)
{
    caret.at = std::min(caret.at, text.size());
    caret.anchor = std::min(caret.anchor, text.size());
    // A key that produced a character counts as that character: keypad keys have two meanings.
    if (is_typed(key)) {
        caret.column = -1;
        return put(text, caret, utf8(key.character));
    }
    if (moves(key)) return move(text, caret, key, page), std::nullopt;
    caret.column = -1;
    const bool selected = caret.begin() != caret.end();
    const std::string words(text.substr(caret.begin(), caret.end() - caret.begin()));
    switch (clipboard_letter(key)) {
    case 'a': caret = {text.size(), 0}; return {};
    case 'c':
        if (selected) clipboard.set(words);
        return {};
    case 'x':
        if (!selected) return {};
        clipboard.set(words);
        return put(text, caret, "");
    case 'v': {
        std::string pasted = clipboard.get();
        std::erase(pasted, '\r');
        if (pasted.empty()) return {};
        return put(text, caret, pasted);
    }
    default: break;
    }
    switch (key.key) {
    case GLFW_KEY_BACKSPACE: {
        if (selected) return put(text, caret, "");
        if (caret.at == 0) return {};
        const std::size_t from =
            with_control(key) ? word_before(text, caret.at) : before(text, caret.at);
        return replaced(text, caret, from, caret.at, "");
    }
    case GLFW_KEY_DELETE: {
        if (selected) return put(text, caret, "");
        if (caret.at == text.size()) return {};
        const std::size_t to =
            with_control(key) ? word_after(text, caret.at) : after(text, caret.at);
        return replaced(text, caret, caret.at, to, "");
    }
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return new_line(text, caret);
    case GLFW_KEY_TAB: return tab(text, caret, with_shift(key));
    default: return {};
    }
}

void select_word(std::string_view text, Caret& caret, std::size_t at)
{
    std::size_t begin = std::min(at, text.size());
    std::size_t end = begin;
    while (begin > 0 && in_word(text[begin - 1])) --begin;
    while (end < text.size() && in_word(text[end])) ++end;
    caret = {end, begin};
}

void follow_change(std::string_view was, std::string_view is, Caret& caret)
{
    const std::size_t shorter = std::min(was.size(), is.size());
    std::size_t tail = 0;
    while (tail < shorter && was[was.size() - 1 - tail] == is[is.size() - 1 - tail]) ++tail;
    std::size_t head = 0;
    while (head < shorter - tail && was[head] == is[head]) ++head;
    std::size_t at = is.size() - tail;
    while (at > head && at < is.size() && continues(is[at])) --at;
    caret = {at, at};
}

} // namespace lanescope::app
