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
    double calls_ms = 0;
    for (const auto& one : timeline.operations) calls_ms = std::max(calls_ms, one.call_end_ms);
    const double ideal = timeline.ideal_ms();
    const double serial = timeline.serial_ms();
    const std::string whole = time_in_words(timeline.total_ms);
    const std::string calls = time_in_words(calls_ms);
    if (serial > ideal) {
        data.number = fmt::format(
            "Overlap {:.0f} %", 100 * std::max(0.0, serial - timeline.total_ms) / (serial - ideal));
        data.words.push_back(fmt::format(
            "{} by events, {:.2f} of the ideal: the longest of the three alone takes {}, one "
            "after the other {}. The calls took the host {}.",
            whole, ideal / timeline.total_ms, time_in_words(ideal), time_in_words(serial), calls));
        data.ideal = ideal;
        data.ideal_words = "ideal";
    } else {
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

// What the sliders say and the recording does not.
std::map<std::string, std::string> not_as_chosen(const labs::Timeline& chosen,
                                                 const labs::Timeline& recorded)
{
    auto others = chosen.values;
    std::erase_if(others, [&](const auto& one) {
        const auto found = recorded.values.find(one.first);
        return found != recorded.values.end() && found->second == one.second;
    });
    return others;
}

} // namespace

render::TimelineData timeline_data(const labs::Timeline& timeline)
{
    if (!timeline.timed) {
        const auto recorded = shown_measurements(false);
        const auto found = recorded ? recorded->like(timeline) : nullptr;
        if (!found) return order_of(timeline);
        render::TimelineData data = timeline_data(*found);
        if (const auto others = not_as_chosen(timeline, *found); !others.empty())
            data.words.push_back(fmt::format("Nearest recorded setting; the sliders say {}.",
                                             values_in_words(others)));
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
                             one.end_ms, fmt::format("{}", one.stream)});
    }
    return data;
}

} // namespace lanescope::app
