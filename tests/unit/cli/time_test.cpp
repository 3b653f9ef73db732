// Predicted times of whole steps, of variants side by side, and of a program's launches: sums that
// follow from the times of single launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>

#include "compute/assembled/tools.h"
#include "compute/cuda/compile/toolkit.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr double empty_kernel_us = 2.25; // assets/manual/time.md

class Time : public testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string missing = assembled::find_tools().missing; !missing.empty())
            GTEST_SKIP() << missing;
    }
    static json json_of(std::vector<std::string> command)
    {
        command.insert(command.end(), {"--time", "--json"});
        const Outcome run = run_program(command);
        EXPECT_EQ(run.status, 0) << run.errors;
        return json::parse(run.output);
    }
};

TEST_F(Time, RunPredictsEveryVariantAsTraceDoes)
{
    const json runs =
        json_of({"run", "heat", "--set", "size=128", "--steps", "4", "--device", "simt"});
    ASSERT_GT(runs.at("runs").size(), 2u);
    for (const json& one : runs.at("runs")) {
        const std::string variant = one.at("variant");
        const json trace = json_of({"trace", "heat/" + variant, "--set", "size=128"});
        EXPECT_EQ(one.at("time").at("predicted_us"), trace.at("time").at("predicted_us"))
            << variant;
        EXPECT_GT(one.at("time").at("predicted_us"), empty_kernel_us) << variant;
    }
    const Outcome text =
        run_program({"run", "heat", "--set", "size=128", "--steps", "4", "--time"});
    EXPECT_THAT(text.output, AllOf(HasSubstr("predicted µs"), HasSubstr("limited by"),
                                   HasSubstr("a model, not a measurement")));
}

TEST_F(Time, AStepOfSeveralLaunchesTakesTheirSum)
{
    const json time = json_of({"trace", "scan/three_passes", "--set", "count=5000"}).at("time");
    EXPECT_EQ(time.at("launches"), 3);
    EXPECT_DOUBLE_EQ(time.at("launch_us").get<double>(), 3 * empty_kernel_us);
    EXPECT_GT(time.at("predicted_us"), 3 * empty_kernel_us);
    EXPECT_LT(time.at("predicted_us"), 10 * empty_kernel_us);
}

TEST_F(Time, AProgramsTimelineAddsUpItsLaunches)
{
    if (!cuda::find_nvcc()) GTEST_SKIP() << "nvcc was not found";
    const Folder folder;
    std::ofstream(folder / "twice.cu") << R"(#include <cuda_runtime.h>
__global__ void twice(float* numbers) { numbers[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main()
{
    float* numbers = nullptr;
    if (cudaMalloc(&numbers, 65536 * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMemset(numbers, 0, 65536 * sizeof(float)) != cudaSuccess) return 1;
    twice<<<256, 256>>>(numbers);
    twice<<<256, 256>>>(numbers);
    twice<<<16, 256>>>(numbers);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    return cudaFree(numbers) == cudaSuccess ? 0 : 1;
}
)";
    const std::string file = (folder / "twice.cu").string();
    const json all = json_of({"program", file});
    const json& launches = all.at("launches");
    ASSERT_EQ(launches.size(), 3u);
    for (const json& launch : launches) {
        EXPECT_FALSE(launch.contains("lab")) << "kept only while it was predicted";
        EXPECT_GT(launch.at("time").at("predicted_us"), empty_kernel_us);
        EXPECT_EQ(launch.at("time").at("gpu"), "H100");
    }
    EXPECT_EQ(launches[0].at("time"), launches[1].at("time"));
    EXPECT_GT(launches[0].at("time").at("predicted_us"), launches[2].at("time").at("predicted_us"));
    const Outcome text = run_program({"program", file, "--time"});
    EXPECT_THAT(text.errors,
                AllOf(HasSubstr("Predicted times on H100"), HasSubstr("Sum over 3 kernels"),
                      HasSubstr("Not in the sum: the host's time")));
}

} // namespace
} // namespace lanescope::test
