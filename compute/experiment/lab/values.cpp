// Parameter values: their text form and the validation that every setter uses.
#include "compute/experiment/lab/lab.h"
#include "compute/read_number.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::labs {
namespace {

[[noreturn]] void refuse(std::string cause, std::string cure)
{
    throw Error(ExitStatus::bad_usage, std::move(cause), std::move(cure));
}

const Parameter& parameter_of(const Lab& lab, std::string_view id)
{
    if (const Parameter* parameter = lab.find_parameter(id)) return *parameter;
    std::vector<std::string_view> names;
    for (const Parameter& parameter : lab.parameters) names.push_back(parameter.id);
    refuse(fmt::format("The lab {} has no parameter '{}'.", lab.id, id),
           fmt::format("Its parameters are: {}.", fmt::join(names, ", ")));
}

std::string example(const Parameter& parameter, double value)
{
    return fmt::format("Give a value from that range, for instance {}={}.", parameter.id, value);
}

std::optional<double> parse_number(std::string_view text)
{
    double value = 0;
    const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> parse_toggle(std::string_view text)
{
    if (text == "on" || text == "true" || text == "yes" || text == "1") return 1;
    if (text == "off" || text == "false" || text == "no" || text == "0") return 0;
    return std::nullopt;
}

double parse(const Parameter& parameter, std::string_view text)
{
    switch (parameter.kind) {
    case Parameter::Kind::choice:
        for (std::size_t i = 0; i < parameter.choices.size(); ++i)
            if (parameter.choices[i] == text) return static_cast<double>(i);
        refuse(fmt::format("{} cannot be '{}'.", parameter.id, text),
               fmt::format("Choose one of: {}.", fmt::join(parameter.choices, ", ")));
    case Parameter::Kind::toggle:
        if (const auto value = parse_toggle(text)) return *value;
        refuse(fmt::format("{} cannot be '{}'.", parameter.id, text), "Choose on or off.");
    case Parameter::Kind::integer:
    case Parameter::Kind::real:
        if (const auto value = parse_number(text)) return *value;
        refuse(fmt::format("{} must be a number, got '{}'.", parameter.id, text),
               example(parameter, parameter.initial));
    }
    throw std::logic_error("a parameter without a kind");
}

double checked(const Parameter& parameter, double value)
{
    double low = parameter.min;
    double high = parameter.max;
    if (parameter.kind == Parameter::Kind::choice) {
        low = 0;
        high = static_cast<double>(parameter.choices.size()) - 1;
    } else if (parameter.kind == Parameter::Kind::toggle) {
        low = 0;
        high = 1;
    }
    // This form of the condition also rejects NaN.
    if (!(value >= low && value <= high))
        refuse(
            fmt::format("{} must lie between {} and {}, got {}.", parameter.id, low, high, value),
            example(parameter, parameter.initial));
    if (parameter.kind != Parameter::Kind::real && value != std::floor(value))
        refuse(fmt::format("{} must be a whole number, got {}.", parameter.id, value),
               example(parameter, std::floor(value)));
    return value;
}

} // namespace

Values::Values(const Lab& lab) : lab_(&lab)
{
    for (const Parameter& parameter : lab.parameters) values_[parameter.id] = parameter.initial;
}

void Values::set(std::string_view id, std::string_view text)
{
    const Parameter& parameter = parameter_of(*lab_, id);
    set(id, parse(parameter, text));
}

void Values::set(std::string_view id, double value)
{
    const Parameter& parameter = parameter_of(*lab_, id);
    values_.find(id)->second = checked(parameter, value);
}

double Values::real(std::string_view id) const
{
    const auto found = values_.find(id);
    if (found == values_.end())
        throw std::out_of_range(fmt::format("no parameter '{}' in {}", id, lab_->id));
    return found->second;
}

int Values::integer(std::string_view id) const
{
    return static_cast<int>(real(id));
}

bool Values::toggle(std::string_view id) const
{
    return real(id) != 0;
}

std::string Values::text(std::string_view id) const
{
    const Parameter& parameter = parameter_of(*lab_, id);
    const double value = real(id);
    switch (parameter.kind) {
    case Parameter::Kind::choice: return parameter.choices.at(static_cast<std::size_t>(value));
    case Parameter::Kind::toggle: return value != 0 ? "on" : "off";
    case Parameter::Kind::integer: return fmt::format("{}", static_cast<std::int64_t>(value));
    case Parameter::Kind::real: return fmt::format("{}", value);
    }
    throw std::logic_error("a parameter without a kind");
}

} // namespace lanescope::labs
