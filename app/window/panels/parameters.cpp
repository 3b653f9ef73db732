// See parameters.h.
#include "app/window/panels/parameters.h"

#include <fmt/format.h>

#include "app/export/table.h"

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

// A logarithmic slider cannot start at 0 or below, nor a range that does.
ImGuiSliderFlags flags_for(const Parameter& parameter)
{
    const bool logarithmic = parameter.logarithmic && parameter.min > 0;
    return ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

// The slider alone; its value stands above it. Ctrl and a click let a number be typed.
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

std::string value_text(const Parameter& parameter, double value)
{
    const std::string number = parameter.kind == Parameter::Kind::integer
                                   ? fmt::format("{}", static_cast<std::int64_t>(value))
                                   : significant(value, 4);
    return parameter.unit.empty() ? number : number + ' ' + parameter.unit;
}

// The title at the left, the value at the right.
void title_line(const PanelStyle& style, const Parameter& parameter, double value)
{
    quiet_text(style, parameter.title);
    if (parameter.kind == Parameter::Kind::choice) return;
    const std::string text = value_text(parameter, value);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SameLine();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    ImGui::TextUnformatted(text.c_str());
}

bool widget(const PanelStyle& style, const Parameter& parameter, double& value)
{
    const IdScope id(parameter.id);
    bool changed = false;
    if (parameter.kind == Parameter::Kind::toggle) {
        bool on = value != 0;
        changed = ImGui::Checkbox(parameter.title.c_str(), &on);
        value = on ? 1 : 0;
    } else {
        title_line(style, parameter, value);
        ImGui::SetNextItemWidth(-FLT_MIN);
        changed = parameter.kind == Parameter::Kind::choice ? choice(parameter, value)
                                                            : slide(parameter, value);
    }
    if (!parameter.help.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
        ImGui::SetTooltip("%s", parameter.help.c_str());
    return changed;
}

} // namespace

bool parameters_panel(const PanelStyle& style, const labs::Lab& lab, labs::Values& values)
{
    bool changed = false;
    for (const Parameter& parameter : lab.parameters) {
        double value = values.real(parameter.id);
        if (!widget(style, parameter, value)) continue;
        values.set(parameter.id, value);
        changed = true;
    }
    return changed;
}

bool presets_panel(const PanelStyle& style, const labs::Lab& lab, std::size_t& picked)
{
    bool changed = false;
    if (lab.presets.empty()) return changed;
    heading(style, "Presets");
    for (std::size_t i = 0; i < lab.presets.size(); ++i) {
        const IdScope id(std::to_string(i));
        if (ImGui::Selectable(lab.presets[i].title.c_str(), i == picked)) {
            picked = i;
            changed = true;
        }
    }
    return changed;
}

} // namespace lanescope::app
