// A run of equal cells is one rectangle. Each number is written once: in its rectangle if its cells
// form one, else in its longest run, extended to matching rows above and below.
#include "render/views/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "render/views/colours/colour_maps.h"

namespace lanescope::render {
namespace {

// Cell positions in painter coordinates, where y grows downwards.
class Cells {
public:
    Cells(const Placement& placement, const PixelRect& viewport, int width, int height)
        : cell_px_(placement.size / glm::dvec2(width, height)),
          left_(placement.viewport.x - viewport.x + placement.origin.x),
          bottom_(viewport.y + viewport.height - placement.viewport.y - placement.origin.y),
          area_{static_cast<float>(placement.viewport.x - viewport.x),
                static_cast<float>(viewport.y + viewport.height - placement.viewport.y -
                                   placement.viewport.height),
                static_cast<float>(placement.viewport.width),
                static_cast<float>(placement.viewport.height)}
    {
    }

    // The visible part of cells [x, x_end) × [y, y_end); may be empty.
    Box box(int x, int y, int x_end, int y_end) const
    {
        const float left = std::max(at_x(x), area_.x);
        const float right = std::min(at_x(x_end), area_.right());
        const float top = std::max(at_y(y_end), area_.y);
        const float bottom = std::min(at_y(y), area_.bottom());
        return {left, top, std::max(0.0f, right - left), std::max(0.0f, bottom - top)};
    }
    float at_x(int x) const { return static_cast<float>(std::round(left_ + x * cell_px_.x)); }
    float at_y(int y) const { return static_cast<float>(std::round(bottom_ - y * cell_px_.y)); }
    const Box& area() const { return area_; }
    double smallest_px() const { return std::min(cell_px_.x, cell_px_.y); }

private:
    glm::dvec2 cell_px_;
    double left_;
    double bottom_;
    Box area_;
};

// Cells with the same number and border key.
struct Region {
    int x = 0, y = 0, x_end = 0, y_end = 0; // bounding box
    int cells = 0;
    int run_x = 0, run_y = 0, run = 0; // longest run within a row
};

// Returns black or white, whichever has the higher contrast by WCAG 2: 1.05 / (L + 0.05) for white
// equals (L + 0.05) / 0.05 for black at a luminance L of 0.179.
Colour ink_on(Colour ground)
{
    const auto linear = [](double channel) {
        const double share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    const double luminance =
        0.2126 * linear(ground.red) + 0.7152 * linear(ground.green) + 0.0722 * linear(ground.blue);
    return luminance > 0.179 ? Colour{0, 0, 0} : Colour{255, 255, 255};
}

class Drawing {
public:
    Drawing(Painter& painter, const LabelsData& data, const Scale& scale, const Cells& cells,
            const LabelsStyle& style)
        : painter_(painter), data_(data), scale_(scale), cells_(cells), theme_(style.theme),
          text_px_(style.text_px), min_px_(style.min_px)
    {
    }

    void fills_and_words()
    {
        std::map<std::pair<std::int32_t, std::int32_t>, Region> regions;
        std::vector<Region> repeated; // finished regions whose number occurs again in a higher row
        for (int y = 0; y < data_.height; ++y)
            for (int x = 0, end = 0; x < data_.width; x = end) {
                end = x + 1;
                while (end < data_.width && alike(x, y, end, y)) ++end;
                fill(x, y, end);
                Region& region = regions[{data_.at(x, y, 0), data_.at(x, y, data_.shown)}];
                if (region.cells > 0 && y > region.y_end) {
                    repeated.push_back(region);
                    region = {};
                }
                note(region, x, y, end);
            }
        if (2 * cells_.smallest_px() < static_cast<double>(text_px_) && regions.size() > 4096)
            return; // too small to read
        for (const auto& [key, region] : regions) word(region);
        for (const Region& region : repeated) word(region);
    }

    void borders()
    {
        const float width = std::clamp(static_cast<float>(cells_.smallest_px()) / 6, 1.0f,
                                       std::max(1.0f, text_px_ / 7));
        // Draws borders between cells, and around all of them.
        for (int x = 0; x <= data_.width; ++x)
            for (int y = 0, end = 0; y < data_.height; y = end) {
                end = y + 1;
                if (!differ(x - 1, y, x, y)) continue;
                while (end < data_.height && differ(x - 1, end, x, end)) ++end;
                const Box line = cells_.box(x, y, x, end);
                stroke({cells_.at_x(x) - width / 2, line.y, width, line.height});
            }
        for (int y = 0; y <= data_.height; ++y)
            for (int x = 0, end = 0; x < data_.width; x = end) {
                end = x + 1;
                if (!differ(x, y - 1, x, y)) continue;
                while (end < data_.width && differ(end, y - 1, end, y)) ++end;
                const Box line = cells_.box(x, y, end, y);
                stroke({line.x, cells_.at_y(y) - width / 2, line.width, width});
            }
    }

private:
    bool alike(int x, int y, int other_x, int other_y) const
    {
        return data_.at(x, y, data_.shown) == data_.at(other_x, other_y, data_.shown) &&
               data_.at(x, y, 0) == data_.at(other_x, other_y, 0);
    }
    // A position outside the grid differs from every cell.
    bool differ(int x, int y, int other_x, int other_y) const
    {
        const auto inside = [&](int at_x, int at_y) {
            return at_x >= 0 && at_y >= 0 && at_x < data_.width && at_y < data_.height;
        };
        if (!inside(x, y) || !inside(other_x, other_y)) return true;
        return data_.at(x, y, 0) != data_.at(other_x, other_y, 0);
    }

    Colour colour_of(std::int32_t number) const
    {
        const float range = scale_.high - scale_.low;
        return colour_at(scale_.map,
                         range > 0 ? (static_cast<float>(number) - scale_.low) / range : 0);
    }

    void fill(int x, int y, int end)
    {
        const std::int32_t number = data_.at(x, y, data_.shown);
        const Box box = cells_.box(x, y, end, y + 1);
        if (box.width <= 0 || box.height <= 0) return;
        if (number >= 0) return painter_.fill(box, colour_of(number));
        // A gap is crossed out, so that it cannot be mistaken for a number.
        const float line = std::max(1.0f, text_px_ / 12);
        for (int at = x; at < end; ++at) {
            const Box one = cells_.box(at, y, at + 1, y + 1);
            if (one.width < 4 || one.height < 4) continue;
            painter_.cross_out(one, theme_.muted, line);
        }
    }

    static void note(Region& region, int x, int y, int end)
    {
        if (region.cells == 0) region = {x, y, end, y + 1, 0, x, y, 0};
        region.x = std::min(region.x, x);
        region.x_end = std::max(region.x_end, end);
        region.y_end = y + 1;
        region.cells += end - x;
        if (end - x > region.run) {
            region.run = end - x;
            region.run_x = x;
            region.run_y = y;
        }
    }

    // True if the row has the number in all cells from x to x_end.
    bool has_equal_costs(const Region& region, int y) const
    {
        if (y < 0 || y >= data_.height) return false;
        for (int x = region.run_x; x < region.run_x + region.run; ++x)
            if (!alike(region.run_x, region.run_y, x, y)) return false;
        return true;
    }

    // One row may not be high enough for a number: extends the box over the row above or below,
    // where that row has the same number.
    Box over_two_rows(const Region& region, const Box& one_row) const
    {
        Box best = one_row;
        for (const int y : {region.run_y - 1, region.run_y + 1}) {
            if (y < 0 || y >= data_.height) continue;
            const int end = region.run_x + region.run;
            for (int x = region.run_x, x_end = 0; x < end; x = x_end) {
                x_end = x + 1;
                if (!alike(region.run_x, region.run_y, x, y)) continue;
                while (x_end < end && alike(region.run_x, region.run_y, x_end, y)) ++x_end;
                const Box both =
                    cells_.box(x, std::min(y, region.run_y), x_end, std::max(y, region.run_y) + 1);
                const bool is_better = best.height < both.height || best.width < both.width;
                if (both.width > 2.5f * min_px_ && is_better) best = both;
            }
        }
        return best;
    }

    void word(const Region& region)
    {
        const std::int32_t number = data_.at(region.run_x, region.run_y, data_.shown);
        if (number < 0) return;
        const bool filled = region.cells == (region.x_end - region.x) * (region.y_end - region.y);
        Box box = cells_.box(region.x, region.y, region.x_end, region.y_end);
        if (!filled) {
            int y = region.run_y;
            int y_end = y + 1;
            while (has_equal_costs(region, y - 1)) --y;
            while (has_equal_costs(region, y_end)) ++y_end;
            box = cells_.box(region.run_x, y, region.run_x + region.run, y_end);
            if (y_end == y + 1) box = over_two_rows(region, box);
        }
        const std::string text = fmt::format("{}", number);
        // The number is as large as fits: at least legible, at most as large as a title.
        const float size = std::min(2.2f * text_px_, 0.68f * box.height);
        TextStyle style{std::floor(size), ink_on(colour_of(number)), false, Align::centre};
        const float wide = painter_.text_width(text, style);
        if (wide > 0.86f * box.width)
            style.size_px = std::floor(style.size_px * 0.86f * box.width / wide);
        if (style.size_px < min_px_) return;
        painter_.text({box.x + box.width / 2, box.y + box.height / 2 + 0.36f * style.size_px}, text,
                      style);
    }

    void stroke(const Box& box)
    {
        // The outer border extends past the cells by half its width; zooming may crop the others.
        const Box& area = cells_.area();
        const float half = std::min(box.width, box.height) / 2 + 1;
        if (box.x + half < area.x || box.y + half < area.y || box.right() > area.right() + half ||
            box.bottom() > area.bottom() + half)
            return;
        if (box.width > 0 && box.height > 0) painter_.fill(box, theme_.text);
    }

    Painter& painter_;
    const LabelsData& data_;
    const Scale& scale_;
    const Cells& cells_;
    const Theme& theme_;
    float text_px_;
    float min_px_;
};

} // namespace

float row_names_width(Painter& painter, std::span<const std::string> names, float text_px)
{
    float widest = 0;
    for (const std::string& name : names)
        widest = std::max(widest, painter.text_width(name, {text_px, {}}));
    return names.empty() ? 0 : std::ceil(widest + text_px);
}

void draw_row_names(Painter& painter, std::span<const std::string> names, int height,
                    const LabelsPlace& place, const LabelsStyle& style)
{
    const Cells cells(place.placement, place.viewport, 1, height);
    const TextStyle text{style.text_px, style.theme.text, false, Align::right};
    for (int row = 0; row < std::min(height, static_cast<int>(names.size())); ++row) {
        const Box visible = cells.box(0, row, 1, row + 1);
        if (visible.height < style.text_px) continue; // zoomed out of view, or too low
        painter.text({visible.x - 0.5f * style.text_px,
                      visible.y + visible.height / 2 + 0.36f * style.text_px},
                     names[static_cast<std::size_t>(row)], text);
    }
}

void draw_column_names(Painter& painter, std::span<const std::string> names, int width,
                       const LabelsPlace& place, const LabelsStyle& style)
{
    const Cells cells(place.placement, place.viewport, width, 1);
    const TextStyle text{style.text_px, style.theme.text, false, Align::centre};
    const int named = std::min(width, static_cast<int>(names.size()));
    for (int column = 0; column < named;) {
        const std::string& name = names[static_cast<std::size_t>(column)];
        int end = column + 1;
        while (end < named && names[static_cast<std::size_t>(end)] == name) ++end;
        const Box visible = cells.box(column, 0, end, 1);
        if (visible.width >= painter.text_width(name, {style.text_px, {}}))
            painter.text({visible.x + visible.width / 2, visible.y - 0.5f * style.text_px}, name,
                         text);
        column = end;
    }
}

void draw_labels(Painter& painter, const LabelsData& data, const Scale& scale,
                 const LabelsPlace& place, const LabelsStyle& style)
{
    if (data.width < 1 || data.height < 1) return;
    const Cells cells(place.placement, place.viewport, data.width, data.height);
    Drawing drawing(painter, data, scale, cells, style);
    drawing.fills_and_words();
    drawing.borders();
}

} // namespace lanescope::render
