// Where lanes, sectors and banks stand in the drawing, and the lines between them.
#include "render/views/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "render/views/colour_maps.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr int lanes = 32;
constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t line_bytes = 128;
constexpr std::size_t most_lines_with_outlines = 8;

bool is_active(const WarpAccess& access, int lane)
{
    return (access.active >> lane & 1u) != 0;
}

// The two rows of boxes inside a box, and the text above them.
struct Rows {
    Box lanes, targets;
    float slot; // width of a lane's place

    Rows(const Box& box, float text_px)
    {
        const float height = std::clamp(box.width / 34, text_px, 2.4f * text_px);
        const float top = box.y + 2.0f * text_px;
        slot = box.width / 32;
        lanes = {box.x, std::round(top), box.width, height};
        targets = {box.x, std::round(box.bottom() - height - 2.6f * text_px), box.width, height};
    }
};

Box shrunk(const Box& box, float by)
{
    return {box.x + by, box.y, box.width - 2 * by, box.height};
}

glm::vec2 below(const Box& box)
{
    return {box.x + box.width / 2, box.bottom()};
}
glm::vec2 above(const Box& box)
{
    return {box.x + box.width / 2, box.y};
}

void label(Painter& painter, const Box& box, const std::string& text, Colour colour, float text_px)
{
    const float size = std::min(text_px, 0.62f * box.height);
    if (painter.text_width(text, {size, colour}) > box.width) return;
    painter.text({box.x + box.width / 2, box.y + box.height / 2 + 0.36f * size}, text,
                 {size, colour, false, Align::centre});
}

Box lane_box(const Rows& rows, int lane)
{
    return shrunk({rows.lanes.x + static_cast<float>(lane) * rows.slot, rows.lanes.y, rows.slot,
                   rows.lanes.height},
                  0.06f * rows.slot);
}

void draw_lane_row(Painter& painter, const Rows& rows, const WarpAccess& access, const Theme& theme,
                   float text_px)
{
    for (int lane = 0; lane < lanes; ++lane) {
        const Box box = lane_box(rows, lane);
        const bool active = is_active(access, lane);
        if (active)
            painter.fill(box, theme.mark);
        else
            painter.outline(box, theme.grid, 1);
        label(painter, box, fmt::format("{}", lane), active ? theme.background : theme.muted,
              text_px);
    }
}

void draw_title(Painter& painter, const Box& box, const WarpAccess& access, const Theme& theme,
                float text_px)
{
    painter.text({box.x, box.y + text_px}, access.title, {text_px, theme.text, false, Align::left});
}

// Sectors that the active lanes touch, in address order.
std::set<std::uint64_t> touched_sectors(const WarpAccess& access)
{
    std::set<std::uint64_t> sectors;
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)];
        const std::uint64_t last =
            first + static_cast<std::uint64_t>(std::max(access.width_bytes, 1)) - 1;
        for (std::uint64_t sector = first / sector_bytes; sector <= last / sector_bytes; ++sector)
            sectors.insert(sector);
    }
    return sectors;
}

// A place for each sector: those of a line touch each other, lines stand apart.
std::map<std::uint64_t, Box> place_sectors(const Rows& rows, const std::set<std::uint64_t>& shown)
{
    constexpr float gap_in_sectors = 0.6f;
    std::size_t breaks = 0;
    for (auto sector = shown.begin(); sector != shown.end(); ++sector)
        if (sector != shown.begin() && *sector / 4 != *std::prev(sector) / 4) ++breaks;
    const float units =
        static_cast<float>(shown.size()) + gap_in_sectors * static_cast<float>(breaks);
    const float width = std::min(rows.targets.width / std::max(units, 1.0f), 4 * rows.slot);
    float x = rows.targets.x + (rows.targets.width - width * units) / 2;
    std::map<std::uint64_t, Box> places;
    for (auto sector = shown.begin(); sector != shown.end(); ++sector) {
        if (sector != shown.begin() && *sector / 4 != *std::prev(sector) / 4)
            x += gap_in_sectors * width;
        places[*sector] = shrunk({x, rows.targets.y, width, rows.targets.height}, 0.02f * width);
        x += width;
    }
    return places;
}

// Each line's address under its first sector, as long as the addresses do not run into each other.
void label_lines(Painter& painter, const std::map<std::uint64_t, Box>& places, float right,
                 const Theme& theme, float text_px)
{
    const float size = 0.85f * text_px;
    float free_from = -1e9f;
    std::uint64_t last_line = ~std::uint64_t{0};
    for (const auto& [sector, box] : places) {
        const std::uint64_t line = sector * sector_bytes / line_bytes;
        if (line == last_line) continue;
        last_line = line;
        const std::string text = fmt::format("{:#x}", line * line_bytes);
        const float width = painter.text_width(text, {size, theme.muted});
        if (box.x < free_from || box.x + width > right) continue;
        painter.text({box.x, box.bottom() + 1.3f * size}, text,
                     {size, theme.muted, false, Align::left});
        free_from = box.x + width + size;
    }
}

} // namespace

void draw_lanes_to_sectors(Painter& painter, const Box& box, const WarpAccess& access,
                           const Theme& theme, float text_px)
{
    const Rows rows(box, text_px);
    draw_title(painter, box, access, theme, text_px);
    const auto touched = touched_sectors(access);
    std::set<std::uint64_t> touched_lines;
    for (const std::uint64_t sector : touched) touched_lines.insert(sector / 4);
    auto shown = touched;
    if (touched_lines.size() <= most_lines_with_outlines)
        for (const std::uint64_t line : touched_lines)
            for (std::uint64_t i = 0; i < 4; ++i) shown.insert(4 * line + i);
    const auto places = place_sectors(rows, shown);

    std::map<std::uint64_t, Colour> colours;
    for (const std::uint64_t sector : touched)
        colours[sector] = theme.series[colours.size() % theme.series.size()];
    const float line_px = std::max(1.0f, text_px / 10);
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)];
        const std::uint64_t last =
            first + static_cast<std::uint64_t>(std::max(access.width_bytes, 1)) - 1;
        for (std::uint64_t sector = first / sector_bytes; sector <= last / sector_bytes; ++sector) {
            // To the middle of the bytes that the lane wants of this sector.
            const auto from = std::max(first, sector * sector_bytes),
                       to = std::min(last + 1, (sector + 1) * sector_bytes);
            const float share =
                static_cast<float>(from + to - 2 * sector * sector_bytes) / (2 * sector_bytes);
            const Box& place = places.at(sector);
            painter.line(below(lane_box(rows, lane)), {place.x + share * place.width, place.y},
                         colours.at(sector).with_alpha(200), line_px);
        }
    }
    for (const auto& [sector, place] : places) {
        if (const auto colour = colours.find(sector); colour != colours.end())
            painter.fill(place, colour->second);
        else
            painter.outline(place, theme.grid, 1);
    }
    draw_lane_row(painter, rows, access, theme, text_px);
    label_lines(painter, places, box.right(), theme, text_px);
    painter.text({box.x, box.bottom() - 0.3f * text_px},
                 fmt::format("{} of 32 lanes active · {} of 32 B in {} of 128 B",
                             std::popcount(access.active), counted(touched.size(), "sector"),
                             counted(touched_lines.size(), "line")),
                 {0.85f * text_px, theme.muted, false, Align::left});
}

void draw_lanes_to_banks(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px)
{
    const Rows rows(box, text_px);
    draw_title(painter, box, access, theme, text_px);
    std::array<std::set<std::uint64_t>, 32> words; // distinct words of each bank
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)] / 4;
        const std::uint64_t last =
            (access.addresses[static_cast<std::size_t>(lane)] +
             static_cast<std::uint64_t>(std::max(access.width_bytes, 1)) - 1) /
            4;
        for (std::uint64_t word = first; word <= last; ++word) words[word % 32].insert(word);
    }
    const auto bank_box = [&](std::size_t bank) {
        return shrunk({rows.targets.x + static_cast<float>(bank) * rows.slot, rows.targets.y,
                       rows.slot, rows.targets.height},
                      0.06f * rows.slot);
    };
    const auto colour_of = [](std::size_t distinct) {
        return colour_at(ColourMap::inferno,
                         0.45f + 0.55f * std::min(1.0f, static_cast<float>(distinct - 1) / 7));
    };
    const float line_px = std::max(1.0f, text_px / 10);
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::size_t bank = access.addresses[static_cast<std::size_t>(lane)] / 4 % 32;
        painter.line(below(lane_box(rows, lane)), above(bank_box(bank)),
                     colour_of(std::max<std::size_t>(words[bank].size(), 1)).with_alpha(200),
                     line_px);
    }
    std::size_t most = 0;
    for (std::size_t bank = 0; bank < words.size(); ++bank) {
        const Box place = bank_box(bank);
        const std::size_t distinct = words[bank].size();
        most = std::max(most, distinct);
        if (distinct == 0)
            painter.outline(place, theme.grid, 1);
        else {
            painter.fill(place, colour_of(distinct));
            label(painter, place, fmt::format("{}", distinct), {0, 0, 0}, text_px);
        }
        label(painter, {place.x, place.bottom() + 0.2f * text_px, place.width, 1.4f * text_px},
              fmt::format("{}", bank), theme.muted, 0.85f * text_px);
    }
    draw_lane_row(painter, rows, access, theme, text_px);
    painter.text(
        {box.x, box.bottom() - 0.3f * text_px},
        fmt::format("{} of 32 lanes active · at most {} different words in one of the 32 banks",
                    std::popcount(access.active), most),
        {0.85f * text_px, theme.muted, false, Align::left});
}

} // namespace lanescope::render
