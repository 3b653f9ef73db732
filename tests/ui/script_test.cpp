// A Python script in the window: its text is shown, and it runs on request, then whenever it is
// saved, until it is closed. Its launches open with counts and stepping at its lines.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

constexpr auto patience = std::chrono::minutes(3); // Numba starts slowly

// Each run adds a letter to runs.txt.
constexpr const char* script_text = R"(# Two kernels.
import numpy as np
from numba import cuda

with open("runs.txt", "a") as runs:
    runs.write("x")


@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        scaled = values[i] * factor
        values[i] = scaled


@cuda.jit
def shift(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] += 1


values = cuda.to_device(np.arange(1000, dtype=np.float32))
scale[4, 256](values, np.float32(2))
shift[4, 256](values)
print("last", values.copy_to_host()[-1])
)";

fs::path python_with_numba()
{
    return LANESCOPE_SOURCE_DIR "/.deps/numba/bin/python3";
}

#define NEEDS_NUMBA()                                                                              \
    if (!fs::exists(python_with_numba())) GTEST_SKIP() << "app/setup.sh --tests fetches Numba";    \
    const Interpreter interpreter(python_with_numba())

// The interpreter of the programs that a test starts.
class Interpreter {
public:
    explicit Interpreter(const fs::path& path) { setenv("LANESCOPE_PYTHON", path.c_str(), 1); }
    ~Interpreter() { unsetenv("LANESCOPE_PYTHON"); }
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
};

json program_of(const json& report)
{
    return report.at("program");
}

std::string text_in(const json& report)
{
    return report.at("code").at("text");
}

std::size_t runs_in(const fs::path& folder)
{
    return fs::exists(folder / "runs.txt") ? read_file(folder / "runs.txt").size() : 0;
}

void save(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    text.replace(text.find(what), what.size(), with);
    return text;
}

// Opens the script and waits for its text.
void wait_for_text(Desk& desk, const std::string& words)
{
    desk.wait_for("the text", [&](const json& r) {
        return r.at("opening") == false && text_in(r).find(words) != std::string::npos;
    });
}

json wait_for_run(Desk& desk, int run, const std::string& variant)
{
    return desk.wait_for(
        "run " + std::to_string(run),
        [&](const json& r) {
            return program_of(r).at("state") == "done" && program_of(r).at("run") == run &&
                   r.at("variant") == variant && r.at("steps") > 0 && r.at("opening") == false;
        },
        patience);
}

void wait_until_gone(pid_t process)
{
    for (int i = 0; i < 100 && kill(process, 0) == 0; ++i) std::this_thread::sleep_for(100ms);
    EXPECT_NE(kill(process, 0), 0) << "the script still runs";
}

TEST(Script, RunsOnRequestAndAgainWhenSavedUntilClosed)
{
    NEEDS_NUMBA();
    const Folder folder;
    const fs::path file = folder / "course.py";
    save(file, script_text);
    Desk desk({file.string()});
    wait_for_text(desk, "def scale");
    const json opened = desk.fresh_report();
    EXPECT_EQ(program_of(opened).at("offered"), "course.py");
    EXPECT_TRUE(opened.at("places").contains("run_script"));
    save(file, replaced(script_text, "Two kernels", "Both kernels"));
    wait_for_text(desk, "Both kernels");
    std::this_thread::sleep_for(1s);
    EXPECT_EQ(program_of(desk.fresh_report()).at("state"), "none");
    EXPECT_EQ(runs_in(folder.path()), 0U) << "the script ran without being asked for";

    desk.key("ctrl+r");
    const json ran = wait_for_run(desk, 1, "scale");
    EXPECT_EQ(ran.at("error"), "");
    EXPECT_EQ(program_of(ran).at("output"), "last 1999.0\n");
    EXPECT_EQ(program_of(ran).at("launches").size(), 2U);
    EXPECT_EQ(runs_in(folder.path()), 1U);
    EXPECT_THAT(text_in(ran), HasSubstr("def scale"));
    desk.wait_for("counts at lines", [](const json& r) { return r.at("counted_lines") >= 3; });

    // Steps by lines of the script, with its variables.
    desk.key("i");
    desk.wait_for("the stepping mode",
                  [](const json& r) { return r.at("stepping").value("ready", false); });
    const json stepped = desk.wait_for("a line of the kernel", [&](const json& r) {
        if (r.at("stepping").value("line", 0) > 10) return true;
        desk.key("Right");
        return false;
    });
    EXPECT_LE(stepped.at("stepping").at("line"), 14);
    EXPECT_EQ(stepped.at("stepping").at("optimised"), false);
    EXPECT_THAT(stepped.at("stepping").at("variables").get<std::vector<std::string>>(),
                testing::IsSupersetOf({"factor", "i", "scaled"}));
    desk.key("Escape");

    // A save runs it again, and the same launch opens.
    const json place =
        desk.wait_for("the second launch",
                      [](const json& r) { return r.at("places").contains("launch 1"); })
            .at("places")
            .at("launch 1");
    desk.click(place[0].get<int>(), place[1].get<int>());
    desk.wait_for("the second kernel",
                  [](const json& r) { return r.at("variant") == "shift" && r.at("steps") > 0; });
    save(file, replaced(script_text, "+= 1", "+= 5"));
    const json again = wait_for_run(desk, 2, "shift");
    EXPECT_EQ(program_of(again).at("output"), "last 2003.0\n");
    EXPECT_EQ(program_of(again).at("shown"), 1);
    EXPECT_THAT(text_in(again), HasSubstr("+= 5"));
    EXPECT_EQ(again.at("error"), "");

    // So does a save in the window's own editor. Ctrl R runs a text that is not saved.
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.key("End");
    desk.xdotool({"type", "--delay", "60", "!"});
    const json typed = desk.wait_for(
        "the typed text", [](const json& r) { return text_in(r).starts_with("# Two kernels.!"); });
    EXPECT_EQ(program_of(typed).at("run"), 2) << "typing ran the script";
    EXPECT_EQ(typed.at("unsaved").size(), 1U);
    desk.key("ctrl+r");
    const json unsaved = wait_for_run(desk, 3, "shift");
    EXPECT_EQ(program_of(unsaved).at("edits"), 1);
    EXPECT_EQ(unsaved.at("unsaved").size(), 1U) << unsaved.at("unsaved");
    EXPECT_THAT(text_in(unsaved), testing::StartsWith("# Two kernels.!"));
    desk.key("ctrl+s");
    wait_for_run(desk, 4, "shift");
    EXPECT_THAT(read_file(file), testing::StartsWith("# Two kernels.!"));
    EXPECT_EQ(desk.fresh_report().at("unsaved"), json::array());
    EXPECT_EQ(runs_in(folder.path()), 4U);

    // A session keeps the launch. Opening it closes the script, whose saves no longer run it.
    desk.key("Escape");
    desk.key("ctrl+s");
    desk.wait_for_notice(".json");
    const auto session = desk.saved(".json");
    const Outcome drawn =
        run_program({"shot", "--session", session.string(), "-o", (folder / "again.png").string()});
    EXPECT_EQ(drawn.status, 0) << drawn.errors;
    desk.drop(session);
    desk.wait_for("the session", [&](const json& r) {
        return r.at("opening") == false && program_of(r).at("shown") == -1 && r.at("steps") > 0;
    });
    EXPECT_THAT(text_in(desk.fresh_report()), HasSubstr("def shift"));
    save(file, script_text);
    std::this_thread::sleep_for(2s);
    EXPECT_EQ(program_of(desk.fresh_report()).at("run"), 4);
    EXPECT_EQ(runs_in(folder.path()), 4U) << "a closed script ran";
}

TEST(Script, FaultOpensItsLaunch)
{
    NEEDS_NUMBA();
    const Folder folder;
    const fs::path file = folder / "course.py";
    save(file, replaced(script_text, "if i < values.size:\n        values[i] += 1",
                        "if i <= values.size:\n        values[i] += 1"));
    Desk desk({file.string()});
    wait_for_text(desk, "def scale");
    desk.key("ctrl+r");
    const json failed = desk.wait_for(
        "the fault", [](const json& r) { return r.at("fault_line") == 21; }, patience);
    EXPECT_EQ(failed.at("variant"), "shift");
    EXPECT_THAT(failed.at("error").get<std::string>(), HasSubstr("passed as parameter values ("));
    EXPECT_EQ(program_of(failed).at("findings")[0].at("line"), 21);
    save(file, script_text);
    wait_for_run(desk, 2, "shift");
}

TEST(Script, ErrorIsShownAtItsLineAndTextStays)
{
    const Interpreter interpreter("python3");
    const Folder folder;
    const fs::path file = folder / "broken.py";
    save(file, "import os\n\nnumber = missing + 1\n");
    Desk desk({file.string()});
    wait_for_text(desk, "missing");
    desk.key("ctrl+r");
    const json failed =
        desk.wait_for_error("broken.py, line 3: NameError: name 'missing' is not defined");
    EXPECT_THAT(text_in(failed), HasSubstr("missing"));
    const json& complaints = failed.at("code").at("complaints");
    ASSERT_EQ(complaints.size(), 1U);
    EXPECT_EQ(complaints[0].at("line"), 3);
    save(file, "import os\n\nnumber = 1\n");
    desk.wait_for_error("broken.py: It launched no kernel");
    save(file, "import numba_of_nobody\n");
    desk.wait_for_error("No module named 'numba_of_nobody'. Install it (pip install");
}

TEST(Script, MissingInterpreterIsOneSentence)
{
    const Interpreter interpreter("/nowhere/python3");
    const Folder folder;
    const fs::path file = folder / "plain.py";
    save(file, "print(1)\n");
    Desk desk({file.string()});
    wait_for_text(desk, "print");
    desk.key("ctrl+r");
    desk.wait_for_error("There is no program /nowhere/python3, which LANESCOPE_PYTHON names.");
}

constexpr const char* sleeping_text =
    "import os, time\nopen('pid.part', 'w').write(str(os.getpid()))\n"
    "os.rename('pid.part', 'pid')\ntime.sleep(600)\n";

// Runs a script that sleeps, and returns its process.
pid_t sleeping_in(Desk& desk, const fs::path& folder)
{
    wait_for_text(desk, "sleep");
    desk.key("ctrl+r");
    desk.wait_for("the script's start", [&](const json&) { return fs::exists(folder / "pid"); });
    return static_cast<pid_t>(std::stol(read_file(folder / "pid")));
}

TEST(Script, ClosingItEndsIt)
{
    const Interpreter interpreter("python3");
    const Folder folder;
    save(folder / "sleep.py", sleeping_text);
    Desk desk({(folder / "sleep.py").string()});
    const pid_t process = sleeping_in(desk, folder.path());
    EXPECT_EQ(program_of(desk.fresh_report()).at("state"), "running");
    desk.drop(desk.write("other.py", "print(1)\n"));
    wait_for_text(desk, "print(1)");
    wait_until_gone(process);
    EXPECT_EQ(desk.fresh_report().at("error"), "");
}

TEST(Script, ClosingTheWindowEndsIt)
{
    const Interpreter interpreter("python3");
    const Folder folder;
    save(folder / "sleep.py", sleeping_text);
    Desk desk({(folder / "sleep.py").string()});
    const pid_t process = sleeping_in(desk, folder.path());
    desk.send(SIGTERM);
    desk.wait_for_end();
    wait_until_gone(process);
}

TEST(Script, UnsavedTextIsRecovered)
{
    const Folder folder;
    const fs::path file = folder / "notes.py";
    save(file, "# one\n");
    Desk desk({file.string()});
    wait_for_text(desk, "# one");
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.key("End");
    desk.xdotool({"type", "--delay", "60", "2"});
    wait_for_text(desk, "# one2");
    std::this_thread::sleep_for(1s); // it is kept a few times per second
    desk.send(SIGKILL);
    desk.wait_for_end();
    desk.start_again({file.string()});
    wait_for_text(desk, "# one2");
    EXPECT_EQ(desk.fresh_report().at("unsaved").size(), 1U);
    EXPECT_EQ(read_file(file), "# one\n");
}

} // namespace
} // namespace lanescope::test
