// The lab's parameters as widgets, directly from the record.
#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "app/measure/measurements.h"
#include "app/run/kernel/assumption.h"
#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using labs::Parameter;

bool choice(const Parameter& parameter, double& value)
{
    int index = static_cast<int>(value);
    bool changed = false;
    if (ImGui::BeginCombo("##value", parameter.choices[static_cast<std::size_t>(index)].c_str())) {
        for (int i = 0; i < static_cast<int>(parameter.choices.size()); ++i) {
            if (ImGui::Selectable(parameter.choices[static_cast<std::size_t>(i)].c_str(),
                                  i == index)) {
                changed = i != index;
                value = i;
            }
        }
        ImGui::EndCombo();
    }
    return changed;
}

// Logarithmic sliders need a range that starts above 0.
ImGuiSliderFlags flags_for(const Parameter& parameter)
{
    const bool logarithmic = parameter.logarithmic && parameter.min > 0;
    return ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

// The slider alone; its value is shown above it. Ctrl click allows typing a number.
bool slide(const Parameter& parameter, double& value)
{
    bool changed = false;
    if (parameter.kind == Parameter::Kind::integer) {
        auto number = static_cast<std::int64_t>(value);
        const auto low = static_cast<std::int64_t>(parameter.min);
        const auto high = static_cast<std::int64_t>(parameter.max);
        changed = ImGui::SliderScalar("##value", ImGuiDataType_S64, &number, &low, &high, "",
                                      flags_for(parameter));
        if (changed) value = static_cast<double>(number);
    } else {
        double moved = value;
        changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, &moved, &parameter.min,
                                      &parameter.max, "", flags_for(parameter));
        if (changed) value = moved;
    }
    return changed;
}

std::string quantity_text(const Parameter& parameter, double value)
{
    std::string number = significant(value, 4);
    if (parameter.kind == Parameter::Kind::integer)
        number = (value < 0 ? "−" : "") + grouped(static_cast<std::uint64_t>(std::abs(value)));
    return parameter.unit.empty() ? number : number + ' ' + parameter.unit;
}

// The value with its unit; "= 512 cells" or the record's words if 0 stands for something else.
std::string value_text(const labs::Lab& lab, const labs::Values& values, const Parameter& parameter,
                       double value)
{
    if (value != 0 || parameter.zero.empty()) return quantity_text(parameter, value);
    const Parameter* const same = lab.find_parameter(parameter.zero);
    return same ? "= " + quantity_text(*same, values.real(same->id)) : parameter.zero;
}

// Title at the left, value at the right.
void title_line(const PanelStyle& style, const Parameter& parameter, const std::string& text)
{
    quiet_text(style, parameter.title);
    if (parameter.kind == Parameter::Kind::choice) return;
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SameLine();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    ImGui::TextUnformatted(text.c_str());
}

bool widget(const View& view, const labs::Values& values, const Parameter& parameter, double& value)
{
    const char* keys = "Space switches";
    const IdScope id(parameter.id);
    bool changed = false;
    if (parameter.kind == Parameter::Kind::toggle) {
        bool on = value != 0;
        changed = ImGui::Checkbox(parameter.title.c_str(), &on);
        value = on ? 1 : 0;
    } else {
        title_line(view.style, parameter,
                   value_text(view.document.lab(), values, parameter, value));
        ImGui::SetNextItemWidth(-FLT_MIN);
        const bool listed = parameter.kind == Parameter::Kind::choice;
        // Thin, so that all sliders of a lab are in view.
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                            {0.45F * view.style.em, (listed ? 0.15F : 0.0F) * view.style.em});
        changed = listed ? choice(parameter, value) : slide(parameter, value);
        ImGui::PopStyleVar();
        keys = listed ? "" : "drag, or Ctrl click to type a number";
    }
    describe_item(view, parameter.help, keys);
    return changed;
}

// An engine that cannot be timed shows a recorded timeline: returns the values it was recorded
// with.
std::optional<labs::Values> drawn_values(const Frame& frame, const labs::Lab& lab)
{
    const auto& picture = frame.a.picture;
    const auto* const shown =
        picture ? std::get_if<labs::TimelinePicture>(&picture->shape) : nullptr;
    const auto recorded = shown_measurements(frame.engine.has_clock);
    if (!shown || !shown->timeline || shown->timeline->timed || !recorded || frame.a.lab != &lab)
        return {};
    const auto drawn = recorded->like(*shown->timeline);
    if (!drawn) return {};
    labs::Values values(lab);
    for (const auto& [id, text] : drawn->values)
        if (lab.find_parameter(id)) values.set(id, text);
    return values;
}

} // namespace

// Assumptions about a launch without a description; each links to the entry that changes it.
static void assumed_line(const View& view, const labs::Values& values)
{
    const SideFrame& side = view.frame.a;
    if (!side.variant || side.variant->id != view.document.variant ||
        side.lab != &view.document.lab())
        return;
    const auto parts =
        assumptions(*side.lab, *side.variant, values,
                    {.kernel = nullptr, .grid = side.facts.grid, .block = side.facts.block});
    if (parts.empty()) return;
    std::vector<std::string> entries{"Launch"};
    for (const Parameter& one : side.lab->parameters)
        if (one.concerns(side.variant->id)) entries.push_back(one.id);
    for (std::size_t i = entries.size(); i < parts.size(); ++i)
        entries.push_back(parts[i].substr(0, parts[i].find(':'))); // "in: waves"
    quiet_text(view.style, "assumed:");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const IdScope id(std::to_string(i));
        const std::string words = parts[i] + (i + 1 < parts.size() ? "," : "");
        const float width = ImGui::CalcTextSize(words.c_str()).x;
        ImGui::SameLine();
        if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
        if (ImGui::TextLink(words.c_str())) view.ui.shown_entry = entries[i];
        view.ui.places["assumed " + entries[i]] = item_centre();
    }
    ImGui::Separator();
}

void parameters_panel(const View& view, Commands& out)
{
    const labs::Lab& lab = view.document.lab();
    labs::Values values(lab);
    for (const auto& [id, text] : view.document.values) values.set(id, text);
    assumed_line(view, values);
    const auto drawn = drawn_values(view.frame, lab);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0.5F * view.style.em, 0.2F * view.style.em});
    for (const Parameter& parameter : lab.parameters) {
        if (!parameter.concerns(view.document.variant)) continue;
        double value = values.real(parameter.id);
        const bool shown = view.ui.shown_entry == parameter.id;
        if (shown) ImGui::SetKeyboardFocusHere();
        const bool changed = widget(view, values, parameter, value);
        if (shown) {
            ImGui::SetScrollHereY();
            view.ui.shown_entry.clear();
        }
        view.ui.places[parameter.id] = item_centre();
        if (drawn && drawn->real(parameter.id) != value)
            quiet_text(view.style,
                       fmt::format("drawn: {}, as recorded",
                                   value_text(lab, *drawn, parameter, drawn->real(parameter.id))));
        if (!changed) continue;
        values.set(parameter.id, value);
        out.push_back(SetValue{parameter.id, values.text(parameter.id)});
    }
    ImGui::PopStyleVar();
}

void presets_panel(const View& view, Commands& out)
{
    const auto& presets = view.document.lab().presets;
    if (presets.empty()) return;
    heading(view.style, "Presets");
    for (std::size_t i = 0; i < presets.size(); ++i) {
        const IdScope id(std::to_string(i));
        const std::string title =
            broken_into_lines(view.style.fonts.plain, view.style.em, presets[i].title,
                              ImGui::GetContentRegionAvail().x);
        if (ImGui::Selectable(title.c_str(), view.document.preset == i))
            out.push_back(ChoosePreset{i});
        describe_item(view, "sets variant, values and view", "N: the next preset");
    }
}

} // namespace lanescope::app
