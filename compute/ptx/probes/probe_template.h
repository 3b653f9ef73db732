// Expands the templates of probes: `&name` → a register of the probe, `#name#` → a value.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace lanescope::ptx {

// A value for `#name#`: text, or a number in PTX syntax.
struct Filling {
    std::string_view name;
    std::string value;

    Filling(std::string_view name, std::string value) : name(name), value(std::move(value)) {}
    Filling(std::string_view name, std::string_view value) : name(name), value(value) {}
    Filling(std::string_view name, long long number) : name(name), value(std::to_string(number)) {}
};

std::string expand(std::string_view text, std::initializer_list<Filling> fillings = {});

// All registers that the templates use besides those of the count table, declared once per
// function. No probe expects a value from another probe.
constexpr std::string_view probe_registers = R"(
.reg .pred &p, &q, &leader, &regular, &fresh, &merged, &to_shared, &to_global, &many, &has_field;
.reg .b32 &mask, &below, &rank, &first, &low, &high, &bytes, &t, &u;
.reg .b32 &target, &field, &value, &which, &weight, &once, &fixed, &within, &shift, &row;
.reg .b32 &slot, &base32, &lane, &at, &group, &unit, &same, &firsts, &bank, &turn;
.reg .b32 &warp, &x, &y, &z, &tries;
.reg .b32 &all, &shared_lanes, &global_lanes;
.reg .b64 &address, &base, &offset, &key, &wide, &record, &limit, &old, &generic, &sites, &mine;
)";

// The expanded text in its own scope, for its labels.
std::string scoped(std::string_view text);

} // namespace lanescope::ptx
