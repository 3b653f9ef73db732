// Layout of lanes, sectors and banks, and the lines between them.
#include "render/views/lanes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compute/numbers.h"
#include "render/views/colours/colour_maps.h"
#include "render/views/maps/map_data.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr int lanes = 32;
constexpr std::uint64_t line_bytes = 128;
bool is_active(const WarpAccess& access, int lane)
{
    return (access.active >> lane & 1u) != 0;
}

// Width of the row names at the left; zero in a narrow box.
float names_width(const Box& box, float text_px)
{
    constexpr float min_em = 28;
    return box.width < min_em * text_px ? 0 : std::round(3.6f * text_px);
}

// The rows inside a box, and the text above and below them.
struct Rows {
    float text_px;
    float names; // width of the row names
    Box lanes;
    float slot;   // width per lane
    float height; // height of the boxes in a row
    float pitch;  // distance between rows of targets, including the text below each
    Box targets;  // the bottom row

    Rows(const Box& box, float text_px, float words_px)
        : text_px(text_px), names(names_width(box, text_px)), slot((box.width - names) / 32),
          height(std::clamp(box.width / 30, 1.4f * text_px, 2.4f * text_px)),
          pitch(height + 1.9f * text_px)
    {
        const float left = box.x + names;
        const float width = box.width - names;
        lanes = {left, std::round(box.y + words_px), width, height};
        targets = {left, std::round(box.bottom() - height - 3.1f * text_px), width, height};
    }
    // True if there is space for lines between the lanes and their targets.
    bool have_room() const { return targets.y >= lanes.bottom() + 0.5f * height; }
    // Number of target rows that leave room for lines between them and the lanes.
    std::size_t max_rows() const
    {
        const float more = (targets.y - lanes.bottom() - 1.4f * height) / pitch;
        return 1 + static_cast<std::size_t>(std::max(0.0f, more));
    }
    Box row(std::size_t which, std::size_t of) const
    {
        Box box = targets;
        box.y -= static_cast<float>(of - 1 - which) * pitch;
        return box;
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

// Draws centred text at a fixed legible size; leaves it out if it does not fit.
void label(Painter& painter, const Box& box, const std::string& text, Colour colour, float text_px)
{
    const float size = 0.93f * text_px;
    if (painter.text_width(text, {size, colour}) > box.width) return;
    painter.text({box.x + box.width / 2, box.y + box.height / 2 + 0.36f * size}, text,
                 {size, colour, false, Align::centre});
}

// Returns the stride (a power of two) at which lane numbers fit if lanes are `slot` apart.
int thinned(Painter& painter, float slot, float text_px)
{
    const float width = painter.text_width("31", {0.93f * text_px, {}}) + 0.15f * text_px;
    int every = 1;
    while (every < 32 && static_cast<float>(every) * slot < width) every *= 2;
    return every;
}

// Widens the box over neighbouring boxes that have no text.
Box widened(const Box& box, int every)
{
    const float width = box.width * static_cast<float>(every);
    return {box.x + (box.width - width) / 2, box.y, width, box.height};
}

Box lane_box(const Rows& rows, int lane)
{
    return shrunk({rows.lanes.x + static_cast<float>(lane) * rows.slot, rows.lanes.y, rows.slot,
                   rows.lanes.height},
                  0.06f * rows.slot);
}

// Drawing context passed to the functions below.
struct Pen {
    Painter& painter;
    const Theme& theme;
    float text_px;

    float line_px() const { return std::max(1.0f, text_px / 10); }
};

// Writes a row's name to its left, vertically centred.
void name_row(const Pen& pen, const Rows& rows, const Box& box, const char* name)
{
    if (rows.names == 0) return;
    const float size = 0.93f * pen.text_px;
    pen.painter.text({rows.lanes.x - 0.5f * pen.text_px, box.y + box.height / 2 + 0.36f * size},
                     name, {size, pen.theme.muted, false, Align::right});
}

void draw_lane_row(const Pen& pen, const Rows& rows, const WarpAccess& access)
{
    const auto& [painter, theme, text_px] = pen;
    for (int lane = 0; lane < lanes; ++lane) {
        const Box box = lane_box(rows, lane);
        const bool active = is_active(access, lane);
        if (active)
            painter.fill(box, theme.mark);
        else
            painter.outline(box, theme.grid, 1);
    }
    const int every = thinned(painter, rows.slot, text_px);
    for (int lane = 0; lane < lanes; lane += every) {
        // If not every lane is numbered, the numbers are above the lanes, on a plain background.
        const Box box = every > 1 ? Box{lane_box(rows, lane).x, rows.lanes.y - 1.25f * text_px,
                                        lane_box(rows, lane).width, 1.2f * text_px}
                                  : lane_box(rows, lane);
        const bool inside = every == 1 && is_active(access, lane);
        label(painter, widened(box, every), fmt::format("{}", lane),
              inside ? theme.background : theme.text, text_px);
    }
    Box named = rows.lanes; // aligned with the numbers
    if (every > 1) named = {named.x, named.y - 1.25f * text_px, named.width, 1.2f * text_px};
    name_row(pen, rows, named, "lane");
}

// A line of text above the lanes.
struct TitleLine {
    std::string words;
    TextStyle style;
};

// The title, and the source below it on at most two lines.
std::vector<TitleLine> title_lines(Painter& painter, const Box& box, const WarpAccess& access,
                                   const Theme& theme, float text_px)
{
    std::vector<TitleLine> title;
    const TextStyle style{text_px, theme.text};
    for (const std::string& line : broken(painter, access.title, box.width, style))
        title.push_back({fitted(painter, line, box.width, style), style});
    if (access.source.empty()) return title;
    const TextStyle code{text_px, theme.mark, false, Align::left, true};
    std::vector<std::string> lines = broken(painter, access.source, box.width, code);
    const std::size_t max_lines = box.height > 16 * text_px ? 2 : 1;
    if (lines.size() > max_lines) {
        for (std::size_t i = max_lines; i < lines.size(); ++i)
            lines[max_lines - 1] += " " + lines[i];
        lines.resize(max_lines);
    }
    for (const std::string& line : lines) {
        const TextStyle fitting = style_fitting_code(painter, line, box.width, code);
        title.push_back({fitted(painter, line, box.width, fitting), fitting});
    }
    return title;
}

// Height of a title with this many lines, including space for the lane numbers if these are above
// the lanes.
float title_height(Painter& painter, const Box& box, std::size_t lines, float text_px)
{
    const float slot = (box.width - names_width(box, text_px)) / 32;
    const bool numbers_above = thinned(painter, slot, text_px) > 1;
    return (1 + 1.35f * static_cast<float>(lines) + (numbers_above ? 0.5f : -0.75f)) * text_px;
}

// Draws the title, without its last lines where the lanes need their space, and returns the rows
// below it. Empty if the box has room for the texts alone.
std::optional<Rows> rows_below_title(const Pen& pen, const Box& box, const WarpAccess& access)
{
    const auto& [painter, theme, text_px] = pen;
    const std::vector<TitleLine> title = title_lines(painter, box, access, theme, text_px);
    std::optional<Rows> rows;
    std::size_t shown = title.size();
    for (std::size_t lines = title.size() + 1; lines-- > 0 && !rows;) {
        const Rows below(box, text_px, title_height(painter, box, lines, text_px));
        if (!below.have_room()) continue;
        rows = below;
        shown = lines;
    }
    float y = box.y + text_px;
    for (std::size_t i = 0; i < shown; ++i, y += 1.35f * text_px)
        if (rows || y < box.bottom() - 1.5f * text_px) // above the summary
            painter.text({box.x, y}, title[i].words, title[i].style);
    return rows;
}

// The text below the drawing: the cost of the request, in the cost's colour, then as many of the
// further parts as fit.
struct Summary {
    std::string verdict;
    std::string shorter; // used if `verdict` does not fit
    std::vector<std::string> parts;
};

void draw_summary(const Pen& pen, const Box& box, Summary summary, const WarpAccess& access)
{
    const auto& [painter, theme, text_px] = pen;
    const bool judged = access.ideal > 0 && access.typical;
    const TextStyle bold{std::round(1.1f * text_px),
                         !judged                       ? theme.text
                         : access.paid <= access.ideal ? theme.series[2]
                                                       : theme.series[1],
                         true};
    const TextStyle plain{text_px, theme.text};
    const float y = box.bottom() - 0.3f * text_px;
    const bool fits = painter.text_width(summary.verdict, bold) <= box.width;
    const std::string verdict =
        fitted(painter, fits ? summary.verdict : summary.shorter, box.width, bold);
    painter.text({box.x, y}, verdict, bold);
    const float after = painter.text_width(verdict, bold) + text_px;
    auto& parts = summary.parts;
    const auto words = [&] { return fmt::format("{}", fmt::join(parts, " · ")); };
    while (!parts.empty() && painter.text_width(words(), plain) > box.width - after)
        parts.pop_back();
    if (!parts.empty()) painter.text({box.x + after, y}, words(), plain);
}

// Sectors touched by active lanes, in address order.
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

constexpr std::size_t lines_per_row = 8;

// Positions of the sectors of touched lines: those of a line are adjacent, lines are separated,
// with a wider gap where addresses jump.
struct Places {
    std::map<std::uint64_t, Box> sectors;
    std::vector<glm::vec2> breaks; // centres of the gaps where addresses are skipped
    std::size_t rows = 1;
};

// Number of rows: one, with straight lines from the lanes, as long as its sectors are wide enough.
std::size_t row_count(const Rows& rows, std::size_t lines)
{
    constexpr float units = 4.9f; // width of a line and the gap before it, in sectors
    const auto all = static_cast<float>(std::max<std::size_t>(lines, 1));
    const float width = rows.targets.width / (units * all);
    if (width >= 0.2f * rows.text_px) return 1;
    return std::clamp<std::size_t>((lines + lines_per_row - 1) / lines_per_row, 1, rows.max_rows());
}

Places place_sectors(const Rows& rows, const std::set<std::uint64_t>& lines)
{
    constexpr float gap = 0.35f; // in sectors, between consecutive lines …
    constexpr float jump = 0.9f; // … and where addresses jump
    Places places;
    const std::size_t count = lines.size();
    places.rows = row_count(rows, count);
    const std::size_t a_row = (count + places.rows - 1) / std::max<std::size_t>(places.rows, 1);
    const std::vector<std::uint64_t> all(lines.begin(), lines.end());
    for (std::size_t row = 0, first = 0; first < count; ++row, first += a_row) {
        const std::size_t end = std::min(first + a_row, count);
        const auto before = [&](std::size_t i) {
            return i == 0 ? 0 : all[i] == all[i - 1] + 1 ? gap : jump;
        };
        float units = 0;
        for (std::size_t i = first; i < end; ++i) units += 4 + (i > first ? before(i) : 0);
        const bool continues = first > 0 && before(first) == jump;
        units += continues ? jump : 0;
        const Box box = rows.row(row, places.rows);
        const float width = std::min(box.width / units, 3 * rows.slot);
        float x = box.x + (box.width - width * units) / 2;
        for (std::size_t i = first; i < end; ++i) {
            const float apart = i > first ? before(i) : continues ? jump : 0;
            if (apart == jump && width * jump > 0.3f * rows.height)
                places.breaks.emplace_back(x + width * jump / 2, box.y + box.height / 2);
            x += width * apart;
            for (std::uint64_t sector = 0; sector < 4; ++sector, x += width)
                places.sectors[4 * all[i] + sector] = {x, box.y, width, box.height};
        }
    }
    return places;
}

std::set<std::uint64_t> lines_of(const std::set<std::uint64_t>& sectors)
{
    std::set<std::uint64_t> lines;
    for (const std::uint64_t sector : sectors) lines.insert(sector / 4);
    return lines;
}

Box bank_box(const Rows& rows, std::size_t bank)
{
    return shrunk({rows.targets.x + static_cast<float>(bank) * rows.slot, rows.targets.y, rows.slot,
                   rows.targets.height},
                  0.06f * rows.slot);
}

// Start of an animation: the positions from which the lanes' lines move.
class Departure {
public:
    Departure(const Rows& rows, const WarpAccess& access) : access_(access), rows_(rows)
    {
        if (is_animated() && !access.from_banks)
            places_ = place_sectors(rows, lines_of(touched_sectors(*access.from)));
    }
    // Current end point of a lane's line.
    glm::vec2 towards(glm::vec2 end, int lane) const
    {
        if (!is_animated() || !is_active(*access_.from, lane)) return end;
        const std::uint64_t address = access_.from->addresses[static_cast<std::size_t>(lane)];
        glm::vec2 begin{};
        if (access_.from_banks) {
            begin = above(bank_box(rows_, address / 4 % 32));
        } else {
            const Box& box = places_.sectors.at(address / sector_bytes);
            begin = {box.x + box.width * static_cast<float>(address % sector_bytes) / sector_bytes,
                     box.y};
        }
        const float t = access_.moved * access_.moved * (3 - 2 * access_.moved);
        return begin + t * (end - begin);
    }

private:
    bool is_animated() const { return access_.from && access_.moved < 1; }

    const WarpAccess& access_;
    const Rows& rows_;
    Places places_;
};

// Bytes that lanes request from a sector, one bit per byte.
std::uint32_t wanted_bytes(const WarpAccess& access, std::uint64_t sector)
{
    std::uint32_t bytes = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)];
        const auto width = static_cast<std::uint64_t>(std::max(access.width_bytes, 1));
        for (std::uint64_t byte = first; byte < first + width; ++byte)
            if (byte / sector_bytes == sector) bytes |= 1u << byte % sector_bytes;
    }
    return bytes;
}

// Requested bytes of a sector, one bit each, and their colour.
struct Wanted {
    std::uint32_t bytes;
    Colour colour;
};

// True if frames and hatching would hide the whole sector.
bool is_narrow(const Box& box, float text_px)
{
    return box.width < 0.4f * text_px;
}

// Requested bytes are filled, the others hatched.
void draw_sector(Painter& painter, const Box& box, const Wanted& wanted, const Theme& theme,
                 float text_px)
{
    const auto& [bytes, colour] = wanted;
    if (is_narrow(box, text_px)) return painter.fill(box, colour);
    painter.fill(box, theme.background);
    for (int byte = 0, end = 0; byte < 32; byte = end) {
        const bool used = (bytes >> byte & 1u) != 0;
        while (end < 32 && ((bytes >> end & 1u) != 0) == used) ++end;
        const Box part{box.x + box.width * static_cast<float>(byte) / 32, box.y,
                       box.width * static_cast<float>(end - byte) / 32, box.height};
        if (used)
            painter.fill(part, colour);
        else
            painter.hatch(part, theme.muted, std::max(4.0f, 0.36f * text_px),
                          std::max(1.0f, text_px / 14));
    }
    painter.outline(box, theme.text, std::max(1.0f, text_px / 14));
}

// Distinct words per bank.
std::array<std::set<std::uint64_t>, 32> words_of_banks(const WarpAccess& access)
{
    std::array<std::set<std::uint64_t>, 32> words;
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)] / 4;
        const std::uint64_t last =
            (access.addresses[static_cast<std::size_t>(lane)] +
             static_cast<std::uint64_t>(std::max(access.width_bytes, 1)) - 1) /
            4;
        for (std::uint64_t word = first; word <= last; ++word) words[word % 32].insert(word);
    }
    return words;
}

// "from + 4,096": offset of a line in its array.
std::string place_of(std::uint64_t address, const WarpAccess& access, std::uint64_t first)
{
    const std::uint64_t origin = access.memory.empty() ? first : access.begins;
    const bool before = address < origin;
    const std::string bytes = grouped(before ? origin - address : address - origin);
    return fmt::format("{}{} {}", access.memory.empty() ? "" : access.memory + " ",
                       before ? "−" : "+", bytes);
}

// Labels each touched line with its offset below its first sector or, if the texts of a row would
// overlap, every second, fourth, … one. The background is opaque, because lines to lower rows pass
// there.
void label_lines(const Pen& pen, const std::map<std::uint64_t, Box>& places,
                 const WarpAccess& access, float right)
{
    Painter& painter = pen.painter;
    const TextStyle style{0.93f * pen.text_px, pen.theme.text};
    const std::uint64_t first =
        places.empty() ? 0 : places.begin()->first * sector_bytes / line_bytes * line_bytes;
    struct Label {
        Box at;
        std::string text;
        float width;
    };
    std::map<float, std::vector<Label>> rows;
    for (const auto& [sector, box] : places) {
        if (sector % 4 != 0) continue;
        std::string text = place_of(sector * sector_bytes, access, first);
        const float width = painter.text_width(text, style);
        rows[box.y].push_back({box, std::move(text), width});
    }
    std::size_t every = 1;
    const auto collide = [&] {
        for (const auto& [y, labels] : rows)
            for (std::size_t i = every; i < labels.size(); i += every)
                if (const Label& before = labels[i - every];
                    before.at.x + before.width + style.size_px > labels[i].at.x)
                    return true;
        return false;
    };
    while (every < places.size() && collide()) every *= 2;
    for (const auto& [y, labels] : rows)
        for (std::size_t i = 0; i < labels.size(); i += every) {
            const auto& [box, text, width] = labels[i];
            if (box.x + width > right) continue;
            const float margin = 0.15f * style.size_px;
            painter.fill({box.x - margin, box.bottom() + 2 * margin, width + 2 * margin,
                          1.25f * style.size_px},
                         pen.theme.background);
            painter.text({box.x, box.bottom() + 1.2f * style.size_px}, text, style);
        }
}

// Returns how often a sector is charged when lanes at one address are serialised: the maximum
// number of lanes at one of its addresses.
std::map<std::uint64_t, int> charges_of(const WarpAccess& access)
{
    std::map<std::uint64_t, int> lanes_at;
    for (int lane = 0; lane < lanes; ++lane)
        if (is_active(access, lane)) ++lanes_at[access.addresses[static_cast<std::size_t>(lane)]];
    std::map<std::uint64_t, int> turns;
    for (const auto& [address, count] : lanes_at)
        turns[address / sector_bytes] = std::max(turns[address / sector_bytes], count);
    return turns;
}

// Draws "×19" on a sector that is charged 19 times, on an opaque background.
void mark_charges(const Pen& pen, const std::map<std::uint64_t, Box>& places,
                  const WarpAccess& access)
{
    const auto& [painter, theme, text_px] = pen;
    const TextStyle style{text_px, theme.series[1], true};
    for (const auto& [sector, turns] : charges_of(access)) {
        const Box& place = places.at(sector);
        const std::string text = fmt::format("×{}", turns);
        const float width = painter.text_width(text, style);
        if (turns < 2 || width + 0.4f * text_px > place.width) continue;
        const Box ground{place.right() - width - 0.5f * text_px, place.y + 2,
                         width + 0.4f * text_px, place.height - 4};
        painter.fill(ground, theme.background);
        painter.text({ground.x + 0.2f * text_px, place.y + place.height / 2 + 0.36f * text_px},
                     text, style);
    }
}

// Draws lines from each lane to the sectors it requests, in their colours.
void draw_lines_to_sectors(const Pen& pen, const Rows& rows, const WarpAccess& access,
                           const std::map<std::uint64_t, Box>& places,
                           const std::map<std::uint64_t, Colour>& colours)
{
    const Departure departure(rows, access);
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)];
        const std::uint64_t last =
            first + static_cast<std::uint64_t>(std::max(access.width_bytes, 1)) - 1;
        for (std::uint64_t sector = first / sector_bytes; sector <= last / sector_bytes; ++sector) {
            // Ends at the centre of the bytes that the lane requests from this sector.
            const auto from = std::max(first, sector * sector_bytes),
                       to = std::min(last + 1, (sector + 1) * sector_bytes);
            const float share =
                static_cast<float>(from + to - 2 * sector * sector_bytes) / (2 * sector_bytes);
            const Box& place = places.at(sector);
            pen.painter.line(below(lane_box(rows, lane)),
                             departure.towards({place.x + share * place.width, place.y}, lane),
                             colours.at(sector).with_alpha(200), pen.line_px());
        }
    }
}

// Sectors with the bytes that lanes request.
void draw_sectors(const Pen& pen, const WarpAccess& access,
                  const std::map<std::uint64_t, Box>& places,
                  const std::map<std::uint64_t, Colour>& colours)
{
    for (const auto& [sector, place] : places) {
        if (const auto colour = colours.find(sector); colour != colours.end()) {
            const std::uint32_t bytes = wanted_bytes(access, sector);
            draw_sector(pen.painter, place, {bytes, colour->second}, pen.theme, pen.text_px);
        } else if (is_narrow(place, pen.text_px)) {
            pen.painter.fill(place, pen.theme.panel);
        } else {
            pen.painter.fill(place, pen.theme.background);
            pen.painter.outline(place, pen.theme.muted, 1);
        }
    }
}

void draw_breaks(const Pen& pen, const std::vector<glm::vec2>& breaks, float row_height)
{
    for (const glm::vec2 at : breaks)
        for (const float by : {-0.12f, 0.12f}) {
            const float half = 0.4f * row_height;
            pen.painter.line({at.x + by * row_height - half / 3, at.y + half},
                             {at.x + by * row_height + half / 3, at.y - half}, pen.theme.text,
                             pen.line_px());
        }
}

std::string active_lanes(const WarpAccess& access)
{
    return fmt::format("{} of 32 lanes active", std::popcount(access.active));
}

Summary summary_of_sectors(const WarpAccess& access, const std::set<std::uint64_t>& touched)
{
    const auto paid = static_cast<std::size_t>(access.paid);
    const std::string sectors = counted(touched.size(), "sector");
    if (paid > touched.size())
        return {fmt::format("{} passes over {}: lanes on one address are serialised (×)",
                            grouped(paid), sectors),
                fmt::format("{} passes over {}", grouped(paid), sectors),
                {"32 bytes each", active_lanes(access)}};
    std::uint64_t used = 0; // bytes
    for (const std::uint64_t sector : touched)
        used += static_cast<std::uint64_t>(std::popcount(wanted_bytes(access, sector)));
    const std::uint64_t moved = touched.size() * sector_bytes;
    return {fmt::format("{} bytes transferred, {} requested", grouped(moved), grouped(used)),
            fmt::format("{} B transferred, {} requested", grouped(moved), grouped(used)),
            {sectors + " of 32 bytes", active_lanes(access)}};
}

// Words requested from the banks.
struct WantedWords {
    std::size_t max_words = 0; // maximum over banks …
    std::size_t busiest = 0;   // … and the first bank that reaches it
    std::size_t all = 0;       // total over all banks
};

WantedWords wanted_words(const std::array<std::set<std::uint64_t>, 32>& words)
{
    WantedWords wanted;
    for (std::size_t bank = 0; bank < words.size(); ++bank) {
        const std::size_t distinct = words[bank].size();
        if (distinct > wanted.max_words) wanted.busiest = bank;
        wanted.max_words = std::max(wanted.max_words, distinct);
        wanted.all += distinct;
    }
    return wanted;
}

using BankPasses = std::array<std::size_t, 32>;

// Passes that each bank needs for the request; 0: it is not used.
BankPasses passes_of_banks(const WarpAccess& access,
                           const std::array<std::set<std::uint64_t>, 32>& words)
{
    BankPasses passes{};
    for (std::size_t bank = 0; bank < passes.size(); ++bank)
        passes[bank] =
            access.atomic ? std::min<std::size_t>(words[bank].size(), 1) : words[bank].size();
    if (!access.atomic) return passes;
    BankPasses lanes_at{};
    for (int lane = 0; lane < lanes; ++lane)
        if (is_active(access, lane))
            ++lanes_at[access.addresses[static_cast<std::size_t>(lane)] / 4 % 32];
    for (std::size_t bank = 0; bank < passes.size(); ++bank)
        passes[bank] = std::max(passes[bank], lanes_at[bank]);
    return passes;
}

// The ideal number of passes gets a calm colour. Worse numbers are farther from the background:
// bright on dark, dark on light.
Colour colour_of_passes(std::size_t passes, const WarpAccess& access, const Theme& theme)
{
    const auto ideal = static_cast<std::size_t>(std::max(access.ideal, 1));
    if (passes <= ideal) return theme.series[2];
    const bool dark = theme.background.red < 128;
    const float worse = std::min(1.0f, static_cast<float>(passes - ideal) / 7);
    return colour_at(ColourMap::inferno, dark ? 0.6f + 0.4f * worse : 0.55f - 0.4f * worse);
}

void draw_banks(const Pen& pen, const Rows& rows, const WarpAccess& access,
                const BankPasses& passes)
{
    const auto& [painter, theme, text_px] = pen;
    const int every = thinned(painter, rows.slot, text_px);
    for (std::size_t bank = 0; bank < passes.size(); ++bank) {
        const Box place = bank_box(rows, bank);
        if (passes[bank] == 0)
            painter.outline(place, theme.grid, 1);
        else {
            painter.fill(place, colour_of_passes(passes[bank], access, theme));
            std::string words = fmt::format("×{}", passes[bank]);
            const bool fits =
                painter.text_width(words, {0.93f * text_px, theme.background}) <= place.width;
            if (passes[bank] == 1 || !fits) words = fmt::format("{}", passes[bank]);
            label(painter, place, words, theme.background, text_px);
        }
        if (static_cast<int>(bank) % every == 0)
            label(painter,
                  widened({place.x, place.bottom() + 0.1f * text_px, place.width, 1.3f * text_px},
                          every),
                  fmt::format("{}", bank), theme.text, text_px);
    }
}

// Lanes that wide accesses serve together: a pass delivers at most 128 bytes.
int lanes_at_once(const WarpAccess& access)
{
    constexpr int pass_bytes = 128;
    return std::clamp(pass_bytes / std::max(access.width_bytes, 1), 1, lanes);
}

// Maximum number of words in one bank, over the groups of lanes that are served together.
std::size_t max_words_at_once(const WarpAccess& access)
{
    std::size_t max_words = 0;
    for (int first = 0; first < lanes; first += lanes_at_once(access)) {
        std::array<std::set<std::uint64_t>, 32> words;
        for (int lane = first; lane < first + lanes_at_once(access); ++lane) {
            if (!is_active(access, lane)) continue;
            const std::uint64_t begin = access.addresses[static_cast<std::size_t>(lane)] / 4;
            for (int word = 0; word < access.width_bytes / 4; ++word)
                words[(begin + static_cast<std::uint64_t>(word)) % 32].insert(
                    begin + static_cast<std::uint64_t>(word));
        }
        max_words = std::max(max_words, wanted_words(words).max_words);
    }
    return max_words;
}

Summary summary_of_banks(const WarpAccess& access, const WantedWords& wanted)
{
    const auto paid = static_cast<std::size_t>(access.paid);
    if (!access.atomic && paid > wanted.max_words && lanes_at_once(access) < lanes)
        return {fmt::format("{}: {} lanes at a time, with {} words in a bank",
                            counted(paid, "wavefront"), lanes_at_once(access),
                            max_words_at_once(access)),
                fmt::format("{}: {} lanes at a time", counted(paid, "wavefront"),
                            lanes_at_once(access)),
                {active_lanes(access)}};
    if (access.atomic && paid > wanted.max_words)
        return {fmt::format("{} passes (wavefronts): lanes {} are serialised (×)", grouped(paid),
                            wanted.max_words == 1 ? "on one word" : "in one bank"),
                fmt::format("{} passes, serialised", grouped(paid)),
                {active_lanes(access)}};
    if (wanted.max_words <= 1) {
        const bool broadcast = wanted.all < static_cast<std::size_t>(std::popcount(access.active));
        return {"One pass over the banks (a wavefront) serves all lanes",
                "One pass over the banks: a wavefront",
                {broadcast ? "a word is broadcast to its lanes" : active_lanes(access)}};
    }
    return {fmt::format("{} words in bank {}: {} wavefronts", wanted.max_words, wanted.busiest,
                        wanted.max_words),
            fmt::format("{} words in bank {}", wanted.max_words, wanted.busiest),
            {active_lanes(access)}};
}

// Bytes of a request that constant memory reads before the next lane's turn: whole words.
std::uint64_t unit_bytes(const WarpAccess& access)
{
    return static_cast<std::uint64_t>(std::max(access.width_bytes, 4));
}

// The distinct words, or groups of words, if lanes want several each.
std::set<std::uint64_t> read_words(const WarpAccess& access)
{
    std::set<std::uint64_t> words;
    for (int lane = 0; lane < lanes; ++lane)
        if (is_active(access, lane))
            words.insert(access.addresses[static_cast<std::size_t>(lane)] / unit_bytes(access));
    return words;
}

// Their places, in address order.
std::map<std::uint64_t, Box> place_words(const Rows& rows, const WarpAccess& access)
{
    std::map<std::uint64_t, Box> places;
    for (const std::uint64_t word : read_words(access)) places[word] = {};
    const auto count = static_cast<float>(places.size());
    float x = rows.targets.x + (rows.targets.width - count * rows.slot) / 2;
    for (auto& [word, box] : places) {
        box = shrunk({x, rows.targets.y, rows.slot, rows.targets.height}, 0.06f * rows.slot);
        x += rows.slot;
    }
    return places;
}

// Fills each word with the number of its pass, and writes its index in constant memory below.
void draw_words(const Pen& pen, const Rows& rows, const WarpAccess& access,
                const std::map<std::uint64_t, Box>& places)
{
    const auto& [painter, theme, text_px] = pen;
    const std::uint64_t words = unit_bytes(access) / 4;
    const int every = thinned(painter, rows.slot, text_px);
    std::uint64_t pass = 1;
    int index = 0;
    for (const auto& [unit, place] : places) {
        painter.fill(place, colour_of_passes(static_cast<std::size_t>(pass), access, theme));
        label(painter, place, fmt::format("{}", pass), theme.background, text_px);
        const Box below{place.x, place.bottom() + 0.1f * text_px, place.width, 1.3f * text_px};
        if (index++ % every == 0)
            label(painter, widened(below, every), fmt::format("{}", unit * words), theme.text,
                  text_px);
        pass += words;
    }
}

Summary summary_of_words(const WarpAccess& access, std::size_t distinct)
{
    const auto paid = static_cast<std::size_t>(access.paid);
    if (distinct <= 1)
        return {"All lanes want one word: one pass serves them",
                "One word serves all lanes",
                {active_lanes(access)}};
    return {
        fmt::format("{} words, read one after another: {} passes", grouped(paid), grouped(paid)),
        fmt::format("{} words, one per pass", grouped(paid)),
        {active_lanes(access)}};
}

} // namespace

void draw_lanes_to_words(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px)
{
    const Pen pen{painter, theme, text_px};
    const auto below_title = rows_below_title(pen, box, access);
    if (!below_title) {
        draw_summary(pen, box, summary_of_words(access, read_words(access).size()), access);
        return;
    }
    const Rows& rows = *below_title;
    const auto places = place_words(rows, access);
    const Colour colour =
        colour_of_passes(static_cast<std::size_t>(access.paid), access, theme).with_alpha(200);
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
        painter.line(below(lane_box(rows, lane)), above(places.at(address / unit_bytes(access))),
                     colour, pen.line_px());
    }
    draw_words(pen, rows, access, places);
    draw_lane_row(pen, rows, access);
    name_row(pen, rows, rows.targets, "pass");
    name_row(pen, rows, {rows.targets.x, rows.targets.bottom() + 0.1f * text_px, 0, 1.3f * text_px},
             "word");
    draw_summary(pen, box, summary_of_words(access, places.size()), access);
}

void draw_lanes_to_sectors(Painter& painter, const Box& box, const WarpAccess& access,
                           const Theme& theme, float text_px)
{
    const Pen pen{painter, theme, text_px};
    const auto below_title = rows_below_title(pen, box, access);
    const auto touched = touched_sectors(access);
    if (!below_title) {
        draw_summary(pen, box, summary_of_sectors(access, touched), access);
        return;
    }
    const Rows& rows = *below_title;
    const Places places = place_sectors(rows, lines_of(touched));
    std::map<std::uint64_t, Colour> colours;
    for (const std::uint64_t sector : touched)
        colours[sector] = theme.series[colours.size() % theme.series.size()];
    draw_lines_to_sectors(pen, rows, access, places.sectors, colours);
    draw_sectors(pen, access, places.sectors, colours);
    draw_breaks(pen, places.breaks, rows.height);
    draw_lane_row(pen, rows, access);
    name_row(pen, rows, rows.targets, "sector");
    label_lines(pen, places.sectors, access, box.right());
    if (static_cast<std::size_t>(access.paid) > touched.size())
        mark_charges(pen, places.sectors, access);
    draw_summary(pen, box, summary_of_sectors(access, touched), access);
}

void draw_lanes_to_banks(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px)
{
    const Pen pen{painter, theme, text_px};
    const auto below_title = rows_below_title(pen, box, access);
    const auto words = words_of_banks(access);
    if (!below_title) {
        draw_summary(pen, box, summary_of_banks(access, wanted_words(words)), access);
        return;
    }
    const Rows& rows = *below_title;
    const BankPasses passes = passes_of_banks(access, words);
    const Departure departure(rows, access);
    for (int lane = 0; lane < lanes; ++lane) {
        if (!is_active(access, lane)) continue;
        const std::size_t bank = access.addresses[static_cast<std::size_t>(lane)] / 4 % 32;
        painter.line(below(lane_box(rows, lane)),
                     departure.towards(above(bank_box(rows, bank)), lane),
                     colour_of_passes(passes[bank], access, theme).with_alpha(200), pen.line_px());
    }
    draw_banks(pen, rows, access, passes);
    draw_lane_row(pen, rows, access);
    name_row(pen, rows, rows.targets, "passes");
    name_row(pen, rows, {rows.targets.x, rows.targets.bottom() + 0.1f * text_px, 0, 1.3f * text_px},
             "bank");
    draw_summary(pen, box, summary_of_banks(access, wanted_words(words)), access);
}

} // namespace lanescope::render
