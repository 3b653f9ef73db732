// Table of metrics, and the launches in which they are counted.
#include "app/measure/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "app/measure/counted.h"
#include "app/measure/measurements.h"
#include "app/measure/model/followed_caches.h"
#include "app/measure/ratios.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/ptx/sites/sites.h"
#include "compute/simt/simt_device.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

// The first launch of a variant: its counts, and other facts that quantities use.
struct Launch {
    trace::Trace trace;
    labs::Work work;
    std::size_t static_shared_bytes = 0;
    std::size_t dynamic_shared_bytes = 0;
    bool correct = false;
    bool faulted = false;
    double number = 0;
    std::optional<labs::Timeline> frames{}; // of a step that draws
    trace::Served served{};                 // of the quantity's line, if the caches were followed
    std::uint64_t dram_writes = 0;          // sectors, of the whole step
};

// Bytes, 32-byte sectors and 128-byte lines that a request touches.
struct Request {
    std::set<std::uint64_t> bytes;
    std::set<std::uint64_t> sectors;
    std::set<std::uint64_t> lines;
};

Request request_of(const trace::Trace& trace)
{
    Request request;
    const trace::WatchedRequest& watched = trace.request;
    if (watched.site < 0 || watched.active == 0) return request;
    const auto width =
        static_cast<std::uint64_t>(trace.sites[static_cast<std::size_t>(watched.site)].width_bytes);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((watched.active >> lane & 1U) == 0) continue;
        for (std::uint64_t byte = watched.addresses[lane]; byte < watched.addresses[lane] + width;
             ++byte) {
            request.bytes.insert(byte);
            request.sectors.insert(byte / 32);
            request.lines.insert(byte / 128);
        }
    }
    return request;
}

using Value = std::optional<double>;

Value over(double part, double whole)
{
    return whole == 0 ? Value{} : Value{part / whole};
}
Value whole(std::uint64_t count)
{
    return static_cast<double>(count);
}

struct Metric {
    std::string_view id;
    std::string_view unit;
    Value (*of)(const Launch& launch, const trace::Totals& totals);
};

// Sum over the operations of the first frame; empty if the step draws nothing.
Value of_frame(const Launch& launch, double (*of)(const labs::Timeline::Operation&))
{
    if (!launch.frames) return {};
    double sum = 0;
    for (const auto& one : launch.frames->operations)
        if (one.frame == 0) sum += of(one);
    return sum;
}

using L = const Launch&;
using T = const trace::Totals&;

template <labs::Ratio which>
Value ratio(L launch, T totals)
{
    return trace::value(to_ratio(which), totals, launch.work.items);
}

template <std::uint64_t trace::Served::*level>
Value from(L launch, T)
{
    return whole(launch.served.*level);
}

// clang-format off
constexpr Metric counted[] = {
    {"sectors_per_load", "sectors per load request", ratio<labs::Ratio::sectors_per_load>},
    {"sectors_per_store", "sectors per store request", ratio<labs::Ratio::sectors_per_store>},
    {"sectors_over_ideal", "sectors / ideal", ratio<labs::Ratio::sectors_over_ideal>},
    {"wavefronts_over_ideal", "shared wavefronts / ideal", ratio<labs::Ratio::wavefronts_over_ideal>},
    {"lanes_per_instruction", "active lanes of 32", ratio<labs::Ratio::lanes_per_instruction>},
    {"instructions_per_item", "warp instructions per item", ratio<labs::Ratio::instructions_per_item>},
    {"bytes_per_item", "bytes moved per item", ratio<labs::Ratio::bytes_per_item>},
    {"warp_instructions", "warp instructions", [](L, T all) { return whole(all.warp_instructions); }},
    {"device_launches", "launches from the device", [](L, T all) { return whole(all.device_launches); }},
    {"sectors", "sectors", [](L, T all) { return whole(trace::global(all).sectors); }},
    {"bytes", "bytes moved", [](L, T all) { return whole(32 * trace::global(all).sectors); }},
    {"load_requests", "load requests", [](L, T all) { return whole(all.global_load.requests); }},
    {"load_sectors", "load sectors", [](L, T all) { return whole(all.global_load.sectors); }},
    {"load_lanes", "elements loaded by lanes", [](L, T all) { return whole(all.global_load.lanes); }},
    {"store_requests", "store requests", [](L, T all) { return whole(all.global_store.requests); }},
    {"store_sectors", "store sectors", [](L, T all) { return whole(all.global_store.sectors); }},
    {"atomic_requests", "atomic requests", [](L, T all) { return whole(all.global_atomic.requests); }},
    {"atomic_sectors", "atomic sectors", [](L, T all) { return whole(all.global_atomic.sectors); }},
    {"shared_loads", "shared load requests", [](L, T all) { return whole(all.shared_load.requests); }},
    {"shared_stores", "shared store requests", [](L, T all) { return whole(all.shared_store.requests); }},
    {"shared_atomics", "shared atomic requests", [](L, T all) { return whole(all.shared_atomic.requests); }},
    {"texel_requests", "texture and surface requests", [](L, T all) { return whole(trace::texels(all).requests); }},
    {"wavefronts_per_shared_load", "wavefronts per shared load", [](L, T all) {
         return over(static_cast<double>(all.shared_load.wavefronts), static_cast<double>(all.shared_load.requests)); }},
    {"wavefronts_per_shared_atomic", "wavefronts per shared atomic", [](L, T all) {
         return over(static_cast<double>(all.shared_atomic.wavefronts), static_cast<double>(all.shared_atomic.requests)); }},
    {"lanes_per_shared_load", "active lanes per shared load", [](L, T all) {
         return over(static_cast<double>(all.shared_load.lanes), static_cast<double>(all.shared_load.requests)); }},
    {"branches", "branches", [](L, T all) { return whole(all.branches); }},
    {"divergent_branches", "divergent branches", [](L, T all) { return whole(all.divergent_branches); }},
    {"divergent_share", "of the branches diverge", [](L, T all) {
         return over(static_cast<double>(all.divergent_branches), static_cast<double>(all.branches)); }},
    {"items", "items", [](L one, T) { return Value{one.work.items}; }},
    {"threads", "threads", [](L one, T) { return whole(one.trace.grid.count() * one.trace.block.count()); }},
    {"blocks", "blocks", [](L one, T) { return whole(one.trace.grid.count()); }},
    {"shared_bytes", "bytes of shared memory per block", [](L one, T) {
         return whole(one.static_shared_bytes + one.dynamic_shared_bytes); }},
    {"request_sectors", "sectors of one load", [](L one, T) { return whole(request_of(one.trace).sectors.size()); }},
    {"request_lines", "lines of one load", [](L one, T) { return whole(request_of(one.trace).lines.size()); }},
    {"used_of_sectors", "of the bytes in the sectors of one load are used", [](L one, T) {
         const Request request = request_of(one.trace);
         return over(static_cast<double>(request.bytes.size()), 32.0 * static_cast<double>(request.sectors.size())); }},
    {"used_of_lines", "of the bytes in the lines of one load are used", [](L one, T) {
         const Request request = request_of(one.trace);
         return over(static_cast<double>(request.bytes.size()), 128.0 * static_cast<double>(request.lines.size())); }},
    {"from_l1", "sectors from L1, cold caches", from<&trace::Served::l1>},
    {"from_l2", "sectors from L2, cold caches", from<&trace::Served::l2>},
    {"from_dram", "sectors from DRAM, cold caches", from<&trace::Served::dram>},
    {"from_l1_warm", "sectors from L1, warm caches", from<&trace::Served::l1>},
    {"from_l2_warm", "sectors from L2, warm caches", from<&trace::Served::l2>},
    {"from_dram_warm", "sectors from DRAM, warm caches", from<&trace::Served::dram>},
    {"dram_writes", "sectors written to DRAM, cold caches", [](L one, T) { return whole(one.dram_writes); }},
    {"dram_writes_warm", "sectors written to DRAM, warm caches", [](L one, T) { return whole(one.dram_writes); }},
    {"host_bytes", "bytes per frame through the host", [](L launch, T) {
        return of_frame(launch, [](const auto& one) { return static_cast<double>(one.bytes); }); }},
    {"registrations", "registrations per frame", [](L launch, T) {
        return of_frame(launch, [](const auto& one) {
            return one.unit == labs::Timeline::Unit::registration ? 0.5 : 0.0; }); }}, // with its end
    {"number", "", [](L one, T) { return Value{one.number}; }},
    {"correct", "(1: the result is right)", [](L one, T) { return Value{one.correct ? 1.0 : 0.0}; }},
    {"faults", "(1: the launch ends in a fault)", [](L one, T) { return Value{one.faulted ? 1.0 : 0.0}; }},
};

constexpr std::string_view frame_time = "frame_us"; // recorded with the timeline of a step that draws

bool is_of_frame(std::string_view id)
{
    return id == "host_bytes" || id == "registrations";
}

struct RecordedMetric {
    std::string_view id;
    std::string_view unit;
    double (*of)(const Measured& measured);
};
constexpr RecordedMetric recorded[] = {
    {"time_ms", "ms", [](const Measured& one) { return one.median_ms; }},
    {"time_us", "µs", [](const Measured& one) { return one.median_ms * 1e3; }},
    {"gb_per_s", "GB/s", [](const Measured& one) { return one.gb_per_s; }},
    {"gitems_per_s", "billion items per second", [](const Measured& one) { return one.giga_items_per_s; }},
    {frame_time, "µs per frame", nullptr},
};
// clang-format on

template <class Table>
auto* row(Table& table, std::string_view id)
{
    const auto found = std::ranges::find_if(table, [&](const auto& one) { return one.id == id; });
    return found == std::end(table) ? nullptr : &*found;
}

// Splits at commas outside quotes.
std::vector<std::string_view> parts_of(std::string_view text)
{
    std::vector<std::string_view> parts;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '"') quoted = !quoted;
        if (i < text.size() && (quoted || text[i] != ',')) continue;
        parts.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return parts;
}

void read_argument(Quantity& quantity, std::string_view part, bool is_recorded)
{
    const auto number = [&](std::string_view text) {
        std::uint32_t value = 0;
        for (const char c : text) {
            if (!std::isdigit(static_cast<unsigned char>(c)) || value > 99'999'999)
                throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is not a warp.", part),
                            "Write it as warp 3.");
            value = value * 10 + static_cast<std::uint32_t>(c - '0');
        }
        return value;
    };
    if (is_recorded && (part == "l2" || part == "dram")) {
        quantity.size = part;
    } else if (!is_recorded && part.starts_with("line ")) {
        std::string_view text = trimmed(part.substr(5));
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
            text = text.substr(1, text.size() - 2);
        quantity.line = line_holding(*quantity.lab, *quantity.variant, text);
    } else if (!is_recorded && part.starts_with("warp ")) {
        quantity.warp = number(trimmed(part.substr(5)));
    } else if (quantity.metric == "number" && part.size() > 2 && part.front() == '"' &&
               part.back() == '"') {
        quantity.expression = part.substr(1, part.size() - 2);
    } else if (const std::size_t equals = part.find('=');
               (!is_recorded || quantity.metric == frame_time) &&
               equals != std::string_view::npos) {
        labs::Values values(*quantity.lab);
        const std::string id(trimmed(part.substr(0, equals)));
        values.set(id, trimmed(part.substr(equals + 1)));
        quantity.values[id] = values.text(id);
    } else {
        throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is not recognised.", part),
                    is_recorded
                        ? "A recorded time is for l2 or dram, with the values it was recorded with."
                        : "It may be name=value, line \"text\" or warp N.");
    }
}

const Measured& measured_of(const Measurements& all, const Quantity& quantity)
{
    const auto found = std::ranges::find_if(all.times, [&](const Measured& one) {
        return one.lab == quantity.lab->id && !one.is_peer && one.variant == quantity.variant->id &&
               one.size == quantity.size;
    });
    if (found == all.times.end())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("No time was recorded for {}/{} at size {}.", quantity.lab->id,
                                quantity.variant->id, quantity.size),
                    "\"lanescope bench --record\" records times on a GPU.");
    return *found;
}

// The recorded timeline of the quantity's variant at its values.
const MeasuredTimeline& frames_of(const Measurements& all, const Quantity& quantity)
{
    labs::Values values(*quantity.lab);
    for (const auto& [id, text] : quantity.values) values.set(id, text);
    const auto fits = [&](const MeasuredTimeline& one) {
        return one.timeline.lab == quantity.lab->id &&
               one.timeline.variant == quantity.variant->id && one.timeline.frames > 0 &&
               std::ranges::all_of(one.timeline.values, [&](const auto& value) {
                   return values.text(value.first) == value.second;
               });
    };
    const auto found = std::ranges::find_if(all.timelines, fits);
    if (found == all.timelines.end())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("No frames were recorded for {}/{} with these values.",
                                quantity.lab->id, quantity.variant->id),
                    "\"lanescope bench --record\" records them on a GPU.");
    return *found;
}

std::string values_text(const Quantity& quantity)
{
    std::string words = quantity.lab->id + '/' + quantity.variant->id;
    for (const auto& [id, text] : quantity.values) words += fmt::format(", {} {}", id, text);
    return words;
}

} // namespace

int line_holding(const labs::Lab& lab, const labs::Variant& variant, std::string_view text)
{
    const std::string_view source = lab.source(variant);
    const std::size_t at = text.empty() ? std::string_view::npos : source.find(text);
    if (at == std::string_view::npos)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("No line of {} contains \"{}\".", variant.source, text),
                    "Copy the text from a line of the source.");
    return 1 + static_cast<int>(std::ranges::count(source.substr(0, at), '\n'));
}

std::vector<MetricText> all_metrics()
{
    std::vector<MetricText> all;
    for (const Metric& metric : counted)
        all.push_back({std::string(metric.id), std::string(metric.unit), false});
    for (const RecordedMetric& metric : recorded)
        all.push_back({std::string(metric.id), std::string(metric.unit), true});
    return all;
}

namespace {

// The contents of the caches before the step, for metrics of the model of the caches.
std::optional<caches::Before> caches_before(std::string_view id)
{
    if (!id.starts_with("from_") && !id.starts_with("dram_writes")) return {};
    return id.ends_with("_warm") ? caches::Before::warm : caches::Before::cold;
}

// Metrics that need more than counts: a request that is watched, a check, an expression, caches.
bool needs_more(std::string_view id)
{
    return caches_before(id) || is_of_frame(id) || id.starts_with("request_") ||
           id.starts_with("used_of_") || id == "number" || id == "correct" || id == "faults";
}

} // namespace

std::vector<std::string> counted_ids()
{
    std::vector<std::string> ids;
    for (const Metric& metric : counted)
        if (!needs_more(metric.id)) ids.emplace_back(metric.id);
    return ids;
}

std::map<std::string, double> counted_values(const trace::Trace& trace, const labs::Work& work,
                                             std::size_t shared_bytes)
{
    const Launch launch{.trace = trace, .work = work, .static_shared_bytes = shared_bytes};
    const trace::Totals totals = trace.totals();
    std::map<std::string, double> values;
    for (const Metric& metric : counted)
        if (!needs_more(metric.id))
            if (const Value value = metric.of(launch, totals))
                values[std::string(metric.id)] = *value;
    return values;
}

Named named_lab(std::string_view text)
{
    const std::size_t slash = text.rfind('/');
    const labs::Lab& lab = labs::find(text.substr(0, slash));
    if (slash == std::string_view::npos) return {&lab, nullptr};
    return {&lab, &labs::find_variant(lab, text.substr(slash + 1))};
}

Quantity read_quantity(std::string_view metric, std::string_view arguments, const FindNamed& find)
{
    const bool is_recorded = row(recorded, metric) != nullptr;
    if (!is_recorded && !row(counted, metric)) {
        std::vector<std::string> ids;
        for (const MetricText& one : all_metrics()) ids.push_back(one.id);
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no metric \"{}\".", metric),
                    fmt::format("Available: {}.", fmt::join(ids, ", ")));
    }
    const auto parts = parts_of(arguments);
    Quantity quantity;
    quantity.metric = metric;
    const auto refuse = [&] {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}({}) names no variant.", metric, arguments),
                    "Write it as METRIC(LAB/VARIANT).");
    };
    if (parts.front().find('/') == std::string_view::npos) refuse();
    const Named named = find(trimmed(parts.front()));
    if (!named.variant) refuse();
    quantity.lab = named.lab;
    quantity.variant = named.variant;
    quantity.held = labs::held(*named.lab);
    for (std::size_t i = 1; i < parts.size(); ++i) read_argument(quantity, parts[i], is_recorded);
    if (metric == "number" && quantity.expression.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}({}) does not say which number.", metric, arguments),
                    "Put a value of the record, or an expression over its values, in quotes.");
    if (is_recorded) {
        const auto all = shown_measurements(false);
        if (quantity.size.empty()) quantity.size = "l2";
        if (all && metric == frame_time)
            frames_of(*all, quantity);
        else if (all)
            measured_of(*all, quantity);
    } else if (!quantity.variant->runs_on(device::Engine::simt)) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}/{} does not run without a GPU, so it has no counts.",
                                quantity.lab->id, quantity.variant->id),
                    "Name another variant.");
    }
    return quantity;
}

class Measurer::Launches {
public:
    explicit Launches(int threads)
        : device_(simt::make_device(simt::Options{.threads = threads})), plain_(*device_)
    {
    }

    Answer find(const Quantity& quantity)
    {
        if (quantity.recorded()) {
            const auto all = shown_measurements(false);
            if (!all)
                throw Error(ExitStatus::no_such_thing, "No recorded times are loaded.",
                            "Open a file that `bench --record` wrote.");
            if (quantity.metric == frame_time) {
                const MeasuredTimeline& frames = frames_of(*all, quantity);
                return {frames.timeline.frame_ms * 1e3, frames.on.words()};
            }
            const Measured& one = measured_of(*all, quantity);
            return {row(recorded, quantity.metric)->of(one), one.on.words(), one.samples};
        }
        const Launch& launch = launch_of(quantity);
        const Value value = row(counted, quantity.metric)->of(launch, totals_of(launch, quantity));
        if (!value)
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("{} executed nothing that {} counts.", values_text(quantity),
                                    quantity.metric),
                        "Name another metric or variant.");
        if (caches_before(quantity.metric))
            return {*value, fmt::format("modelled: caches of an {}", gpu().name)};
        return {*value, quantity.expression.empty() ? "counted" : "computed"};
    }

    void cancel() noexcept { device_->cancel(); }

private:
    const Launch& launch_of(const Quantity& quantity)
    {
        const std::string key =
            fmt::format("{} {}; {} {} {} {}", quantity.lab->place, values_text(quantity),
                        quantity.line, quantity.warp, own_launch(quantity), quantity.expression);
        const auto known = launches_.find(key);
        if (known != launches_.end()) return known->second;
        if (launches_.size() > max_kept) launches_.clear();
        return launches_.emplace(key, count(quantity)).first->second;
    }

    Launch count(const Quantity& quantity)
    {
        labs::Values values(*quantity.lab);
        for (const auto& [id, text] : quantity.values) values.set(id, text);
        const auto experiment = quantity.lab->start(
            {*device_, plain_, *quantity.lab, *quantity.variant, values, 1, {}});
        Launch launch;
        if (!quantity.expression.empty()) {
            launch.number = experiment->number(quantity.expression);
            return launch;
        }
        if (is_of_frame(quantity.metric)) {
            experiment->step();
            const labs::Picture picture = experiment->picture(
                quantity.lab->view_of_kind(*quantity.variant, labs::ViewKind::timeline));
            const auto* const shown = std::get_if<labs::TimelinePicture>(&picture);
            if (shown && shown->timeline->frames > 0) launch.frames = *shown->timeline;
            return launch;
        }
        launch.trace.per_warp = false;
        const labs::Experiment::Shape shape = experiment->shape();
        if (shape.kernel) {
            const ptx::Module module = ptx::parse(quantity.lab->ptx(*quantity.variant));
            // The first launch of a step may be a kernel of another file.
            std::string kernel(shape.kernel->name());
            if (module.find_function(kernel) == nullptr) kernel = quantity.variant->kernel;
            launch.trace.request.site = first_load(ptx::sites_of(module, kernel).sites, quantity);
            launch.trace.request.warp = quantity.warp;
            launch.static_shared_bytes = shape.kernel->attributes().static_shared_bytes;
            launch.dynamic_shared_bytes = shape.dynamic_shared_bytes;
        }
        const auto before = caches_before(quantity.metric);
        std::optional<RecordedAccesses> accesses;
        if (before) accesses.emplace(*device_, quantity.metric);
        try {
            experiment->step(&launch.trace);
            if (before) follow(launch, accesses->launches(), *before, quantity);
            launch.work = experiment->work_per_launch();
            if (quantity.metric == "correct") launch.correct = experiment->check().correct;
        } catch (const device::KernelFault&) {
            if (quantity.metric != "faults") throw;
            launch.faulted = true;
        }
        return launch;
    }

    static const counting::Gpu& gpu() { return counting::gpu_named("H100"); }

    static void follow(Launch& launch, const caches::Recordings& launches, caches::Before before,
                       const Quantity& quantity)
    {
        const CacheReport report = follow_caches(launches, launch.trace, gpu(), before);
        if (!report.unavailable.empty())
            throw Error(ExitStatus::bad_usage, values_text(quantity) + ": " + report.unavailable,
                        "Caches are followed at sizes that a picture of them can show.");
        for (std::size_t i = 0; i < report.sites.size(); ++i)
            if (concerns(launch.trace.sites[i], quantity)) launch.served += report.sites[i];
        launch.dram_writes = report.result.traffic.dram_writes;
    }

    // Not empty if it needs more than the launch's counts, or expects a fault.
    static std::string own_launch(const Quantity& quantity)
    {
        if (const auto before = caches_before(quantity.metric)) return std::string(name(*before));
        if (quantity.metric == "correct" || quantity.metric == "faults" ||
            is_of_frame(quantity.metric))
            return quantity.metric;
        return {};
    }

    static bool concerns(const trace::Site& site, const Quantity& quantity)
    {
        return quantity.line == 0 ||
               (site.line == quantity.line && site.file.ends_with(quantity.variant->source));
    }

    static int first_load(std::span<const trace::Site> sites, const Quantity& quantity)
    {
        for (std::size_t i = 0; i < sites.size(); ++i)
            if (sites[i].op == trace::Op::load && sites[i].space == trace::Space::global &&
                concerns(sites[i], quantity))
                return static_cast<int>(i);
        return -1;
    }

    // Totals of the quantity's line, if it has one, else of the launch.
    static trace::Totals totals_of(const Launch& launch, const Quantity& quantity)
    {
        if (quantity.line == 0) return launch.trace.totals();
        trace::Trace part = launch.trace;
        for (std::size_t i = 0; i < part.counts.size(); ++i)
            if (!concerns(part.sites[i % part.sites.size()], quantity)) part.counts[i] = {};
        return part.totals();
    }

    static constexpr std::size_t max_kept = 200;
    std::unique_ptr<device::Device> device_;
    device::PlainAllocator plain_;
    std::map<std::string, Launch> launches_;
};

Measurer::Measurer(int threads) : launches_(std::make_unique<Launches>(threads)) {}
Measurer::~Measurer() = default;

Answer Measurer::find(const Formula& formula)
{
    std::vector<double> values;
    std::vector<std::string> origins;
    std::map<std::string, std::set<int>> samples; // by origin
    for (const Quantity& quantity : formula.quantities()) {
        const Answer one = launches_->find(quantity);
        values.push_back(one.value);
        if (std::ranges::find(origins, one.origin) == origins.end()) origins.push_back(one.origin);
        if (one.samples > 0) samples[one.origin].insert(one.samples);
    }
    for (std::string& origin : origins)
        if (const auto found = samples.find(origin); found != samples.end())
            origin += fmt::format(", median{} of {}", found->second.size() > 1 ? "s" : "",
                                  fmt::join(found->second, " and "));
    return {formula.value(values), fmt::format("{}", fmt::join(origins, "; "))};
}

void Measurer::cancel() noexcept
{
    launches_->cancel();
}

} // namespace lanescope::app
