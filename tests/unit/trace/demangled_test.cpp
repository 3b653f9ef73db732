// Readable names, and names that stand for texts of any length.
#include "compute/trace/demangled.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/long_name.h"

namespace lanescope::test {
namespace {

TEST(Demangled, NamesFunctions)
{
    EXPECT_EQ(demangled_name("_Z5scalePfi"), "scale(float*, int)");
    EXPECT_EQ(demangled_name("scale"), std::nullopt);
    EXPECT_EQ(demangled_name(""), std::nullopt);
    EXPECT_EQ(demangled_name("_Z5scalePfi", 8), "scale(fl…");
}

// Such a text would double with each level, up to 2^40 words.
TEST(Demangled, LimitsNestedNames)
{
    constexpr std::size_t max_length = 1000;
    for (const int levels : {4, 12, 40}) {
        const auto name = demangled_name(long_name(levels), max_length);
        EXPECT_TRUE(name || levels > 20) << levels;
        if (!name) continue;
        EXPECT_TRUE(name->starts_with("void kk<P<P<")) << *name;
        EXPECT_LE(name->size(), max_length + std::string("…").size());
    }
}

} // namespace
} // namespace lanescope::test
