// Fills in the templates of probes: `&name` → a register of the probe, `#name#` → a value.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace lanescope::ptx {

// A value for `#name#`: text, or a number as PTX writes it.
struct Filling {
    std::string_view name;
    std::string value;

    Filling(std::string_view name, std::string value) : name(name), value(std::move(value)) {}
    Filling(std::string_view name, std::string_view value) : name(name), value(value) {}
    Filling(std::string_view name, long long number) : name(name), value(std::to_string(number)) {}
};

std::string expand(std::string_view text, std::initializer_list<Filling> fillings = {});

// The expanded text in a scope with all registers that templates use; those that it does not use
// cost nothing.
std::string scoped(std::string_view text);

} // namespace lanescope::ptx
