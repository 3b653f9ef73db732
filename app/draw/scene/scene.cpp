// Divides the viewport into a caption line, the picture, and a column for the legend.
#include "app/draw/scene/scene.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/draw/scene/maps.h"
#include "app/draw/scene/margins.h"
#include "app/draw/scene/timeline_words.h"
#include "compute/numbers.h"
#include "render/views/field.h"
#include "render/views/image.h"
#include "render/views/labels.h"
#include "render/views/paint/words.h"
#include "render/views/plot/chart.h"
#include "render/views/plot/plot.h"
#include "render/views/points.h"
#include "render/views/slots.h"
#include "render/views/surface.h"
#include "render/views/tiles.h"

namespace lanescope::app {

using render::Box;
using render::PixelRect;

struct Scene::Canvas {
    const Look& look;
    const render::Theme& theme;
    PixelRect viewport; // the whole area
    Box inside;         // below the caption, in painter coordinates
    float text_px;
    const DrawnPicture* picture = nullptr;
    const MapOverlay* map = nullptr;
    std::string no_map{};                 // why a requested map is missing
    bool is_one_side = false;             // one side of A/B, which only has room for the
                                          // most important words
    const DrawnPicture* beside = nullptr; // as in PictureShown

    PixelRect pixels(const Box& box) const { return to_pixels(box, viewport); }
};

// Every view is created on first use.
struct Scene::Views {
    std::optional<render::FieldView> field;
    std::optional<render::SurfaceView> surface;
    std::optional<render::PointsView> points;
    std::optional<render::ImageView> image;
    std::optional<render::BarsView> bars;
    std::optional<render::CurveView> curve;
    std::optional<render::WarpMapView> warp_map;
    std::optional<render::MemoryMapView> memory_map;
    std::optional<render::TilesView> tiles;
    std::optional<render::gl::Target> smooth; // exists only while MSAA is being prepared
};

// A painter that adds an offset, from a part of the picture to the whole picture.
class Scene::Shifted : public render::Painter {
public:
    explicit Shifted(render::Painter& to) : to_(to) {}
    void move(glm::vec2 by) { by_ = by; }

    void fill(const Box& box, render::Colour colour) override { to_.fill(moved(box), colour); }
    using Painter::line;
    void line(std::span<const glm::vec2> points, render::Colour colour, float width_px) override
    {
        to_.line(moved(points), colour, width_px);
    }
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              render::Colour colour) override
    {
        to_.area(moved(upper), moved(lower), colour);
    }
    void gradient(const Box& box, std::span<const render::Colour> colours, bool upright) override
    {
        to_.gradient(moved(box), colours, upright);
    }
    void text(glm::vec2 at, std::string_view text, const render::TextStyle& style) override
    {
        to_.text(at + by_, text, style);
    }
    float text_width(std::string_view text, const render::TextStyle& style) override
    {
        return to_.text_width(text, style);
    }

private:
    Box moved(const Box& box) const
    {
        return {box.x + by_.x, box.y + by_.y, box.width, box.height};
    }
    std::vector<glm::vec2> moved(std::span<const glm::vec2> points) const
    {
        std::vector<glm::vec2> all(points.begin(), points.end());
        for (glm::vec2& point : all) point += by_;
        return all;
    }

    render::Painter& to_;
    glm::vec2 by_{0, 0};
};

Scene::Scene() : views_(std::make_unique<Views>()) {}

Scene::~Scene() = default;

void Scene::send_words(render::Painter* words, bool marks)
{
    redirected_to_ = words ? std::make_unique<Shifted>(*words) : nullptr;
    marks_redirected_ = words && marks;
}

render::Painter& Scene::ink()
{
    if (redirected_to_) return *redirected_to_;
    return painter_;
}

namespace {

template <class View>
View& get_or_create(std::optional<View>& view)
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
            .automatic = picture.found,
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

// Begins with the views that the first experiment needs. Each call is short, because the drawing
// thread also allocates memory for experiments being opened; MSAA takes software OpenGL some 30 ms.
bool Scene::prepare(int samples)
{
    const auto missing = [](auto& view) {
        if (view) return false;
        view.emplace();
        return true;
    };
    return missing(views_->field) || views_->field->prepare() || missing(views_->warp_map) ||
           views_->warp_map->prepare(views_->field->samples()) || missing(views_->memory_map) ||
           views_->memory_map->prepare() || missing(views_->surface) || missing(views_->points) ||
           missing(views_->image) || views_->image->prepare() || missing(views_->bars) ||
           missing(views_->curve) || missing(views_->tiles) || views_->tiles->prepare() ||
           (samples == 1 && prepare_smooth()); // otherwise each picture is drawn with MSAA anyway
}

// llvmpipe compiles separate shader variants for MSAA drawing and for the resolve: each call causes
// one of the two. The size is not a power of two, which would need yet another variant.
bool Scene::prepare_smooth()
{
    constexpr int size_px = 9;
    if (smooth_prepared_) return false;
    if (!views_->smooth) {
        views_->smooth.emplace(size_px, size_px, 4).bind();
        painter_.fill({0, 0, size_px, size_px}, {});
        painter_.flush({0, 0, size_px, size_px});
    } else {
        views_->smooth->resolve();
        views_->smooth.reset();
        smooth_prepared_ = true;
    }
    return true;
}

namespace {

// "267 µs on H100 at size 8,192 · fastest: float4, 182 µs", or as many of its parts as fit, the
// size being the first that is left out.
std::string times_within(const Caption& caption, render::Painter& painter,
                         const render::TextStyle& style, float width)
{
    if (caption.recorded.empty()) return {};
    const std::string fastest = caption.fastest.empty() ? "" : " · " + caption.fastest;
    const std::string sized =
        caption.recorded + (caption.recorded_size.empty() ? "" : " at " + caption.recorded_size);
    for (const std::string& words :
         {sized + fastest, caption.recorded + fastest, sized, caption.recorded})
        if (painter.text_width(words, style) <= width) return words;
    return {};
}

} // namespace

// Draws the number at the upper right of the box, on two lines of limited width; returns their
// widths. Times that it draws are removed from the caption.
Scene::NumberRoom Scene::draw_number(Sheet& sheet, const render::Theme& theme, const Box& inside,
                                     float max_width)
{
    constexpr float max_meaning_share = 0.8F; // of the width
    Caption& caption = sheet.caption;
    if (caption.number.empty()) return {};
    const float text_px = sheet.text_px;
    const float right = inside.right() - caption.mark_em * text_px;
    // If it does not fit, the number shrinks and its words are truncated.
    const render::Colour colour = caption.good      ? theme.series[2]
                                  : caption.neutral ? theme.mark
                                                    : theme.series[1];
    render::TextStyle large{2.2F * text_px, colour, true, render::Align::right};
    const float wanted = ink().text_width(caption.number, large);
    large.size_px = std::round(large.size_px * std::clamp(max_width / wanted, 0.5F, 1.0F));
    const render::TextStyle ideal_style{text_px, theme.series[2], true, render::Align::right};
    // The explanation of the ideal is shown if there is room.
    std::string ideal = caption.ideal;
    const std::size_t colon = ideal.find(':');
    const render::TextStyle quiet{text_px, theme.muted, false, render::Align::right};
    const std::string joint = caption.meaning.empty() || ideal.empty() ? "" : " · ";
    const float both = ink().text_width(caption.meaning + joint, quiet);
    if (colon != std::string::npos && both + ink().text_width(ideal, ideal_style) > max_width)
        ideal.resize(colon);
    const float ideal_px = ideal.empty() ? 0 : ink().text_width(ideal, ideal_style);
    float rest = max_width - ideal_px - ink().text_width(joint, quiet);
    // A long meaning extends below the title.
    const bool is_long = ink().text_width(caption.meaning, quiet) > rest;
    if (is_long)
        rest = max_meaning_share * (right - inside.x) - ideal_px - ink().text_width(joint, quiet);
    std::string meaning =
        fitted(ink(), caption.meaning, std::max(0.0F, rest), quiet) + (rest > 0 ? joint : "");
    // Times go to another line where the title, question or details would lose room to them, or
    // where the fastest variant is named.
    const float words_px =
        std::max(ink().text_width(caption.title, {1.3F * text_px, theme.text, true}),
                 ink().text_width(caption.question, quiet)) +
        ink().text_width(caption.detail, quiet);
    const float free =
        !caption.fastest.empty()
            ? 0
            : std::min(max_width, inside.width - words_px - (4 + caption.mark_em) * text_px);
    const float between =
        ink().text_width(" · ", quiet) * (caption.meaning.empty() ? 0 : 1) + ideal_px;
    if (const std::string times =
            times_within(caption, ink(), quiet,
                         free - between - ink().text_width(caption.meaning + joint, quiet));
        !times.empty()) {
        meaning = caption.meaning + (caption.meaning.empty() ? "" : " · ") + times +
                  (ideal.empty() ? "" : " · ");
        caption.recorded.clear();
        caption.recorded_size.clear();
    }
    ink().text({right, inside.y + 1.6F * text_px}, caption.number, large);
    ink().text({right - ideal_px, inside.y + 2.9F * text_px}, meaning, quiet);
    ink().text({right, inside.y + 2.9F * text_px}, ideal, ideal_style);
    const float beside_px = inside.right() - right + text_px;
    const float number_px = ink().text_width(caption.number, large);
    const float below_px = std::max(number_px, ink().text_width(meaning, quiet) + ideal_px);
    return {beside_px + (is_long ? number_px : below_px), beside_px + below_px};
}

namespace {

constexpr float min_title_scale = 0.7F; // smallest scale of the title

// The text without trailing parts, separated by commas outside brackets, that do not fit.
std::string whole_parts(render::Painter& painter, std::string text, float width,
                        const render::TextStyle& style)
{
    while (!text.empty() && painter.text_width(text, style) > width) {
        std::size_t end = text.rfind(", ");
        const auto in_brackets = [&] {
            const auto begin = text.begin();
            const auto at = begin + static_cast<std::ptrdiff_t>(end);
            return std::count(begin, at, '(') != std::count(begin, at, ')');
        };
        while (end != std::string::npos && end > 0 && in_brackets())
            end = text.rfind(", ", end - 1);
        text.resize(end == std::string::npos || in_brackets() ? 0 : end);
    }
    return text;
}

// The ideal without its explanation.
std::string short_ideal(const Caption& caption)
{
    return caption.ideal.substr(0, caption.ideal.find(':'));
}

} // namespace

// Draws at the top of a box; returns the height used.
float Scene::draw_caption(const Sheet& sheet, const render::Theme& theme, const Box& whole)
{
    Sheet shown = sheet;
    Caption& caption = shown.caption;
    if (caption.question.empty() && !caption.place.empty())
        caption.detail = std::exchange(caption.place, {}) +
                         (caption.detail.empty() ? "" : ", " + caption.detail);
    const float text_px = sheet.text_px;
    const render::TextStyle title{std::round(text_px * 1.3F), theme.text, true};
    // If title and number do not fit side by side, the number moves to the details, which then come
    // first.
    const float beside_title = whole.width - (2 + caption.mark_em) * text_px -
                               min_title_scale * ink().text_width(caption.title, title);
    const float max_number_px = std::min(0.5F * whole.width, beside_title);
    // Width that the number needs at half size, with the ideal below it.
    const float needed =
        std::max({0.25F * whole.width,
                  1.1F * ink().text_width(caption.number, {1.1F * text_px, theme.text, true}),
                  ink().text_width(short_ideal(caption), {text_px, theme.text, true})});
    const bool with_details = !caption.number.empty() && max_number_px < needed;
    if (with_details) {
        const std::string ideal = short_ideal(caption);
        caption.detail = caption.number + (ideal.empty() ? "" : ", " + ideal) +
                         (caption.detail.empty() ? "" : ", " + caption.detail);
        caption.number.clear();
    }
    const NumberRoom number = draw_number(shown, theme, whole, max_number_px);
    CaptionRoom room{.whole = whole,
                     .inside = {whole.x, whole.y, whole.width - number.title_px, whole.height},
                     .number_height = number.title_px > 0 ? 3.35F * text_px : 0,
                     .with_details = with_details};
    if (draw_title(shown, theme, room)) return std::max(title_em * text_px, room.number_height);
    room.inside.width = whole.width - number.details_px;
    return draw_details(shown, theme, room);
}

// Draws the title; appends the details and returns true if everything fits on the line.
bool Scene::draw_title(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& place)
{
    const Caption& caption = sheet.caption;
    const Box& inside = place.inside;
    const float text_px = sheet.text_px;
    const auto width = static_cast<float>(sheet.viewport.width);
    const render::TextStyle detail{text_px, theme.muted};
    render::TextStyle title{std::round(text_px * 1.3F), theme.text, true};
    const float left = std::max(inside.x, caption.from * width + (caption.from > 0 ? inside.x : 0));
    const float right = std::min(inside.right(), caption.to * width - place.whole.x);
    const bool last = caption.to >= 1;
    const bool alone = place.number_height == 0;
    const float room = right - left - (last && alone ? caption.mark_em * text_px : 0);
    const float baseline = inside.y + text_px;
    const float wanted = ink().text_width(caption.title, title);
    if (wanted > room) title.size_px *= std::clamp(0.96F * room / wanted, min_title_scale, 1.0F);
    const std::string words = fitted(ink(), caption.title, std::max(room, 0.0F), title);
    ink().text({left, baseline}, words, title);
    // If only words are redirected, this painter also draws the title of the other side of A/B.
    if (const float beside = caption.to * width + inside.x;
        redirected_to_ && !marks_redirected_ && !caption.other.empty())
        ink().text({beside, baseline},
                   fitted(ink(), caption.other, std::max(inside.right() - beside, 0.0F), title),
                   title);
    const float after = left + ink().text_width(words, title) + text_px;
    const float free = left + room - after;
    const bool fits = ink().text_width(caption.detail, detail) <= free;
    if (caption.lines != CaptionLines::one && !(caption.lines == CaptionLines::as_fits && fits))
        return false;
    if (last && free > 0)
        ink().text({after, baseline}, whole_parts(ink(), caption.detail, free, detail), detail);
    return true;
}

// Draws below the title one line with the question, the details or, if they fit, both; then a line
// with the location, and one with times that fit nowhere else. Returns the caption's height.
float Scene::draw_details(const Sheet& sheet, const render::Theme& theme, const CaptionRoom& room)
{
    constexpr float min_px = 18; // minimum text size of the question, legible from the back of a
                                 // lecture hall
    const Caption& caption = sheet.caption;
    const auto& [whole, inside, number_height, with_details] = room;
    const float text_px = sheet.text_px;
    const render::TextStyle detail{text_px, theme.muted};
    const float wide = ink().text_width(caption.detail, detail);
    float below = inside.y + 2.4F * text_px;
    float used = std::max((title_em + detail_em) * text_px, number_height);
    const auto next_line = [&] {
        below = std::max(below + 1.35F * text_px, inside.y + used + 0.9F * text_px);
        used += detail_em * text_px;
    };
    render::TextStyle plain{text_px, theme.text};
    float question_px = inside.width;
    const float asked = ink().text_width(caption.question, plain);
    // A question that does not fit next to the number gets its own full-width line.
    const float smaller = std::max(0.75F, std::min(1.0F, min_px / text_px));
    if (number_height > 0 && 1.03F * smaller * asked > inside.width &&
        whole.height > 14 * text_px) {
        question_px = whole.width;
        next_line();
    }
    if (asked > question_px)
        plain.size_px =
            std::max(std::floor(0.98F * text_px * question_px / asked), smaller * text_px);
    const bool has_line_for_times =
        number_height > 0 && !caption.fastest.empty() && whole.height > 18 * text_px;
    const bool both = ink().text_width(caption.question, plain) + text_px + wide <= question_px;
    const bool moved = question_px > inside.width;
    bool timed = false;
    // A picture too low for that line has none rather than a part of it.
    const bool cut = ink().text_width(caption.question, plain) > question_px;
    if (caption.question.empty() || cut || (with_details && !both)) {
        // A/B leaves out a location that would be truncated.
        if (!caption.is_one_side || wide <= inside.width)
            ink().text({inside.x, below}, whole_parts(ink(), caption.detail, inside.width, detail),
                       detail);
    } else {
        const std::string question = fitted(ink(), caption.question, question_px, plain);
        ink().text({inside.x, below}, question, plain);
        const float room = question_px - ink().text_width(question, plain) - text_px;
        // The time replaces the number of steps, but no counts.
        const bool only_steps = caption.detail.find(", ") == std::string::npos;
        const bool may_replace = moved || (only_steps && caption.fastest.empty());
        std::string beside = number_height > 0 && may_replace
                                 ? times_within(caption, ink(), detail, room)
                                 : std::string();
        // The fastest variant is not left out where the times may have a line of their own.
        if (has_line_for_times && !beside.ends_with(caption.fastest)) beside.clear();
        timed = !beside.empty();
        if (timed || both)
            ink().text({inside.x + question_px, below}, timed ? beside : caption.detail,
                       {text_px, theme.muted, false, render::Align::right});
    }
    const bool has_place = !caption.place.empty() && whole.height > 12 * text_px;
    const float place_px = has_place ? ink().text_width(caption.place, detail) + text_px : 0;
    const bool needs_times = has_line_for_times && !timed;
    std::string times =
        needs_times ? times_within(caption, ink(), detail, whole.width - place_px) : std::string();
    if (!has_place && times.empty()) return used;
    next_line();
    ink().text({inside.x, below}, fitted(ink(), caption.place, whole.width, detail), detail);
    if (needs_times && !times.ends_with(caption.fastest)) {
        times = times_within(caption, ink(), detail, whole.width);
        next_line();
    }
    ink().text({whole.right(), below}, times, {text_px, theme.muted, false, render::Align::right});
    return used;
}

Scene::Canvas Scene::canvas_for(const Sheet& sheet)
{
    const PixelRect& viewport = sheet.viewport;
    const float text_px = sheet.text_px;
    const render::Theme& theme = view_theme(sheet.look.theme);
    clear(viewport, theme.background);
    if (redirected_to_) redirected_to_->move(sheet.words_origin);
    const float pad = std::round(text_px * margin_em);
    const auto width = static_cast<float>(viewport.width);
    Box inside{pad, pad, width - 2 * pad, static_cast<float>(viewport.height) - 2 * pad};
    if (!sheet.caption.title.empty() && inside.height > 8 * text_px) {
        const float used = draw_caption(sheet, theme, inside);
        inside.y += used;
        inside.height -= used;
    }
    return {.look = sheet.look,
            .theme = theme,
            .viewport = viewport,
            .inside = inside,
            .text_px = text_px,
            .is_one_side = sheet.caption.is_one_side};
}

Scene::Placement Scene::draw(const MemoryShown& memory, const Sheet& sheet)
{
    const Canvas canvas = canvas_for(sheet);
    const PixelRect area = canvas.pixels(legend(canvas, &memory.scale));
    const auto grid = render::memory_grid(
        memory.data.sectors, static_cast<double>(area.width) / std::max(area.height, 1),
        memory.row_bytes);
    const auto placement = render::place(area, grid.aspect(), sheet.look.pan_zoom);
    get_or_create(views_->memory_map)
        .draw(memory.data, grid, placement,
              {memory.scale, canvas.theme.grid, render::hatching(sheet.text_px)});
    painter_.flush(sheet.viewport);
    return placement;
}

Scene::Placement Scene::paint(const Sheet& sheet, const std::function<void(const Paper&)>& draw)
{
    const Canvas canvas = canvas_for(sheet);
    draw({ink(), canvas.inside, canvas.theme});
    painter_.flush(sheet.viewport);
    return {};
}

Scene::Placement Scene::say(const std::string& words, const Sheet& sheet)
{
    return paint(sheet, [&](const Paper& paper) {
        render::draw_words(paper.painter, paper.inside, words, {sheet.text_px, paper.theme.text});
    });
}

// Draws a legend at the right, if any; returns the area without its column, which is reserved
// either way, so that a picture does not move when it gets a map.
Box Scene::legend(const Canvas& canvas, const render::Scale* scale)
{
    const Box& inside = canvas.inside;
    const float text_px = canvas.text_px;
    const float column = std::round(column_em * text_px);
    if (inside.height < 8 * text_px || inside.width < 2.2F * column) return inside;
    const float width = render::legend_width(text_px);
    const float height = std::min(inside.height, 22 * text_px);
    // A sentence in the legend's column needs up to a dozen lines.
    const float above = std::clamp(inside.height - 12 * text_px, 0.0F, 2 * text_px);
    if (!canvas.no_map.empty())
        render::draw_lines(ink(), {inside.right() - width, inside.y + above, width, inside.height},
                           canvas.no_map, {text_px, canvas.theme.text});
    else if (scale)
        draw_legend(
            ink(), {inside.right() - width, inside.y + (inside.height - height) / 2, width, height},
            *scale, canvas.theme, text_px);
    return {inside.x, inside.y, inside.width - column, inside.height};
}

void Scene::draw_map(const Canvas& canvas, const render::Placement& placement)
{
    if (!canvas.map) return;
    get_or_create(views_->warp_map)
        .draw(canvas.map->data, canvas.map->metric, placement,
              {canvas.map->scale, canvas.theme.background, render::hatching(canvas.text_px)},
              canvas.map->blend);
}

// Draws the axes of the visible part into the box; the picture fills the rest.
render::Placement Scene::place_within_axes(const labs::FieldPicture& picture, const Box& box,
                                           const Canvas& canvas)
{
    render::Axes axes{.x_low = picture.x.low,
                      .x_high = picture.x.high,
                      .y_low = picture.y.low,
                      .y_high = picture.y.high,
                      .x_title = picture.x.title,
                      .y_title = picture.y.title,
                      .grid = false};
    const Box inside = plot_area(ink(), box, axes, canvas.text_px);
    const auto placement = render::place(canvas.pixels(inside), 0, canvas.look.pan_zoom);
    const glm::dvec2 first = -placement.origin / placement.size;
    const glm::dvec2 shown =
        glm::dvec2(placement.viewport.width, placement.viewport.height) / placement.size;
    const auto narrow = [](double& low, double& high, double from, double share) {
        const double range = high - low;
        low += range * from;
        high = low + range * share;
    };
    narrow(axes.x_low, axes.x_high, first.x, shown.x);
    narrow(axes.y_low, axes.y_high, first.y, shown.y);
    draw_axes_around(ink(), box, inside, axes, canvas.theme, canvas.text_px);
    painter_.flush(canvas.viewport);
    return placement;
}

template <>
Scene::Placement Scene::draw_shape(const labs::FieldPicture& picture, const Canvas& canvas)
{
    // Under a map the picture is only for orientation: grey, without a legend.
    const bool under = canvas.map != nullptr;
    render::Scale scale =
        scale_of(picture, under ? render::ColourMap::grey : render::ColourMap::inferno);
    scale.outline = picture.outline;
    const Box box = legend(canvas, under ? map_scale(canvas.map) : &scale);
    const bool has_axes = !picture.x.title.empty() || !picture.y.title.empty();
    const auto placement =
        has_axes
            ? place_within_axes(picture, box, canvas)
            : render::place(canvas.pixels(box), static_cast<double>(picture.width) / picture.height,
                            canvas.look.pan_zoom);
    get_or_create(views_->field)
        .draw({canvas.picture->memory, picture.width, picture.height}, scale, placement);
    draw_map(canvas, placement);
    return placement;
}

template <>
Scene::Placement Scene::draw_shape(const labs::SurfacePicture& picture, const Canvas& canvas)
{
    const render::Scale scale = scale_of(picture, render::ColourMap::inferno);
    const Box box = legend(canvas, &scale);
    get_or_create(views_->surface)
        .draw({canvas.picture->memory, picture.columns, picture.rows}, scale, canvas.look.camera,
              canvas.pixels(box));
    return {};
}

template <>
Scene::Placement Scene::draw_shape(const labs::PointsPicture& picture, const Canvas& canvas)
{
    const render::Scale scale = scale_of(picture, render::ColourMap::inferno);
    const Box box = legend(canvas, &scale);
    const render::PointsData data{canvas.picture->memory, picture.count};
    auto& view = get_or_create(views_->points);
    if (picture.flat) {
        const auto placement = render::place(canvas.pixels(box), 1, canvas.look.pan_zoom);
        view.draw(data, scale, placement);
        return placement;
    }
    render::draw_cube(painter_, box, canvas.look.camera, canvas.theme.grid,
                      std::max(1.0F, 0.08F * canvas.text_px));
    painter_.flush(canvas.viewport);
    view.draw(data, scale, canvas.look.camera, canvas.pixels(box));
    return {};
}

template <>
Scene::Placement Scene::draw_shape(const labs::ImagePicture&, const Canvas& canvas)
{
    const DrawnPicture& image = *canvas.picture;
    const auto placement = render::place(
        canvas.pixels(legend(canvas, map_scale(canvas.map))),
        static_cast<double>(image.image_width) / image.image_height, canvas.look.pan_zoom);
    get_or_create(views_->image)
        .draw({image.memory, image.image_width, image.image_height, image.grey,
               canvas.map != nullptr},
              placement);
    draw_map(canvas, placement);
    return placement;
}

template <>
Scene::Placement Scene::draw_shape(const labs::BarsPicture& picture, const Canvas& canvas)
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
    if (marks_redirected_)
        draw_bars(ink(), box, data, canvas.theme.mark);
    else
        get_or_create(views_->bars).draw(data, canvas.pixels(box), canvas.theme.mark);
    if (canvas.look.step.on) return render::place(canvas.pixels(box), 0); // makes bars hoverable
    return {};
}

template <>
Scene::Placement Scene::draw_shape(const labs::CurvePicture& picture, const Canvas& canvas)
{
    const std::string unit = picture.unit.empty() ? "" : " (" + picture.unit + ")";
    const Box box = draw_axes(ink(), legend(canvas, map_scale(canvas.map)),
                              {.x_low = picture.x.low,
                               .x_high = picture.x.high,
                               .y_low = static_cast<double>(picture.low),
                               .y_high = static_cast<double>(picture.high),
                               .x_title = picture.x.title,
                               .y_title = picture.quantity + unit},
                              canvas.theme, canvas.text_px);
    painter_.flush(canvas.viewport);
    // A band along the axis, since a curve has no area to colour.
    const float band = std::min(1.2F * canvas.text_px, box.height / 4);
    draw_map(canvas,
             render::place(canvas.pixels({box.x, box.bottom() - band, box.width, band}), 0));
    const render::CurveData data{canvas.picture->memory, picture.count};
    const float width = std::max(2.0F, canvas.text_px * 0.15F);
    if (marks_redirected_ || render::is_dense(data.count, box))
        draw_curve(marks_redirected_ ? ink() : painter_, box, data, canvas.theme.mark, width);
    else
        get_or_create(views_->curve).draw(data, canvas.pixels(box), canvas.theme.mark, width);
    return render::place(canvas.pixels(box), 0);
}

render::Painter& Scene::marks(const Canvas& canvas)
{
    if (redirected_to_ && marks_redirected_ && !canvas.map) return *redirected_to_;
    return painter_;
}

namespace {

// "did not run: 8 of 24 cells": legend of the crossed-out cells; empty if there are none.
std::string gap_words(const labs::LabelsPicture& picture)
{
    const std::size_t layers = picture.layers.size();
    const std::size_t cells = picture.numbers->size() / layers;
    std::size_t gaps = 0;
    for (std::size_t cell = 0; cell < cells; ++cell)
        if ((*picture.numbers)[cell * layers + static_cast<std::size_t>(picture.shown)] < 0) ++gaps;
    if (gaps == 0 || picture.gap.empty()) return {};
    return fmt::format("{}: {} of {}", picture.gap, grouped(gaps), counted(cells, "cell"));
}

} // namespace

template <>
Scene::Placement Scene::draw_shape(const labs::LabelsPicture& picture, const Canvas& canvas)
{
    const bool under = canvas.map != nullptr;
    const render::Scale scale{.low = 0,
                              .high = picture.high,
                              .map = under ? render::ColourMap::grey : render::ColourMap::viridis,
                              .quantity = picture.layers[static_cast<std::size_t>(picture.shown)],
                              .unit = "",
                              .whole = true,
                              .gap = gap_words(picture)};
    Box box = legend(canvas, under ? map_scale(canvas.map) : &scale);
    const float names_px = render::row_names_width(ink(), picture.rows, canvas.text_px);
    const bool names_rows = names_px > 0 && names_px < box.width / 3;
    if (names_rows) box = {box.x + names_px, box.y, box.width - names_px, box.height};
    // In a low picture the cells' numbers need the room.
    const bool names_columns =
        !picture.columns.empty() && box.height > 3.3F * canvas.text_px * picture.height;
    const float above = names_columns ? 1.8F * canvas.text_px : 0;
    box = {box.x, box.y + above, box.width, box.height - above};
    const auto placement =
        render::place(canvas.pixels(box), static_cast<double>(picture.width) / picture.height,
                      canvas.look.pan_zoom);
    // Words around the picture grow in lecture mode; cells do not, so their numbers keep their
    // size.
    const float plain_px = canvas.text_px / (canvas.look.lecture ? lecture_zoom : 1.0F);
    render::draw_labels(marks(canvas),
                        {*picture.numbers, static_cast<int>(picture.layers.size()), picture.width,
                         picture.height, picture.shown},
                        scale, {placement, canvas.viewport},
                        {canvas.theme, canvas.text_px, 0.9F * plain_px});
    if (names_rows)
        render::draw_row_names(marks(canvas), picture.rows, picture.height,
                               {placement, canvas.viewport},
                               {canvas.theme, canvas.text_px, 0.9F * plain_px});
    if (names_columns)
        render::draw_column_names(marks(canvas), picture.columns, picture.width,
                                  {placement, canvas.viewport},
                                  {canvas.theme, canvas.text_px, 0.9F * plain_px});
    painter_.flush(canvas.viewport);
    draw_map(canvas, placement);
    return placement;
}

template <>
Scene::Placement Scene::draw_shape(const labs::SlotsPicture& picture, const Canvas& canvas)
{
    render::SlotsData data{
        .rows = {}, .occupant = picture.occupant, .occupants = picture.occupants()};
    for (const auto& row : picture.rows)
        data.rows.push_back(
            {row.title, row.unit, row.capacity, row.taken, row.asked, row.fits, row.mark});
    render::draw_slots(marks(canvas), canvas.inside, data, canvas.theme, canvas.text_px);
    return {};
}

template <>
Scene::Placement Scene::draw_shape(const labs::ScatterPicture& picture, const Canvas& canvas)
{
    render::PlotSeries series{.place = 0, .line = false};
    for (const auto& dot : *picture.dots)
        series.points.push_back(render::PlotPoint::exact(dot.x, dot.y));
    const render::Plot plot{
        .x = {.title = picture.axis},
        .y = {.title = picture.quantity, .low = picture.low, .high = picture.high},
        .series = {std::move(series)},
        .empty = "No element is a finite number."};
    render::draw_plot(marks(canvas), canvas.inside, plot, canvas.theme, canvas.text_px);
    return {};
}

template <>
Scene::Placement Scene::draw_shape(const labs::TimelinePicture& picture, const Canvas& canvas)
{
    render::TimelineData data = timeline_data(*picture.timeline);
    if (canvas.is_one_side && !data.axis.empty())
        data.words.clear(); // the bars and numbers already say it
    if (canvas.beside)
        if (const auto* other = std::get_if<labs::TimelinePicture>(&canvas.beside->shape))
            data.min_end = render::end_of(timeline_data(*other->timeline));
    render::draw_timeline(marks(canvas), canvas.inside, data, canvas.theme, canvas.text_px);
    return {};
}

namespace {

// Mean number of loads per element, over all blocks.
double loads_of_each(const labs::Tiles::Array& array)
{
    return static_cast<double>(array.launch_loads) /
           (static_cast<double>(array.width) * array.height);
}

// A caption below a tile: the first alternative that fits.
struct TileWords {
    std::vector<std::string> choice;
    render::Colour colour;
    bool bold = false;
};

std::vector<TileWords> words_below(const labs::Tiles::Array& array, double max_loads_each,
                                   const render::Theme& theme)
{
    std::vector<TileWords> lines{
        {{fmt::format("{}, {} × {}", array.name, array.width, array.height), array.name},
         theme.text,
         true}};
    if (array.elements_loaded > 0) {
        const std::string loaded = "loaded: " + grouped(array.elements_loaded);
        const double each =
            static_cast<double>(array.loads) / static_cast<double>(array.elements_loaded);
        lines.push_back({{fmt::format("{}, {:.3g}× each", loaded, each), loaded}, theme.text});
    }
    if (array.launch_loads > 0) {
        const std::string each = fmt::format("{:.3g}× each", loads_of_each(array));
        // True for the array that the headline refers to.
        const bool is_max = loads_of_each(array) >= max_loads_each && max_loads_each > 1;
        lines.push_back({{"by all blocks: " + each, "all: " + each, each}, theme.text, is_max});
    }
    if (array.elements_stored > 0) {
        const std::string stored = grouped(array.elements_stored);
        lines.push_back({{"stored: " + stored, stored}, render::stored_colour(theme), true});
    }
    return lines;
}

} // namespace

template <>
Scene::Placement Scene::draw_shape(const labs::TilesPicture& shown, const Canvas& canvas)
{
    const labs::Tiles& picture = *shown.tiles;
    const render::Scale scale = render::tiles_scale(
        canvas.look.map_automatic ? std::optional(picture.max_requests) : std::nullopt);
    const Box all = canvas.is_one_side ? canvas.inside : legend(canvas, &scale);
    const float text_px = canvas.text_px;
    std::vector<double> aspects;
    double max_loads_each = 0;
    for (const auto& array : picture.arrays) {
        aspects.push_back(static_cast<double>(array.width) / array.height);
        max_loads_each = std::max(max_loads_each, loads_of_each(array));
    }
    const auto boxes = render::tiles_layout(all, aspects, 1.2F * text_px, 5.2F * text_px);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const labs::Tiles::Array& array = picture.arrays[i];
        const auto placement = render::place(canvas.pixels(boxes[i]), aspects[i]);
        get_or_create(views_->tiles)
            .draw(
                {canvas.picture->memory, static_cast<int>(array.first), array.width, array.height},
                scale, placement, canvas.theme, std::max(1.5F, 0.1F * text_px));
        const float middle = boxes[i].x + boxes[i].width / 2;
        float line = boxes[i].y + boxes[i].height / 2 + static_cast<float>(placement.size.y) / 2 +
                     1.4F * text_px;
        for (const TileWords& words : words_below(array, max_loads_each, canvas.theme)) {
            const render::TextStyle style{text_px, words.colour, words.bold, render::Align::centre};
            const auto fits = std::ranges::find_if(words.choice, [&](const std::string& one) {
                return ink().text_width(one, style) <= boxes[i].width;
            });
            if (fits == words.choice.end()) continue;
            ink().text({middle, line}, *fits, style);
            line += 1.4F * text_px;
        }
    }
    return {};
}

Scene::Placement Scene::draw(const PictureShown& shown, const Sheet& sheet)
{
    Canvas canvas = canvas_for(sheet);
    canvas.picture = &shown.picture;
    canvas.map = shown.map;
    canvas.no_map = shown.no_map;
    canvas.beside = shown.beside;
    const Placement placement =
        std::visit([&](const auto& one) { return draw_shape(one, canvas); }, shown.picture.shape);
    painter_.flush(sheet.viewport);
    return placement;
}

} // namespace lanescope::app
