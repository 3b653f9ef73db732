// trace and emulate: counts of a lab's step and of user kernels, faults, and invalid arguments.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "tests/support/long_name.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

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

// A kernel with a struct by value that contains a pointer, a texture, and module variables. Its
// name is as nvcc mangles `template <int> void own::mixed(Mix, cudaTextureObject_t, float*)`.
const char* const mixed_kernel = R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .b8 coefficients[16];
.global .align 4 .u32 hits;
.visible .entry _ZN3own5mixedILi3EEEv3MixyPf(.param .align 8 .b8 mix[24], .param .u64 image,
                                             .param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    .reg .f32 %f<12>;
    .reg .f64 %g<2>;
    ld.param.f32 %f1, [mix];
    ld.param.s32 %r1, [mix+4];
    ld.param.f64 %g1, [mix+8];
    ld.param.u64 %d1, [mix+16];
    ld.param.u64 %d2, [image];
    ld.param.u64 %d3, [out];
    cvt.rn.f32.s32 %f2, %r1;
    cvt.rn.f32.f64 %f3, %g1;
    ld.global.f32 %f4, [%d1];
    ld.const.f32 %f5, [coefficients+4];
    mov.f32 %f6, 0f3F800000;
    tex.2d.v4.f32.f32 {%f7, %f8, %f9, %f10}, [%d2, {%f6, %f6}];
    st.global.f32 [%d3], %f1;
    st.global.f32 [%d3+4], %f2;
    st.global.f32 [%d3+8], %f3;
    st.global.f32 [%d3+12], %f4;
    st.global.f32 [%d3+16], %f5;
    st.global.f32 [%d3+20], %f7;
    ld.global.u32 %r2, [hits];
    add.u32 %r3, %r2, 1;
    st.global.u32 [hits], %r3;
    ret;
}
.visible .entry _ZN3own5otherEPf(.param .u64 out)
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    st.global.u32 [%d1], 7;
    ret;
}
)";

const std::vector<std::string> right{"--block",      "64",    "--arg",   "f32[64]:ramp", "--arg",
                                     "f32[64]:zero", "--arg", "f32:0.5", "--json"};

TEST(Supported, ListsSupportedAndRefusedPtx)
{
    const Outcome outcome = run_program({"emulate", "--supported", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json lists = json::parse(outcome.output);
    const auto has = [](const json& list, const char* key, const std::string& name) {
        return std::ranges::any_of(list, [&](const json& one) { return one.at(key) == name; });
    };
    EXPECT_TRUE(has(lists.at("runs"), "instruction", "add"));
    EXPECT_TRUE(has(lists.at("runs"), "instruction", "bar.red"));
    EXPECT_TRUE(has(lists.at("runs"), "instruction", "wgmma.mma_async"));
    EXPECT_FALSE(has(lists.at("runs"), "instruction", "wgmma.mma_async.sp"));
    EXPECT_TRUE(has(lists.at("refused"), "name", "wgmma.mma_async.sp"));
    EXPECT_TRUE(has(lists.at("refused"), "name", "cp.async with .shared::cluster"));
    for (const json& one : lists.at("refused")) EXPECT_FALSE(one.at("reason").empty()) << one;

    const Outcome text = run_program({"emulate", "--supported"});
    EXPECT_NE(text.output.find("  shfl {.sync} .up|.down|.bfly|.idx .b32\n"), std::string::npos);
    EXPECT_NE(text.output.find("  wgmma.mma_async.sp: sparse matrix instructions of warp groups"),
              std::string::npos);
    EXPECT_NE(run_program({"emulate"}).status, 0) << "a file is needed";
}

TEST_F(Emulate, WritesCountsAndResults)
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
    const json loads = trace.at("totals").at("global_load");
    EXPECT_EQ(loads.at("requests"), 2);
    EXPECT_EQ(loads.at("sectors"), 8);
    EXPECT_EQ(loads.at("ideal_sectors"), 8);
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

TEST_F(Emulate, OutOfBoundsAccessReportsAddress)
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
        {"too few", {"--arg", "null"}, 2, "3 arguments"},
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
         {"--request", "one", "--arg", "null", "--arg", "null", "--arg", "1.0f"},
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

TEST_F(Emulate, PrintsLanesOfRequest)
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

TEST_F(Emulate, UnsupportedPtxIsNamedWithLine)
{
    std::ofstream(folder / "add.ptx")
        << ".version 8.0\n.target sm_75\n.address_size 64\n.nonsense\n";
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("nonsense"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find('4'), std::string::npos) << outcome.errors;
}

class OwnKernel : public testing::Test {
protected:
    OwnKernel()
    {
        std::ofstream(folder / "mixed.ptx") << mixed_kernel;
        file = (folder / "mixed.ptx").string();
    }
    // Runs the kernel with the arguments that it requires, then `more`.
    Outcome run(const std::vector<std::string>& more, const std::string& mix = "",
                const std::string& image = "tex2d:ramp[4x2]:linear") const
    {
        std::vector<std::string> all{
            "emulate",     file,      "--kernel",
            "mixed",       "--arg",   mix.empty() ? "struct:1.5f,-7,2.25,@in" : mix,
            "--arg",       image,     "--arg",
            "f32[6]:zero", "--let",   "in=f32[]:42,43",
            "--grid",      "1",       "--block",
            "1",           "--print", "2",
            "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    static json values(const Outcome& outcome, std::size_t which = 0)
    {
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return json::parse(outcome.output).at("values").at(which).at("values");
    }
    Folder folder;
    std::string file;
};

TEST_F(OwnKernel, AcceptsStructsWithPointers)
{
    // Blends four texels, 0, 1, 4 and 5, equally.
    EXPECT_EQ(values(run({})), json({1.5, -7, 2.25, 42, 0, 2.5}));
    EXPECT_EQ(values(run({}, "struct:f32:1.5,0x10,1e2,@in+4")), json({1.5, 16, 100, 43, 0, 2.5}));
    EXPECT_EQ(values(run({}, "struct:{0.5f,{3}},{-1.0},@in")), json({0.5, 3, -1, 42, 0, 2.5}));
    EXPECT_EQ(values(run({"--print", "in:1"}, "struct:1f,1,1.0,@in"), 1), json({42}));
}

TEST_F(OwnKernel, AcceptsRawBytes)
{
    const std::string bytes = std::string("\0\0\xc0\x3f", 4) + std::string("\7\0\0\0", 4) +
                              std::string("\0\0\0\0\0\0\xf0\x3f", 8);
    std::ofstream(folder / "bytes", std::ios::binary) << bytes << std::string(8, '\0');
    std::string hex = "hex:0000C03f07000000000000000000f03f0000000000000000";
    // The pointer is null and the kernel reads it: trace and results are printed nevertheless.
    for (const std::string& mix : {hex, "file:" + (folder / "bytes").string()}) {
        const Outcome outcome = run({}, mix);
        EXPECT_EQ(outcome.status, 5) << outcome.errors;
        const json trace = json::parse(outcome.output);
        EXPECT_EQ(trace.at("faults").size(), 1u);
        EXPECT_EQ(trace.at("totals").at("warp_instructions"), 9) << "with the one that fails";
        EXPECT_EQ(trace.at("values")[0].at("values"), json({0, 0, 0, 0, 0, 0}));
    }
}

TEST_F(OwnKernel, SetsDumpsAndPrintsVariables)
{
    const auto out = folder / "coefficients";
    const Outcome outcome =
        run({"--var", "coefficients=f32:1,2,3,4", "--var", "hits=41", "--print", "hits", "--print",
             "coefficients:2", "--dump-var", "coefficients:" + out.string()});
    EXPECT_EQ(values(outcome)[4], 2);
    EXPECT_EQ(values(outcome, 1), json({42}));
    EXPECT_EQ(values(outcome, 2), json({1, 2}));
    ASSERT_EQ(read_file(out).size(), 16u);
    EXPECT_EQ(values(run({"--var", "coefficients=struct:0f,9f,2*0f"}))[4], 9);
    EXPECT_EQ(values(run({"--var", "coefficients=hex:00000000000020410000000000000000"}))[4], 10);
    EXPECT_EQ(values(run({"--var", "coefficients=f32[4]:const:3"}))[4], 3);
}

TEST_F(OwnKernel, IsFoundByAnyName)
{
    for (const std::string name :
         {"_ZN3own5otherEPf", "own::other(float*)", "own::other", "other", "other(float*)"}) {
        const Outcome outcome = run_program(
            {"emulate", file, "--kernel", name, "--arg", "u32[1]:zero", "--print", "0", "--json"});
        if (name == "other(float*)") {
            EXPECT_EQ(outcome.status, 3) << "a name without its scope has no parameters";
            continue;
        }
        EXPECT_EQ(values(outcome), json({7})) << name;
    }
    EXPECT_EQ(run({"--kernel", "nosuch"}).status, 2) << "given twice";
    const Outcome several = run_program({"emulate", file, "--arg", "5"});
    EXPECT_EQ(several.status, 2);
    EXPECT_NE(several.errors.find("own::mixed<3>"), std::string::npos) << several.errors;
}

// Demangled names contain "float const*", sources mostly "const float*": both select the kernel.
TEST_F(OwnKernel, ConstMayPrecedeOrFollowType)
{
    std::string text = mixed_kernel;
    const std::string mangled = "_ZN3own5otherEPf";
    const std::size_t at = text.find(mangled);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(file) << text.replace(at, mangled.size(), "_ZN3own5otherEPKf");
    for (const std::string name : {"own::other(float const*)", "own::other(const float *)"})
        EXPECT_EQ(values(run_program({"emulate", file, "--kernel", name, "--arg", "u32[1]:zero",
                                      "--print", "0", "--json"})),
                  json({7}))
            << name;
}

TEST_F(OwnKernel, SamplesTexturesAndDumpsThem)
{
    // The kernel samples at (1, 1).
    const auto sampled = [&](const std::string& image) { return values(run({}, "", image))[5]; };
    EXPECT_EQ(sampled("tex2d:ramp[4x2]"), 5);
    EXPECT_EQ(sampled("tex2d:const=2.5[4x4]"), 2.5);
    EXPECT_EQ(sampled("tex2d:ramp[4x4]:normalized,wrap"), 0);
    EXPECT_EQ(sampled("tex2d:ramp[4x4]:normalized,clamp"), 15);
    EXPECT_EQ(sampled("tex2d:ramp[1x1]:border"), 0);
    EXPECT_EQ(sampled("tex2d:const=51[4x4]:r8,unorm"), 0.2);
    EXPECT_EQ(sampled("tex:ramp[2x2]:rg32f"), 6);
    const auto out = folder / "texels";
    EXPECT_EQ(run({"--dump", "1:" + out.string()}).status, 0);
    EXPECT_EQ(read_file(out).size(), 32u);
}

TEST_F(OwnKernel, AcceptsPicturesAsTextures)
{
    const std::string picture =
        std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/coalescing_memory.png";
    const json grey = values(run({}, "", "tex2d:" + picture + ":r32f"))[5];
    EXPECT_GT(grey, 0);
    EXPECT_LE(grey, 1);
    EXPECT_EQ(run({}, "", "tex2d:/nosuch.png").status, 3);
}

TEST_F(OwnKernel, InvalidValuesAreNamed)
{
    const auto named = [&](const Outcome& outcome, int status, const std::string& word) {
        EXPECT_EQ(outcome.status, status) << word << ": " << outcome.errors;
        EXPECT_NE(outcome.errors.find(word), std::string::npos) << word << ": " << outcome.errors;
        const json error = json::parse(outcome.output, nullptr, false);
        ASSERT_TRUE(error.is_object()) << outcome.output;
        EXPECT_EQ(error.at("status"), status);
    };
    named(run({}, "struct:1f,2"), 2, "has 8 bytes, but the parameter has 24");
    named(run({}, "struct:1f,{2,3.0,4"), 2, "closing }");
    named(run({}, "struct:1f,2}"), 2, "stray");
    named(run({}, "struct:1f,abc,3.0,null"), 2, "abc");
    named(run({}, "struct:1f,3000000000,3.0,null"), 2, "range");
    named(run({}, "struct:1f,1,3.0,@nosuch"), 2, "@nosuch");
    named(run({}, "struct:99999999*1.0"), 2, "too many times");
    named(run({}, "hex:012"), 2, "an odd number of digits");
    named(run({}, "hex:0x"), 2, "'x'");
    named(run({}, "f32[4]:zero"), 2, "8 bytes");
    named(run({}, "i32:5"), 2, "4 bytes");
    named(run({}, "", "tex2d:ramp"), 2, "ramp[64x32]");
    named(run({}, "", "tex2d:ramp[4x0]"), 2, "texels");
    named(run({}, "", "tex1d:ramp[4x4]"), 2, "2 dimensions");
    named(run({}, "", "tex2d:ramp[4x4]:magic"), 2, "magic");
    named(run({}, "", "tex2d:@2"), 2, "@2");
    named(run({}, "", "texlayered2d:ramp[4]"), 2, "layers");
    named(run({}, "", "texcube:ramp[4x4x5]"), 2, "cube");
    named(run({}, "", "tex2d:ramp[4x4]:levels=9"), 2, "levels");
    named(run({}, "", "tex4d:ramp[4x4]"), 2, "tex4d");
    named(run({}, "", "tex2d:ramp[4x4]:wrap"), 2, "normalised");
    named(run({"--var", "nosuch=5"}), 3, "nosuch");
    named(run({"--var", "hits"}), 2, "hits");
    named(run({"--var", "hits=5.0"}), 2, "8 bytes");
    named(run({"--var", "coefficients=f64:1,2,3"}), 2, "3 numbers for 2");
    named(run({"--dump-var", "nosuch:x"}), 3, "nosuch");
    named(run({"--dump-var", "hits"}), 2, "hits");
    named(run({"--dump", "0:x"}), 2, "0:x");
    named(run({"--print", "0"}), 2, "\"0\"");
    named(run({"--print", "2:many"}), 2, "many");
    named(run({"--print", "nosuch"}), 3, "nosuch");
    named(run({"--let", "5=f32[1]:zero"}), 2, "letter");
    named(run({"--let", "x"}), 2, "\"x\"");
    named(run({"--device", "simt", "--plain"}), 2, "--plain");
    named(run({"--plain"}), 4, "GPU");
    named(run({"--checks", "races,magic"}), 2, "magic");
}

TEST_F(Emulate, AcceptsNumbersOfEveryType)
{
    const auto printed = [&](const std::string& values) {
        auto arguments = right;
        arguments[3] = values;
        arguments.insert(arguments.end(), {"--print", "0:4", "--grid", "1", "--block", "1"});
        arguments.erase(arguments.begin(), arguments.begin() + 2);
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return json::parse(outcome.output).at("values")[0].at("values");
    };
    EXPECT_EQ(printed("f16[4]:1,0.1,65519,65520"), json({1, 0.099975586, 65504, "inf"}));
    EXPECT_EQ(printed("f16[4]:-0.5,6e-8,2.9e-8,nan"), json({-0.5, 5.9604645e-08, 0, "nan"}));
    EXPECT_EQ(printed("bf16[4]:1,0.1,3.4e38,-256.5"), json({1, 0.100097656, "inf", -256}));
    EXPECT_EQ(printed("f16[64]:ramp"), json({0, 1, 2, 3}));
    EXPECT_EQ(printed("i8[4]:-1,127,0x10,+3"), json({-1, 127, 16, 3}));
    EXPECT_EQ(printed("u64[]:18446744073709551615,1"), json({18446744073709551615U, 1}));
    EXPECT_EQ(printed("struct[2]:1f,2f"), json({0, 0, 128, 63})) << "structs print as bytes";
}

TEST_F(Emulate, LaunchesOneThreadPerElement)
{
    const auto extents = [&](const std::string& count, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "--arg", "f32[" + count + "]:ramp", "--arg", "f32[" + count + "]:zero", "--arg", "0.5f",
            "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const json trace = json::parse(run(arguments).output);
        return std::pair(trace.at("grid")[0].get<int>(), trace.at("block")[0].get<int>());
    };
    EXPECT_EQ(extents("64", {}), std::pair(1, 64));
    EXPECT_EQ(extents("1000", {}), std::pair(4, 256));
    EXPECT_EQ(extents("1000", {"--block", "100"}), std::pair(10, 100));
    EXPECT_EQ(extents("1000", {"--grid", "3"}), std::pair(3, 256));
}

TEST_F(Emulate, ComparesSourcesAndResults)
{
    auto arguments = right;
    arguments.push_back("--compare");
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json comparison = json::parse(outcome.output);
    EXPECT_EQ(comparison.at("agrees"), true);
    EXPECT_EQ(comparison.at("kernel"), "add");
    ASSERT_EQ(comparison.at("results").size(), 2u);
    EXPECT_EQ(comparison.at("results")[1].at("bytes"), 256);
    EXPECT_TRUE(comparison.at("results")[1].at("plain_differ").is_null()) << "no GPU";
    EXPECT_FALSE(comparison.at("notes").empty()) << "no GPU: it must say so";
}

// Invalid UTF-8 in instructions, names and kernel output.
TEST_F(Emulate, JsonIsValidForAnyText)
{
    std::string text = add_kernel;
    text.replace(text.find("ld.global.f32 %f2"), 17, "ld.global.f32 /*\xff\xc3*/ %f2");
    text.insert(text.find(".visible"), ".file 1 \"k\xe9rnel\xff.cu\"\n");
    text.insert(text.find("    ld.global"), "    .loc 1 3 0\n");
    std::ofstream(folder / "add.ptx") << text;
    const Outcome outcome = run(right);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output, nullptr, false);
    ASSERT_TRUE(trace.is_object()) << outcome.output;
    EXPECT_NE(trace.dump().find("\xc3\xbf"), std::string::npos) << "read as Windows-1252";
    EXPECT_TRUE(json::accept(run({"--param-sizes", "--json"}).output));
    EXPECT_TRUE(json::accept(run({"--kernel", "\xff", "--json"}).output));
}

// A kernel that counts up to its argument and stores every number.
const char* const long_kernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 times)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<2>;
    .reg .pred %p;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [times];
    mov.u32 %r2, 0;
again:
    add.u32 %r2, %r2, 1;
    st.global.u32 [%d1], %r2;
    setp.ne.u32 %p, %r2, %r1;
    @%p bra again;
    ret;
}
)";

TEST_F(Emulate, ReportsTimeLimit)
{
    std::ofstream(folder / "add.ptx") << long_kernel;
    const auto spin = [&](const std::string& times, const std::vector<std::string>& more) {
        std::vector<std::string> all{"--arg",   "u32[1]:zero", "--arg", "u32:" + times,
                                     "--print", "0",           "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    };
    const Outcome whole = spin("1000", {"--step-budget", "5000"});
    EXPECT_EQ(whole.status, 0) << whole.errors;
    EXPECT_FALSE(json::parse(whole.output).contains("stopped"));

    const Outcome stepped = spin("4000000000", {"--step-budget", "400"});
    EXPECT_EQ(stepped.status, 5);
    const json steps = json::parse(stepped.output);
    EXPECT_EQ(steps.at("stopped"), "stopped after 400 warp instructions of a block");
    EXPECT_GT(steps.at("totals").at("global_store").at("requests"), 50) << "counted until then";
    EXPECT_GT(steps.at("values")[0].at("values")[0], 50) << "stored until then";

    const Outcome timed = spin("4000000000", {"--time-limit", "0.3", "--step-budget",
                                              "1000000000000", "--checks", "none"});
    EXPECT_EQ(timed.status, 5);
    EXPECT_EQ(json::parse(timed.output).at("stopped"), "stopped after 0.3 s");
    EXPECT_GT(json::parse(timed.output).at("totals").at("warp_instructions"), 1000);
    const Outcome checked = spin("4000000000", {"--time-limit", "0.3"});
    EXPECT_GT(json::parse(checked.output).at("totals").at("warp_instructions"), 1000);
    EXPECT_GT(json::parse(checked.output).at("values")[0].at("values")[0], 50);
    EXPECT_GT(json::parse(timed.output).at("values")[0].at("values")[0], 50);
    EXPECT_NE(timed.errors.find("stopped after 0.3 s"), std::string::npos) << timed.errors;
}

// Its readable name would have 2^30 words.
TEST_F(Emulate, CutsEndlessNames)
{
    std::string text = read_file(file);
    const std::string name = long_name(30);
    const std::size_t at = text.find(".entry ") + 7;
    text.replace(at, text.find('(', at) - at, name);
    std::ofstream(file) << text;
    const Outcome outcome = run({"--block", "32", "--grid", "1", "--arg", "f32[32]:ramp", "--arg",
                                 "f32[32]:zero", "--arg", "1f"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors.substr(0, 500);
    EXPECT_LT(outcome.output.size(), 20'000u);
    EXPECT_NE(outcome.output.find("kk<P<P<"), std::string::npos) << outcome.output.substr(0, 500);
}

TEST_F(Emulate, ContinuesAfterFaults)
{
    // The second warp of each of the three blocks is out of bounds.
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--block",      "64",    "--grid",       "3",     "--arg",
                                     "f32[32]:ramp", "--arg", "f32[64]:zero", "--arg", "1f",
                                     "--print",      "1:33",  "--json"};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.status, 5);
        return json::parse(outcome.output);
    };
    EXPECT_EQ(with({}).at("faults").size(), 1u);
    EXPECT_EQ(with({"--keep-going", "1"}).at("faults").size(), 2u) << "one more ends the launch";
    EXPECT_EQ(with({"--keep-going"}).at("faults").size(), 3u) << "without a number: all";
    const json all = with({"--keep-going", "9"});
    ASSERT_EQ(all.at("faults").size(), 3u);
    for (int block = 0; block < 3; ++block)
        EXPECT_EQ(all.at("faults")[block].at("block"), json({block, 0, 0}));
    EXPECT_EQ(all.at("totals").at("global_load").at("requests"), 3) << "of the first warps";
    EXPECT_EQ(all.at("values")[0].at("values")[31], 32);
    EXPECT_EQ(all.at("values")[0].at("values")[32], 0);
}

TEST_F(Emulate, RunsRequestedChecks)
{
    // Both warps store different values to the same shared location: a race.
    std::string text = long_kernel;
    text.insert(text.find("    mov.u32 %r2, 0;"),
                "    .shared .align 4 .b32 place;\n    mov.u32 %r3, %tid.x;\n"
                "    st.shared.u32 [place], %r3;\n");
    std::ofstream(folder / "add.ptx") << text;
    const auto with = [&](const std::string& checks) {
        return run({"--arg", "u32[1]:zero", "--arg", "1u", "--block", "64", "--grid", "1",
                    "--checks", checks})
            .status;
    };
    EXPECT_EQ(with("all"), 5);
    EXPECT_EQ(with("uninitialised,races"), 5);
    EXPECT_EQ(with("uninitialised,barriers"), 0);
    EXPECT_EQ(with("none"), 0);
}

std::string test_kernel(const std::string& name)
{
    return std::string(LANESCOPE_SOURCE_DIR) + "/tests/kernels/" + name;
}

TEST(EmulateSource, JsonIncludesKernelOutput)
{
    const Outcome outcome =
        run_program({"emulate", test_kernel("print.cu"), "--arg", "i32[64]:zero", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output, nullptr, false);
    ASSERT_TRUE(trace.is_object()) << outcome.output;
    EXPECT_EQ(trace.at("printf"), "{ thread 0 says \"hello\", 0.00\n"
                                  "{ thread 16 says \"hello\", 8.00\n"
                                  "{ thread 32 says \"hello\", 16.00\n"
                                  "{ thread 48 says \"hello\", 24.00\n");
}

TEST(EmulateSource, IsCompiledWithGivenOptions)
{
    const std::string folder = test_kernel("include");
    const auto run = [](const std::vector<std::string>& more) {
        std::vector<std::string> all{"emulate", test_kernel("macros.cu"),
                                     "--arg",   "f32[128]:ramp",
                                     "--arg",   "f32[128]:zero",
                                     "--block", "64",
                                     "--print", "1:2",
                                     "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    const Outcome right = run(
        {"-I", folder, "-DTILE=64", "--std", "c++17", "--arch", "sm_80", "--flag=--use_fast_math"});
    ASSERT_EQ(right.status, 0) << right.errors;
    EXPECT_EQ(json::parse(right.output).at("values")[0].at("values"), json({15.75, 15.5}));
    const Outcome without_tile = run({"-I", folder});
    EXPECT_EQ(without_tile.status, 2);
    EXPECT_NE(without_tile.errors.find("TILE is not defined"), std::string::npos)
        << without_tile.errors;
    EXPECT_TRUE(json::accept(without_tile.output));
    EXPECT_NE(run({"-DTILE=64"}).errors.find("scale.h"), std::string::npos);
    const Outcome old = run({"-I", folder, "-DTILE=64", "--arch", "banana"});
    EXPECT_EQ(old.status, 2);
    EXPECT_NE(old.errors.find("banana"), std::string::npos);
    EXPECT_EQ(run({"--std", "c++98"}).status, 2);
    EXPECT_EQ(run({"-I", folder, "-DTILE=64", "-O0"}).status, 0);
}

TEST(EmulateSource, ReportsLinesAndOptionallyPtx)
{
    const Folder folder;
    const auto file = folder / "wärme.cu";
    std::ofstream(file) << "__global__ void twice(float* x, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n) x[i] *= 2.0f; // verdoppelt die Wärme\n"
                           "}\n";
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"emulate", file.string(), "--arg", "f32[40]:ramp"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    };
    const Outcome lines = run({"--arg", "40"});
    ASSERT_EQ(lines.status, 0) << lines.errors;
    EXPECT_THAT(lines.output, HasSubstr("twice(float*, int) on simt"));
    EXPECT_THAT(lines.output, HasSubstr("wärme.cu:4  branch, global load, global store"));
    EXPECT_THAT(lines.output, HasSubstr("x[i] *= 2.0f; // verdoppelt die Wärme"));
    EXPECT_THAT(lines.output, Not(HasSubstr("ld.global")));
    EXPECT_THAT(lines.output, HasSubstr("global, all"));
    const Outcome ptx = run({"--arg", "40", "--ptx"});
    EXPECT_THAT(ptx.output, HasSubstr("ld.global"));
    EXPECT_THAT(ptx.output, HasSubstr("wärme.cu:4"));
    const Outcome fault = run({"--arg", "64", "--block", "64"});
    EXPECT_EQ(fault.status, 5);
    EXPECT_THAT(fault.output, HasSubstr("global loads")) << "totals until then";
    EXPECT_THAT(fault.errors, HasSubstr("wärme.cu"));
}

TEST(Trace, CountsStepPerSourceLine)
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

TEST(Trace, ComparesSources)
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

// The tile is 32 floats wide and is read by columns, so that all lanes access the same bank.
TEST(Trace, PrintsLanesOfRequest)
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

    // A site can be selected by line: the first access there is the global load of adjacent words.
    const int line = sites.at(1).at("line").get<int>();
    const Outcome global = request_of_transpose("L" + std::to_string(line) + ",5");
    ASSERT_EQ(global.status, 0) << global.errors;
    const json load_request = json::parse(global.output);
    EXPECT_EQ(load_request.at("space"), "global");
    EXPECT_EQ(load_request.at("sectors"), 4);
    for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(load_request.at("lanes")[lane].at("sector"), lane / 8);
}

TEST(Trace, InvalidRequestIsReported)
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

TEST(Trace, PrintsCsv)
{
    const Outcome outcome =
        run_program({"trace", "heat/naive", "--device", "simt", "--set", "size=64", "--csv"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.rfind("file,line,ptx,space,op,", 0), 0u) << outcome.output;
}

} // namespace
} // namespace lanescope::test
