// Files from untrusted sources: each attempt to do harm is refused promptly with a message, and
// nothing outside the file's folder is read, written or run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/export/table.h"
#include "app/measure/quantity.h"
#include "app/run/editing/own_lab.h"
#include "app/run/program/program_file.h"
#include "compute/error.h"
#include "render/capture/markup.h"
#include "tests/support/png_bytes.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string times(int count, const std::string& what)
{
    std::string all;
    for (int i = 0; i < count; ++i) all += what;
    return all;
}

// Runs the program with `input` on its standard input.
Outcome run_with_input(const Folder& folder, const std::string& arguments, const std::string& input)
{
    std::ofstream(folder / "input") << input;
    const std::string command = "CUDA_VISIBLE_DEVICES= " + program_under_test() + " " + arguments +
                                " <" + (folder / "input").string() + " >" +
                                (folder / "output").string() + " 2>" + (folder / "errors").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(folder / "output"), read_file(folder / "errors")};
}

TEST(Untrusted, PictureBombIsRejected)
{
    const Folder folder;
    const std::string zeros = packed(std::string(std::size_t{96} << 20, '\0'));
    std::ofstream(folder / "bomb.png", std::ios::binary) << png_file(
        1, 1, std::string(4, '\0'), png_chunk("zTXt", "lanescope" + std::string(2, '\0') + zeros));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"shot", "--session"}, {"record"}, {"page"}}) {
        auto words = command;
        words.insert(words.end(),
                     {(folder / "bomb.png").string(), "-o", (folder / "%d.png").string()});
        const Outcome outcome = run_program(words);
        if (command.front() == "page" && outcome.status == 3) continue; // there is no browser build
        EXPECT_EQ(outcome.status, 2) << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr("its text chunks exceed 16 MB"));
    }
}

TEST(Untrusted, DeepFormulasAreRejectedWithTheirLine)
{
    const Folder folder;
    const auto refusal = [&](const std::string& formula, int line = 8) {
        std::ofstream(folder / "deep.lecture")
            << "lecture: x\n\nbeat: b\nshow: heat/naive\nask: q\nchoice: 4\nchoice: 5\nreveal: "
            << formula << "\n";
        const Outcome outcome = run_program({"check", (folder / "deep.lecture").string()});
        EXPECT_EQ(outcome.status, 2) << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr("deep.lecture, line " + std::to_string(line) + ": "));
        EXPECT_LT(outcome.errors.size(), 2000u);
        return outcome.errors;
    };
    EXPECT_THAT(refusal(times(100'000, "(")), HasSubstr("nested more than 100 deep"));
    EXPECT_THAT(refusal(times(101, "(") + "1" + times(101, ")")), HasSubstr("more than 100 deep"));
    EXPECT_THAT(refusal(times(100'000, "1+(")), HasSubstr("more than 100 deep"));
    EXPECT_THAT(refusal(times(400, "9")), HasSubstr("is not a number"));
    EXPECT_THAT(refusal(times(100'000, "x")), HasSubstr("names no variant"));
    EXPECT_THAT(
        refusal("number(heat/naive, \"" + times(1000, "(") + "1" + times(1000, ")") + "\")", 3),
        HasSubstr("nested more than 100 deep"));
    EXPECT_THAT(refusal("number(heat/naive, \"size = 5\")", 3), HasSubstr("cannot assign"));
    // A long sum is not deeply nested, so it is accepted.
    const app::Formula sum("1" + times(20'000, "+1"));
    EXPECT_EQ(sum.value({}), 20'001);
}

TEST(Untrusted, LongStepExpressionIsRejectedAndNextCommandRuns)
{
    const Folder folder;
    std::string input;
    const std::string expressions[] = {"1" + times(20'000, "+1"),
                                       "1" + times(20'000, "*1"),
                                       times(20'000, "(") + "1",
                                       times(20'000, "-") + "1",
                                       times(20'000, "!") + "1",
                                       "i" + times(20'000, "[0]"),
                                       "p" + times(20'000, "->a"),
                                       "p" + times(20'000, ".a"),
                                       times(20'000, "1?1:") + "1",
                                       times(20'000, "1?") + "1",
                                       "1" + times(20'000, "&&1"),
                                       times(20'000, "*") + "from",
                                       "i" + times(20'000, "[i") + times(20'000, "]")};
    for (const std::string& one : expressions)
        for (const char* command : {"print ", "until ", "break 6 if ", "last-write "})
            input += command + one + "\n";
    input += "print 1+1\nquit\n";
    const Outcome outcome =
        run_with_input(folder, "step transpose/tile --device simt --set size=64", input);
    EXPECT_EQ(outcome.status, 0) << outcome.errors.substr(0, 2000);
    EXPECT_THAT(outcome.output, HasSubstr("2  in every lane"));
    EXPECT_THAT(outcome.errors, HasSubstr("more than 200 operators in a row"));
    EXPECT_LT(outcome.errors.size(), 60'000u);
}

TEST(Untrusted, EndlessStepCommandIsRefused)
{
    const Folder folder;
    const Outcome outcome = run_with_input(folder, "step heat/naive --set size=8",
                                           std::string((std::size_t{1} << 20) + 1, 'x'));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("A command is longer than 1 MiB"));
}

TEST(Untrusted, DebuggerMessagesHaveLimitedDepthAndLength)
{
    const Folder folder;
    const auto message = [](const std::string& text) {
        return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
    };
    for (const std::string& text :
         {times(1'000'000, "["), R"({"command": "launch", "arguments": )" + times(1'000'000, "["),
          R"({"command": )" + times(500'000, R"({"a":)") + "1" + times(500'000, "}") + "}"}) {
        const Outcome outcome = run_with_input(folder, "step --dap", message(text));
        EXPECT_EQ(outcome.status, 2) << outcome.errors.substr(0, 500);
    }
    const std::string expression = "1" + times(20'000, "+1");
    const std::string input =
        message(R"({"seq": 1, "command": "launch", "arguments": {"program": "transpose/tile", "set":
                ["size=64"], "step": -9223372036854775808, "seed": -1}})") +
        message(
            R"({"seq": 1e300, "command": "stackTrace", "arguments": {"threadId": -2147483648}})") +
        message(R"({"seq": 3, "command": "scopes", "arguments": {"frameId": 1e99}})") +
        message(R"({"seq": 4, "command": "evaluate", "arguments": {"expression": ")" + expression +
                "\"}}") +
        message(R"({"seq": 5, "command": "next", "arguments": {"threadId": 2147483647}})") +
        message(R"({"seq": 6, "command": "disconnect"})");
    const Outcome outcome = run_with_input(folder, "step --dap", input);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("more than 200 operators in a row"));
}

TEST(Untrusted, ScriptIsReadCompletelyBeforeItRuns)
{
    const Folder folder;
    std::ofstream(folder / "evil.cu") << "#include <cstdio>\n__global__ void k(){}\nint main(){ "
                                         "fclose(fopen(\"HOSTCODE_RAN\", \"w\")); }\n";
    std::ofstream(folder / "victim.txt") << "mine";
    const char* const scripts[] = {R"(["run_program", "evil.cu"])",
                                   R"(["save_text", "victim.txt"])",
                                   R"(["save_lab", "written"])",
                                   R"(["take", 0])",
                                   R"(["folder", "/"])",
                                   R"(["open", "/etc/passwd"])"};
    for (const char* command : scripts) {
        std::ofstream(folder / "script.json")
            << R"({"lanescope_script": 1, "commands": [{"at": 0, "do": ["pause", true]}, {"at": 0, "do": )"
            << command << R"(}, {"at": 0, "do": ["close"]}]})";
        const Outcome outcome =
            run_program({"--script", (folder / "script.json").string(), "--lab", "no_such_lab"});
        EXPECT_EQ(outcome.status, 2) << command << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr("command 2, "));
        EXPECT_THAT(outcome.errors, HasSubstr("add --trust-script."));
    }
    const Outcome alone = run_program({"--trust-script"});
    EXPECT_EQ(alone.status, 2) << "trust in what?";
    EXPECT_EQ(folder.entries(), 3u);
    EXPECT_EQ(read_file(folder / "victim.txt"), "mine");
}

constexpr const char* lecture_prefix = "lecture: x\nbeat: b\nshow: ";

TEST(Untrusted, LectureReadsOnlyItsOwnFolder)
{
    const Folder folder;
    const Folder elsewhere;
    ASSERT_EQ(run_program({"new-lab", (elsewhere / "secret").string()}).status, 0);
    std::ofstream(elsewhere / "secret.cu")
        << "extern \"C\" __global__ void k(float* a) { a[0] = 1; }\n";
    fs::create_directory_symlink(elsewhere.path(), folder / "there");
    fs::create_symlink(elsewhere / "secret.cu", folder / "link.cu");
    fs::create_directory_symlink(elsewhere / "secret", folder / "lab");
    for (const std::string& lab :
         {std::string("there/secret.cu"), std::string("link.cu"), std::string("lab"),
          std::string("there/secret"), std::string("../x.cu"), (elsewhere / "secret").string(),
          (elsewhere / "secret.cu").string()}) {
        const std::string name = lab + "/naive";
        std::ofstream(folder / "a.lecture") << lecture_prefix << name << "\n";
        std::ofstream(folder / "a.cards") << "card: A\nsource: s\ntest: t | items(" << name
                                          << ") | = 1\nverdict: right\nbecause: b\n";
        for (const char* file : {"a.lecture", "a.cards"}) {
            const Outcome outcome = run_program({"check", (folder / file).string()});
            EXPECT_EQ(outcome.status, 2) << name << outcome.errors;
            EXPECT_THAT(outcome.errors, HasSubstr("outside its folder")) << name;
        }
    }
    fs::copy(elsewhere / "secret", folder / "own_secret", fs::copy_options::recursive);
    std::ofstream(folder / "a.lecture") << lecture_prefix << "own_secret\n";
    const Outcome own = run_program({"check", (folder / "a.lecture").string()});
    EXPECT_EQ(own.errors.find("outside"), std::string::npos) << own.errors;
}

TEST(Untrusted, LectureHasAtMostAThousandBeats)
{
    const Folder folder;
    std::ofstream(folder / "long.lecture") << "lecture: x\nbeat: b\nshow: heat\n"
                                           << times(100'000, "beat: b\n");
    const Outcome outcome = run_program({"check", (folder / "long.lecture").string()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("line 1003: There are more than 1000 beats"));
}

TEST(Untrusted, PipesFoldersAndDevicesAreRejected)
{
    const Folder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo((folder / "pipe.cu").c_str(), 0600), 0);
    fs::create_directory(folder / "folder.cu");
    fs::create_symlink("/dev/zero", folder / "zero.cu");
    fs::create_symlink("loop", folder / "loop");
    for (const std::string& file :
         {(folder / "pipe").string(), folder.path().string(), std::string("/dev/zero"),
          (folder / "loop").string(), (folder / "pipe.cu").string(),
          (folder / "folder.cu").string(), (folder / "zero.cu").string()})
        for (const std::vector<std::string>& command : {std::vector<std::string>{"check"},
                                                        {"--script"},
                                                        {"--measurements"},
                                                        {"--session"},
                                                        {"run"},
                                                        {"run", "rotate", "--image"},
                                                        {"emulate"}}) {
            auto words = command;
            words.push_back(file);
            const Outcome outcome = run_program(words);
            EXPECT_TRUE(outcome.status == 2 || outcome.status == 3 || outcome.status == 4)
                << outcome.status << command.front() << " " << file << outcome.errors;
            EXPECT_THAT(outcome.errors, HasSubstr("lanescope: "));
        }
}

// A program's ELF headers are read when it is dropped, before it runs.
TEST(Untrusted, HostileElfHeadersAreRejected)
{
    const Folder folder;
    const std::string header("\x7f"
                             "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0\1\0\0\0",
                             24);
    for (const char fill : {'\0', '\x7f', '\xff', '\x01'}) {
        std::string bytes = header + std::string(1 << 20, fill);
        bytes.replace(54, 2, "\x38\x00", 2); // size of a program header
        bytes.replace(32, 8, std::string("\x40\0\0\0\0\0\0\0", 8));
        bytes.replace(64, 4, std::string("\2\0\0\0", 4)); // the first one: PT_DYNAMIC
        std::ofstream(folder / "program", std::ios::binary) << bytes;
        const auto begun = std::chrono::steady_clock::now();
        const app::ProgramFile file = app::read_program_file(folder / "program");
        EXPECT_LE(file.libraries.size(), 10'000u);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    }
}

// Names and texts of an untrusted lab are escaped in files for slides and papers.
TEST(Untrusted, ExportedTextIsEscaped)
{
    app::Table table({{"=HYPERLINK(\"http://x\")"}, {"count", true}});
    table.add({"@SUM(1)|x", "-5"});
    table.add({"<script>alert(1)</script>\n# *a* [b](c) `d` \\e", "-1.5e3"});
    table.add({"\\input{/etc/passwd}", "+1+cmd|' /C calc'!A0"});
    table.add({"plain_name", "\t1"});
    const std::string csv = table.csv();
    EXPECT_THAT(csv, HasSubstr("\"'=HYPERLINK(\"\"http://x\"\")\",count\n"));
    EXPECT_THAT(csv, HasSubstr("\n'@SUM(1)|x,-5\n")) << "a number stays one";
    EXPECT_THAT(csv, HasSubstr(",-1.5e3\n"));
    EXPECT_THAT(csv, HasSubstr(",'+1+cmd|' /C calc'!A0\n"));
    EXPECT_THAT(csv, HasSubstr("plain_name,'\t1\n"));
    const std::string markdown = table.markdown();
    EXPECT_THAT(markdown, HasSubstr("| @SUM(1)\\|x | -5 |\n"));
    EXPECT_THAT(
        markdown,
        HasSubstr("\\<script\\>alert(1)\\</script\\> \\# \\*a\\* \\[b\\](c) \\`d\\` \\\\e |"));
    EXPECT_THAT(markdown, HasSubstr("| plain_name |"));
    EXPECT_EQ(std::ranges::count(markdown, '\n'), 6);
    const std::string latex = table.latex();
    EXPECT_THAT(latex, HasSubstr("\\textbackslash{}input\\{/etc/passwd\\} &"));
    EXPECT_EQ(latex.find("\\input"), std::string::npos);
    EXPECT_EQ(render::markdown_text("_a_ b_c - d"), "\\_a\\_ b_c - d");
    EXPECT_EQ(render::markdown_text("- a"), "\\- a");
    EXPECT_EQ(render::markdown_text("-5"), "-5");
    EXPECT_EQ(render::escape("<a b='c'>\x01&\x1b"), "&lt;a b='c'&gt;\xef\xbf\xbd&amp;\xef\xbf\xbd");
}

TEST(Untrusted, SlidesEscapeNames)
{
    if (!is_installed("python3")) GTEST_SKIP() << "no Python";
    const Folder folder;
    std::ofstream(folder / "talk.py") << R"(
import pathlib, sys
sys.path.insert(0, ")" LANESCOPE_SOURCE_DIR R"(/app/packaging/python")
from lanescope import slides
class Slide:
    title = slides.plain("</section><script>alert(1)</script> ![x](javascript:y) \x1b[2J\n---\n# $a$ \\input{/etc/passwd}")
    caption = slides.plain("- [a](b) `c` *d* {{e}} ~~f~~")
    drawing, page = pathlib.Path("a talk) (1_1.svg"), pathlib.Path("a.pdf")
    poster = video = None
slides.write_md(pathlib.Path(sys.argv[1] + ".md"), [Slide()])
slides.write_tex(pathlib.Path(sys.argv[1] + ".tex"), [Slide()])
)";
    const std::string made = (folder / "made").string();
    ASSERT_EQ(std::system(("python3 " + (folder / "talk.py").string() + " " + made).c_str()), 0);
    const std::string markdown = read_file(made + ".md");
    EXPECT_THAT(
        markdown,
        HasSubstr("## \\</section\\>\\<script\\>alert(1)\\</script\\> \\!\\[x\\](javascript:y)"));
    EXPECT_THAT(markdown, HasSubstr("](a%20talk%29%20%281_1.svg)"));
    EXPECT_THAT(markdown, HasSubstr("\n\\- \\[a\\](b) \\`c\\` \\*d\\* \\{\\{e\\}\\}"));
    EXPECT_EQ(markdown.find("\n---\n"), std::string::npos) << "one slide";
    EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
    const std::string latex = read_file(made + ".tex");
    EXPECT_THAT(latex, HasSubstr("\\textbackslash{}input\\{/etc/passwd\\}"));
    EXPECT_EQ(latex.find("\\input"), std::string::npos);
    EXPECT_EQ(latex.find('\x1b'), std::string::npos);
}

} // namespace
} // namespace lanescope::test
