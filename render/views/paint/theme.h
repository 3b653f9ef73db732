// The program's colours in dark and light. Text has a contrast above 7:1; marks use the Okabe–Ito
// palette, which is safe for colour-blind readers.
#pragma once

#include <array>
#include <cstdint>

namespace lanescope::render {

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    std::uint8_t alpha = 255;

    constexpr Colour with_alpha(std::uint8_t value) const { return {red, green, blue, value}; }
    friend constexpr bool operator==(const Colour&, const Colour&) = default;
};

struct Theme {
    Colour background;
    Colour panel;
    Colour text;
    Colour muted; // secondary text; above 6.5:1, as strokes thinner than a pixel are paler
    Colour grid;
    Colour mark;                  // curves, bars
    std::array<Colour, 6> series; // variants side by side
};

inline constexpr Theme dark_theme{{18, 20, 24},
                                  {28, 31, 37},
                                  {236, 239, 244},
                                  {160, 168, 180},
                                  {58, 63, 72},
                                  {86, 180, 233},
                                  {{{86, 180, 233},
                                    {230, 159, 0},
                                    {0, 190, 140},
                                    {240, 228, 66},
                                    {230, 130, 180},
                                    {235, 110, 50}}}};
inline constexpr Theme light_theme{
    {255, 255, 255},
    {243, 244, 246},
    {22, 24, 29},
    {78, 85, 96},
    {206, 210, 217},
    {0, 114, 178},
    {{{0, 114, 178}, {155, 95, 0}, {0, 120, 88}, {118, 104, 0}, {165, 70, 120}, {175, 68, 0}}}};

} // namespace lanescope::render
