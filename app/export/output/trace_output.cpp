// Requests, sectors and wavefronts by site, then by source line, each beside the minimum that the
// same lanes needed.
#include "app/export/output/trace_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "app/export/table.h"
#include "app/measure/ratios.h"
#include "compute/numbers.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/findings.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;
using trace::Counts;

ordered_json as_json(const Dim3& size)
{
    return {size.x, size.y, size.z};
}

// Requests to one memory space, and their cost.
ordered_json cost_json(const Counts& counts, trace::CountOf memory)
{
    ordered_json::object_t json;
    json.reserve(1 + trace::count_rows.size());
    json.emplace_back("requests", counts.requests);
    for (const trace::CountRow& row : trace::count_rows)
        if (row.of == memory ||
            (memory == trace::CountOf::shared && row.of == trace::CountOf::cost))
            json.emplace_back(row.name, counts.*row.field);
    return json;
}

ordered_json as_json(const trace::Totals& totals)
{
    const auto global = [](const Counts& counts) {
        return cost_json(counts, trace::CountOf::global);
    };
    const auto shared = [](const Counts& counts) {
        return cost_json(counts, trace::CountOf::shared);
    };
    const auto modelled = [](const Counts& counts) {
        return cost_json(counts, trace::CountOf::model);
    };
    return {{"global_load", global(totals.global_load)},
            {"global_store", global(totals.global_store)},
            {"global_atomic", global(totals.global_atomic)},
            {"shared_load", shared(totals.shared_load)},
            {"shared_store", shared(totals.shared_store)},
            {"shared_atomic", shared(totals.shared_atomic)},
            {"texture_load", modelled(totals.texture_load)},
            {"surface_load", modelled(totals.surface_load)},
            {"surface_store", modelled(totals.surface_store)},
            {"local_load", modelled(totals.local_load)},
            {"local_store", modelled(totals.local_store)},
            {"branches", totals.branches},
            {"divergent_branches", totals.divergent_branches},
            {"warp_instructions", totals.warp_instructions},
            {"thread_instructions", totals.thread_instructions},
            {"device_launches", totals.device_launches}};
}

ordered_json as_json(const trace::Site& site, const Counts& counts)
{
    ordered_json::object_t json; // built directly: there are many sites with many members each
    json.reserve(6 + trace::count_rows.size());
    json.emplace_back("file", site.file);
    json.emplace_back("line", site.line);
    json.emplace_back("ptx", site.ptx);
    json.emplace_back("space", name(site.space));
    json.emplace_back("op", name(site.op));
    json.emplace_back("width", site.width_bytes);
    for (const trace::CountRow& row : trace::count_rows)
        json.emplace_back(row.name, counts.*row.field);
    return json;
}

ordered_json as_json(const trace::Fault& fault)
{
    return {{"kind", fault.kind},
            {"message", fault.message},
            {"file", fault.file},
            {"line", fault.line},
            {"block", as_json(fault.block)},
            {"thread", as_json(fault.thread)},
            {"address", fault.address}};
}

// "12 / 4 (3.00×)": moved and needed; empty if there was none.
std::string sectors_text(const Counts& counts)
{
    if (counts.sectors == 0 && counts.ideal_sectors == 0) return "";
    return fmt::format(
        "{} / {} ({})", grouped(counts.sectors), grouped(counts.ideal_sectors),
        ratio_text(trace::Ratio::sectors_over_ideal, trace::sectors_over_ideal(counts)));
}

// "1,024 (model)": for texels and local memory.
std::string modelled_text(const Counts& counts)
{
    return counts.modelled_sectors == 0
               ? ""
               : fmt::format("{} (model)", grouped(counts.modelled_sectors));
}

std::string wavefronts_text(const Counts& counts)
{
    if (counts.wavefronts == 0 && counts.ideal_wavefronts == 0) return "";
    return fmt::format(
        "{} / {} ({})", grouped(counts.wavefronts), grouped(counts.ideal_wavefronts),
        ratio_text(trace::Ratio::wavefronts_over_ideal, trace::wavefronts_over_ideal(counts)));
}

std::string lanes_text(const Counts& counts)
{
    const auto lanes = trace::active_lanes(counts);
    return lanes ? fmt::format("{:.1f}", *lanes) : "";
}

// Totals of one source line.
struct Line {
    std::map<std::string, std::size_t> accesses; // number of instructions by kind: "global load"
    Counts all, global, shared, branches, modelled;
};

using Lines = std::map<std::pair<std::string, int>, Line>; // keyed by file and line

Lines lines_of(const trace::Trace& trace)
{
    Lines lines;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        Line& line = lines[{site.file, site.line}];
        const bool branch = site.op == trace::Op::branch;
        ++line.accesses[branch ? "branch" : fmt::format("{} {}", name(site.space), name(site.op))];
        line.all += trace.counts[i];
        if (trace::is_modelled(site.space)) {
            line.modelled += trace.counts[i];
            continue;
        }
        if (branch) {
            line.branches += trace.counts[i];
            continue;
        }
        Counts global = trace.counts[i];
        if (const std::size_t part = trace.sites.size() + i;
            site.space == trace::Space::generic && part < trace.counts.size()) {
            line.shared += trace.counts[part];
            global -= trace.counts[part];
        }
        (trace::costs_passes(site.space) ? line.shared : line.global) += global;
    }
    return lines;
}

// "2 global loads, branch".
std::string accesses_text(const Line& line)
{
    std::string text;
    for (const auto& [access, count] : line.accesses) {
        if (!text.empty()) text += ", ";
        const char* const plural = access.ends_with("ch") ? "es" : "s";
        text += count == 1 ? access : fmt::format("{} {}{}", count, access, plural);
    }
    return text;
}

// Line `number` of a text, from 1, trimmed and truncated for a table.
std::string line_of(std::string_view text, int number)
{
    constexpr std::size_t max_bytes = 60;
    for (int i = 1; i < number && !text.empty(); ++i)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    if (text.size() <= max_bytes) return std::string(text);
    std::size_t end = max_bytes; // never splits a UTF-8 character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
}

std::string lines_table(const trace::Trace& trace, const TraceWords& words)
{
    std::vector<Table::Column> columns{{"line"},
                                       {"accesses"},
                                       {"executions", true},
                                       {"active lanes", true},
                                       {"sectors / ideal", true},
                                       {"wavefronts / ideal", true},
                                       {"divergent", true}};
    if (!words.source.empty()) columns.push_back({"source"});
    Table table(std::move(columns));
    for (const auto& [at, line] : lines_of(trace)) {
        const std::string file = std::filesystem::path(at.first).filename().string();
        std::vector<std::string> row{
            at.second > 0 ? fmt::format("{}:{}", file, at.second) : "no line",
            accesses_text(line),
            grouped(line.all.executions),
            lanes_text(line.all),
            line.global.requests == 0 ? modelled_text(line.modelled) : sectors_text(line.global),
            wavefronts_text(line.shared),
            line.branches.executions ? grouped(line.branches.divergent) : ""};
        if (!words.source.empty())
            row.push_back(at.second > 0 && file == words.file ? line_of(words.source, at.second)
                                                              : "");
        table.add(std::move(row));
    }
    return table.text();
}

std::string totals_text(const trace::Totals& totals)
{
    std::string text;
    const auto line = [&](std::string_view what, const Counts& counts, bool shared) {
        if (counts.requests == 0) return;
        text += fmt::format("{:<15}{}, {} {}\n", what, counted(counts.requests, "request"),
                            shared ? wavefronts_text(counts) : sectors_text(counts),
                            shared ? "wavefronts / ideal" : "sectors / ideal");
    };
    line("global loads", totals.global_load, false);
    line("global stores", totals.global_store, false);
    line("global atomics", totals.global_atomic, false);
    line("global, all", trace::global(totals), false);
    line("shared loads", totals.shared_load, true);
    line("shared stores", totals.shared_store, true);
    line("shared atomics", totals.shared_atomic, true);
    line("shared, all", trace::shared(totals), true);
    const auto modelled = [&](std::string_view what, const Counts& counts) {
        if (counts.requests == 0) return;
        text += fmt::format("{:<15}{}", what, counted(counts.requests, "request"));
        if (counts.modelled_sectors != 0)
            text += fmt::format(", {} sectors by a model of the layout",
                                grouped(counts.modelled_sectors));
        text += '\n';
    };
    modelled("texture loads", totals.texture_load);
    modelled("surface loads", totals.surface_load);
    modelled("surface stores", totals.surface_store);
    modelled("local loads", totals.local_load);
    modelled("local stores", totals.local_store);
    text += fmt::format("{:<15}{} of {} divergent\n", "branches",
                        grouped(totals.divergent_branches), grouped(totals.branches));
    text += fmt::format("{:<15}{} executed by warps, {} of 32 lanes active\n", "instructions",
                        grouped(totals.warp_instructions),
                        ratio_text(trace::Ratio::lanes_per_instruction,
                                   value(trace::Ratio::lanes_per_instruction, totals)));
    if (totals.device_launches != 0)
        text += fmt::format("{:<15}{} from the device, whose counts are included\n", "launches",
                            grouped(totals.device_launches));
    return text;
}

} // namespace

std::string place(const trace::Site& site)
{
    if (site.line == 0) return fmt::format("PTX line {}", site.ptx_line);
    return fmt::format("{}:{}", std::filesystem::path(site.file).filename().string(), site.line);
}

ordered_json ratios_json(const trace::Totals& totals, double items)
{
    ordered_json json = ordered_json::object();
    for (const trace::Ratio ratio : trace::all_ratios) {
        if (is_per_item(ratio) && !(items > 0)) continue;
        const auto value = trace::value(ratio, totals, items);
        json[std::string(text(ratio).id)] = value ? ordered_json(*value) : ordered_json(nullptr);
    }
    return json;
}

namespace {

bool has_assembled(const trace::Trace& trace)
{
    return trace.assembled != nullptr && !trace.assembled_counts.empty();
}

ordered_json assembled_json(const trace::Trace& trace)
{
    ordered_json sites = ordered_json::array();
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::AssembledSite& made = trace.assembled->sites[i];
        ordered_json json = {{"as", name(made.as)},
                             {"width", made.width_bytes},
                             {"copies", made.copies},
                             {"predicated", made.predicated},
                             {"sass", made.sass}};
        if (made.leader >= 0) json["leader"] = made.leader;
        if (!made.members.empty()) json["members"] = made.members;
        for (const trace::CountRow& row : trace::count_rows)
            json[std::string(row.name)] = trace.assembled_counts[i].*row.field;
        sites.push_back(std::move(json));
    }
    return {{"architecture", trace.assembled->architecture},
            {"totals", as_json(trace.assembled_totals())},
            {"ratios", ratios_json(trace.assembled_totals())},
            {"sites", std::move(sites)}};
}

} // namespace

ordered_json trace_json(const trace::Trace& trace)
{
    ordered_json::array_t sites;
    sites.reserve(trace.sites.size());
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        sites.push_back(as_json(trace.sites[i], trace.counts[i]));
    ordered_json faults = ordered_json::array();
    for (const trace::Fault& fault : trace.faults) faults.push_back(as_json(fault));
    ordered_json json = {
        {"kernel", trace.kernel},
        {"engine", trace.engine},
        {"grid", as_json(trace.grid)},
        {"block", as_json(trace.block)},
        {"counts", "ptx"},
        {"reconvergence", trace.meetings_of.empty() ? "ptx" : "sass " + trace.meetings_of},
        {"totals", as_json(trace.totals())},
        {"ratios", ratios_json(trace.totals())},
        {"sites", std::move(sites)},
        {"faults", std::move(faults)}};
    if (has_assembled(trace)) json["assembled"] = assembled_json(trace);
    return json;
}

std::string json_text(const ordered_json& json)
{
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string trace_csv(const trace::Trace& trace)
{
    std::vector<Table::Column> columns{{"file"}, {"line"}, {"ptx"}, {"space"}, {"op"}, {"width"}};
    for (const trace::CountRow& row : trace::count_rows) columns.push_back({std::string(row.name)});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        std::vector<std::string> cells{site.file,
                                       std::to_string(site.line),
                                       site.ptx,
                                       std::string(name(site.space)),
                                       std::string(name(site.op)),
                                       std::to_string(site.width_bytes)};
        for (const trace::CountRow& row : trace::count_rows)
            cells.push_back(std::to_string(trace.counts[i].*row.field));
        table.add(std::move(cells));
    }
    return table.csv();
}

namespace {

// True if a site contributes to this count.
bool has(const trace::Site& site, trace::CountOf of)
{
    const bool branch = site.op == trace::Op::branch;
    const bool shared = trace::costs_passes(site.space);
    switch (of) {
    case trace::CountOf::every: return true;
    case trace::CountOf::branch: return branch;
    case trace::CountOf::model: return trace::is_modelled(site.space);
    case trace::CountOf::global: return !branch && !shared && !trace::is_modelled(site.space);
    case trace::CountOf::shared: return shared;
    case trace::CountOf::access:
    case trace::CountOf::cost: break;
    }
    return !branch;
}

// "LDS.128 R8, [R16]", "4 × LDG.E …", "with site 7".
std::string sass_text(const trace::AssembledSite& made)
{
    if (made.as == trace::AssembledAs::part) return fmt::format("with site {}", made.leader);
    if (made.sass.empty()) return made.predicated ? "no branch of its own" : "removed";
    return made.copies == 1 ? made.sass.front()
                            : fmt::format("{} × {}", made.copies, made.sass.front());
}

std::string sites_table(const trace::Trace& trace, bool sass)
{
    std::vector<Table::Column> columns{{"site", true},
                                       {"line"},
                                       {"access"},
                                       {"executions", true},
                                       {"active lanes", true},
                                       {"sectors / ideal", true},
                                       {"wavefronts / ideal", true}};
    for (const trace::CountRow& row : trace::count_rows)
        if (!row.column.empty()) columns.push_back({std::string(row.column), true});
    columns.push_back({"PTX"});
    if (sass) columns.push_back({"SASS"});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const Counts& c = trace.counts[i];
        std::vector<std::string> cells{
            std::to_string(i),
            place(site),
            has(site, trace::CountOf::branch)
                ? "branch"
                : fmt::format("{} {} {} B", name(site.space), name(site.op), site.width_bytes),
            grouped(c.executions),
            lanes_text(c),
            has(site, trace::CountOf::global) ? sectors_text(c) : modelled_text(c),
            has(site, trace::CountOf::shared) ? wavefronts_text(c) : ""};
        for (const trace::CountRow& row : trace::count_rows)
            if (!row.column.empty())
                cells.push_back(has(site, row.of) ? grouped(c.*row.field) : "");
        cells.push_back(site.ptx);
        if (sass) cells.push_back(sass_text(trace.assembled->sites[i]));
        table.add(std::move(cells));
    }
    return table.text();
}

} // namespace

namespace {

// The same trace with assembled counts in place of the PTX's.
trace::Trace as_assembled(const trace::Trace& trace)
{
    trace::Trace shown = trace;
    shown.counts = trace.assembled_counts;
    return shown;
}

std::string meetings_text(const trace::Trace& trace)
{
    if (trace.meetings_of.empty()) return "";
    return fmt::format("Diverged lanes reconverged where the SASS for {} makes them reconverge, if "
                       "that is known.\n",
                       trace.meetings_of);
}

} // namespace

std::string trace_text(const trace::Trace& trace, const TraceWords& words)
{
    const bool sass = words.sass && has_assembled(trace);
    std::string text =
        fmt::format("{} on {}, grid {}×{}×{}, block {}×{}×{}\n",
                    words.kernel.empty() ? trace.kernel : words.kernel, trace.engine, trace.grid.x,
                    trace.grid.y, trace.grid.z, trace.block.x, trace.block.y, trace.block.z);
    if (!words.about.empty()) text += fmt::format("{}\n", words.about);
    const bool no_lines =
        std::ranges::all_of(trace.sites, [](const trace::Site& site) { return site.line == 0; });
    text += '\n';
    const auto table = [&](const trace::Trace& shown) {
        return words.ptx || no_lines ? sites_table(shown, sass) : lines_table(shown, words);
    };
    text += sass ? table(as_assembled(trace)) : table(trace);
    if (sass)
        text += fmt::format("\nAs assembled for {} (the lines above, too)\n{}\nAs the PTX has it\n",
                            trace.assembled->architecture, totals_text(trace.assembled_totals()));
    else
        text += "\n";
    text += totals_text(trace.totals()) + meetings_text(trace);
    for (const trace::Fault& fault : trace.faults)
        text += fmt::format("{}: {}\n", trace::is_doubt(fault.kind) ? "warning" : "fault",
                            fault.message);
    return text;
}

} // namespace lanescope::app
