// A machine without a GPU has no times of its own, and does not pretend to have any.
#include "app/draw/timeline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/measure/measurements.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using Unit = labs::Timeline::Unit;
using render::TimelineData;

constexpr std::array units{"copy to the device", "kernel", "copy to the host"};

// A place for each operation in the order of the calls.
TimelineData order_of(const labs::Timeline& timeline)
{
    TimelineData data{
        .number = "No times: this machine has no GPU",
        .words = {fmt::format(
            "None of {}/{} were recorded, either. On a GPU: lanescope bench {} "
            "--record times.json; drop that file on this window. Below: the operations in call "
            "order, not to scale: D copies to the device, K is a kernel, H copies to the host.",
            timeline.lab, timeline.variant, timeline.lab)}};
    std::set<int> streams;
    for (const auto& one : timeline.operations) streams.insert(one.stream);
    for (const int stream : streams) data.rows.push_back(fmt::format("stream {}", stream));
    double place = 0;
    for (const auto& one : timeline.operations) {
        constexpr std::array letters{"D", "K", "H", "waits"};
        const auto unit = static_cast<std::size_t>(one.unit);
        data.bars.push_back(
            {static_cast<int>(std::distance(streams.begin(), streams.find(one.stream))),
             static_cast<int>(unit), place, place + 1, letters[unit]});
        ++place;
    }
    return data;
}

// What one number says of the operations, and how it comes about.
void say_overlap(const labs::Timeline& timeline, TimelineData& data)
{
    const double ideal = timeline.ideal_ms();
    const double serial = timeline.serial_ms();
    const std::string whole = time_in_words(timeline.total_ms);
    if (serial > ideal) {
        data.words.push_back(
            fmt::format("Copies and kernels take {}: one after the other they would "
                        "take {}, ideally overlapped {}.",
                        whole, time_in_words(serial), time_in_words(ideal)));
        data.ideal = ideal;
        data.ideal_words = "ideal";
    } else {
        double calls_ms = 0;
        for (const auto& one : timeline.operations) calls_ms = std::max(calls_ms, one.call_end_ms);
        const std::string calls = time_in_words(calls_ms);
        data.number = fmt::format("{} by the host clock, {} by events", calls, whole);
        data.words.emplace_back("The host clock times the calls, events time the work.");
    }
}

// "chunks 16, streams 4": a number of many digits in groups.
std::string values_in_words(const std::map<std::string, std::string>& values)
{
    const auto grouped_text = [](const std::string& text) {
        const bool whole = !text.empty() && text.size() < 18 &&
                           std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
        return whole ? grouped(std::stoull(text)) : text;
    };
    std::string words;
    for (const auto& [id, text] : values)
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", id, grouped_text(text));
    return words;
}

// Whether the recording is of what the sliders say.
bool is_as_chosen(const labs::Timeline& chosen, const labs::Timeline& recorded)
{
    return std::ranges::all_of(chosen.values, [&](const auto& one) {
        const auto found = recorded.values.find(one.first);
        return found != recorded.values.end() && found->second == one.second;
    });
}

} // namespace

namespace {

// Null where none was.
auto recorded_like(const labs::Timeline& timeline)
{
    const auto recorded = shown_measurements(false);
    return recorded ? recorded->like(timeline) : nullptr;
}

} // namespace

std::optional<double> overlap_of(const labs::Timeline& timeline)
{
    if (!timeline.timed) {
        const auto found = recorded_like(timeline);
        return found ? overlap_of(*found) : std::nullopt;
    }
    const double possible = timeline.serial_ms() - timeline.ideal_ms();
    if (!(possible > 0)) return {};
    return std::clamp((timeline.serial_ms() - timeline.total_ms) / possible, 0.0, 1.0);
}

render::TimelineData timeline_data(const labs::Timeline& timeline)
{
    if (!timeline.timed) {
        const auto found = recorded_like(timeline);
        if (!found) return order_of(timeline);
        render::TimelineData data = timeline_data(*found);
        if (!is_as_chosen(timeline, *found)) data.words.back() += " Nearest recorded setting.";
        return data;
    }
    TimelineData data{.axis = "ms since the step began"};
    say_overlap(timeline, data);
    if (!timeline.origin.empty())
        data.words.push_back(
            fmt::format("Recorded on {}: {}.", timeline.origin, values_in_words(timeline.values)));
    data.rows = {"host calls"};
    std::array<int, 3> row_of{};
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (timeline.alone_ms[unit] <= 0) continue;
        row_of[unit] = static_cast<int>(data.rows.size());
        data.rows.push_back(
            fmt::format("{}, alone {}", units[unit], time_in_words(timeline.alone_ms[unit])));
    }
    for (const auto& one : timeline.operations) {
        data.bars.push_back({0, one.stream, one.call_begin_ms, one.call_end_ms, ""});
        if (one.unit == Unit::wait) continue;
        data.bars.push_back({row_of[static_cast<std::size_t>(one.unit)], one.stream, one.begin_ms,
                             one.end_ms, fmt::format("stream {}", one.stream)});
    }
    return data;
}

} // namespace lanescope::app
