// A table row has the sectors that each level served, and the fraction of loads that hit L1.
#include "app/export/output/caches_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <utility>

#include "app/export/output/trace_output.h"
#include "app/export/table.h"
#include "compute/counting/counting.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

std::uint64_t bytes_of(std::uint64_t sectors)
{
    return sectors * static_cast<std::uint64_t>(counting::sector_bytes);
}

ordered_json rate(std::uint64_t part, std::uint64_t all)
{
    if (all == 0) return nullptr;
    return static_cast<double>(part) / static_cast<double>(all);
}

std::string percent(std::uint64_t part, std::uint64_t all)
{
    if (all == 0) return "";
    return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

bool is_used(const caches::Served& served)
{
    return served.read() + served.written != 0;
}

void add_row(Table& table, std::string place, const std::string& access,
             const caches::Served& served)
{
    const auto cell = [](std::uint64_t sectors) { return sectors == 0 ? "" : grouped(sectors); };
    table.add({std::move(place), access, cell(served.l1), cell(served.l2), cell(served.dram),
               percent(served.l1, served.read()), cell(served.written)});
}

std::string sites_table(const trace::Trace& trace, const CacheReport& report, bool by_site)
{
    Table table({{by_site ? "site" : "line"},
                 {by_site ? "PTX" : "accesses"},
                 {"from L1", true},
                 {"from L2", true},
                 {"from DRAM", true},
                 {"L1 hits", true},
                 {"written to L2", true}});
    // Sectors by file and line, with the accesses that moved them.
    std::map<std::pair<std::string, int>, std::pair<caches::Served, std::string>> lines;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const caches::Served& served = report.sites[i];
        if (!is_used(served)) continue;
        if (by_site) {
            add_row(table, fmt::format("{}  {}", i, place(site)), site.ptx, served);
            continue;
        }
        auto& [sum, ops] = lines[{site.file, site.line}];
        sum += served;
        const std::string_view op = name(site.op);
        if (ops.find(op) == ops.npos) ops += (ops.empty() ? "" : ", ") + std::string(op);
    }
    for (const auto& [at, line] : lines) {
        trace::Site site;
        site.file = at.first;
        site.line = at.second;
        add_row(table, site.line == 0 ? "no line" : place(site), line.second, line.first);
    }
    return table.text();
}

std::string level(std::string_view name, std::uint64_t read, std::uint64_t written,
                  const std::string& hits)
{
    return fmt::format("{:<15}{} B read, {} B written{}\n", name, grouped(bytes_of(read)),
                       grouped(bytes_of(written)), hits.empty() ? "" : ", " + hits + " hits");
}

} // namespace

ordered_json caches_json(const CacheReport& report)
{
    ordered_json json = {{"gpu", report.gpu},
                         {"before", report.before},
                         {"launches", report.launches},
                         {"multiprocessors", report.sizes.multiprocessors},
                         {"resident_blocks", report.result.fit.resident_blocks},
                         {"l1_bytes", report.result.fit.l1_bytes},
                         {"l2_bytes", report.sizes.l2_bytes}};
    if (!report.unavailable.empty()) {
        json["unavailable"] = report.unavailable;
        return json;
    }
    const caches::Traffic& sum = report.result.traffic;
    json["l1"] = {{"load_sectors", sum.l1_loads},
                  {"load_hits", sum.l1_load_hits},
                  {"load_hit_rate", rate(sum.l1_load_hits, sum.l1_loads)},
                  {"store_sectors", sum.l1_stores},
                  {"store_hits", sum.l1_store_hits},
                  {"read_bytes", bytes_of(sum.l1_loads)},
                  {"written_bytes", bytes_of(sum.l1_stores)}};
    json["l2"] = {{"lookups", sum.l2_lookups()},
                  {"hits", sum.l2_hits()},
                  {"hit_rate", rate(sum.l2_hits(), sum.l2_lookups())},
                  {"read_lookups", sum.l2_read_lookups},
                  {"read_hits", sum.l2_read_hits},
                  {"read_sectors", sum.l2_reads},
                  {"written_sectors", sum.l2_writes},
                  {"read_bytes", bytes_of(sum.l2_reads)},
                  {"written_bytes", bytes_of(sum.l2_writes)}};
    json["dram"] = {{"read_sectors", sum.dram_reads},
                    {"written_sectors", sum.dram_writes},
                    {"read_bytes", bytes_of(sum.dram_reads)},
                    {"written_bytes", bytes_of(sum.dram_writes)}};
    ordered_json sites = ordered_json::array();
    for (const caches::Served& served : report.sites)
        sites.push_back({{"l1", served.l1},
                         {"l2", served.l2},
                         {"dram", served.dram},
                         {"written", served.written}});
    json["sites"] = std::move(sites);
    return json;
}

std::string caches_text(const trace::Trace& trace, const CacheReport& report, bool by_site)
{
    std::string text = fmt::format(
        "\nCaches of the {}, {}: {} KiB of L1 per multiprocessor, {} MiB of L2, {} of this launch "
        "resident per multiprocessor (a model)\n",
        report.gpu, report.before == "warm" ? "after the same launch" : "empty before the launch",
        report.result.fit.l1_bytes >> 10, report.sizes.l2_bytes >> 20,
        counted(static_cast<std::uint64_t>(report.result.fit.resident_blocks), "block"));
    if (!report.unavailable.empty()) return text + report.unavailable + "\n";
    bool no_lines = true;
    for (const trace::Site& site : trace.sites) no_lines = no_lines && site.line == 0;
    text += "\n" + sites_table(trace, report, by_site || no_lines) + "\n";
    const caches::Traffic& sum = report.result.traffic;
    text += level("L1", sum.l1_loads, sum.l1_stores, percent(sum.l1_load_hits, sum.l1_loads));
    text += level("L2", sum.l2_reads, sum.l2_writes, percent(sum.l2_hits(), sum.l2_lookups()));
    text += level("DRAM", sum.dram_reads, sum.dram_writes, "");
    return text;
}

} // namespace lanescope::app
