// The user's own kernels and labs with every command, as a lecturer would use them.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope {
namespace {

using test::Folder;
using test::run_program;
using testing::HasSubstr;

const std::string tutorials = LANESCOPE_SOURCE_DIR "/tests/unit/guess/tutorials/";

void write(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file) << text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return text;
}

TEST(KernelFile, EveryCommandAcceptsFile)
{
    const Folder folder;
    const std::string transpose = tutorials + "transpose.cu";
    const auto list = run_program({"list", transpose, "--json"});
    ASSERT_EQ(list.status, 0) << list.errors;
    const auto lab = nlohmann::json::parse(list.output)["labs"][0];
    EXPECT_EQ(lab["id"], "transpose");
    EXPECT_EQ(lab["variants"].size(), 2U);

    const auto run = run_program({"run", transpose, "--steps", "2", "--set", "width=33", "--json"});
    ASSERT_EQ(run.status, 0) << run.errors;
    const auto runs = nlohmann::json::parse(run.output)["runs"];
    EXPECT_EQ(runs[0]["message"], "no reference");
    EXPECT_EQ(runs[1]["correct"], true);
    EXPECT_FALSE(runs[1].contains("message"));

    const auto trace =
        run_program({"trace", transpose + "/transposeCoalesced", "--set", "width=64"});
    ASSERT_EQ(trace.status, 0) << trace.errors;
    EXPECT_THAT(trace.output, HasSubstr("tile["));

    const auto shot = run_program({"shot", transpose, "-o", (folder / "a.png").string(), "--size",
                                   "320x180", "--frame", "1"});
    ASSERT_EQ(shot.status, 0) << shot.errors;
    // The picture contains the kernel: drawing it again from the picture alone gives the same
    // bytes.
    const auto again = run_program(
        {"shot", "--session", (folder / "a.png").string(), "-o", (folder / "b.png").string()});
    ASSERT_EQ(again.status, 0) << again.errors;
    EXPECT_EQ(test::read_file(folder / "a.png"), test::read_file(folder / "b.png"));

    const auto sweep = run_program({"sweep", transpose + "/transposeNaive"});
    EXPECT_EQ(sweep.status, 0) << sweep.errors;
    const auto bench = run_program({"bench", transpose, "--device", "cuda"});
    EXPECT_EQ(bench.status, 4) << bench.errors;
    const auto record = run_program({"list", transpose, "--record"});
    EXPECT_TRUE(nlohmann::json::accept(record.output)) << record.output;
}

TEST(KernelFile, CompileErrorsHaveLines)
{
    const Folder folder;
    write(folder / "bad.cu", "__global__ void bad(float* a)\n{\n    a[0] = nonsense;\n}\n");
    const auto run = run_program({"run", (folder / "bad.cu").string()});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.errors, HasSubstr("bad.cu(3)"));
    write(folder / "none.cu", "template <class T> __global__ void scale(T* a) { a[0] = 1; }\n");
    const auto none = run_program({"run", (folder / "none.cu").string()});
    EXPECT_EQ(none.status, 3);
    EXPECT_THAT(none.errors, HasSubstr("template __global__ void scale<float>(float*);"));
}

TEST(KernelFile, HeadersComeFromItsFolder)
{
    const Folder folder;
    write(folder / "factor.h", "#pragma once\n#define FACTOR 3.0f\n");
    const std::string text =
        "#include \"factor.h\"\n__global__ void scale(const float* a, float* b, int n)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) b[i] = FACTOR * "
        "a[i];\n}\n";
    write(folder / "scale.cu", text);
    const auto run = run_program({"run", (folder / "scale.cu").string(), "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
    write(folder / "leaves.cu", replaced(text, "factor.h", "../../etc/passwd"));
    const auto leaves = run_program({"run", (folder / "leaves.cu").string()});
    EXPECT_EQ(leaves.status, 2);
    EXPECT_THAT(
        leaves.errors,
        HasSubstr("line 1: the text includes \"../../etc/passwd\", which is outside its folder"));
}

TEST(OwnLab, IsCreatedEditedAndCheckedWithoutCpp)
{
    const Folder folder;
    const std::string lab = (folder / "ladder").string();
    const auto begun = run_program({"new-lab", lab});
    ASSERT_EQ(begun.status, 0) << begun.errors;
    const auto again = run_program({"new-lab", lab});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.errors, HasSubstr("nothing is overwritten"));

    const auto checked = run_program({"check-lab", lab, "--json"});
    ASSERT_EQ(checked.status, 0) << checked.output << checked.errors;
    const auto report = nlohmann::json::parse(checked.output);
    EXPECT_EQ(report["runs"].size(), 6U);
    EXPECT_EQ(report["missing"], nlohmann::json::array());

    // The lecturer adds a third rung: four pixels per thread.
    write(folder / "ladder/four.cu",
          "// Four: a thread goes along its row and keeps what it loaded.\n"
          "extern \"C\" __global__ void blur_four(const float* from, float* to, int size, float "
          "strength)\n{\n"
          "    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
          "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n    if (y >= size) return;\n"
          "    for (int x = first; x < min(first + 4, size); ++x) {\n"
          "        float here = from[y * size + x];\n"
          "        float sum = from[y * size + max(x - 1, 0)] + here + from[y * size + min(x + 1, "
          "size - 1)];\n"
          "        to[y * size + x] = here + strength * (sum / 3 - here);\n    }\n}\n");
    const std::string record = test::read_file(folder / "ladder/lab.json");
    write(folder / "ladder/lab.json",
          replaced(replaced(record, "\"variants\": [\n",
                            "\"variants\": [\n    {\"id\": \"four\", \"title\": \"Four\", "
                            "\"idea\": \"Four pixels a thread.\", "
                            "\"kernel\": \"blur_four\", \"tile\": [128, 8]},\n"),
                   "\"Blur\"", "\"Blur ladder\""));
    write(folder / "ladder/lesson.md",
          "# Blur ladder\n\nThree rungs. **Predict** which one loads least.\n");

    for (const std::string variant : {"naive", "shared", "four"}) {
        const std::string target = lab + "/" + variant;
        const auto run = run_program({"run", target, "--steps", "1", "--set", "size=65"});
        EXPECT_EQ(run.status, 0) << run.output << run.errors;
        const auto trace = run_program({"trace", target, "--set", "size=64", "--json"});
        EXPECT_EQ(trace.status, 0) << trace.errors;
        const auto shot =
            run_program({"shot", target, "-o", (folder / (variant + ".png")).string(), "--size",
                         "320x180", "--frame", "1", "--map", "sector_excess"});
        EXPECT_EQ(shot.status, 0) << shot.errors;
    }
    const auto sweep = run_program({"sweep", lab, "--csv"});
    EXPECT_EQ(sweep.status, 0) << sweep.errors;
    const auto bench = run_program({"bench", lab});
    EXPECT_EQ(bench.status, 4);
    EXPECT_THAT(bench.errors, HasSubstr("GPU"));
    const auto full = run_program({"check-lab", lab, "--json"});
    EXPECT_EQ(full.status, 0) << full.output;
    EXPECT_EQ(nlohmann::json::parse(full.output)["runs"].size(), 9U);

    // check-lab finds a rung with a wrong result, and names a missing file.
    write(folder / "ladder/four.cu",
          replaced(test::read_file(folder / "ladder/four.cu"), "sum / 3", "sum / 2"));
    std::filesystem::remove(folder / "ladder/beats.txt");
    const auto wrong = run_program({"check-lab", lab + "/four"});
    EXPECT_EQ(wrong.status, 1) << wrong.output;
    EXPECT_THAT(wrong.output, HasSubstr("the reference says"));
    EXPECT_THAT(wrong.output, HasSubstr("Missing: beats.txt"));
}

// tests/programs.py builds and runs the program of Waves.
TEST(OwnLab, HostProgramIsSavedWithItsKernels)
{
    const Folder folder;
    const std::string saved = (folder / "saved").string();
    const auto done = run_program({"new-lab", "--program", "waves", saved});
    ASSERT_EQ(done.status, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("lanescope program " + saved + "/program.cu"));
    EXPECT_THAT(test::read_file(folder / "saved/program.cu"), HasSubstr("int main("));
    EXPECT_EQ(test::read_file(folder / "saved/one_store.cu"),
              test::read_file(LANESCOPE_SOURCE_DIR "/compute/labs/waves/one_store.cu"));
    EXPECT_THAT(test::read_file(folder / "saved/CMakeLists.txt"),
                HasSubstr("add_executable(waves program.cu)"));
    EXPECT_EQ(run_program({"new-lab", "--program", "waves", saved}).status, 2);

    const auto none = run_program({"new-lab", "--program", "heat", (folder / "none").string()});
    EXPECT_EQ(none.status, 3);
    EXPECT_THAT(none.errors, HasSubstr("The lab heat has no host program"));
    EXPECT_THAT(none.errors, HasSubstr("waves"));
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));

    // Labs from elsewhere may have one, too, and it includes only files of its lab.
    ASSERT_EQ(run_program({"new-lab", (folder / "my blur").string()}).status, 0);
    write(folder / "my blur/program.cu", "#include \"naive.cu\"\nint main() {}\n");
    const auto own = run_program(
        {"new-lab", "--program", (folder / "my blur").string(), (folder / "own").string()});
    ASSERT_EQ(own.status, 0) << own.errors;
    EXPECT_TRUE(std::filesystem::exists(folder / "own/naive.cu"));
    EXPECT_THAT(test::read_file(folder / "own/CMakeLists.txt"), HasSubstr("project(my_blur "));
    write(folder / "my blur/program.cu", "#include \"../secret\"\nint main() {}\n");
    const auto outside = run_program(
        {"new-lab", "--program", (folder / "my blur").string(), (folder / "bad").string()});
    EXPECT_EQ(outside.status, 2) << outside.output;
}

TEST(OwnLab, KernelIsCheckedAgainstFirstVariant)
{
    const auto checked = run_program({"check-lab", tutorials + "transpose.cu"});
    EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
    EXPECT_THAT(checked.output, HasSubstr("no reference"));
    EXPECT_THAT(checked.output, HasSubstr("Missing: lesson.md"));
    EXPECT_THAT(checked.output, HasSubstr("on simt assumed: "));
    const auto document = nlohmann::json::parse(
        run_program({"check-lab", tutorials + "transpose.cu", "--json"}).output, nullptr, false);
    ASSERT_TRUE(document.is_object());
    for (const auto& run : document["runs"])
        EXPECT_THAT(run.value("assumed", ""), HasSubstr("blocks of")) << run;
}

// Only the checks notice a missing barrier.
TEST(OwnLab, VariantThatShowsARaceIsChecked)
{
    const auto checked = run_program({"check-lab", "faults/missing_barrier"});
    EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
    EXPECT_THAT(checked.output, HasSubstr("fault, as intended"));
}

// Every command stops at an endless loop, with or without validation, also from a session.
TEST(KernelFile, EveryCommandStopsEndlessKernel)
{
    const Folder folder;
    const auto at = [&](const char* name) { return (folder / name).string(); };
    const std::string kernel = at("endless.cu");
    write(kernel, R"(__global__ void endless(float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i + 1;
    while (state != 0) state = state * 1664525u + (state | 1u);
    if (i < n) out[i] = state;
}
)");
    const std::string picture = at("a.png");
    ASSERT_EQ(run_program({"shot", kernel, "-o", picture, "--size", "320x180", "--frame", "0",
                           "--no-validation"})
                  .status,
              0);
    const std::vector<std::vector<std::string>> commands{
        {"run", kernel, "--steps", "1"},
        {"trace", kernel},
        {"shot", kernel, "-o", at("b.png"), "--size", "320x180"},
        {"shot", "--session", picture, "-o", at("c.png"), "--size", "320x180", "--frame", "1"},
        {"record", "--session", picture, "-o", at("%05d.png"), "--size", "320x180", "--seconds",
         "1"}};
    for (const auto& words : commands)
        for (const bool validates : {true, false}) {
            auto all = words;
            all.insert(all.end(), {"--device", "simt", "--time-limit", "0.3"});
            if (!validates) all.emplace_back("--no-validation");
            const auto outcome = run_program(all);
            EXPECT_NE(outcome.status, 0) << words[0];
            EXPECT_THAT(outcome.output + outcome.errors,
                        testing::AnyOf(HasSubstr("was stopped after 0.3 s"),
                                       HasSubstr("loops or waits forever")))
                << words[0] << (validates ? "" : " --no-validation");
        }
}

// If a problem may be due to the guessed launch, the message says so instead of blaming the kernel.
TEST(KernelFile, UncertainGuessIsMarked)
{
    const Folder folder;
    const std::string silent = (folder / "silent.cu").string();
    write(silent, "__global__ void late(float* out, int n, int from)\n{\n"
                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    if (i < n && from > 1000000) out[i] = 1.0f;\n}\n");
    const auto run = run_program({"run", silent, "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("Nothing was written"));
    EXPECT_THAT(run.errors, HasSubstr("The guess may be wrong."));
    // The indices that an array contains are guessed, too.
    const std::string search = (folder / "search.cu").string();
    write(search,
          "__global__ void bfs(const int* rows, const int* edges, int* level, int vertices,\n"
          "                    int current, int* changed)\n{\n"
          "    int v = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "    if (v >= vertices || level[v] != current) return;\n"
          "    for (int e = rows[v]; e < rows[v + 1]; e++) {\n"
          "        int to = edges[e];\n"
          "        if (level[to] < 0) {\n            atomicExch(&level[to], current + 1);\n"
          "            *changed = 1;\n        }\n    }\n}\n");
    const auto bfs = run_program({"run", search, "--steps", "1"});
    EXPECT_EQ(bfs.status, 2) << bfs.errors;
    EXPECT_THAT(bfs.errors, HasSubstr("the guess may be wrong"));
}

// Sizes come from the allocation and the launch in main(): two elements per thread, 8 blocks.
TEST(KernelFile, SizesInMainAreUsed)
{
    const Folder folder;
    write(folder / "twice.cu", "__global__ void twice(float* d)\n{\n"
                               "    int i = blockIdx.x * 512 + threadIdx.x;\n"
                               "    d[i] *= 2;\n    d[i + 256] *= 2;\n}\n"
                               "int main()\n{\n    float* d;\n"
                               "    cudaMalloc(&d, 4096 * sizeof(float));\n"
                               "    twice<<<8, 256>>>(d);\n}\n");
    const auto run = run_program({"run", (folder / "twice.cu").string(), "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("8 blocks of 256"));
    // The size is known from main(), so a store past it is a fault.
    write(folder / "past.cu", "__global__ void past(float* d)\n{\n"
                              "    int i = blockIdx.x * 256 + threadIdx.x;\n"
                              "    d[i + 1] = 2;\n}\n"
                              "int main()\n{\n    float* d;\n"
                              "    cudaMalloc(&d, 2048 * sizeof(float));\n"
                              "    past<<<8, 256>>>(d);\n}\n");
    EXPECT_EQ(run_program({"run", (folder / "past.cu").string(), "--steps", "1"}).status, 5);
}

// Without a reference, no result counts as correct.
TEST(KernelFile, NoResultCountsAsCorrectWithoutReference)
{
    const Folder folder;
    write(folder / "set.cu", "__global__ void set(float* y, int n)\n{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) y[i] = 42;\n}\n");
    const auto run = run_program({"run", (folder / "set.cu").string(), "--steps", "1", "--json"});
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(nlohmann::json::parse(run.output)["runs"][0]["correct"].is_null());
}

// Plain numbers are converted to the parameter's type, as in C++; a value or buffer with an
// explicit different type is refused.
TEST(KernelFile, ArgumentsHaveTypesOfParameters)
{
    const Folder folder;
    const std::string file = (folder / "saxpy.cu").string();
    write(file, "__global__ void saxpy(int n, float a, const float* x, float* y)\n{\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < n) y[i] = a * x[i] + y[i];\n}\n");
    const auto with = [&](const std::string& n, const std::string& a, const std::string& x) {
        return run_program({"emulate", file, "--arg", n, "--arg", a, "--arg", x, "--arg",
                            "f32[4]:zero", "--print", "3"});
    };
    const auto converted = with("4", "2", "f32[4]:const:1");
    EXPECT_EQ(converted.status, 0) << converted.errors;
    EXPECT_THAT(converted.output, HasSubstr("2  2  2  2"));
    EXPECT_EQ(with("4.5", "2", "f32[4]:const:1").status, 2);
    EXPECT_EQ(with("4", "i32:2", "f32[4]:const:1").status, 2);
    const auto buffer = with("4", "2.0f", "i32[4]:const:1");
    EXPECT_EQ(buffer.status, 2);
    EXPECT_THAT(buffer.errors, HasSubstr("float const*"));
    // A file contains plain bits, which fit any 4-byte type.
    const std::string bits = (folder / "bits.bin").string();
    write(bits, std::string("\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", 16));
    const auto from_file = with("4", "2", "u32[4]:file:" + bits);
    EXPECT_EQ(from_file.status, 0) << from_file.errors;
    EXPECT_THAT(from_file.output, HasSubstr("2  2  2  2"));
}

// Correct kernels whose launch, sizes or contents must be guessed: they run, or the message says
// that the guess may be wrong (status 2). A mistake that no guess excuses is a fault (status 5).
TEST(KernelFile, GuessIsNotAVerdict)
{
    const std::string index = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
    struct Case {
        const char* name;
        std::string text;
        int status;
    };
    const std::vector<Case> cases{
        {"reverse",
         "__global__ void reverse(int* d, int n)\n{\n    __shared__ int s[64];\n"
         "    int t = threadIdx.x;\n    s[t] = d[t];\n    __syncthreads();\n"
         "    d[t] = s[n - t - 1];\n}\n",
         0},
        {"two_arrays",
         "__global__ void moments(const float* x, float* partial, int n)\n{\n"
         "    __shared__ float a[128], b[128];\n"
         "    int t = threadIdx.x, i = blockIdx.x * 128 + t;\n"
         "    a[t] = i < n ? x[i] : 0.0f;\n    b[t] = a[t] * a[t];\n    __syncthreads();\n"
         "    if (t == 0) {\n        partial[2 * blockIdx.x] = a[0] + a[127];\n"
         "        partial[2 * blockIdx.x + 1] = b[0] + b[127];\n    }\n}\n",
         2},
        {"struct_of_pointers",
         "struct Bodies { float *x, *v; };\n"
         "__global__ void move(Bodies b, float dt, int n)\n{\n" +
             index + "    if (i < n) b.x[i] += dt * b.v[i];\n}\n",
         2},
        {"pointers",
         "__global__ void scale(float** rows, int n)\n{\n" + index +
             "    if (i < n) rows[blockIdx.y][i] *= 2;\n}\n",
         2},
        {"pitch_in_bytes",
         "__global__ void twice(float* a, size_t pitch, int width, int height)\n{\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    if (x < width && y < height) ((float*)((char*)a + y * pitch))[x] *= 2;\n}\n",
         0},
        {"scatter",
         "__global__ void scatter(const int* in, const int* to, int* out, int n)\n{\n" + index +
             "    if (i < n) out[to[i] / 2] = in[i];\n}\n",
         2},
        {"flat_tile",
         "#define TILE 16\n__global__ void product(int M, int N, int K, const float* A, "
         "const float* B, float* C)\n{\n"
         "    int row = blockIdx.x * TILE + threadIdx.x / TILE;\n"
         "    int column = blockIdx.y * TILE + threadIdx.x % TILE;\n"
         "    float sum = 0;\n"
         "    if (row < M && column < N) {\n"
         "        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];\n"
         "        C[row * N + column] = sum + C[row * N + column];\n    }\n}\n",
         0},
        {"offset_pointer",
         "__global__ void smooth(const float* in, float* out)\n{\n" + index +
             "    out[i] = in[i - 1] + in[i] + in[i + 1];\n}\n"
             "int main()\n{\n    float *in, *out;\n"
             "    cudaMalloc(&in, 514 * sizeof(float));\n"
             "    cudaMalloc(&out, 512 * sizeof(float));\n"
             "    smooth<<<2, 256>>>(in + 1, out);\n}\n",
         2},
        {"only_prints",
         "#include <cstdio>\n__global__ void hello()\n{\n"
         "    printf(\"%d %d %d\\n\", threadIdx.x, threadIdx.y, blockIdx.z);\n}\n"
         "int main() { hello<<<2, 3>>>(); }\n",
         0},
        {"one_past_the_end",
         "__global__ void twice(float* a, int n)\n{\n" + index + "    if (i <= n) a[i] *= 2;\n}\n",
         2},
        {"one_before_the_start",
         "__global__ void shift(const float* in, float* out, int n)\n{\n" + index +
             "    if (i < n) out[i] = in[i - 1];\n}\n",
         5},
        {"misaligned_in_shared",
         "__global__ void copy(const int* to, float* out, int n)\n{\n"
         "    __shared__ float s[1028];\n" +
             index +
             "    s[threadIdx.x] = 1;\n    __syncthreads();\n"
             "    float4 four = *(float4*)(s + 1);\n"
             "    if (i < n) out[to[i] / 2] = four.x + four.y + four.z + four.w;\n}\n",
         5},
        {"histogram_without_atomics",
         "__global__ void count(const int* values, int* bins, int n)\n{\n" + index +
             "    if (i < n) bins[values[i] & 7]++;\n}\n",
         5},
        {"no_barrier",
         "__global__ void mirror(int* d, int n)\n{\n    __shared__ int s[64];\n"
         "    int t = threadIdx.x;\n    s[t] = d[t];\n    d[t] = s[n - t - 1];\n}\n",
         5},
    };
    const Folder folder;
    for (const Case& one : cases) {
        const auto file = folder / (std::string(one.name) + ".cu");
        write(file, one.text);
        const auto run = run_program({"run", file.string(), "--steps", "1"});
        EXPECT_EQ(run.status, one.status) << one.name << ": " << run.errors;
        EXPECT_EQ(run.errors.find("the guess may be wrong") != std::string::npos, one.status == 2)
            << one.name << ": " << run.errors;
        const auto checked = run_program({"check-lab", file.string()});
        EXPECT_EQ(checked.status, one.status == 5 ? 1 : one.status) << one.name;
    }
}

// nvcc predefines these constants in every file, but a file may also define its own.
TEST(KernelFile, ConstantsFromHeadersNeedNoInclude)
{
    const Folder folder;
    const auto file = folder / "constants.cu";
    write(file, "#define M_E 3.0\n"
                "__global__ void k(double* o, int n)\n{\n"
                "    double all = M_PI + M_E + INT_MAX + UINT_MAX + (isnan(NAN) ? 1 : 0);\n"
                "    if (threadIdx.x < n) o[threadIdx.x] = fmin((double)INFINITY, all);\n}\n");
    const auto run = run_program({"emulate", file.string(), "--arg", "f64[1]:zero", "--arg", "1",
                                  "--block", "32", "--print", "0"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("6442450949.14"));
    const auto own = run_program({"emulate", file.string(), "-DINT_MAX=1", "-DUINT_MAX=2", "--arg",
                                  "f64[1]:zero", "--arg", "1", "--block", "32", "--print", "0"});
    EXPECT_THAT(own.output, HasSubstr("10.14159"));
}

// A tiled product without bounds checks needs whole tiles, and the guessed size must be a multiple.
TEST(KernelFile, TiledProductWithoutGuardIsCorrect)
{
    const Folder folder;
    const auto file = folder / "product.cu";
    write(file, "#define TILE 16\n"
                "__global__ void product(const float* A, const float* B, float* C, int N)\n{\n"
                "    __shared__ float a[TILE][TILE], b[TILE][TILE];\n"
                "    int row = blockIdx.y * TILE + threadIdx.y;\n"
                "    int column = blockIdx.x * TILE + threadIdx.x;\n    float sum = 0;\n"
                "    for (int t = 0; t < N / TILE; ++t) {\n"
                "        a[threadIdx.y][threadIdx.x] = A[row * N + t * TILE + threadIdx.x];\n"
                "        b[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + column];\n"
                "        __syncthreads();\n"
                "        for (int k = 0; k < TILE; ++k)\n"
                "            sum += a[threadIdx.y][k] * b[k][threadIdx.x];\n"
                "        __syncthreads();\n    }\n"
                "    C[row * N + column] = sum;\n}\n");
    const auto run = run_program({"run", file.string(), "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
}

nlohmann::json record_of(const std::filesystem::path& file)
{
    return nlohmann::json::parse(run_program({"list", file.string(), "--record"}).output);
}

// main() gives the array sizes, the first value of the loop around the launch, and the row pitch.
TEST(KernelFile, LaunchInMainIsNotGuessed)
{
    const Folder folder;
    write(
        folder / "main.cu",
        "__global__ void k(const double* a, double* b, char* rows, size_t apart, int tall,\n"
        "                  int wide, int round)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= tall) return;\n    for (int j = 0; j < wide; ++j) b[i] += a[i * wide + j];\n"
        "    rows[i * apart] = round;\n}\n"
        "int main()\n{\n    int h = 300, w = 200;\n    size_t bytes = h * w * sizeof(double);\n"
        "    double *a, *b;\n    char* rows;\n    size_t pitch;\n"
        "    cudaMalloc((void**)&a, bytes);\n    cudaMalloc(&b, sizeof(double) * h);\n"
        "    cudaMallocPitch(&rows, &pitch, w * sizeof(float), h);\n"
        "    for (int round = 3; round < 9; ++round)\n"
        "        k<<<(h + 63) / 64, 64>>>(a, b, rows, pitch, h, w, round);\n}\n");
    const auto record = record_of(folder / "main.cu");
    EXPECT_EQ(record["buffers"]["a"]["extent"], nlohmann::json({"wide", "tall"}));
    EXPECT_EQ(record["buffers"]["b"]["extent"], nlohmann::json({"tall"}));
    EXPECT_THAT(record["arguments"][3].get<std::string>(), HasSubstr("ceil_div(wide * 4, 512)"));
    for (const auto& parameter : record["parameters"]) {
        if (parameter["id"] == "round") {
            EXPECT_EQ(parameter["initial"], 3);
        }
    }
    EXPECT_EQ(run_program({"run", (folder / "main.cu").string(), "--steps", "1"}).status, 0);
}

// Two kernels with equal parameters count as variants of one task only if their names suggest it.
TEST(KernelFile, KernelsAreSelectedByName)
{
    const Folder folder;
    const auto both = [&](const std::string& first, const std::string& second) {
        std::string text;
        for (const std::string& name : {first, second})
            text += "__global__ void " + name +
                    "(const float* a, float* b, int n)\n{\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) b[i] = " +
                    (name == first ? "1" : "2") + " * a[i];\n}\n";
        write(folder / "two.cu", text);
        return run_program({"run", (folder / "two.cu").string(), "--steps", "1"}).status;
    };
    EXPECT_EQ(both("addVectors", "scaleVectors"), 0);
    EXPECT_EQ(both("matrixAdd", "matrixScale"), 0);
    EXPECT_EQ(both("scale_naive", "add_naive"), 0);
    EXPECT_EQ(both("scaleNaive", "scaleTiled"), 1);
    EXPECT_EQ(both("reduce0", "reduce1"), 1);
    EXPECT_EQ(both("naive", "tiled"), 1);
}

TEST(KernelFile, SkippedChecksAreNoted)
{
    const std::string saxpy = tutorials + "saxpy.cu";
    for (const char* command : {"run", "trace", "check-lab"}) {
        const auto unchecked = run_program({command, saxpy, "--no-validation"});
        EXPECT_EQ(unchecked.status, 0) << command << unchecked.errors;
        EXPECT_THAT(unchecked.errors, HasSubstr("not checked for races")) << command;
        const auto checked = run_program({command, saxpy});
        EXPECT_THAT(checked.errors, testing::Not(HasSubstr("not checked"))) << command;
    }
}

// Files and folders whose names are Latin-1, which is not valid UTF-8.
TEST(KernelFile, NameMayBeInvalidUtf8)
{
    const Folder folder;
    const auto inner = folder / "h\xfcgel";
    std::filesystem::create_directory(inner);
    const auto file = inner / "h\xf6he.cu";
    std::filesystem::copy_file(tutorials + "saxpy.cu", file);
    for (const char* command : {"run", "trace", "check-lab", "emulate", "list"}) {
        const auto outcome = run_program({command, file.string()});
        EXPECT_EQ(outcome.status, 0) << command << outcome.errors;
        const auto json = run_program({command, file.string(), "--json"});
        EXPECT_TRUE(nlohmann::json::accept(json.output)) << command << json.output;
    }
    const std::string picture = (folder / "a.png").string();
    EXPECT_EQ(run_program({"shot", file.string(), "-o", picture, "--size", "64x64"}).status, 0);
    EXPECT_EQ(run_program({"shot", "--session", picture, "-o", picture}).status, 0);
    write(file, "__global__ void broken(float* a) { a[0] = nosuch; }\n");
    const auto broken = run_program({"run", file.string()});
    EXPECT_EQ(broken.status, 2);
    EXPECT_THAT(broken.errors, HasSubstr("h\xc3\xb6he.cu"));
}

// Every command's message names the missing file and does not look for a lab instead.
TEST(KernelFile, MissingFileIsNamed)
{
    const Folder folder;
    const std::string file = (folder / "nosuch.cu").string();
    for (const char* command : {"run", "trace", "check-lab", "emulate", "list", "sweep", "step",
                                "why", "program", "bench"})
        for (const std::string& name : {file, file + "/kernel"}) {
            if (name != file &&
                (command == std::string("emulate") || command == std::string("program") ||
                 command == std::string("step")))
                continue; // these commands take no variant
            const auto outcome = run_program({command, name});
            EXPECT_EQ(outcome.status, 3) << command << ' ' << outcome.errors;
            EXPECT_THAT(outcome.errors, HasSubstr("There is no file " + file)) << command;
        }
    const auto shot = run_program({"shot", file, "-o", (folder / "a.png").string()});
    EXPECT_EQ(shot.status, 3);
    EXPECT_THAT(shot.errors, HasSubstr("There is no file " + file));
}

// A fault names the kernel and the parameter as in the source, and the line.
TEST(KernelFile, FaultUsesSourceNames)
{
    const Folder folder;
    const std::string kernel = (folder / "names.cu").string();
    write(kernel,
          "struct Pair { float a, b; };\n"
          "template <typename T> __global__ void sums(const Pair* pairs, T* totals, int n)\n"
          "{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "    totals[i] = pairs[i].a + pairs[i].b;\n}\n"
          "template __global__ void sums<float>(const Pair*, float*, int);\n");
    for (const char* command : {"run", "trace", "emulate", "check-lab"}) {
        const auto outcome = run_program({command, kernel});
        const std::string said = outcome.errors + outcome.output;
        EXPECT_THAT(said, HasSubstr("names.cu:5")) << command;
        EXPECT_THAT(said, HasSubstr("pairs")) << command;
        EXPECT_THAT(said, HasSubstr("sums<float>")) << command;
        EXPECT_THAT(said, testing::Not(HasSubstr("_Z"))) << command;
    }
}

TEST(KernelFile, ExcessLocalMemoryIsReportedAtLine)
{
    const Folder folder;
    const std::string kernel = (folder / "large.cu").string();
    write(kernel, "__global__ void large(float* out, int n)\n{\n"
                  "    float all[200000];\n"
                  "    for (int k = 0; k < n; ++k) all[(k * 7919) % 200000] = out[k];\n"
                  "    out[threadIdx.x] = all[(threadIdx.x * 31) % 200000];\n}\n");
    for (const char* command : {"run", "trace", "emulate"}) {
        const auto outcome = run_program({command, kernel});
        EXPECT_NE(outcome.status, 70) << command;
        EXPECT_NE(outcome.status, 0) << command;
        EXPECT_THAT(outcome.errors, HasSubstr("524288 bytes")) << command;
        EXPECT_THAT(outcome.errors, HasSubstr("800000")) << command;
    }
}

} // namespace
} // namespace lanescope
