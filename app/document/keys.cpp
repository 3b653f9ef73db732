// See keys.h.
#include "app/document/keys.h"

#include <GLFW/glfw3.h>

namespace lanescope::app {
namespace {

struct Binding {
    Action action;
    int key;
    int modifiers = 0;
    bool repeats = false;
};

constexpr Binding bindings[] = {
    {Action::next_lab, GLFW_KEY_PAGE_DOWN, GLFW_MOD_CONTROL},
    {Action::previous_lab, GLFW_KEY_PAGE_UP, GLFW_MOD_CONTROL},
    {Action::next_preset, GLFW_KEY_PAGE_DOWN},
    {Action::previous_preset, GLFW_KEY_PAGE_UP},
    {Action::pause, GLFW_KEY_SPACE},
    {Action::step, GLFW_KEY_PERIOD, 0, true},
    {Action::restart, GLFW_KEY_BACKSPACE},
    {Action::restart, GLFW_KEY_HOME},
    {Action::view, GLFW_KEY_V},
    {Action::map, GLFW_KEY_H},
    {Action::subject, GLFW_KEY_M},
    {Action::left, GLFW_KEY_LEFT, 0, true},
    {Action::right, GLFW_KEY_RIGHT, 0, true},
    {Action::up, GLFW_KEY_UP, 0, true},
    {Action::down, GLFW_KEY_DOWN, 0, true},
    {Action::previous_request, GLFW_KEY_LEFT, GLFW_MOD_SHIFT, true},
    {Action::next_request, GLFW_KEY_RIGHT, GLFW_MOD_SHIFT, true},
    {Action::nearer, GLFW_KEY_EQUAL, 0, true},
    {Action::nearer, GLFW_KEY_EQUAL, GLFW_MOD_SHIFT, true},
    {Action::nearer, GLFW_KEY_KP_ADD, 0, true},
    {Action::farther, GLFW_KEY_MINUS, 0, true},
    {Action::farther, GLFW_KEY_KP_SUBTRACT, 0, true},
    {Action::paint, GLFW_KEY_ENTER, 0, true},
    {Action::erase, GLFW_KEY_DELETE, 0, true},
    {Action::divider_left, GLFW_KEY_LEFT_BRACKET, 0, true},
    {Action::divider_right, GLFW_KEY_RIGHT_BRACKET, 0, true},
    {Action::next_panel, GLFW_KEY_F6},
    {Action::previous_panel, GLFW_KEY_F6, GLFW_MOD_SHIFT},
    {Action::wider, GLFW_KEY_LEFT, GLFW_MOD_CONTROL, true},
    {Action::narrower, GLFW_KEY_RIGHT, GLFW_MOD_CONTROL, true},
    {Action::left_narrower, GLFW_KEY_LEFT, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, true},
    {Action::left_wider, GLFW_KEY_RIGHT, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, true},
    {Action::higher, GLFW_KEY_UP, GLFW_MOD_CONTROL, true},
    {Action::lower, GLFW_KEY_DOWN, GLFW_MOD_CONTROL, true},
    {Action::open, GLFW_KEY_O, GLFW_MOD_CONTROL},
    {Action::compare, GLFW_KEY_A},
    {Action::difference, GLFW_KEY_D},
    {Action::timings, GLFW_KEY_B},
    {Action::history, GLFW_KEY_Y},
    {Action::sweep, GLFW_KEY_W},
    {Action::roofline, GLFW_KEY_O},
    {Action::source, GLFW_KEY_C},
    {Action::lesson, GLFW_KEY_L},
    {Action::exports, GLFW_KEY_E},
    {Action::screenshot, GLFW_KEY_S},
    {Action::window_screenshot, GLFW_KEY_S, GLFW_MOD_SHIFT},
    {Action::record, GLFW_KEY_R},
    {Action::window_record, GLFW_KEY_R, GLFW_MOD_SHIFT},
    {Action::save, GLFW_KEY_S, GLFW_MOD_CONTROL},
    {Action::lecture, GLFW_KEY_F},
    {Action::theme, GLFW_KEY_T},
    {Action::text_larger, GLFW_KEY_EQUAL, GLFW_MOD_CONTROL, true},
    {Action::text_larger, GLFW_KEY_EQUAL, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, true},
    {Action::text_larger, GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL, true},
    {Action::text_smaller, GLFW_KEY_MINUS, GLFW_MOD_CONTROL, true},
    {Action::text_smaller, GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL, true},
    {Action::text_plain, GLFW_KEY_0, GLFW_MOD_CONTROL},
    {Action::help, GLFW_KEY_SLASH, GLFW_MOD_SHIFT},
    {Action::help, GLFW_KEY_F1},
    {Action::close, GLFW_KEY_ESCAPE},
    {Action::quit, GLFW_KEY_Q, GLFW_MOD_CONTROL},
};

constexpr KeyHelp help_lines[] = {
    {"1 – 9, 0", "variant; 0 is the tenth"},
    {"PageDown, PageUp", "next, previous preset (a clicker's keys)"},
    {"Ctrl PageDown, PageUp", "next, previous lab"},
    {"Space", "pause, go on"},
    {".", "one step"},
    {"Home, Backspace", "restart"},
    {"V", "next view"},
    {"H", "next heatmap over the picture"},
    {"M", "the picture, its memory, one request of a warp"},
    {"Arrows, +, −", "turn or move the picture, nearer, farther"},
    {"Arrows, Shift arrows", "after M: memory; warp, site, request"},
    {"Enter, Delete", "paint, erase in the middle of the picture"},
    {"A, Shift 1 – 9, D", "A/B: beside another variant, which, difference"},
    {"[, ]", "the divider of A/B"},
    {"B, Y, W, O", "variants as bars, history, sweep, roofline"},
    {"C, L", "source with counts, lesson"},
    {"E", "export this, or the picture, as figures and tables"},
    {"S, Shift S", "picture, or the whole window, as a PNG"},
    {"R, Shift R", "record the picture, or the window; again: stop"},
    {"Ctrl S, Ctrl O", "save the session, open one (or drop one here)"},
    {"F6, Tab", "into the panels, on to the next control; Esc: back"},
    {"Ctrl arrows", "sizes of right panel and strip (Shift: left panel)"},
    {"F", "lecture: the picture alone"},
    {"T", "dark, light"},
    {"Ctrl +, Ctrl −, Ctrl 0", "text larger, smaller, as it was"},
    {"Mouse", "paints (right button erases), turns, wheel zooms"},
    {"?", "this help"},
    {"Esc, Ctrl Q", "leave what is open, close"},
};

// 1 to 9 for the digits, on the keypad too, and 10 for the 0 after them; else 0.
int number_of(int key)
{
    if (key == GLFW_KEY_0 || key == GLFW_KEY_KP_0) return 10;
    if (key >= GLFW_KEY_1 && key <= GLFW_KEY_9) return key - GLFW_KEY_0;
    if (key >= GLFW_KEY_KP_1 && key <= GLFW_KEY_KP_9) return key - GLFW_KEY_KP_0;
    return 0;
}

} // namespace

std::vector<Pressed> actions_of(std::span<const KeyEvent> keys)
{
    std::vector<Pressed> all;
    for (const KeyEvent& event : keys) {
        for (const Binding& binding : bindings)
            if (binding.key == event.key && binding.modifiers == event.modifiers &&
                (binding.repeats || !event.repeat))
                all.push_back({binding.action});
        const int number = number_of(event.key);
        if (number == 0 || event.repeat) continue;
        if (event.modifiers == 0) all.push_back({Action::variant, number});
        if (event.modifiers == GLFW_MOD_SHIFT) all.push_back({Action::rival, number});
    }
    return all;
}

std::span<const KeyHelp> key_help()
{
    return help_lines;
}

} // namespace lanescope::app
