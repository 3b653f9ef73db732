// The meaning of each kind of finding, from the table in findings.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lanescope::trace {

// The consequence of such a finding for the launch.
enum class Effect : std::uint8_t {
    ends,          // as on a GPU
    repeats,       // ended: it would never have ended by itself
    exceeds_limit, // ended: it took too long
    unnoticed,     // ended, although a GPU does not notice
    doubtful,      // continues, but its result is in doubt
    tolerated,     // continues: a GPU executes it as intended, although no manual promises it
    host,          // not about a launch
};
enum class Severity : std::uint8_t { fault, warning };

struct FindingRow {
    std::string_view name;
    Effect effect = Effect::host;
    Severity severity = Severity::fault;
};
inline constexpr std::array finding_rows{
#define FINDING(kind, effect, severity, cuda_error)                                                \
    FindingRow{#kind, Effect::effect, Severity::severity},
#include "compute/trace/findings.def"
#undef FINDING
};

// Names of the kinds, for comparisons with trace::Fault::kind.
namespace kind {
#define FINDING(kind, effect, severity, cuda_error) inline constexpr std::string_view kind = #kind;
#include "compute/trace/findings.def"
#undef FINDING
} // namespace kind

constexpr const FindingRow* find_finding(std::string_view name)
{
    for (const FindingRow& row : finding_rows)
        if (row.name == name) return &row;
    return nullptr;
}

// A kind by its name. Names that the table lacks do not compile.
class FindingKind {
public:
    consteval FindingKind(const char* name) : FindingKind(std::string_view(name)) {}
    consteval FindingKind(std::string_view name) : row_(find_finding(name))
    {
        if (row_ == nullptr) throw "findings.def has no row of this name";
    }
    // For the kind of a trace::Fault. Throws std::logic_error for an unknown name.
    static constexpr FindingKind named(std::string_view name)
    {
        const FindingRow* const row = find_finding(name);
        return row == nullptr ? throw std::logic_error("findings.def lacks " + std::string(name))
                              : FindingKind(*row);
    }
    constexpr std::string_view name() const { return row_->name; }
    constexpr Severity severity() const { return row_->severity; }
    // Index of its row.
    constexpr std::size_t index() const
    {
        return static_cast<std::size_t>(row_ - finding_rows.data());
    }

private:
    constexpr explicit FindingKind(const FindingRow& row) : row_(&row) {}

    const FindingRow* row_;
};

// Effect of a trace::Fault::kind. Kinds that only a GPU reports end the launch.
constexpr Effect effect_of(std::string_view kind)
{
    const FindingRow* const row = find_finding(kind);
    return row == nullptr ? Effect::ends : row->effect;
}
// True if a launch continues past it, with its result in doubt.
constexpr bool is_doubt(std::string_view kind)
{
    const Effect effect = effect_of(kind);
    return effect == Effect::doubtful || effect == Effect::tolerated;
}
// True if it ends a launch that would not have ended by itself, or only too late.
constexpr bool is_stop(std::string_view kind)
{
    const Effect effect = effect_of(kind);
    return effect == Effect::repeats || effect == Effect::exceeds_limit;
}

} // namespace lanescope::trace
