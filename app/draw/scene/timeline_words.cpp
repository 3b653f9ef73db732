// Timelines as text and bars. Without measured or recorded times they show only the call order.
#include "app/draw/scene/timeline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "app/measure/measurements.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using Unit = labs::Timeline::Unit;
using render::TimelineData;

constexpr std::array units{"H2D copies", "kernels", "D2H copies"};

// Explains the letters in the bars: "D copies to the device, …".
std::string letter_legend(const labs::Timeline& timeline)
{
    std::string words = "D copies to the device, K is a kernel, H copies to the host";
    const bool peers = std::ranges::any_of(timeline.operations,
                                           [](const auto& one) { return one.unit == Unit::peer; });
    if (peers) words += ", P copies to another device";
    return words;
}

// One slot per operation in call order.
TimelineData order_of(const labs::Timeline& timeline)
{
    TimelineData data{
        .number = "No times: this machine has no GPU",
        .words = {fmt::format(
            "No recorded times for {}/{} either. On a GPU: lanescope bench {} "
            "--record times.json; drop that file on this window. Below: the operations in call "
            "order, not to scale: {}.",
            timeline.lab, timeline.variant, timeline.lab, letter_legend(timeline))}};
    // One row per stream, with its device if there are several.
    std::set<std::pair<int, int>> queues;
    for (const auto& one : timeline.operations) queues.insert({one.device, one.stream});
    for (const auto& [device, stream] : queues)
        data.rows.push_back(timeline.devices > 1
                                ? fmt::format("device {}, stream {}", device, stream)
                                : fmt::format("stream {}", stream));
    double place = 0;
    for (const auto& one : timeline.operations) {
        constexpr std::array letters{"D", "K", "H", "waits", "P"};
        const auto unit = static_cast<std::size_t>(one.unit);
        data.bars.push_back(
            {static_cast<int>(std::distance(queues.begin(), queues.find({one.device, one.stream}))),
             static_cast<int>(unit), place, place + 1, letters[unit]});
        ++place;
    }
    return data;
}

// Sets the number that summarises the operations, and its explanation.
void describe_overlap(const labs::Timeline& timeline, TimelineData& data)
{
    const double ideal = timeline.ideal_ms();
    const double serial = timeline.serial_ms();
    const std::string whole = format_time(timeline.total_ms);
    if (serial > ideal) {
        data.words.push_back(
            fmt::format("Copies and kernels take {}. Serial: {}. Perfect overlap: {}.", whole,
                        format_time(serial), format_time(ideal)));
        data.ideal = ideal;
        data.ideal_words = "ideal";
    } else {
        double calls_ms = 0;
        for (const auto& one : timeline.operations) calls_ms = std::max(calls_ms, one.call_end_ms);
        const std::string calls = format_time(calls_ms);
        data.number = fmt::format("{} by the host clock, {} by events", calls, whole);
        data.words.emplace_back("The host clock times the calls, events time the work.");
    }
}

// "steps per frame 1, streams 4".
std::string values_in_words(const std::map<std::string, std::string>& values)
{
    std::string words;
    for (const auto& [id, text] : values) {
        std::string name = id;
        std::ranges::replace(name, '_', ' ');
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, readable(text));
    }
    return words;
}

// True if the recording matches the sliders.
bool matches_sliders(const labs::Timeline& chosen, const labs::Timeline& recorded)
{
    return std::ranges::all_of(chosen.values, [&](const auto& one) {
        const auto found = recorded.values.find(one.first);
        return found != recorded.values.end() && found->second == one.second;
    });
}

} // namespace

namespace {

// Null if there is no recording.
auto matching_recording(const labs::Timeline& timeline)
{
    const auto recorded = shown_measurements(false);
    return recorded ? recorded->like(timeline) : nullptr;
}

} // namespace

std::optional<double> waiting_of(const labs::Timeline& timeline)
{
    if (!timeline.timed) {
        const auto found = matching_recording(timeline);
        return found ? waiting_of(*found) : std::nullopt;
    }
    if (timeline.devices < 2 || !(timeline.total_ms > 0)) return {};
    double busy_ms = 0; // over all devices
    for (const auto& one : timeline.operations)
        if (one.unit == Unit::kernel) busy_ms += one.end_ms - one.start_ms;
    return std::clamp(1 - busy_ms / (timeline.devices * timeline.total_ms), 0.0, 1.0);
}

namespace {

// Why a kernel did not start earlier: "waits for device 2"; empty if only earlier kernels of its
// own device delayed it.
std::string awaited_by(const labs::Timeline& timeline, std::size_t kernel)
{
    const auto& one = timeline.operations[kernel];
    double latest = one.call_start_ms;
    std::string word = "waits for host";
    const auto later = [&](const labs::Timeline::Operation& other) {
        if (other.end_ms <= latest) return;
        latest = other.end_ms;
        if (other.device != one.device)
            word = fmt::format("waits for device {}", other.device);
        else
            word = other.unit == Unit::kernel ? "" : "waits for its copies";
    };
    for (std::size_t i = 0; i < kernel; ++i) {
        const auto& other = timeline.operations[i];
        if (other.unit != Unit::wait && other.device == one.device && other.stream == one.stream)
            later(other);
    }
    for (const int awaited : one.after)
        later(timeline.operations.at(static_cast<std::size_t>(awaited)));
    return word;
}

std::string copy_in_words(const labs::Timeline::Operation& one)
{
    if (one.unit == Unit::peer) return fmt::format("to {}", one.other);
    return one.unit == Unit::to_host ? "to host" : "from host";
}

// Adds two rows per device: one for kernels, with the reasons for waiting, and one for copies.
void add_devices(const labs::Timeline& timeline, TimelineData& data)
{
    const double min_ms = timeline.total_ms / 400; // shortest visible gap
    for (int device = 0; device < timeline.devices; ++device) {
        const auto row = static_cast<int>(data.rows.size());
        data.rows.push_back(fmt::format("device {}: kernels", device));
        data.rows.push_back(fmt::format("device {}: copies", device));
        double free_ms = 0;
        for (std::size_t i = 0; i < timeline.operations.size(); ++i) {
            const auto& one = timeline.operations[i];
            if (one.device != device || one.unit == Unit::wait) continue;
            if (one.unit != Unit::kernel) {
                data.bars.push_back(
                    {row + 1, device, one.start_ms, one.end_ms, copy_in_words(one)});
                continue;
            }
            if (one.start_ms - free_ms > min_ms)
                data.bars.push_back({.row = row,
                                     .series = device,
                                     .begin = free_ms,
                                     .end = one.start_ms,
                                     .word = awaited_by(timeline, i),
                                     .waiting = true});
            data.bars.push_back({row, device, one.start_ms, one.end_ms, one.title});
            free_ms = one.end_ms;
        }
    }
}

TimelineData multi_device_data(const labs::Timeline& timeline)
{
    TimelineData data{.axis = "ms since the step began"};
    data.words.push_back(fmt::format("{} take {}; kernels alone, side by side: {}.",
                                     timeline.device_names, format_time(timeline.total_ms),
                                     format_time(timeline.ideal_ms())));
    data.ideal = timeline.ideal_ms();
    data.ideal_words = "kernels alone";
    data.rows = {"host calls"};
    for (const auto& one : timeline.operations)
        data.bars.push_back({0, one.device, one.call_start_ms, one.call_end_ms, ""});
    add_devices(timeline, data);
    return data;
}

TimelineData single_device_data(const labs::Timeline& timeline)
{
    TimelineData data{.axis = "ms since the step began"};
    describe_overlap(timeline, data);
    data.rows = {"host calls"};
    std::array<int, 3> row_of{};
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (timeline.alone_ms[unit] <= 0) continue;
        row_of[unit] = static_cast<int>(data.rows.size());
        data.rows.push_back(
            fmt::format("{}, {}", units[unit], format_time(timeline.alone_ms[unit])));
    }
    for (const auto& one : timeline.operations) {
        data.bars.push_back({0, one.stream, one.call_start_ms, one.call_end_ms, ""});
        if (one.unit == Unit::wait || one.unit == Unit::peer) continue;
        data.bars.push_back({row_of[static_cast<std::size_t>(one.unit)], one.stream, one.start_ms,
                             one.end_ms, fmt::format("stream {}", one.stream)});
    }
    return data;
}

} // namespace

std::optional<double> overlap_of(const labs::Timeline& timeline)
{
    if (!timeline.timed) {
        const auto found = matching_recording(timeline);
        return found ? overlap_of(*found) : std::nullopt;
    }
    const double possible = timeline.serial_ms() - timeline.ideal_ms();
    if (!(possible > 0)) return {};
    return std::clamp((timeline.serial_ms() - timeline.total_ms) / possible, 0.0, 1.0);
}

namespace {

// A call as the host makes it, in one or two words.
std::string frame_call(const labs::Timeline::Operation& one)
{
    if (!one.title.empty()) return one.title;
    switch (one.unit) {
    case Unit::kernel: return "kernel";
    case Unit::to_host: return "to host";
    case Unit::to_opengl: return "upload";
    case Unit::registration: return "register";
    case Unit::map: return "map";
    case Unit::unmap: return "unmap";
    case Unit::draw: return "draw";
    case Unit::present: return "swap";
    case Unit::wait: return "wait";
    default: return "copy";
    }
}

enum FrameRow { host_row, kernel_row, copy_row, draw_row };

FrameRow frame_row(Unit unit)
{
    switch (unit) {
    case Unit::kernel: return kernel_row;
    case Unit::to_host:
    case Unit::to_device:
    case Unit::to_opengl: return copy_row;
    case Unit::draw: return draw_row;
    default: return host_row;
    }
}

// Index into the theme's series: what moves bytes has a colour of its own.
int frame_series(Unit unit)
{
    switch (unit) {
    case Unit::kernel: return 0;
    case Unit::draw: return 1;
    case Unit::to_host:
    case Unit::to_opengl: return 2;
    default: return 3;
    }
}

std::string byte_words(std::uint64_t bytes)
{
    return bytes == 0 ? "nothing"
                      : fmt::format("{} MB", significant(static_cast<double>(bytes) / 1e6));
}

// Bytes that the calls of one frame copy, and whether they register memory, as counted.
std::string frame_words(const labs::Timeline& timeline)
{
    std::uint64_t to_host = 0, to_opengl = 0;
    int registrations = 0;
    for (const auto& one : timeline.operations) {
        if (one.frame > 0) continue;
        if (one.unit == Unit::to_host) to_host += one.bytes;
        if (one.unit == Unit::to_opengl) to_opengl += one.bytes;
        registrations += one.unit == Unit::registration;
    }
    std::string words =
        to_host + to_opengl == 0
            ? "A frame copies nothing: the kernel writes the memory that OpenGL draws."
            : fmt::format("A frame copies {} to the host and {} from there to OpenGL.",
                          byte_words(to_host), byte_words(to_opengl));
    if (registrations > 0) words += " It registers and unregisters the memory.";
    return words;
}

// The calls of the first frame in their order, one slot each.
TimelineData frame_order(const labs::Timeline& timeline)
{
    TimelineData data{.number = "No times", .words = {frame_words(timeline)}};
    data.words.push_back(timeline.not_timed + " Below: the calls of one frame, not to scale.");
    data.rows = {"host calls", "kernel", "copies", "OpenGL's drawing"};
    double place = 0;
    for (const auto& one : timeline.operations) {
        if (one.frame > 0) break;
        data.bars.push_back(
            {frame_row(one.unit), frame_series(one.unit), place, place + 1, frame_call(one)});
        ++place;
    }
    return data;
}

using Span = std::pair<double, double>;

double length(const Span& span)
{
    return span.second - span.first;
}

// When the operation ran. The host itself copies what it uploads, for OpenGL to read later.
Span frame_span(const labs::Timeline::Operation& one)
{
    if (one.unit == Unit::to_opengl) return {one.call_start_ms, one.call_end_ms};
    return {one.start_ms, one.end_ms};
}

// Rows with their times per frame: map, unmap and uploads by the host's clock, others by the GPU's.
std::vector<std::string> frame_rows(const labs::Timeline& timeline)
{
    std::array<double, 4> ms{};
    for (const auto& one : timeline.operations) {
        const FrameRow row = frame_row(one.unit);
        if (row != host_row) ms[row] += length(frame_span(one)) / timeline.frames;
        if (one.unit == Unit::map || one.unit == Unit::unmap)
            ms[host_row] += (one.call_end_ms - one.call_start_ms) / timeline.frames;
    }
    const auto row = [&ms](std::string_view title, FrameRow which, std::string_view none) {
        return ms[which] > 0 ? fmt::format("{}{} per frame", title, format_time(ms[which]))
                             : std::string(none);
    };
    return {row("host calls, map + unmap ", host_row, "host calls"),
            row("kernel + wait, ", kernel_row, "kernel"), row("copies, ", copy_row, "copies, none"),
            row("OpenGL's drawing, ", draw_row, "OpenGL's drawing")};
}

TimelineData frame_data(const labs::Timeline& timeline)
{
    const bool small = timeline.total_ms < 10;
    const double scale = small ? 1e3 : 1;
    TimelineData data{.axis = fmt::format("{} since the step began", small ? "µs" : "ms")};
    data.number = fmt::format("{} per frame", format_time(timeline.frame_ms));
    data.rows = frame_rows(timeline);
    for (const auto& one : timeline.operations) {
        data.bars.push_back({host_row, frame_series(one.unit), scale * one.call_start_ms,
                             scale * one.call_end_ms, frame_call(one), one.unit == Unit::wait});
        if (const FrameRow row = frame_row(one.unit); row != host_row)
            data.bars.push_back({row, frame_series(one.unit), scale * frame_span(one).first,
                                 scale * frame_span(one).second, frame_call(one)});
    }
    return data;
}

// Counts are of this run; times, too, or those recorded on a GPU.
TimelineData frames_of(const labs::Timeline& timeline)
{
    const auto recorded = timeline.timed ? nullptr : matching_recording(timeline);
    if (!timeline.timed && !recorded) return frame_order(timeline);
    const labs::Timeline& timed = recorded ? *recorded : timeline;
    TimelineData data = frame_data(timed);
    data.words.push_back(frame_words(timeline));
    if (!recorded) return data;
    data.number += ", recorded"; // also where there is no room for words
    std::string origin =
        fmt::format("Times recorded on {}: {}.", timed.origin, values_in_words(timed.values));
    if (!matches_sliders(timeline, timed)) origin += " Closest recorded run.";
    data.words.push_back(std::move(origin));
    if (!timeline.not_timed.empty()) data.words.push_back(timeline.not_timed);
    return data;
}

} // namespace

std::optional<double> host_bytes_per_frame(const labs::Timeline& timeline)
{
    if (timeline.frames == 0) return {};
    double bytes = 0;
    for (const auto& one : timeline.operations) bytes += static_cast<double>(one.bytes);
    return bytes / timeline.frames;
}

render::TimelineData timeline_data(const labs::Timeline& timeline)
{
    if (timeline.frames > 0) return frames_of(timeline);
    if (!timeline.timed) {
        const auto found = matching_recording(timeline);
        if (!found) return order_of(timeline);
        render::TimelineData data = timeline_data(*found);
        if (!matches_sliders(timeline, *found)) data.words.back() += " Closest recorded run.";
        return data;
    }
    TimelineData data =
        timeline.devices > 1 ? multi_device_data(timeline) : single_device_data(timeline);
    if (!timeline.origin.empty())
        data.words.push_back(
            fmt::format("Recorded on {}: {}.", timeline.origin, values_in_words(timeline.values)));
    return data;
}

} // namespace lanescope::app
