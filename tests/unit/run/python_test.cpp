// How a Python script's end is explained, which launch is shown after it, and what opening a script
// reads.
#include "app/run/program/python.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/run/editing/own_lab.h"
#include "app/run/frame/open_job.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/lab.h"
#include "tests/support/program.h"

namespace lanescope::app {
namespace {

using testing::HasSubstr;

const std::filesystem::path script = "/course/blur.py";

ProgramLaunch launch_of(int index, const std::string& kernel, const char* lab = "")
{
    ProgramLaunch launch;
    launch.index = index;
    launch.kernel = kernel;
    launch.lab = lab;
    return launch;
}

ProgramFinding fault_in(int launch)
{
    ProgramFinding finding;
    finding.launch = launch;
    return finding;
}

std::optional<PythonProblem> after(const std::string& errors, int status = 1)
{
    ProcessEnd end;
    end.status = status;
    end.error_output = errors;
    return python_problem(script, end, {});
}

TEST(PythonProblem, NamesLineAndException)
{
    const auto problem = after("Traceback (most recent call last):\n"
                               "  File \"/course/blur.py\", line 30, in <module>\n"
                               "    main()\n"
                               "  File \"/course/blur.py\", line 12, in main\n"
                               "    total = helper(3)\n"
                               "  File \"/usr/lib/helper.py\", line 99, in helper\n"
                               "    raise ValueError(text)\n"
                               "ValueError: three is too many\n");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->line, 12) << "the script's last line, not that of a module";
    EXPECT_EQ(problem->text(script), "blur.py, line 12: ValueError: three is too many");
    EXPECT_THAT(problem->detail, HasSubstr("helper.py"));
}

TEST(PythonProblem, LastOfSeveralTracebacksCounts)
{
    const auto problem = after("Traceback (most recent call last):\n"
                               "  File \"/course/blur.py\", line 3, in <module>\n"
                               "KeyError: 'a'\n\n"
                               "During handling of the above exception, another exception "
                               "occurred:\n\n"
                               "Traceback (most recent call last):\n"
                               "  File \"/course/blur.py\", line 5, in <module>\n"
                               "RuntimeError: no a\n");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->text(script), "blur.py, line 5: RuntimeError: no a");
}

TEST(PythonProblem, SyntaxErrorsHaveTheirLine)
{
    const auto problem = after("  File \"/course/blur.py\", line 2\n"
                               "    def blur(\n"
                               "            ^\n"
                               "SyntaxError: '(' was never closed\n");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->text(script), "blur.py, line 2: SyntaxError: '(' was never closed");
}

// Numba's message names the line inside the kernel, after the traceback through its compiler.
TEST(PythonProblem, NumbaErrorsHaveTheKernelsLine)
{
    const auto problem =
        after("Traceback (most recent call last):\n"
              "  File \"/course/blur.py\", line 30, in <module>\n"
              "    blur[1, 32](image)\n"
              "  File \"/packages/numba/cuda/dispatcher.py\", line 600, in __call__\n"
              "numba.cuda.core.errors.TypingError: Failed in cuda mode pipeline (step: nopython "
              "frontend)\n"
              "Cannot unify array and float for 'x'\n\n"
              "File \"blur.py\", line 9:\n"
              "def blur(image):\n"
              "    <source elided>\n");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->line, 9);
    EXPECT_THAT(problem->sentence, HasSubstr("TypingError"));
    EXPECT_THAT(problem->sentence, HasSubstr("Cannot unify array and float for 'x'"));
}

TEST(PythonProblem, MissingModuleHasCure)
{
    const auto problem = after("Traceback (most recent call last):\n"
                               "  File \"/course/blur.py\", line 2, in <module>\n"
                               "ModuleNotFoundError: No module named 'numba'\n");
    ASSERT_TRUE(problem);
    EXPECT_THAT(problem->sentence, HasSubstr("pip install 'numba-cuda[cu13]'"));
    EXPECT_THAT(problem->sentence, HasSubstr("LANESCOPE_PYTHON"));
}

TEST(PythonProblem, OtherEnds)
{
    EXPECT_EQ(after("no such picture\n", 3)->sentence,
              "It ended with exit status 3: no such picture");
    EXPECT_EQ(after("", 3)->sentence, "It ended with exit status 3.");
    EXPECT_THAT(after("", 0)->sentence, HasSubstr("It launched no kernel"));
    ProcessEnd late;
    late.out_of_time = true;
    late.status = 137;
    EXPECT_THAT(python_problem(script, late, {})->sentence, HasSubstr("five minutes"));
    // A launch, or a fault that explains the exception, is no problem of the script.
    ProgramReport report;
    report.launches.push_back(launch_of(0, "blur"));
    EXPECT_FALSE(python_problem(script, {}, report));
    report.findings.push_back(fault_in(0));
    ProcessEnd raised;
    raised.status = 1;
    raised.error_output = "Traceback (most recent call last):\nCudaAPIError: 700\n";
    EXPECT_FALSE(python_problem(script, raised, report));
}

TEST(LaunchToShow, StaysOnLaunchElseFaultElseFirst)
{
    ProgramReport report;
    for (int i = 0; i < 4; ++i)
        report.launches.push_back(launch_of(i, i % 2 ? "odd" : "even", "lab"));
    const auto shown = [&](int index, const char* kernel) {
        const ProgramLaunch* const launch = launch_to_show(report, index, kernel);
        return launch ? launch->index : -1;
    };
    EXPECT_EQ(shown(0, ""), 0);
    EXPECT_EQ(shown(3, "odd"), 3);
    EXPECT_EQ(shown(7, "odd"), 1) << "the kernel is launched less often now";
    report.findings.push_back(fault_in(2));
    EXPECT_EQ(shown(0, ""), 2);
    EXPECT_EQ(shown(3, "odd"), 3);
    report.launches[2].lab.clear(); // not kept
    EXPECT_EQ(shown(0, ""), 0);
    for (ProgramLaunch& launch : report.launches) launch.lab.clear();
    EXPECT_EQ(shown(0, ""), -1);
}

Session present()
{
    const labs::Lab& lab = labs::all().front();
    Session session;
    session.journal.start = {
        lab.place, lab.variants.front().id, as_texts(lab, labs::Values(lab)), 1, {}};
    return session;
}

TEST(PythonScript, OpensAsText)
{
    const test::Folder folder;
    const std::string text = "import os\nos.mkdir('ran')\n";
    std::ofstream(folder / "harm.py") << text;
    const Found found = find_in_file(folder / "harm.py", present());
    const labs::Lab& lab = labs::find(found.session.journal.start.lab);
    EXPECT_TRUE(lab.placeholder);
    EXPECT_EQ(lab.source(lab.variants.front()), text);
    EXPECT_EQ(std::filesystem::path(found.session.kernel_file).filename(), "harm.py");
    // The text of a script never reaches a compiler.
    EXPECT_EQ(kernels_of_text(folder / "harm.py", text).texts, labs::texts_of(lab));
}

} // namespace
} // namespace lanescope::app
