// Draws what an experiment shows: picture, legend and title, into any part of the current
// framebuffer. The window, `shot` and `record` draw by the same code, and from nothing but a frame.
#pragma once

#include <optional>
#include <string>

#include "app/document/look.h"
#include "app/run/frame.h"
#include "compute/labs/picture.h"
#include "render/views/field.h"
#include "render/views/image.h"
#include "render/views/lanes.h"
#include "render/views/legend.h"
#include "render/views/memory_map.h"
#include "render/views/paint/gl_painter.h"
#include "render/views/plot/chart.h"
#include "render/views/surface.h"
#include "render/views/warp_map.h"

namespace lanescope::app {

// The words over the picture.
struct Caption {
    std::string title;  // upper left, large
    std::string detail; // beside it, of the second rank
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
};

// One request, lane by lane.
struct RequestShown {
    render::WarpAccess access;
    bool banks = false; // of shared memory; else sectors
};

class Scene {
public:
    // Where the flat picture lies, for the mouse; nothing for a surface.
    using Placement = std::optional<render::Placement>;

    // Clears the viewport and draws. OpenGL must have the picture's memory (Worker::drawable()).
    // The framebuffer needs depth for a surface.
    Placement draw(const DrawnPicture& picture, const Look& look, const Caption& caption,
                   const render::PixelRect& viewport, float text_px,
                   const MapOverlay* map = nullptr);
    Placement draw(const MemoryShown& memory, const Look& look, const Caption& caption,
                   const render::PixelRect& viewport, float text_px);
    void draw(const RequestShown& request, const Look& look, const Caption& caption,
              const render::PixelRect& viewport, float text_px);
    // A sentence where a picture is missing.
    void say(const std::string& words, const Look& look, const Caption& caption,
             const render::PixelRect& viewport, float text_px);

    // Compiles one shader program that a later picture may need; false when all are. For a window
    // that must not stumble over the first map: once a frame, after the first picture.
    bool prepare();

    // Captions, legends and axes go to this painter instead of the framebuffer, and with `marks`
    // bars and curves too; null: as usual.
    void send_words(render::Painter* words, bool marks = false)
    {
        sent_to_ = words;
        marks_sent_ = words && marks;
    }

private:
    struct Canvas;
    render::Painter& ink() { return sent_to_ ? *sent_to_ : painter_; }
    Canvas canvas_for(const Look& look, const Caption& caption, const render::PixelRect& viewport,
                      float text_px);
    render::Box legend(const Canvas& canvas, const render::Scale* scale);
    void draw_map(const Canvas& canvas, const render::Placement& placement);
    Placement draw(const labs::FieldPicture& picture, const Canvas& canvas);
    Placement draw(const labs::SurfacePicture& picture, const Canvas& canvas);
    Placement draw(const labs::ImagePicture& picture, const Canvas& canvas);
    Placement draw(const labs::BarsPicture& picture, const Canvas& canvas);
    Placement draw(const labs::CurvePicture& picture, const Canvas& canvas);

    render::GlPainter painter_;
    render::Painter* sent_to_ = nullptr;
    bool marks_sent_ = false;
    std::optional<render::FieldView> field_; // each made when it is first needed
    std::optional<render::SurfaceView> surface_;
    std::optional<render::ImageView> image_;
    std::optional<render::BarsView> bars_;
    std::optional<render::CurveView> curve_;
    std::optional<render::WarpMapView> warp_map_;
    std::optional<render::MemoryMapView> memory_map_;
};

// The views' colours for a theme.
const render::Theme& view_theme(Theme theme);

} // namespace lanescope::app
