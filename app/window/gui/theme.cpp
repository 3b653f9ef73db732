// The colours of the views (render/views/paint/theme.h), plus three more for widgets.
#include "app/window/gui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assets/assets.h"
#include "compute/error.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {
namespace {

constexpr ImVec4 colour(render::Colour c)
{
    return {static_cast<float>(c.red) / 255, static_cast<float>(c.green) / 255,
            static_cast<float>(c.blue) / 255, static_cast<float>(c.alpha) / 255};
}

constexpr Palette from(const render::Theme& theme, render::Colour raised,
                       render::Colour text_on_accent, render::Colour fault)
{
    return {.background = colour(theme.background),
            .panel = colour(theme.panel),
            .raised = colour(raised),
            .line = colour(theme.grid),
            .text = colour(theme.text),
            .quiet = colour(theme.muted),
            .accent = colour(theme.mark),
            .good = colour(theme.series[2]),
            .text_on_accent = colour(text_on_accent),
            .warning = colour(theme.series[1]),
            .fault = colour(fault),
            .keyword = colour(theme.mark),
            .type = colour(theme.series[2]),
            .cuda = colour(theme.series[1]),
            .number = colour(theme.series[3]),
            .string = colour(theme.series[4])};
}

constexpr Palette dark = from(render::dark_theme, {44, 49, 58}, {8, 14, 20}, {255, 100, 105});
constexpr Palette light = from(render::light_theme, {226, 230, 236}, {255, 255, 255}, {170, 0, 40});

ImVec4 faded(ImVec4 colour, float alpha)
{
    colour.w = alpha;
    return colour;
}

ImFont* load_font(std::initializer_list<const char*> paths)
{
    for (const char* path : paths) {
        const auto bytes = assets::find(path);
        if (!bytes) continue;
        ImFontConfig config;
        config.FontDataOwnedByAtlas = false;
        return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
            const_cast<char*>(bytes->data()), static_cast<int>(bytes->size()), 0, &config);
    }
    throw Error(ExitStatus::no_such_thing,
                fmt::format("The font {} is missing from the program.", *paths.begin()),
                "Run app/setup.sh and build again.");
}

} // namespace

const Palette& palette(Theme theme)
{
    return theme == Theme::dark ? dark : light;
}

Fonts load_fonts()
{
    return {load_font({"fonts/Inter-Regular.otf", "fonts/Inter-Regular.ttf"}),
            load_font({"fonts/Inter-Bold.otf", "fonts/Inter-Bold.ttf"}),
            load_font({"fonts/JetBrainsMono-Regular.ttf", "fonts/JetBrainsMono-Regular.otf"})};
}

float text_height(ImVec2 window, const Look& look)
{
    constexpr float smallest = 12;
    constexpr float comfortable = 20; // a little more than in a window of 1280 × 720
    float height = std::max(smallest, std::min(window.y / 37, window.x / 52));
    if (!look.lecture && height > comfortable) height = std::sqrt(height * comfortable);
    return height * look.text_zoom;
}

void apply_theme(Theme theme, float text_height)
{
    const Palette& p = palette(theme);
    ImGuiStyle style;
    style.FontSizeBase = text_height;
    const float em = text_height;
    style.WindowPadding = {0.8F * em, 0.7F * em};
    style.FramePadding = {0.45F * em, 0.28F * em};
    style.ItemSpacing = {0.5F * em, 0.38F * em};
    style.ItemInnerSpacing = {0.4F * em, 0.3F * em};
    style.ScrollbarSize = 0.6F * em;
    style.GrabMinSize = 0.7F * em;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = 0.25F * em;
    style.WindowRounding = 0;
    style.PopupRounding = style.ChildRounding = 0.3F * em;

    ImVec4* const c = style.Colors;
    c[ImGuiCol_Text] = p.text;
    c[ImGuiCol_TextDisabled] = p.quiet;
    c[ImGuiCol_WindowBg] = c[ImGuiCol_PopupBg] = p.panel;
    c[ImGuiCol_ChildBg] = faded(p.panel, 0);
    c[ImGuiCol_Border] = c[ImGuiCol_Separator] = p.line;
    c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = p.accent;
    c[ImGuiCol_FrameBg] = p.raised;
    c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_FrameBgActive] = p.line;
    c[ImGuiCol_Button] = p.raised;
    c[ImGuiCol_ButtonHovered] = p.line;
    c[ImGuiCol_ButtonActive] = p.line;
    c[ImGuiCol_Header] = p.raised;
    c[ImGuiCol_HeaderHovered] = p.raised;
    c[ImGuiCol_HeaderActive] = p.line;
    c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = p.accent;
    c[ImGuiCol_CheckMark] = p.accent;
    c[ImGuiCol_ScrollbarBg] = faded(p.panel, 0);
    c[ImGuiCol_ScrollbarGrab] = p.line;
    c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = p.quiet;
    c[ImGuiCol_PlotHistogram] = p.accent;
    c[ImGuiCol_TextSelectedBg] = faded(p.accent, 0.35F);
    c[ImGuiCol_NavCursor] = p.accent;
    c[ImGuiCol_TableHeaderBg] = p.raised;
    c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = p.line;
    c[ImGuiCol_TableRowBg] = faded(p.panel, 0);
    c[ImGuiCol_TableRowBgAlt] = faded(p.raised, 0.4F);
    c[ImGuiCol_Tab] = faded(p.panel, 0);
    c[ImGuiCol_TabHovered] = c[ImGuiCol_TabSelected] = p.raised;
    c[ImGuiCol_TabSelectedOverline] = p.accent;
    c[ImGuiCol_ModalWindowDimBg] = faded(p.background, 0.6F);
    ImGui::GetStyle() = style;
}

} // namespace lanescope::app
