// The versions of the lab's edited kernels: cost of a step compared with the previous version and
// the original; any two can be compared in A/B, and as texts line by line.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <ranges>

#include "app/document/editing.h"
#include "app/document/values/text_lines.h"
#include "app/window/editor/text/editing.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using Chosen = CodeState::Chosen;

Chosen name_of(const Version& version)
{
    return {version.variant, version.number};
}

const Version* find(const Workbench& bench, const std::optional<Chosen>& chosen)
{
    if (!chosen) return nullptr;
    for (const auto& one : bench.versions)
        if (name_of(*one) == *chosen) return one.get();
    return nullptr;
}

struct Quantity {
    const char* title;
    CostChange CostDifference::*change;
    std::uint64_t (*count)(const trace::Totals&);
};
constexpr Quantity quantities[] = {
    {"instructions", &CostDifference::warp_instructions,
     [](const trace::Totals& all) { return all.warp_instructions; }},
    {"sectors", &CostDifference::sectors,
     [](const trace::Totals& all) { return trace::global(all).sectors; }},
    {"wavefronts", &CostDifference::wavefronts,
     [](const trace::Totals& all) {
         return all.shared_load.wavefronts + all.shared_store.wavefronts +
                all.shared_atomic.wavefronts;
     }},
    {"divergent", &CostDifference::divergent,
     [](const trace::Totals& all) { return all.divergent_branches; }},
};

// "−87% | −50%": relative to the previous version, relative to the original.
std::string changes(const Workbench& bench, const Version& version, CostChange CostDifference::*of)
{
    const auto against = [&](const Version* was) -> std::string {
        const auto cost = was && was != &version ? difference(*was, version) : std::nullopt;
        return cost ? share_words(cost.value().*of) : "–";
    };
    if (version.number == 0) return "";
    const Version* const before = bench.before(version);
    const Version* const original = bench.original(version);
    if (before == original) return against(original);
    return against(before) + " | " + against(original);
}

void amount(const View& view, const std::string& count, const std::string& change)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(count.c_str());
    if (!change.empty()) quiet_text(view.style, change);
}

void version_row(const View& view, const Version& version)
{
    const Workbench& bench = view.document.bench;
    CodeState& state = view.ui.code;
    const Chosen name = name_of(version);
    const IdScope id(fmt::format("{} {}", name.first, name.second));
    ImGui::TableNextRow();
    for (auto* const chosen : {&state.first, &state.second}) {
        ImGui::TableNextColumn();
        const bool is_first = chosen == &state.first;
        if (ImGui::RadioButton(is_first ? "##A" : "##B", *chosen == name)) *chosen = name;
    }
    ImGui::TableNextColumn();
    const bool shown = shown_version(view.document) == &version;
    {
        const TextScope text(shown ? view.style.fonts.bold : view.style.fonts.plain, view.style.em,
                             shown ? view.style.palette.accent : view.style.palette.text);
        plain_text(version.title);
    }
    for (const Quantity& quantity : quantities) {
        if (version.cost)
            amount(view, grouped(quantity.count(version.cost->totals)),
                   changes(bench, version, quantity.change));
        else
            amount(view, "–", "");
    }
    if (!view.frame.engine.has_clock) return;
    const bool timed = version.step_ms.count > 0;
    amount(view, timed ? format_time(version.step_ms.median) : "–",
           timed ? changes(bench, version, &CostDifference::step_ms) : "");
}

// Shows only differing lines, with two lines of context.
void text_difference(const View& view, const Version& was, const Version& is)
{
    constexpr int around = 2;
    const auto before = lines_of(*was.text);
    const auto now = lines_of(*is.text);
    const std::vector<int> matches = matching_lines(*was.text, *is.text);
    struct Line {
        char mark;
        std::string_view text;
        bool near = false;
    };
    std::vector<Line> all;
    std::size_t done = 0; // lines of `before` already handled
    for (std::size_t i = 0; i <= now.size(); ++i) {
        const bool end = i == now.size();
        const auto place = end ? before.size() : static_cast<std::size_t>(matches[i]);
        if (end || place > 0) {
            const std::size_t to = end ? before.size() : place - 1;
            for (; done < to; ++done) all.push_back({'-', before[done]});
            done = end ? done : place;
        }
        if (!end) all.push_back({place > 0 ? ' ' : '+', now[i]});
    }
    const auto count = static_cast<int>(all.size());
    for (int i = 0; i < count; ++i)
        for (int k = std::max(i - around, 0); k <= std::min(i + around, count - 1); ++k)
            if (all[static_cast<std::size_t>(k)].mark != ' ')
                all[static_cast<std::size_t>(i)].near = true;
    std::erase_if(all, [](const Line& line) { return !line.near; });
    heading(view.style, fmt::format("{} → {}", was.title, is.title));
    if (all.empty()) return quiet_text(view.style, "The sources are identical.");
    const PanelStyle& style = view.style;
    for (const Line& line : all) {
        const ImVec4 colour = line.mark == '+'   ? style.palette.type
                              : line.mark == '-' ? style.palette.warning
                                                 : style.palette.quiet;
        const TextScope code(style.fonts.code, 0.95F * style.em, colour);
        plain_text(
            fmt::format("{} {}", line.mark == '-' ? "−" : std::string(1, line.mark), line.text));
    }
}

} // namespace

void versions_panel(const View& view, Commands& out)
{
    const Workbench& bench = view.document.bench;
    CodeState& state = view.ui.code;
    const PanelStyle& style = view.style;
    if (bench.versions.empty())
        return quiet_text(style, "Every edit that runs becomes a version. Ctrl E starts editing.");
    if (!find(bench, state.second)) state.second = name_of(*bench.versions.back());
    if (!find(bench, state.first))
        if (const Version* const before = bench.before(*find(bench, state.second)))
            state.first = name_of(*before);
    ImGui::BeginChild("versions");
    const bool timed = view.frame.engine.has_clock;
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH;
    if (ImGui::BeginTable("versions", timed ? 8 : 7, flags)) {
        const auto fixed = ImGuiTableColumnFlags_WidthFixed;
        ImGui::TableSetupColumn("A", fixed);
        ImGui::TableSetupColumn("B", fixed);
        ImGui::TableSetupColumn("version", 0, 1.2F);
        for (const Quantity& quantity : quantities) ImGui::TableSetupColumn(quantity.title);
        if (timed) ImGui::TableSetupColumn("time per step");
        ImGui::TableHeadersRow();
        for (const auto& version : bench.versions | std::views::reverse)
            version_row(view, *version);
        ImGui::EndTable();
    }
    quiet_text(style, "Counts per step on the lockstep machine; below them, the change since "
                      "the previous version | since the original.");
    const Version* const first = find(bench, state.first);
    const Version* const second = find(bench, state.second);
    if (first && second) {
        if (ImGui::Button("A/B")) {
            if (shown_version(view.document) != first)
                out.push_back(GoToVersion{first->variant, first->number});
            out.push_back(CompareVersion{second->variant, second->number});
        }
        ImGui::SameLine();
        if (ImGui::Button("Back to A")) out.push_back(GoToVersion{first->variant, first->number});
        text_difference(view, *first, *second);
    }
    ImGui::EndChild();
}

} // namespace lanescope::app
