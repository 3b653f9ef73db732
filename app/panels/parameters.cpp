// See parameters.h.
#include "app/panels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

bool whole_number(const Parameter& parameter, double& value)
{
    auto number = static_cast<std::int64_t>(value);
    const auto low = static_cast<std::int64_t>(parameter.min);
    const auto high = static_cast<std::int64_t>(parameter.max);
    const std::string format =
        parameter.unit.empty() ? "%lld" : fmt::format("%lld {}", parameter.unit);
    if (!ImGui::SliderScalar("##value", ImGuiDataType_S64, &number, &low, &high, format.c_str(),
                             flags_for(parameter)))
        return false;
    value = static_cast<double>(number);
    return true;
}

bool real_number(const Parameter& parameter, double& value)
{
    const int digits = std::clamp(
        static_cast<int>(3 - std::floor(std::log10(parameter.max - parameter.min))), 0, 6);
    const std::string format =
        fmt::format("%.{}f{}{}", digits, parameter.unit.empty() ? "" : " ", parameter.unit);
    double moved = value;
    if (!ImGui::SliderScalar("##value", ImGuiDataType_Double, &moved, &parameter.min,
                             &parameter.max, format.c_str(), flags_for(parameter)))
        return false;
    value = moved;
    return true;
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
        quiet_text(style, parameter.title);
        ImGui::SetNextItemWidth(-FLT_MIN);
        switch (parameter.kind) {
        case Parameter::Kind::choice: changed = choice(parameter, value); break;
        case Parameter::Kind::integer: changed = whole_number(parameter, value); break;
        default: changed = real_number(parameter, value); break;
        }
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
