// Sources that make the compiler read files outside their folder. The scan for includes is off, as
// if it had missed them, so that the sandbox alone must refuse them.
#include "compute/cuda/compile/compiler_process.h"

#include <chrono>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/process/file_view.h"
#include "tests/support/older_kernel.h"
#include "tests/support/program.h"

namespace lanescope::cuda {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Folder;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> program{LANESCOPE_BINARY, "--compile-for-another"};
constexpr std::string_view secret = "nobody_may_read_this";
constexpr std::string_view kernel = "__global__ void k(int* o) { o[threadIdx.x] = 1; }\n";

#define NEEDS(which)                                                                               \
    if (!(which)) GTEST_SKIP() << compilers_found()

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

// A folder with a kernel, next to a folder with a secret file.
struct Scene {
    Folder all;
    fs::path own = all / "own", secret_file = all / "other" / "secret.h";
    Scene()
    {
        write(secret_file, secret);
        write(own / "beside.h", "#define VALUE 3\n");
        write(own / "deep" / "er.h", "#define DEEP 4\n");
        fs::create_symlink(secret_file, own / "linked.h");
        fs::create_directory_symlink(all / "other", own / "folder");
    }
    CompileOptions options() const { return {.own_folder = own}; }
};

// The compiler's message, or "compiled" if there is none.
std::string said(CompilerProcess& compiler, const std::string& text, const CompileOptions& options)
{
    try {
        compiler.compile(text, "kernel.cu", options);
    } catch (const CompileError& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_THAT(error.what(), Not(HasSubstr(secret)));
        return error.log();
    }
    return "compiled";
}

// Each requests FILE, but not by a plain #include on its own line.
const std::vector<std::string> attacks{
    "__device__ int mark = u'\"'; /*\n*/ #include \"FILE\"\n",
    "__device__ const char* r = R\"(\")\"; /*\n*/ #include \"FILE\"\n",
    "#define C2(a, b) a##b\n#define C(a, b) C2(a, b)\n#if C(__has_, include)(\"FILE\")\n#error "
    "EXISTS\n#endif\n",
    "#define F \"FILE\"\n#include F\n",
    "#/*\n*/include \"FILE\"\n",
    "#inc\\\nlude \"FI\\\nLE\"\n",
    "%:include <FILE>\n",
    "#define S(x) #x\n#define F S(FILE)\n#include F\n",
    "#include_next \"FILE\"\n",
    "#if __has_include(\"FILE\")\n#error EXISTS\n#endif\n",
    "#ifdef __has_include\n#define Q __has_include\n#if Q(<FILE>)\n#error EXISTS\n#endif\n#endif\n",
    "#include <cuda/std/version>\n#if _CCCL_HAS_INCLUDE(\"FILE\")\n#error EXISTS\n#endif\n",
};

std::string aimed(const std::string& attack, const std::string& file)
{
    std::string text = attack;
    // Where the attack splits the name FILE across lines, the path is split as well.
    for (std::size_t at; (at = text.find("FI\\\nLE")) != text.npos;)
        text.replace(at, 6, file.substr(0, 3) + "\\\n" + file.substr(3));
    for (std::size_t at; (at = text.find("FILE")) != text.npos;) text.replace(at, 4, file);
    return text + std::string(kernel);
}

// The message names the requested file, and does not depend on whether it exists.
void expect_refused(const Scene& scene, bool names_file)
{
    CompilerProcess compiler(program);
    // Files are watched only from the first text that may open one; this text opens none.
    compiler.prepare();
    EXPECT_EQ(said(compiler, std::string(kernel), scene.options()), "compiled");
    for (const std::string& attack : attacks)
        for (const fs::path& file : {scene.secret_file, scene.all / "other" / "none.h"}) {
            const std::string log = said(compiler, aimed(attack, file.string()), scene.options());
            EXPECT_THAT(log, Not(HasSubstr("EXISTS"))) << attack;
            if (names_file) {
                EXPECT_THAT(log, HasSubstr("asks for the file " + file.string())) << attack;
            }
        }
    for (const char* inside : {"linked.h", "folder/secret.h", "../other/secret.h"}) {
        const std::string log =
            said(compiler, fmt::format("#include \"{}\"\n{}", inside, kernel), scene.options());
        EXPECT_THAT(log, HasSubstr("error: ")) << inside;
        if (names_file) {
            EXPECT_THAT(log, HasSubstr(inside));
        }
    }
}

TEST(SandboxedCompiler, CannotReadFilesOutsideSandbox)
{
    NEEDS(Nvrtc::load());
    if (!known_walls().file_view) GTEST_SKIP() << "This kernel has no file view.";
    expect_refused(Scene(), true);
}

TEST(SandboxedCompiler, CannotReadFilesOutsideSandboxWithoutLandlock)
{
    NEEDS(Nvrtc::load());
    if (!known_walls().file_view) GTEST_SKIP() << "This kernel has no file view.";
    test::without_calls(test::landlock_calls(), [] { expect_refused(Scene(), true); });
}

TEST(SandboxedCompiler, CannotReadFilesOutsideSandboxWithLandlockOnly)
{
    NEEDS(Nvrtc::load());
    if (const KnownWalls known = known_walls(); known.landlock_version == 0)
        GTEST_SKIP() << "No Landlock: " << known.no_landlock;
    test::without_calls(test::file_view_calls(), [] { expect_refused(Scene(), false); });
}

TEST(SandboxedCompiler, ReadsItsOwnAndNamedFolders)
{
    NEEDS(Nvrtc::load());
    const Scene scene;
    CompilerProcess compiler(program);
    EXPECT_EQ(said(compiler,
                   "#include \"beside.h\"\n#include \"deep/er.h\"\n#include <cuda_fp16.h>\n"
                   "#include <cooperative_groups.h>\n__device__ int v = VALUE + DEEP;\n",
                   scene.options()),
              "compiled");
    CompileOptions with = scene.options();
    with.include_directories = {scene.all / "other"};
    write(scene.secret_file, "#define FOUND 1\n");
    EXPECT_EQ(said(compiler, "#include <secret.h>\n__device__ int v = FOUND;\n", with), "compiled");
    EXPECT_EQ(said(compiler, "#include \"linked.h\"\n__device__ int v = FOUND;\n", with),
              "compiled");
    with = scene.options();
    with.flags = {"--pre-include=" + scene.secret_file.string()};
    EXPECT_EQ(said(compiler, "__device__ int v = FOUND;\n", with), "compiled");
}

// A session's source belongs to no folder, whatever its name and the current folder are.
TEST(SandboxedCompiler, SourceWithoutFolderIncludesNothing)
{
    NEEDS(Nvrtc::load());
    const Scene scene;
    const fs::path before = fs::current_path();
    fs::current_path(scene.all.path());
    const auto compile = [] {
        CompilerProcess compiler(program);
        try {
            compiler.compile("#include \"secret.h\"\n", "other/kernel.cu", {});
        } catch (const CompileError& error) {
            return std::string(error.what());
        }
        return std::string("compiled");
    };
    const std::string walled = compile();
    std::string bare;
    test::without_calls({444, 445, 446, test::file_view_calls().front()},
                        [&] { bare = compile(); });
    fs::current_path(before);
    for (const std::string& words : {walled, bare}) {
        EXPECT_THAT(words, HasSubstr("There is no header secret.h"));
        EXPECT_THAT(words, Not(HasSubstr(secret)));
    }
}

// Host code, which only nvcc can compile.
TEST(SandboxedCompiler, NvccCannotReadFilesOutsideSandbox)
{
    NEEDS(find_nvcc());
    if (!known_walls().file_view) GTEST_SKIP() << "This kernel has no file view.";
    const Scene scene;
    CompilerProcess compiler(program, 60s);
    const std::string host = "#ifdef __CUDACC_RTC__\n#error for nvcc\n#else\n#include <vector>\n";
    const std::string file = scene.secret_file.string();
    EXPECT_EQ(said(compiler,
                   host + "#endif\n#include \"beside.h\"\n__global__ void k() {}\n"
                          "int main() { std::vector<int> v(VALUE); k<<<1, 1>>>(); }\n",
                   scene.options()),
              "compiled");
    for (const std::string& attack :
         {std::string("#include \"FILE\"\n"),
          std::string("#if __has_include(\"FILE\")\n#error EXISTS\n#endif\n")}) {
        const std::string log =
            said(compiler, host + aimed(attack, file) + "#endif\n", scene.options());
        EXPECT_THAT(log, HasSubstr("asks for the file " + file));
        EXPECT_THAT(log, Not(HasSubstr("EXISTS")));
    }
    EXPECT_THAT(said(compiler, host + "#endif\n#include \"linked.h\"\n", scene.options()),
                HasSubstr("linked.h"));
}

// Folder names that the shell, or nvcc when it reads a list of folders, might split.
TEST(SandboxedCompiler, NamesAreNotSplit)
{
    NEEDS(find_nvcc());
    const Folder all;
    CompilerProcess compiler(program, 60s);
    const auto compile = [&](const std::string& name, const std::string& text) {
        const fs::path own = all / name;
        write(own / "beside.h", "#define VALUE 3\n");
        try {
            compiler.compile(text + "#include \"beside.h\"\n__device__ int v = VALUE;\n",
                             name + ".cu", {.own_folder = own});
        } catch (const Error& error) {
            ADD_FAILURE() << name << ": " << error.what();
        }
    };
    for (const char* name : {"a,b", "a b", "a$(touch stolen)", "a\"b", "a'b", "a;b", "-Ifoo",
                             "a`touch stolen`", "a\\b", "a\nb"})
        compile(name, "");
    for (const char* name : {"a,b", "a$(touch stolen)", "-I\"b\n`touch stolen`"})
        compile(name, "#ifdef __CUDACC_RTC__\n#error for nvcc\n#endif\n");
    EXPECT_FALSE(fs::exists("stolen"));
    EXPECT_FALSE(fs::exists(all / "stolen"));
}

// Sources that never finish compiling.
TEST(SandboxedCompiler, StopsSourceThatNeverFinishesCompiling)
{
    NEEDS(Nvrtc::load());
    CompilerProcess compiler(program, 400ms);
    const std::string bomb = "template <int N, int M> struct A { static const int v = A<N - 1, 2 * "
                             "M>::v + A<N - 1, 2 * M + 1>::v; }; template <int M> struct A<0, M> { "
                             "static const int v = 1; };\n";
    std::string doubled = "#define X0 1+1\n";
    for (int i = 1; i < 40; ++i) doubled += fmt::format("#define X{0} X{1}+X{1}\n", i, i - 1);
    for (const std::string& text : {
             bomb + "__device__ int q = A<30, 1>::v;\n",
             bomb + "__global__ void k(int* o) { *o = A<28, 1>::v; }\n",
             bomb + "int main() { return A<30, 1>::v; }\n",
             std::string("template <int N> constexpr int f() { int s = 0; for (int i = 0; i < 1 << "
                         "30; ++i) s += i; return s; }\n__device__ int q = f<1>();\n"),
             std::string("template <class... T> struct L {}; template <int N, class... T> struct M "
                         ": M<N - 1, T..., L<T...>> {}; template <class... T> struct M<0, T...> "
                         "{}; __device__ M<900, int> m;\n"),
             doubled + "__device__ int q = X39;\n",
             std::string("template <class T> struct P { P<P<T>> operator->(); }; __device__ int "
                         "q = P<int>()->x;\n"),
             std::string("template <int N> struct F { typename F<N + 1>::T t; }; __device__ F<0> "
                         "f;\n"),
             std::string("constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); "
                         "}\n__device__ constexpr int q = fib(60);\n"),
             "__device__ char a[] = \"" + std::string(std::size_t{1} << 22, 'x') +
                 "\"; __device__ int q = nosuch;\n",
         }) {
        const auto begin = std::chrono::steady_clock::now();
        const std::string log = said(compiler, text, {});
        EXPECT_THAT(log, HasSubstr("error")) << text.substr(0, 200);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << text.substr(0, 200);
    }
    CompilerProcess usual(program);
    EXPECT_EQ(said(usual, std::string(kernel), {}), "compiled");
}

} // namespace
} // namespace lanescope::cuda
