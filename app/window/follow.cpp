// Everything that the look shows must be counted; nothing else is.
#include "app/window/follow.h"

#include <algorithm>

#include "app/document/subject.h"

namespace lanescope::app {
namespace {

bool counted(const Frame& frame, const std::string& variant)
{
    return frame.of(variant).totals.has_value();
}

std::optional<SweepWish> sweep_of(const Document& document, bool held)
{
    if (!document.sweep.begun || document.lab().sweeps.empty()) return {};
    SweepWish wish;
    const auto& all = document.lab().sweeps;
    const auto chosen = std::ranges::find(all, document.sweep.title, &labs::Sweep::title);
    if (chosen != all.end()) wish.sweep = &*chosen;
    wish.all_variants = document.sweep.all_variants;
    wish.follow = shows_tab(document.look, "sweep") && !held;
    return wish;
}

} // namespace

bool shows_tab(const Look& look, std::string_view tab)
{
    return look.panels.bottom > 0 && !look.lecture && look.panels.bottom_tab == tab;
}

Plan plan_of(const Document& document, const Frame& frame, bool recording, bool held)
{
    const Look& look = document.look;
    const bool comparing = !look.compare.empty();
    Plan plan;
    plan.opened = frame.opened;
    plan.running = !document.paused;
    plan.unhurried = recording;
    plan.view = look.view;
    plan.counting = counting_for(look);
    // On a GPU, where counting costs time, the sides of A/B are counted once.
    plan.counting.sites |=
        shows_tab(look, "source") ||
        (comparing && !(counted(frame, document.variant) && counted(frame, look.compare)));
    plan.totals = comparing || shows_tab(look, "timings") || shows_tab(look, "history");
    plan.compare = look.compare;
    plan.difference = comparing && look.difference;
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

Wish wish_of(const Edits::Begun& begun)
{
    const Wanted& wanted = begun.wanted;
    Wish wish{wanted.title, {}, wanted.engine};
    if (!wanted.file.empty()) {
        wish.find = [file = wanted.file, session = begun.session] {
            return find_in_file(file, session);
        };
        return wish;
    }
    const Arrival arrival = wanted.kind == Wanted::lab       ? Arrival::lab
                            : wanted.kind == Wanted::restart ? Arrival::restart
                                                             : Arrival::session;
    wish.find = [found = Found{arrival, begun.session}] { return found; };
    return wish;
}

Wanted::Kind kind_of(Wanted::Kind asked, Arrival found)
{
    if (asked == Wanted::undo || asked == Wanted::redo) return asked;
    switch (found) {
    case Arrival::session: return Wanted::session;
    case Arrival::lab: return Wanted::lab;
    case Arrival::restart: break;
    }
    return Wanted::restart;
}

} // namespace lanescope::app
