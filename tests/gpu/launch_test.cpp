// Loading PTX and launching kernels on the GPU, and harmful launches that are refused.
#include "compute/cuda/compile/compile.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using device::Launch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

const char* const variables = R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .u32 step = 2;
.global .align 4 .u32 counter;
.visible .entry count(.param .u64 to)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    ld.const.u32 %r1, [step];
    ld.global.u32 %r2, [counter];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [counter], %r3;
    st.global.u32 [%rd2], %r3;
    ret;
}
)";

TEST_F(OnGpu, LaunchesTakeArgumentsOfEverySize)
{
    struct Mixed {
        char letter;
        double weight;
        float point[3];
    };
    const auto module = gpu->load(kernels_ptx());
    const device::Kernel& kernel = module->kernel("read_mixed");
    EXPECT_THAT(kernel.parameter_sizes(), ElementsAre(sizeof(Mixed), 2, 8));
    const auto result = gpu->allocate(8);
    gpu->launch(kernel, {.arguments = {Mixed{2, 3.5, {0.25f, 0.5f, 1}}, short{4}, *result}});
    EXPECT_DOUBLE_EQ(device::download<double>(*gpu, result->address(), 1)[0], 2 + 3.5 * 4 + 1.75);
}

TEST_F(OnGpu, LaunchesQueueInOrder)
{
    const auto module = gpu->load(kernels_ptx());
    const device::Kernel& kernel = module->kernel("add_one");
    const int count = 1000;
    const auto values = uploaded(*gpu, std::vector<unsigned>(count, 5));
    for (int i = 0; i < 20; ++i)
        gpu->launch(kernel, {.grid = {4}, .block = {256}, .arguments = {*values, *values, count}});
    EXPECT_EQ(device::download<unsigned>(*gpu, values->address(), count),
              std::vector<unsigned>(count, 25));
}

TEST_F(OnGpu, SharedMemoryBeyond48KiBIsRequested)
{
    if (gpu->properties().shared_per_block_optin < 60 * 1024)
        GTEST_SKIP() << "this GPU has no more than 48 KiB";
    const auto module = gpu->load(kernels_ptx());
    const auto values = uploaded(*gpu, std::vector<unsigned>{1, 2, 3, 4});
    Launch launch{.block = {4}, .dynamic_shared_bytes = 60 * 1024, .arguments = {*values}};
    gpu->launch(module->kernel("reverse_block"), launch);
    EXPECT_THAT(device::download<unsigned>(*gpu, values->address(), 4), ElementsAre(4, 3, 2, 1));
    launch.dynamic_shared_bytes = 1 << 20;
    EXPECT_THROW(gpu->launch(module->kernel("reverse_block"), launch), device::LaunchError);
}

TEST_F(OnGpu, InvalidLaunchesAreRefusedSafely)
{
    const auto module = gpu->load(kernels_ptx());
    const device::Kernel& kernel = module->kernel("add_one");
    const auto values = uploaded(*gpu, std::vector<unsigned>{1});
    EXPECT_THROW(gpu->launch(kernel, {.arguments = {*values, *values}}), device::LaunchError);
    EXPECT_THROW(gpu->launch(kernel, {.arguments = {*values, *values, 1.0}}), device::LaunchError);
    EXPECT_THROW(gpu->launch(kernel, {.block = {2048}, .arguments = {*values, *values, 1}}),
                 device::LaunchError);
    EXPECT_THROW(gpu->launch(kernel, {.grid = {0}, .arguments = {*values, *values, 1}}),
                 device::LaunchError);
    gpu->launch(kernel, {.arguments = {*values, *values, 1}});
    EXPECT_THAT(device::download<unsigned>(*gpu, values->address(), 1), ElementsAre(2));
}

TEST_F(OnGpu, KernelsAreListedAndDescribed)
{
    const auto module = gpu->load(kernels_ptx());
    EXPECT_THAT(module->kernel_names(), IsSupersetOf({"add_one", "reverse_block", "spin"}));
    const device::KernelAttributes attributes = module->kernel("add_one").attributes();
    EXPECT_GT(attributes.registers, 0);
    EXPECT_EQ(attributes.max_threads_per_block, 1024);
    try {
        module->kernel("nosuch");
        FAIL() << "a kernel that is not there was found";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_such_thing);
        EXPECT_THAT(error.what(), HasSubstr("add_one"));
    }
}

constexpr std::string_view header = ".version 8.0\n.target sm_75\n.address_size 64\n";

TEST_F(OnGpu, DriverCompileErrorsIncludeLog)
{
    const std::string broken =
        std::string(header) +
        ".visible .entry broken()\n{\n    add.u32 %r1, %r2, %r3;\n    ret;\n}\n";
    try {
        gpu->load(broken);
        FAIL() << "undeclared registers were compiled";
    } catch (const device::LaunchError& error) {
        EXPECT_THAT(error.what(), HasSubstr("r1"));
    }
    EXPECT_NO_THROW(gpu->load(kernels_ptx()));
}

// Scalar video instructions: PTX that kernels rarely contain, but that the driver accepts and that
// must therefore run.
TEST_F(OnGpu, RunsPtxThatOnlyDriverSupports)
{
    const std::string text = std::string(header) + R"(
.visible .entry copy_word(.param .u64 to, .param .u32 value)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    vadd.u32.u32.u32 %r2, %r1, %r1;
    vset.u32.u32.lt %r3, %r1, %r2;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
    const auto module = gpu->load(text);
    const device::Kernel& kernel = module->kernel("copy_word");
    EXPECT_THAT(kernel.parameter_sizes(), ElementsAre(8, 4));
    const auto result = gpu->allocate(4);
    gpu->launch(kernel, {.arguments = {*result, 21u}});
    EXPECT_THAT(device::download<unsigned>(*gpu, result->address(), 1), ElementsAre(42));
}

TEST_F(OnGpu, RuntimeCompiledKernelsRun)
{
    std::string ptx;
    try {
        ptx = cuda::compile_to_ptx(
                  "extern \"C\" __global__ void answer(int* p) { *p = 6 * SEVEN; }\n", "answer.cu",
                  {.definitions = {"SEVEN=7"}})
                  .ptx;
    } catch (const device::DeviceError& error) {
        GTEST_SKIP() << error.what();
    }
    const auto module = gpu->load(ptx);
    const auto result = gpu->allocate(4);
    gpu->launch(module->kernel("answer"), {.arguments = {*result}});
    EXPECT_THAT(device::download<int>(*gpu, result->address(), 1), ElementsAre(42));
}

// The probed kernel is a separate module with its own variables: its launches continue from the
// values that plain launches left, and vice versa.
TEST_F(OnGpu, VariablesAreSharedByPlainAndProbedLaunches)
{
    const auto module = gpu->load(variables);
    const auto result = gpu->allocate(4);
    device::upload<unsigned>(*gpu, module->variable("step").address, std::vector{5u});
    device::upload<unsigned>(*gpu, module->variable("counter").address, std::vector{100u});
    Launch launch{.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = {*result}};
    trace::Trace trace;
    for (trace::Trace* counted : {&trace, static_cast<trace::Trace*>(nullptr), &trace}) {
        launch.trace = counted;
        gpu->launch(module->kernel("count"), launch);
    }
    EXPECT_THAT(device::download<unsigned>(*gpu, result->address(), 1), ElementsAre(115));
    EXPECT_THAT(device::download<unsigned>(*gpu, module->variable("counter").address, 1),
                ElementsAre(115));
    EXPECT_THROW(module->variable("nosuch"), Error);
}

} // namespace
} // namespace lanescope::gpu_tests
