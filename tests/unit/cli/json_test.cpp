// --json prints only JSON, for every command that has the option and for every error; compile
// options mean the same wherever a kernel is accepted.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

void write(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file) << text;
}

// Names of the commands whose help text matches. They come from --help, so that none is forgotten.
std::vector<std::string> commands_that(const std::function<bool(const std::string&)>& have)
{
    const std::string help = run_program({"--help"}).output;
    std::istringstream lines(help.substr(help.find("Subcommands:")));
    std::string line;
    std::getline(lines, line);
    std::vector<std::string> commands;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string command;
        if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && words >> command &&
            have(run_program({command, "--help"}).output))
            commands.push_back(command);
    }
    return commands;
}

bool has(const std::string& help, const std::string& words)
{
    return help.find(words) != std::string::npos;
}

std::vector<std::string> commands_with_json()
{
    return commands_that([](const std::string& help) { return has(help, "--json"); });
}

class Json : public testing::Test {
protected:
    Json()
    {
        write(folder_ / "printing.cu", "#include <cstdio>\n__global__ void k(float* out, int n) {\n"
                                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "  if (i == 0) printf(\"{ said by the kernel \\xff\\n\");\n"
                                       "  if (i < n) out[i] = i;\n}\n");
        write(folder_ / "broken.cu", "__global__ void k(float* out) { out[0] = nosuch; }\n");
        write(folder_ / "fault.cu",
              "__global__ void k(float* out, int n) {\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i + 1] = i;\n}\n");
    }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }

    Folder folder_;
};

// Commands that open a kernel file but lack --json must be those that write a file.
TEST_F(Json, IsAvailableForEveryKernelCommand)
{
    const auto commands = commands_that([](const std::string& help) {
        return (has(help, ".cu") || has(help, "FILE")) && !has(help, "--json");
    });
    for (const std::string& command : commands) {
        const Outcome outcome = run_program({command, file("printing.cu")});
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_TRUE(has(outcome.errors, "--output")) << command << ": " << outcome.errors;
    }
}

TEST_F(Json, IsTheOnlyOutputOfAnyCommand)
{
    const std::vector<std::string> commands = commands_with_json();
    EXPECT_GE(commands.size(), 10u);
    for (const std::string& command : commands)
        for (const std::string& argument :
             {file("printing.cu"), file("nosuch.cu"), std::string("--nosuch"), file("broken.cu"),
              file("fault.cu"), std::string("nosuch\xff")}) {
            const Outcome outcome = run_program({command, argument, "--json"});
            const json document = json::parse(outcome.output, nullptr, false);
            EXPECT_TRUE(document.is_structured())
                << command << ' ' << argument << ": " << outcome.output.substr(0, 300);
            if (document.is_object() && document.contains("error")) {
                EXPECT_EQ(document.at("status"), outcome.status) << command << ' ' << argument;
            }
        }
}

TEST_F(Json, SendsKernelOutputToStandardError)
{
    for (const char* command : {"run", "trace", "check-lab"}) {
        const Outcome outcome = run_program({command, file("printing.cu"), "--json"});
        EXPECT_EQ(outcome.status, 0) << command << outcome.errors;
        EXPECT_NE(outcome.errors.find("said by the kernel"), std::string::npos) << command;
    }
    const Outcome emulated = run_program({"emulate", file("printing.cu"), "--json"});
    EXPECT_NE(json::parse(emulated.output).at("printf").get<std::string>().find("said by"),
              std::string::npos);
}

TEST_F(Json, DoesNotApplyToHelp)
{
    const Outcome outcome = run_program({"run", "--json", "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.output.find("--json"), std::string::npos);
}

TEST_F(Json, FullDiskIsReported)
{
    const std::string call =
        program_under_test() + " list --json > /dev/full 2> " + (folder_ / "errors").string();
    EXPECT_NE(std::system(call.c_str()), 0);
    EXPECT_NE(read_file(folder_ / "errors").find("Cannot write the output"), std::string::npos);
}

TEST_F(Json, CompilesKernelWithOptions)
{
    std::filesystem::create_directory(folder_ / "headers");
    write(folder_ / "headers/factor.h", "#define BASE 2\n");
    write(folder_ / "needs.cu",
          "#include \"factor.h\"\n#if __CUDA_ARCH__ < 800\n#error newer\n#endif\n"
          "__global__ void k(float* out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) out[i] = BASE * FACTOR;\n}\n");
    const std::vector<std::string> needed{"-I",       file("headers"), "-D",
                                          "FACTOR=3", "--arch",        "sm_80"};
    for (const char* command : {"list", "run", "trace", "check-lab", "emulate", "bench", "sweep"}) {
        EXPECT_EQ(run_program({command, file("needs.cu")}).status, 2) << command;
        std::vector<std::string> arguments{command, file("needs.cu")};
        arguments.insert(arguments.end(), needed.begin(), needed.end());
        const Outcome outcome = run_program(arguments);
        const std::string name = command;
        EXPECT_EQ(outcome.status, name == "bench" ? 4 : 0) << command << ": " << outcome.errors;
    }
    for (const char* command : {"shot", "record"}) {
        const std::string help = run_program({command, "--help"}).output;
        for (const char* option : {"-I ", "-D ", "--arch "})
            EXPECT_NE(help.find(option), std::string::npos) << command << option;
    }
}

// Compiles with an include folder given by a relative path; the saved session contains the headers.
TEST_F(Json, SessionIncludesKernelHeaders)
{
    std::filesystem::create_directory(folder_ / "headers");
    write(folder_ / "headers/factor.h", "#include <cuda_fp16.h>\n#define FACTOR 3\n");
    write(folder_ / "needs.cu", "#include <factor.h>\n"
                                "__global__ void k(float* out, int n) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < n) out[i] = FACTOR;\n}\n");
    const std::string shot = "cd " + folder_.path().string() +
                             " && CUDA_VISIBLE_DEVICES= " + program_under_test() +
                             " shot --size 64x64 --device simt ";
    const std::string quiet = " >/dev/null 2>errors";
    EXPECT_EQ(std::system((shot + "needs.cu -I headers -o a.png" + quiet).c_str()), 0)
        << read_file(folder_ / "errors");
    std::filesystem::remove_all(folder_ / "headers");
    std::filesystem::remove(folder_ / "needs.cu");
    EXPECT_EQ(std::system((shot + "--session a.png -o b.png" + quiet).c_str()), 0)
        << read_file(folder_ / "errors");
}

// A kernel beside a lecture can be named and counted in the lecture as a lab can.
TEST_F(Json, ListsKernelOfLecture)
{
    std::filesystem::create_directory(folder_ / "kernels");
    write(folder_ / "kernels/columns.cu",
          "__global__ void columns(float* out, const float* in, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) out[i] = in[i];\n}\n");
    const auto lecture = [&](const std::string& kernel) {
        write(folder_ / "my.lecture", "lecture: Mine\nbeat: A\nshow: " + kernel +
                                          "\nsay: It stores {store_sectors(" + kernel +
                                          ")} sectors.\nask: How many sectors does a load touch?\n"
                                          "reveal: sectors_per_load(" +
                                          kernel + ")\n");
        return run_program({"check", file("my.lecture"), "--json"});
    };
    const Outcome shown = lecture("kernels/columns.cu/columns");
    ASSERT_EQ(shown.status, 0) << shown.errors;
    EXPECT_NEAR(json::parse(shown.output).at(0).at("reveal").get<double>(), 4, 0.2) << shown.output;
    EXPECT_EQ(lecture("kernels/none.cu/columns").status, 2);
    EXPECT_NE(lecture("kernels/none.cu/columns").errors.find("line 3: There is no file"),
              std::string::npos);
    EXPECT_NE(lecture("../columns.cu/columns").errors.find("outside its folder"),
              std::string::npos);
    EXPECT_NE(lecture("kernels/columns.cu/rows").errors.find("no variant 'rows'"),
              std::string::npos);
}

} // namespace
} // namespace lanescope::test
