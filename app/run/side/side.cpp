// One experiment on screen: steps, counts and times it on the worker's thread.
#include "app/run/side/side.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/document/editing/workbench.h"
#include "app/measure/per_step.h"
#include "compute/experiment/record/layout.h"
#include "compute/ptx/sites/sites.h"
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

Side::Side(SharedDevice& shared, const Journal& journal, MeasuredLive& measured)
    : shared_(shared), measured_(measured), lab_(labs::find(journal.start.lab)), replay_(journal),
      start_(std::make_shared<const Start>(journal.start)),
      published_events_(std::make_shared<const std::vector<Event>>()),
      variant_(&labs::find_variant(lab_, journal.start.variant)),
      right_(result_definition(lab_, *variant_)), values_(start_values(lab_, journal.start)),
      map_(shared.device(), shared.sharing()), memory_map_(shared.device(), shared.sharing()),
      tiles_(shared.device()), timer_(shared.device().timer())
{
    experiment_ = lab_.start({shared.device(), shared.shown(), lab_, *variant_, values_,
                              journal.start.seed, journal.start.image});
    judge();
    facts_ = facts();
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
        median_ = {};
        followed_.forget();
        measured_.forget_counts();
        stand_in_.reset();
        experiment_->set(values_);
    } else {
        variant_ = &labs::find_variant(lab_, std::get<VariantChange>(event.what).id);
        right_ = result_definition(lab_, *variant_);
        end_stretch();
        counts_ = {}; // the old trace's sites belong to another kernel
        median_ = {};
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

// Returns false without a clock, or if so much is pending that times would be lost.
bool Side::begin_stretch(bool probed)
{
    constexpr std::size_t max_pending_saves = 64; // well below the size of the timer's ring
    if (stretch_open_) return true;
    if (!timer_ || stretches_.size() >= max_pending_saves) return false;
    timer_->begin();
    stretches_.push_back({variant_->id, 0, probed});
    stretch_open_ = true;
    return true;
}

void Side::end_stretch()
{
    if (stretch_open_) timer_->end();
    stretch_open_ = false;
}

// Steps below 20 µs are timed in batches, because the clock resolves 0.5 µs.
void Side::step()
{
    constexpr double short_ms = 0.02;
    constexpr int batch = 16;
    const bool timed = begin_stretch(false);
    std::optional<trace::Trace> doubts; // without a trace to record them, warnings end a step
    if (shared_.tolerates_first_run_warnings() && variant_->fault.empty())
        doubts.emplace().per_warp = false;
    experiment_->step(doubts ? &*doubts : nullptr);
    ++launches_;
    if (!timed) return;
    const Spread known = measured_.step_ms(variant_->id);
    const bool is_short = known.count > 0 && known.median * variant_->steps < short_ms;
    const int wanted = is_short ? batch : 1;
    if (++stretches_.back().launches >= wanted) end_stretch();
}

namespace {

// Source lines with this kind of access, in program order. An unrolled loop has several sites for
// one line.
std::vector<int> lines_where(std::span<const trace::Site> sites,
                             const std::function<bool(const trace::Site&)>& like)
{
    std::vector<int> lines;
    for (const trace::Site& site : sites)
        if (like(site) && std::ranges::find(lines, site.line) == lines.end())
            lines.push_back(site.line);
    return lines;
}

// Atomics have the same role whether they return a value or not.
trace::Scope scope_of(const trace::Site& site)
{
    for (const trace::Scope scope :
         {trace::Scope::loads, trace::Scope::stores, trace::Scope::atomics})
        if (trace::covers(scope, site.op)) return scope;
    return trace::Scope::all;
}

// The site in `to` with the role of `site` in `from`: the n-th line with this kind of access to
// this memory; atomics match in any memory. -1 if there is none.
int matching_site(std::span<const trace::Site> from, int site, std::span<const trace::Site> to)
{
    if (site < 0 || site >= std::ssize(from)) return -1;
    const trace::Site& one = from[static_cast<std::size_t>(site)];
    const auto same_kind = [&](const trace::Site& other) {
        return other.op != trace::Op::branch && scope_of(other) == scope_of(one);
    };
    const auto same_kind_and_space = [&](const trace::Site& other) {
        return same_kind(other) && other.space == one.space;
    };
    std::function<bool(const trace::Site&)> like = same_kind_and_space;
    if (scope_of(one) == trace::Scope::atomics && std::ranges::none_of(to, like)) like = same_kind;
    const auto lines = lines_where(to, like);
    if (lines.empty()) return -1;
    const auto before = lines_where(from, like);
    const auto place = std::ranges::find(before, one.line) - before.begin();
    const int line = lines[std::min(static_cast<std::size_t>(place), lines.size() - 1)];
    const auto found = std::ranges::find_if(
        to, [&](const trace::Site& other) { return like(other) && other.line == line; });
    return static_cast<int>(found - to.begin());
}

} // namespace

const std::vector<trace::Site>& Side::sites_of(const std::string& variant)
{
    const auto [found, is_new] = sites_.try_emplace(variant);
    if (is_new)
        if (const labs::Variant* const known = lab_.find_variant(variant))
            found->second = ptx::sites_of(ptx::parse(lab_.ptx(*known)), known->kernel).sites;
    return found->second;
}

// The busiest load of modelled memory (texels, local memory) that the lab would show, if no fewer
// requests go there than to `other`; -1: there is none.
int Side::busier_modelled_site(int other) const
{
    const trace::Trace& trace = *counts_.trace;
    int busiest = -1;
    std::uint64_t requests = other < 0 ? 0 : trace.counts[static_cast<std::size_t>(other)].requests;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const std::uint64_t own = trace.counts[i].requests;
        if (!trace::is_modelled(site.space) || site.op != trace::Op::load || own == 0 ||
            own < requests || (busiest >= 0 && own == requests) ||
            !trace::covers(lab_.opens.request_of, site.op))
            continue;
        busiest = static_cast<int>(i);
        requests = own;
    }
    return busiest;
}

// The site that a choice refers to, in the last launch with counts per site. If the choice names no
// site: the site with the most excess traffic or, if none has any, memory that only a model counts
// if most requests go there, else the site that plays the same role as the last choice, else
// constant memory, else the site with the most requests. -1 if nothing has been counted yet.
int Side::site_of(const RequestChoice& choice)
{
    const trace::Trace& trace = *counts_.trace;
    const auto like = [&](const RequestChoice& other) {
        if (other.site < 0 || other.variant.empty()) return other.site;
        if (other.variant == variant_->id) return other.site;
        return matching_site(sites_of(other.variant), other.site, trace.sites);
    };
    if (const int site = like(choice); site >= 0) return site;
    if (trace.sites.empty()) return -1;
    int worst = -1;
    std::tuple<double, bool, std::uint64_t> highest{};
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (!may_be_shown(trace.sites[i])) continue;
        const std::tuple paid{trace.counts[i].excess(),
                              trace.sites[i].space == trace::Space::constant,
                              trace.counts[i].requests};
        if (worst >= 0 && paid <= highest) continue;
        worst = static_cast<int>(i);
        highest = paid;
    }
    if (std::get<0>(highest) <= 1) {
        if (const int site = busier_modelled_site(worst); site >= 0) return site;
        if (const int site = like(last_request_); site >= 0) return site;
    }
    return std::max(worst, 0);
}

// True if the request may be shown by default, that is, if it is of the lab's kind of access, or
// the kernel has no access of that kind.
bool Side::may_be_shown(const trace::Site& site) const
{
    const trace::Scope scope = lab_.opens.request_of;
    if (!trace::is_watchable(site)) return false;
    if (trace::covers(scope, site.op)) return true;
    return std::ranges::none_of(counts_.trace->sites, [&](const trace::Site& one) {
        return trace::is_watchable(one) && trace::covers(scope, one.op);
    });
}

double Side::worst_excess() const
{
    double max_excess = 0;
    const trace::Trace& trace = *counts_.trace;
    for (std::size_t i = 0; i < trace.counts.size(); ++i)
        if (may_be_shown(trace.sites[i]))
            max_excess = std::max(max_excess, trace.counts[i].excess());
    return max_excess;
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

// If the chosen warp makes no such request, selects one that exists: at the same access if any warp
// executes it, else at the access with the most requests; by a warp near the start or end of the
// launch.
void Side::find_request(const RequestChoice& wanted, trace::Trace& trace)
{
    trace::WatchedRequest& request = trace.request;
    if (request.active != 0) {
        last_request_ = {request.site, 0, 0, variant_->id};
        return;
    }
    const auto site = static_cast<std::size_t>(request.site);
    if (site >= trace.counts.size()) return;
    if (trace::is_modelled(trace.sites[site].space) && trace.counts[site].requests != 0) return;
    StandIn found{wanted, variant_->id, wanted};
    if (trace.counts[site].requests == 0) { // selects a different access
        const auto busiest = std::ranges::max_element(trace.counts, {}, &trace::Counts::requests);
        if (busiest->requests == 0) return;
        request.site = static_cast<int>(busiest - trace.counts.begin());
        request.seen = 0;
    }
    const std::uint64_t own = trace.grid.count() * ((trace.block.count() + 31) / 32);
    const std::uint64_t warps = std::max<std::uint64_t>(own, trace.warps.size());
    constexpr std::uint64_t near = 8;
    std::vector<RequestChoice> others;
    if (request.seen > 0)
        others.push_back({request.site, static_cast<std::int64_t>(request.warp), request.seen - 1});
    for (std::uint64_t warp = 0; warp < std::min(near, warps); ++warp) {
        others.push_back({request.site, static_cast<std::int64_t>(warp), 0});
        others.push_back({request.site, static_cast<std::int64_t>(warps - 1 - warp), 0});
        if (own + warp < warps) // in the first device-side launch
            others.push_back({request.site, static_cast<std::int64_t>(own + warp), 0});
    }
    for (const RequestChoice& other : others) {
        trace::Trace again;
        again.request.site = other.site;
        again.request.warp = static_cast<std::uint32_t>(other.warp);
        again.request.occurrence = static_cast<std::uint32_t>(other.request);
        experiment_->recount(again);
        if (again.request.active == 0) continue;
        request = again.request;
        found.counted = other;
        break;
    }
    stand_in_ = std::move(found);
}

// A warp whose traffic in the site's memory is the median over the warps of the last counted launch
// that have any: the first such warp. It stays the same until variant or parameters change.
std::uint32_t Side::median_warp(int site)
{
    const trace::Trace& trace = *counts_.trace;
    if (site < 0 || static_cast<std::size_t>(site) >= trace.sites.size()) return 0;
    if (median_ && median_->site == site) return median_->warp;
    const bool shared = trace.sites[static_cast<std::size_t>(site)].space == trace::Space::shared;
    const auto paid = [shared](const trace::WarpCounts& warp) {
        return shared ? warp.shared_wavefronts : warp.global_sectors;
    };
    std::vector<std::uint64_t> costs;
    for (const trace::WarpCounts& warp : trace.warps)
        if (paid(warp) != 0) costs.push_back(paid(warp));
    if (costs.empty()) return 0;
    const auto middle = costs.begin() + static_cast<std::ptrdiff_t>((costs.size() - 1) / 2);
    std::ranges::nth_element(costs, middle);
    const auto found = std::ranges::find(trace.warps, *middle, paid);
    median_ = MedianWarp{site, static_cast<std::uint32_t>(found - trace.warps.begin())};
    return median_->warp;
}

trace::Trace Side::asked(const Counting& wanted)
{
    trace::Trace trace;
    if (wanted.request) {
        const bool known =
            stand_in_ && stand_in_->wanted == *wanted.request && stand_in_->variant == variant_->id;
        const RequestChoice& choice = known ? stand_in_->counted : *wanted.request;
        trace.request.site = site_of(choice);
        trace.request.warp = choice.warp < 0 ? median_warp(trace.request.site)
                                             : static_cast<std::uint32_t>(choice.warp);
        trace.request.occurrence = static_cast<std::uint32_t>(choice.request);
    }
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
        if (wanted.request && !(stand_in_ && stand_in_->wanted == *wanted.request &&
                                stand_in_->variant == variant_->id))
            find_request(*wanted.request, trace);
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

bool Side::tiles_may_lag(const Work& work) const
{
    return work.continues && records_tiles(work.counting) && counts_.counting == work.counting;
}

void Side::count(const Work& work, bool steps)
{
    const Counting& wanted = work.counting;
    end_stretch(); // timed sections contain only the plain kernel
    const bool timed = begin_stretch(true);
    const auto memory = wanted.request ? experiment_->memory() : Arrays{};
    auto [trace, served, problem] = counted_launch(wanted, steps);
    if (timed) {
        ++stretches_.back().launches;
        end_stretch();
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
    note_counts();
    counted_launch_ = shown_launch();
    tiles_lag_ = false;
}

void Side::show_counts_of_trial(const StepCost& cost)
{
    if (!cost.reduced.empty() || cost.values != as_texts(lab_, values_)) return;
    counts_ = {.trace = cost.trace, .from_trial = true};
}

void Side::note_counts()
{
    if (counts_.trace->sites.empty()) return;
    MeasuredLive::VariantData& one = measured_.variants[variant_->id];
    one.totals = counts_.trace->totals();
    const auto average_per_step = [this](std::uint64_t launch_count) {
        return static_cast<double>(launch_count) / variant_->steps;
    };
    one.warp_instructions.add(average_per_step(one.totals->warp_instructions));
    one.sectors.add(average_per_step(trace::global(*one.totals).sectors));
    one.is_new = true;
}

void Side::work(const Work& work)
{
    try {
        advance(work);
    } catch (...) {
        try {
            facts_ = facts();
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
    facts_ = facts();
}

void Side::run(const Work& work)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const bool replays = replaying();
    for (std::int64_t done = 0; done < work.steps; ++done) {
        const bool late = work.budget && done > 0 && Clock::now() - begin > *work.budget;
        const bool last = late || done + 1 == work.steps;
        if (last && work.counting.any() && !tiles_may_lag(work)) {
            count(work, true);
        } else {
            step();
            tiles_lag_ = tiles_lag_ || (last && counts_tiles(work.counting));
        }
        if (replays) apply_due();
        if (late || (replays && !replaying())) break;
    }
    if (work.steps == 0 && work.counting.any()) count(work, false);
    end_stretch();
}

bool Side::poll_times()
{
    if (!timer_) return false;
    const std::vector<double> times = timer_->poll_ms();
    for (const double ms : times) {
        const Stretch& stretch = stretches_.front();
        MeasuredLive::VariantData& one = measured_.variants[stretch.variant];
        const double steps = stretch.launches * labs::find_variant(lab_, stretch.variant).steps;
        (stretch.probed ? one.probed_ms : one.step_ms).add(ms / steps);
        one.is_new = true;
        stretches_.pop_front();
    }
    return !times.empty();
}

Facts Side::facts() const
{
    Facts facts;
    facts.steps = experiment_->steps();
    facts.work = per_step(experiment_->work_per_launch(), variant_->steps);
    facts.steps_per_frame = experiment_->steps_per_frame();
    facts.warning = experiment_->warning();
    for (auto& memory : experiment_->memory()) facts.memory.push_back(std::move(memory.name));
    const labs::Experiment::Shape shape = experiment_->shape();
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
    needs.compiled = shared_.has_clock();
    const device::Properties& device = shared_.device().properties();
    const auto limits = counting::multiprocessor_limits(device.compute_major, device.compute_minor);
    if (limits && needs.compiled)
        needs.occupancy =
            counting::occupancy(*limits, needs.threads, needs.registers, needs.shared_bytes);
    return facts;
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
