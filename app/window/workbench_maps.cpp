// Heatmaps and what else stands in the picture's place: choosing them, by widget, key and mouse,
// and telling what the mouse points at. See workbench.h.
#include <imgui.h>

#include <fmt/format.h>

#include <algorithm>

#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/export/table.h"
#include "app/window/panels/hover.h"
#include "app/window/workbench.h"

namespace lanescope::app {
namespace {

constexpr const char* subject_titles[] = {"the picture", "its memory", "one request of a warp"};

std::int64_t warps_of(const StageFacts& facts)
{
    return static_cast<std::int64_t>(facts.shape.grid.count() *
                                     ((facts.shape.block.count() + 31) / 32));
}

// A list that changes `chosen` to the text that is picked; true when it did.
bool choose_text(const char* id, const std::vector<std::string>& texts, std::string& chosen)
{
    bool changed = false;
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (!ImGui::BeginCombo(id, chosen.c_str())) return false;
    for (const std::string& text : texts) {
        if (ImGui::Selectable(text.c_str(), text == chosen)) {
            changed = text != chosen;
            chosen = text;
        }
    }
    ImGui::EndCombo();
    return changed;
}

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

} // namespace

void Workbench::choose_subject(Subject subject)
{
    if (look_.subject == subject) return;
    look_.subject = subject;
    look_.pan_zoom = {};
}

void Workbench::next_subject()
{
    const auto next = (static_cast<int>(look_.subject) + 1) % 3;
    choose_subject(static_cast<Subject>(next));
}

// The arrow keys: from one memory to the next, or from warp to warp and from site to site.
void Workbench::move_in_subject(int right, int up, int requests)
{
    if (!stage_ || ImGui::GetIO().NavVisible) return;
    if (look_.subject == Subject::memory) {
        const auto& all = stage_->facts().memory;
        const auto count = std::ssize(all);
        if (count == 0) return;
        auto now = std::ranges::find(all, look_.memory) - all.begin();
        if (now == count) now = 0;
        look_.memory = all[static_cast<std::size_t>((now + right + count) % count)];
        if (up != 0) look_.memory_warps = !look_.memory_warps;
    } else if (look_.subject == Subject::request) {
        RequestChoice& choice = look_.request;
        const std::int64_t warps = warps_of(stage_->facts());
        choice.warp =
            std::clamp<std::int64_t>(choice.warp + right, 0, std::max<std::int64_t>(warps - 1, 0));
        const std::int64_t seen = stage_->trace().request.seen;
        choice.request = std::clamp<std::int64_t>(choice.request + requests, 0,
                                                  std::max<std::int64_t>(seen - 1, 0));
        if (up != 0) move_to_site(-up);
    }
}

// The next site of the trace that touches memory, in the order of the program.
void Workbench::move_to_site(int by)
{
    const trace::Trace& trace = stage_->trace();
    const auto count = static_cast<int>(trace.sites.size());
    int site = trace.request.site;
    do {
        site += by;
        if (site < 0 || site >= count) return;
    } while (trace.sites[static_cast<std::size_t>(site)].op == trace::Op::branch);
    look_.request.site = site;
    look_.request.request = 0;
}

void Workbench::draw_map_controls(const PanelStyle& style)
{
    heading(style, "Shown (M)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##subject", subject_titles[static_cast<int>(look_.subject)])) {
        for (int i = 0; i < 3; ++i)
            if (ImGui::Selectable(subject_titles[i], i == static_cast<int>(look_.subject)))
                choose_subject(static_cast<Subject>(i));
        ImGui::EndCombo();
    }
    if (!stage_) return;
    switch (look_.subject) {
    case Subject::picture: draw_picture_controls(style); break;
    case Subject::memory: draw_memory_controls(style); break;
    case Subject::request: draw_request_controls(style); break;
    }
    if (!stage_->counted().any()) return;
    if (!stage_->counting_problem().empty()) {
        const TextScope warning(style.fonts.plain, style.em, style.palette.warning);
        plain_text(stage_->counting_problem());
    } else if (readings_.has_clock) {
        draw_probe_cost(style);
    }
}

void Workbench::draw_picture_controls(const PanelStyle& style)
{
    quiet_text(style, "under the heatmap (H)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##map", map_title(look_.map).c_str())) {
        for (const std::string& name : map_names())
            if (ImGui::Selectable(map_title(name).c_str(), name == look_.map)) look_.map = name;
        ImGui::EndCombo();
    }
    if (look_.map == "off") return;
    quiet_text(style, "how much of it");
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::SliderFloat("##blend", &look_.map_blend, 0, 1, "%.2f");
    ImGui::Checkbox("scale from the values seen", &look_.map_automatic);
    const bool counted = stage_->counted().map && !stage_->busy();
    if (counted && stage_->counting_problem().empty() && !stage_->warp_map())
        quiet_text(style, "This picture is no array that warps write: there is no map over it. "
                          "M shows the memory.");
}

void Workbench::draw_memory_controls(const PanelStyle& style)
{
    const auto& all = stage_->facts().memory;
    if (all.empty()) return;
    std::string chosen =
        std::ranges::find(all, look_.memory) == all.end() ? all.front() : look_.memory;
    if (choose_text("##memory", all, chosen)) look_.memory = chosen;
    int counts = look_.memory_warps ? 1 : 0;
    ImGui::RadioButton("requests", &counts, 0);
    ImGui::SameLine();
    ImGui::RadioButton("warps", &counts, 1);
    look_.memory_warps = counts == 1;
    ImGui::Checkbox("scale from the values seen", &look_.map_automatic);
    quiet_text(style, "A cell is a sector of 32 bytes, four are a line; addresses rise to the "
                      "right, then downwards.");
}

void Workbench::draw_request_controls(const PanelStyle& style)
{
    const trace::Trace& trace = stage_->trace();
    const auto current = static_cast<std::size_t>(std::max(trace.request.site, 0));
    const std::string title = current < trace.sites.size() ? site_title(trace.sites[current]) : "–";
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##site", title.c_str())) {
        if (ImGui::Selectable("the one that moves most beyond need", look_.request.site < 0))
            look_.request.site = -1;
        for (std::size_t i = 0; i < trace.sites.size(); ++i) {
            if (trace.sites[i].op == trace::Op::branch) continue;
            const IdScope id(std::to_string(i));
            if (ImGui::Selectable(site_title(trace.sites[i]).c_str(), i == current))
                look_.request.site = static_cast<int>(i);
        }
        ImGui::EndCombo();
    }
    quiet_text(style, fmt::format("warp, of {}",
                                  grouped(static_cast<std::uint64_t>(warps_of(stage_->facts())))));
    choose_number("##warp", warps_of(stage_->facts()) - 1, look_.request.warp);
    if (trace.request.seen > 1) {
        quiet_text(style, fmt::format("its request here, of {}", trace.request.seen));
        choose_number("##request", trace.request.seen - 1, look_.request.request);
    }
    quiet_text(style, "Shift and a click on a heatmap choose the warp that wrote there.");
}

// A probed launch is another kernel: what it costs is said, and never mixed with the plain one's
// times.
void Workbench::draw_probe_cost(const PanelStyle& style)
{
    const std::string& variant = stage_->variant().id;
    const Spread probed = stage_->probed_ms(variant);
    const Spread plain = stage_->step_ms(variant);
    std::string words = "Probes are on in one launch a frame. All times shown are those of the "
                        "plain kernel.";
    constexpr std::size_t enough = 5; // the first ones wait for the compiler
    if (probed.count >= enough && plain.median > 0)
        words += fmt::format(" The probed launch takes {} µs, {:.1f} times as long.",
                             significant(probed.median * 1e3), probed.median / plain.median);
    quiet_text(style, words);
}

// While what is shown is being computed, the numbers of before stay.
void Workbench::draw_hover(const Area& area)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (!stage_ || !placement_ || io.WantCaptureMouse || !area.contains(io.MousePos)) {
        hover_.clear();
        return;
    }
    const Stage& side = side_at(area, io.MousePos.x);
    const bool readable = !side.sharing().mapped() && side.picture() != nullptr;
    if (readable) guarded([&] { hover_ = pointed_words(side, area); });
    if (!hover_.empty()) ImGui::SetTooltip("%s", hover_.c_str());
}

// Whose picture is at x: in A/B the rival's, right of the divider.
const Stage& Workbench::side_at(const Area& area, float x) const
{
    const bool right = x >= area.at.x + look_.swipe * area.size.x;
    return rival_ && drawn_rival_ && right ? *rival_ : *stage_;
}

std::string Workbench::pointed_words(const Stage& side, const Area& area)
{
    if (rival_ && look_.difference) return {};
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const glm::dvec2 point =
        placement_->to_picture({mouse.x - area.at.x, area.at.y + area.size.y - mouse.y});
    if (look_.subject == Subject::memory) {
        const auto& taken = side.memory_map().taken();
        if (!taken) return {};
        const render::MemoryMapData touches = side.memory_map().data(render::SectorMetric::touches);
        const auto grid =
            render::memory_grid(taken->sectors, static_cast<double>(placement_->viewport.width) /
                                                    std::max(placement_->viewport.height, 1));
        const auto sector = grid.sector_at(point, taken->sectors);
        if (!sector) return {};
        return sector_words(
            taken->name, *sector, render::count_of(touches, *sector),
            render::count_of(side.memory_map().data(render::SectorMetric::warps), *sector));
    }
    if (look_.subject != Subject::picture || look_.map == "off") return {};
    const auto map = side.warp_map();
    const auto warp = map ? render::warp_at(*map, point) : std::nullopt;
    if (!warp) return {};
    if (ImGui::GetIO().KeyShift && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        look_.request.warp = warp->index;
        look_.request.request = 0;
        choose_subject(Subject::request);
        return {};
    }
    const auto& shape = side.facts().shape;
    return warp_words(warp->index, warp->counts, shape.grid, shape.block);
}

} // namespace lanescope::app
