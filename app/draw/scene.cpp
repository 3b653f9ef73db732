// See scene.h. The viewport is divided into a line for the caption, the picture, and a column for
// the legend.
#include "app/draw/scene.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>

namespace lanescope::app {

using render::Box;
using render::PixelRect;

struct Scene::Canvas {
    const Look& look;
    const render::Theme& theme;
    PixelRect viewport; // all of it
    Box inside;         // what the caption leaves, in the painter's coordinates
    float text_px;
    const DrawnPicture* picture = nullptr;
    const MapOverlay* map = nullptr;

    PixelRect pixels(const Box& box) const { return to_pixels(box, viewport); }
};

namespace {

template <class View>
View& made(std::optional<View>& view)
{
    if (!view) view.emplace();
    return *view;
}

template <class FlatPicture>
render::Scale scale_of(const FlatPicture& picture, render::ColourMap map)
{
    return {.low = picture.low,
            .high = picture.high,
            .map = map,
            .quantity = picture.quantity,
            .unit = picture.unit};
}

const render::Scale* map_scale(const MapOverlay* map)
{
    return map ? &map->scale : nullptr;
}

void clear(const PixelRect& viewport, render::Colour colour)
{
    const float rgba[] = {static_cast<float>(colour.red) / 255,
                          static_cast<float>(colour.green) / 255,
                          static_cast<float>(colour.blue) / 255, 1};
    GLint framebuffer = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
    glEnable(GL_SCISSOR_TEST);
    glScissor(viewport.x, viewport.y, viewport.width, viewport.height);
    glClearNamedFramebufferfv(static_cast<GLuint>(framebuffer), GL_COLOR, 0, rgba);
    glDisable(GL_SCISSOR_TEST);
}

} // namespace

const render::Theme& view_theme(Theme theme)
{
    return theme == Theme::dark ? render::dark_theme : render::light_theme;
}

bool Scene::prepare()
{
    const auto missing = [](auto& view) {
        if (view) return false;
        view.emplace();
        return true;
    };
    return missing(field_) || field_->prepare() || missing(warp_map_) || warp_map_->prepare() ||
           missing(memory_map_) || memory_map_->prepare() || missing(surface_) || missing(image_) ||
           image_->prepare() || missing(bars_) || missing(curve_);
}

Scene::Canvas Scene::canvas_for(const Look& look, const Caption& caption, const PixelRect& viewport,
                                float text_px)
{
    const render::Theme& theme = view_theme(look.theme);
    clear(viewport, theme.background);
    const float pad = text_px * 0.7F;
    Box inside{pad, pad, static_cast<float>(viewport.width) - 2 * pad,
               static_cast<float>(viewport.height) - 2 * pad};
    if (!caption.title.empty() && inside.height > 8 * text_px) {
        const render::TextStyle title{std::round(text_px * 1.3F), theme.text, true};
        const render::TextStyle detail{std::round(text_px), theme.muted};
        const float baseline = inside.y + text_px * 1.1F;
        ink().text({inside.x, baseline}, caption.title, title);
        const float after = inside.x + ink().text_width(caption.title, title) + text_px;
        const bool beside = after + ink().text_width(caption.detail, detail) <= inside.right();
        ink().text(beside ? glm::vec2(after, baseline)
                          : glm::vec2(inside.x, baseline + text_px * 1.4F),
                   caption.detail, detail);
        const float used = text_px * (beside ? 1.9F : 3.3F);
        inside.y += used;
        inside.height -= used;
    }
    return {look, theme, viewport, inside, text_px};
}

Scene::Placement Scene::draw(const DrawnPicture& picture, const Look& look, const Caption& caption,
                             const PixelRect& viewport, float text_px, const MapOverlay* map)
{
    Canvas canvas = canvas_for(look, caption, viewport, text_px);
    canvas.picture = &picture;
    canvas.map = map;
    const Placement placement =
        std::visit([&](const auto& one) { return draw(one, canvas); }, picture.shape);
    painter_.flush(viewport);
    return placement;
}

Scene::Placement Scene::draw(const MemoryShown& memory, const Look& look, const Caption& caption,
                             const PixelRect& viewport, float text_px)
{
    const Canvas canvas = canvas_for(look, caption, viewport, text_px);
    const PixelRect area = canvas.pixels(legend(canvas, &memory.scale));
    const auto grid = render::memory_grid(memory.data.sectors, static_cast<double>(area.width) /
                                                                   std::max(area.height, 1));
    const auto placement = render::place(area, grid.aspect(), look.pan_zoom);
    made(memory_map_).draw(memory.data, grid, memory.scale, placement, canvas.theme.grid);
    painter_.flush(viewport);
    return placement;
}

void Scene::draw(const RequestShown& request, const Look& look, const Caption& caption,
                 const PixelRect& viewport, float text_px)
{
    const Canvas canvas = canvas_for(look, caption, viewport, text_px);
    const auto draw_lanes =
        request.banks ? render::draw_lanes_to_banks : render::draw_lanes_to_sectors;
    draw_lanes(ink(), canvas.inside, request.access, canvas.theme, text_px);
    painter_.flush(viewport);
}

void Scene::say(const std::string& words, const Look& look, const Caption& caption,
                const PixelRect& viewport, float text_px)
{
    const Canvas canvas = canvas_for(look, caption, viewport, text_px);
    const Box& inside = canvas.inside;
    ink().text({inside.x + inside.width / 2, inside.y + inside.height / 2}, words,
               {text_px, canvas.theme.text, false, render::Align::centre});
    painter_.flush(viewport);
}

// Draws a legend at the right, if there is one to draw and room for it; gives what it leaves.
Box Scene::legend(const Canvas& canvas, const render::Scale* scale)
{
    const Box& inside = canvas.inside;
    const float text_px = canvas.text_px;
    if (!scale || inside.height < 8 * text_px) return inside;
    const float width = legend_width(ink(), *scale, text_px);
    if (inside.width < 2.4F * width) return inside;
    const float height = std::min(inside.height - text_px, 22 * text_px);
    draw_legend(ink(),
                {inside.right() - width, inside.y + (inside.height - height) / 2, width, height},
                *scale, canvas.theme, text_px);
    return {inside.x, inside.y, inside.width - width - text_px, inside.height};
}

void Scene::draw_map(const Canvas& canvas, const render::Placement& placement)
{
    if (!canvas.map) return;
    made(warp_map_).draw(canvas.map->data, canvas.map->metric, canvas.map->scale, placement,
                         canvas.map->blend, canvas.theme.background);
}

Scene::Placement Scene::draw(const labs::FieldPicture& picture, const Canvas& canvas)
{
    // Under a map the picture is there for orientation: grey, and without a legend.
    const bool under = canvas.map != nullptr;
    const render::Scale scale =
        scale_of(picture, under ? render::ColourMap::grey : render::ColourMap::inferno);
    const Box box = legend(canvas, under ? map_scale(canvas.map) : &scale);
    const auto placement =
        render::place(canvas.pixels(box), static_cast<double>(picture.width) / picture.height,
                      canvas.look.pan_zoom);
    made(field_).draw({canvas.picture->memory, picture.width, picture.height}, scale, placement);
    draw_map(canvas, placement);
    return placement;
}

Scene::Placement Scene::draw(const labs::SurfacePicture& picture, const Canvas& canvas)
{
    const render::Scale scale = scale_of(picture, render::ColourMap::inferno);
    const Box box = legend(canvas, &scale);
    made(surface_).draw({canvas.picture->memory, picture.columns, picture.rows}, scale,
                        canvas.look.camera, canvas.pixels(box));
    return {};
}

Scene::Placement Scene::draw(const labs::ImagePicture&, const Canvas& canvas)
{
    const DrawnPicture& image = *canvas.picture;
    const auto placement = render::place(
        canvas.pixels(legend(canvas, map_scale(canvas.map))),
        static_cast<double>(image.image_width) / image.image_height, canvas.look.pan_zoom);
    made(image_).draw(
        {image.memory, image.image_width, image.image_height, image.grey, canvas.map != nullptr},
        placement);
    draw_map(canvas, placement);
    return placement;
}

Scene::Placement Scene::draw(const labs::BarsPicture& picture, const Canvas& canvas)
{
    const Box box = draw_axes(ink(), canvas.inside,
                              {.x_low = 0,
                               .x_high = static_cast<double>(picture.count),
                               .y_low = 0,
                               .y_high = static_cast<double>(picture.high),
                               .x_title = picture.axis,
                               .y_title = picture.quantity},
                              canvas.theme, canvas.text_px);
    painter_.flush(canvas.viewport);
    const render::BarsData data{canvas.picture->memory, picture.count, picture.high};
    if (marks_sent_)
        draw_bars(ink(), box, data, canvas.theme.mark);
    else
        made(bars_).draw(data, canvas.pixels(box), canvas.theme.mark);
    return {};
}

Scene::Placement Scene::draw(const labs::CurvePicture& picture, const Canvas& canvas)
{
    const std::string unit = picture.unit.empty() ? "" : " (" + picture.unit + ")";
    const Box box = draw_axes(ink(), legend(canvas, map_scale(canvas.map)),
                              {.x_low = 0,
                               .x_high = 1,
                               .y_low = static_cast<double>(picture.low),
                               .y_high = static_cast<double>(picture.high),
                               .x_title = "place",
                               .y_title = picture.quantity + unit},
                              canvas.theme, canvas.text_px);
    painter_.flush(canvas.viewport);
    // A band along the axis: the curve has no area to be coloured.
    const float band = std::min(1.2F * canvas.text_px, box.height / 4);
    draw_map(canvas,
             render::place(canvas.pixels({box.x, box.bottom() - band, box.width, band}), 0));
    const render::CurveData data{canvas.picture->memory, picture.count};
    const float width = std::max(2.0F, canvas.text_px * 0.15F);
    if (marks_sent_)
        draw_curve(ink(), box, data, canvas.theme.mark, width);
    else
        made(curve_).draw(data, canvas.pixels(box), canvas.theme.mark, width);
    return render::place(canvas.pixels(box), 0);
}

} // namespace lanescope::app
