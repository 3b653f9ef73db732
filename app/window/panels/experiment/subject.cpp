// Widgets for what the picture shows: its view, its heatmap, the warp of a request.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/draw/subjects/subject_kind.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// A number field with + and − buttons.
void draw_number(const Control& control, Commands& out)
{
    const std::int64_t one = 1;
    auto typed = static_cast<std::int64_t>(control.value);
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::InputScalar(("##" + control.id).c_str(), ImGuiDataType_S64, &typed, &one))
        out.push_back(control.changed(
            std::clamp(static_cast<double>(typed), 0.0, std::max(control.max, 0.0))));
}

// A list may be long: only its visible part is laid out.
void draw_list(const Control& control, Commands& out)
{
    // Shortens "line 12: global load, 4 B per lane" to the field's width.
    std::string shown = control.shown;
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() -
                       2 * ImGui::GetStyle().FramePadding.x;
    for (const char* end : {",", ":"})
        if (ImGui::CalcTextSize(shown.c_str()).x > room) shown = shown.substr(0, shown.find(end));
    while (ImGui::CalcTextSize(shown.c_str()).x > room && shown.find(' ') != std::string::npos)
        shown = shown.substr(0, shown.rfind(' ')) + "…";
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (!ImGui::BeginCombo(("##" + control.id).c_str(), shown.c_str())) return;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(control.count));
    while (clipper.Step())
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
            const auto option = control.option(static_cast<std::size_t>(row));
            const IdScope id(std::to_string(row));
            if (ImGui::Selectable(option.title.c_str(), option.chosen,
                                  option.available ? 0 : ImGuiSelectableFlags_Disabled) &&
                !option.chosen)
                out.push_back(option.command);
        }
    ImGui::EndCombo();
}

void draw_choice(const Control& control, Commands& out)
{
    for (std::size_t i = 0; i < control.count; ++i) {
        const auto option = control.option(i);
        if (i > 0) ImGui::SameLine();
        if (ImGui::RadioButton(option.title.c_str(), option.chosen) && !option.chosen)
            out.push_back(option.command);
    }
}

void draw_control(const View& view, const Control& control, Commands& out)
{
    using enum Control::Kind;
    if (control.kind == toggle) {
        bool on = control.value != 0;
        if (ImGui::Checkbox(control.title.c_str(), &on)) out.push_back(control.changed(on ? 1 : 0));
        return;
    }
    if (!control.title.empty()) quiet_text(view.style, control.title);
    if (control.kind == list) draw_list(control, out);
    if (control.kind == choice) draw_choice(control, out);
    if (control.kind == number) draw_number(control, out);
    if (control.kind == slider) {
        auto to = static_cast<float>(control.value);
        ImGui::SetNextItemWidth(-FLT_MIN);
        if (ImGui::SliderFloat(("##" + control.id).c_str(), &to, 0, 1, "%.2f"))
            out.push_back(control.changed(static_cast<double>(to)));
    }
}

// A probed launch runs a different kernel, so its cost is shown separately and never mixed with the
// plain kernel's times.
void draw_probe_cost(const View& view)
{
    const std::string& variant = view.frame.a.variant->id;
    const Spread probed = view.frame.probed_ms(variant);
    const Spread plain = view.frame.step_ms(variant);
    std::string words =
        "One launch per frame is probed. All times shown are those of the plain kernel.";
    constexpr std::size_t enough = 5; // the first samples include compiling
    if (probed.count >= enough && plain.median > 0)
        words += fmt::format(" The probed launch takes {} µs, {:.1f}× as long.",
                             significant(probed.median * 1e3), probed.median / plain.median);
    quiet_text(view.style, words);
}

} // namespace

void subject_panel(const View& view, Commands& out)
{
    const Look& look = view.document.look;
    const auto& views = view.document.lab().views;
    if (look.subject == Subject::picture && views.size() > 1) {
        quiet_text(view.style, "view (V)");
        ImGui::SetNextItemWidth(-FLT_MIN);
        if (ImGui::BeginCombo("##view", look.view.c_str())) {
            for (const std::string& one : views)
                if (ImGui::Selectable(one.c_str(), one == look.view)) out.push_back(SetView{one});
            ImGui::EndCombo();
        }
    }
    if (!view.frame.is_open()) return;
    const auto& totals = view.frame.of(view.document.variant).totals;
    Controls controls;
    shown_subject(look, view.document.lab())
        .controls({look, view.frame.a, totals ? &*totals : nullptr}, controls);
    for (const Control& control : controls) draw_control(view, control, out);
    const SideFrame& side = view.frame.a;
    if (side.counted_in_trial)
        quiet_text(view.style, "Counts of the lockstep machine, until this GPU's are ready.");
    if (!side.counted.any()) return;
    if (!side.counting_problem.empty()) {
        const TextScope warning(view.style.fonts.plain, view.style.em, view.style.palette.warning);
        plain_text(side.counting_problem);
    } else if (view.frame.engine.has_clock) {
        draw_probe_cost(view);
    }
}

} // namespace lanescope::app
