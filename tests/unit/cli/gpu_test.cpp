// --gpu: the simulated GPU on the command line.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/document/session/session_file.h"
#include "compute/counting/gpus.h"
#include "compute/cuda/compile/toolkit.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string kernel_for(const std::string& target)
{
    return ".version 8.7\n.target " + target +
           "\n.address_size 64\n.visible .entry nothing()\n{\n    ret;\n}\n";
}

std::string write(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file) << text;
    return file.string();
}

TEST(GpuOption, IsAvailableForEveryCommandThatSimulates)
{
    for (const char* command : {"run", "trace", "emulate", "step", "why", "program", "shot",
                                "record", "sweep", "check-lab", "occupancy"})
        EXPECT_THAT(run_program({command, "--help"}).output, HasSubstr("--gpu NAME")) << command;
    EXPECT_THAT(run_program({"--help"}).output, HasSubstr("--gpu NAME"));
}

TEST(GpuOption, JsonNamesTheGpu)
{
    const Outcome chosen = run_program({"trace", "vector_add", "--gpu", "rtx4090", "--json"});
    ASSERT_EQ(chosen.status, 0) << chosen.errors;
    json named = json::parse(chosen.output);
    EXPECT_EQ(named.at("simulated_gpu"), "RTX 4090");
    const Outcome usual = run_program({"trace", "vector_add", "--device", "simt", "--json"});
    ASSERT_EQ(usual.status, 0) << usual.errors;
    named.erase("simulated_gpu");
    EXPECT_EQ(named, json::parse(usual.output)) << "counts do not depend on the GPU";
}

TEST(GpuOption, UnknownGpuIsRefusedAndKnownOnesAreListed)
{
    const Outcome outcome = run_program({"run", "heat", "--gpu", "Voodoo 2"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("There is no GPU \"Voodoo 2\" to simulate."));
    for (const counting::Gpu& gpu : counting::gpus())
        EXPECT_THAT(outcome.errors, HasSubstr(std::string(gpu.name)));
}

TEST(GpuOption, ContradictionsAreRefused)
{
    const Outcome real = run_program({"run", "heat", "--gpu", "T4", "--device", "cuda"});
    EXPECT_EQ(real.status, 2);
    EXPECT_THAT(real.errors, HasSubstr("--device cuda runs on a real one"));

    const Outcome newer = run_program({"run", "heat", "--arch", "sm_90", "--gpu", "T4"});
    EXPECT_EQ(newer.status, 2);
    EXPECT_THAT(newer.errors,
                HasSubstr("The simulated T4 cannot run code for compute_90: its compute "
                          "capability is 7.5"));
    EXPECT_EQ(run_program({"run", "vector_add", "--gpu", "H100", "--arch", "sm_80"}).status, 0);
}

TEST(GpuOption, LimitsLaunchesAndTexts)
{
    const Folder folder;
    const std::string turing = write(folder / "turing.ptx", kernel_for("sm_75"));
    const std::string hopper = write(folder / "hopper.ptx", kernel_for("sm_90"));
    const std::vector<std::string> large{"emulate", turing, "--grid",   "1",
                                         "--block", "32",   "--shared", "100000"};
    EXPECT_EQ(run_program(large).status, 0);
    auto small = large;
    small.insert(small.end(), {"--gpu", "T4"});
    const Outcome refused = run_program(small);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("the device has 65536"));

    const Outcome newer =
        run_program({"emulate", hopper, "--grid", "1", "--block", "32", "--gpu", "A100"});
    EXPECT_EQ(newer.status, 2);
    EXPECT_THAT(newer.errors, HasSubstr("The PTX is for sm_90, but an A100 is sm_80."));
    EXPECT_EQ(run_program({"emulate", hopper, "--grid", "1", "--block", "32", "--gpu", "RTX 5090"})
                  .status,
              0);
}

TEST(GpuOption, OccupancyMatchesGpu)
{
    const Outcome outcome = run_program({"occupancy", "--gpu", "RTX 3060", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json found = json::parse(outcome.output);
    ASSERT_EQ(found.at("multiprocessors").size(), 1u);
    EXPECT_EQ(found.at("multiprocessors")[0].at("compute_capability"), "8.6");
    EXPECT_EQ(found.at("multiprocessors")[0].at("maximum_warps"), 48);
    EXPECT_EQ(found.at("simulated_gpu"), "RTX 3060");
}

TEST(GpuOption, ProgramsSeeTheGpu)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "Programs cannot load the CUDA runtime of a build with sanitizers.";
#endif
    if (!cuda::find_nvcc()) GTEST_SKIP() << "there is no nvcc";
    const Folder folder;
    const std::string file = write(folder / "query.cu", R"(
#include <cstdio>
__global__ void architecture(int* to)
{
#ifdef __CUDA_ARCH__
    *to = __CUDA_ARCH__;
#endif
}
__global__ void registers(int* to) { *to = 0; }
int main()
{
    cudaDeviceProp is;
    if (cudaGetDeviceProperties(&is, 0) != cudaSuccess) return 1;
    int* compiled_for;
    cudaMallocManaged(&compiled_for, sizeof(int));
    architecture<<<1, 1>>>(compiled_for);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int blocks = 0, bits = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, registers, 64, 0);
    cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0);
    std::printf("%d.%d %d SMs, %zu B, %d B of L2, %d bits, %d blocks, for %d\n", is.major, is.minor,
                is.multiProcessorCount, is.sharedMemPerBlockOptin, is.l2CacheSize, bits, blocks,
                *compiled_for);
    cudaFree(compiled_for);
    return 0;
}
)");
    const auto printed = [&](const std::string& gpu) {
        std::vector<std::string> words{"program", file, "--json"};
        if (!gpu.empty()) words.insert(words.end(), {"--gpu", gpu});
        const Outcome outcome = run_program(words);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        const json report = json::parse(outcome.output);
        EXPECT_EQ(report.value("simulated_gpu", ""), gpu);
        return report.at("output").get<std::string>();
    };
    EXPECT_EQ(printed("T4"),
              "7.5 40 SMs, 65536 B, 4194304 B of L2, 256 bits, 16 blocks, for 750\n");
    EXPECT_EQ(printed("RTX 5090"),
              "12.0 170 SMs, 101376 B, 100663296 B of L2, 512 bits, 24 blocks, for 1200\n");
    EXPECT_EQ(printed(""),
              "9.0 132 SMs, 232448 B, 52428800 B of L2, 5120 bits, 32 blocks, for 750\n");
}

TEST(GpuOption, SessionsKeepTheGpu)
{
    const Folder folder;
    const std::string picture = (folder / "a.png").string();
    const std::vector<std::string> small{"--size", "320x180", "--frame", "1"};
    std::vector<std::string> words{"shot",  "heat/naive", "--set", "size=32",
                                   "--gpu", "T4",         "-o",    picture};
    words.insert(words.end(), small.begin(), small.end());
    ASSERT_EQ(run_program(words).status, 0);
    EXPECT_EQ(app::load_session(picture).gpu, "T4");

    const std::string again = (folder / "b.png").string();
    ASSERT_EQ(run_program({"shot", "--session", picture, "-o", again}).status, 0);
    EXPECT_EQ(app::load_session(again).gpu, "T4");

    app::Session session = app::load_session(picture);
    session.gpu = "Voodoo";
    const Outcome unknown = run_program(
        {"shot", "--session", write(folder / "c.json", app::to_json(session)), "-o", again});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("There is no GPU \"Voodoo\" to simulate."));
}

} // namespace
} // namespace lanescope::test
