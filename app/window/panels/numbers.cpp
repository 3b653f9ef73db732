// Times, rates and counts in words. A number never stands without its unit, its sample and its
// engine.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/document/subject.h"
#include "app/export/table.h"
#include "app/measure/ratios.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "render/views/paint/words.h"

namespace lanescope::app {
namespace {

using trace::Totals;
using enum labs::Ratio;

std::string ratio(labs::Ratio wanted, const Totals& totals, const char* unit)
{
    const auto found = value(wanted, totals, 0);
    return found ? fmt::format("{:.2f}{}", *found, unit) : "–";
}

struct Row {
    const char* name;
    std::string (*text)(const Totals&);
};

const Row rows[] = {
    {"instructions", [](const Totals& all) { return grouped(all.warp_instructions); }},
    {"active lanes", [](const Totals& all) { return ratio(lanes_per_instruction, all, ""); }},
    {"sectors", [](const Totals& all) { return grouped(global_sectors(all)); }},
    {"sectors / ideal", [](const Totals& all) { return ratio(sectors_over_ideal, all, "×"); }},
    {"shared / ideal", [](const Totals& all) { return ratio(wavefronts_over_ideal, all, "×"); }},
};

void line(const PanelStyle& style, const char* name, const std::string& left,
          const std::string& right)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    quiet_text(style, name);
    for (const std::string& text : {left, right}) {
        ImGui::TableNextColumn();
        plain_text(text);
    }
}

} // namespace

Headline headline_of(const View& view)
{
    const EngineFrame& engine = view.frame.engine;
    if (!engine.has_clock)
        return {fmt::format("{} steps/s", significant(view.steps_per_s)),
                "simulated on the CPU; not a GPU's time"};
    const Spread own = view.frame.step_ms(view.document.variant);
    if (own.count == 0) return {"–", "no launch has been timed yet"};
    const auto in_words = [](double ms) {
        return ms < 1 ? fmt::format("{} µs", significant(ms * 1e3))
                      : fmt::format("{} ms", significant(ms));
    };
    const std::string& other = view.document.look.compare;
    const Spread beside = other.empty() ? Spread{} : view.frame.step_ms(other);
    const auto name = device::name(engine.engine);
    if (beside.count > 0)
        return {in_words(own.median) + " | " + in_words(beside.median),
                fmt::format("a step of each on {}, medians of the last 10 s", name)};
    return {in_words(own.median),
            fmt::format("a step on {}, median of {} in the last 10 s", name, own.count)};
}

void timing_panel(const View& view)
{
    const PanelStyle& style = view.style;
    const EngineFrame& engine = view.frame.engine;
    const Headline headline = headline_of(view);
    {
        const TextScope large(style.fonts.bold, style.em * 2, style.palette.accent);
        plain_text(headline.number);
    }
    quiet_text(style, headline.meaning);
    const Spread step = view.frame.step_ms(view.document.variant);
    if (engine.has_clock && step.count > 0) {
        const double bytes = view.frame.a.facts.work.bytes;
        const double gb_per_s = step.median > 0 ? bytes / (step.median * 1e6) : 0;
        plain_text(fmt::format("p10–p90  {}–{} µs", significant(step.p10 * 1e3),
                               significant(step.p90 * 1e3)));
        plain_text(fmt::format("{} GB/s useful", significant(gb_per_s)));
        const double copy = engine.roofs.copy_gb_per_s;
        if (copy > 0)
            plain_text(fmt::format("{:.0f} % of this device's copy ({} GB/s measured)",
                                   100 * gb_per_s / copy, significant(copy)));
        else
            quiet_text(style, "this device's copy is being measured");
    }
    if (!engine.has_clock)
        quiet_text(style,
                   "simt executes every lane on the CPU: its counts are a GPU's, its time is not.");
    plain_text(fmt::format("{:.0f} frames/s, {} steps", view.frames_per_s,
                           grouped(static_cast<std::uint64_t>(view.frame.a.facts.steps))));
    if (!view.frame.a.facts.warning.empty()) {
        const TextScope warning(style.fonts.bold, style.em, style.palette.warning);
        plain_text(view.frame.a.facts.warning);
    }
}

void sides_panel(const View& view)
{
    const auto all = variant_readings(view.document, view.frame);
    const auto left = std::ranges::find_if(all, &VariantReading::shown);
    const auto right = std::ranges::find(all, view.document.look.compare, &VariantReading::id);
    if (left == all.end() || right == all.end()) return;
    if (!ImGui::BeginTable("sides", 3)) return;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 1.35F);
    ImGui::TableSetupColumn("left", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("right", ImGuiTableColumnFlags_WidthStretch, 1);
    line(view.style, "", left->title, right->title);
    const auto time = [](const VariantReading& one) {
        return one.step_ms.count == 0 ? std::string("–")
                                      : significant(one.step_ms.median * 1e3) + " µs";
    };
    if (view.frame.engine.has_clock) line(view.style, "step", time(*left), time(*right));
    const auto counted = [](const Row& row, const VariantReading& one) {
        return one.totals ? row.text(*one.totals) : std::string("–");
    };
    for (const Row& row : rows)
        line(view.style, row.name, counted(row, *left), counted(row, *right));
    ImGui::EndTable();
}

void lecture_number(const View& view, const Area& area)
{
    const PanelStyle& style = view.style;
    const Headline headline = headline_of(view);
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    const float large = std::min(style.em * 3.6F, area.size.y * 0.85F);
    const float small = std::round(large / 2.4F);
    const ImVec2 corner{area.at.x + style.em, area.at.y + (area.size.y - large) / 2};
    const float width =
        style.fonts.bold->CalcTextSizeA(large, FLT_MAX, 0, headline.number.c_str()).x;
    draw.AddText(style.fonts.bold, large, corner, ImGui::GetColorU32(style.palette.accent),
                 headline.number.c_str());
    constexpr float baseline = 0.8F; // of a line's height, from its top
    draw.AddText(style.fonts.plain, small,
                 {corner.x + width + style.em, corner.y + baseline * (large - small)},
                 ImGui::GetColorU32(style.palette.text), headline.meaning.c_str());
}

std::string warp_words(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                       const Dim3& block)
{
    std::string words = warp_title(warp, grid, block) + "\n";
    if (counts.warp_instructions > 0)
        words += fmt::format(
            "{} instructions, {:.1f} of 32 lanes active\n", grouped(counts.warp_instructions),
            static_cast<double>(counts.thread_instructions) / counts.warp_instructions);
    const double places =
        static_cast<double>(counts.global_requests) + counts.shared_requests + counts.branches;
    if (places > 0)
        words += fmt::format("{:.1f} lanes active at accesses and branches\n",
                             counts.memory_lanes / places);
    if (counts.global_requests > 0)
        words += fmt::format("global: {} requests, {} sectors, ideal {}\n",
                             grouped(counts.global_requests), grouped(counts.global_sectors),
                             grouped(counts.global_ideal_sectors));
    if (counts.shared_requests > 0)
        words += fmt::format("shared: {} requests, {} wavefronts, ideal {}\n",
                             grouped(counts.shared_requests), grouped(counts.shared_wavefronts),
                             grouped(counts.shared_ideal_wavefronts));
    if (counts.branches > 0)
        words += fmt::format("branches: {}, divergent {}\n", grouped(counts.branches),
                             grouped(counts.divergent_branches));
    return words;
}

std::string sector_words(const std::string& memory, int sector, std::uint32_t requests,
                         std::uint32_t warps)
{
    const std::int64_t first = std::int64_t{32} * sector;
    return fmt::format("{}: bytes {} to {}\ntouched by {} of {}", memory, first, first + 31,
                       render::counted(requests, "request"), render::counted(warps, "warp"));
}

} // namespace lanescope::app
