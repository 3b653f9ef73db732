// Draws what an experiment shows: picture, legend and title, into any part of the current
// framebuffer. The window, `shot` and `record` draw by the same code, and from nothing but a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/document/look.h"
#include "app/run/frame.h"
#include "compute/labs/picture.h"
#include "render/views/colours/legend.h"
#include "render/views/maps/memory_map.h"
#include "render/views/maps/warp_map.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::app {

// Where a caption's second words stand: beside the title or below it, as they fit; or always in the
// same line, so that the picture below keeps its place.
enum class CaptionLines : std::uint8_t { as_fits, one, two };

// The words over the picture.
struct Caption {
    std::string title;      // upper left, large
    std::string detail;     // of the second rank
    std::string question{}; // below the title
    // Of what stands alone, below the question, or with the details: "block (0, 0) of 8 × 32".
    std::string place{};
    CaptionLines lines = CaptionLines::as_fits;
    // The title's part of the width: of two pictures beside each other each has its own.
    float from = 0;
    float to = 1;
    std::string other{};       // its neighbour's title, for a painter that gets the words of both
    float mark_em = 0;         // kept free at the right of the title
    bool hides_counts = false; // a question is open whose answer they may be
    bool of_side = false;      // of A/B: what both sides have in common stands over them
    // Large, at the right: what is paid, and below it what that is of.
    std::string number{};
    std::string meaning{};
    std::string ideal{}; // beside the meaning: the least that it could be
    bool good = false;   // it could not be less
};

// What all that a scene draws has in common: where it goes, and the words over it.
struct Sheet {
    const Look& look;
    Caption caption;
    render::PixelRect viewport;
    float text_px = 0;
    // Where the viewport's upper left lies in the whole picture, for words that are sent: A/B draws
    // into parts of it.
    glm::vec2 words_at{0, 0};
    // What was drawn before of this side, and how far it has moved from there, 0 to 1.
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

// An array, sector by sector.
struct MemoryShown {
    render::MemoryMapData data;
    render::Scale scale;
    std::size_t row_bytes = 0; // 0: it has no rows
};

// The experiment's picture.
struct PictureShown {
    const DrawnPicture& picture;
    const MapOverlay* map = nullptr;
    std::string no_map{};                 // why there is none, in the place of its scale
    const DrawnPicture* beside = nullptr; // A/B's other side, whose scale a timeline shares
};

// A new view is drawn by a draw_shape() of its picture.
class Scene {
public:
    Scene();
    ~Scene();

    // Where the flat picture lies, for the mouse; nothing for a surface.
    using Placement = std::optional<render::Placement>;

    // Clears the viewport and draws. OpenGL must have the picture's memory (Worker::drawable()).
    // The framebuffer needs depth for a surface.
    Placement draw(const PictureShown& shown, const Sheet& sheet);
    Placement draw(const MemoryShown& memory, const Sheet& sheet);
    // The same for what a painter can draw: below the caption, with the theme's colours.
    struct Paper {
        render::Painter& painter;
        render::Box inside;
        const render::Theme& theme;
    };
    Placement paint(const Sheet& sheet, const std::function<void(const Paper&)>& draw);
    // A sentence where a picture is missing.
    Placement say(const std::string& words, const Sheet& sheet);

    // Compiles one shader program that a later picture may need; false when all are. For a window
    // that must not stumble over the first map: while the first experiment opens, and once a frame
    // after the first picture. `samples`: of the window's picture.
    bool prepare(int samples);

    // That of the screen, for what else is drawn there.
    render::GlPainter& painter() { return painter_; }

    // Captions, legends and axes go to this painter instead of the framebuffer, and with `marks`
    // bars and curves too; null: as usual.
    void send_words(render::Painter* words, bool marks = false);

private:
    struct Canvas;
    // For marks that a painter draws: where they can be vectors, and nothing lies over them.
    render::Painter& marks(const Canvas& canvas);
    render::Painter& ink();
    Canvas canvas_for(const Sheet& sheet);
    float draw_caption(const Sheet& sheet, const render::Theme& theme, const render::Box& inside);
    struct CaptionRoom {
        render::Box whole;
        render::Box inside;        // left of the number
        float number_height = 0;   // with its ideal; 0: there is none
        bool with_details = false; // the number is among the details
    };
    bool draw_title(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& place);
    float draw_details(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& room);
    float draw_number(const Sheet& sheet, const render::Theme& theme, const render::Box& inside,
                      float most);
    render::Box legend(const Canvas& canvas, const render::Scale* scale);
    void draw_map(const Canvas& canvas, const render::Placement& placement);
    // Of each picture that there is; scene.cpp has them.
    template <class Shape>
    Placement draw_shape(const Shape& picture, const Canvas& canvas);

    bool prepare_smooth();

    render::GlPainter painter_;
    bool smooth_prepared_ = false;
    class Shifted;
    std::unique_ptr<Shifted> sent_to_; // null: words go to the framebuffer
    bool marks_sent_ = false;
    struct Views;
    std::unique_ptr<Views> views_;
};

} // namespace lanescope::app
