// The table of findings.
#include "compute/trace/findings.h"

#include <set>
#include <stdexcept>
#include <string_view>

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

TEST(Findings, EachKindHasOneRow)
{
    std::set<std::string_view> names;
    for (const FindingRow& row : finding_rows)
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Findings, EffectDeterminesLaunchOutcome)
{
    for (const FindingRow& row : finding_rows) {
        SCOPED_TRACE(row.name);
        const bool continues = row.effect == Effect::doubtful || row.effect == Effect::tolerated;
        EXPECT_EQ(is_doubt(row.name), continues);
        EXPECT_FALSE(continues && is_stop(row.name));
        // A GPU executes these as intended, so they are not faults of the program.
        if (row.effect == Effect::tolerated) {
            EXPECT_EQ(row.severity, Severity::warning);
        }
        if (row.effect == Effect::ends || row.effect == Effect::unnoticed) {
            EXPECT_EQ(row.severity, Severity::fault);
        }
    }
    EXPECT_TRUE(is_stop(kind::endless));
    EXPECT_TRUE(is_stop(kind::time_limit));
    EXPECT_FALSE(is_stop(kind::race));
    EXPECT_EQ(effect_of(kind::race), Effect::unnoticed);
}

TEST(Findings, KindIsFoundByName)
{
    for (std::size_t i = 0; i < finding_rows.size(); ++i) {
        const FindingKind kind = FindingKind::named(finding_rows[i].name);
        EXPECT_EQ(kind.name(), finding_rows[i].name);
        EXPECT_EQ(kind.severity(), finding_rows[i].severity);
        EXPECT_EQ(kind.index(), i);
    }
    EXPECT_THROW(FindingKind::named("no_such_kind"), std::logic_error);
    EXPECT_EQ(effect_of("no_such_kind"), Effect::ends);
}

} // namespace
} // namespace lanescope::trace
