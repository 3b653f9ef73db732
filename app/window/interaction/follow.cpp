// Requests counts for everything the current look shows, and for nothing else.
#include "app/window/interaction/follow.h"

#include <algorithm>

#include "app/document/editing.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/window/plots/source_heat.h"
#include "compute/python_source.h"

namespace lanescope::app {
namespace {

bool has_counts(const Frame& frame, const std::string& variant)
{
    return frame.of(variant).totals.has_value();
}

// True if the cost above the result must be counted. A paused experiment is counted in every step,
// as `shot` does. A running one is counted once, because counting takes time, and without A/B only
// after its first picture. `others`: the frame counts something else anyway, which replaces these
// counts.
bool must_count_cost(const Document& document, const Frame& frame, bool others)
{
    const Look& look = document.look;
    if (!shows_cost_header(look)) return false;
    const bool comparing = !look.compare.empty();
    // A variant that was counted before may have restarted since.
    const auto counted = [&](const std::string& variant, const SideFrame* side) {
        return has_counts(frame, variant) && (others || !side || !side->trace->sites.empty());
    };
    const bool known = counted(document.variant, &frame.a) &&
                       (!comparing || counted(look.compare, frame.b ? &*frame.b : nullptr));
    if (known && !document.paused) return false;
    return comparing ||
           (frame.a.counting_problem.empty() && (frame.a.picture || frame.a.replay.in_progress));
}

std::optional<SweepSettings> sweep_of(const Document& document, bool held)
{
    if (!document.sweep.begun || document.lab().sweeps.empty()) return {};
    SweepSettings job;
    const auto& all = document.lab().sweeps;
    const auto chosen = std::ranges::find(all, document.sweep.title, &labs::Sweep::title);
    if (chosen != all.end()) job.sweep = &*chosen;
    job.all_variants = document.sweep.all_variants;
    job.follow = shows_tab(document.look, tabs::sweep) && !held;
    return job;
}

} // namespace

bool shows_tab(const Look& look, std::string_view tab)
{
    return look.panels.bottom > 0 && (!look.lecture || look.panels.whole) &&
           look.panels.bottom_tab == tab;
}

Plan plan_of(const Document& document, const Frame& frame, bool recording, bool held)
{
    const Look& look = document.look;
    const bool comparing = !look.compare.empty();
    Plan plan;
    plan.opened = frame.opened;
    plan.running = !document.paused;
    plan.never_skips_steps = recording;
    plan.view = look.view;
    plan.counting = counting_for(look, document.lab());
    // simt has no times, so its headline is a count; it is taken once there is a picture.
    const bool headline = !frame.engine.has_clock && frame.a.picture &&
                          frame.a.counting_problem.empty() && !has_counts(frame, document.variant);
    const bool code = look.code_is_beside();
    plan.counting.map |= code && look.subject == Subject::picture; // which warp wrote what
    plan.counting.sites |= headline || code || shows_tab(look, tabs::source) ||
                           must_count_cost(document, frame, plan.counting.any());
    const bool code_shown = code || shows_tab(look, tabs::source);
    if (!plan.counting.caches && code_shown && look.code.heat == served_metric)
        plan.counting.caches = caches::Before::cold; // the picture's map decides otherwise
    // A line's PTX is shown together with its SASS.
    plan.counting.sass = document.opened_line > 0 && code_shown;
    plan.totals = comparing || shows_tab(look, tabs::variants) || shows_tab(look, tabs::history);
    plan.compare = look.compare;
    plan.difference = comparing && look.difference;
    plan.careful = document.bench.careful;
    plan.sweep = sweep_of(document, held);
    return plan;
}

std::vector<Change> changes_between(const Document& was, const Document& is)
{
    std::vector<Change> changes;
    if (was.start != is.start) return changes;
    if (was.variant != is.variant) changes.push_back(VariantChange{is.variant});
    for (const auto& [id, text] : is.values) {
        const auto before = was.values.find(id);
        const labs::Parameter* const parameter = is.lab().find_parameter(id);
        const bool same = before != was.values.end() && before->second == text;
        if (!same && parameter && !parameter->restarts)
            changes.push_back(ParameterChange{id, text});
    }
    for (std::size_t i = was.strokes.size(); i < is.strokes.size(); ++i)
        changes.push_back(is.strokes[i]);
    return changes;
}

std::optional<ValidationJob> texts_to_validate(const Document& document)
{
    const Workbench& bench = document.bench;
    const labs::Lab& lab = document.lab();
    if (is_python_source(edited_text(document).file)) return {}; // runs on request only
    ValidationJob job{.texts = document.texts,
                      .variant = document.variant,
                      .start = {document.values, document.start.seed, document.start.image},
                      .careful = bench.careful,
                      .compile_now = bench.compile_now,
                      .kernel_file = document.kernel_file};
    const bool shown = !lab.placeholder && *document.texts == labs::texts_of(lab);
    const Version* const version = shown_version(document);
    const auto& known = bench.outcome;
    const bool tried = known && known->texts == document.texts &&
                       known->compile_now == bench.compile_now && known->values == document.values;
    // The checked first run of a newly opened file is still to come.
    const bool is_new_file = shown && !version && !document.kernel_file.empty();
    if (is_new_file) {
        if (!bench.careful || tried) return {};
    } else if (shown) {
        const bool counted = version && version->cost && version->cost->asked == document.values;
        if (!version || !bench.careful || counted) return {};
    } else {
        if (tried || (!bench.automatic && bench.asked != document.texts)) return {};
        job.variant = edited_text(document).variant;
    }
    const Version* const newest = version ? version : bench.newest(job.variant);
    const auto add = [&](const Version* one) {
        if (one) job.also.emplace_back(one->lab, one->variant);
    };
    if (newest) {
        if (!shown || newest->number > 0) add(newest);
        add(bench.before(*newest));
        add(bench.original(*newest));
    }
    return job;
}

OpenJob open_job_of(const Edits::Begun& begun)
{
    const Wanted& wanted = begun.wanted;
    OpenJob job{wanted.title, {}, wanted.engine};
    if (!wanted.file.empty()) {
        job.find = [file = wanted.file, session = begun.session] {
            return find_in_file(file, session);
        };
        return job;
    }
    const Arrival arrival = wanted.kind == Wanted::lab       ? Arrival::lab
                            : wanted.kind == Wanted::restart ? Arrival::restart
                                                             : Arrival::session;
    job.find = [found = Found{arrival, begun.session}] { return found; };
    if (wanted.kind == Wanted::edit) {
        job.validated = wanted.variant;
        job.counts = begun.counts;
    }
    return job;
}

Wanted::Kind kind_of(Wanted::Kind asked, Arrival found)
{
    if (asked == Wanted::undo || asked == Wanted::redo || asked == Wanted::edit) return asked;
    switch (found) {
    case Arrival::session: return Wanted::session;
    case Arrival::lab: return Wanted::lab;
    case Arrival::restart: break;
    }
    return Wanted::restart;
}

} // namespace lanescope::app
