// Scopes nest at most a hundred deep, so that every look-up takes bounded time.
#include "compute/ptx/text/scopes.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {
constexpr std::size_t max_nested = 100;
constexpr std::array<std::string_view, 4> components{".x", ".y", ".z", ".w"};
} // namespace

Scopes::Scopes(Function& function) : function_(function)
{
    scopes_.emplace_back();
}

void Scopes::open(int line)
{
    if (scopes_.size() == max_nested)
        throw ParseError(line, fmt::format("scopes are nested more than {} deep", max_nested));
    scopes_.emplace_back();
}

void Scopes::close()
{
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (LabelUse& use : scope.uses) {
        if (const auto found = scope.labels.find(use.name); found != scope.labels.end())
            resolve(use, found->second);
        else if (scopes_.empty())
            throw ParseError(use.line, fmt::format("label '{}' is not defined in '{}'", use.name,
                                                   function_.name));
        else
            scopes_.back().uses.push_back(std::move(use));
    }
}

void Scopes::resolve(const LabelUse& use, const std::string& label)
{
    if (use.in_table)
        function_.branch_targets[use.table][use.entry] = label;
    else
        function_.instructions[use.instruction].operands[use.entry].symbol = label;
}

void Scopes::use_label(LabelUse use)
{
    Scope& here = scopes_.back();
    if (const auto found = here.labels.find(use.name); found != here.labels.end())
        resolve(use, found->second);
    else
        here.uses.push_back(std::move(use));
}

std::string Scopes::unique(std::string_view name)
{
    int& copies = copies_[name];
    ++copies;
    return copies == 1 ? std::string(name) : fmt::format("{}@{}", name, copies);
}

Meaning Scopes::make_registers(std::string_view name, Type type, int vector)
{
    Meaning meaning{Meaning::Kind::registers, {}, unique(name)};
    for (int i = 0; i < vector; ++i) {
        meaning.registers.push_back(static_cast<int>(function_.registers.size()));
        function_.registers.push_back(
            {vector == 1 ? meaning.unique : meaning.unique + std::string(components[i]), type});
    }
    return meaning;
}

void Scopes::declare_register(std::string_view name, Type type, int vector, int line)
{
    const auto [place, fresh] = scopes_.back().names.try_emplace(name);
    if (!fresh) throw ParseError(line, fmt::format("'{}' is declared twice in one scope", name));
    place->second = make_registers(name, type, vector);
}

void Scopes::declare_range(std::string_view prefix, Type type, int vector, std::uint64_t count,
                           int line)
{
    if (!scopes_.back().ranges.try_emplace(prefix, Range{type, vector, count}).second)
        throw ParseError(line, fmt::format("'{}<…>' is declared twice in one scope", prefix));
}

std::string Scopes::declare_variable(std::string_view name, int line, std::string_view suffix)
{
    const auto [place, fresh] = scopes_.back().names.try_emplace(name);
    if (!fresh) throw ParseError(line, fmt::format("'{}' is declared twice in one scope", name));
    place->second = {Meaning::Kind::variable, {}, unique(name).append(suffix)};
    return place->second.unique;
}

std::string Scopes::declare_label(std::string_view name, int line)
{
    const auto [place, fresh] = scopes_.back().labels.try_emplace(name);
    if (!fresh) throw ParseError(line, fmt::format("label '{}' is defined twice", name));
    place->second = unique(name);
    return place->second;
}

const Meaning* Scopes::find_in_ranges(Scope& scope, std::string_view name)
{
    constexpr int max_digits = 10;
    for (int digits = 1; digits <= max_digits && digits < static_cast<int>(name.size()); ++digits) {
        const std::string_view number = name.substr(name.size() - digits);
        if (number[0] < '0' || number[0] > '9') return nullptr;
        if (number[0] == '0' && digits > 1) continue;
        const auto range = scope.ranges.find(name.substr(0, name.size() - digits));
        if (range == scope.ranges.end()) continue;
        std::uint64_t index = 0;
        std::from_chars(number.data(), number.data() + number.size(), index);
        if (index >= range->second.count) continue;
        return &scope.names
                    .emplace(name, make_registers(name, range->second.type, range->second.vector))
                    .first->second;
    }
    return nullptr;
}

const Meaning* Scopes::find(std::string_view name)
{
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const auto found = scope->names.find(name); found != scope->names.end())
            return &found->second;
        if (scope->ranges.empty()) continue;
        if (const Meaning* found = find_in_ranges(*scope, name)) return found;
    }
    return nullptr;
}

} // namespace lanescope::ptx
