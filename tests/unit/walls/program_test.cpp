// An untrusted file opened by every command that compiles or starts other programs: nothing outside
// its folder is read, and no program of the current folder runs.
#include <sys/stat.h>

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compute/cuda/compile/compile.h"
#include "compute/cuda/compile/nvrtc.h"
#include "compute/process/walls.h"
#include "tests/support/older_kernel.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view secret = "nobody_may_read_this";
constexpr std::string_view kernel = "__global__ void k(int* o) { o[threadIdx.x] = 1; }\n";

#define NEEDS_NVRTC()                                                                              \
    if (!cuda::Nvrtc::load()) GTEST_SKIP() << cuda::compilers_found()

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

void write_program(const fs::path& file, const std::string& text)
{
    write(file, text);
    fs::permissions(file, fs::perms::owner_all);
}

// Requests for FILE that a textual scan may miss.
const std::vector<std::string> attacks{
    "__device__ int mark = u'\"'; /*\n*/ #include \"FILE\"\n",
    "__device__ int mark = U'\"'; /*\n*/#include \"FILE\"\n",
    "__device__ int mark = L'\"'; /* */ /*\n\n*/ /**/ # /**/ include <FILE>\n",
    "__device__ auto mark = u8'\"'; /*\n*/ #include \"FILE\"\n",
    "__device__ const char* r = R\"(\")\"; /*\n*/ #include \"FILE\"\n",
    "__device__ const char* r = R\"x(\")\" )x\"; /*\n*/ #include \"FILE\"\n",
    "__device__ auto r = u8R\"(\")\"; /*\n*/ #include \"FILE\"\n",
    "__device__ auto r = LR\"-(/*)-\";\n#include \"FILE\"\n",
    "__device__ const char* r = R\"(\n)\"; /* \" */\n#include \"FILE\"\n",
    "__device__ int n = 1'0 + '\"'; /*\n*/ #include \"FILE\"\n",
    "#define C2(a, b) a##b\n#define C(a, b) C2(a, b)\n#if C(__has_, include)(\"FILE\")\n#error "
    "EXISTS\n#endif\n",
    "#define C2(a, b) a%:%:b\n#define C(a, b) C2(a, b)\n#if C(__has, _include)(<FILE>)\n#error "
    "EXISTS\n#endif\n",
    "#define C3(a, b, c) a##b##c\n#define Q C3(__h, as_inc, lude)(\"FILE\")\n#if Q\n#error "
    "EXISTS\n#endif\n",
    "#define C2(a, b) a##b\n#define C(a, b) C2(a, b)\n#if C(__has_include, "
    "_next)(\"FILE\")\n#error "
    "EXISTS\n#endif\n",
    "#define Q __has_include\n#if Q(\"FILE\")\n#error EXISTS\n#endif\n",
    "#if __has_\\\ninclude(\"FILE\")\n#error EXISTS\n#endif\n",
    "#include <cuda/std/version>\n#if _CCCL_HAS_INCLUDE(\"FILE\")\n#error EXISTS\n#endif\n",
    "#define F \"FILE\"\n#include F\n",
    "#define S(x) #x\n#include S(FILE)\n",
    "#/*\n*/include \"FILE\"\n",
    "#include /*\n*/ \"FILE\"\n",
    "# \\\n include \"FILE\"\n",
    "%:include \"FILE\"\n",
    "%\\\n:include \"FILE\"\n",
    "#inc\\ \nlude \"FILE\"\n",
    "#include_next \"FILE\"\n",
    "#import \"FILE\"\n",
    "#embed \"FILE\"\n",
    "#line 1 \"FILE\"\n#error\n",
    "# 1 \"FILE\" 1\nbroken\n",
    "#pragma GCC dependency \"FILE\"\n",
    "\v\f#include \"FILE\"\n",
    "int a;\r#include \"FILE\"\n",
    "#if 0\n#else\n#include \"FILE\"\n#endif\n",
};

std::string aimed(std::string text, const std::string& file)
{
    for (std::size_t at; (at = text.find("FILE")) != text.npos;) text.replace(at, 4, file);
    return text + std::string(kernel);
}

constexpr std::string_view record =
    R"({"title": "T", "question": "Q", "buffers": {"o": {"type": "i32", "extent": 32, "fill": 0}},
"over": 32, "block": 32, "arguments": ["o"], "result": "o",
"variants": [{"id": "one", "title": "One", "idea": "I", "kernel": "k", "file": "kernel.cu"}],
"views": [{"bars": "o", "draw": "elements"}], "check": {"variant": "one"}})";

struct Scene {
    Folder all;
    fs::path own = all / "own", file = own / "kernel.cu", secret_file = all / "other" / "secret.h";
    Scene()
    {
        write(secret_file, secret);
        write(own / "lab.json", record);
    }
};

void expect_refused(const std::vector<std::string>& command, const std::string& attack,
                    const std::string& path)
{
    const Outcome outcome = run_program(command);
    const std::string all = outcome.output + outcome.errors;
    EXPECT_EQ(outcome.status, 2) << command.front() << " of\n" << attack << all;
    EXPECT_THAT(all, Not(HasSubstr(secret))) << command.front() << " of\n" << attack;
    EXPECT_THAT(all, Not(HasSubstr("EXISTS"))) << command.front() << " of\n" << attack;
    if (attack.find("define F ") == attack.npos && attack.find("S(x)") == attack.npos &&
        attack.find("define Q __") == attack.npos) {
        EXPECT_THAT(all, HasSubstr(path)) << command.front() << " of\n" << attack;
    }
}

void try_all(const Scene& scene)
{
    const std::string path = scene.secret_file.string();
    for (const std::string& attack : attacks) {
        write(scene.file, aimed(attack, path));
        expect_refused({"emulate", scene.file.string(), "--arg", "i32[32]:zero"}, attack, path);
        expect_refused({"run", scene.file.string()}, attack, path);
        expect_refused({"run", scene.own.string()}, attack, path);
    }
}

TEST(UntrustedKernel, CannotIncludeFilesOutsideFolder)
{
    NEEDS_NVRTC();
    try_all(Scene());
}

// Without the sandbox, the scan for includes must refuse them.
TEST(UntrustedKernel, CannotIncludeFilesOutsideFolderWithoutLandlock)
{
    NEEDS_NVRTC();
    std::vector<long> calls = landlock_calls();
    calls.push_back(file_view_calls().front());
    without_calls(calls, [] { try_all(Scene()); });
}

TEST(UntrustedKernel, AllCommandsRejectIt)
{
    NEEDS_NVRTC();
    const Scene scene;
    const std::string path = scene.secret_file.string(), file = scene.file.string();
    write(scene.file, aimed(attacks.front(), path));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"trace", file},
          {"shot", file, "-o", (scene.all / "x.png").string()},
          {"step", file},
          {"why", file, "--at", "0,0"},
          {"check-lab", scene.own.string()},
          {"trace", scene.own.string() + "/one"},
          {"emulate", file}})
        expect_refused(command, attacks.front(), path);
}

TEST(UntrustedKernel, LinksOutOfItsFolderAreNotFollowed)
{
    NEEDS_NVRTC();
    const Scene scene;
    fs::create_symlink(scene.secret_file, scene.own / "linked.h");
    fs::create_directory_symlink(scene.all / "other", scene.own / "folder");
    fs::create_symlink("linked.h", scene.own / "twice.h");
    for (const char* name : {"linked.h", "folder/secret.h", "twice.h", "./linked.h"}) {
        write(scene.file, fmt::format("#include \"{}\"\n{}", name, kernel));
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"emulate", scene.file.string(), "--arg", "i32[32]:zero"},
              {"run", scene.file.string()},
              {"run", scene.own.string()}}) {
            const Outcome outcome = run_program(command);
            EXPECT_EQ(outcome.status, 2) << command.front() << " " << name << outcome.errors;
            EXPECT_THAT(outcome.errors, HasSubstr(std::string(name).substr(0, 5)));
            EXPECT_THAT(outcome.errors + outcome.output, Not(HasSubstr(secret)));
        }
    }
    write(scene.own / "real.h", "#define VALUE 1\n");
    fs::create_symlink("real.h", scene.own / "inside.h");
    write(scene.file, "#include \"inside.h\"\n__global__ void k(int* o) { *o = VALUE; }\n");
    const Outcome outcome = run_program({"emulate", scene.file.string(), "--arg", "i32[32]:zero"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

TEST(UntrustedKernel, CanIncludeFilesOfNamedFolder)
{
    NEEDS_NVRTC();
    const Scene scene;
    write(scene.all / "common" / "book.h", "#define VALUE 1\n");
    write(scene.file, "#include \"../common/book.h\"\n__global__ void k(int* o) { *o = VALUE; }\n");
    const std::vector<std::string> command{"emulate", scene.file.string(), "--arg", "i32[32]:zero"};
    EXPECT_EQ(run_program(command).status, 2);
    std::vector<std::string> named = command;
    named.insert(named.end(), {"-I", (scene.all / "common").string()});
    const Outcome outcome = run_program(named);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

TEST(UntrustedKernel, NameIsNeitherOptionNorSource)
{
    NEEDS_NVRTC();
    const Folder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    for (const std::string name :
         {"-Ifoo.cu", "--pre-include=secret.cu", "-.cu", "--help.cu", "a\"b.cu", "a'b.cu",
          "a\nb.cu", "a\\b.cu", "$(touch stolen).cu", "@x.cu", "a b.cu", "a\n#error x\n.cu"}) {
        write(folder / name, kernel);
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"emulate", (folder / name).string(), "--arg",
                                       "i32[32]:zero"},
              {"emulate", "./" + name, "--arg", "i32[32]:zero"},
              {"run", "./" + name}}) {
            const Outcome outcome = run_program(command);
            const bool no_lab = command.front() == "run" && name.find('\\') != name.npos;
            EXPECT_EQ(outcome.status, no_lab ? 2 : 0) << name << ": " << outcome.errors;
        }
    }
    EXPECT_FALSE(fs::exists("stolen"));
    fs::current_path(before);
}

TEST(UntrustedKernel, EmulateAppliesCompilerLimits)
{
    NEEDS_NVRTC();
    const Folder folder;
    write(folder / "bomb.cu",
          "template <int N, int M> struct A { static const int v = A<N - 1, 2 * M>::v + A<N - 1, 2 "
          "* M + 1>::v; }; template <int M> struct A<0, M> { static const int v = 1; };\n"
          "__device__ int q = A<30, 1>::v;\n");
    const Outcome outcome = run_program({"emulate", (folder / "bomb.cu").string()});
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_THAT(outcome.errors, AnyOf(HasSubstr("did not finish within 20 s"),
                                      HasSubstr("crashed the compiler"), HasSubstr("memory")));
}

// Each of these lines might start a directive that continues to the end of the text.
TEST(UntrustedKernel, JoinedLinesTakeLinearTime)
{
    NEEDS_NVRTC();
    for (const char* line : {"\\\n", "e\\\n", "import/*\n", "\\ \n", "\?\?/\n"}) {
        std::string text;
        while (text.size() < 600'000) text += line;
        const Folder folder;
        write(folder / "joined.cu", text + "\n__global__ void k(int* o) { *o = 1; }\n");
        const Outcome outcome = run_program({"emulate", (folder / "joined.cu").string()});
        EXPECT_EQ(outcome.status, 2) << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr("that each span many directives")) << line;
    }
}

TEST(UntrustedFolder, SlideCommandRunsNoneOfItsFiles)
{
    if (!is_installed("python3")) GTEST_SKIP() << "There is no Python.";
    const Folder folder;
    const Outcome drawn = run_program(
        {"shot", "vector_add", "-o", (folder / "one.png").string(), "--size", "320x180"});
    if (drawn.status == 4) GTEST_SKIP() << drawn.errors;
    ASSERT_EQ(drawn.status, 0) << drawn.errors;
    const std::string takes =
        fmt::format("open({:?}, 'w').write('taken')\n", (folder / "taken").string());
    for (const char* module :
         {"lanescope/__init__.py", "lanescope/slides.py", "lanescope/__main__.py", "json.py",
          "zlib.py", "argparse.py", "struct.py", "sitecustomize.py", "usercustomize.py",
          "encodings/__init__.py", "runpy.py", "pathlib.py", "site.py", "os.py"})
        write(folder / module, takes);
    const std::string script = fmt::format("#!/bin/sh\ntouch '{}'\n", (folder / "taken").string());
    for (const char* program : {"python3", "python", "ffmpeg", "lanescope_", "sh", "cc"})
        write_program(folder / program, script);
    const char* path = std::getenv("PATH");
    const std::string here = folder.path().string();
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    for (const Environment& environment :
         {Environment{}, Environment{{"PATH", std::string(".:") + path}},
          Environment{{"PATH", std::string(":") + path}}, Environment{{"PYTHONPATH", "."}},
          Environment{{"PYTHONPATH", here}}, Environment{{"PYTHONSTARTUP", here + "/json.py"}},
          Environment{{"PYTHONHOME", here}}, Environment{{"PYTHONUSERBASE", here}},
          Environment{{"PYTHONINSPECT", "1"}}, Environment{{"PYTHONPLATLIBDIR", "."}},
          Environment{{"LD_LIBRARY_PATH", ":."}}}) {
        const Outcome outcome = run_program({"slide", "one.png", "-o", "talk.md"}, environment);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_FALSE(fs::exists("taken"));
        EXPECT_THAT(read_file("talk.md"), HasSubstr("## "));
        for (const char* made : {"talk.md", "talk_1.png", "talk_1.svg"}) {
            EXPECT_TRUE(fs::exists(made)) << made;
            fs::remove(made);
        }
    }
    fs::current_path(before);
}

TEST(Doctor, ReportsActiveSandbox)
{
    const auto walls = [] {
        return nlohmann::json::parse(run_program({"doctor", "--json"}).output).at("walls");
    };
    const KnownWalls here = known_walls();
    EXPECT_EQ(walls().at("landlock_version"), here.landlock_version);
    EXPECT_EQ(walls().at("complete"), here.landlock_version > 0 && here.seccomp);
    without_calls(landlock_calls(), [&] {
        const nlohmann::json none = walls();
        EXPECT_EQ(none.at("landlock_version"), 0);
        EXPECT_EQ(none.at("complete"), false);
        EXPECT_THAT(none.at("missing"), HasSubstr("Linux 5.13"));
        const Outcome words = run_program({"doctor"});
        EXPECT_THAT(words.output, HasSubstr("Landlock is not available"));
    });
}

} // namespace
} // namespace lanescope::test
