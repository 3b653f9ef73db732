// Nsight Compute's tables in both layouts, and malformed texts.
#include "compute/trace/ncu_csv.h"

#include <gmock/gmock.h>

#include "compute/error.h"

namespace {

using namespace lanescope;
using namespace lanescope::trace;
using testing::HasSubstr;

constexpr std::string_view by_metric =
    R"csv(==PROF== Connected to process 4711 (/tmp/probe)
Hello from the program, with commas, and "quotes"
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4711","probe","127.0.0.1","heat_naive","1","7","(32, 8, 1)","(16, 64, 1)","0","9.0","Command line profiler metrics","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","request","126,883"
"0","4711","probe","127.0.0.1","heat_naive","1","7","(32, 8, 1)","(16, 64, 1)","0","9.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","982,920"
"0","4711","probe","127.0.0.1","heat_naive","1","7","(32, 8, 1)","(16, 64, 1)","0","9.0","Command line profiler metrics","smsp__thread_inst_executed_per_inst_executed.ratio","","31.25"
"0","4711","probe","127.0.0.1","heat_naive","1","7","(32, 8, 1)","(16, 64, 1)","0","9.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","sector","n/a"
"1","4711","probe","127.0.0.1","add<float>(const float *, int)","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","Command line profiler metrics","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","request","64"
)csv";

constexpr std::string_view by_launch =
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
    "Size\",\"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum\","
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum\"\r\n"
    "\"\",\"\",\"\",\"\",\"request\",\"request\"\r\n"
    "\"0\",\"histogram\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"1,024\",\"8\"\r\n";

const ComparedCount& line(std::string_view title)
{
    for (const ComparedCount& line : compared_counts())
        if (line.title == title) return line;
    throw std::out_of_range(std::string(title));
}

TEST(NcuCsv, ReadsOneRowPerMetric)
{
    const auto launches = read_ncu_csv(by_metric);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].kernel, "heat_naive");
    EXPECT_EQ(launches[0].grid, (Dim3{16, 64, 1}));
    EXPECT_EQ(launches[0].block, (Dim3{32, 8, 1}));
    EXPECT_EQ(launches[0].metrics.size(), 3u) << "n/a is no number";
    EXPECT_EQ(hardware_value(line("global load sectors"), launches[0]), 982920u);
    EXPECT_EQ(hardware_value(line("global store sectors"), launches[0]), std::nullopt);
}

TEST(NcuCsv, ReadsOneRowPerLaunch)
{
    const auto launches = read_ncu_csv(by_launch);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].block, (Dim3{256, 1, 1}));
    EXPECT_EQ(hardware_value(line("global atomic requests"), launches[0]), 1032u);
}

TEST(NcuCsv, FindsLaunchByKernelAndShape)
{
    const auto launches = read_ncu_csv(by_metric);
    EXPECT_EQ(find_launch(launches, "heat_naive", {16, 64, 1}, {32, 8, 1}), &launches[0]);
    EXPECT_EQ(find_launch(launches, "heat_naive", {16, 65, 1}, {32, 8, 1}), nullptr);
    EXPECT_EQ(find_launch(launches, "add<float>", {4, 1, 1}, {256, 1, 1}), &launches[1]);
}

TEST(NcuCsv, RefusesMalformedTable)
{
    for (std::string_view text : {"", "==ERROR== ERR_NVGPUCTRPERM", "a,b,c\n1,2,3\n"})
        EXPECT_THROW(read_ncu_csv(text), Error);
    const std::string cut(by_metric.substr(0, by_metric.size() - 30));
    try {
        read_ncu_csv(cut);
        FAIL() << "a row that was cut off was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_THAT(error.what(), HasSubstr("header has 15"));
    }
}

TEST(ComparedCounts, ReadNamedTotals)
{
    Totals totals;
    totals.global_load.sectors = 5;
    totals.shared_store.wavefronts = 7;
    EXPECT_EQ(line("global load sectors").ours(totals), 5u);
    EXPECT_EQ(line("shared store wavefronts").ours(totals), 7u);
    EXPECT_THAT(metric_list(), HasSubstr("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum,"));
}

TEST(Compare, ShowsThreeSourcesSideBySide)
{
    Totals simt;
    simt.global_load.sectors = 982920;
    simt.shared_load.wavefronts = 32768;
    Totals probes = simt;
    probes.global_load.sectors = 1;
    HardwareCounts hardware = read_ncu_csv(by_metric)[0];
    hardware.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 33151;
    const auto lines = compare(simt, probes, hardware);
    ASSERT_EQ(lines.size(), 3u) << "requests, sectors, shared wavefronts";
    EXPECT_EQ(lines[0].title, "global load requests");
    EXPECT_EQ(lines[0].hardware, 126883u);
    EXPECT_EQ(lines[1].hardware, 982920u);
    EXPECT_FALSE(lines[1].engines_agree());
    EXPECT_EQ(lines[1].reason, "");
    EXPECT_TRUE(lines[2].engines_agree());
    EXPECT_THAT(lines[2].reason, HasSubstr("arbitration"));
    EXPECT_EQ(compare(simt, {}, {})[0].probes, std::nullopt);
}

TEST(Compare, AttributesExtraCountsToDeviceRuntime)
{
    Totals simt;
    simt.global_store.requests = 7;
    simt.global_load.requests = 126884;
    HardwareCounts hardware = read_ncu_csv(by_metric)[0];
    hardware.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] = 11;
    EXPECT_EQ(compare(simt, {}, hardware)[2].reason, "") << "nothing is launched from the device";
    simt.device_launches = 2;
    const auto lines = compare(simt, {}, hardware);
    EXPECT_EQ(lines[0].title, "global load requests");
    EXPECT_EQ(lines[0].reason, "") << "fewer";
    EXPECT_EQ(lines[2].title, "global store requests");
    EXPECT_THAT(lines[2].reason, HasSubstr("device runtime"));
}

} // namespace
