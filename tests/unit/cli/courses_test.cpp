// Course kernels, correct ones and others with one mistake, with every command and in the window's
// first run: each gets the same verdict everywhere, at the same line.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run/editing/compiling.h"
#include "app/run/editing/first_run.h"
#include "app/run/editing/own_lab.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/simt/simt_device.h"
#include "tests/support/courses.h"
#include "tests/support/program.h"

namespace lanescope {
namespace {

using test::Course;
using test::courses;
using test::run_program;
using testing::HasSubstr;

class Courses : public testing::TestWithParam<Course> {};

TEST_P(Courses, EveryCommandGivesSameVerdict)
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
        // An endless kernel takes the whole time limit in every command.
        if (course.kind == "time_limit") command.insert(command.end(), {"--time-limit", "0.3"});
        if (command[0] == "emulate" && course.name == "clamp_template")
            command.insert(command.end(), {"--kernel", "clampValues<int>"});
        const auto outcome = run_program(command);
        EXPECT_EQ(outcome.status,
                  command[0] == "check-lab" && course.status() == 5 ? 1 : course.status())
            << command[0] << ": " << outcome.errors << outcome.output;
        const std::string said = outcome.errors + outcome.output;
        if (!course.right()) {
            EXPECT_THAT(said, HasSubstr(course.place())) << command[0];
            EXPECT_EQ(said.find("the guess may be wrong") != std::string::npos,
                      course.beyond_guess())
                << command[0] << said;
        } else {
            EXPECT_THAT(outcome.errors, testing::Not(HasSubstr("warning"))) << command[0];
        }
        EXPECT_THAT(said, testing::Not(HasSubstr("In kernel _Z"))) << command[0];
    }
}

TEST_P(Courses, WindowTrialGivesSameVerdict)
{
    const Course& course = GetParam();
    app::compile_labs_with_cuda();
    const labs::Lab& lab = labs::open_texts(app::read_kernels(course.file()).texts);
    app::FirstRuns first_runs;
    for (const labs::Variant& variant : lab.variants) {
        const app::Start start{lab.place, variant.id, {}, 1, {}};
        const app::TrialResult tried = first_runs.result(lab, variant, start);
        EXPECT_EQ(tried.kind, !course.fails()               ? app::TextOutcome::Kind::validated
                              : course.kind == "time_limit" ? app::TextOutcome::Kind::stopped
                              : course.beyond_guess()       ? app::TextOutcome::Kind::refused
                                                            : app::TextOutcome::Kind::fault)
            << tried.sentence;
        if (course.right()) {
            EXPECT_TRUE(tried.complaints.empty()) << tried.complaints.front().sentence;
        } else {
            ASSERT_FALSE(tried.complaints.empty());
            EXPECT_EQ(tried.complaints.front().line, course.line);
        }
        // The text of the guess, which is shown to the user, must not be empty.
        EXPECT_FALSE(variant.assumed.empty());
    }
}

// Number of blocks in the first step of which no warp accesses memory although other blocks do.
std::size_t idle_blocks(const labs::Lab& lab, const labs::Variant& variant)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = variant,
                                       .values = labs::Values(lab),
                                       .seed = 1,
                                       .image = {}});
    trace::Trace trace;
    experiment->step(&trace);
    const std::size_t warps = (trace.block.count() + 31) / 32;
    std::size_t idle = 0, blocks = 0;
    for (std::size_t first = 0; first < trace.warps.size(); first += warps) {
        std::uint64_t requests = 0;
        for (std::size_t i = first; i < first + warps; ++i) {
            const trace::WarpCounts& warp = trace.warps[i];
            requests += warp.global_requests + warp.shared_requests + warp.texel_requests;
        }
        idle += requests == 0;
        ++blocks;
    }
    return idle == blocks ? 0 : idle;
}

class CorrectCourses : public testing::TestWithParam<Course> {};

// Kernels whose guessed grid is larger than their data, so that the last blocks are idle.
const std::set<std::string> with_idle_blocks{"max_pool", "softmax_rows", "sort_pairs"};

// Guessed grids are large enough, but not larger.
TEST_P(CorrectCourses, KeepEveryBlockBusy)
{
    const Course& course = GetParam();
    app::compile_labs_with_cuda();
    const labs::Lab& lab = labs::open_texts(app::read_kernels(course.file()).texts);
    for (const labs::Variant& variant : lab.variants)
        EXPECT_EQ(idle_blocks(lab, variant) > 0, with_idle_blocks.contains(course.name))
            << variant.id;
}

INSTANTIATE_TEST_SUITE_P(, Courses, testing::ValuesIn(courses()),
                         [](const auto& info) { return info.param.name; });

std::vector<Course> correct_courses()
{
    std::vector<Course> right = courses();
    std::erase_if(right, [](const Course& one) { return !one.right(); });
    return right;
}

INSTANTIATE_TEST_SUITE_P(, CorrectCourses, testing::ValuesIn(correct_courses()),
                         [](const auto& info) { return info.param.name; });

TEST(CourseTable, ListsEveryFile)
{
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(Course::folder()))
        files += entry.path().extension() == ".cu";
    EXPECT_EQ(courses().size(), files);
    EXPECT_GE(files, 60U);
    // At most 5 of 60 files may have idle blocks.
    EXPECT_LE(60 * with_idle_blocks.size(), 5 * files);
}

} // namespace
} // namespace lanescope
