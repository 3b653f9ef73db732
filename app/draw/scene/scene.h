// Draws an experiment (picture, legend, title) into any part of the current framebuffer. The
// window, `shot` and `record` share this code, and its only input is a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/document/look/look.h"
#include "app/run/frame/frame.h"
#include "compute/experiment/lab/picture.h"
#include "render/views/colours/legend.h"
#include "render/views/maps/memory_map.h"
#include "render/views/maps/warp_map.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::app {

// Where a caption's details go: next to the title or below it, whichever fits; or on a fixed number
// of lines, so that the picture below does not move.
enum class CaptionLines : std::uint8_t { as_fits, one, two };

// The words over the picture.
struct Caption {
    std::string title;      // upper left, large
    std::string detail;     // secondary text
    std::string question{}; // below the title
    // The part of the launch on screen, for subjects that show only a part; drawn below the
    // question or with the details: "block (0, 0) of 8 × 32".
    std::string place{};
    CaptionLines lines = CaptionLines::as_fits;
    // Horizontal range of the title: each of two pictures side by side has its own.
    float from = 0;
    float to = 1;
    std::string other{};       // the neighbour's title, for a painter that draws both titles
    float mark_em = 0;         // width to keep free at the right of the title
    bool hides_counts = false; // counts might answer an open question
    bool is_one_side = false;  // one side of A/B: common words are drawn above both
    // The cost, in large type at the right; its meaning is below.
    std::string number{};
    std::string meaning{};
    std::string ideal{}; // next to the meaning: the minimum possible cost
    // Below the meaning, or after it where there is room: "267 µs on H100", and the time to compare
    // with: "fastest: float4, 182 µs".
    std::string recorded{};
    std::string recorded_size{}; // "size 8,192"
    std::string fastest{};
    bool good = false;    // the cost is minimal
    bool neutral = false; // if there is no ideal to compare the cost with
};

// Common to everything that a scene draws: the target area and the words above it.
struct Sheet {
    const Look& look;
    Caption caption;
    render::PixelRect viewport;
    float text_px = 0;
    // Position of the viewport's upper left in the whole picture, for redirected words: A/B draws
    // into parts of it.
    glm::vec2 words_origin{0, 0};
    // The side's previous state, and the progress of the animation from it, 0 to 1.
    const SideFrame* before = nullptr;
    float moved = 1;
};

// A heatmap over the picture.
struct MapOverlay {
    render::WarpMapData data;
    render::WarpMetric metric = render::WarpMetric::active_lanes;
    render::Scale scale;
    float blend = 0.7F;
};

// A buffer as a grid of sectors.
struct MemoryShown {
    render::MemoryMapData data;
    render::Scale scale;
    std::size_t row_bytes = 0; // 0: not divided into rows
};

// The experiment's picture.
struct PictureShown {
    const DrawnPicture& picture;
    const MapOverlay* map = nullptr;
    std::string no_map{};                 // why the map is missing, shown instead of its scale
    const DrawnPicture* beside = nullptr; // the other side of A/B, whose scale a timeline shares
};

// A new view needs a draw_shape() overload for its picture.
class Scene {
public:
    Scene();
    ~Scene();

    // Position of a flat picture, for the mouse; empty for a surface.
    using Placement = std::optional<render::Placement>;

    // Clears the viewport and draws. OpenGL must have the picture's memory (Worker::drawable()). A
    // surface needs a framebuffer with depth.
    Placement draw(const PictureShown& shown, const Sheet& sheet);
    Placement draw(const MemoryShown& memory, const Sheet& sheet);
    // Painter for the area below the caption, with the theme's colours.
    struct Paper {
        render::Painter& painter;
        render::Box inside;
        const render::Theme& theme;
    };
    Placement paint(const Sheet& sheet, const std::function<void(const Paper&)>& draw);
    // Draws a sentence instead of a missing picture.
    Placement say(const std::string& words, const Sheet& sheet);

    // Compiles one shader program that a later picture may need; returns false if all are compiled.
    // Keeps the window from stalling at the first map: called while the first experiment opens, and
    // once per frame after the first picture. `samples` is the MSAA sample count of that picture.
    bool prepare(int samples);

    // The screen's painter, for anything else drawn there.
    render::GlPainter& painter() { return painter_; }

    // Redirects captions, legends and axes to this painter, with `marks` also bars and curves; null
    // ends it.
    void send_words(render::Painter* words, bool marks = false);

private:
    struct Canvas;
    // Painter for marks: redirected if they can be vectors and nothing covers them.
    render::Painter& marks(const Canvas& canvas);
    render::Painter& ink();
    Canvas canvas_for(const Sheet& sheet);
    float draw_caption(const Sheet& sheet, const render::Theme& theme, const render::Box& inside);
    struct CaptionRoom {
        render::Box whole;
        render::Box inside;        // left of the number
        float number_height = 0;   // including its ideal; 0: no number
        bool with_details = false; // the number is among the details
    };
    bool draw_title(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& place);
    float draw_details(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& room);
    // Width that the number takes from the title, and with its words from the lines below.
    struct NumberRoom {
        float title_px = 0;
        float details_px = 0;
    };
    NumberRoom draw_number(Sheet& sheet, const render::Theme& theme, const render::Box& inside,
                           float max_width);
    render::Box legend(const Canvas& canvas, const render::Scale* scale);
    void draw_map(const Canvas& canvas, const render::Placement& placement);
    render::Placement place_within_axes(const labs::FieldPicture& picture, const render::Box& box,
                                        const Canvas& canvas);
    // One overload per kind of picture, in scene.cpp.
    template <class Shape>
    Placement draw_shape(const Shape& picture, const Canvas& canvas);

    bool prepare_smooth();

    render::GlPainter painter_;
    bool smooth_prepared_ = false;
    class Shifted;
    std::unique_ptr<Shifted> redirected_to_; // null: words go to the framebuffer
    bool marks_redirected_ = false;
    struct Views;
    std::unique_ptr<Views> views_;
};

} // namespace lanescope::app
