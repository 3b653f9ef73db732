// Formulas, conditions and quantities: parsing, evaluation, and the messages for mistakes.
#include <gtest/gtest.h>

#include "app/measure/measurements.h"
#include "app/measure/quantity.h"
#include "compute/error.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

double value(const char* text)
{
    return Formula(text).value({});
}

TEST(Formula, RespectsPrecedence)
{
    EXPECT_EQ(value("2 + 3 * 4"), 14);
    EXPECT_EQ(value("(2 + 3) * 4"), 20);
    EXPECT_EQ(value("7 - 2 - 1"), 4);
    EXPECT_EQ(value("12 / 3 / 2"), 2);
    EXPECT_EQ(value(" .5*4 "), 2);
}

template <class Work>
std::string complaint(Work&& work)
{
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Formula, ReportsParseErrors)
{
    const std::pair<const char*, const char*> wrong[] = {
        {"2 +", "is invalid at \"\""},
        {"2 3", "is invalid at \"3\""},
        {"(2", "is invalid at \"\""},
        {"1.2.3", "is not a number"},
        {"sectors", "names no variant"},
        {"sectors(heat/naive", "is not closed"},
        {"sectors(heat)", "names no variant"},
        {"secters(heat/naive)", "There is no metric \"secters\""},
        {"sectors(heta/naive)", "heta"},
        {"sectors(heat/naiv)", "naiv"},
        {"sectors(heat/naive, size=big)", "big"},
        {"sectors(heat/naive, l2)", "\"l2\" is not recognised"},
        {"sectors(heat/naive, warp x)", "is not a warp"},
        {"sectors(heat/naive, line \"no such text\")", "No line of naive.cu contains"},
        {"time_us(faults/out_of_bounds, dram)",
         "No time was recorded for faults/out_of_bounds at size dram"},
        {"time_us(heat/naive, size=3)", "\"size=3\" is not recognised"},
    };
    for (const auto& [text, words] : wrong)
        EXPECT_NE(complaint([&, text = text] { Formula formula(text); }).find(words),
                  std::string::npos)
            << text << ": " << complaint([&, text = text] { Formula formula(text); });
}

TEST(Condition, EvaluatesComparisons)
{
    EXPECT_TRUE(read_condition("= 4").holds(4.01));
    EXPECT_FALSE(read_condition("= 4").holds(4.1));
    EXPECT_TRUE(read_condition("= 0").holds(0));
    EXPECT_TRUE(read_condition("< 1").holds(0.99));
    EXPECT_FALSE(read_condition("< 1").holds(1));
    EXPECT_TRUE(read_condition("<= 1").holds(1));
    EXPECT_FALSE(read_condition("> 1").holds(1));
    EXPECT_TRUE(read_condition(">= 1").holds(1));
    EXPECT_TRUE(read_condition("0.9 .. 1.1").holds(1.1));
    EXPECT_FALSE(read_condition("0.9 .. 1.1").holds(1.2));
    for (const char* wrong : {"4", "about 4", "= four", "2 .. 1", "<", ""})
        EXPECT_FALSE(complaint([&] { read_condition(wrong); }).empty()) << wrong;
}

// Counts the launch directly, for comparison with the formulas.
trace::Trace counted(const char* lab_id, const char* variant_id)
{
    const auto device = simt::make_device();
    device::PlainAllocator plain(*device);
    const labs::Lab& lab = labs::find(lab_id);
    labs::Values values(lab);
    values.set("size", "100");
    const auto experiment =
        lab.start({*device, plain, lab, labs::find_variant(lab, variant_id), values, 1, {}});
    trace::Trace trace;
    experiment->step(&trace);
    return trace;
}

TEST(Quantity, MatchesLaunchCounts)
{
    const trace::Totals totals = counted("transpose", "naive").totals();
    Measurer measurer;
    const auto found = [&](const char* text) { return measurer.find(Formula(text)).value; };
    EXPECT_EQ(found("store_sectors(transpose/naive, size=100)"),
              static_cast<double>(totals.global_store.sectors));
    EXPECT_EQ(found("load_requests(transpose/naive, size=100)"),
              static_cast<double>(totals.global_load.requests));
    EXPECT_EQ(found("warp_instructions(transpose/naive, size=100)"),
              static_cast<double>(totals.warp_instructions));
    EXPECT_EQ(found("sectors_per_load(transpose/naive, size=100) * "
                    "load_requests(transpose/naive, size=100)"),
              static_cast<double>(totals.global_load.sectors));
    EXPECT_EQ(measurer.find(Formula("sectors(transpose/naive)")).origin, "counted");
}

TEST(Quantity, LineQuantityCoversOnlyThatLine)
{
    Measurer measurer;
    const auto found = [&](const char* text) { return measurer.find(Formula(text)).value; };
    const double line_value =
        found("branches(divergence/matrix_edges, matrix=100, line \"if (row < size && phase\")");
    EXPECT_EQ(line_value, 2744);
    EXPECT_GT(found("branches(divergence/matrix_edges, matrix=100)"), line_value);
}

TEST(Quantity, ReadsLinesAndSectorsOfRequest)
{
    Measurer measurer;
    const auto found = [&](const char* text) { return measurer.find(Formula(text)).value; };
    EXPECT_EQ(found("request_sectors(coalescing/offset, size=256, offset=2)"), 5);
    EXPECT_EQ(found("request_lines(coalescing/offset, size=256, offset=2)"), 2);
    EXPECT_EQ(found("used_of_lines(coalescing/offset, size=256, offset=2)"), 0.5);
    EXPECT_EQ(found("used_of_sectors(coalescing/offset, size=256, offset=2)"), 0.8);
    EXPECT_EQ(found("request_lines(coalescing/column_threads, size=256)"), 32);
}

// 65,536 floats in each of three vectors are 8,192 sectors; no two warps share one.
TEST(Quantity, CachesServeVectorsFromMemoryThenFromL2)
{
    Measurer measurer;
    const auto found = [&](const char* metric) {
        return measurer.find(Formula(std::string(metric) + "(vector_add/one_each, size=65536)"))
            .value;
    };
    EXPECT_EQ(found("from_l1"), 0);
    EXPECT_EQ(found("from_l2"), 0);
    EXPECT_EQ(found("from_dram"), 2 * 8192);
    EXPECT_EQ(found("from_l1_warm"), 0);
    EXPECT_EQ(found("from_l2_warm"), 2 * 8192);
    EXPECT_EQ(found("from_dram_warm"), 0);
    EXPECT_EQ(found("dram_writes"), 0); // the sums are still in L2
    const Answer one = measurer.find(
        Formula("from_dram(vector_add/one_each, size=65536, line \"sum[i] = a[i] + b[i]\")"));
    EXPECT_EQ(one.value, 2 * 8192);
    EXPECT_EQ(one.origin, "modelled: caches of an H100");
}

// A chunk of 64 KiB fits the 248 KiB of L1, so that memory serves one of eight rounds and L1 the
// others. One of 512 KiB does not fit, and nothing is found in L1 again. 4 MiB fit L2, which keeps
// all that was stored; of 64 MiB that are stored twice, the second time evicts the first.
TEST(Quantity, ReuseDistanceDecidesWhichCacheServes)
{
    Measurer measurer;
    const auto found = [&](const std::string& metric, const std::string& arguments) {
        return measurer.find(Formula(metric + "(caches/" + arguments + ")")).value;
    };
    constexpr double array = 131072; // sectors of 1024 × 1024 floats
    EXPECT_EQ(found("load_sectors", "chunks, chunk=64"), 8 * array);
    EXPECT_EQ(found("load_sectors", "chunks, chunk=512"), 8 * array);
    EXPECT_EQ(found("from_l1", "chunks, chunk=64"), 7 * array);
    EXPECT_EQ(found("from_dram", "chunks, chunk=64"), array);
    EXPECT_EQ(found("from_l1", "chunks, chunk=512"), 0);
    EXPECT_EQ(found("from_l2", "chunks, chunk=512"), 7 * array);
    EXPECT_EQ(found("from_l2", "bypass, chunk=64"), 7 * array);
    EXPECT_EQ(found("from_l2", "launches"), 7 * array);
    EXPECT_EQ(found("from_l2_warm", "launches"), 8 * array);
    EXPECT_EQ(found("store_sectors", "chunks, chunk=64"), 8 * array);
    EXPECT_EQ(found("dram_writes", "chunks, chunk=64"), 0);
    EXPECT_EQ(found("from_dram", "registers"), array);
    EXPECT_EQ(found("from_l2_warm", "launches, size=4096, rounds=2"), 0);
    EXPECT_EQ(found("dram_writes_warm", "launches, size=4096, rounds=2"), 2 * 16 * array);
}

TEST(Quantity, TimeNamesDeviceDriverAndDate)
{
    Measurer measurer;
    const Answer answer = measurer.find(Formula("time_us(transpose/naive, l2)"));
    const auto all = embedded_measurements();
    ASSERT_TRUE(all);
    EXPECT_NE(answer.origin.find("median of"), std::string::npos);
    bool found = false;
    for (const Measured& one : all->times)
        if (one.lab == "transpose" && one.variant == "naive" && one.size == "l2") {
            EXPECT_EQ(answer.value, one.median_ms * 1e3);
            EXPECT_NE(answer.origin.find(one.on.words()), std::string::npos) << answer.origin;
            found = true;
        }
    EXPECT_TRUE(found);
}

TEST(Quantity, DistinguishesFaultsFromResults)
{
    Measurer measurer;
    const auto found = [&](const char* text) { return measurer.find(Formula(text)).value; };
    EXPECT_EQ(found("faults(hierarchy/no_guard)"), 1);
    EXPECT_EQ(found("faults(hierarchy/two_axes)"), 0);
    EXPECT_EQ(found("correct(hierarchy/two_axes)"), 1);
    EXPECT_EQ(found("correct(hierarchy/one_block_too_few)"), 0);
    EXPECT_EQ(found("shared_bytes(matmul/tile_16, size=32)"), 2048);
    EXPECT_THROW(measurer.find(Formula("sectors(hierarchy/no_guard)")), device::KernelFault);
    EXPECT_NE(complaint([&] {
                  measurer.find(Formula("wavefronts_over_ideal(transpose/copy)"));
              }).find("executed nothing that wavefronts_over_ideal counts"),
              std::string::npos);
}

} // namespace
} // namespace lanescope::app
