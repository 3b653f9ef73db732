// Describes every field once, for reading and writing.
#include "app/measure/measurements.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/document/session/fields.h"
#include "assets/assets.h"
#include "compute/error.h"
#include "compute/experiment/lab/lab.h"
#include "compute/numbers.h"
#include "compute/read_number.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

constexpr const char* key = "lanescope_measurements";
constexpr double max_ms = 1e9;
constexpr double max_rate = 1e9;
constexpr int max_devices = 64;
constexpr int max_frames = 1 << 16;

void needed(Fields& fields, const std::string& name, std::string& value)
{
    fields.field(name, value);
    fields.check(name, [&] {
        if (value.empty())
            throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is missing.", name));
    });
}

// True for an ISO 8601 date.
bool is_date(std::string_view text)
{
    constexpr std::string_view form = "dddd-dd-dd";
    if (text.size() != form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == 'd' ? !std::isdigit(static_cast<unsigned char>(text[i])) : text[i] != '-')
            return false;
    return true;
}

void describe(Fields& fields, MeasuredOn& on)
{
    needed(fields, "device", on.device);
    needed(fields, "driver", on.driver);
    needed(fields, "date", on.date);
    fields.check("date", [&] {
        if (!is_date(on.date))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("\"{}\" is not a date such as 2026-11-22.", on.date));
    });
}

// Translates the variant to its current name, if this program has the lab.
void describe_variant(Fields& fields, const std::string& lab_id, std::string& variant)
{
    needed(fields, "variant", variant);
    for (const labs::Lab& lab : labs::all())
        if (const labs::Variant* known = lab.find_variant(variant); known && lab.id == lab_id)
            variant = known->id;
}

void describe(Fields& fields, Measured& one)
{
    needed(fields, "lab", one.lab);
    describe_variant(fields, one.lab, one.variant);
    fields.field("peer", one.is_peer);
    fields.field("library", one.library);
    fields.field("size", one.size, {"l2", "dram"});
    fields.check("size", [&] {
        if (one.size.empty()) throw Error(ExitStatus::bad_usage, "\"size\" is missing.");
    });
    fields.field("parameters", one.values, [](const std::string&, const std::string&) {});
    fields.field("median_ms", one.median_ms, 0, max_ms);
    fields.field("p10_ms", one.p10_ms, 0, max_ms);
    fields.field("p90_ms", one.p90_ms, 0, max_ms);
    fields.field("samples", one.samples, 1, 1'000'000);
    fields.field("gb_per_s", one.gb_per_s, 0, max_rate);
    fields.field("giga_items_per_s", one.giga_items_per_s, 0, max_rate);
    fields.field("item", one.item);
    if (fields.given("gflop_per_s", one.gflop_per_s.has_value())) {
        double rate = one.gflop_per_s.value_or(0);
        fields.field("gflop_per_s", rate, 0, max_rate);
        one.gflop_per_s = rate;
    }
    fields.check("median_ms", [&] {
        if (!(0 < one.p10_ms && one.p10_ms <= one.median_ms && one.median_ms <= one.p90_ms))
            throw Error(ExitStatus::bad_usage,
                        "The median is not between p10 and p90, or p10 is not positive.");
    });
}

void describe(Fields& fields, labs::Timeline::Operation& one)
{
    fields.choice("unit", one.unit,
                  {"to_device", "kernel", "to_host", "wait", "peer", "registration", "map", "unmap",
                   "to_opengl", "draw", "present"});
    fields.field("stream", one.stream, 0, 1 << 16);
    if (fields.given("device", one.device != 0)) fields.field("device", one.device, 0, max_devices);
    if (fields.given("other", one.other != 0)) fields.field("other", one.other, 0, max_devices);
    if (fields.given("frame", one.frame != 0)) fields.field("frame", one.frame, 0, max_frames);
    if (fields.given("bytes", one.bytes != 0)) fields.field("bytes", one.bytes);
    if (fields.given("title", !one.title.empty())) fields.field("title", one.title);
    if (fields.given("after", !one.after.empty()))
        fields.list("after", one.after, [](Fields& inner, int& operation) {
            inner.field("operation", operation, 0, 1 << 20);
        });
    fields.field("begin_ms", one.start_ms, 0, max_ms);
    fields.field("end_ms", one.end_ms, 0, max_ms);
    fields.field("call_begin_ms", one.call_start_ms, 0, max_ms);
    fields.field("call_end_ms", one.call_end_ms, 0, max_ms);
    fields.check("end_ms", [&] {
        if (one.end_ms < one.start_ms || one.call_end_ms < one.call_start_ms)
            throw Error(ExitStatus::bad_usage, "The operation ends before it begins.");
    });
}

// Checks that operations are on existing devices and wait for earlier ones only.
void check_operations(const labs::Timeline& timeline)
{
    const auto& all = timeline.operations;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].device >= timeline.devices || all[i].other >= timeline.devices)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("Operation {} is on a device that does not exist.", i));
        if (std::ranges::any_of(all[i].after, [&](int one) { return one >= static_cast<int>(i); }))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("Operation {} waits for a later one.", i));
    }
}

void describe(Fields& fields, labs::Timeline& one)
{
    needed(fields, "lab", one.lab);
    describe_variant(fields, one.lab, one.variant);
    fields.field("parameters", one.values, [](const std::string&, const std::string&) {});
    one.timed = true;
    if (fields.given("devices", one.devices > 1)) {
        fields.field("devices", one.devices, 1, max_devices);
        fields.field("played", one.device_names);
    }
    if (fields.given("frames", one.frames > 0)) {
        fields.field("frames", one.frames, 1, max_frames);
        fields.field("frame_ms", one.frame_ms, 0, max_ms);
    }
    fields.field("total_ms", one.total_ms, 0, max_ms);
    fields.field("to_device_alone_ms", one.alone_ms[0], 0, max_ms);
    fields.field("kernel_alone_ms", one.alone_ms[1], 0, max_ms);
    fields.field("to_host_alone_ms", one.alone_ms[2], 0, max_ms);
    fields.check("total_ms", [&] {
        const double lasts_ms = one.frames > 0 ? one.frame_ms : one.ideal_ms();
        if (!(one.total_ms > 0 && lasts_ms > 0))
            throw Error(ExitStatus::bad_usage, "The timeline does not last longer than 0 ms.");
    });
    fields.list("operations", one.operations,
                [](Fields& inner, labs::Timeline::Operation& each) { describe(inner, each); });
    fields.check("operations", [&] { check_operations(one); });
}

void describe(Fields& fields, Roofs& roofs)
{
    fields.field("copy_gb_per_s", roofs.copy_gb_per_s, 0, max_rate);
    fields.field("fma_gflop_per_s", roofs.fp32_gflop_per_s, 0, max_rate);
    fields.field("add_min_gop_per_s", roofs.add_min_gop_per_s, 0, max_rate);
}

// A list whose entries each state where and when they were measured; files of the first version
// state it once for all.
template <class One, class What>
void dated(Fields& fields, const std::string& name, std::vector<One>& all, const MeasuredOn* whole,
           const What& what)
{
    fields.list(name, all, [&](Fields& inner, One& one) {
        describe(inner, what(one));
        if (whole)
            one.on = *whole;
        else
            describe(inner, one.on);
    });
}

void describe(Fields& fields, Measurements& all)
{
    constexpr int newest = 2;
    int version = fields.given(key, true) ? newest : 0;
    fields.field(key, version, 1, newest);
    fields.check(key, [&] {
        if (version < 1)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("This is not a measurements file: \"{}\" is missing.", key));
    });
    std::optional<MeasuredOn> whole;
    if (version == 1) {
        MeasuredRoofs roofs;
        describe(fields, roofs.on);
        fields.field("copy_gb_per_s", roofs.roofs.copy_gb_per_s, 0, max_rate);
        whole = roofs.on;
        all.roofs = {std::move(roofs)};
    } else {
        dated(fields, "roofs", all.roofs, nullptr, [](auto& one) -> Roofs& { return one.roofs; });
    }
    const MeasuredOn* const common_origin = whole ? &*whole : nullptr;
    dated(fields, "results", all.times, common_origin, [](auto& one) -> Measured& { return one; });
    if (fields.given("timelines", !all.timelines.empty()))
        dated(fields, "timelines", all.timelines, common_origin,
              [](auto& one) -> labs::Timeline& { return one.timeline; });
}

// Distance between two sets of values: the absolute log2 of the ratio, summed over all numbers,
// plus a large constant per differing text.
double distance(const std::map<std::string, std::string>& a,
                const std::map<std::string, std::string>& b)
{
    constexpr double different_word_penalty = 64;
    const auto number = [](const std::string& text) -> std::optional<double> {
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = read_number(text.data(), end, value);
        if (error != std::errc{} || stop != end || !(value > 0)) return {};
        return value;
    };
    double sum = 0;
    for (const auto& [id, text] : a) {
        const auto other = b.find(id);
        if (other == b.end() || other->second == text) continue;
        const auto from = number(text), to = number(other->second);
        sum += from && to ? std::abs(std::log2(*from / *to)) : different_word_penalty;
    }
    return sum;
}

} // namespace

std::string MeasuredOn::words() const
{
    return fmt::format("{}, driver {}, {}", device, driver, date);
}

std::vector<const Measured*> Measurements::of(std::string_view lab, std::string_view size) const
{
    std::vector<const Measured*> found;
    for (const Measured& one : times)
        if (one.lab == lab && one.size == size) found.push_back(&one);
    return found;
}

std::vector<std::string> Measurements::sizes_of(std::string_view lab, const Values& near) const
{
    std::vector<std::pair<double, std::string>> sizes;
    for (const char* size : {"dram", "l2"}) {
        double min_distance = std::numeric_limits<double>::infinity();
        for (const Measured* one : of(lab, size))
            min_distance = std::min(min_distance, distance(one->values, near));
        if (min_distance < std::numeric_limits<double>::infinity())
            sizes.emplace_back(min_distance, size);
    }
    std::ranges::stable_sort(sizes, {}, &std::pair<double, std::string>::first);
    std::vector<std::string> names;
    for (auto& [far, size] : sizes) names.push_back(std::move(size));
    return names;
}

std::vector<const Measured*> Measurements::shown_of(std::string_view lab, const Values& near,
                                                    std::string_view wanted) const
{
    if (auto found = of(lab, wanted); !found.empty()) return found;
    const auto sizes = sizes_of(lab, near);
    return sizes.empty() ? std::vector<const Measured*>{} : of(lab, sizes.front());
}

const Measured* Measurements::shown_of_variant(std::string_view lab, const Values& near,
                                               std::string_view variant) const
{
    for (const Measured* one : shown_of(lab, near))
        if (!one->is_peer && one->variant == variant) return one;
    return nullptr;
}

std::optional<double> Measurements::frame_ms(const Measured& one) const
{
    for (const auto& [timeline, on] : timelines)
        if (timeline.frames > 0 && timeline.lab == one.lab && timeline.variant == one.variant &&
            timeline.values == one.values && on.device == one.on.device)
            return timeline.frame_ms;
    return {};
}

Roofs Measurements::roofs_of(const MeasuredOn& on) const
{
    Roofs best;
    for (const MeasuredRoofs& one : roofs) {
        if (one.on == on) return one.roofs;
        if (one.on.device == on.device) best = one.roofs;
    }
    return best;
}

std::shared_ptr<const labs::Timeline> Measurements::like(const labs::Timeline& untimed) const
{
    const MeasuredTimeline* best = nullptr;
    double min_distance = std::numeric_limits<double>::infinity();
    for (const MeasuredTimeline& one : timelines) {
        if (one.timeline.lab != untimed.lab || one.timeline.variant != untimed.variant) continue;
        const double far = distance(one.timeline.values, untimed.values);
        if (far >= min_distance) continue;
        min_distance = far;
        best = &one;
    }
    if (!best) return nullptr;
    auto found = std::make_shared<labs::Timeline>(best->timeline);
    found->origin = best->on.words();
    return found;
}

std::string readable(const std::string& value)
{
    std::uint64_t whole = 0;
    const char* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, whole);
    return read.ec == std::errc() && read.ptr == end ? grouped(whole) : value;
}

std::string without_vendor(std::string device)
{
    constexpr std::string_view maker = "NVIDIA ";
    if (device.starts_with(maker)) device.erase(0, maker.size());
    return device;
}

std::string model_of(const std::string& device)
{
    std::string name = without_vendor(device);
    // The memory's size begins with a digit: " 80GB HBM3".
    for (std::size_t blank = name.find(' '); blank < name.size();
         blank = name.find(' ', blank + 1)) {
        const std::size_t end = name.find_first_not_of("0123456789", blank + 1);
        if (end == blank + 1 || end >= name.size() || name.compare(end, 2, "GB") != 0) continue;
        name.resize(blank);
        break;
    }
    return name;
}

std::string size_in_words(const labs::Lab& lab, const Measured& one)
{
    std::string numbers;
    std::string choices;
    const auto add = [](std::string& words, const std::string& name, const std::string& value) {
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, value);
    };
    for (const auto& [id, text] : one.size == "l2" ? lab.l2_sized : lab.dram_sized) {
        const auto value = one.values.find(id);
        const std::string shown = readable(value == one.values.end() ? text : value->second);
        const labs::Parameter* const parameter = lab.find_parameter(id);
        if (parameter && parameter->kind == labs::Parameter::Kind::choice)
            add(choices, lower_case(parameter->title), shown);
        else
            add(numbers, id, shown);
    }
    return numbers + (numbers.empty() || choices.empty() ? "" : ", ") + choices;
}

std::string to_json(const Measurements& measurements)
{
    Measurements copy = measurements;
    return write_fields([&](Fields& fields) { describe(fields, copy); });
}

Measurements measurements_from_json(std::string_view text, const std::string& name)
{
    Measurements all;
    read_fields(text, name, [&](Fields& fields) { describe(fields, all); });
    return all;
}

bool are_measurements(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(" \t\r\n{");
    return start != std::string_view::npos &&
           text.substr(start).starts_with(fmt::format("\"{}\"", key));
}

Measurements load_measurements(const std::filesystem::path& file)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 26;
    return measurements_from_json(render::read_file(file, max_bytes), file.filename().string());
}

Measurements joined(const Measurements& before, const Measurements& now)
{
    Measurements both;
    for (const Measured& one : before.times)
        if (now.of(one.lab, one.size).empty()) both.times.push_back(one);
    both.times.insert(both.times.end(), now.times.begin(), now.times.end());
    for (const MeasuredTimeline& one : before.timelines) {
        const auto same = [&](const MeasuredTimeline& other) {
            return one.timeline.lab == other.timeline.lab &&
                   one.timeline.variant == other.timeline.variant &&
                   one.timeline.values == other.timeline.values;
        };
        if (std::ranges::none_of(now.timelines, same)) both.timelines.push_back(one);
    }
    both.timelines.insert(both.timelines.end(), now.timelines.begin(), now.timelines.end());
    for (const MeasuredRoofs& one : before.roofs) {
        const auto is_used = [&](const Measured& other) { return other.on == one.on; };
        const auto is_newer = [&](const MeasuredRoofs& other) { return other.on == one.on; };
        if (std::ranges::any_of(both.times, is_used) && std::ranges::none_of(now.roofs, is_newer))
            both.roofs.push_back(one);
    }
    both.roofs.insert(both.roofs.end(), now.roofs.begin(), now.roofs.end());
    return both;
}

std::shared_ptr<const Measurements> embedded_measurements()
{
    static const auto carried = []() -> std::shared_ptr<const Measurements> {
        constexpr const char* path = "assets/measurements.json";
        const auto text = assets::find(path);
        if (!text) return {};
        return std::make_shared<const Measurements>(measurements_from_json(*text, path));
    }();
    return carried;
}

namespace {

// Opened once per process, like labs from folders.
struct Opened {
    std::mutex mutex;
    std::shared_ptr<const Measurements> measurements;
};
Opened& opened()
{
    static Opened one;
    return one;
}

} // namespace

void show_measurements(const std::filesystem::path& file)
{
    auto measurements = std::make_shared<const Measurements>(load_measurements(file));
    const std::scoped_lock lock(opened().mutex);
    opened().measurements = std::move(measurements);
}

std::shared_ptr<const Measurements> shown_measurements(bool has_clock)
{
    {
        const std::scoped_lock lock(opened().mutex);
        if (opened().measurements) return opened().measurements;
    }
    return has_clock ? nullptr : embedded_measurements();
}

} // namespace lanescope::app
