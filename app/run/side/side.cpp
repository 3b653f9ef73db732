// One experiment on screen: steps, counts and times it on the worker's thread.
#include "app/run/side/side.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/document/editing/workbench.h"
#include "app/measure/per_step.h"
#include "compute/experiment/record/layout.h"
#include "compute/trace/ratios.h"

namespace lanescope::app {

namespace {

std::shared_ptr<const Recent> recent(const History& history)
{
    if (history.empty()) return {};
    return std::make_shared<const Recent>(Recent{history.spread(), history.slices()});
}

Spread spread_in(const std::map<std::string, MeasuredLive::VariantData>& all,
                 const std::string& variant, History MeasuredLive::VariantData::*which)
{
    const auto found = all.find(variant);
    return found == all.end() ? Spread{} : (found->second.*which).spread();
}

} // namespace

void MeasuredLive::forget_counts()
{
    for (auto& [id, one] : variants) {
        one.totals.reset();
        one.warp_instructions = {};
        one.sectors = {};
        one.is_new = true;
    }
}

void MeasuredLive::forget_outdated_times()
{
    if (!std::exchange(times_outdated, false)) return;
    for (auto& [id, one] : variants) {
        one.step_ms = {};
        one.probed_ms = {};
        one.is_new = true;
    }
}

std::map<std::string, VariantFrame> MeasuredLive::frame()
{
    std::map<std::string, VariantFrame> all;
    for (auto& [id, one] : variants) {
        if (std::exchange(one.is_new, false))
            one.frame = {one.work,
                         one.totals,
                         recent(one.step_ms),
                         recent(one.probed_ms),
                         recent(one.warp_instructions),
                         recent(one.sectors)};
        all.emplace(id, one.frame);
    }
    return all;
}

Spread MeasuredLive::step_ms(const std::string& variant) const
{
    return spread_in(variants, variant, &VariantData::step_ms);
}

Spread MeasuredLive::probed_ms(const std::string& variant) const
{
    return spread_in(variants, variant, &VariantData::probed_ms);
}

void MeasuredLive::add_counts(const labs::Variant& variant, const trace::Trace& trace)
{
    if (trace.sites.empty()) return;
    VariantData& one = variants[variant.id];
    one.totals = trace.totals();
    const auto average_per_step = [&](std::uint64_t launch_count) {
        return static_cast<double>(launch_count) / variant.steps;
    };
    one.warp_instructions.add(average_per_step(one.totals->warp_instructions));
    one.sectors.add(average_per_step(trace::global(*one.totals).sectors));
    one.is_new = true;
}

// The part of the record that defines the correct result of a variant, without the tolerance.
std::string result_definition(const labs::Lab& lab, const labs::Variant& variant)
{
    using nlohmann::json;
    json record;
    try {
        record = json(labs::record_json(lab.file("lab.json")));
    } catch (const Error&) {
        return {}; // created by code, not read from a folder
    }
    json check = record.value("check", json::object());
    for (const json& one : record.at("variants"))
        if (one.at("id") == variant.id && one.contains("check")) {
            if (one["check"].contains("each")) check.erase("reference");
            check.merge_patch(one["check"]);
        }
    for (const char* nearness : {"tolerance", "reason", "of"}) check.erase(nearness);
    return (variant.wrong ? "not " : "") + check.dump();
}

namespace {

Facts facts_of(labs::Experiment& experiment, const labs::Variant& variant, SharedDevice& shared)
{
    Facts facts;
    facts.steps = experiment.steps();
    facts.work = per_step(experiment.work_per_launch(), variant.steps);
    facts.steps_per_frame = experiment.steps_per_frame();
    facts.warning = experiment.warning();
    for (auto& memory : experiment.memory()) facts.memory.push_back(std::move(memory.name));
    const labs::Experiment::Shape shape = experiment.shape();
    facts.grid = shape.grid;
    facts.block = shape.block;
    facts.launches_per_step = shape.launches_per_step;
    if (!shape.kernel) return facts;
    const device::KernelAttributes attributes = shape.kernel->attributes();
    KernelNeeds& needs = facts.kernel;
    needs.name = shape.kernel->name();
    needs.registers = attributes.registers;
    needs.shared_bytes = static_cast<int>(attributes.static_shared_bytes) +
                         static_cast<int>(shape.dynamic_shared_bytes);
    needs.threads = static_cast<int>(shape.block.count());
    needs.compiled = shared.has_clock();
    const device::Properties& device = shared.device().properties();
    const auto limits = counting::multiprocessor_limits(device.compute_major, device.compute_minor);
    if (limits && needs.compiled)
        needs.occupancy =
            counting::occupancy(*limits, needs.threads, needs.registers, needs.shared_bytes);
    return facts;
}

} // namespace

Side::Side(SharedDevice& shared, const Journal& journal, MeasuredLive& measured)
    : shared_(shared), measured_(measured), lab_(labs::find(journal.start.lab)), replay_(journal),
      start_(std::make_shared<const Start>(journal.start)),
      published_events_(std::make_shared<const std::vector<Event>>()),
      variant_(&labs::find_variant(lab_, journal.start.variant)),
      right_(result_definition(lab_, *variant_)), values_(start_values(lab_, journal.start)),
      map_(shared.device(), shared.sharing()), memory_map_(shared.device(), shared.sharing()),
      tiles_(shared.device()), requests_(lab_), times_(shared.device())
{
    experiment_ = lab_.start({shared.device(), shared.shown(), lab_, *variant_, values_,
                              journal.start.seed, journal.start.image});
    judge();
    facts_ = facts_of(*experiment_, *variant_, shared_);
}

void Side::judge()
{
    judged_ = {};
    const auto& cost = lab_.opens.cost;
    if (!cost) return;
    if (!cost->value.empty()) judged_.value = experiment_->number(cost->value);
    if (!cost->ideal.empty()) judged_.ideal = experiment_->number(cost->ideal);
}

void Side::apply_now(const Event& event)
{
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what)) {
        experiment_->paint(*stroke);
    } else if (const auto* change = std::get_if<ParameterChange>(&event.what)) {
        values_.set(change->id, change->text);
        counts_ = {}; // the old trace belongs to other values
        requests_.forget_values();
        followed_.forget();
        measured_.forget_counts();
        experiment_->set(values_);
    } else {
        variant_ = &labs::find_variant(lab_, std::get<VariantChange>(event.what).id);
        right_ = result_definition(lab_, *variant_);
        times_.end();
        counts_ = {}; // the old trace's sites belong to another kernel
        requests_.forget_warp();
        followed_.forget();
        experiment_->select(*variant_);
    }
    judge();
    events_.push_back(event);
}

Journal Side::fresh_journal(const std::string& variant) const
{
    labs::Values values = values_;
    for (const Change& change : pending_)
        if (const auto* set = std::get_if<ParameterChange>(&change)) values.set(set->id, set->text);
    Journal journal{*start_, {}, 0};
    journal.start.variant = variant;
    journal.start.parameters = as_texts(lab_, values);
    return journal;
}

void Side::apply_due()
{
    while (replayed_ < replay_.events.size() && replay_.events[replayed_].step <= launches_)
        apply_now(replay_.events[replayed_++]);
    while (!replaying() && !pending_.empty()) {
        const Event event{launches_, std::move(pending_.front())};
        pending_.pop_front();
        apply_now(event);
    }
}

// Steps below 20 µs are timed in batches, because the clock resolves 0.5 µs.
void Side::step()
{
    constexpr double short_ms = 0.02;
    constexpr int batch = 16;
    const bool timed = times_.begin(variant_->id, false);
    std::optional<trace::Trace> doubts; // without a trace to record them, warnings end a step
    if (shared_.tolerates_first_run_warnings() && variant_->fault.empty())
        doubts.emplace().per_warp = false;
    experiment_->step(doubts ? &*doubts : nullptr);
    ++launches_;
    if (!timed) return;
    const Spread known = measured_.step_ms(variant_->id);
    const bool is_short = known.count > 0 && known.median * variant_->steps < short_ms;
    const int wanted = is_short ? batch : 1;
    if (times_.add_launch() >= wanted) times_.end();
}

std::optional<RequestChoice> Side::counted_request() const
{
    const trace::WatchedRequest& request = counts_.trace->request;
    if (!counts_.counting.request || request.active == 0) return {};
    RequestChoice counted = *counts_.counting.request;
    counted.site = request.site;
    counted.variant = variant_->id;
    return counted;
}

trace::Trace Side::asked(const Counting& wanted)
{
    trace::Trace trace;
    if (wanted.request) requests_.ask(*wanted.request, variant_->id, *counts_.trace, trace.request);
    if (wanted.tree) {
        const std::uint64_t warps = (experiment_->shape().block.count() + 31) / 32;
        trace.lanes.block = static_cast<std::uint64_t>(*wanted.tree) / warps;
        trace.lanes.max_events = trace::default_max_events;
    }
    if (wanted.sass)
        trace.assembler = [this](std::string_view ptx, std::string_view kernel) {
            return assembling_.of(ptx, kernel);
        };
    trace.warp_scope = wanted.map_of;
    if (wanted.map) map_.ask(*experiment_, trace, shared_.shown());
    if (wanted.memory) memory_map_.ask(*experiment_, *wanted.memory, trace, shared_.shown());
    if (counts_tiles(wanted)) tiles_.ask(*experiment_, view_, *wanted.request, trace);
    trace.keep_on_device =
        shared_.device().engine() == device::Engine::cuda && !wanted.sites && !wanted.request;
    return trace;
}

namespace {

using Arrays = std::vector<labs::Experiment::Memory>;

// The array that contains the first active lane's address.
std::optional<RequestedMemory> array_of(const trace::WatchedRequest& request, const Arrays& arrays)
{
    if (request.active == 0 || request.space != trace::Space::global) return {};
    const auto lane = static_cast<std::size_t>(std::countr_zero(request.active));
    const std::uint64_t address = request.addresses[lane];
    for (const labs::Experiment::Memory& one : arrays) {
        const std::uint64_t begins = one.buffer->address();
        if (address >= begins && address < begins + one.buffer->bytes())
            return RequestedMemory{one.name, begins};
    }
    return {};
}

} // namespace

DebugStart Side::replay_start() const
{
    return {.lab = &lab_,
            .variant = variant_,
            .values = start_values(lab_, *start_),
            .seed = start_->seed,
            .image = start_->image,
            .launches_before = shown_launch() - 1,
            .first = &labs::find_variant(lab_, start_->variant),
            .events = events_};
}

// Launches, and follows the launch through the caches of the simulated GPU.
std::shared_ptr<const trace::ServedBy>
Side::follow(caches::Before before, const trace::Trace& trace, const std::function<void()>& launch)
{
    constexpr std::uint64_t max_words = std::uint64_t{1} << 24; // 128 MiB
    device::Device& device = shared_.device();
    if (device.engine() != device::Engine::simt) {
        launch();
        trace::ServedBy unknown;
        unknown.unavailable =
            "Only simt follows accesses through the caches: a model, not counters of this GPU.";
        return std::make_shared<const trace::ServedBy>(std::move(unknown));
    }
    const RecordedAccesses recorded(device, "The map", max_words);
    launch();
    return served_by(
        followed_.follow(recorded.launches(), trace, counting::simulated_gpu(), before));
}

// Counts a step or, with `steps` false, one more launch. A kernel that cannot be probed runs
// unprobed, with the reason in `problem`; faults propagate.
Side::Counted Side::counted_launch(const Counting& wanted, bool steps)
{
    try {
        const bool open =
            wanted.request && (wanted.request->site < 0 || wanted.request->variant != variant_->id);
        if (open && counts_.trace->sites.empty() && !records_tiles(wanted)) {
            // The site with most excess, or with the chosen role, is not known yet. Tiles cover all
            // sites, so they are shown at once; the next launch also records the request.
            trace::Trace first;
            experiment_->recount(first);
            counts_.trace = std::make_shared<const trace::Trace>(std::move(first));
        }
        Counted counted{.trace = asked(wanted)};
        trace::Trace& trace = counted.trace;
        const auto launch = [&] {
            if (steps)
                experiment_->step(&trace);
            else
                experiment_->recount(trace);
        };
        if (wanted.caches) {
            counted.served = follow(*wanted.caches, trace, launch);
        } else {
            followed_.forget();
            launch();
        }
        if (wanted.request) requests_.find(*wanted.request, variant_->id, *experiment_, trace);
        return counted;
    } catch (const device::KernelFault&) {
        throw;
    } catch (const Error& error) {
        if (steps) experiment_->step();
        return {.problem = error.what()};
    }
}

bool Side::counts_tiles(const Counting& wanted) const
{
    return wanted.request && lab().kind_of_view(view_) == labs::ViewKind::tiles;
}

bool Side::records_tiles(const Counting& wanted) const
{
    return counts_tiles(wanted) && shared_.device().engine() == device::Engine::simt;
}

void Side::count(const Work& work, bool steps)
{
    const Counting& wanted = work.counting;
    times_.end(); // timed sections contain only the plain kernel
    const bool timed = times_.begin(variant_->id, true);
    const auto memory = wanted.request ? experiment_->memory() : Arrays{};
    auto [trace, served, problem] = counted_launch(wanted, steps);
    if (timed) {
        times_.add_launch();
        times_.end();
    }
    if (steps) ++launches_;
    if (shared_.device().engine() == device::Engine::cuda) {
        try {
            simt_replay_.complete(replay_start(), view_, wanted, work.continues, trace);
        } catch (const Error& error) {
            problem = error.what();
        }
    }
    map_.take(trace, served.get(), shared_.shown());
    memory_map_.take(trace);
    tiles_.take(trace, shared_.shown());
    auto requested = array_of(trace.request, memory);
    std::shared_ptr<const trace::Exchange> exchange;
    if (trace.lanes.threads > 0)
        exchange = std::make_shared<const trace::Exchange>(trace::exchange_of(trace.lanes));
    trace.lanes = {};
    trace.assembler = {}; // the function refers to this side, which the trace may outlive
    Counting done = wanted;
    done.sass = trace.assembled != nullptr; // otherwise counted again once known
    // no site was known: try again
    if (trace.request.site < 0 && !trace.sites.empty()) done.request.reset();
    counts_ = {.trace = std::make_shared<const trace::Trace>(std::move(trace)),
               .served = std::move(served),
               .counting = std::move(done),
               .problem = std::move(problem),
               .requested = std::move(requested),
               .exchange = std::move(exchange)};
    measured_.add_counts(*variant_, *counts_.trace);
    counted_launch_ = shown_launch();
    tiles_lag_ = false;
}

void Side::show_counts_of_trial(const StepCost& cost)
{
    if (!cost.reduced.empty() || cost.values != as_texts(lab_, values_)) return;
    counts_ = {.trace = cost.trace, .from_trial = true};
}

void Side::work(const Work& work)
{
    try {
        advance(work);
    } catch (...) {
        try {
            facts_ = facts_of(*experiment_, *variant_, shared_);
        } catch (...) { // a lost device cannot be queried: keep the old facts
        }
        throw;
    }
}

void Side::advance(const Work& work)
{
    apply_due();
    if (!work.counting.map) map_.clear();
    if (!work.counting.memory) memory_map_.clear();
    if (!work.counting.request) tiles_.clear();
    view_ = work.view;
    run(work);
    MeasuredLive::VariantData& one = measured_.variants[variant_->id];
    one.work = per_step(experiment_->work_per_launch(), variant_->steps);
    one.is_new = true;
    picture_ = experiment_->picture(work.view);
    tiles_.complete(*picture_);
    facts_ = facts_of(*experiment_, *variant_, shared_);
}

void Side::run(const Work& work)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const bool replays = replaying();
    const auto tiles_may_lag = [&] {
        return work.continues && records_tiles(work.counting) && counts_.counting == work.counting;
    };
    for (std::int64_t done = 0; done < work.steps; ++done) {
        const bool late = work.budget && done > 0 && Clock::now() - begin > *work.budget;
        const bool last = late || done + 1 == work.steps;
        // Steps that a later round continues are not shown for long enough to be worth counting.
        const bool to_be_continued = replays && launches_ + 1 < replay_.steps;
        if (last && work.counting.any() && !to_be_continued && !tiles_may_lag()) {
            count(work, true);
        } else {
            step();
            tiles_lag_ = tiles_lag_ || (last && counts_tiles(work.counting));
        }
        if (replays) apply_due();
        if (late || (replays && !replaying())) break;
    }
    if (work.steps == 0 && work.counting.any()) count(work, false);
    times_.end();
}

bool Side::poll_times()
{
    return times_.poll([this](const StepTimes::Stretch& stretch, double ms) {
        MeasuredLive::VariantData& one = measured_.variants[stretch.variant];
        const double steps = stretch.launches * labs::find_variant(lab_, stretch.variant).steps;
        (stretch.probed ? one.probed_ms : one.step_ms).add(ms / steps);
        one.is_new = true;
    });
}

SideFrame Side::frame() const
{
    SideFrame frame;
    frame.lab = &lab_;
    frame.variant = variant_;
    frame.held = held_;
    frame.right = right_;
    if (picture_) frame.picture = drawn(*picture_, shared_.sharing());
    frame.facts = facts_;
    frame.judged = judged_;
    frame.replay = {std::min(launches_, replay_.steps), replay_.steps, replaying()};
    frame.start = start_;
    if (published_events_->size() != events_.size())
        published_events_ = std::make_shared<const std::vector<Event>>(events_);
    frame.events = published_events_;
    frame.launches = launches_;
    frame.counted = counts_.counting;
    frame.counted_in_trial = counts_.from_trial;
    frame.trace = counts_.trace;
    frame.served = counts_.served;
    frame.warp_map = map_.data();
    if (const auto& taken = memory_map_.taken())
        frame.memory = {taken->name,
                        taken->sectors,
                        memory_map_.data(render::SectorMetric::touches).counts,
                        memory_map_.data(render::SectorMetric::warps).counts,
                        taken->max_touches,
                        taken->max_warps,
                        taken->warps_counted,
                        taken->row_bytes};
    frame.requested = counts_.requested;
    frame.exchange = counts_.exchange;
    if (tiles_lag_)
        frame.recorded_step = counted_launch_ * variant_->steps;
    else if (simt_replay_.step() != shown_launch())
        frame.recorded_step = simt_replay_.step() * variant_->steps;
    frame.counting_problem = counts_.problem;
    return frame;
}

namespace {

struct NameOf {
    DrawnPicture& drawn;
    const render::Sharing& sharing;

    void operator()(labs::FieldPicture& field) const { buffer(field.values); }
    void operator()(labs::SurfacePicture& surface) const { buffer(surface.vertices); }
    void operator()(labs::BarsPicture& bars) const { buffer(bars.counts); }
    void operator()(labs::CurvePicture& curve) const { buffer(curve.vertices); }
    void operator()(labs::PointsPicture& points) const { buffer(points.vertices); }
    template <class Numbers>
    void operator()(Numbers&) const // host memory
    {
    }
    void operator()(labs::ImagePicture& picture) const
    {
        const auto image = std::exchange(picture.image, nullptr);
        drawn.memory = sharing.gl_texture(*image);
        drawn.image_width = image->width();
        drawn.image_height = image->height();
        drawn.grey = image->format() == device::Format::r8;
    }
    void operator()(labs::TilesPicture& tiles) const
    {
        if (tiles.counts) buffer(tiles.counts);
    }
    void buffer(std::shared_ptr<const device::Buffer>& memory) const
    {
        drawn.memory = sharing.gl_buffer(*std::exchange(memory, nullptr));
    }
};

} // namespace

DrawnPicture drawn(const labs::Picture& picture, const render::Sharing& sharing)
{
    DrawnPicture drawn{.shape = picture};
    std::visit(NameOf{drawn, sharing}, drawn.shape);
    return drawn;
}

std::int64_t launches_to_catch_up(const Side& side, const Side& leader)
{
    const std::int64_t missing = leader.steps() - side.steps();
    const std::int64_t stride = side.variant().steps;
    return std::max<std::int64_t>(0, (missing + stride - 1) / stride);
}

std::int64_t launches_together(const Side& leader, const Side& other, std::int64_t wanted)
{
    const std::int64_t a = leader.variant().steps;
    const std::int64_t common = std::lcm(a, static_cast<std::int64_t>(other.variant().steps));
    const std::int64_t target = leader.steps() + wanted * a;
    const std::int64_t rounded = (target + common - 1) / common * common;
    return (rounded - leader.steps() + a - 1) / a;
}

} // namespace lanescope::app
