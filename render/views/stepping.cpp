// Layout from the top: title, code next to lanes, variables next to shared memory; from the bottom:
// keys, the bar, the warps. A narrow box stacks the parts.
#include "render/views/stepping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

using What = SteppingHit::What;

Colour mixed(Colour from, Colour to, float share)
{
    const auto one = [&](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::lround(
            static_cast<float>(a) + share * (static_cast<float>(b) - static_cast<float>(a))));
    };
    return {one(from.red, to.red), one(from.green, to.green), one(from.blue, to.blue), 255};
}

// Draws the sheet part by part, top to bottom.
class Sheet {
public:
    Sheet(Painter& painter, const SteppingView& view, const Theme& theme, float em)
        : paint_(painter), view_(view), theme_(theme), em_(em)
    {
    }

    std::vector<SteppingHit> draw(const Box& whole)
    {
        Box rest = whole;
        head(rest);
        if (view_.whole) return std::move(hits_);
        keys(rest);
        bar(rest);
        warps(rest);
        const bool wide = rest.width > 44 * em_;
        if (wide && !view_.code.empty()) {
            constexpr float lanes_em = 6; // their title and two rows
            const float lines = std::floor(0.5F * rest.height / line_px());
            const Box upper = cut_top(rest, std::max(lines * line_px(), lanes_em * em_));
            const float left = 0.52F * upper.width;
            code({upper.x, upper.y, left - em_, upper.height});
            lanes({upper.x + left, upper.y, upper.width - left, upper.height});
        } else {
            if (!view_.code.empty()) {
                code(cut_top(rest, std::max(3 * line_px(), 0.26F * rest.height)));
                cut_top(rest, 0.4F * em_);
            }
            cut_top(rest, lanes(rest) - rest.y);
        }
        cut_top(rest, 0.6F * em_);
        if (wide) {
            const float part = 0.36F * rest.width;
            memory({rest.right() - part, rest.y, part, rest.height});
            rest.width -= part + em_;
        } else if (rest.height > 16 * em_) {
            const float part = 0.4F * rest.height;
            memory({rest.x, rest.bottom() - part, rest.width, part});
            rest.height -= part + 0.5F * em_;
        }
        variables(rest);
        return std::move(hits_);
    }

private:
    float line_px() const { return std::round(1.5F * em_); }

    static Box cut_top(Box& rest, float height)
    {
        height = std::clamp(height, 0.0F, rest.height);
        const Box part{rest.x, rest.y, rest.width, height};
        rest.y += height;
        rest.height -= height;
        return part;
    }
    static Box cut_bottom(Box& rest, float height)
    {
        height = std::clamp(height, 0.0F, rest.height);
        rest.height -= height;
        return {rest.x, rest.bottom(), rest.width, height};
    }

    void head(Box& rest)
    {
        const Box part = cut_top(rest, 3.2F * em_);
        TextStyle title{std::round(1.3F * em_), theme_.text, true};
        const TextStyle where{em_, theme_.muted, false, Align::right};
        const float taken = paint_.text_width(view_.where, where);
        const bool beside = paint_.text_width(view_.title, title) + taken + em_ < part.width;
        const float room = beside ? part.width - taken - em_ : part.width;
        paint_.text({part.x, part.y + 1.2F * em_}, fitted(paint_, view_.title, room, title), title);
        if (beside) paint_.text({part.right(), part.y + 1.2F * em_}, view_.where, where);
        const TextStyle said{em_, view_.bad ? theme_.series[5] : theme_.muted};
        if (view_.whole) {
            draw_lines(paint_, {rest.x, rest.y, std::min(rest.width, 40 * em_), rest.height},
                       view_.said, {em_, view_.bad ? theme_.series[5] : theme_.text});
            return;
        }
        const std::string words = beside || view_.bad ? view_.said : view_.where;
        paint_.text({part.x, part.y + 2.6F * em_}, fitted(paint_, words, part.width, said), said);
    }

    void keys(Box& rest)
    {
        const Box part = cut_bottom(rest, 1.4F * em_);
        const TextStyle style{0.93F * em_, theme_.muted};
        const std::string words = fewer_keys(view_.keys, part.width, style);
        paint_.text({part.x, part.y + em_}, fitted(paint_, words, part.width, style), style);
    }

    // The keys that fit: those in the middle are left out first.
    std::string fewer_keys(const std::string& keys, float width, const TextStyle& style)
    {
        const std::string between = "    ";
        std::vector<std::string> entries;
        for (std::size_t at = 0; at < keys.size();) {
            const std::size_t end = std::min(keys.find(between, at), keys.size());
            entries.push_back(keys.substr(at, end - at));
            at = end + between.size();
        }
        const auto words = [&] { return fmt::format("{}", fmt::join(entries, between)); };
        while (entries.size() > 2 && paint_.text_width(words(), style) > width)
            entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2));
        return words();
    }

    void bar(Box& rest)
    {
        const Box part = cut_bottom(rest, 2.5F * em_);
        const Box track{part.x, part.y + 1.35F * em_, part.width, 0.6F * em_};
        paint_.fill(track, theme_.panel);
        paint_.fill({track.x, track.y, track.width * view_.known, track.height}, theme_.grid);
        paint_.fill({track.x, track.y, track.width * view_.at, track.height}, theme_.mark);
        const float thin = std::max(1.0F, std::round(0.1F * em_));
        std::size_t barriers = 0;
        std::size_t divergences = 0;
        for (const SteppedMark& mark : view_.marks) {
            barriers += mark.kind == SteppedMark::Kind::barrier ? 1 : 0;
            divergences += mark.kind == SteppedMark::Kind::divergence ? 1 : 0;
        }
        // Too many marks to tell apart are not drawn at all.
        const auto too_many = [&](std::size_t count) {
            return static_cast<float>(count) * 4 * thin > track.width;
        };
        const bool dense = too_many(barriers);
        const bool splits = !too_many(divergences);
        float last = -1e9F;
        for (const SteppedMark& mark : view_.marks) {
            const float x = std::round(track.x + track.width * mark.at - thin / 2);
            if (mark.kind == SteppedMark::Kind::barrier && !dense) {
                paint_.fill({x, track.y - 0.25F * em_, thin, 1.1F * em_}, theme_.muted);
            } else if (mark.kind == SteppedMark::Kind::divergence && splits && x > last + thin) {
                paint_.fill({x, track.bottom() + 0.1F * em_, thin, 0.28F * em_}, theme_.series[1]);
                last = x;
            }
        }
        const float here = std::clamp(track.x + track.width * view_.at, track.x + 0.2F * em_,
                                      track.right() - 0.2F * em_);
        paint_.fill({here - 0.2F * em_, track.y - 0.3F * em_, 0.4F * em_, 1.2F * em_}, theme_.mark);
        const TextStyle label{0.93F * em_, theme_.muted, false, Align::right};
        const float base = part.y + 0.85F * em_;
        std::string legend = barriers > 0 && !dense ? "grey: barriers" : "";
        if (last > 0) legend += std::string(legend.empty() ? "" : "   ") + "orange: divergence";
        if (view_.known < 1) legend += std::string(legend.empty() ? "" : "   ") + "light: run once";
        paint_.text({track.right(), base}, legend, label);
        for (const SteppedMark& mark : view_.marks) {
            if (mark.kind != SteppedMark::Kind::fault) continue;
            const float x = track.x + track.width * mark.at;
            paint_.fill({x - thin, track.y - 0.35F * em_, 2 * thin, 1.3F * em_}, theme_.series[5]);
            TextStyle words{0.93F * em_, theme_.series[5]};
            const float wide = paint_.text_width(view_.fault, words);
            const float max_x = track.right() - paint_.text_width(legend, label) - em_ - wide;
            paint_.text({std::clamp(x - wide / 2, track.x, std::max(track.x, max_x)), base},
                        view_.fault, words);
        }
        hits_.push_back(
            {What::bar, {track.x, track.y - 0.5F * em_, track.width, track.height + em_}});
    }

    void warps(Box& rest)
    {
        const auto count = static_cast<int>(view_.warps.size());
        if (count == 0) return;
        const int rows = count > 16 ? 2 : 1;
        const int across = std::max((count + rows - 1) / rows, 1);
        const float gap = 0.35F * em_;
        const float high = 1.75F * em_;
        const Box part =
            cut_bottom(rest, static_cast<float>(rows) * (high + gap) + 1.5F * em_ + gap);
        paint_.text({part.x, part.y + em_},
                    count == 1 ? "the warp of the block" : "warps of the block",
                    {em_, theme_.muted});
        const float wide =
            std::min((part.width + gap) / static_cast<float>(across) - gap, 16 * em_);
        // All texts use one form: the longest that fits in every box.
        const TextStyle plain{0.93F * em_, theme_.muted};
        const float room =
            wide - 1.05F * em_ -
            paint_.text_width(std::to_string(count - 1), {0.95F * em_, theme_.text, true});
        const auto said = [](const SteppedWarp& warp, int level) {
            if (level == 0) return warp.words;
            if (level == 1) return warp.words.substr(0, warp.words.find(','));
            return warp.line > 0 ? std::to_string(warp.line) : std::string();
        };
        int level = 0;
        const auto fits = [&](const SteppedWarp& warp) {
            return paint_.text_width(said(warp, level), plain) <= room;
        };
        while (level < 3 && !std::ranges::all_of(view_.warps, fits)) ++level;
        for (int i = 0; i < count; ++i) {
            const SteppedWarp& warp = view_.warps[static_cast<std::size_t>(i)];
            const Box tile{part.x + static_cast<float>(i % across) * (wide + gap),
                           part.y + 1.5F * em_ + static_cast<float>(i / across) * (high + gap),
                           wide, high};
            if (warp.done)
                paint_.outline(tile, theme_.grid, 1);
            else
                paint_.fill(tile,
                            warp.shown ? mixed(theme_.panel, theme_.mark, 0.3F) : theme_.panel);
            if (warp.next)
                paint_.fill({tile.x, tile.bottom() - 0.16F * em_, wide, 0.16F * em_}, theme_.mark);
            const TextStyle number{0.95F * em_, warp.done ? theme_.muted : theme_.text, true};
            const TextStyle words{0.93F * em_, warp.shown ? theme_.text : theme_.muted};
            const std::string name = std::to_string(i);
            const float base = tile.y + 0.65F * high;
            const float left = tile.x + 0.35F * em_;
            const float after = left + paint_.text_width(name, number) + 0.5F * em_;
            paint_.text({left, base}, name, number);
            if (level < 3) paint_.text({after, base}, said(warp, level), words);
            hits_.push_back({What::warp, tile, i});
        }
    }

    void code(const Box& box) { listing(box, view_.code, true); }

    void ptx(const Box& box)
    {
        Box rest = box;
        cut_top(rest, 1.5F * em_);
        paint_.text({box.x, box.y + em_}, "PTX", {em_, theme_.muted});
        listing(rest, view_.ptx, false);
    }

    // Lines around the current one, scrolled by half a page instead of with every step.
    void listing(const Box& box, const std::vector<SteppedLine>& lines, bool pointed_at)
    {
        const int rows = std::max(1, static_cast<int>(box.height / line_px()));
        const auto count = static_cast<int>(lines.size());
        const auto is = [](bool SteppedLine::*what) {
            return [what](const SteppedLine& line) { return line.*what; };
        };
        const auto first_code =
            std::ranges::find_if(lines, is(&SteppedLine::has_code)) - lines.begin();
        const auto found = std::ranges::find_if(lines, is(&SteppedLine::current));
        const int current =
            static_cast<int>(found == lines.end() ? first_code : found - lines.begin());
        const int from = std::max(0, static_cast<int>(first_code) - 2);
        const int half = std::max(rows / 2, 1);
        int begin = from;
        if (current >= from + rows - 1) begin = from + (current - from - half / 2) / half * half;
        if (current < from) begin = std::max(0, current - half);
        begin = std::clamp(begin, 0, std::max(0, count - rows));
        std::size_t indent = std::string::npos;
        for (int i = begin; i < std::min(begin + rows, count); ++i) {
            const std::string& text = lines[static_cast<std::size_t>(i)].text;
            const std::size_t at = text.find_first_not_of(' ');
            if (at != std::string::npos) indent = std::min(indent, at);
        }
        const TextStyle code_style{0.95F * em_, theme_.text, false, Align::left, true};
        const TextStyle number_style{0.95F * em_, theme_.muted, false, Align::right, true};
        const std::size_t digits = std::max<std::size_t>(
            3, lines.empty() ? 0 : std::to_string(lines.back().number).size());
        const float numbers =
            box.x + 1.1F * em_ + paint_.text_width(std::string(digits, '0'), number_style);
        const float left = numbers + 0.8F * em_;
        int place = 0;
        for (int i = begin; i < count && place < rows; ++i, ++place) {
            const SteppedLine& line = lines[static_cast<std::size_t>(i)];
            const float y = box.y + static_cast<float>(place) * line_px();
            std::string text = line.text.substr(std::min(line.text.size(), indent));
            // The current line continues in a second row if it is too long for one.
            std::string rest;
            if (line.current && place + 1 < rows)
                rest = cut_at_blank(text, box.right() - left, code_style);
            const Box row{box.x, y, box.width, (rest.empty() ? 1 : 2) * line_px()};
            if (line.current)
                paint_.fill(row, mixed(theme_.background, theme_.mark, 0.28F));
            else if (line.waits)
                paint_.fill({row.x, row.y, 0.2F * em_, row.height}, theme_.muted);
            if (line.breakpoint) {
                const float side = 0.62F * em_;
                paint_.fill({row.x + 0.3F * em_, row.y + (row.height - side) / 2, side, side},
                            theme_.series[5]);
            }
            const float base = y + 0.72F * line_px();
            TextStyle number = number_style;
            if (line.current) number.colour = theme_.text;
            paint_.text({numbers, base}, std::to_string(line.number), number);
            TextStyle style = code_style;
            if (!line.has_code && !line.current) style.colour = theme_.muted;
            paint_.text({left, base}, fitted(paint_, text, row.right() - left, style), style);
            if (!rest.empty()) {
                paint_.text({left, base + line_px()},
                            fitted(paint_, rest, row.right() - left, style), style);
                ++place;
            }
            if (!pointed_at) continue;
            hits_.push_back({What::gutter, {row.x, y, left - row.x, row.height}, line.number});
            hits_.push_back({What::line, {left, y, row.right() - left, row.height}, line.number});
        }
    }

    // Shortens the text to the width, at a blank; returns the rest, indented, or nothing if it
    // fits.
    std::string cut_at_blank(std::string& text, float width, const TextStyle& style)
    {
        if (paint_.text_width(text, style) <= width) return {};
        const std::size_t begin = text.find_first_not_of(' ');
        std::size_t at = text.rfind(' ');
        while (at != std::string::npos && at > begin &&
               paint_.text_width(text.substr(0, at), style) > width)
            at = text.rfind(' ', at - 1);
        if (at == std::string::npos || at <= begin) return {};
        std::string rest = std::string(begin + 4, ' ') + text.substr(at + 1);
        text.resize(at);
        return rest;
    }

    // Returns the lower edge of what was drawn.
    float lanes(const Box& box)
    {
        constexpr int across = 16;
        const float gap = std::max(2.0F, std::round(0.12F * em_));
        const float side = std::min(std::floor(box.width / across) - gap, 1.8F * em_);
        paint_.text({box.x, box.y + em_}, "lanes", {em_, theme_.muted});
        const float top = box.y + 1.5F * em_;
        for (int lane = 0; lane < stepped_lanes; ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            const Box cell{box.x + static_cast<float>(lane % across) * (side + gap),
                           top + static_cast<float>(lane / across) * (side + gap), side, side};
            const SteppedLane state = view_.lanes[l];
            TextStyle style{std::min(0.93F * em_, 0.62F * side), theme_.muted, true, Align::centre};
            switch (state) {
            case SteppedLane::runs:
                paint_.fill(cell, theme_.mark);
                style.colour = theme_.background;
                break;
            case SteppedLane::ready:
            case SteppedLane::waits: {
                paint_.fill(cell, theme_.panel);
                const std::size_t path =
                    static_cast<std::size_t>(std::max(view_.path[l] - 1, 0)) % 4 + 1;
                paint_.fill({cell.x, cell.bottom() - 0.16F * em_, side, 0.16F * em_},
                            theme_.series[path]);
                break;
            }
            case SteppedLane::exited: paint_.outline(cell, theme_.grid, 1); break;
            case SteppedLane::missing: continue;
            }
            paint_.text({cell.x + side / 2, cell.y + 0.5F * side + 0.36F * style.size_px},
                        std::to_string(lane), style);
            hits_.push_back({What::lane, cell, 0, lane});
        }
        float y = top + 2 * (side + gap) + 0.3F * em_;
        for (std::size_t i = 0; i < view_.words.size(); ++i) {
            const TextStyle style{em_, i == 0 ? theme_.text : theme_.muted};
            for (const std::string& line : broken(paint_, view_.words[i], box.width, style)) {
                if (y + 1.3F * em_ > box.bottom()) return y;
                paint_.text({box.x, y + em_}, fitted(paint_, line, box.width, style), style);
                y += 1.35F * em_;
            }
        }
        if (!view_.instruction.empty() && y + 1.3F * em_ <= box.bottom()) {
            const TextStyle style{0.93F * em_, theme_.muted, false, Align::left, true};
            paint_.text({box.x, y + em_}, fitted(paint_, view_.instruction, box.width, style),
                        style);
            y += 1.35F * em_;
        }
        return y;
    }

    // True if all lanes that have a value have the same one.
    static bool uniform(const SteppedRow& row)
    {
        const std::string* first = nullptr;
        for (std::size_t lane = 0; lane < stepped_lanes; ++lane) {
            if ((row.with >> lane & 1U) == 0) continue;
            if (first && *first != row.lanes[lane]) return false;
            if (!first) first = &row.lanes[lane];
        }
        return first != nullptr;
    }

    // True if `word` occurs in the text as a whole word.
    static bool names(std::string_view text, std::string_view word)
    {
        const auto part = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_';
        };
        for (std::size_t at = text.find(word); at != std::string_view::npos;
             at = text.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end])))
                return true;
        }
        return false;
    }

    // The variables that fit, in order; those that changed or that the line names take precedence.
    std::vector<std::size_t> chosen_rows(std::size_t room) const
    {
        const auto current = std::ranges::find_if(view_.code, &SteppedLine::current);
        const std::string_view line =
            current == view_.code.end() ? std::string_view() : std::string_view(current->text);
        std::vector<std::size_t> chosen;
        for (const bool first : {true, false})
            for (std::size_t i = 0; i < view_.rows.size(); ++i) {
                const SteppedRow& row = view_.rows[i];
                const bool relevant = row.changed != 0 || names(line, row.name);
                if (relevant == first && chosen.size() < room) chosen.push_back(i);
            }
        std::ranges::sort(chosen);
        return chosen;
    }

    // The lanes whose columns fit, and their positions.
    struct Columns {
        float names = 0; // width of the name column
        float left = 0;  // left edge of the first column
        float width = 0;
        int first = 0; // first lane shown
        int count = 0;

        float result_definition(int lane) const
        {
            return left + static_cast<float>(lane - first + 1) * width;
        }
    };

    TextStyle name_style() const { return {0.95F * em_, theme_.text, false, Align::left, true}; }
    TextStyle value_style() const { return {0.95F * em_, theme_.text, false, Align::right, true}; }

    Columns columns_in(const Box& box) const
    {
        float names = paint_.text_width("lane", {0.93F * em_, theme_.muted});
        float widest = paint_.text_width("00", value_style());
        for (const SteppedRow& row : view_.rows) {
            names = std::max(names, paint_.text_width(row.name, name_style()));
            if (uniform(row)) continue;
            for (const std::string& one : row.lanes)
                widest = std::max(widest, paint_.text_width(one, value_style()));
        }
        Columns columns;
        columns.names = std::min(names, 0.3F * box.width);
        columns.width = std::min(widest, 7 * em_) + 0.7F * em_;
        columns.left = box.x + columns.names + 0.6F * em_;
        columns.count = std::clamp(static_cast<int>((box.right() - columns.left) / columns.width),
                                   1, stepped_lanes);
        columns.first =
            std::min(view_.lane / columns.count * columns.count, stepped_lanes - columns.count);
        return columns;
    }

    // Draws the row's value once, because every lane that has a value has the same one.
    void one_value(const Box& box, const Columns& columns, std::size_t i, float y)
    {
        const SteppedRow& row = view_.rows[i];
        const float base = y + em_;
        const auto one = static_cast<std::size_t>(std::countr_zero(row.with));
        TextStyle style = value_style();
        style.align = Align::left;
        if (row.changed != 0) style.colour = theme_.series[2];
        const float from = columns.left + std::min(columns.width, 0.7F * em_);
        const std::string text = fitted(paint_, row.lanes[one], 0.7F * (box.right() - from), style);
        paint_.text({from, base}, text, style);
        const TextStyle quiet{0.93F * em_, theme_.muted};
        const float after = from + paint_.text_width(text, style) + 0.8F * em_;
        paint_.text({after, base},
                    fitted(paint_, row.with == ~0U ? "in every lane" : "in each lane that has it",
                           std::max(0.0F, box.right() - after), quiet),
                    quiet);
        hits_.push_back({What::value,
                         {columns.left, y, box.right() - columns.left, row_height()},
                         static_cast<int>(i),
                         static_cast<int>(one)});
    }

    void value_of_each_lane(const Columns& columns, std::size_t i, float y)
    {
        const SteppedRow& row = view_.rows[i];
        for (int lane = columns.first; lane < columns.first + columns.count; ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            const float right = columns.result_definition(lane);
            TextStyle style = value_style();
            const bool with = (row.with >> lane & 1U) != 0;
            if ((row.changed >> lane & 1U) != 0) style.colour = theme_.series[2];
            if (!with) style.colour = theme_.muted;
            paint_.text(
                {right, y + em_},
                fitted(paint_, with ? row.lanes[l] : "–", columns.width - 0.3F * em_, style),
                style);
            hits_.push_back({What::value,
                             {right - columns.width, y, columns.width, row_height()},
                             static_cast<int>(i),
                             lane});
        }
    }

    float row_height() const { return std::round(1.45F * em_); }

    void variables(const Box& box)
    {
        if (view_.rows.empty())
            return paint_.text({box.x, box.y + em_}, "no variables here", {em_, theme_.muted});
        const float high = row_height();
        const auto rows = static_cast<std::size_t>(std::max(0.0F, (box.height - high) / high));
        if (rows == 0) return;
        const Columns columns = columns_in(box);
        const TextStyle head{0.93F * em_, theme_.muted, false, Align::right};
        paint_.text({box.x, box.y + em_}, "lane", {0.93F * em_, theme_.muted});
        for (int lane = columns.first; lane < columns.first + columns.count; ++lane)
            paint_.text({columns.result_definition(lane), box.y + em_}, std::to_string(lane), head);
        const std::vector<std::size_t> chosen = chosen_rows(
            view_.rows.size() <= rows ? view_.rows.size() : std::max<std::size_t>(rows, 2) - 1);
        float y = box.y;
        for (const std::size_t i : chosen) {
            y += high;
            const SteppedRow& row = view_.rows[i];
            paint_.text({box.x, y + em_}, fitted(paint_, row.name, columns.names, name_style()),
                        name_style());
            if (uniform(row))
                one_value(box, columns, i, y);
            else
                value_of_each_lane(columns, i, y);
        }
        if (chosen.size() < view_.rows.size() && rows > 1)
            paint_.text({box.x, y + high + em_},
                        "and " + std::to_string(view_.rows.size() - chosen.size()) + " more",
                        {0.93F * em_, theme_.muted});
    }

    // Draws the line's memory access and the arrays in shared memory. Room for the access is
    // reserved even if the line makes none. If there is no room for both, the arrays take
    // precedence over the bank diagram.
    void memory(const Box& box)
    {
        constexpr float min_access_em = 8.4F;
        constexpr float min_array_em = 5;
        if (!view_.ptx.empty()) return ptx(box);
        Box rest = box;
        const bool needs_arrays = !view_.arrays.empty();
        const bool room = box.height >= (min_access_em + min_array_em) * em_;
        if (view_.access && box.height >= min_access_em * em_ &&
            (!needs_arrays || room || !view_.banks)) {
            const Box part =
                cut_bottom(rest, needs_arrays && room ? 0.6F * box.height : box.height);
            const auto draw_access = view_.banks ? draw_lanes_to_banks : draw_lanes_to_sectors;
            draw_access(paint_, part, *view_.access, theme_, em_);
            if (!needs_arrays || !room) return;
        }
        if (needs_arrays) return arrays(rest);
        const TextStyle style{0.93F * em_, theme_.muted};
        const std::string words =
            view_.access ? view_.access->title : std::string("This line accesses no memory.");
        paint_.text({box.x, box.y + em_}, fitted(paint_, words, box.width, style), style);
    }

    void arrays(const Box& box)
    {
        Box rest = box;
        const float part = rest.height / static_cast<float>(view_.arrays.size());
        const float min_height = 5 * em_;
        for (std::size_t i = 0; i < view_.arrays.size() && rest.height >= min_height; ++i)
            array(cut_top(rest, std::max(part, min_height)), view_.arrays[i], static_cast<int>(i));
    }

    void array(const Box& box, const SteppedArray& array, int index)
    {
        const bool changed = std::ranges::count(array.changed, 1) > 0;
        const bool accessed = std::ranges::count(array.accessed, 1) > 0;
        const TextStyle quiet{0.93F * em_, theme_.muted};
        float x = box.x;
        const auto say = [&](const std::string& words, Colour colour) {
            TextStyle style = quiet;
            style.colour = colour;
            const std::string text = fitted(paint_, words, std::max(0.0F, box.right() - x), style);
            paint_.text({x, box.y + em_}, text, style);
            x += paint_.text_width(text, style) + 0.8F * em_;
        };
        say("shared " + array.name, theme_.text);
        if (accessed) say("accessed: " + view_.access_cost, theme_.series[1]);
        if (changed) say("changed", theme_.series[2]);
        const auto words = static_cast<int>(array.shades.size());
        const Box area{box.x, box.y + 1.5F * em_, box.width, box.height - 1.9F * em_};
        if (words == 0 || area.height < em_) return;
        int columns = std::max(array.columns, 1);
        if (columns >= words) { // one-dimensional: as many rows as fill the area
            const float ratio = area.width / area.height;
            columns = static_cast<int>(std::ceil(std::sqrt(static_cast<float>(words) * ratio)));
            columns = std::min(words, (columns + 15) / 16 * 16);
        }
        const int rows = (words + columns - 1) / columns;
        const float side = std::min({area.width / static_cast<float>(columns),
                                     area.height / static_cast<float>(rows), 1.6F * em_});
        const float gap = side > 6 ? 1.0F : 0.0F;
        for (int i = 0; i < words; ++i) {
            const auto w = static_cast<std::size_t>(i);
            const Box cell{area.x + static_cast<float>(i % columns) * side,
                           area.y + static_cast<float>(i / columns) * side, side - gap, side - gap};
            Colour fill = mixed(theme_.panel, theme_.muted, 0.15F + 0.6F * array.shades[w]);
            if (array.changed[w] != 0) fill = theme_.series[2];
            if (array.accessed[w] != 0)
                fill = array.changed[w] != 0 ? mixed(theme_.series[1], theme_.series[2], 0.5F)
                                             : theme_.series[1];
            paint_.fill(cell, fill);
            hits_.push_back({What::word, cell, index, i});
        }
    }

    Painter& paint_;
    const SteppingView& view_;
    const Theme& theme_;
    float em_;
    std::vector<SteppingHit> hits_;
};

} // namespace

std::vector<SteppingHit> draw_stepping(Painter& painter, const Box& box, const SteppingView& view,
                                       const Theme& theme, float text_px)
{
    return Sheet(painter, view, theme, text_px).draw(box);
}

} // namespace lanescope::render
