// Kernels of the user's own in the window: opened by name and by a drop, followed while another
// editor saves them, described better by an entry of the record, and saved as a lab.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::string tutorials = LANESCOPE_SOURCE_DIR "/tests/unit/guess/tutorials/";

std::string text_of(const json& report)
{
    return report.at("session").dump();
}

TEST(OwnKernel, OpensByItsNameAndFollowsAnotherEditor)
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
}

// A sentence at its line, and a window that goes on.
TEST(OwnKernel, OneThatNeverEndsIsASentenceAtItsLine)
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

TEST(OwnKernel, WhatItPrintsHasATab)
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
    desk.key("shift+o");
    const json report = desk.wait_for("the tab", [](const json& r) {
        return r.at("session").at("panels").at("tab") == "output" &&
               r.at("session").at("panels").at("bottom") > 0;
    });
    const std::string kept = report.at("printed").at("kept");
    EXPECT_NE(kept.find("thread 64 has "), std::string::npos) << kept.substr(0, 200);
    EXPECT_NE(kept.find("\\x1b\n"), std::string::npos) << kept.substr(0, 200);
    EXPECT_EQ(desk.fresh_report().at("error"), "");
    // Another lab begins with nothing printed.
    desk.key("ctrl+Page_Down");
    desk.wait_for("another lab", [](const json& r) {
        return r.at("variant") != "prints" && r.at("printed").at("bytes") == 0;
    });
}

TEST(OwnKernel, IsDropped)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.drop(tutorials + "mandelbrot.cu");
    desk.wait_for("the kernel", [](const json& r) {
        return r.at("variant") == "mandelbrot" && r.at("steps") > 0;
    });
    EXPECT_EQ(desk.report().at("error"), "");
    EXPECT_NE(text_of(desk.report()).find("mandelbrot.cu"), std::string::npos);
}

TEST(OwnKernel, ARecordsEntryAndTheFolderComeByCommands)
{
    const Folder folder;
    std::filesystem::copy_file(tutorials + "saxpy.cu", folder / "saxpy.cu");
    const std::string lab = (folder / "saxpy_lab").string();
    std::ofstream(folder / "script.json") << R"({"lanescope_script": 1, "commands": [
        {"at": 1, "do": ["record", "/buffers/x/fill", "\"random\""]},
        {"at": 2, "do": ["record", "/buffers/x/extent", "[\"nonsense\"]"]},
        {"at": 8, "do": ["record", "/buffers/x/extent", "[\"n\"]"]},
        {"at": 14, "do": ["save_lab", ")" + lab + R"("]}]})";
    Desk desk({(folder / "saxpy.cu").string(), "--script", (folder / "script.json").string()});
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
