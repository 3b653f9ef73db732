// Nsight Compute's CSV: quoted fields, numbers with thousands separators, messages before and after
// the table.
#include "compute/trace/ncu_csv.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/read_number.h"

namespace lanescope::trace {
namespace {

using Row = std::vector<std::string>;

// Removes one record from the front of `text`. Quotes are doubled inside quotes; a quoted field may
// contain line breaks.
Row take_row(std::string_view& text)
{
    Row row(1);
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                row.back() += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                row.back() += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            row.emplace_back();
        } else if (c == '\n') {
            ++i;
            break;
        } else if (c != '\r') {
            row.back() += c;
        }
    }
    text.remove_prefix(i);
    return row;
}

std::optional<std::size_t> find_column(const Row& header, std::string_view name)
{
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end()) return std::nullopt;
    return static_cast<std::size_t>(at - header.begin());
}

// "126,883" and "12.5"; nullopt for "n/a" and for text.
std::optional<double> number(std::string text)
{
    std::erase(text, ',');
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = read_number(text.data(), end, value);
    if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

// "(4096, 1, 1)"
Dim3 shape(const std::string& text)
{
    std::uint32_t values[3] = {1, 1, 1};
    int count = 0;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end && count < 3) {
        const auto [stop, error] = std::from_chars(at, end, values[count]);
        if (error == std::errc{}) ++count;
        at = error == std::errc{} ? stop : at + 1;
    }
    return {values[0], values[1], values[2]};
}

struct Columns {
    std::size_t id;
    std::size_t kernel;
    std::optional<std::size_t> block;
    std::optional<std::size_t> grid;
    std::optional<std::size_t> metric; // with `value`: one row per metric
    std::optional<std::size_t> value;
};

bool is_metric_name(const std::string& title)
{
    return title.find("__") != std::string::npos || title.starts_with("memory_");
}

HardwareCounts launch_of(const Row& row, const Columns& columns)
{
    HardwareCounts launch;
    launch.kernel = row[columns.kernel];
    if (columns.grid) launch.grid = shape(row[*columns.grid]);
    if (columns.block) launch.block = shape(row[*columns.block]);
    return launch;
}

std::vector<HardwareCounts> read_rows(std::string_view text, const Row& header,
                                      const Columns& columns)
{
    std::vector<HardwareCounts> launches;
    std::string last_id;
    while (!text.empty()) {
        const Row row = take_row(text);
        if (row.size() == 1) continue; // an empty line, or a message after the table
        if (row.size() != header.size())
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("A row of the ncu file has {} fields, but its header has {}: \"{}\".",
                            row.size(), header.size(), row[0]),
                "Save the complete file with `ncu --csv --log-file FILE`.");
        if (row[columns.id].empty()) continue; // the units row of the raw page
        if (launches.empty() || row[columns.id] != last_id)
            launches.push_back(launch_of(row, columns));
        last_id = row[columns.id];
        auto& metrics = launches.back().metrics;
        if (columns.metric) {
            if (const auto value = number(row[*columns.value]))
                metrics[row[*columns.metric]] = *value;
            continue;
        }
        for (std::size_t i = 0; i < header.size(); ++i)
            if (is_metric_name(header[i]))
                if (const auto value = number(row[i])) metrics[header[i]] = *value;
    }
    return launches;
}

} // namespace

std::vector<HardwareCounts> read_ncu_csv(std::string_view text)
{
    while (!text.empty()) {
        const Row header = take_row(text);
        const auto id = find_column(header, "ID");
        const auto kernel = find_column(header, "Kernel Name");
        if (!id || !kernel) continue;
        const Columns columns{.id = *id,
                              .kernel = *kernel,
                              .block = find_column(header, "Block Size"),
                              .grid = find_column(header, "Grid Size"),
                              .metric = find_column(header, "Metric Name"),
                              .value = find_column(header, "Metric Value")};
        if (columns.metric && !columns.value) break;
        return read_rows(text, header, columns);
    }
    throw Error(ExitStatus::bad_usage,
                "This is not a table from Nsight Compute: it has no columns ID and Kernel Name.",
                fmt::format("Create one with `ncu --csv --metrics {} --log-file FILE PROGRAM`.",
                            metric_list()));
}

const HardwareCounts* find_launch(const std::vector<HardwareCounts>& launches,
                                  std::string_view kernel, const Dim3& grid, const Dim3& block)
{
    for (const HardwareCounts& launch : launches) {
        const std::string_view name =
            std::string_view(launch.kernel).substr(0, launch.kernel.find('('));
        if (name == kernel && launch.grid == grid && launch.block == block) return &launch;
    }
    return nullptr;
}

} // namespace lanescope::trace
