// Files that are not of the type that their names suggest: each causes an error message, and none
// makes the program hang.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using testing::HasSubstr;

TEST(ForeignFiles, RefusesPipe)
{
    const Folder folder;
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const Outcome picture = run_program({"run", "rotate", "--image", pipe, "--device", "simt"});
    EXPECT_EQ(picture.status, 3);
    EXPECT_THAT(picture.errors, HasSubstr("cannot be opened"));
    const Outcome lab = run_program({"run", pipe, "--device", "simt"});
    EXPECT_EQ(lab.status, 3);
    EXPECT_THAT(lab.errors, HasSubstr("is a pipe, not a lab"));
}

TEST(ForeignFiles, ReportsLinkLoop)
{
    const Folder folder;
    std::filesystem::create_symlink("loop", folder / "loop");
    const Outcome lab = run_program({"run", (folder / "loop").string(), "--device", "simt"});
    EXPECT_EQ(lab.status, 3);
    EXPECT_THAT(lab.errors, HasSubstr("is a link that leads to itself"));
}

TEST(ForeignFiles, MacroOpensNoFile)
{
    const Folder folder;
    const std::string kernel = (folder / "asks.cu").string();
    std::ofstream(kernel) << "#define NAME \"/etc/passwd\"\n#if __has_include(NAME)\n#error there\n"
                             "#endif\n__global__ void asks(float* out) { out[threadIdx.x] = 1; }\n";
    const Outcome run = run_program({"run", kernel, "--device", "simt"});
    EXPECT_NE(run.status, 0);
    EXPECT_THAT(run.errors,
                HasSubstr("line 2: the text includes a header whose name comes from a macro"));
    EXPECT_THAT(run.errors, testing::Not(HasSubstr("there\n")));
}

// Neither `import` nor a macro that expands to it reveals whether a file exists.
TEST(ForeignFiles, ImportOpensNoFile)
{
    const Folder folder;
    const std::string there = (folder / "there.h").string();
    std::ofstream(there) << "int there;\n";
    const auto errors_of = [&](const std::string& header, const std::string& before) {
        const std::string kernel = (folder / "asks.cu").string();
        std::ofstream(kernel) << before << " \"" << header << "\";\n"
                              << "__global__ void asks(float* out) { out[threadIdx.x] = 1; }\n";
        const Outcome run = run_program({"run", kernel, "--device", "simt"});
        EXPECT_EQ(run.status, 2) << run.errors;
        std::string said = run.errors;
        for (std::size_t at = said.find(header); at != std::string::npos; at = said.find(header))
            said.replace(at, header.size(), "HEADER");
        return said;
    };
    for (const char* before : {"import", "export import", "#define IMPORTS import\nIMPORTS"})
        EXPECT_EQ(errors_of(there, before), errors_of((folder / "none.h").string(), before));
}

TEST(ForeignFiles, MalformedJsonHasOwnMessage)
{
    const Folder folder;
    const std::string session = (folder / "bad.json").string();
    std::ofstream(session) << "{\"lanescope_session\": 1, \"lab\": }";
    const Outcome shot =
        run_program({"shot", "--session", session, "-o", (folder / "a.png").string()});
    EXPECT_EQ(shot.status, 2);
    EXPECT_THAT(shot.errors, HasSubstr("line 1: This is not JSON."));
    EXPECT_THAT(shot.errors, testing::Not(HasSubstr("parse_error")));
}

} // namespace
} // namespace lanescope::test
