// One of the experiment's arrays by sector: how often each was touched, or by how many warps.
#include <fmt/format.h>

#include <algorithm>

#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

void request_memory_counts(const Look& look, Counting& counting)
{
    counting.memory = look.memory;
}

bool memory_is_counted(const SideFrame& side, const Look&)
{
    return side.memory.has_value();
}

Scene::Placement draw_memory(SubjectDrawing drawing)
{
    auto& [scene, side, sheet, beside] = drawing;
    const Look& look = sheet.look;
    const auto& taken = side.memory;
    if (!taken) {
        const bool none = side.facts.memory.empty();
        return scene.say(none ? "This variant has no buffers. How CUDA arrays lie in memory is "
                                "not documented."
                              : "The next step records the memory.",
                         sheet);
    }
    if (look.memory_warps && !taken->warps_counted)
        return scene.say("There are too many sector–warp pairs to record.", sheet);
    const auto metric =
        look.memory_warps ? render::SectorMetric::warps : render::SectorMetric::touches;
    const auto max_count = [&](const MemoryCounts& one) {
        return look.memory_warps ? one.max_warps : one.max_touches;
    };
    std::uint32_t max_touches_seen = max_count(*taken);
    if (beside && beside->memory)
        max_touches_seen = std::max(max_touches_seen, max_count(*beside->memory));
    // Uses the range of the data if a sector's count exceeds the fixed range.
    const bool above = static_cast<float>(max_touches_seen) > fixed_scale(metric).high;
    const bool automatic = (look.map_automatic && max_touches_seen > 0) || above;
    std::string size = grouped(static_cast<std::uint64_t>(taken->sectors)) + " sectors of 32 bytes";
    if (taken->row_bytes > 0)
        size += fmt::format(", {:.5g} per row", static_cast<double>(taken->row_bytes) / 32);
    sheet.caption.place = fmt::format("memory {}, {}", taken->name, size);
    return scene.draw(
        MemoryShown{taken->data(metric),
                    automatic ? automatic_scale(metric, max_touches_seen) : fixed_scale(metric),
                    taken->row_bytes},
        sheet);
}

std::ptrdiff_t chosen_memory(const SubjectView& view)
{
    const auto& all = view.side.facts.memory;
    const auto found = std::ranges::find(all, view.look.memory);
    return found == all.end() ? 0 : found - all.begin();
}

// Left and right select the memory; up and down switch between requests and warps.
void move_memory(const SubjectView& view, const Move& by, Commands& out)
{
    const auto& all = view.side.facts.memory;
    const auto count = std::ssize(all);
    if (count == 0 || by.request != 0) return;
    const auto now = (chosen_memory(view) + by.right + count) % count;
    out.push_back(ShowMemory{all[static_cast<std::size_t>(now)],
                             by.up != 0 ? !view.look.memory_warps : view.look.memory_warps});
}

void memory_controls(const SubjectView& view, Controls& out)
{
    const auto& all = view.side.facts.memory;
    if (all.empty()) return;
    const auto chosen = static_cast<std::size_t>(chosen_memory(view));
    const bool warps = view.look.memory_warps;
    out.push_back({.kind = Control::Kind::list,
                   .id = "memory",
                   .shown = all[chosen],
                   .count = all.size(),
                   .option = [&all, chosen, warps](std::size_t i) {
                       return Control::Option{all[i], i == chosen, ShowMemory{all[i], warps}};
                   }});
    out.push_back({.kind = Control::Kind::choice,
                   .count = 2,
                   .option = [name = view.look.memory, warps](std::size_t i) {
                       return Control::Option{i == 0 ? "requests" : "warps", warps == (i == 1),
                                              ShowMemory{name, i == 1}};
                   }});
    out.push_back(automatic_scale_toggle(view.look));
    out.push_back(note("Each cell is a sector of 32 bytes, and four make a line; addresses "
                       "increase to the right, then downwards."));
}

} // namespace

const SubjectKind memory_subject{.title = "Memory",
                                 .question = "Which sectors are touched, and how often?",
                                 .count = request_memory_counts,
                                 .counted = memory_is_counted,
                                 .draw = draw_memory,
                                 .move = move_memory,
                                 .controls = memory_controls};

} // namespace lanescope::app
