// Bars and curves from device memory, within axes drawn by a Painter.
#pragma once

#include <string>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// The frame of a chart: the plot area and the scales along its sides.
struct Axes {
    double x_low = 0, x_high = 1;
    double y_low = 0, y_high = 1;
    std::string x_title; // with its unit
    std::string y_title;
    bool grid = true; // false: ticks only, where a picture covers the plot area
};

// The plot area that draw_axes() leaves in `box`.
Box plot_area(Painter& painter, const Box& box, const Axes& axes, float text_px);

// Draws grid, ticks and titles around the plot area `inside`.
void draw_axes_around(Painter& painter, const Box& box, const Box& inside, const Axes& axes,
                      const Theme& theme, float text_px);

// Draws grid, ticks and titles into `box` and returns the plot area in painter coordinates.
Box draw_axes(Painter& painter, const Box& box, const Axes& axes, const Theme& theme,
              float text_px);

struct BarsData {
    GLuint buffer = 0; // `count` unsigned 32-bit values
    int count = 0;
    float high = 1; // value of full height
};

// For figures: draws the bars as shapes; reads their counts back.
void draw_bars(Painter& painter, const Box& inside, const BarsData& data, Colour colour);

class BarsView {
public:
    BarsView();
    // Where several bars share a pixel, the highest one is shown.
    void draw(const BarsData& data, const PixelRect& inside, Colour colour);

private:
    gl::Program program_;
    gl::VertexArray array_;
    gl::BufferTexture counts_;
};

struct CurveData {
    GLuint buffer = 0; // `count` vertices of two floats, [-1, 1] over the plot area
    int count = 0;
};

// True if a curve of this many points is drawn as the band between its minimum and maximum per
// pixel: its line would fill the band.
bool is_dense(int points, const Box& inside);

// For figures and dense curves: draws the line or band itself; reads its points back. Where several
// points share a pixel, their extremes are kept.
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

// Converts a painter's box to framebuffer pixels; the painter's upper left is the viewport's.
PixelRect to_pixels(const Box& box, const PixelRect& viewport);

} // namespace lanescope::render
