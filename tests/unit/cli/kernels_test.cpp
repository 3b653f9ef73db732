// trace and emulate: counts of a lab's step and of kernels of one's own, faults, and arguments that
// make no sense.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const char* const add_kernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 add_x, .param .u64 add_y, .param .f32 add_by)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    .reg .f32 %f<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [add_x];
    ld.param.u64 %d2, [add_y];
    ld.param.f32 %f1, [add_by];
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d4, %d1, %d3;
    add.s64 %d5, %d2, %d3;
    ld.global.f32 %f2, [%d4];
    add.f32 %f3, %f2, %f1;
    st.global.f32 [%d5], %f3;
    ret;
}
)";

class Emulate : public testing::Test {
protected:
    Emulate()
    {
        std::ofstream(folder / "add.ptx") << add_kernel;
        file = (folder / "add.ptx").string();
    }
    Outcome run(const std::vector<std::string>& more) const
    {
        std::vector<std::string> all{"emulate", file};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    Folder folder;
    std::string file;
};

const std::vector<std::string> right{"--block",      "64",    "--arg",   "f32[64]:ramp", "--arg",
                                     "f32[64]:zero", "--arg", "f32:0.5", "--json"};

TEST_F(Emulate, CountsAndWritesWhatTheKernelComputed)
{
    auto arguments = right;
    const auto out = folder / "y.raw";
    arguments.insert(arguments.end(), {"--dump", "1:" + out.string()});
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    EXPECT_EQ(trace.at("kernel"), "add");
    EXPECT_EQ(trace.at("engine"), "simt");
    EXPECT_EQ(trace.at("block"), json({64, 1, 1}));
    EXPECT_EQ(trace.at("totals").at("global_load"),
              json({{"requests", 2}, {"sectors", 8}, {"ideal_sectors", 8}}));
    EXPECT_EQ(trace.at("sites").size(), 2u);
    EXPECT_EQ(trace.at("sites")[0].at("op"), "load");
    EXPECT_EQ(trace.at("sites")[0].at("lanes"), 64);
    EXPECT_TRUE(trace.at("faults").empty());

    const std::string bytes = read_file(out);
    ASSERT_EQ(bytes.size(), 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) {
        float value = 0;
        std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
        EXPECT_EQ(value, static_cast<float>(i) + 0.5F);
    }
}

TEST_F(Emulate, AnAccessOutOfBoundsIsAFaultWithItsAddress)
{
    const Outcome outcome = run({"--block", "65", "--arg", "f32[64]:ramp", "--arg", "f32[64]:zero",
                                 "--arg", "f32:1", "--json"});
    EXPECT_EQ(outcome.status, 5);
    const json trace = json::parse(outcome.output);
    ASSERT_EQ(trace.at("faults").size(), 1u);
    EXPECT_EQ(trace.at("faults")[0].at("kind"), "out_of_bounds");
    EXPECT_EQ(trace.at("faults")[0].at("thread"), json({64, 0, 0}));
    EXPECT_NE(outcome.errors.find("add"), std::string::npos) << outcome.errors;
}

TEST_F(Emulate, ShowsParameterSizes)
{
    const Outcome outcome = run({"--param-sizes", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json parameters = json::parse(outcome.output).at("parameters");
    ASSERT_EQ(parameters.size(), 3u);
    EXPECT_EQ(parameters[0].at("bytes"), 8);
    EXPECT_EQ(parameters[2].at("name"), "add_by");
    EXPECT_EQ(parameters[2].at("bytes"), 4);
}

struct Wrong {
    std::string name;
    std::vector<std::string> arguments;
    int status;
    std::string named;
};

TEST_F(Emulate, WrongArgumentsAreNamed)
{
    const std::vector<Wrong> all{
        {"too few", {"--arg", "i32:5"}, 2, "3 arguments"},
        {"no kernel", {"--kernel", "nosuch"}, 3, "nosuch"},
        {"grid", {"--grid", "0"}, 2, "--grid"},
        {"block", {"--block", "1,2,3,4"}, 2, "--block"},
        {"type", {"--arg", "i33:5"}, 2, "i33"},
        {"range", {"--arg", "i8:500"}, 2, "i8:500"},
        {"fill", {"--arg", "f32[4]:magic"}, 2, "magic"},
        {"count", {"--arg", "f32[0]:zero"}, 2, "f32[0]"},
        {"file", {"--arg", "f32[4]:file:/nosuch"}, 3, "/nosuch"},
        {"dump",
         {"--block", "64", "--arg", "f32[64]:ramp", "--arg", "f32[64]:zero", "--arg", "f32:1",
          "--dump", "2:x"},
         2,
         "2:x"},
        {"request",
         {"--request", "one", "--arg", "i8:1", "--arg", "i8:1", "--arg", "i8:1"},
         2,
         "one"},
    };
    for (const Wrong& wrong : all) {
        const Outcome outcome = run(wrong.arguments);
        EXPECT_EQ(outcome.status, wrong.status) << wrong.name << ": " << outcome.errors;
        EXPECT_NE(outcome.errors.find(wrong.named), std::string::npos)
            << wrong.name << ": " << outcome.errors;
    }
}

TEST_F(Emulate, PrintsTheLanesOfARequest)
{
    auto arguments = right;
    arguments.insert(arguments.end(), {"--request", "1,1"});
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json request = json::parse(outcome.output);
    EXPECT_EQ(request.at("op"), "store");
    EXPECT_EQ(request.at("warp"), 1);
    EXPECT_EQ(request.at("active"), 0xffffffffu);
}

TEST_F(Emulate, PtxThatIsNotUnderstoodIsNamedWithItsLine)
{
    std::ofstream(folder / "add.ptx")
        << ".version 8.0\n.target sm_75\n.address_size 64\n.nonsense\n";
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("nonsense"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find('4'), std::string::npos) << outcome.errors;
}

TEST(Trace, CountsAStepBySourceLine)
{
    const Outcome outcome = run_program(
        {"trace", "heat/shared_tile", "--device", "simt", "--set", "size=128", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    EXPECT_EQ(trace.at("kernel"), "heat_shared_tile");
    EXPECT_GT(trace.at("totals").at("shared_load").at("wavefronts"), 0);
    EXPECT_GT(trace.at("totals").at("warp_instructions"), 0);
    bool named = false;
    for (const json& site : trace.at("sites"))
        named |=
            site.at("line") > 0 && site.at("file").get<std::string>().ends_with("shared_tile.cu");
    EXPECT_TRUE(named);
}

TEST(Trace, ComparesItsSources)
{
    const Outcome outcome = run_program(
        {"trace", "heat/naive", "--device", "simt", "--set", "size=64", "--compare", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json comparison = json::parse(outcome.output);
    EXPECT_EQ(comparison.at("agrees"), true);
    EXPECT_FALSE(comparison.at("counts").empty());
    EXPECT_FALSE(comparison.at("notes").empty()) << "no GPU: it must say so";
}

Outcome request_of_transpose(const std::string& request, const std::string& form = "--json")
{
    return run_program({"trace", "transpose/tile", "--device", "simt", "--request", request, form});
}

// The tile is 32 floats wide and read by columns: all lanes want bank 0 of the first column.
TEST(Trace, PrintsTheLanesOfARequest)
{
    const Outcome outcome = run_program({"trace", "transpose/tile", "--device", "simt", "--json"});
    const json sites = json::parse(outcome.output).at("sites");
    int load = 0;
    while (sites.at(load).at("space") != "shared" || sites.at(load).at("op") != "load") ++load;
    const Outcome shared = request_of_transpose(std::to_string(load) + ",2,0");
    ASSERT_EQ(shared.status, 0) << shared.errors;
    const json request = json::parse(shared.output);
    EXPECT_EQ(request.at("site"), load);
    EXPECT_EQ(request.at("warp"), 2);
    EXPECT_EQ(request.at("seen"), 1);
    EXPECT_EQ(request.at("wavefronts"), 32);
    EXPECT_EQ(request.at("ideal_wavefronts"), 1);
    const json lanes = request.at("lanes");
    ASSERT_EQ(lanes.size(), 32u);
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(lanes[lane].at("bank"), lanes[0].at("bank"));
        EXPECT_EQ(lanes[lane].at("address").get<int>(),
                  lanes[0].at("address").get<int>() + 128 * lane);
    }

    // By line: the first access there is the global load, of neighbouring words.
    const int line = sites.at(1).at("line").get<int>();
    const Outcome global = request_of_transpose("L" + std::to_string(line) + ",5");
    ASSERT_EQ(global.status, 0) << global.errors;
    const json load_request = json::parse(global.output);
    EXPECT_EQ(load_request.at("space"), "global");
    EXPECT_EQ(load_request.at("sectors"), 4);
    for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(load_request.at("lanes")[lane].at("sector"), lane / 8);
}

TEST(Trace, RequestsThatThereAreNotAreNamed)
{
    const std::vector<Wrong> all{{"no number", {"x"}, 2, "\"x\""},
                                 {"too many", {"1,0,0,0"}, 2, "\"1,0,0,0\""},
                                 {"empty part", {"1,"}, 2, "\"1,\""},
                                 {"negative", {"1,-1"}, 2, "\"1,-1\""},
                                 {"branch", {"0"}, 2, "branch"},
                                 {"site", {"99"}, 3, "site 99"},
                                 {"line", {"L1"}, 3, "Line 1"},
                                 {"warp", {"1,2048"}, 3, "warp 2048"},
                                 {"occurrence", {"1,0,1"}, 3, "request 1"}};
    for (const Wrong& wrong : all) {
        const Outcome outcome = request_of_transpose(wrong.arguments.front());
        EXPECT_EQ(outcome.status, wrong.status) << wrong.name << ": " << outcome.errors;
        EXPECT_NE(outcome.errors.find(wrong.named), std::string::npos)
            << wrong.name << ": " << outcome.errors;
    }
    EXPECT_EQ(request_of_transpose("1", "--compare").status, 2);
}

TEST(Trace, GivesCsv)
{
    const Outcome outcome =
        run_program({"trace", "heat/naive", "--device", "simt", "--set", "size=64", "--csv"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.rfind("file,line,ptx,space,op,", 0), 0u) << outcome.output;
}

} // namespace
} // namespace lanescope::test
