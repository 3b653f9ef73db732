// The machine's counts compared with Nsight Compute's on a GPU: recorded/counts.csv has one row per
// kernel and one column per metric.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/patterns.h"

namespace lanescope::conformance {
namespace {

const std::filesystem::path counts_file =
    std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/conformance/recorded/counts.csv";

std::vector<std::string> split(const std::string& line)
{
    std::vector<std::string> fields;
    std::stringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    return fields;
}

using Metrics = std::map<std::string, double>; // by name

// Metrics per kernel.
std::map<std::string, Metrics> read_counts()
{
    std::map<std::string, Metrics> kernels;
    std::ifstream in(counts_file);
    std::string line;
    if (!std::getline(in, line)) return kernels;
    const auto header = split(line);
    while (std::getline(in, line)) {
        const auto fields = split(line);
        for (std::size_t i = 1; i < std::min(fields.size(), header.size()); ++i)
            kernels[fields[0]][header[i]] = std::stod(fields[i]);
    }
    return kernels;
}

TEST(Counts, MatchHardware)
{
    const auto recorded = read_counts();
    ASSERT_FALSE(recorded.empty()) << "There are no counts in " << counts_file
                                   << ": make them on a GPU with tests/gpu/conformance.sh.";
    simt::Options options;
    options.checks = {};
    const auto machine = simt::make_device(options);
    for (const Pattern& pattern : all_patterns()) {
        const auto kernel = recorded.find(pattern.test.kernel);
        if (kernel == recorded.end()) {
            ADD_FAILURE() << pattern.test.kernel << " has no recorded counts";
            continue;
        }
        trace::Trace trace;
        run(*machine, pattern.test, &trace);
        const trace::Totals totals = trace.totals();
        for (const Check& check : pattern.checks) {
            const auto metric = kernel->second.find(check.metric);
            if (metric == kernel->second.end()) {
                ADD_FAILURE() << pattern.test.kernel << " has no " << check.metric;
                continue;
            }
            const auto got = static_cast<double>(check.value(totals));
            EXPECT_LE(got, metric->second) << pattern.test.kernel << ": " << check.metric;
            EXPECT_GE(got * (1 + check.slack), metric->second)
                << pattern.test.kernel << ": " << check.metric;
        }
    }
}

} // namespace
} // namespace lanescope::conformance
