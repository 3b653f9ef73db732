// Every field is described once, for reading and writing.
#include "app/measure/measurements.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/document/session/fields.h"
#include "assets/assets.h"
#include "compute/error.h"
#include "compute/labs/lab.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

constexpr const char* key = "lanescope_measurements";
constexpr double most_ms = 1e9;
constexpr double most_rate = 1e9;

void needed(Fields& fields, const std::string& name, std::string& value)
{
    fields.field(name, value);
    fields.check(name, [&] {
        if (value.empty())
            throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is missing.", name));
    });
}

// By what it is called today, where this program has the lab.
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
    fields.field("median_ms", one.median_ms, 0, most_ms);
    fields.field("p10_ms", one.p10_ms, 0, most_ms);
    fields.field("p90_ms", one.p90_ms, 0, most_ms);
    fields.field("samples", one.samples, 1, 1'000'000);
    fields.field("gb_per_s", one.gb_per_s, 0, most_rate);
    fields.field("giga_items_per_s", one.giga_items_per_s, 0, most_rate);
    fields.field("item", one.item);
    fields.check("median_ms", [&] {
        if (!(0 < one.p10_ms && one.p10_ms <= one.median_ms && one.median_ms <= one.p90_ms))
            throw Error(ExitStatus::bad_usage, "A median lies between its p10 and its p90.");
    });
}

void describe(Fields& fields, labs::Timeline::Operation& one)
{
    fields.choice("unit", one.unit, {"to_device", "kernel", "to_host", "wait"});
    fields.field("stream", one.stream, 0, 1 << 16);
    fields.field("begin_ms", one.begin_ms, 0, most_ms);
    fields.field("end_ms", one.end_ms, 0, most_ms);
    fields.field("call_begin_ms", one.call_begin_ms, 0, most_ms);
    fields.field("call_end_ms", one.call_end_ms, 0, most_ms);
    fields.check("end_ms", [&] {
        if (one.end_ms < one.begin_ms || one.call_end_ms < one.call_begin_ms)
            throw Error(ExitStatus::bad_usage, "An operation ends after it begins.");
    });
}

void describe(Fields& fields, labs::Timeline& one)
{
    needed(fields, "lab", one.lab);
    describe_variant(fields, one.lab, one.variant);
    fields.field("parameters", one.values, [](const std::string&, const std::string&) {});
    one.timed = true;
    fields.field("total_ms", one.total_ms, 0, most_ms);
    fields.field("to_device_alone_ms", one.alone_ms[0], 0, most_ms);
    fields.field("kernel_alone_ms", one.alone_ms[1], 0, most_ms);
    fields.field("to_host_alone_ms", one.alone_ms[2], 0, most_ms);
    fields.check("total_ms", [&] {
        if (!(one.total_ms > 0 && one.ideal_ms() > 0))
            throw Error(ExitStatus::bad_usage, "A timeline takes its time.");
    });
    fields.list("operations", one.operations,
                [](Fields& inner, labs::Timeline::Operation& each) { describe(inner, each); });
}

// A calendar day, as ISO 8601 writes it.
bool is_date(std::string_view text)
{
    constexpr std::string_view form = "dddd-dd-dd";
    if (text.size() != form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == 'd' ? !std::isdigit(static_cast<unsigned char>(text[i])) : text[i] != '-')
            return false;
    return true;
}

void describe(Fields& fields, Measurements& all)
{
    int version = fields.given(key, true) ? 1 : 0;
    fields.field(key, version, 1, 1);
    fields.check(key, [&] {
        if (version != 1)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("These are no measurements: \"{}\": 1 is missing.", key));
    });
    needed(fields, "device", all.device);
    needed(fields, "driver", all.driver);
    needed(fields, "date", all.date);
    fields.check("date", [&] {
        if (!is_date(all.date))
            throw Error(ExitStatus::bad_usage, "A date is written as 2026-11-22.");
    });
    fields.field("copy_gb_per_s", all.copy_gb_per_s, 0, most_rate);
    fields.list("results", all.times, [](Fields& inner, Measured& one) { describe(inner, one); });
    if (fields.given("timelines", !all.timelines.empty()))
        fields.list("timelines", all.timelines,
                    [](Fields& inner, labs::Timeline& one) { describe(inner, one); });
}

} // namespace

std::vector<const Measured*> Measurements::of(std::string_view lab, std::string_view size) const
{
    std::vector<const Measured*> found;
    for (const Measured& one : times)
        if (one.lab == lab && one.size == size) found.push_back(&one);
    return found;
}

std::shared_ptr<const labs::Timeline> Measurements::like(const labs::Timeline& untimed) const
{
    const labs::Timeline* best = nullptr;
    for (const labs::Timeline& one : timelines)
        if (one.lab == untimed.lab && one.variant == untimed.variant &&
            (!best || one.values == untimed.values))
            best = &one;
    if (!best) return nullptr;
    auto found = std::make_shared<labs::Timeline>(*best);
    found->origin = origin();
    return found;
}

std::string Measurements::origin() const
{
    return fmt::format("{}, driver {}, {}", device, driver, date);
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
    constexpr std::size_t most_bytes = std::size_t{1} << 26;
    return measurements_from_json(render::read_file(file, most_bytes), file.filename().string());
}

Measurements joined(const Measurements& before, const Measurements& now)
{
    if (before.origin() != now.origin())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The file holds measurements of {}; these would be of {}.",
                                before.origin(), now.origin()),
                    "Write them to a file of their own.");
    Measurements both = now;
    both.times.clear();
    for (const Measured& one : before.times)
        if (now.of(one.lab, one.size).empty()) both.times.push_back(one);
    both.times.insert(both.times.end(), now.times.begin(), now.times.end());
    both.timelines.clear();
    for (const labs::Timeline& one : before.timelines) {
        const auto same = [&](const labs::Timeline& other) {
            return one.lab == other.lab && one.variant == other.variant &&
                   one.values == other.values;
        };
        if (std::ranges::none_of(now.timelines, same)) both.timelines.push_back(one);
    }
    both.timelines.insert(both.timelines.end(), now.timelines.begin(), now.timelines.end());
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

// Opened once for the program, as labs from folders are.
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
