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
    repeats,       // stopped: it would never have ended by itself
    exceeds_limit, // stopped: it took too long
    unnoticed,     // stopped, although a GPU would not notice
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

// Index of the row of that name; finding_rows.size() if there is none.
constexpr std::size_t find_finding(std::string_view name)
{
    std::size_t index = 0;
    while (index < finding_rows.size() && finding_rows[index].name != name) ++index;
    return index;
}

// A kind by its name. Names that the table lacks do not compile.
class FindingKind {
public:
    consteval FindingKind(const char* name) : FindingKind(std::string_view(name)) {}
    consteval FindingKind(std::string_view name) : index_(find_finding(name))
    {
        if (index_ == finding_rows.size()) throw "findings.def has no row of this name";
    }
    // For the kind of a trace::Fault. Throws std::logic_error for an unknown name.
    static constexpr FindingKind named(std::string_view name)
    {
        const std::size_t index = find_finding(name);
        return index == finding_rows.size()
                   ? throw std::logic_error("findings.def lacks " + std::string(name))
                   : FindingKind(index);
    }
    constexpr std::string_view name() const { return finding_rows[index_].name; }
    constexpr Severity severity() const { return finding_rows[index_].severity; }
    // Index of its row.
    constexpr std::size_t index() const { return index_; }

private:
    constexpr explicit FindingKind(std::size_t index) : index_(index) {}

    std::size_t index_;
};

// Effect of a trace::Fault::kind. Kinds that only a GPU reports end the launch.
constexpr Effect effect_of(std::string_view kind)
{
    const std::size_t index = find_finding(kind);
    return index == finding_rows.size() ? Effect::ends : finding_rows[index].effect;
}
// True if the launch continues after such a finding, but its result is in doubt.
constexpr bool is_doubt(std::string_view kind)
{
    const Effect effect = effect_of(kind);
    return effect == Effect::doubtful || effect == Effect::tolerated;
}
// True if the finding ends a launch that would never have ended by itself, or only after too long.
constexpr bool is_stop(std::string_view kind)
{
    const Effect effect = effect_of(kind);
    return effect == Effect::repeats || effect == Effect::exceeds_limit;
}

} // namespace lanescope::trace
