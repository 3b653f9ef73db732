// The compiler in its own process: the same messages as in-process, and a crash stays in there.
#include "compute/cuda/compile/compiler_process.h"

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"

namespace lanescope::cuda {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::vector<std::string> program{LANESCOPE_BINARY, "--compile-for-another"};

bool have_compiler()
{
    return Nvrtc::load() || find_nvcc();
}

std::string refusal_of(CompilerProcess& compiler, std::string_view text)
{
    try {
        compiler.compile(text, "kernel.cu", {});
    } catch (const CompileError& error) {
        return error.log();
    }
    return "compiled";
}

TEST(CompilerProcess, GivesSameErrorsAsInProcessCompiler)
{
    if (!have_compiler()) GTEST_SKIP() << compilers_found();
    CompilerProcess compiler(program);
    const std::string_view good = "__global__ void f(int* p) { p[threadIdx.x] = STEP; } // \xff\n";
    const CompileOptions options{.definitions = {"STEP=3"}};
    // Absolute, because the compiler runs in another folder and the line table contains full paths.
    const std::filesystem::path name = std::filesystem::absolute("a \"b\".cu");
    for (int time = 0; time < 3; ++time)
        EXPECT_EQ(compiler.compile(good, name, options).ptx,
                  compile_to_ptx(good, name, options).ptx);
    const std::string_view bad = "__global__ void f(int* p)\n{\n    p[0] = nosuch;\n}\n";
    EXPECT_THAT(refusal_of(compiler, bad), HasSubstr("kernel.cu(3): error"));
}

TEST(CompilerProcess, EndlessCompilationTimesOut)
{
    if (!Nvrtc::load()) GTEST_SKIP() << compilers_found();
    CompilerProcess compiler(program, 300ms);
    const std::string text = R"(
__global__ void f(unsigned* p)
{
#pragma unroll
    for (unsigned i = 0; i < 65537; ++i)
#pragma unroll
        for (unsigned k = 0; k < 512; ++k) p[i * 7 + k] = p[i + k * 3] * i + p[k];
}
)";
    EXPECT_THAT(refusal_of(compiler, text),
                HasSubstr("kernel.cu(1): error: the compiler did not finish within 0.3 s"));
}

// Ids of this process's child processes.
std::vector<pid_t> children()
{
    std::vector<pid_t> all;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(thread.path() / "children");
        for (pid_t child = 0; list >> child;) all.push_back(child);
    }
    return all;
}

// Stops the compiler process for a while, as if the machine were busy with other work.
TEST(CompilerProcess, TimeoutCountsOnlyCpuTime)
{
    if (!Nvrtc::load()) GTEST_SKIP() << compilers_found();
    CompilerProcess compiler(program, 2s);
    std::jthread other([] {
        std::vector<pid_t> all;
        while ((all = children()).empty()) std::this_thread::sleep_for(1ms);
        kill(all.back(), SIGSTOP);
        std::this_thread::sleep_for(4s);
        kill(all.back(), SIGCONT);
    });
    EXPECT_EQ(refusal_of(compiler, "__global__ void f(int* p) { p[0] = 1; }\n"), "compiled");
}

TEST(CompilerProcess, CompilerCrashIsContained)
{
    CompilerProcess compiler({"sh", "-c", "kill -SEGV $$"});
    EXPECT_THAT(refusal_of(compiler, "__global__ void f() {}"),
                HasSubstr("this source crashed the compiler (exit status 139)"));
    CompilerProcess none({"/nowhere/compiler"});
    EXPECT_THROW(none.compile("", "kernel.cu", {}), Error);
}

} // namespace
} // namespace lanescope::cuda
