// Hints for newcomers, over the lower left of the picture. Each line disappears once it was
// followed, by key or mouse.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

struct Hint {
    const char* key;
    const char* words;
};
constexpr std::array hints{
    Hint{"drag", "paint heat onto the plate"},
    Hint{"PageDown", "the lesson: questions, then counted answers"},
    Hint{"Ctrl O", "your own kernel or program (.cu)"},
};

} // namespace

unsigned hint_of(const Command& command)
{
    if (command.is<Paint>()) return 1U;
    if (command.is<AdvanceBeat>()) return 2U;
    return command.is<OpenFile>() ? 4U : 0U;
}

void first_run_panel(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const Look& look = view.document.look;
    const bool plain = look.subject == Subject::picture && !look.step.on &&
                       !look.code_is_beside() && look.panels.bottom <= 0 &&
                       view.document.start.lab == labs::all().front().place;
    if (!view.ui.first_run || !plain) return;
    float keys = 0;
    float words = 0;
    int lines = 0;
    const auto pending = [&](std::size_t i) { return (view.ui.tried >> i & 1U) == 0; };
    for (std::size_t i = 0; i < hints.size(); ++i) {
        if (!pending(i)) continue;
        ++lines;
        keys = std::max(keys, width_of(style.fonts.bold, style.em, hints[i].key));
        words = std::max(words, width_of(style.fonts.plain, style.em, hints[i].words));
    }
    const float pad = 0.8F * style.em;
    const ImVec2 box{keys + words + style.em + 2 * pad,
                     1.4F * style.em * static_cast<float>(lines) + 1.4F * pad};
    if (lines == 0 || box.x > area.size.x || box.y > 0.5F * area.size.y) return;
    const ImVec2 at{area.at.x + pad, area.at.y + area.size.y - box.y - pad};
    const PanelScope panel("first run", at, box,
                           ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs |
                               ImGuiWindowFlags_NoScrollbar);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    float y = at.y + 0.7F * pad;
    for (std::size_t i = 0; i < hints.size(); ++i) {
        if (!pending(i)) continue;
        draw_words(draw, {style.fonts.bold, style.em, style.palette.accent}, {at.x + pad, y},
                   hints[i].key);
        draw_words(draw, {style.fonts.plain, style.em, style.palette.text},
                   {at.x + pad + keys + style.em, y}, hints[i].words);
        y += 1.4F * style.em;
    }
}

} // namespace lanescope::app
