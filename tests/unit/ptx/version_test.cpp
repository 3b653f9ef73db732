// The lowest PTX version that a text can state, checked with NVIDIA's assembler.
#include "compute/ptx/text/version.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace lanescope::ptx;
using testing::HasSubstr;

std::string kernel(const std::string& body, const std::string& target = "sm_75")
{
    return ".version 9.0\n.target " + target +
           "\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n"
           ".reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n" +
           body + "\nret;\n}\n";
}

std::string read(const fs::path& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

fs::path assembler()
{
    const fs::path source = LANESCOPE_SOURCE_DIR;
    for (const fs::path& path :
         {source / ".deps/cuda/bin/ptxas", fs::path("/usr/local/cuda/bin/ptxas")})
        if (fs::exists(path)) return path;
    return "ptxas";
}

// Returns ptxas's error for a text; empty if it accepts it. The file name is unique to this
// process, because other tests run ptxas at the same time.
std::string complaint(const std::string& text, const std::string& target)
{
    const fs::path path =
        fs::path(testing::TempDir()) / ("lanescope_version_" + std::to_string(getpid()) + ".ptx");
    const fs::path log = path.string() + ".log";
    std::ofstream(path) << text;
    const bool taken =
        std::system((assembler().string() + " -arch=" + target + " -O0 -o /dev/null " +
                     path.string() + " > " + log.string() + " 2>&1")
                        .c_str()) == 0;
    const std::string said = taken ? "" : target + ": " + read(log);
    fs::remove(path);
    fs::remove(log);
    return said;
}

TEST(Version, DefaultsToArchitecture)
{
    EXPECT_THAT(at_lowest_version(kernel("")), HasSubstr(".version 6.3\n"));
    EXPECT_THAT(at_lowest_version(kernel("", "sm_80")), HasSubstr(".version 7.0\n"));
    EXPECT_THAT(at_lowest_version(kernel("", "sm_90")), HasSubstr(".version 7.8\n"));
    // Texts for architecture-specific targets (sm_90a) keep their version.
    EXPECT_THAT(at_lowest_version(kernel("", "sm_90a")), HasSubstr(".version 9.0\n"));
}

TEST(Version, FollowsNewestInstruction)
{
    EXPECT_THAT(at_lowest_version(kernel("tanh.approx.f32 %f1, %f2;")),
                HasSubstr(".version 7.0\n"));
    EXPECT_THAT(at_lowest_version(kernel("@%p1 ld.global.L2::128B.f32 %f1, [%rd1];")),
                HasSubstr(".version 9.0\n"))
        << "a text that cannot be read stays as it is";
    EXPECT_THAT(at_lowest_version(kernel("ld.global.L2::128B.f32 %f1, [%rd1];")),
                HasSubstr(".version 7.4\n"));
    EXPECT_THAT(at_lowest_version(kernel("barrier.cluster.arrive.release;", "sm_90")),
                HasSubstr(".version 8.0\n"));
    EXPECT_THAT(at_lowest_version(kernel("mov.u32 %r1, %clusterid.x;", "sm_90")),
                HasSubstr(".version 7.8\n"));
}

// Labels in debug strings need a newer version, even if, as in a probed text, no .loc uses them.
TEST(Version, DependsOnLabelsInSections)
{
    const std::string text = at_lowest_version(
        kernel("") + ".section .debug_str\n{\n$L__info_string0:\n.b8 107\n.b8 0\n}\n");
    EXPECT_THAT(text, HasSubstr(".version 7.0\n"));
    EXPECT_EQ(complaint(text, "sm_75"), "");
    EXPECT_THAT(complaint(".version 6.3\n" + text.substr(13), "sm_75"), HasSubstr("label"));
}

// The pragma used_bytes_mask, which nvcc emits since 12.3, and products of FP8 numbers.
TEST(Version, DependsOnPragmasAndTypes)
{
    const std::string pragma =
        at_lowest_version(kernel(".pragma \"used_bytes_mask 0xfff\";\n"
                                 "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1];"));
    EXPECT_THAT(pragma, HasSubstr(".version 8.3\n"));
    EXPECT_EQ(complaint(pragma, "sm_75"), "");
    for (const char* type : {"e4m3", "e5m2"}) {
        const std::string product = at_lowest_version(
            kernel("mma.sync.aligned.m16n8k32.row.col.f32." + std::string(type) +
                       ".e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r0, %r1}, "
                       "{%f0, %f1, %f2, %f3};",
                   "sm_89"));
        EXPECT_THAT(product, HasSubstr(".version 8.4\n"));
        EXPECT_EQ(complaint(product, "sm_89"), "");
        for (const char* form : {"m16n8k32.row.col.f16.{0}.{0}.f16 {{%r0, %r1}}, {{%r0, %r1, %r2, "
                                 "%r3}}, {{%r0, %r1}}, {{%r2, %r3}};",
                                 "m16n8k16.row.col.f16.{0}.{0}.f16 {{%r0, %r1}}, {{%r0, %r1}}, "
                                 "{{%r0}}, {{%r2, %r3}};"}) {
            const std::string later = at_lowest_version(
                kernel("mma.sync.aligned." + fmt::format(fmt::runtime(form), type), "sm_89"));
            EXPECT_THAT(later, HasSubstr(".version 8.7\n"));
            EXPECT_EQ(complaint(later, "sm_89"), "");
        }
    }
}

TEST(Version, DependsOnLookupsAndVectorAtomics)
{
    const struct {
        const char* body;
        const char* version;
    } cases[] = {
        {"lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x80, %p1;", ".version 8.2\n"},
        {"red.global.v2.f32.add [%rd1], {%f1, %f2};", ".version 8.1\n"},
        {"fma.rn.oob.f16x2 %r1, %r1, %r2, %r3;", ".version 8.1\n"},
    };
    for (const auto& [body, version] : cases) {
        const std::string text =
            at_lowest_version(kernel(std::string(".reg .pred %p<3>;\n") + body, "sm_90"));
        EXPECT_THAT(text, HasSubstr(version)) << body;
        EXPECT_EQ(complaint(text, "sm_90"), "");
    }
}

TEST(Version, IsNeverRaised)
{
    std::string old = kernel("");
    old.replace(old.find("9.0"), 3, "6.0");
    EXPECT_EQ(at_lowest_version(old), old);
}

// ptxas rejects instructions that are newer than the stated version. With LANESCOPE_ALL_PTX every
// text of the build is tried, otherwise a few texts with many features.
TEST(Version, SatisfiesPtxas)
{
    const bool all = std::getenv("LANESCOPE_ALL_PTX") != nullptr;
    int tried = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(LANESCOPE_BINARY_DIR) / "ptx")) {
        if (entry.path().extension() != ".ptx") continue;
        const std::string name = entry.path().filename().string();
        const std::vector<std::string> some{"tensor_cores_sm_80.ptx", "cooperation_sm_90.ptx",
                                            "look_back.ptx", "double_buffered.ptx"};
        if (!all && std::ranges::find(some, name) == some.end()) continue;
        const std::string text = at_lowest_version(read(entry.path()));
        const std::size_t at = text.find("sm_", text.find(".target"));
        EXPECT_EQ(complaint(text, text.substr(at, text.find_first_of(" ,\n", at) - at)), "")
            << entry.path();
        EXPECT_THAT(text, testing::Not(HasSubstr(".version 9.0"))) << entry.path();
        ++tried;
    }
    EXPECT_GE(tried, all ? 100 : 3);
    EXPECT_THAT(
        complaint(".version 6.3\n" + kernel("tanh.approx.f32 %f1, %f2;").substr(13), "sm_75"),
        HasSubstr("tanh"))
        << "an assembler that takes everything decides nothing";
}

} // namespace
