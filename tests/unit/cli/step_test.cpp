// The `step` and `why` commands, as a user types them: moves forwards and backwards, output, exit
// statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Returns the replies of `step --json` to the commands, after a first one for the initial position.
json replies(const std::string& target, const std::string& commands,
             const std::vector<std::string>& more = {}, int status = 0)
{
    std::vector<std::string> arguments{"step", target, "--json", "-c", commands};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome run = run_program(arguments);
    EXPECT_EQ(run.status, status) << run.errors;
    const json document = json::parse(run.output, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << run.output;
    return document.value("replies", json::array());
}

std::string kernel_file(const Folder& folder, const std::string& text)
{
    std::ofstream(folder / "own.cu") << text;
    return (folder / "own.cu").string();
}

// step and why stop at an endless loop, with the same message as run.
TEST(Step, EndlessLoopEnds)
{
    const Folder folder;
    const std::string file = kernel_file(folder, R"(__global__ void collatz(int* o)
{
    int x = threadIdx.x;
    while (x != 1) x = x % 2 ? 3 * x + 1 : x / 2;
    o[threadIdx.x] = x;
}
int main() { int* o; cudaMalloc(&o, 32 * sizeof(int)); collatz<<<1, 32>>>(o); }
)");
    for (const char* command :
         {"fault", "continue", "block", "until x == 12345", "step 999999999"}) {
        const json all = replies(file, std::string(command) + ";step");
        ASSERT_GE(all.size(), 2u) << command;
        EXPECT_EQ(all[1]["stop"], "fault") << command;
        EXPECT_THAT(all[1]["sentence"].get<std::string>(), HasSubstr("forever")) << command;
    }
    const Outcome why = run_program({"why", file, "--at", "0,0", "--time-limit", "2"});
    EXPECT_EQ(why.status, 5);
    EXPECT_THAT(why.errors, HasSubstr("own.cu:4"));
}

// Shared memory has no value before the block writes it, and a variable none before it is set.
TEST(Step, UnwrittenSharedMemoryHasNoValue)
{
    const Folder folder;
    const std::string file = kernel_file(folder, R"(__global__ void k(float* a)
{
    __shared__ float s[64];
    float v = a[threadIdx.x];
    s[threadIdx.x] = v * 2;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
int main() { float* a; cudaMalloc(&a, 256); k<<<1, 64>>>(a); cudaDeviceSynchronize(); }
)");
    const json all = replies(file, "print s[3];print v;break 6;continue;print s[3];print s[40]");
    ASSERT_EQ(all.size(), 7u);
    for (const std::size_t i : {1, 2, 6}) // the second warp has not stored yet
        EXPECT_TRUE(all[i]["lanes"][0].is_null()) << all[i];
    EXPECT_FALSE(all[5]["lanes"][0].is_null()) << all[5];
    const Outcome text = run_program({"step", file, "-c", "print s[3];print v"});
    EXPECT_EQ(text.status, 0) << text.errors;
    EXPECT_THAT(text.output, HasSubstr("s[3]             .  in every lane"));
    EXPECT_THAT(text.output, HasSubstr("v has no value here"));
}

TEST(Step, RefusalsAreExact)
{
    const Folder folder;
    const std::string file =
        kernel_file(folder, R"(__global__ void shift(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
)");
    const json end = replies(file, "goto 100000;warp 1", {}, 2);
    EXPECT_THAT(end[2]["error"].get<std::string>(), HasSubstr("The launch has ended"));
    const json launches = replies(file, "launch 3;where;launch 0", {}, 2);
    EXPECT_FALSE(launches[2].contains("sentence")) << launches[2];
    EXPECT_EQ(launches[3]["sentence"], "Before launch 0; the step has 1.");
    const json breaks = replies(file, "break 1 if foo > 1;break 4 if foo > 1", {}, 2);
    for (const int i : {1, 2}) {
        EXPECT_THAT(breaks[i]["error"].get<std::string>(), HasSubstr("no foo"));
        EXPECT_THAT(breaks[i]["error"].get<std::string>(), testing::Not(HasSubstr("with code")));
    }
}

// A value that is only copied from the input still names the lane that wrote it.
TEST(Why, CopiedValueNamesItsWriter)
{
    const Folder folder;
    const std::string file =
        kernel_file(folder, R"(__global__ void shift(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(i + 1) % n];
}
)");
    const Outcome text = run_program({"why", file, "--at", "5,0"});
    EXPECT_EQ(text.status, 0) << text.errors;
    EXPECT_THAT(text.output, HasSubstr("written at line 4, lane 5 of warp 0, block 0"));
    const Outcome as_json = run_program({"why", file, "--at", "5,0", "--json"});
    const json root = json::parse(as_json.output)["nodes"][0];
    EXPECT_EQ(root["line"], 4);
    EXPECT_EQ(root["lane"], 5);
    EXPECT_EQ(root["block"], 0);
}

TEST(Step, StepsForwardsAndBackwards)
{
    for (const char* text : {"written", "optimised"}) {
        const json all = replies("heat/naive", "line;line;line;back-line;back-line;step 7;back 7",
                                 {"--set", "size=32", "--text", text});
        ASSERT_EQ(all.size(), 8u) << text;
        EXPECT_EQ(all[0]["position"], 0);
        EXPECT_GT(all[1]["position"], all[0]["position"]);
        EXPECT_NE(all[1]["line"], all[0]["line"]);
        EXPECT_EQ(all[4]["position"], all[2]["position"]) << text;
        EXPECT_EQ(all[5]["position"], all[1]["position"]) << text;
        EXPECT_EQ(all[7]["position"], all[5]["position"]);
        EXPECT_EQ(all[6]["position"], all[5]["position"].get<int>() + 7);
        EXPECT_EQ(all[7]["mask"], all[5]["mask"]);
    }
}

TEST(Step, ShowsVariablesByName)
{
    const json all = replies("reduction/strided",
                             "line;line;line;vars;print threadIdx.x + 1;lanes;warps;registers",
                             {"--set", "count=1000"});
    ASSERT_EQ(all.size(), 9u);
    const json& variables = all[4]["variables"];
    ASSERT_FALSE(variables.empty());
    for (const json& one : variables) EXPECT_EQ(one["lanes"].size(), 32u);
    EXPECT_EQ(all[5]["lanes"][7], "8");
    EXPECT_EQ(all[6]["lanes"].size(), 32u);
    EXPECT_FALSE(all[6]["paths"].empty());
    EXPECT_GT(all[7]["warps"].size(), 1u);
    EXPECT_FALSE(all[8]["registers"].empty());
}

// Parameters have values even before an instruction has loaded them; a variable has none until it
// has been written.
TEST(Step, ShowsParametersFromFirstInstruction)
{
    const auto value_of = [](const json& reply, const char* name) {
        for (const json& one : reply.at("variables"))
            if (one.at("name") == name) return one.at("lanes").at(3);
        return json();
    };
    const json all = replies("heat/naive", "vars;line;vars;line;vars", {"--set", "size=32"});
    ASSERT_EQ(all.size(), 6u);
    EXPECT_EQ(value_of(all[1], "width"), "32");
    EXPECT_EQ(value_of(all[1], "k"), "0.2");
    EXPECT_EQ(value_of(all[3], "width"), "32");
    EXPECT_EQ(value_of(all[3], "x"), json()) << all[3];
    EXPECT_EQ(value_of(all[5], "x"), "3");
}

TEST(Step, StopsAtBreakpointsAndConditions)
{
    const json lines = replies("heat/naive", "line;line;line", {"--set", "size=64"});
    const std::string line = std::to_string(lines[2]["line"].get<int>());
    const json all = replies(
        "heat/naive",
        "break " + line + ";continue;continue;reverse;break " + line +
            " if threadIdx.y == 3;continue;until blockIdx.x == 1;back-until blockIdx.x == 0",
        {"--set", "size=64"});
    EXPECT_EQ(all[2]["stop"], "breakpoint");
    EXPECT_EQ(all[3]["stop"], "breakpoint");
    EXPECT_GT(all[3]["position"], all[2]["position"]);
    EXPECT_EQ(all[4]["stop"], "breakpoint");
    EXPECT_EQ(all[4]["position"], all[2]["position"]);
    EXPECT_EQ(all[4]["line"].get<int>(), std::stoi(line));
    EXPECT_EQ(all[6]["stop"], "breakpoint");
    EXPECT_EQ(all[6]["warp"], 3); // each row of the block is one warp
    EXPECT_EQ(all[7]["block"][0], 1);
    EXPECT_EQ(all[8]["block"][0], 0);
    EXPECT_EQ(all[8]["position"], all[7]["position"].get<int>() - 1);
}

TEST(Step, ReportsFaultAndPosition)
{
    const Folder folder;
    std::ofstream(folder / "past.cu") << "extern \"C\" __global__ void past(float* out, int n)\n"
                                         "{\n"
                                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                         "    out[i + n] = 1.0f;\n"
                                         "}\n";
    const json all = replies((folder / "past.cu").string(), "fault;back;fault", {}, 5);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[1]["stop"], "fault");
    EXPECT_EQ(all[1]["fault"]["kind"], "out_of_bounds");
    EXPECT_EQ(all[1]["line"], 4);
    EXPECT_EQ(all[3]["position"], all[1]["position"]);
}

TEST(Step, ReportsInvalidInput)
{
    const Outcome run =
        run_program({"step", "heat/naive", "--set", "size=8", "-c",
                     "sideways;goto x;step -3;print nobody;break 1000;goto 99999;vars"});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.errors, HasSubstr("no command \"sideways\""));
    EXPECT_THAT(run.errors, HasSubstr("\"x\" is no position"));
    EXPECT_THAT(run.errors, HasSubstr("\"-3\" is no number of steps"));
    EXPECT_THAT(run.errors, HasSubstr("no nobody here"));
    EXPECT_THAT(run.errors, HasSubstr("no warp is running"));
    EXPECT_THAT(run.errors, HasSubstr("Line 1000 has no code"));
    EXPECT_EQ(run_program({"step", "heat/nothing", "-c", "line"}).status, 3);
    EXPECT_EQ(run_program({"step", "heat/naive", "--device", "cuda", "-c", "line"}).status, 2);
    EXPECT_EQ(run_program({"step"}).status, 2);
}

TEST(Step, ReportsEnd)
{
    const json all =
        replies("reduction/strided",
                "continue;back-line;goto 0;barrier;back-barrier;block;back-block;to-warp 1",
                {"--set", "count=2048"});
    EXPECT_EQ(all[1]["stop"], "end");
    EXPECT_TRUE(all[1]["at_end"]);
    EXPECT_FALSE(all[2]["at_end"]);
    EXPECT_EQ(all[3]["position"], 0);
    EXPECT_GT(all[4]["position"], 0);
    EXPECT_LT(all[5]["position"], all[4]["position"]);
    EXPECT_GT(all[6]["block"][0], 0);
    EXPECT_EQ(all[8]["warp"], 1);
}

TEST(Why, NamesWriterAndInputs)
{
    const Outcome run = run_program({"why", "transpose/tile", "--at", "3,5", "--set", "size=64",
                                     "--set", "height=64", "--json"});
    ASSERT_EQ(run.status, 0) << run.errors;
    const json tree = json::parse(run.output);
    EXPECT_TRUE(tree["complete"]);
    bool from_memory = false;
    for (const json& node : tree["nodes"])
        from_memory = from_memory || node["words"].get<std::string>().find(
                                         "at the start of the step") != std::string::npos;
    EXPECT_TRUE(from_memory) << run.output;
}

// Recent compilers declare registers of bits, and load and store bits.
TEST(Why, BitsAreFloatsWhereInstructionsSaySo)
{
    const Folder folder;
    const std::filesystem::path file = folder / "half.ptx";
    std::ofstream(file) << R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry half(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    ld.param.b64 %rd2, [in];
    ld.param.b64 %rd3, [out];
    add.s64 %rd4, %rd2, %rd1;
    add.s64 %rd5, %rd3, %rd1;
    ld.global.b32 %r2, [%rd4];
    fma.rn.f32 %r3, %r2, 0f00000000, 0f3F000000;
    mov.b32 %r4, %r3;
    st.global.b32 [%rd5], %r4;
    ret;
}
)";
    const Outcome why =
        run_program({"why", file.string(), "--buffer", "p1", "--index", "5", "--json"});
    ASSERT_EQ(why.status, 0) << why.errors;
    const json nodes = json::parse(why.output)["nodes"];
    EXPECT_EQ(nodes[0]["value"], "0.5") << why.output;
}

// A texel can be read by channel, whether it was stored as a word of four bytes or within 16 bytes.
TEST(Why, TexelCoversItsChannels)
{
    for (const char* variant : {"rotate/surface_write", "rotate/texture_vector"}) {
        const Outcome run =
            run_program({"why", variant, "--at", "40,40", "--set", "size=64", "--json"});
        ASSERT_EQ(run.status, 0) << run.errors;
        const json root = json::parse(run.output)["nodes"][0];
        EXPECT_THAT(root["value"].get<std::string>(),
                    testing::MatchesRegex("\\{[0-9]+, [0-9]+, [0-9]+, 255\\}"))
            << variant;
    }
}

// Two moves per second at four frames per second: each picture lasts two frames.
TEST(Step, RecordsEveryMove)
{
    const Folder folder;
    std::vector<std::string> arguments{
        "record",    "heat/naive", "--set",  "size=32",
        "--device",  "simt",       "--size", "320x180",
        "--seconds", "1.5",        "--fps",  "4",
        "--step",    "line",       "-o",     (folder / "%02d.png").string()};
    const Outcome run = run_program(arguments);
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("6 frames at 4 per second, 2 lines"));
    const auto frame = [&](int number) {
        return read_file(folder / ("0" + std::to_string(number) + ".png"));
    };
    EXPECT_EQ(frame(1), frame(2));
    EXPECT_NE(frame(2), frame(3));
    EXPECT_EQ(frame(3), frame(4));
    EXPECT_NE(frame(4), frame(5));
    EXPECT_EQ(run_program({"record", "heat/naive", "--moves", "2", "-o", "x.mp4"}).status, 2);
}

TEST(Why, NamesFaultBeforeWrite)
{
    const Outcome run = run_program({"why", "faults/out_of_bounds", "--first-wrong", "--json"});
    ASSERT_EQ(run.status, 0) << run.errors;
    const json wrong = json::parse(run.output)["first_wrong"];
    EXPECT_THAT(wrong["sentence"].get<std::string>(), HasSubstr("past the end"));
    EXPECT_GT(wrong["line"], 0);
}

TEST(Why, NamesRaceCausedByMissingBarrier)
{
    const Outcome run = run_program({"why", "faults/missing_barrier", "--first-wrong"});
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("without a __syncthreads()"));
}

TEST(Why, RefusesInvalidElement)
{
    EXPECT_EQ(run_program({"why", "heat/naive", "--at", "1000,1", "--set", "size=32"}).status, 2);
    EXPECT_EQ(run_program({"why", "heat/naive", "--at", "x"}).status, 2);
    EXPECT_EQ(run_program({"why", "heat/naive"}).status, 2);
    EXPECT_EQ(run_program({"why", "heat/naive", "--buffer", "nobody", "--index", "0"}).status, 3);
}

} // namespace
} // namespace lanescope::test
