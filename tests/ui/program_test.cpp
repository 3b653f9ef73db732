// A whole program in the window: offered when its file is opened, run on request, its launches
// opened with their captured memory, edited, and the program rerun with the edit.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

constexpr const char* program_text = R"(#define STEP 1
#include <cstdio>
#include <cuda_runtime.h>

__global__ void ramp(float* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = 2.0f * i;
}

__global__ void add_one(float* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += STEP;
}

int main()
{
    const int n = 1000;
    float* values;
    cudaMalloc(&values, n * sizeof(float));
    ramp<<<4, 256>>>(values, n);
    add_one<<<4, 256>>>(values, n);
    float last = 0;
    cudaMemcpy(&last, values + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("last %.0f\n", last);
    cudaFree(values);
}
)";

json program_of(const json& report)
{
    return report.at("program");
}

bool is_done(const json& report, int run)
{
    return program_of(report).at("state") == "done" && program_of(report).at("run") == run;
}

void click_place(Desk& desk, const std::string& name)
{
    const json report = desk.wait_for("a place for " + name,
                                      [&](const json& r) { return r.at("places").contains(name); });
    const json at = report.at("places").at(name);
    desk.click(at[0].get<int>(), at[1].get<int>());
}

TEST(Program, RunsOnRequestAndLaunchesCanBeEdited)
{
    const Folder folder;
    Desk desk({"--lab", "heat", "--set", "size=96"});
    const auto file = desk.write("mine.cu", program_text);
    desk.drop(file);
    const json opened = desk.wait_for(
        "the offer", [](const json& r) { return program_of(r).at("offered") == "mine.cu"; });
    EXPECT_EQ(program_of(opened).at("state"), "none") << "host code ran without being asked for";

    desk.key("ctrl+r");
    const json ran = desk.wait_for(
        "the launches", [](const json& r) { return is_done(r, 1); }, std::chrono::minutes(3));
    EXPECT_EQ(program_of(ran).at("output"), "last 1999\n");
    ASSERT_EQ(program_of(ran).at("launches").size(), 2U);
    EXPECT_EQ(program_of(ran).at("launches")[1].at("kernel"), "add_one");
    EXPECT_EQ(program_of(ran).at("copies"), 1);

    // The second launch starts with the memory that the first one left.
    click_place(desk, "launch 1");
    const json second = desk.wait_for("the second launch", [](const json& r) {
        return r.at("variant") == "add_one" && r.at("steps") > 0;
    });
    EXPECT_EQ(program_of(second).at("shown"), 1);
    EXPECT_EQ(second.at("error"), "");
    EXPECT_EQ(program_of(second).at("offered"), "mine.cu");

    // A saved session of the launch can be drawn without the window and the program.
    desk.key("ctrl+s");
    desk.wait_for_notice(".json");
    const auto session = desk.saved(".json");
    const Outcome drawn =
        run_program({"shot", "--session", session.string(), "-o", (folder / "again.png").string()});
    EXPECT_EQ(drawn.status, 0) << drawn.errors;
    EXPECT_TRUE(std::filesystem::exists(session.parent_path() /
                                        (session.stem().string() + "_001_add_one") / "lab.json"));

    // Edits the kernel's text in the editor.
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.key("End");
    desk.xdotool({"type", "--delay", "60", "0"}); // makes it #define STEP 10
    const json edited = desk.wait_for(
        "the edited launch",
        [](const json& r) {
            return r.at("variant") == "add_one_edited" && r.at("steps") > 0 &&
                   r.at("session").dump().find("#define STEP 10") != std::string::npos;
        },
        std::chrono::minutes(2));
    EXPECT_EQ(edited.at("error"), "");
    desk.key("Escape");

    // When the whole program runs again, it includes the edit.
    desk.key("ctrl+r");
    const json again = desk.wait_for(
        "the second run", [](const json& r) { return is_done(r, 2); }, std::chrono::minutes(3));
    EXPECT_EQ(program_of(again).at("output"), "last 2008\n");
    EXPECT_EQ(program_of(again).at("edits"), 1);
    EXPECT_EQ(again.at("error"), "");
    click_place(desk, "launch 1");
    const json newer = desk.wait_for("the launch of the second run", [](const json& r) {
        return program_of(r).at("shown") == 1 && r.at("variant") == "add_one" && r.at("steps") > 0;
    });
    EXPECT_EQ(newer.at("error"), "");
    // The program's file on disk is unchanged.
    EXPECT_EQ(read_file(file), program_text);
}

TEST(Program, CompileErrorsAreShown)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    std::string broken = program_text;
    broken.replace(broken.find("const int n = 1000;"), 19, "const int n = nosuch;");
    desk.drop(desk.write("broken.cu", broken));
    desk.wait_for("the offer",
                  [](const json& r) { return program_of(r).at("offered") == "broken.cu"; });
    desk.key("ctrl+r");
    const json failed = desk.wait_for(
        "the problem", [](const json& r) { return program_of(r).at("state") == "failed"; },
        std::chrono::minutes(3));
    EXPECT_NE(program_of(failed).at("problem").get<std::string>().find("nosuch"),
              std::string::npos);
}

} // namespace
} // namespace lanescope::test
