// Heatmaps and what else stands in the picture's place, chosen by widget.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/export/table.h"
#include "app/window/panels/panels.h"

namespace lanescope::app {
namespace {

constexpr const char* titles[] = {"the picture", "its memory", "one request of a warp",
                                  "who told whom"};

// A number that is typed, or changed by its + and −; true when it changed.
bool choose_number(const char* id, std::int64_t most, std::int64_t& number)
{
    const std::int64_t one = 1;
    std::int64_t typed = number;
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (!ImGui::InputScalar(id, ImGuiDataType_S64, &typed, &one)) return false;
    number = std::clamp<std::int64_t>(typed, 0, std::max<std::int64_t>(most, 0));
    return true;
}

void choose_scale(const View& view, Commands& out)
{
    bool automatic = view.document.look.map_automatic;
    if (ImGui::Checkbox("scale from the values seen", &automatic))
        out.push_back(SetMapScale{automatic});
}

// Which block, by its number in the launch, and which of its loads.
void tiles_controls(const View& view, Commands& out)
{
    const SideFrame& side = view.frame.a;
    const auto blocks = static_cast<std::int64_t>(side.facts.grid.count());
    if (blocks == 0) return;
    const std::int64_t warps = std::max<std::int64_t>(side.facts.warps() / blocks, 1);
    RequestChoice choice = view.document.look.request;
    std::int64_t block = choice.warp / warps;
    quiet_text(view.style,
               fmt::format("block, of {} (arrows)", grouped(static_cast<std::uint64_t>(blocks))));
    bool changed = choose_number("##block", blocks - 1, block);
    const std::uint32_t loads = loads_of_tiles(side);
    if (loads > 1) {
        quiet_text(view.style, fmt::format("its load, of {} (Shift ← →)", loads));
        changed |= choose_number("##load", loads - 1, choice.request);
    }
    choice.warp = block * warps;
    if (changed) out.push_back(ShowRequest{choice});
    choose_scale(view, out);
    quiet_text(view.style, "Colours: how many requests of the block loaded the element. Framed: "
                           "what the chosen load fetches. Row 0 is on top.");
}

std::string problem_of(const View& view, const std::string& map, trace::Scope of)
{
    const auto& totals = view.frame.of(view.document.variant).totals;
    return map_problem(view.frame.a, map, totals ? &*totals : nullptr, of);
}

// Kinds of access that the variant does not make stand there, but cannot be chosen.
void choose_scope(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    quiet_text(view.style, "of which accesses (Shift M)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (!ImGui::BeginCombo("##map_of", std::string(trace::name(look.map_of)).c_str())) return;
    for (const trace::Scope of : trace::all_scopes)
        if (ImGui::Selectable(
                std::string(trace::name(of)).c_str(), of == look.map_of,
                problem_of(view, look.map, of).empty() ? 0 : ImGuiSelectableFlags_Disabled))
            out.push_back(SetMapOf{of});
    ImGui::EndCombo();
}

void picture_controls(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    if (look.view == "tiles") return tiles_controls(view, out);
    quiet_text(view.style, "under the heatmap (H)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##map", map_title(look.map).c_str())) {
        for (const std::string& name : map_names())
            if (ImGui::Selectable(map_title(name).c_str(), name == look.map,
                                  problem_of(view, name, look.map_of).empty()
                                      ? 0
                                      : ImGuiSelectableFlags_Disabled))
                out.push_back(SetMap{name});
        ImGui::EndCombo();
    }
    if (look.map == "off") return;
    if (map_has_scope(look.map)) choose_scope(view, out);
    if (const std::string problem = problem_of(view, look.map, look.map_of); !problem.empty())
        return quiet_text(view.style, problem);
    quiet_text(view.style, "how much of it");
    ImGui::SetNextItemWidth(-FLT_MIN);
    float blend = look.map_blend;
    if (ImGui::SliderFloat("##blend", &blend, 0, 1, "%.2f")) out.push_back(SetMapBlend{blend});
    choose_scale(view, out);
}

void memory_controls(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    const auto& all = view.frame.a.facts.memory;
    if (all.empty()) return;
    const std::string chosen =
        std::ranges::find(all, look.memory) == all.end() ? all.front() : look.memory;
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##memory", chosen.c_str())) {
        for (const std::string& name : all)
            if (ImGui::Selectable(name.c_str(), name == chosen) && name != chosen)
                out.push_back(ShowMemory{name, look.memory_warps});
        ImGui::EndCombo();
    }
    int counts = look.memory_warps ? 1 : 0;
    bool changed = ImGui::RadioButton("requests", &counts, 0);
    ImGui::SameLine();
    changed |= ImGui::RadioButton("warps", &counts, 1);
    if (changed) out.push_back(ShowMemory{look.memory, counts == 1});
    choose_scale(view, out);
    quiet_text(view.style, "A cell is a sector of 32 bytes, four are a line; addresses rise to the "
                           "right, then downwards.");
}

// A list of sites may be long: only what is seen of it is laid out.
void choose_site(const trace::Trace& trace, std::size_t current, RequestChoice choice,
                 Commands& out)
{
    if (ImGui::Selectable("the one that moves most beyond need", choice.site < 0))
        out.push_back(ShowRequest{{-1, choice.warp, choice.request}});
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].op != trace::Op::branch) sites.push_back(i);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(sites.size()));
    while (clipper.Step())
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
            const std::size_t i = sites[static_cast<std::size_t>(row)];
            const IdScope id(std::to_string(i));
            if (ImGui::Selectable(site_title(trace.sites[i]).c_str(), i == current))
                out.push_back(ShowRequest{{static_cast<int>(i), choice.warp, choice.request}});
        }
}

void request_controls(const View& view, Commands& out)
{
    RequestChoice choice = view.document.look.request;
    const trace::Trace& trace = *view.frame.a.trace;
    const auto current = static_cast<std::size_t>(std::max(trace.request.site, 0));
    std::string title = current < trace.sites.size() ? site_title(trace.sites[current]) : "–";
    // "line 12: global load, 4 bytes a lane", as much of it as the field holds.
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() -
                       2 * ImGui::GetStyle().FramePadding.x;
    for (const char* end : {",", ":"})
        if (ImGui::CalcTextSize(title.c_str()).x > room) title.resize(title.find(end));
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##site", title.c_str())) {
        choose_site(trace, current, choice, out);
        ImGui::EndCombo();
    }
    const std::int64_t warps = view.frame.a.facts.warps();
    quiet_text(view.style, fmt::format("warp, of {}", grouped(static_cast<std::uint64_t>(warps))));
    bool changed = choose_number("##warp", warps - 1, choice.warp);
    if (trace.request.seen > 1) {
        quiet_text(view.style, fmt::format("its request here, of {}", trace.request.seen));
        changed |= choose_number("##request", trace.request.seen - 1, choice.request);
    }
    if (changed) out.push_back(ShowRequest{choice});
    quiet_text(view.style, "Shift and a click on a heatmap choose the warp that wrote there.");
}

void tree_controls(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    RequestChoice choice = look.request;
    const std::int64_t warps = view.frame.a.facts.warps();
    quiet_text(view.style, fmt::format("warp, of {}", grouped(static_cast<std::uint64_t>(warps))));
    if (choose_number("##warp", warps - 1, choice.warp)) out.push_back(ShowRequest{choice});
    bool block = look.tree_block;
    if (ImGui::Checkbox("all of its block", &block)) out.push_back(ShowTree{block});
    quiet_text(view.style,
               "Lines are values that a thread received from another one, by shuffles or "
               "through memory, as the kernel executed them.");
}

// A probed launch is another kernel: what it costs is said, and never mixed with the plain one's
// times.
void probe_cost(const View& view)
{
    const std::string& variant = view.frame.a.variant->id;
    const Spread probed = view.frame.probed_ms(variant);
    const Spread plain = view.frame.step_ms(variant);
    std::string words = "Probes are on in one launch a frame. All times shown are those of the "
                        "plain kernel.";
    constexpr std::size_t enough = 5; // the first ones wait for the compiler
    if (probed.count >= enough && plain.median > 0)
        words += fmt::format(" The probed launch takes {} µs, {:.1f} times as long.",
                             significant(probed.median * 1e3), probed.median / plain.median);
    quiet_text(view.style, words);
}

} // namespace

void subject_panel(const View& view, Commands& out)
{
    const Subject shown = view.document.look.subject;
    heading(view.style, "Shown (M)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##subject", titles[static_cast<int>(shown)])) {
        for (int i = 0; i < static_cast<int>(std::size(titles)); ++i)
            if (ImGui::Selectable(titles[i], i == static_cast<int>(shown)))
                out.push_back(ShowSubject{static_cast<Subject>(i)});
        ImGui::EndCombo();
    }
    if (!view.frame.is_open()) return;
    switch (shown) {
    case Subject::picture: picture_controls(view, out); break;
    case Subject::memory: memory_controls(view, out); break;
    case Subject::request: request_controls(view, out); break;
    case Subject::tree: tree_controls(view, out); break;
    }
    const SideFrame& side = view.frame.a;
    if (side.counted_in_trial)
        quiet_text(view.style, "Counted on the lockstep machine; this GPU counts next.");
    if (!side.counted.any()) return;
    if (!side.counting_problem.empty()) {
        const TextScope warning(view.style.fonts.plain, view.style.em, view.style.palette.warning);
        plain_text(side.counting_problem);
    } else if (view.frame.engine.has_clock) {
        probe_cost(view);
    }
}

} // namespace lanescope::app
