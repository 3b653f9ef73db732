// The embedded font for a text style.
#pragma once

#include "render/gl/fonts.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

inline gl::Font font_of(const TextStyle& style)
{
    if (style.code) return gl::Font::code;
    return style.bold ? gl::Font::bold : gl::Font::regular;
}

} // namespace lanescope::render
