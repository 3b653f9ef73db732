// CUDA C++ is compiled to PTX by whichever compiler is available, and its errors are reported with
// their lines.
#include "compute/cuda/compile/compile.h"

#include <gmock/gmock.h>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/cuda/device_linker.h"
#include "compute/process/process.h"

namespace {

using namespace lanescope;
using namespace lanescope::cuda;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kernel = R"(#include <stdio.h>
#include <stdint.h>
extern "C" __global__ void add_one(uint32_t* values)
{
    if (values[0] == 7) printf("seven\n");
    values[threadIdx.x] += STEP;
}
)";

const CompileOptions with_step{.definitions = {"STEP=3"}};

bool have_compiler()
{
    return Nvrtc::load() || find_nvcc();
}

TEST(Compile, PtxHasLinesOfNamedFile)
{
    if (!have_compiler()) GTEST_SKIP() << compilers_found();
    const std::string ptx = compile_to_ptx(kernel, "lecture/add \"one\".cu", with_step).ptx;
    EXPECT_THAT(ptx, HasSubstr(".visible .entry add_one"));
    EXPECT_THAT(ptx, HasSubstr(".target sm_75"));
    EXPECT_THAT(ptx, HasSubstr("add "));
    EXPECT_THAT(ptx, HasSubstr(".loc"));
    EXPECT_THAT(ptx, Not(HasSubstr("lanescope-"))) << "the temporary file's name must not show";
}

TEST(Compile, NamesHaveStandInsInAscii)
{
    EXPECT_EQ(in_ascii("Z:/a b/倍.cu"), "Z:/a b/_e5_80_8d.cu");
    EXPECT_EQ(in_ascii("plain.cu"), "plain.cu");
}

TEST(Compile, ErrorsHaveLines)
{
    if (!have_compiler()) GTEST_SKIP() << compilers_found();
    try {
        compile_to_ptx("__global__ void broken(int* p)\n{\n    p[0] = nosuch;\n}\n", "broken.cu");
        FAIL() << "compiled";
    } catch (const CompileError& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_THAT(error.what(), HasSubstr("broken.cu does not compile"));
        EXPECT_THAT(error.log(), HasSubstr("broken.cu(3): error"));
        EXPECT_THAT(error.log(), HasSubstr("nosuch"));
    }
}

// Kernels that launch kernels are compiled for linking with the device runtime, others are not.
constexpr std::string_view launching = R"(
extern "C" __global__ void child(int* values, int depth)
{
    atomicAdd(values, 1);
    if (depth > 0) child<<<2, 1, 0, cudaStreamFireAndForget>>>(values, depth - 1);
}
extern "C" __global__ void parent(int* values) { child<<<1, 1>>>(values, 3); }
)";

TEST(Compile, KernelsMayLaunchKernels)
{
    if (!have_compiler()) GTEST_SKIP() << compilers_found();
    const std::string ptx = compile_to_ptx(launching, "launching.cu").ptx;
    EXPECT_THAT(ptx, HasSubstr("__cudaCDP2LaunchDeviceV2"));
    EXPECT_TRUE(needs_device_runtime(ptx));
    EXPECT_FALSE(needs_device_runtime(compile_to_ptx(kernel, "plain.cu", with_step).ptx));
}

// The text also contains host code, which NVRTC rejects, so nvcc compiles it.
TEST(Compile, FilesWithMainMayLaunchKernelsFromKernels)
{
    if (!find_nvcc()) GTEST_SKIP() << "there is no nvcc";
    const std::string whole =
        std::string(launching) +
        "#include <vector>\nint main() { std::vector<int> v(1); parent<<<1, 1>>>(v.data()); }\n";
    EXPECT_THAT(compile_to_ptx(whole, "whole.cu").ptx, HasSubstr("__cudaCDP2LaunchDeviceV2"));
    try {
        compile_to_ptx(whole + "extern \"C\" __global__ void broken() { nosuch<<<1, 1>>>(); }\n",
                       "broken.cu");
        FAIL() << "compiled";
    } catch (const CompileError& error) {
        EXPECT_THAT(error.log(), HasSubstr("nosuch"));
        EXPECT_THAT(error.log(), Not(HasSubstr("separate compilation mode")));
    }
}

TEST(DeviceRuntime, IsFoundInToolkit)
{
    const auto library = find_device_runtime();
    if (!library) GTEST_SKIP() << "there is no libcudadevrt.a";
    EXPECT_TRUE(std::filesystem::is_regular_file(*library)) << *library;
}

TEST(Compile, NvrtcCompilesKernelsWithHostHeaders)
{
    const auto nvrtc = Nvrtc::load();
    if (!nvrtc) GTEST_SKIP() << "no NVRTC";
    const Nvrtc::Result result = nvrtc->compile(std::string(kernel), "add.cu",
                                                {"-DSTEP=3", "--gpu-architecture=compute_75"});
    EXPECT_TRUE(result.compiled) << result.log;
    EXPECT_THAT(result.ptx, HasSubstr(".visible .entry add_one"));
}

TEST(Compile, HostCodeNeedsNvcc)
{
    if (!find_nvcc()) GTEST_SKIP() << "no nvcc";
    const std::string ptx =
        compile_to_ptx("#include <vector>\n"
                       "__global__ void k(int* p) { *p = 1; }\n"
                       "int main() { std::vector<int> v; k<<<1, 1>>>(nullptr); }\n",
                       "whole.cu")
            .ptx;
    EXPECT_THAT(ptx, HasSubstr(".entry _Z1kPi"));
    EXPECT_THAT(ptx, HasSubstr("whole.cu"));
}

TEST(Process, ArgumentsBypassShell)
{
    const Finished finished = run_to_end({"printf", "%s", "$(id); `id` 'x'"});
    EXPECT_EQ(finished.status, 0);
    EXPECT_EQ(finished.output, "$(id); `id` 'x'");
}

TEST(Process, ReportsFailedStart)
{
    EXPECT_EQ(run_to_end({"/nosuch/program"}).status, 127);
    EXPECT_EQ(run_to_end({"false"}).status, 1);
}

} // namespace
