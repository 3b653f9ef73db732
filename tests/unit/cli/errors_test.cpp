// Exit statuses and sentences: whatever is typed wrong is named on one line, with a cure, and
// nothing is written.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "app/commands/program.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

struct Mistake {
    std::string name;
    std::vector<std::string> arguments;
    int status;
    std::string named; // must appear in the sentence
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedOnOneLineWithTheStatusThatFits)
{
    const Outcome outcome = run_program(GetParam().arguments);
    EXPECT_EQ(outcome.status, GetParam().status) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors.rfind("lanescope: ", 0), 0u) << outcome.errors;
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find(GetParam().named), std::string::npos) << outcome.errors;
    const auto sentences = std::ranges::count(outcome.errors, '.');
    EXPECT_GE(sentences, 2) << "cause and cure: " << outcome.errors;
}

const std::vector<std::string> fast{"--device", "simt", "--set", "size=9", "--steps", "1"};

std::vector<std::string> with_fast(std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), fast.begin(), fast.end());
    return arguments;
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{"UnknownLab", {"run", "nosuch"}, 3, "nosuch"},
        Mistake{"UnknownVariant", {"run", "heat/nosuch"}, 3, "nosuch"},
        Mistake{"UnknownLabOfShot", {"shot", "nosuch/naive", "-o", "/tmp/x.png"}, 3, "nosuch"},
        Mistake{"UnknownLabOfWindow", {"--lab", "nosuch"}, 3, "nosuch"},
        Mistake{"NegativeSize", {"run", "heat/naive", "--set", "size=-1"}, 2, "size"},
        Mistake{"UnknownParameter", {"run", "heat/naive", "--set", "nosuch=1"}, 2, "nosuch"},
        Mistake{"NotANumber", {"run", "heat/naive", "--set", "size=many"}, 2, "many"},
        Mistake{"NoValue", {"run", "heat/naive", "--set", "size"}, 2, "size"},
        Mistake{"UnknownOption", {"run", "heat/naive", "--nosuch"}, 2, "--nosuch"},
        Mistake{"UnknownCommand", {"nosuch"}, 2, "nosuch"},
        Mistake{"NoTarget", {"run"}, 2, "target"},
        Mistake{"UnknownEngine", {"run", "heat", "--device", "abacus"}, 2, "abacus"},
        Mistake{"NegativeSteps", {"run", "heat", "--steps", "-5"}, 2, "--steps"},
        Mistake{"NoGpu", {"run", "heat/naive", "--device", "cuda"}, 4, "GPU"},
        Mistake{"NoDisplay", {}, 4, "display"},
        Mistake{"WrongSize", {"shot", "heat/naive", "-o", "x.png", "--size", "wide"}, 2, "wide"},
        Mistake{"NoOutput", {"shot", "heat/naive"}, 2, "output"},
        Mistake{"NoFolder", with_fast({"shot", "heat/naive", "-o", "/nosuch/folder/x.png"}), 2,
                "/nosuch/folder"},
        Mistake{"NoFolderForVideo",
                with_fast({"record", "heat/naive", "-o", "/nosuch/folder/x.mp4"}), 2,
                "/nosuch/folder"},
        Mistake{"UnknownVideo", with_fast({"record", "heat/naive", "-o", "/tmp/x.nosuch"}), 2,
                ".nosuch"},
        Mistake{"UnknownPictureFormat", with_fast({"shot", "heat/naive", "-o", "/tmp/x.bmp"}), 2,
                ".bmp"},
        Mistake{"UnknownView",
                with_fast({"shot", "heat/naive", "-o", "/tmp/x.png", "--view", "nosuch"}), 3,
                "nosuch"},
        Mistake{"UnknownSession",
                {"shot", "--session", "/nosuch.json", "-o", "/tmp/x.png"},
                3,
                "/nosuch.json"}),
    [](const auto& info) { return info.param.name; });

TEST(Errors, AVideoWithoutFfmpegLeavesNothingBehind)
{
    const Folder folder;
    const Folder empty;
    auto arguments = with_fast({"record", "heat/naive", "--size", "64x64", "--seconds", "0.1", "-o",
                                (folder / "x.mp4").string()});
    const Outcome outcome = run_program(arguments, {{"PATH", empty.path().string()}});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_NE(outcome.errors.find("ffmpeg"), std::string::npos) << outcome.errors;
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(Errors, APictureThatCannotBeWrittenLeavesNothingBehind)
{
    const Folder folder;
    const auto taken = folder / "taken.png";
    std::filesystem::create_directory(taken);
    const Outcome outcome =
        run_program(with_fast({"shot", "heat/naive", "--size", "64x64", "-o", taken.string()}));
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_EQ(folder.entries(), 1u);
}

// Runs a shell that knows the program as $P.
Outcome shell(const Folder& folder, const std::string& script)
{
    const std::string errors = (folder / "errors").string();
    const std::string output = (folder / "output").string();
    const std::string command =
        "P='" + program_under_test() + "'; { " + script + "; } >" + output + " 2>" + errors;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output), read_file(errors)};
}

TEST(Output, AFullDiskIsToldAsWhatItIs)
{
    const Folder folder;
    for (const char* command : {"list", "list --json", "--help", "list --help"}) {
        const Outcome outcome = shell(folder, std::string("$P ") + command + " >/dev/full");
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_EQ(outcome.errors, "lanescope: Cannot write the output: No space left on device. "
                                  "Free some space, or write to another disk.\n")
            << command;
    }
}

TEST(Output, AReaderThatHasEnoughIsNoMistake)
{
    const Folder folder;
    const std::string listed = "{ sleep 0.2; $P list; echo $? >&2; } | true";
    EXPECT_EQ(shell(folder, listed).errors, "141\n") << "SIGPIPE";
    EXPECT_EQ(shell(folder, "trap '' PIPE; " + listed).errors, "0\n") << "EPIPE";
}

TEST(Output, AMistakeOfTheProgramHasAStatusOfItsOwn)
{
    testing::internal::CaptureStderr();
    const ExitStatus status =
        app::report_errors([]() -> ExitStatus { throw std::logic_error("odd"); });
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_EQ(static_cast<int>(status), 70);
    EXPECT_EQ(errors, "lanescope: Internal error: odd. Please report it.\n");
}

} // namespace
} // namespace lanescope::test
