// The largest number on screen is the topic of the lab: on a GPU the median time, on simt a count.
// It always comes with its unit, its sample and its engine.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/draw/scene/margins.h"
#include "app/draw/subjects/cost.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/measure/ratios.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/source_heat.h"
#include "compute/numbers.h"
#include "render/views/maps/warp_metric.h"

namespace lanescope::app {
namespace {

using enum trace::Ratio;

// The ratio that the heatmap shows, followed by the ratios of the lab's first sweep.
std::vector<trace::Ratio> asked_ratios(const Document& document)
{
    const Look& look = document.look;
    std::vector<trace::Ratio> wanted;
    const auto metric = render::warp_metric(look.map);
    if (look.subject == Subject::picture && metric) {
        const auto shown = quantity_of_map(look.map, look.map_of);
        if (*metric == render::WarpMetric::instructions)
            wanted.push_back(instructions_per_item);
        else if (shown && shown->ratio) // asked_sum() handles sums
            wanted.push_back(*shown->ratio);
    }
    const auto& sweeps = document.lab().sweeps;
    if (!sweeps.empty())
        for (const labs::Ratio named : sweeps.front().ratios) wanted.push_back(to_ratio(named));
    wanted.insert(wanted.end(), {sectors_over_ideal, lanes_per_instruction});
    return wanted;
}

// " by stores"; empty if all accesses are meant.
std::string by(trace::Scope of)
{
    return of == trace::Scope::all ? "" : fmt::format(" by {}", trace::name(of));
}

// The total of a heatmap of sums per step; empty for other maps.
std::optional<Headline> asked_sum(const Document& document, const trace::Totals& totals, int steps)
{
    const auto metric = render::warp_metric(document.look.map);
    if (document.look.subject != Subject::picture || !metric) return {};
    const trace::Scope of = document.look.map_of;
    const auto text_per_step = [steps](std::uint64_t launch_count) {
        return grouped(launch_count / static_cast<std::uint64_t>(steps));
    };
    if (*metric == render::WarpMetric::sectors && trace::global(totals, of).requests > 0)
        return Headline{text_per_step(trace::global(totals, of).sectors) + " sectors",
                        fmt::format("of 32 bytes moved{} per step", by(of))};
    if (*metric == render::WarpMetric::wavefronts && trace::shared(totals, of).requests > 0)
        return Headline{text_per_step(trace::shared(totals, of).wavefronts) + " wavefronts",
                        fmt::format("of shared memory{} per step", by(of))};
    return {};
}

Headline ratio_headline(trace::Ratio ratio, double value, const std::string& item)
{
    using trace::Scope;
    const auto sectors = [value](Scope of) {
        return Headline{fmt::format("{:.2f}× sectors", value),
                        fmt::format("moved{}, relative to the ideal", by(of))};
    };
    const auto wavefronts = [value](Scope of) {
        return Headline{fmt::format("{:.2f}× wavefronts", value),
                        fmt::format("of shared memory{}, relative to the ideal", by(of))};
    };
    switch (ratio) {
    case sectors_per_load:
        return {fmt::format("{:.1f} sectors", value), "of 32 bytes per global load request"};
    case sectors_per_store:
        return {fmt::format("{:.1f} sectors", value), "of 32 bytes per global store request"};
    case sectors_over_ideal: return sectors(Scope::all);
    case load_sectors_over_ideal: return sectors(Scope::loads);
    case store_sectors_over_ideal: return sectors(Scope::stores);
    case atomic_sectors_over_ideal: return sectors(Scope::atomics);
    case wavefronts_over_ideal: return wavefronts(Scope::all);
    case load_wavefronts_over_ideal: return wavefronts(Scope::loads);
    case store_wavefronts_over_ideal: return wavefronts(Scope::stores);
    case atomic_wavefronts_over_ideal: return wavefronts(Scope::atomics);
    case lanes_per_instruction:
        return {fmt::format("{:.1f} of 32 lanes", value), "active per warp instruction"};
    case instructions_per_item:
    case bytes_per_item: break;
    }
    const std::string one = item.ends_with('s') ? item.substr(0, item.size() - 1) : item;
    const std::string per = one.empty() ? "item" : one;
    if (ratio == bytes_per_item)
        return {fmt::format("{} B", significant(value)), fmt::format("moved per {}", per)};
    return {fmt::format("{} instructions", significant(value)),
            fmt::format("by warps, per {}", per)};
}

// The cost in question; a change if both sides of A/B have one.
std::optional<Headline> asked_cost(const Document& document, const Frame& frame)
{
    // The frame has no variant if the experiment did not fit into memory, and the previous variant
    // until the new one has been counted.
    if (!frame.a.variant || frame.a.variant->id != document.variant) return {};
    const auto cost = cost_of(frame.a, document.look);
    if (!cost) return {};
    const auto other = frame.b && frame.together ? cost_of(*frame.b, document.look) : std::nullopt;
    if (!other)
        return Headline{cost->amount(), cost->meaning, cost->ideal_words(),
                        cost->is_nearly_ideal()};
    const PaidChange change = change_between(*cost, *other);
    return Headline{fmt::format("{} → {} {}", change.from, change.to, change.unit), other->meaning,
                    other->ideal_words(), change.good};
}

Headline count_of(const Document& document, const Frame& frame)
{
    if (auto cost = asked_cost(document, frame)) return *cost;
    const VariantFrame& known = frame.of(document.variant);
    if (!known.totals) return {"–", "nothing has been counted yet"};
    const int steps = labs::find_variant(document.lab(), document.variant).steps;
    if (auto sum = asked_sum(document, *known.totals, steps)) return *sum;
    const double items = known.work ? known.work->items * steps : 0; // per launch
    for (const trace::Ratio ratio : asked_ratios(document))
        if (const auto found = trace::value(ratio, *known.totals, items))
            return ratio_headline(ratio, *found, known.work ? known.work->item : "");
    return {fmt::format("{} instructions", grouped(known.totals->warp_instructions)),
            "by all warps, per launch"};
}

} // namespace

Headline headline_of(const Document& document, const Frame& frame)
{
    // The number that a lesson asks for must not be visible beside the question.
    if (document.presentation.asks()) return {"?", "Hidden until the question is answered."};
    if (shows_fault(document, frame) && frame.fault) {
        const int line = fault_line(frame);
        return {"1 fault",
                line > 0 ? fmt::format("stops the launch at line {}", line) : "stops the launch",
                "ideal 0", false, true};
    }
    const EngineFrame& engine = frame.engine;
    if (!engine.has_clock) return count_of(document, frame);
    const Spread own = frame.step_ms(document.variant);
    if (own.count == 0) return {"–", "no launch has been timed yet"};
    const std::string& other = document.look.compare;
    const Spread beside = other.empty() ? Spread{} : frame.step_ms(other);
    const auto name = device::name(engine.engine);
    if (beside.count > 0)
        return {format_time(own.median) + " | " + format_time(beside.median),
                fmt::format("per step on {}, medians of the last 10 s", name)};
    return {format_time(own.median),
            fmt::format("per step on {}, median of {} in 10 s", name, own.count)};
}

namespace {

ImVec4 colour_of(const Headline& headline, const Palette& palette)
{
    if (headline.fault) return palette.fault;
    if (headline.good) return palette.good;
    return headline.ideal.empty() ? palette.accent : palette.warning;
}

} // namespace

namespace {

bool headline_is_over_fault(const Document& document, const Frame& frame)
{
    return frame.fault && !document.presentation.asks() && !document.lab().placeholder;
}

// True if the number is drawn over the picture.
bool number_is_over_picture(const Document& document, const Frame& frame)
{
    const Look& look = document.look;
    const bool shows_change = look.compare.empty() || frame.together;
    if (frame.engine.has_clock || look.difference || !shows_change ||
        shows_fault(document, frame) || !asked_cost(document, frame))
        return false;
    return look.lecture && (!frame.b || cost_of(*frame.b, look));
}

} // namespace

bool has_room_for_headline(const Look& look, float em, ImVec2 picture)
{
    // Captions of narrower pictures are abbreviated.
    constexpr float min_em = 60;
    constexpr float min_window_em = 40;
    return picture.x >= (look.lecture ? min_em : min_window_em) * em;
}

void leave_room_for_picture(const Document& document, const Frame& frame, float em, Layout& layout)
{
    if (layout.number.empty() || !has_room_for_headline(document.look, em, layout.picture.size) ||
        !(shows_fault(document, frame) ? headline_is_over_fault(document, frame)
                                       : number_is_over_picture(document, frame)))
        return;
    layout.picture.size.y += layout.number.size.y;
    layout.number = {};
}

bool headline_over_fault(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    if (!has_room_for_headline(view.document.look, style.em, area.size) ||
        !headline_is_over_fault(view.document, view.frame))
        return false;
    const Headline headline = headline_of(view.document, view.frame);
    const float px = picture_text(view.document.look, style.em);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float right = area.at.x + area.size.x - margin_em * px;
    const float top = area.at.y + margin_em * px;
    const float large = 2.2F * px;
    draw_words(draw, {style.fonts.bold, large, colour_of(headline, style.palette)},
               {right - width_of(style.fonts.bold, large, headline.number), top}, headline.number);
    const std::string meaning = headline.meaning + " · ";
    const float below = top + 2.1F * px;
    const float ideal = right - width_of(style.fonts.bold, px, headline.ideal);
    draw_words(draw, {style.fonts.bold, px, style.palette.good}, {ideal, below}, headline.ideal);
    draw_words(draw, {style.fonts.plain, px, style.palette.quiet},
               {ideal - width_of(style.fonts.plain, px, meaning), below}, meaning);
    return true;
}

bool timing_panel(const View& view)
{
    const PanelStyle& style = view.style;
    const EngineFrame& engine = view.frame.engine;
    const bool asks = view.document.presentation.asks();
    const Spread step = view.frame.step_ms(view.document.variant);
    const bool timed = engine.has_clock && step.count > 0 && !asks;
    if (timed) {
        const double bytes = view.frame.a.facts.work.bytes;
        const double gb_per_s = step.median > 0 ? bytes / (step.median * 1e6) : 0;
        plain_text(fmt::format("{} per step (p10–p90: {} – {})", format_time(step.median),
                               format_time(step.p10), format_time(step.p90)));
        plain_text(fmt::format("{} GB/s useful", significant(gb_per_s)));
        // Both texts have the same height, so that the widgets below don't move under the mouse.
        const double copy = engine.roofs.copy_gb_per_s;
        if (copy > 0)
            plain_text(fmt::format("{:.0f}% of the {} GB/s of a copy", 100 * gb_per_s / copy,
                                   significant(copy)));
        else
            plain_text("measuring the bandwidth of a copy");
        quiet_text(style, fmt::format("{:.0f} frames/s", view.frames_per_s));
    }
    const auto& totals = view.frame.of(view.document.variant).totals;
    const std::uint64_t launches = totals && !asks ? totals->device_launches : 0;
    if (launches > 0)
        quiet_text(style, fmt::format("{} {} from the device", grouped(launches),
                                      launches == 1 ? "launch" : "launches"));
    const std::string& problem = view.frame.a.facts.warning;
    if (!problem.empty()) {
        const TextScope warning(style.fonts.bold, style.em, style.palette.warning);
        plain_text(problem);
    }
    return timed || launches > 0 || !problem.empty();
}

void number_strip(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const PanelScope panel("number", area.at, area.size,
                           ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs);
    const Headline headline = headline_of(view.document, view.frame);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const bool two_lines = area.size.y > 3.5F * style.em;
    const float room = area.size.x - 2 * style.em;
    // Draws the number as large as fits, with its meaning beside or below it.
    const float large =
        std::floor(fitting(style.fonts.bold, two_lines ? 2.2F * style.em : 0.86F * area.size.y,
                           headline.number, two_lines ? room : 0.6F * room));
    const float x = area.at.x + style.em;
    const float top =
        two_lines ? area.at.y + 0.3F * style.em : area.at.y + (area.size.y - large) / 2;
    draw_words(draw, {style.fonts.bold, large, colour_of(headline, style.palette)}, {x, top},
               headline.number);
    const float beside =
        two_lines ? 0 : width_of(style.fonts.bold, large, headline.number) + style.em;
    const std::string between = headline.ideal.empty() ? "" : " · ";
    const std::string meaning = headline.meaning + between;
    const float small = fitting(style.fonts.plain, 1.2F * style.em, meaning + headline.ideal,
                                0.96F * (room - beside));
    constexpr float baseline = 0.8F; // relative to the line's height, from its top
    const float below = two_lines ? top + 1.15F * large : top + baseline * (large - small);
    draw_words(draw, {style.fonts.plain, small, style.palette.text}, {x + beside, below}, meaning);
    draw_words(draw, {style.fonts.bold, small, style.palette.good},
               {x + beside + width_of(style.fonts.plain, small, meaning), below}, headline.ideal);
}

} // namespace lanescope::app
