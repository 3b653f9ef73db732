// See request.h. All numbers are from 0, as in the trace.
#include "app/document/request.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "app/document/subject.h"
#include "app/export/table.h"
#include "app/export/trace_output.h"
#include "compute/counting/counting.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

std::optional<std::uint32_t> number(std::string_view text)
{
    std::uint32_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return {};
    return value;
}

int site_numbered(std::uint32_t number, std::span<const trace::Site> sites)
{
    if (number >= sites.size())
        throw Error(
            ExitStatus::no_such_thing,
            fmt::format("There is no site {}: the kernel has {}, from 0.", number, sites.size()),
            "Without --request the command prints them.");
    if (sites[number].op == trace::Op::branch)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Site {} ({}) is a branch, which makes no requests.", number,
                                sites[number].ptx),
                    "Choose a load, a store or an atomic.");
    return static_cast<int>(number);
}

int first_site_of(std::uint32_t line, std::span<const trace::Site> sites)
{
    const auto found = std::ranges::find_if(sites, [&](const trace::Site& site) {
        return site.line == static_cast<int>(line) && site.op != trace::Op::branch;
    });
    if (found != sites.end()) return static_cast<int>(found - sites.begin());
    throw Error(ExitStatus::no_such_thing,
                fmt::format("Line {} of the source makes no requests.", line),
                "Without --request the command prints the lines that do.");
}

std::uint64_t warps_of_block(const trace::Trace& trace)
{
    return (trace.block.count() + 31) / 32;
}

// The site of the trace's request, which exists.
const trace::Site& require_request(const trace::Trace& trace)
{
    const trace::WatchedRequest& request = trace.request;
    const trace::Site& site = trace.sites.at(static_cast<std::size_t>(request.site));
    const std::uint64_t warps = trace.grid.count() * warps_of_block(trace);
    if (request.warp >= warps)
        throw Error(
            ExitStatus::no_such_thing,
            fmt::format("There is no warp {}: the launch has {}, from 0.", request.warp, warps),
            "Choose another warp.");
    if (request.active == 0)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("Warp {} has no request {} at site {}: it made {} there.",
                                request.warp, request.occurrence, request.site, request.seen),
                    "Choose another request, counted from 0, another warp or another site.");
    return site;
}

// One of the request's lanes.
struct Lane {
    bool active;
    std::uint64_t address;
    std::uint64_t sector; // from the lowest that the request touches
    std::uint64_t bank;
    std::uint64_t row; // words of one bank in different rows conflict
};

std::array<Lane, 32> lanes_of(const trace::WatchedRequest& request)
{
    std::uint64_t lowest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < 32; ++i)
        if ((request.active >> i & 1) != 0) lowest = std::min(lowest, request.addresses[i]);
    std::array<Lane, 32> lanes{};
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::uint64_t address = request.addresses[i];
        if ((request.active >> i & 1) == 0) continue;
        lanes[i] = {true, address,
                    address / counting::sector_bytes - lowest / counting::sector_bytes,
                    address / counting::bank_bytes % counting::banks,
                    address / (counting::bank_bytes * counting::banks)};
    }
    return lanes;
}

counting::GlobalCost global_cost(const trace::WatchedRequest& request, const trace::Site& site)
{
    const counting::Addresses addresses(request.addresses);
    const bool atomic = site.op == trace::Op::atomic || site.op == trace::Op::reduction;
    return atomic ? counting::global_atomic(addresses, request.active, site.width_bytes)
                  : counting::global_access(addresses, request.active, site.width_bytes);
}

counting::SharedCost shared_cost(const trace::WatchedRequest& request, const trace::Site& site)
{
    const counting::Addresses addresses(request.addresses);
    if (site.op == trace::Op::load)
        return counting::shared_load(addresses, request.active, site.width_bytes);
    if (site.op == trace::Op::store)
        return counting::shared_store(addresses, request.active, site.width_bytes);
    return counting::shared_atomic(addresses, request.active, site.width_bytes);
}

} // namespace

CLI::Option* add_request_option(CLI::App& command, std::string& request)
{
    return command.add_option(
        "--request", request,
        "SITE[,WARP[,OCCURRENCE]], from 0: print the lanes of that request of the warp instead. "
        "SITE is the number that the trace prints, or L12 for the first access of line 12");
}

trace::WatchedRequest parse_request(std::string_view text, std::span<const trace::Site> sites)
{
    std::array<std::uint32_t, 3> values{};
    std::string_view rest = text;
    const bool line = rest.starts_with('L');
    if (line) rest.remove_prefix(1);
    bool more = true;
    for (std::size_t i = 0; i < values.size() && more; ++i) {
        const std::size_t comma = rest.find(',');
        const auto value = number(rest.substr(0, comma));
        if (!value) break;
        values[i] = *value;
        more = comma != std::string_view::npos;
        if (more) rest.remove_prefix(comma + 1);
    }
    if (more)
        throw Error(ExitStatus::bad_usage, fmt::format("--request cannot be \"{}\".", text),
                    "Write it as SITE, SITE,WARP or SITE,WARP,OCCURRENCE, each from 0, or with L12 "
                    "for the first access of line 12: L12,5.");
    trace::WatchedRequest request;
    request.site = line ? first_site_of(values[0], sites) : site_numbered(values[0], sites);
    request.warp = values[1];
    request.occurrence = values[2];
    return request;
}

std::string cost_text(const trace::WatchedRequest& request, const trace::Site& site)
{
    if (request.space == trace::Space::shared) {
        const counting::SharedCost cost = shared_cost(request, site);
        return fmt::format("{}, ideal {}", render::counted(cost.wavefronts, "wavefront"),
                           cost.ideal_wavefronts);
    }
    const counting::GlobalCost cost = global_cost(request, site);
    return fmt::format("{}, ideal {}", render::counted(cost.sectors, "sector"), cost.ideal_sectors);
}

std::string request_text(const trace::Trace& trace)
{
    const trace::WatchedRequest& request = trace.request;
    const trace::Site& site = require_request(trace);
    const bool shared = request.space == trace::Space::shared;
    Table table(
        shared ? std::vector<Table::Column>{{"lane", true},
                                            {"address", true},
                                            {"bank", true},
                                            {"row", true}}
               : std::vector<Table::Column>{{"lane", true}, {"address", true}, {"sector", true}});
    const auto lanes = lanes_of(request);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Lane& lane = lanes[i];
        std::vector<std::string> row{std::to_string(i)};
        row.push_back(lane.active ? fmt::format("{:#x}", lane.address) : "-");
        row.push_back(lane.active ? std::to_string(shared ? lane.bank : lane.sector) : "");
        if (shared) row.push_back(lane.active ? std::to_string(lane.row) : "");
        table.add(std::move(row));
    }
    return fmt::format(
        "{} on {}, site {}, {}: {}\nwarp {} ({}), its request {} of {} here, from 0\n"
        "{} memory, {} of 32 lanes active, {} B each: {}\n\n{}",
        trace.kernel, trace.engine, request.site, place(site), site.ptx, request.warp,
        warp_title(request.warp, trace.grid, trace.block), request.occurrence, request.seen,
        name(request.space), std::popcount(request.active), site.width_bytes,
        cost_text(request, site), table.text());
}

ordered_json request_json(const trace::Trace& trace)
{
    const trace::WatchedRequest& request = trace.request;
    const trace::Site& site = require_request(trace);
    const bool shared = request.space == trace::Space::shared;
    ordered_json json{{"kernel", trace.kernel},
                      {"engine", trace.engine},
                      {"site", request.site},
                      {"file", site.file},
                      {"line", site.line},
                      {"ptx", site.ptx},
                      {"space", name(request.space)},
                      {"op", name(site.op)},
                      {"width", site.width_bytes},
                      {"warp", request.warp},
                      {"occurrence", request.occurrence},
                      {"seen", request.seen},
                      {"active", request.active}};
    if (shared) {
        const counting::SharedCost cost = shared_cost(request, site);
        json["wavefronts"] = cost.wavefronts;
        json["ideal_wavefronts"] = cost.ideal_wavefronts;
    } else {
        const counting::GlobalCost cost = global_cost(request, site);
        json["sectors"] = cost.sectors;
        json["ideal_sectors"] = cost.ideal_sectors;
    }
    ordered_json rows = ordered_json::array();
    const auto lanes = lanes_of(request);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        ordered_json row{{"lane", i}, {"active", lanes[i].active}};
        if (lanes[i].active) {
            row["address"] = lanes[i].address;
            row[shared ? "bank" : "sector"] = shared ? lanes[i].bank : lanes[i].sector;
        }
        rows.push_back(std::move(row));
    }
    json["lanes"] = std::move(rows);
    return json;
}

} // namespace lanescope::app
