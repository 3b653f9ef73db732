// The user's own kernels in the window: opened by name and by drop, reloaded while another editor
// saves them, corrected by an entry of the record, and saved as a lab.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/courses.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::string tutorials = LANESCOPE_SOURCE_DIR "/tests/unit/guess/tutorials/";

std::string text_of(const json& report)
{
    return report.at("session").dump();
}

TEST(OwnKernel, OpensByNameAndReloadsExternalEdits)
{
    const Folder folder;
    std::filesystem::copy_file(tutorials + "saxpy.cu", folder / "saxpy.cu");
    Desk desk({(folder / "saxpy.cu").string()});
    desk.wait_for("steps of saxpy",
                  [](const json& r) { return r.at("variant") == "saxpy" && r.at("steps") > 0; });
    EXPECT_EQ(desk.report().at("error"), "");
    std::string text = read_file(folder / "saxpy.cu");
    text.replace(text.find("a * x[i]"), 8, "a - x[i]");
    std::ofstream(folder / "saxpy.cu") << text;
    desk.wait_for("the saved text", [](const json& r) {
        return text_of(r).find("a - x[i]") != std::string::npos &&
               !r.at("session").contains("draft") && r.at("steps") > 0;
    });
    EXPECT_EQ(desk.fresh_report().at("error"), "");
    EXPECT_EQ(desk.report().at("unsaved"), json::array()) << "the file has it";
}

TEST(OwnKernel, PictureStaysAfterBrokenExternalSave)
{
    const Folder folder;
    std::filesystem::copy_file(tutorials + "mandelbrot.cu", folder / "mandelbrot.cu");
    Desk desk({(folder / "mandelbrot.cu").string()});
    desk.wait_for("steps", [](const json& r) { return r.at("steps") > 0; });
    desk.key("space");
    desk.wait_for("a pause", [](const json& r) { return r.at("paused") == true; });
    const auto before = desk.screenshot();
    const std::string text = read_file(folder / "mandelbrot.cu");
    std::ofstream(folder / "mandelbrot.cu") << text << "\nint broken = nosuch;\n";
    const json report = desk.wait_for(
        "the sentence", [](const json& r) { return !r.at("code").at("complaints").empty(); });
    EXPECT_GT(report.at("steps"), 0);
    EXPECT_EQ(report.at("variant"), "mandelbrot");
    EXPECT_EQ(report.at("fault_line"), 0);
    desk.fresh_report();
    EXPECT_LT(different_pixels(before, desk.screenshot(), 300, 120, 900, 480), 0.01);
}

TEST(OwnKernel, DeletedFileStaysInWindow)
{
    const Folder folder;
    const auto file = folder / "saxpy.cu";
    std::filesystem::copy_file(tutorials + "saxpy.cu", file);
    const std::string text = read_file(file);
    Desk desk({file.string()});
    desk.wait_for("steps", [](const json& r) { return r.at("steps") > 0; });
    std::filesystem::remove(file);
    desk.wait_for_notice("saxpy.cu is gone from its folder");
    const json report = desk.fresh_report();
    EXPECT_EQ(report.at("unsaved").size(), 1U) << report.at("unsaved");
    EXPECT_GT(report.at("steps"), 0);
    EXPECT_EQ(report.at("error"), "");
    // The loss is over when the file reappears …
    std::ofstream(file) << text;
    desk.wait_for("the file", [](const json& r) { return r.at("unsaved").empty(); });
    // … or when the window writes it again.
    std::filesystem::remove(file);
    desk.wait_for("the loss", [](const json& r) { return r.at("unsaved").size() == 1; });
    desk.key("ctrl+s");
    desk.wait_for_notice("Saved");
    EXPECT_EQ(read_file(file), text);
}

// To save time, only a sample of the courses' kernels, and one whose fault comes after a warning.
// LANESCOPE_COURSES=1 runs all of them.
TEST(OwnKernel, CourseKernelGetsSameVerdictAsCommands)
{
    constexpr std::size_t share = 8;
    const bool every = std::getenv("LANESCOPE_COURSES") != nullptr;
    const std::vector<Course> all = courses();
    ASSERT_GE(all.size(), 60U);
    Desk desk({"--lab", "heat", "--set", "size=64"});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Course& course = all[i];
        if (!every && i % share != 0 && course.name != "transpose_padded_no_barrier") continue;
        desk.drop(course.file());
        const auto arrived = [&](const json& r) {
            const std::string file = r.at("session").value("kernel_file", "");
            return r.at("opening") == false &&
                   file.substr(file.find_last_of("/\\") + 1) == course.name + ".cu";
        };
        const json report = desk.wait_for(course.name, [&](const json& r) {
            if (!r.contains("session") || !arrived(r)) return false;
            return course.fails() ? r.at("fault_line") != 0
                                  : r.at("steps") > 0 &&
                                        (course.right() || !r.at("code").at("complaints").empty());
        });
        const json& complaints = report.at("code").at("complaints");
        if (course.fails()) {
            EXPECT_EQ(report.at("fault_line"), course.line) << course.name << report.at("error");
        } else {
            EXPECT_EQ(report.at("fault_line"), 0) << course.name << report.at("error");
            EXPECT_EQ(report.at("error"), "") << course.name;
        }
        if (course.right()) {
            EXPECT_TRUE(complaints.empty()) << course.name << complaints;
        } else if (course.doubtful()) {
            EXPECT_EQ(complaints.at(0).at("line"), course.line) << course.name;
        }
    }
}

// The kernel runs and its picture is shown; warnings of the trial run appear at their lines.
TEST(OwnKernel, TrialWarningsAppearAtLine)
{
    Desk desk({LANESCOPE_SOURCE_DIR "/tests/kernels/courses/stencil_radius_no_halo.cu"});
    const json report = desk.wait_for("the warning", [](const json& r) {
        return r.at("steps") > 0 && !r.at("code").at("complaints").empty();
    });
    EXPECT_EQ(report.at("code").at("complaints").at(0).at("line"), 18);
    EXPECT_EQ(report.at("fault_line"), 0);
    EXPECT_EQ(report.at("unsaved"), json::array());
    EXPECT_EQ(report.at("code").at("versions"), 0) << "nothing was edited";
    desk.drop(LANESCOPE_SOURCE_DIR "/tests/kernels/courses/stencil_radius.cu");
    desk.wait_for("the right one", [](const json& r) {
        return r.at("variant") == "stencil" && r.at("steps") > 0 &&
               r.at("session").at("kernel_file").get<std::string>().ends_with("stencil_radius.cu");
    });
    EXPECT_TRUE(desk.fresh_report().at("code").at("complaints").empty());
}

TEST(OwnKernel, EndlessKernelIsReportedAtLine)
{
    Desk desk({"--lab", "heat", "--set", "size=64"});
    desk.drop(desk.write("endless.cu", "__global__ void endless(float* out, int n)\n"
                                       "{\n"
                                       "    float sum = 0;\n"
                                       "    for (unsigned k = 0; out[0] == 0 || n > 0; ++k)\n"
                                       "        sum += k * 0.5f;\n"
                                       "    if (threadIdx.x < n) out[threadIdx.x] = sum;\n"
                                       "}\n"));
    const json report = desk.wait_for("the sentence", [](const json& r) {
        return r.at("fault_line") >= 3 && r.at("fault_line") <= 5;
    });
    EXPECT_NE(report.at("engine_reason").get<std::string>().find("first run"), std::string::npos);
    desk.key("t");
    desk.wait_for("another theme",
                  [](const json& r) { return r.at("session").at("theme") == "light"; });
}

TEST(OwnKernel, OutputHasTab)
{
    Desk desk({"--lab", "heat", "--set", "size=64"});
    desk.drop(desk.write("prints.cu",
                         "#include <cstdio>\n"
                         "__global__ void prints(const float* in, float* out, int n)\n"
                         "{\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i >= n) return;\n"
                         "    out[i] = 2 * in[i];\n"
                         "    if (i % 64 == 0) printf(\"thread %d has %g\\x1b\\n\", i, in[i]);\n"
                         "}\n"));
    desk.wait_for("printed lines", [](const json& r) { return r.at("printed").at("bytes") > 0; });
    desk.wait_for("a pause", [](const json& r) { return r.at("paused") == true; });
    const json paused = desk.fresh_report();
    desk.key("space");
    desk.wait_for("more output", [&](const json& r) {
        return r.at("printed").at("bytes") > paused.at("printed").at("bytes");
    });
    desk.key("Home");
    desk.wait_for("a pause after the output of a few steps", [&](const json& r) {
        return r.at("paused") == true &&
               r.at("steps").get<int>() <= paused.at("steps").get<int>() + 2;
    });
    desk.key("shift+o");
    const json report = desk.wait_for("the tab", [](const json& r) {
        return r.at("session").at("panels").at("tab") == "output" &&
               r.at("session").at("panels").at("bottom") > 0;
    });
    const std::string kept = report.at("printed").at("kept");
    EXPECT_NE(kept.find("thread 64 has "), std::string::npos) << kept.substr(0, 200);
    EXPECT_NE(kept.find("\\x1b\n"), std::string::npos) << kept.substr(0, 200);
    EXPECT_EQ(desk.fresh_report().at("error"), "");
    // After a switch to another lab the output is empty.
    desk.key("ctrl+Page_Down");
    desk.wait_for("another lab", [](const json& r) {
        return r.at("variant") != "prints" && r.at("printed").at("bytes") == 0;
    });
}

// A file without a kernel that can be read: the editor shows its text, with a message at the line.
struct NotYet {
    const char* name;
    const char* text;
    int line;          // line that the message names; 0: none
    const char* words; // text of the message
};

std::string complaint_in(const json& report)
{
    return report.at("code").at("complaints").dump();
}

class UnreadableKernel : public testing::TestWithParam<NotYet> {};

TEST_P(UnreadableKernel, OpensTextWithMessageAtLine)
{
    const NotYet& one = GetParam();
    const Folder folder;
    if (one.text) std::ofstream(folder / "mine.cu") << one.text;
    Desk desk({(folder / "mine.cu").string()});
    const json report = desk.wait_for("the sentence", [&](const json& r) {
        return complaint_in(r).find(one.words) != std::string::npos;
    });
    EXPECT_EQ(report.at("code").at("complaints").front().at("line"), one.line)
        << complaint_in(report);
    EXPECT_EQ(report.at("error"), "");
    // Another editor fixes it.
    std::ofstream(folder / "mine.cu") << "__global__ void fixed(float* out, int n)\n"
                                         "{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                         "    if (i < n) out[i] = i;\n}\n";
    desk.wait_for("the kernel",
                  [](const json& r) { return r.at("variant") == "fixed" && r.at("steps") > 0; });
    EXPECT_EQ(desk.fresh_report().at("error"), "");
}

INSTANTIATE_TEST_SUITE_P(
    Files, UnreadableKernel,
    testing::Values(NotYet{"error", "__global__ void f(float* a)\n{\n    a[0] = b;\n}\n", 3,
                           "b is not declared"},
                    NotYet{"sample",
                           "#include <helper_cuda.h>\n__global__ void f(float* a) { a[0] = 1; }\n",
                           1, "github.com/NVIDIA/cuda-samples"},
                    NotYet{"template_",
                           "\ntemplate <typename T>\n__global__ void f(T* a) { a[0] = 1; }\n", 3,
                           "template __global__ void f<float>(float*)"},
                    NotYet{"host", "int main() { return 0; }\n", 0, "contains no kernel"},
                    NotYet{"empty", "", 0, "contains no kernel"},
                    NotYet{"gone", nullptr, 0, "There is no file"}),
    [](const auto& info) { return info.param.name; });

TEST(OwnKernel, TypingFixesError)
{
    const Folder folder;
    std::ofstream(folder / "mine.cu") << "lobal__ void fixed(float* out, int n)\n"
                                         "{\n    if (threadIdx.x < n) out[threadIdx.x] = 1;\n}\n";
    Desk desk({"--lab", "heat", "--set", "size=64"});
    desk.drop(folder / "mine.cu");
    desk.wait_for("the sentence",
                  [](const json& r) { return !r.at("code").at("complaints").empty(); });
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.xdotool({"type", "--delay", "60", "__g"});
    desk.wait_for("the kernel",
                  [](const json& r) { return r.at("variant") == "fixed" && r.at("steps") > 0; });
    desk.key("ctrl+s");
    desk.wait_for_notice("Saved");
    EXPECT_EQ(read_file(folder / "mine.cu").substr(0, 11), "__global__ ");
}

TEST(OwnKernel, FindsHeadersInIncludeFolder)
{
    const Folder folder;
    std::filesystem::create_directory(folder / "common");
    std::ofstream(folder / "common/helper_mine.h") << "#define ONE 1.0f\n";
    std::ofstream(folder / "mine.cu") << "#include <helper_mine.h>\n"
                                         "__global__ void fixed(float* out, int n)\n"
                                         "{\n    if (threadIdx.x < n) out[threadIdx.x] = ONE;\n}\n";
    Desk desk({(folder / "mine.cu").string()});
    desk.wait_for("the sentence",
                  [](const json& r) { return !r.at("code").at("complaints").empty(); });
    EXPECT_NE(desk.report().at("code").at("complaints").dump().find("-I"), std::string::npos);
    const json at = desk.fresh_report().at("places").at("include_folders");
    desk.click(at.at(0), at.at(1));
    desk.xdotool({"type", "--delay", "30", (folder / "common").string()});
    desk.key("Return");
    desk.wait_for("the kernel",
                  [](const json& r) { return r.at("variant") == "fixed" && r.at("steps") > 0; });
}

// Each assumption in the panel links to the record entry that changes it.
TEST(OwnKernel, AssumptionsLinkToRecordEntry)
{
    Desk desk({tutorials + "saxpy.cu"});
    const json report = desk.wait_for("the assumptions", [](const json& r) {
        return r.at("steps") > 0 && r.at("places").contains("assumed Launch");
    });
    EXPECT_TRUE(report.at("places").contains("assumed x")) << report.at("places").dump();
    EXPECT_TRUE(report.at("places").contains("assumed n")) << report.at("places").dump();
    EXPECT_FALSE(report.at("places").contains("record Launch"));
    const json at = report.at("places").at("assumed Launch");
    desk.click(at.at(0), at.at(1));
    desk.wait_for("the launch", [](const json& r) {
        return r.at("places").contains("record Launch") &&
               r.at("places").at("record Launch").at(1) < 700;
    });
}

TEST(OwnKernel, ReadsOtherEncodings)
{
    const std::string code = "__global__ void fixed(float* out, int n)\n"
                             "{\n    if (threadIdx.x < n) out[threadIdx.x] = 1;\n}\n";
    Desk desk({"--lab", "heat", "--set", "size=64"});
    desk.drop(desk.write("mark.cu", "\xEF\xBB\xBF" + code));
    desk.wait_for("the kernel", [](const json& r) {
        return r.at("variant") == "fixed" && r.at("steps") > 0 &&
               text_of(r).find("mark.cu") != std::string::npos;
    });
    desk.drop(desk.write("latin.cu", "// Gr\xFC\xDF"
                                     "e\n" +
                                         code));
    desk.wait_for_notice("latin.cu is not UTF-8");
    desk.wait_for("its text", [](const json& r) {
        return r.at("steps") > 0 && text_of(r).find("Grüße") != std::string::npos;
    });
    for (const bool big : {false, true}) { // UTF-16, both byte orders
        const std::string name = big ? "big.cu" : "little.cu";
        std::string bytes = big ? "\xFE\xFF" : "\xFF\xFE";
        for (const char one : "// " + name + '\n' + code) {
            if (big) bytes += '\0';
            bytes += one;
            if (!big) bytes += '\0';
        }
        desk.drop(desk.write(name, bytes));
        desk.wait_for_notice(name + " is not UTF-8: it was read as UTF-16");
        desk.wait_for("its text", [&](const json& r) {
            return r.at("steps") > 0 && r.at("variant") == "fixed" &&
                   text_of(r).find("// " + name) != std::string::npos;
        });
    }
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(OwnKernel, InvalidUtf8NameOpensAndSaves)
{
    const Folder folder;
    const auto file = folder / "h\xf6he.cu";
    std::filesystem::copy_file(tutorials + "saxpy.cu", file);
    const std::string before = read_file(file);
    Desk desk({file.string()});
    desk.wait_for("steps", [](const json& r) { return r.at("steps") > 0; });
    EXPECT_EQ(desk.report().at("unsaved"), json::array());
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.xdotool({"type", "--delay", "20", "//mine"});
    desk.key("Return");
    desk.wait_for("the words", [](const json& r) { return r.at("unsaved").size() == 1; });
    desk.key("ctrl+s");
    desk.wait_for_notice("Saved");
    EXPECT_EQ(read_file(file), "//mine\n" + before);
    desk.wait_for("nothing unsaved", [](const json& r) { return r.at("unsaved").empty(); });
}

TEST(OwnKernel, OpensByDrop)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.drop(tutorials + "mandelbrot.cu");
    desk.wait_for("the kernel", [](const json& r) {
        return r.at("variant") == "mandelbrot" && r.at("steps") > 0;
    });
    EXPECT_EQ(desk.report().at("error"), "");
    EXPECT_NE(text_of(desk.report()).find("mandelbrot.cu"), std::string::npos);
}

TEST(OwnKernel, CommandsAddRecordEntryAndSaveLab)
{
    const Folder folder;
    std::filesystem::copy_file(tutorials + "saxpy.cu", folder / "saxpy.cu");
    const std::string lab = (folder / "saxpy_lab").string();
    std::ofstream(folder / "script.json") << R"({"lanescope_script": 1, "commands": [
        {"at": 1, "do": ["record", "/buffers/x/fill", "\"random\""]},
        {"at": 2, "do": ["record", "/buffers/x/extent", "[\"nonsense\"]"]},
        {"at": 8, "do": ["record", "/buffers/x/extent", "[\"n\"]"]},
        {"at": 14, "do": ["save_lab", ")" + lab + R"("]}]})";
    Desk desk({(folder / "saxpy.cu").string(), "--script", (folder / "script.json").string(),
               "--trust-script"});
    desk.wait_for_notice("saxpy_lab");
    EXPECT_EQ(desk.report().at("error"), "");
    EXPECT_NE(read_file(folder / "saxpy_lab/lab.json").find("\"fill\": \"random\""),
              std::string::npos);
    EXPECT_EQ(read_file(folder / "saxpy_lab/saxpy.cu"), read_file(folder / "saxpy.cu"));
    const Outcome run = run_program({"run", lab, "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
}

} // namespace
} // namespace lanescope::test
