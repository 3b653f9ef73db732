// Bars and curves from device memory, inside axes that a Painter draws.
#pragma once

#include <string>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// The frame around a chart: where the marks go, and the scales along its sides.
struct Axes {
    double x_low = 0, x_high = 1;
    double y_low = 0, y_high = 1;
    std::string x_title; // with its unit
    std::string y_title;
};

// Draws grid, ticks and titles into `box` and returns the inside for the marks (painter's
// coordinates).
Box draw_axes(Painter& painter, const Box& box, const Axes& axes, const Theme& theme,
              float text_px);

struct BarsData {
    GLuint buffer = 0; // count unsigned 32-bit values
    int count = 0;
    float high = 1; // full height
};

// For figures: the bars themselves, whose counts are read back.
void draw_bars(Painter& painter, const Box& inside, const BarsData& data, Colour colour);

class BarsView {
public:
    BarsView();
    // Where several bars share a pixel, the highest shows.
    void draw(const BarsData& data, const PixelRect& inside, Colour colour);

private:
    gl::Program program_;
    gl::VertexArray array_;
    gl::BufferTexture counts_;
};

struct CurveData {
    GLuint buffer = 0; // count vertices of two floats, [-1, 1] over the inside
    int count = 0;
};

// For figures: the line itself, whose points are read back. Where several share a pixel, the
// outermost are kept.
void draw_curve(Painter& painter, const Box& inside, const CurveData& data, Colour colour,
                float width_px);

class CurveView {
public:
    CurveView();
    void draw(const CurveData& data, const PixelRect& inside, Colour colour, float width_px);

private:
    gl::Program program_;
    gl::VertexArray array_;
    gl::BufferTexture vertices_;
};

// A box of a painter whose upper left is the viewport's, in framebuffer pixels.
PixelRect to_pixels(const Box& box, const PixelRect& viewport);

} // namespace lanescope::render
