// `lanescope sweep`: exact counts at every value, no times on simt, files for other programs.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/support/program.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Outcome sweep(std::vector<std::string> words)
{
    words.insert(words.begin(), "sweep");
    words.insert(words.end(), {"--device", "simt"});
    return run_program(words);
}

json sweeps(std::vector<std::string> words)
{
    words.emplace_back("--json");
    const Outcome outcome = sweep(std::move(words));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return json::parse(outcome.output).at("sweeps");
}

TEST(Sweep, CountsSectorsOfEveryStride)
{
    const json all = sweeps({"coalescing/strided", "--parameter", "stride"});
    ASSERT_EQ(all.size(), 1u);
    const json& points = all[0].at("points");
    ASSERT_EQ(points.size(), 14u);
    for (const json& point : points) {
        EXPECT_EQ(point.at("variant"), "strided");
        EXPECT_TRUE(point.at("gb_per_s").is_null()) << "simt shows no times";
        EXPECT_TRUE(point.at("median_ms").is_null());
        EXPECT_FALSE(point.contains("problem")) << point;
        const int stride = std::stoi(point.at("value").get<std::string>());
        // The load reads 32 numbers: each sector has 8 / stride of them, or one from stride 8 on.
        const double sectors = point.at("sectors_per_load");
        if (stride == 1 || stride == 2 || stride == 4 || stride >= 8) {
            EXPECT_NEAR(sectors, std::min(4 * stride, 32), 0.1) << stride;
        }
        EXPECT_EQ(point.at("sectors_per_store"), 4.0);
    }
}

TEST(Sweep, UnalignedOffsetsCostOneSector)
{
    const json all = sweeps({"coalescing", "--parameter", "offset"});
    for (const json& point : all[0].at("points")) {
        const int offset = std::stoi(point.at("value").get<std::string>());
        EXPECT_EQ(point.at("sectors_per_load"), offset % 8 == 0 ? 4.0 : 5.0) << offset;
    }
}

TEST(Sweep, EveryLabHasCountingSweep)
{
    const json labs = json::parse(run_program({"list", "--json"}).output).at("labs");
    for (const json& lab : labs) {
        const json all = sweeps({lab.at("id").get<std::string>()});
        ASSERT_FALSE(all.empty()) << lab.at("id");
        for (const json& one : all) {
            EXPECT_EQ(one.at("engine"), "simt");
            ASSERT_GE(one.at("points").size(),
                      labs::min_sweep_values(labs::find(lab.at("id").get<std::string>()),
                                             one.at("parameter").get<std::string>()))
                << lab.at("id");
            for (const json& point : one.at("points"))
                EXPECT_GT(point.at("instructions_per_item").get<double>(), 0) << point;
        }
    }
}

TEST(Sweep, AcceptsOtherParameters)
{
    const json all = sweeps({"rotate/global_nearest", "--set", "zoom=4", "--set", "size=100"});
    EXPECT_EQ(all[0].at("others").at("zoom"), "4");
    EXPECT_EQ(all[0].at("others").at("size"), "100") << "the sweep would have it 256";
    EXPECT_FALSE(all[0].at("others").contains("angle"));
}

TEST(Sweep, NamesFixedParameters)
{
    const json all = sweeps({"rotate/global_nearest"});
    EXPECT_EQ(all[0].at("others").at("size"), "256");
    EXPECT_THAT(sweep({"rotate/global_nearest"}).output, HasSubstr("size 256"));
}

TEST(Sweep, RefusesToSweepFixedParameter)
{
    const Outcome stride = sweep({"coalescing/strided", "--set", "stride=2"});
    EXPECT_EQ(stride.status, 2);
    EXPECT_THAT(stride.errors, HasSubstr("stride"));
}

TEST(Sweep, PrintsTableOrCsv)
{
    const Outcome text = sweep({"rod/naive"});
    EXPECT_EQ(text.status, 0) << text.errors;
    EXPECT_THAT(text.output, HasSubstr("simt shows no times"));
    const Outcome csv = sweep({"rod/naive", "--csv"});
    EXPECT_EQ(csv.status, 0) << csv.errors;
    EXPECT_TRUE(csv.output.starts_with("parameter,value,variant,gb_per_s,"));
    EXPECT_EQ(std::ranges::count(csv.output, '\n'), 7) << "header and six sizes";
    EXPECT_THAT(csv.output, HasSubstr("\nsize,1048576,naive,,,,,"));
}

TEST(Sweep, WritesFigures)
{
    const Folder folder;
    const std::pair<const char*, const char*> beginnings[] = {{"x.svg", "<svg"},
                                                              {"x.pdf", "%PDF-1.5"},
                                                              {"x.png", "\x89PNG"},
                                                              {"x.csv", "parameter,"},
                                                              {"x.md", "| parameter |"}};
    for (const auto& [name, beginning] : beginnings) {
        const auto file = folder / name;
        const Outcome outcome = sweep({"coalescing/strided", "-o", file.string()});
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        const std::string bytes = read_file(file);
        EXPECT_TRUE(bytes.starts_with(beginning)) << name;
        EXPECT_GT(bytes.size(), 500u) << name;
    }
    const std::string svg = read_file(folder / "x.svg");
    for (const char* words : {"Coalescing: Strided read", "Stride (elements)",
                              "sectors of 32 B per load request", "simt shows no times"})
        EXPECT_THAT(svg, HasSubstr(words));
    EXPECT_EQ(folder.entries(), 5u) << "something was left behind";
}

TEST(Sweep, ListsAlternatives)
{
    const Outcome parameter = sweep({"heat", "--parameter", "depth"});
    EXPECT_EQ(parameter.status, 3);
    EXPECT_THAT(parameter.errors, HasSubstr("size"));
    EXPECT_EQ(sweep({"coalescing/random"}).status, 3);
    EXPECT_EQ(sweep({"heat", "-o", "x.gif"}).status, 2);
    EXPECT_EQ(sweep({"heat", "-o", "/nosuch/x.svg"}).status, 2);
    EXPECT_EQ(sweep({"heat", "--set", "size=1"}).status, 2);
    EXPECT_EQ(sweep({"nosuch"}).status, 3);
}

} // namespace
} // namespace lanescope::test
