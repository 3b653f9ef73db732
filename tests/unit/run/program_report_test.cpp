// Reads the runtime library's report about a program on a GPU, and converts it to JSON.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/run/program/program_json.h"
#include "app/run/program/program_report.h"

namespace lanescope::app {
namespace {

constexpr const char* begin_line = R"({"event":"begin","engine":"cuda","cuda":13000,"devices":1})"
                                   "\n";
constexpr const char* launch_line =
    R"({"event":"launch","index":0,"kernel":"scale","symbol":"_Z5scalev","grid":[4,1,1],)"
    R"("block":[256,1,1],"dynamic_shared_bytes":64,"stream":"1","device":0,"gpu_ms":0.25,)"
    R"("site":0,"order":{"timeline":2,"after":[0,0,1]}})"
    "\n";
constexpr const char* copy_line =
    R"({"event":"copy","call":"cudaMemcpy","direction":"device to host","bytes":4000,)"
    R"("stream":"default","device":0,"order":{"timeline":1,"after":[0,1,1]},"site":0})"
    "\n";
constexpr const char* error_line =
    R"({"event":"error","call":"cudaMalloc","error":"cudaErrorMemoryAllocation",)"
    R"("text":"out of memory","site":0})"
    "\n";
constexpr const char* end_line =
    R"({"event":"end","graph_launches":2,"unlisted":5,"allocations":3,"peak_bytes":4096})"
    "\n";

ProgramReport read_report()
{
    ReportReader reader;
    const std::string all =
        std::string(begin_line) + launch_line + copy_line + error_line + end_line;
    reader.take(all.substr(0, 100)); // the report arrives in two pieces
    reader.take(all.substr(100));
    return reader.finish();
}

ProgramResult result_with(ProgramReport report)
{
    ProgramResult result;
    result.report = std::move(report);
    return result;
}

void expect_read(const ProgramReport& report)
{
    EXPECT_TRUE(report.on_gpu);
    EXPECT_TRUE(report.ended);
    ASSERT_EQ(report.launches.size(), 1u);
    EXPECT_EQ(report.launches[0].shared_bytes, 64u);
    EXPECT_EQ(report.launches[0].gpu_ms, 0.25);
    EXPECT_EQ(report.launches[0].counts, std::nullopt);
    ASSERT_EQ(report.each_copy.size(), 1u);
    EXPECT_EQ(report.each_copy[0].gpu_ms, std::nullopt); // this copy was not measured
    EXPECT_EQ(report.each_copy[0].place, 1);
    ASSERT_EQ(report.errors.size(), 1u);
    EXPECT_EQ(report.errors[0].error, "cudaErrorMemoryAllocation");
    EXPECT_EQ(report.graph_launches, 2u);
    EXPECT_EQ(report.unlisted, 5u);
    EXPECT_EQ(report.allocations, 3u);
    EXPECT_EQ(report.peak_bytes, 4096u);
}

TEST(ProgramReportOnGpu, ParsesLines)
{
    expect_read(read_report());
}

TEST(ProgramReportOnGpu, NotesMissingCountsAndChecks)
{
    const auto json = to_json(result_with(read_report()));
    EXPECT_EQ(json.at("engine"), "cuda");
    EXPECT_EQ(json.at("not_checked"), not_checked_sentence);
    EXPECT_FALSE(json.at("launches").at(0).contains("counts"));
    EXPECT_FALSE(json.at("launches").at(0).contains("machine_ms"));
    EXPECT_FALSE(json.at("each_copy").at(0).contains("gpu_ms"));
    expect_read(program_result(json).report);
}

TEST(ProgramReportOnGpu, LockstepReportHasCounts)
{
    ReportReader reader;
    reader.take(R"({"event":"begin","cuda":13000,"devices":1})"
                "\n"
                R"({"event":"end","calls":7})"
                "\n");
    const auto json = to_json(result_with(reader.finish()));
    EXPECT_EQ(json.at("engine"), "simt");
    EXPECT_FALSE(json.contains("not_checked"));
    EXPECT_FALSE(program_result(json).report.on_gpu);
}

// Launches refer to source positions by number; their counts are in the order of reported.h.
TEST(ProgramReportOnSimt, LaunchesHaveCountsAndPositions)
{
    ReportReader reader;
    reader.take(R"({"event":"site","number":30064771073,"frames":[["/nowhere/first",16]]})"
                "\n"
                R"({"event":"site","number":30064771074,"frames":[["/nowhere/second",32]]})"
                "\n");
    std::string numbers = "1";
    for (int i = 2; i <= 22; ++i) numbers += fmt::format(",{}", i);
    for (const int site : {2, 1, 3})
        reader.take(fmt::format(
            R"({{"event":"launch","index":0,"kernel":"scale","symbol":"_Z5scalev",)"
            R"("grid":[4,1,1],"block":[256,1,1],"dynamic_shared_bytes":0,"stream":"1","device":0,)"
            R"("machine_ms":0.25,"counts":[{}],"site":{},)"
            R"("order":{{"timeline":1,"after":[0,1]}}}})"
            "\n",
            numbers, 30064771072 + site));
    const ProgramReport report = reader.finish();
    ASSERT_EQ(report.launches.size(), 3u);
    EXPECT_EQ(report.launches[0].host.file, "/nowhere/second+0x20");
    EXPECT_EQ(report.launches[1].host.file, "/nowhere/first+0x10");
    EXPECT_EQ(report.launches[2].host.file, ""); // no event describes this site
    const auto json = to_json(result_with(report));
    for (const ProgramReport& one : {report, program_result(json).report}) {
        const std::optional<trace::Totals>& counts = one.launches[0].counts;
        ASSERT_TRUE(counts.has_value());
        EXPECT_EQ(counts->global_load.requests, 1u);
        EXPECT_EQ(counts->global_store.sectors, 5u);
        EXPECT_EQ(counts->shared_atomic.wavefronts, 18u);
        EXPECT_EQ(counts->branches, 19u);
        EXPECT_EQ(counts->thread_instructions, 22u);
        EXPECT_EQ(one.launches[0].sectors(), 2u + 5u + 8u);
    }
    EXPECT_EQ(json.at("launches").at(0).at("counts").at("shared_load").at("sectors"), 11);
}

// Findings name streams as the source does.
TEST(ProgramReportOnGpu, NamesStreamsInFindings)
{
    const std::map<std::string, std::string> names{{"1", "upload"}, {"12", "work[3]"}};
    std::string message = "kernel scale in stream 1 reads 4 bytes that cudaMemcpyAsync in stream "
                          "12 writes, and stream 3 waits for neither.";
    name_streams(message, names);
    EXPECT_EQ(message, "kernel scale in stream upload reads 4 bytes that cudaMemcpyAsync in stream "
                       "work[3] writes, and stream 3 waits for neither.");
}

} // namespace
} // namespace lanescope::app
