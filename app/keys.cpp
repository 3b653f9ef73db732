// See keys.h.
#include "app/keys.h"

#include <imgui.h>

namespace lanescope::app {
namespace {

struct Binding {
    Action action;
    ImGuiKeyChord chord;
    bool repeats = false;
};

constexpr Binding bindings[] = {
    {Action::next_lab, ImGuiMod_Ctrl | ImGuiKey_PageDown},
    {Action::previous_lab, ImGuiMod_Ctrl | ImGuiKey_PageUp},
    {Action::next_preset, ImGuiKey_PageDown},
    {Action::previous_preset, ImGuiKey_PageUp},
    {Action::pause, ImGuiKey_Space},
    {Action::step, ImGuiKey_Period, true},
    {Action::restart, ImGuiKey_Backspace},
    {Action::restart, ImGuiKey_Home},
    {Action::view, ImGuiKey_V},
    {Action::map, ImGuiKey_H},
    {Action::compare, ImGuiKey_A},
    {Action::difference, ImGuiKey_D},
    {Action::timings, ImGuiKey_B},
    {Action::source, ImGuiKey_C},
    {Action::lesson, ImGuiKey_L},
    {Action::screenshot, ImGuiKey_S},
    {Action::window_screenshot, ImGuiMod_Shift | ImGuiKey_S},
    {Action::record, ImGuiKey_R},
    {Action::save, ImGuiMod_Ctrl | ImGuiKey_S},
    {Action::lecture, ImGuiKey_F},
    {Action::theme, ImGuiKey_T},
    {Action::text_larger, ImGuiMod_Ctrl | ImGuiKey_Equal, true},
    {Action::text_larger, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal, true},
    {Action::text_larger, ImGuiMod_Ctrl | ImGuiKey_KeypadAdd, true},
    {Action::text_smaller, ImGuiMod_Ctrl | ImGuiKey_Minus, true},
    {Action::text_smaller, ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract, true},
    {Action::text_plain, ImGuiMod_Ctrl | ImGuiKey_0},
    {Action::help, ImGuiMod_Shift | ImGuiKey_Slash},
    {Action::help, ImGuiKey_F1},
    {Action::close, ImGuiKey_Escape},
    {Action::quit, ImGuiMod_Ctrl | ImGuiKey_Q},
};

constexpr KeyHelp help_lines[] = {
    {"1 – 9", "variant"},
    {"PageDown, PageUp", "next, previous preset (a clicker's keys)"},
    {"Ctrl PageDown, PageUp", "next, previous lab"},
    {"Space", "pause, go on"},
    {".", "one step"},
    {"Home, Backspace", "restart"},
    {"V", "next view"},
    {"H", "next heatmap over the picture"},
    {"A, Shift 1 – 9, D", "beside another variant (A/B), which one, difference"},
    {"B, C, L", "bars of the variants, source with counts, lesson"},
    {"S, Shift S", "picture, or the whole window, as a PNG"},
    {"R", "record a video; again: stop"},
    {"Ctrl S", "save the session; drop one on the window to open it"},
    {"F", "lecture: the picture alone"},
    {"T", "dark, light"},
    {"Ctrl +, Ctrl −, Ctrl 0", "text larger, smaller, as it was"},
    {"Mouse", "paints on a field, turns a surface; right button erases"},
    {"?", "this help"},
    {"Esc, Ctrl Q", "close"},
};

bool pressed(const Binding& binding)
{
    const ImGuiKeyChord modifiers = binding.chord & ImGuiMod_Mask_;
    const auto key = static_cast<ImGuiKey>(binding.chord & ~ImGuiMod_Mask_);
    return ImGui::GetIO().KeyMods == modifiers && ImGui::IsKeyPressed(key, binding.repeats);
}

} // namespace

std::vector<Pressed> pressed_keys()
{
    std::vector<Pressed> all;
    if (ImGui::GetIO().WantTextInput) return all;
    for (const Binding& binding : bindings)
        if (pressed(binding)) all.push_back({binding.action});
    for (int number = 1; number <= 9; ++number) {
        const auto key = static_cast<ImGuiKey>(ImGuiKey_0 + number);
        const auto pad = static_cast<ImGuiKey>(ImGuiKey_Keypad0 + number);
        const ImGuiKeyChord modifiers = ImGui::GetIO().KeyMods;
        if (!ImGui::IsKeyPressed(key, false) && !ImGui::IsKeyPressed(pad, false)) continue;
        if (modifiers == 0) all.push_back({Action::variant, number});
        if (modifiers == ImGuiMod_Shift) all.push_back({Action::rival, number});
    }
    return all;
}

std::span<const KeyHelp> key_help()
{
    return help_lines;
}

} // namespace lanescope::app
