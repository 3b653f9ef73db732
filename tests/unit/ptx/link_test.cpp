// Texts of several files, linked into one module.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"
#include "compute/ptx/text/link.h"

namespace lanescope::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Module file(const std::string& body, const std::string& target = "sm_80")
{
    return parse(".version 8.0\n.target " + target + "\n.address_size 64\n" + body);
}

TEST(Link, DefinitionsReplaceDeclarations)
{
    const Module linked = link({file(R"(
.extern .func (.param .b32 r) square (.param .b32 x);
.extern .global .align 4 .u32 calls;
.visible .entry k()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, calls;
    ret;
}
)"),
                                file(R"(
.visible .global .align 4 .u32 calls = 7;
.visible .func (.param .b32 r) square (.param .b32 x) { ret; }
)",
                                     "sm_90")});
    EXPECT_THAT(linked.kernel_names(), ElementsAre("k"));
    EXPECT_FALSE(linked.find_function("square")->is_declaration);
    ASSERT_EQ(linked.variables.size(), 1U);
    EXPECT_FALSE(linked.variables[0].is_extern);
    EXPECT_THAT(linked.variables[0].initial, testing::Contains(7));
    EXPECT_EQ(linked.architecture(), 90);
}

TEST(Link, LocalNamesStaySeparate)
{
    const std::string text = R"(
.global .align 1 .b8 $str[2] = {65, 0};
.func own() { ret; }
)";
    const std::string entry = R"({
    .reg .b64 %rd<2>;
    mov.u64 %rd1, $str;
    call own;
    ret;
}
)";
    const Module linked = link({file(text + ".visible .entry a()\n" + entry),
                                file(text + ".visible .entry b()\n" + entry)});
    EXPECT_EQ(linked.variables.size(), 2U);
    const auto used = [&](const char* kernel) {
        const Function& function = *linked.find_function(kernel);
        return function.instructions[0].operands[1].symbol + " " +
               function.instructions[1].operands[1].symbol;
    };
    EXPECT_NE(used("a"), used("b"));
    EXPECT_NE(linked.find_function("own@1"), nullptr);
    EXPECT_NE(linked.find_function("own@2"), nullptr);
}

TEST(Link, PositionsPointIntoLinkedText)
{
    const std::string second = R"(
.file 1 "b.cu"
.visible .entry b()
{
    .reg .b32 %r<2>;
    .loc 1 12 3
    add.s32 %r1, %r1, 1;
    ret;
}
)";
    const Module linked = link(
        {file(".file 1 \"a.cu\"\n.visible .entry a()\n{\n.loc 1 5 3\nret;\n}\n"), file(second)});
    const Function& b = *linked.find_function("b");
    EXPECT_EQ(written(linked, b.instructions[0]), "add.s32");
    const SourceLocation& at =
        linked.locations[static_cast<std::size_t>(b.instructions[0].location)];
    EXPECT_EQ(at.line, 12);
    EXPECT_THAT(linked.files.at(at.file), HasSubstr("b.cu"));
    const Function& a = *linked.find_function("a");
    EXPECT_THAT(linked.files.at(
                    linked.locations[static_cast<std::size_t>(a.instructions[0].location)].file),
                HasSubstr("a.cu"));
}

TEST(Link, WeakDefinitionsAreMerged)
{
    const std::string text = ".weak .func shared_by_both() { ret; }\n";
    const Module linked = link({file(text), file(text)});
    EXPECT_EQ(linked.functions.size(), 1U);
}

TEST(Link, TwoDefinitionsAreRefused)
{
    const std::string text = ".visible .func twice() { ret; }\n";
    try {
        link({file(text), file(text)});
        FAIL() << "linked";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("twice is defined in two of the linked files."));
    }
}

} // namespace
} // namespace lanescope::ptx
