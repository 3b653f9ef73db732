// Kernels of courses, right ones and some with one mistake, by every command and by the first run
// that the window gives them: the same verdict everywhere, at the same line.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run/editing/compiling.h"
#include "app/run/editing/first_run.h"
#include "app/run/kernel/own_lab.h"
#include "compute/labs/texts.h"
#include "tests/support/courses.h"
#include "tests/support/program.h"

namespace lanescope {
namespace {

using test::Course;
using test::courses;
using test::run_program;
using testing::HasSubstr;

class Courses : public testing::TestWithParam<Course> {};

TEST_P(Courses, GetOneVerdictFromEveryCommand)
{
    const Course& course = GetParam();
    const test::Folder scratch;
    const std::string picture = (scratch / "a.png").string();
    const std::vector<std::vector<std::string>> commands = {
        {"run", course.file(), "--steps", "1"},
        {"trace", course.file()},
        {"shot", course.file(), "-o", picture, "--size", "320x180", "--frame", "1"},
        {"check-lab", course.file()},
        {"emulate", course.file()}};
    for (std::vector<std::string> command : commands) {
        // What never ends takes as long as it may, in every command.
        if (course.kind == "time_limit") command.insert(command.end(), {"--time-limit", "0.3"});
        if (command[0] == "emulate" && course.name == "clamp_template")
            command.insert(command.end(), {"--kernel", "clampValues<int>"});
        const auto outcome = run_program(command);
        const int fault = command[0] == "check-lab" ? 1 : 5;
        EXPECT_EQ(outcome.status, course.fails() ? fault : 0)
            << command[0] << ": " << outcome.errors << outcome.output;
        const std::string said = outcome.errors + outcome.output;
        if (!course.right()) {
            EXPECT_THAT(said, HasSubstr(course.place())) << command[0];
        } else {
            EXPECT_THAT(outcome.errors, testing::Not(HasSubstr("warning"))) << command[0];
        }
        EXPECT_THAT(said, testing::Not(HasSubstr("In kernel _Z"))) << command[0];
    }
}

TEST_P(Courses, GetTheSameVerdictFromTheWindowsFirstRun)
{
    const Course& course = GetParam();
    app::compile_labs_with_cuda();
    const labs::Lab& lab = labs::open_texts(app::read_kernels(course.file()).texts);
    app::FirstRuns first_runs;
    for (const labs::Variant& variant : lab.variants) {
        const app::Start start{lab.place, variant.id, {}, 1, {}};
        const app::Tried tried = first_runs.result(lab, variant, start);
        EXPECT_EQ(tried.kind, !course.fails()               ? app::TextOutcome::Kind::validated
                              : course.kind == "time_limit" ? app::TextOutcome::Kind::stopped
                                                            : app::TextOutcome::Kind::fault)
            << tried.sentence;
        if (course.right()) {
            EXPECT_TRUE(tried.complaints.empty()) << tried.complaints.front().sentence;
        } else {
            ASSERT_FALSE(tried.complaints.empty());
            EXPECT_EQ(tried.complaints.front().line, course.line);
        }
        // All of the guess is said, in one line.
        EXPECT_FALSE(variant.assumed.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(, Courses, testing::ValuesIn(courses()),
                         [](const auto& info) { return info.param.name; });

TEST(CourseTable, HasEveryFileOfTheFolder)
{
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(Course::folder()))
        files += entry.path().extension() == ".cu";
    EXPECT_EQ(courses().size(), files);
    EXPECT_GE(files, 60U);
}

} // namespace
} // namespace lanescope
