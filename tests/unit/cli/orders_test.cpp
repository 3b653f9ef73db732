// `emulate --orders`: whether a result depends on the order of threads, and the order that shows
// it.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope {
namespace {

using test::Outcome;
using test::run_program;
using testing::HasSubstr;

const std::string kernels = LANESCOPE_SOURCE_DIR "/tests/unit/simt/kernels/orders.cu";

Outcome in_orders(const std::string& kernel, const std::string& count,
                  const std::vector<std::string>& more)
{
    std::vector<std::string> words{"emulate", kernels, "--kernel", kernel, "--orders", count};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
}

TEST(Orders, DifferenceIsReportedWithItsSeed)
{
    const std::vector<std::string> launch{
        "--grid", "1", "--block", "128", "--arg", "i32[128]:const:-1", "--json"};
    const Outcome first = in_orders("no_barrier", "32", launch);
    EXPECT_EQ(first.status, 1);
    const auto all = nlohmann::json::parse(first.output)["orders"];
    EXPECT_EQ(all["tried"], 32);
    ASSERT_FALSE(all["different"].empty());
    const std::string how = all["first_difference"];
    EXPECT_THAT(how, HasSubstr("of 128 elements of argument 0 differ"));

    std::vector<std::string> again = launch;
    again.insert(again.end(), {"--order", to_string(all["different"][0])});
    const auto repeated = nlohmann::json::parse(in_orders("no_barrier", "1", again).output);
    EXPECT_EQ(repeated["orders"]["different"][0], all["different"][0]);
    EXPECT_EQ(repeated["orders"]["first_difference"], how);
}

TEST(Orders, OrderedResultStaysTheSame)
{
    const Outcome outcome = in_orders(
        "tree_sum", "16",
        {"--grid", "4", "--block", "128", "--arg", "i32[512]:ramp", "--arg", "i32[1]:zero"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "Other orders: the result is the same in all 16 that were tried.\n");
}

// Without arguments the launch is guessed, as for every other command.
TEST(Orders, GuessedLaunchIsTriedToo)
{
    const Outcome outcome = in_orders("tickets", "16", {});
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("--orders 1 --order "));
}

TEST(Orders, OptionsThatDoNotApplyAreRefused)
{
    EXPECT_EQ(in_orders("tickets", "2", {"--print", "0"}).status, 2);
    EXPECT_EQ(in_orders("tickets", "2", {"--caches"}).status, 2);
    const Outcome on_gpu = in_orders("tickets", "2", {"--device", "cuda"});
    EXPECT_EQ(on_gpu.status, 2);
    EXPECT_THAT(on_gpu.errors, HasSubstr("A GPU chooses the order of its threads itself."));
    EXPECT_EQ(run_program({"emulate", kernels, "--order", "3"}).status, 2);
    EXPECT_EQ(in_orders("tree_sum", "0", {}).status, 2);
}

// Launches of kernels/orders: kernels that depend on an order, and the same ones mended.
class KernelInOrders : public testing::TestWithParam<nlohmann::json> {};

const std::string folder = LANESCOPE_SOURCE_DIR "/tests/kernels/orders/";

std::vector<nlohmann::json> specs()
{
    std::vector<nlohmann::json> all;
    std::ifstream file(folder + "specs.jsonl");
    for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
    return all;
}

TEST_P(KernelInOrders, ChangesOnlyIfItDependsOnOne)
{
    const nlohmann::json& spec = GetParam();
    std::vector<std::string> words{"emulate",  folder + std::string(spec["file"]),
                                   "--kernel", spec["kernel"],
                                   "--grid",   spec["grid"],
                                   "--block",  spec["block"],
                                   "--orders", "64",
                                   "--arch",   spec.value("arch", "sm_75"),
                                   "--json"};
    for (const std::string argument : spec["args"]) words.insert(words.end(), {"--arg", argument});
    const Outcome outcome = run_program(words);
    ASSERT_LE(outcome.status, 1) << outcome.errors;
    const auto report = nlohmann::json::parse(outcome.output)["orders"];
    EXPECT_EQ(!report["different"].empty(), spec["changes"].get<bool>()) << report.dump(2);
}

INSTANTIATE_TEST_SUITE_P(All, KernelInOrders, testing::ValuesIn(specs()), [](const auto& spec) {
    return spec.param["kernel"].template get<std::string>();
});

} // namespace
} // namespace lanescope
