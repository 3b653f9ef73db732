// Assignments are read strictly: every mistake is reported with its line, its JSON path and a
// suggested fix.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "app/judge/assignment.h"
#include "app/judge/class.h"
#include "compute/error.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using app::Assignment;
using app::Requirement;
using testing::HasSubstr;

class Assignments : public testing::Test {
protected:
    Assignment read(const std::string& text)
    {
        const auto path = folder_ / "assignment.json";
        std::ofstream(path) << text;
        return app::read_assignment(path);
    }
    std::string refusal(const std::string& text)
    {
        try {
            read(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            return error.what();
        }
        return "accepted";
    }
    // An assignment with one requirement.
    std::string refused_requirement(const std::string& requirement)
    {
        return refusal(fmt::format(
            R"({{"title": "t", "lab": "transpose",
 "requirements": [
  {}]}})",
            requirement));
    }

    Folder folder_;
};

TEST_F(Assignments, DefaultsFollowFromTheKind)
{
    const Assignment read = this->read(R"({
        // comments are allowed
        "title": "Transpose", "lab": "transpose", "sizes": [{"size": 33}],
        "requirements": [
            {"kind": "result", "points": 4},
            {"kind": "count", "count": "sectors_per_load", "at_most": 4, "visibility": "hidden",
             "sizes": [{"size": 64}]}]})");
    ASSERT_EQ(read.requirements.size(), 2u);
    EXPECT_EQ(read.requirements[0].id, "result");
    EXPECT_EQ(read.requirements[0].title, "The result is right");
    EXPECT_FALSE(read.requirements[0].hidden);
    EXPECT_EQ(read.requirements[1].id, "sectors_per_load");
    EXPECT_EQ(read.requirements[1].title, "sectors_per_load ≤ 4");
    EXPECT_TRUE(read.requirements[1].hidden);
    EXPECT_EQ(read.max_points(), 5);
    ASSERT_EQ(read.all_sizes().size(), 2u);
    EXPECT_EQ(app::size_text(read.all_sizes()[1]), "size=64");
}

TEST_F(Assignments, MistakesAreReportedWithLineAndPath)
{
    EXPECT_THAT(refused_requirement(R"({"kind": "magic"})"),
                HasSubstr("line 3, /requirements/0/kind: \"magic\" is not a kind"));
    EXPECT_THAT(refused_requirement(R"({"kind": "count", "count": "miles", "at_most": 1})"),
                HasSubstr("there is no count \"miles\""));
    EXPECT_THAT(refused_requirement(R"({"kind": "count", "count": "sectors"})"),
                HasSubstr("no limit"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result", "at_most": 1})"),
                HasSubstr("but the kind is result"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result", "point": 1})"),
                HasSubstr("/requirements/0/point: \"point\" is not a key"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result", "points": -1})"),
                HasSubstr("-1 is not a number from 0"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result", "visibility": "secret"})"),
                HasSubstr("\"secret\" is not a visibility"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result"}, {"kind": "result"})"),
                HasSubstr("there is already a requirement \"result\""));
    EXPECT_THAT(refused_requirement(
                    R"({"kind": "count", "count": "bytes", "at_most": 2, "of_reference": true})"),
                HasSubstr("has no reference"));
    EXPECT_THAT(refused_requirement(R"({"kind": "result", "sizes": [{"size": [1]}]})"),
                HasSubstr("/requirements/0/sizes/0/size: [1] is not a value"));
    EXPECT_THAT(refusal("{\n\"title\": \"t\",\n\"lab\": }"), HasSubstr("line 3: not JSON"));
    EXPECT_THAT(refusal(R"({"title": "t", "lab": "transpose"})"),
                HasSubstr("\"requirements\" is missing"));
    EXPECT_THAT(refusal(R"({"title": "t", "lab": "x", "file": "../a.cu",
                            "requirements": [{"kind": "result"}]})"),
                HasSubstr("/file"));
}

TEST_F(Assignments, LabIsCheckedBeforeAnythingRuns)
{
    const auto opened = [&](const std::string& lab, const std::string& more) {
        try {
            app::open_judged_lab(read(fmt::format(
                R"({{"title": "t", "lab": "{}", {} "requirements": [{{"kind": "result"}}]}})", lab,
                more)));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("opened");
    };
    EXPECT_EQ(opened("transpose", ""), "opened");
    EXPECT_THAT(opened("no_such_lab", ""), HasSubstr("There is no lab 'no_such_lab'"));
    EXPECT_THAT(opened("transpose", R"("variant": "other",)"), HasSubstr("no variant 'other'"));
    EXPECT_THAT(opened("transpose", R"("sizes": [{"pitch": 3}],)"), HasSubstr("pitch"));
    EXPECT_THAT(opened("transpose", R"("reference": "other",)"), HasSubstr("no variant 'other'"));
}

TEST(AssignmentLines, FollowPointersThroughCommentsAndStrings)
{
    constexpr std::string_view text = "{ // {\"a\":\n"
                                      "  \"b\": \"]}\\\"\",\n"
                                      "  /* [ \n */ \"a\": [1, {\"x\": -2.5e3},\n"
                                      "     {\"x\": [true, null,\n"
                                      "        7]}]\n"
                                      "}";
    EXPECT_EQ(app::line_of_pointer(text, ""), 1);
    EXPECT_EQ(app::line_of_pointer(text, "/b"), 2);
    EXPECT_EQ(app::line_of_pointer(text, "/a/1/x"), 4);
    EXPECT_EQ(app::line_of_pointer(text, "/a/2/x/1"), 5);
    EXPECT_EQ(app::line_of_pointer(text, "/a/2/x/2"), 6);
    EXPECT_EQ(app::line_of_pointer(text, "/a/2/missing"), 5); // the line of the enclosing object
}

TEST(Shards, AreParsedStrictly)
{
    EXPECT_EQ(app::read_shard("3/8").index, 3u);
    EXPECT_EQ(app::read_shard("3/8").count, 8u);
    for (const char* wrong : {"", "3", "0/8", "9/8", "1/0", "-1/8", "1/8x", "a/b", "1/99999999"})
        EXPECT_THROW(app::read_shard(wrong), Error) << wrong;
}

} // namespace
} // namespace lanescope::test
