// `layout`: text, JSON, files and mistakes.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope {
namespace {

using nlohmann::json;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;

TEST(LayoutCommand, ShowsRowAndColumnOfTile)
{
    const Outcome outcome = run_program({"layout", "32x32"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("(32,32):(32,1): 32 × 32 elements of 4 bytes, 4,096 "
                                          "bytes of shared memory"));
    EXPECT_THAT(outcome.output,
                HasSubstr("row (load, 4 B per lane): 1 wavefront, 1 needed, counted on simt"));
    EXPECT_THAT(outcome.output, HasSubstr("column (load, 4 B per lane): 32 wavefronts, 1 needed"));
    EXPECT_THAT(outcome.output, HasSubstr("31   31       0  3968      0"));
}

TEST(LayoutCommand, PrintsJson)
{
    const Outcome outcome = run_program({"layout", "Sw<3,3,3> o (8,64):(64,1)", "--element", "f16",
                                         "--access", "ldmatrix.x1", "--search", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json document = json::parse(outcome.output);
    const json& access = document["accesses"][0];
    EXPECT_EQ(document["bytes"], 1024);
    EXPECT_EQ(access["instruction"], "ldmatrix.x1");
    EXPECT_EQ(access["wavefronts"], 1);
    EXPECT_EQ(access["lanes"].size(), 8u);
    EXPECT_EQ(access["lanes"][1]["byte"], 144);
    EXPECT_EQ(document["found"][0]["accesses"][0]["wavefronts"], 1);
    EXPECT_THAT(document["found"][0]["explanation"].get<std::string>(),
                HasSubstr("in row r, chunk k of 8 elements (16 bytes)"));
}

TEST(LayoutCommand, SearchListsLayouts)
{
    const Outcome outcome =
        run_program({"layout", "32x32", "--access", "store row", "--access", "column", "--search"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("Sw<5,0,5> o (32,32):(32,1)"));
    EXPECT_THAT(outcome.output, HasSubstr("(32,32):(33,1)"));
    EXPECT_THAT(outcome.output, HasSubstr("by the counting rules; the best 8 of "));
}

TEST(LayoutCommand, SavesPicturesAndTables)
{
    const Folder folder;
    for (const char* ending : {"svg", "pdf", "csv", "md"}) {
        const std::string file = (folder.path() / "tile.").string() + ending;
        EXPECT_EQ(run_program({"layout", "32x32", "-o", file}).status, 0);
        EXPECT_GT(std::filesystem::file_size(file), 500u) << ending;
    }
    EXPECT_EQ(run_program({"layout", "32x32", "-o", (folder.path() / "tile.xyz").string()}).status,
              2);
}

TEST(LayoutCommand, NamesMistakes)
{
    const auto problem = [](std::vector<std::string> words) {
        words.insert(words.begin(), "layout");
        const Outcome outcome = run_program(words);
        EXPECT_EQ(outcome.status, 2) << outcome.output;
        return outcome.errors;
    };
    EXPECT_THAT(problem({"16"}), HasSubstr("too few for a warp"));
    EXPECT_THAT(problem({"8x8"}), HasSubstr("--access"));
    EXPECT_THAT(problem({"32x32", "--element", "f128"}), HasSubstr("no element type \"f128\""));
    EXPECT_THAT(problem({"32x32", "--access", "lane, lane*2"}),
                HasSubstr("puts lane 16 in column"));
    EXPECT_THAT(problem({"(8,64:1"}), HasSubstr("is expected"));
}

} // namespace
} // namespace lanescope
