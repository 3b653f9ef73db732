// See trace_output.h.
#include "app/export/trace_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "app/export/table.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;
using trace::Counts;

ordered_json as_json(const Dim3& size)
{
    return {size.x, size.y, size.z};
}

ordered_json sectors(const Counts& counts)
{
    return {{"requests", counts.requests},
            {"sectors", counts.sectors},
            {"ideal_sectors", counts.ideal_sectors}};
}

ordered_json wavefronts(const Counts& counts)
{
    return {{"requests", counts.requests},
            {"wavefronts", counts.wavefronts},
            {"ideal_wavefronts", counts.ideal_wavefronts}};
}

ordered_json as_json(const trace::Totals& totals)
{
    return {{"global_load", sectors(totals.global_load)},
            {"global_store", sectors(totals.global_store)},
            {"global_atomic", sectors(totals.global_atomic)},
            {"shared_load", wavefronts(totals.shared_load)},
            {"shared_store", wavefronts(totals.shared_store)},
            {"shared_atomic", wavefronts(totals.shared_atomic)},
            {"branches", totals.branches},
            {"divergent_branches", totals.divergent_branches},
            {"warp_instructions", totals.warp_instructions},
            {"thread_instructions", totals.thread_instructions}};
}

ordered_json as_json(const trace::Site& site, const Counts& counts)
{
    return {{"file", site.file},
            {"line", site.line},
            {"ptx", site.ptx},
            {"space", name(site.space)},
            {"op", name(site.op)},
            {"width", site.width_bytes},
            {"executions", counts.executions},
            {"lanes", counts.lanes},
            {"requests", counts.requests},
            {"sectors", counts.sectors},
            {"ideal_sectors", counts.ideal_sectors},
            {"wavefronts", counts.wavefronts},
            {"ideal_wavefronts", counts.ideal_wavefronts},
            {"divergent", counts.divergent}};
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

// "12 / 4 (3.0×)": what was moved, what the same lanes needed; empty where there is none of it.
std::string against(std::uint64_t actual, std::uint64_t ideal)
{
    if (actual == 0 && ideal == 0) return "";
    const double factor = ideal ? static_cast<double>(actual) / static_cast<double>(ideal) : 0;
    return fmt::format("{} / {} ({:.2f}×)", grouped(actual), grouped(ideal), factor);
}

std::string active_lanes(const Counts& counts)
{
    if (counts.executions == 0) return "";
    return fmt::format("{:.1f}",
                       static_cast<double>(counts.lanes) / static_cast<double>(counts.executions));
}

std::string totals_text(const trace::Totals& totals)
{
    std::string text;
    const auto line = [&](std::string_view what, const Counts& counts, bool shared) {
        if (counts.requests == 0) return;
        text += fmt::format("{:<15}{} requests, {} {}\n", what, grouped(counts.requests),
                            shared ? against(counts.wavefronts, counts.ideal_wavefronts)
                                   : against(counts.sectors, counts.ideal_sectors),
                            shared ? "wavefronts / ideal" : "sectors / ideal");
    };
    line("global loads", totals.global_load, false);
    line("global stores", totals.global_store, false);
    line("global atomics", totals.global_atomic, false);
    line("shared loads", totals.shared_load, true);
    line("shared stores", totals.shared_store, true);
    line("shared atomics", totals.shared_atomic, true);
    text += fmt::format("{:<15}{} of {} divergent\n", "branches",
                        grouped(totals.divergent_branches), grouped(totals.branches));
    const double lanes = totals.warp_instructions
                             ? static_cast<double>(totals.thread_instructions) /
                                   static_cast<double>(totals.warp_instructions)
                             : 0;
    text += fmt::format("{:<15}{} of warps, {:.1f} of 32 lanes active\n", "instructions",
                        grouped(totals.warp_instructions), lanes);
    return text;
}

} // namespace

std::string place(const trace::Site& site)
{
    if (site.line == 0) return fmt::format("PTX line {}", site.ptx_line);
    return fmt::format("{}:{}", std::filesystem::path(site.file).filename().string(), site.line);
}

ordered_json trace_json(const trace::Trace& trace)
{
    ordered_json sites = ordered_json::array();
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        sites.push_back(as_json(trace.sites[i], trace.counts[i]));
    ordered_json faults = ordered_json::array();
    for (const trace::Fault& fault : trace.faults) faults.push_back(as_json(fault));
    return {{"kernel", trace.kernel},
            {"engine", trace.engine},
            {"grid", as_json(trace.grid)},
            {"block", as_json(trace.block)},
            {"totals", as_json(trace.totals())},
            {"sites", std::move(sites)},
            {"faults", std::move(faults)}};
}

std::string json_text(const ordered_json& json)
{
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string trace_csv(const trace::Trace& trace)
{
    Table table({{"file"},
                 {"line"},
                 {"ptx"},
                 {"space"},
                 {"op"},
                 {"width"},
                 {"executions"},
                 {"lanes"},
                 {"requests"},
                 {"sectors"},
                 {"ideal_sectors"},
                 {"wavefronts"},
                 {"ideal_wavefronts"},
                 {"divergent"}});
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const Counts& c = trace.counts[i];
        table.add({site.file, std::to_string(site.line), site.ptx, std::string(name(site.space)),
                   std::string(name(site.op)), std::to_string(site.width_bytes),
                   std::to_string(c.executions), std::to_string(c.lanes),
                   std::to_string(c.requests), std::to_string(c.sectors),
                   std::to_string(c.ideal_sectors), std::to_string(c.wavefronts),
                   std::to_string(c.ideal_wavefronts), std::to_string(c.divergent)});
    }
    return table.csv();
}

std::string trace_text(const trace::Trace& trace)
{
    Table table({{"site", true},
                 {"line"},
                 {"access"},
                 {"executions", true},
                 {"active lanes", true},
                 {"sectors / ideal", true},
                 {"wavefronts / ideal", true},
                 {"divergent", true},
                 {"PTX"}});
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const Counts& c = trace.counts[i];
        const bool branch = site.op == trace::Op::branch;
        const bool shared = site.space == trace::Space::shared;
        table.add(
            {std::to_string(i), place(site),
             branch ? "branch"
                    : fmt::format("{} {} {} B", name(site.space), name(site.op), site.width_bytes),
             grouped(c.executions), active_lanes(c),
             branch || shared ? "" : against(c.sectors, c.ideal_sectors),
             shared ? against(c.wavefronts, c.ideal_wavefronts) : "",
             branch ? grouped(c.divergent) : "", site.ptx});
    }
    std::string text = fmt::format("{} on {}, grid {}×{}×{}, block {}×{}×{}\n\n", trace.kernel,
                                   trace.engine, trace.grid.x, trace.grid.y, trace.grid.z,
                                   trace.block.x, trace.block.y, trace.block.z);
    text += table.text() + "\n" + totals_text(trace.totals());
    for (const trace::Fault& fault : trace.faults)
        text += fmt::format("fault: {}\n", fault.message);
    return text;
}

} // namespace lanescope::app
