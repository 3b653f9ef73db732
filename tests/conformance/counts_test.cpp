// The machine's counts against those that Nsight Compute read on a GPU: recorded/counts.csv is the raw page of ncu, a
// row a kernel, a column a metric.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/patterns.h"

namespace lanescope::conformance {
namespace {

const std::filesystem::path counts_file = std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/conformance/recorded/counts.csv";

std::vector<std::string> split_csv(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        else if (c == ',' && !quoted) fields.emplace_back();
        else if (c != '\r') fields.back() += c;
    }
    return fields;
}

using Metrics = std::map<std::string, double>; // by metric

// Numbers may have commas between their thousands.
double number(std::string text)
{
    std::erase(text, ',');
    return text.empty() ? NAN : std::stod(text);
}

std::map<std::string, Metrics> read_counts()
{
    std::map<std::string, Metrics> kernels;
    std::ifstream in(counts_file);
    std::string line;
    std::vector<std::string> header;
    while (std::getline(in, line)) {
        const auto fields = split_csv(line);
        const auto name_column = std::find(header.begin(), header.end(), "Kernel Name") - header.begin();
        if (fields.size() > 1 && fields[0] == "ID") {
            header = fields;
        } else if (!header.empty() && fields.size() == header.size() && !fields[0].empty()) {
            const std::string name = fields[static_cast<std::size_t>(name_column)].substr(0, fields[static_cast<std::size_t>(name_column)].find('('));
            for (std::size_t i = 0; i < header.size(); ++i)
                if (header[i].find("__") != std::string::npos || header[i].starts_with("memory_")) kernels[name][header[i]] = number(fields[i]);
        }
    }
    return kernels;
}

TEST(Counts, EqualThoseOfTheHardware)
{
    const auto recorded = read_counts();
    ASSERT_FALSE(recorded.empty()) << "There are no counts in " << counts_file << ": make them on a GPU with tests/gpu/conformance.sh.";
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
            EXPECT_GE(got * (1 + check.slack), metric->second) << pattern.test.kernel << ": " << check.metric;
        }
    }
}

} // namespace
} // namespace lanescope::conformance
