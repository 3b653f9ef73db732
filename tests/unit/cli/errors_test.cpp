// Exit statuses and messages: a wrong command line causes one line with the cause and a
// suggested fix, and nothing is written.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
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

TEST_P(Mistakes, PrintOneLineAndSetStatus)
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

// With --json, a command prints the message and the status as a JSON document.
TEST_P(Mistakes, ArePrintedAsJsonOnRequest)
{
    std::vector<std::string> arguments = GetParam().arguments;
    if (arguments.empty() ||
        run_program({arguments[0], "--help"}).output.find("--json") == std::string::npos)
        return;
    arguments.emplace_back("--json");
    const Outcome outcome = run_program(arguments);
    const auto document = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << outcome.output;
    EXPECT_EQ(outcome.status, GetParam().status);
    EXPECT_EQ(document.value("status", 0), GetParam().status);
    EXPECT_NE(document.value("error", "").find(GetParam().named), std::string::npos)
        << outcome.output;
}

// Runs a shell script in which $P is the program.
Outcome shell(const Folder& folder, const std::string& script)
{
    const std::string errors = (folder / "errors").string();
    const std::string output = (folder / "output").string();
    const std::string command =
        "P='" + program_under_test() + "'; { " + script + "; } >" + output + " 2>" + errors;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output), read_file(errors)};
}

// Standard error is a full disk, is closed, or is closed together with standard input.
constexpr const char* unreadable[] = {" 2>/dev/full", " 2>&-", " <&- 2>&-"};

TEST_P(Mistakes, KeepStatusWithUnwritableStderr)
{
    const Folder folder;
    std::string command = "CUDA_VISIBLE_DEVICES= DISPLAY= WAYLAND_DISPLAY= $P";
    for (const std::string& argument : GetParam().arguments) command += " '" + argument + "'";
    for (const char* errors : unreadable)
        EXPECT_EQ(shell(folder, command + errors).status, GetParam().status) << errors;
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
        Mistake{"NegativeSeed", {"run", "heat", "--seed", "-1"}, 2, "--seed"},
        Mistake{"SeedTooLarge", {"run", "heat", "--seed", "18446744073709551616"}, 2, "--seed"},
        Mistake{"TimeLimitNotANumber", {"run", "heat", "--time-limit", "nan"}, 2, "--time-limit"},
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

TEST(Errors, VideoWithoutFfmpegLeavesNoFile)
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

TEST(Errors, UnwritablePictureLeavesNoFile)
{
    const Folder folder;
    const auto taken = folder / "taken.png";
    std::filesystem::create_directory(taken);
    const Outcome outcome =
        run_program(with_fast({"shot", "heat/naive", "--size", "64x64", "-o", taken.string()}));
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Output, FullDiskIsReported)
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

TEST(Output, UnwritableStderrKeepsExitStatus)
{
    const Folder folder;
    std::ofstream(folder / "trap.ptx") << ".version 8.0\n.target sm_75\n.address_size 64\n"
                                          ".visible .entry k() { trap; }\n";
    for (const char* errors : unreadable) {
        const std::string trap = "$P emulate '" + (folder / "trap.ptx").string() + "'";
        EXPECT_EQ(shell(folder, trap + errors).status, 5) << errors;
        const Outcome listed = shell(folder, std::string("$P list") + errors);
        EXPECT_EQ(listed.status, 0) << errors;
        EXPECT_NE(listed.output, "") << errors;
    }
    EXPECT_EQ(shell(folder, "$P list >&- 2>&-").status, 2) << "standard output is what was wanted";
}

TEST(Output, ClosedPipeIsNotAnError)
{
    const Folder folder;
    const std::string listed = "{ sleep 0.2; $P list; echo $? >&2; } | true";
    EXPECT_EQ(shell(folder, listed).errors, "141\n") << "SIGPIPE";
    EXPECT_EQ(shell(folder, "trap '' PIPE; " + listed).errors, "0\n") << "EPIPE";
}

// Output of the program on a pseudo-terminal.
std::string on_terminal(const std::vector<std::string>& arguments)
{
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        std::string program = program_under_test();
        std::vector<char*> argv{program.data()};
        for (const std::string& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execv(program.c_str(), argv.data());
        _exit(127);
    }
    std::string printed;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(terminal, buffer, sizeof(buffer))) > 0;)
        printed.append(buffer, static_cast<std::size_t>(got));
    close(terminal);
    waitpid(child, nullptr, 0);
    return printed;
}

// Escape sequences in a lab's title, a kernel's output and its source: a terminal shows them as
// text, a pipe gets them unchanged.
TEST(Output, ControlCharactersAreEscaped)
{
    const Folder folder;
    const std::string kernel = (folder / "prints.cu").string();
    std::ofstream(kernel) << "#include <cstdio>\n"
                             "__global__ void prints(float* out) // a \x1b[31mcolour\n"
                             "{\n    out[threadIdx.x] = 1; // \x1b[2J\n"
                             "    if (threadIdx.x == 0) printf(\"\\033]0;mine\\a<\\n\");\n}\n";
    const auto lab = folder / "blinks";
    ASSERT_EQ(run_program({"new-lab", lab.string()}).status, 0);
    std::string record = read_file(lab / "lab.json");
    record.replace(record.find("\"title\": \"") + 10, 0, "\\u001b[5m\\u009b");
    std::ofstream(lab / "lab.json") << record;
    const std::vector<std::vector<std::string>> commands = {
        {"run", kernel, "--device", "simt", "--steps", "1"},
        {"trace", kernel, "--device", "simt"},
        {"list", lab.string()}};
    for (const auto& command : commands) {
        const std::string seen = on_terminal(command);
        EXPECT_EQ(seen.find('\x1b'), std::string::npos) << seen;
        EXPECT_EQ(seen.find('\a'), std::string::npos) << seen;
        EXPECT_EQ(seen.find("\xc2\x9b"), std::string::npos) << seen;
        EXPECT_NE(seen.find("\\x1b"), std::string::npos) << command[0] << ": " << seen;
        EXPECT_NE(run_program(command).output.find('\x1b'), std::string::npos) << command[0];
    }
}

// The compiler accepts a directive in inline PTX that is invalid there: the error names it.
TEST(Errors, DirectiveInAsmIsReported)
{
    const Folder folder;
    const std::string kernel = (folder / "includes.cu").string();
    std::ofstream(kernel) << "__global__ void includes(float* out)\n{\n"
                             "    asm(\".include \\\"other.ptx\\\"\");\n    out[0] = 1;\n}\n";
    const Outcome outcome = run_program({"run", kernel, "--device", "simt"});
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_NE(outcome.errors.find("'.include'"), std::string::npos) << outcome.errors;
}

// A kernel that prints in a loop must not fill the disk.
TEST(Output, PrintedTextIsLimited)
{
    const Folder folder;
    const std::string kernel = (folder / "prints.cu").string();
    std::ofstream(kernel)
        << "#include <cstdio>\n__global__ void prints(float* out)\n{\n"
           "    for (int i = 0; i < 5000; ++i)\n"
           "        printf(\"%05d 0123456789012345678901234567890123456789\\n\", i);\n"
           "    out[threadIdx.x] = 1;\n}\n";
    const Outcome outcome =
        run_program({"emulate", kernel, "--grid", "1", "--block", "96", "--arg", "f32[96]:zero"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_LT(outcome.output.size(), std::size_t{17} << 20);
    EXPECT_NE(outcome.output.find("more than 16 MB; the rest is left out"), std::string::npos);
}

// A lack of system resources causes a message with its own status, never an internal error.
TEST(Output, SystemErrorIsNotAnInternalError)
{
    const Folder folder;
    const std::string out = " -o " + (folder / "a.png").string();
    const std::string shot = "$P shot rod --device simt --size 64x64";
    const std::string gone = (folder / "gone").string();
    const struct {
        std::string script;
        int status;
        const char* says;
    } cases[] = {
        {"ulimit -v 3000000; $P run heat/naive --device simt --set size=16384 --steps 1", 4,
         "Not enough memory"},
        // One core, because each thread needs address space. The first limit leaves no memory for
        // the picture, the second none for its file.
        {"ulimit -v 1000000; taskset -c 0 $P shot rod --device simt --size 16384x16384" + out, 4,
         "Not enough memory"},
        {"ulimit -v 1220000; taskset -c 0 $P shot rod --device simt --size 16384x16384" + out, 4,
         "Not enough memory"},
        {"ulimit -s 64; $P list", 0, ""},
        {"ulimit -s 64; " + shot + out, 0, ""},
        {"ulimit -S -s 64; $P run " LANESCOPE_SOURCE_DIR
         "/tests/kernels/courses/block_sums_no_barrier.cu",
         5, "block_sums_no_barrier.cu:13"},
        {"mkdir " + gone + " && cd " + gone + " && rmdir " + gone + " && $P new-lab mine", 3,
         "mine cannot be used"},
        {"mkdir " + gone + " && cd " + gone + " && rmdir " + gone + " && " + shot + " -o a.png", -1,
         ""},
        {"HOME=/nosuch XDG_STATE_HOME=/dev/null/x XDG_CONFIG_HOME=/dev/null/x " + shot + out, 0,
         ""},
        {"unset HOME; " + shot + out, 0, ""},
        {"ulimit -f 1; " + shot + " -o " + (folder / "b.png").string(), -1, ""},
        {"ulimit -n 12; $P list", -1, ""},
        {"ulimit -n 12; " + shot + out, -1, ""},
        {shot + " -o /proc/a.png", 2, "/proc"},
        {shot + " -o /dev/null/a.png", 2, "/dev/null"},
        {shot + " -o \"$(printf '" + (folder / "w").string() + "\\374.png')\"", 0, ""},
        {"$P run \"$(printf '/tmp/w\\374.cu')\"", 3, ""},
        {"$P shot --session \"$(printf '/tmp/w\\374.json')\"" + out, 3, ""},
        {"$P list >&-", -1, ""},
        {"$P list --json >&-", -1, ""},
        {"TMPDIR=/nosuch " + shot + out, 0, ""},
        {"TMPDIR=/nosuch $P run " LANESCOPE_SOURCE_DIR
         "/tests/kernels/courses/block_sums_no_barrier.cu",
         2, "\"/nosuch\" is no folder. Set TMPDIR"},
        {"TMPDIR=/nosuch $P program " LANESCOPE_SOURCE_DIR "/compute/labs/waves/program.cu", 2,
         "\"/nosuch\" is no folder. Set TMPDIR"},
        {"LC_ALL=nonsense " + shot + out, 0, ""},
        {"PATH=/nosuch " + shot + out, 0, ""},
        {"$P record rod --device simt --size 64x64 --seconds 0.1 -o /dev/full", -1, ""},
        {"$P bench --record /nosuch/a.json", -1, ""},
        {"$P slide /nosuch.json -o /nosuch/a.pptx", 3, ""},
        {"$P sweep rod --device simt -o /nosuch/a.csv", 2, ""},
        {"$P emulate /etc", -1, ""},
        {"$P /etc", -1, ""},
        {"$P check /etc", -1, ""},
        {"$P run /etc/passwd", -1, ""},
    };
    for (const auto& one : cases) {
        const Outcome outcome = shell(
            folder, "export CUDA_VISIBLE_DEVICES=; unset DISPLAY WAYLAND_DISPLAY; " + one.script);
        EXPECT_NE(outcome.status, 70) << one.script << "\n" << outcome.errors;
        EXPECT_LT(outcome.status, 100) << one.script << "\n" << outcome.errors;
        if (one.status >= 0) {
            EXPECT_EQ(outcome.status, one.status) << one.script << "\n" << outcome.errors;
        }
        if (outcome.status != 0) {
            EXPECT_NE(outcome.errors.find("lanescope: "), std::string::npos) << one.script;
        }
        EXPECT_NE(outcome.errors.find(one.says), std::string::npos) << one.script << "\n"
                                                                    << outcome.errors;
    }
}

TEST(Output, InternalErrorHasItsOwnStatus)
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
