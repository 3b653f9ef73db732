// Writes a request's lanes as a table and as JSON. All numbers count from 0, as in the trace.
#include "app/export/output/request_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include "app/document/experiment/request.h"
#include "app/document/look/subject.h"
#include "app/export/output/trace_output.h"
#include "app/export/table.h"
#include "compute/counting/counting.h"
#include "compute/error.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

std::uint64_t warps_of_block(const trace::Trace& trace)
{
    return (trace.block.count() + 31) / 32;
}

// The site of the trace's request; throws if there is none.
const trace::Site& require_request(const trace::Trace& trace)
{
    const trace::WatchedRequest& request = trace.request;
    const trace::Site& site = trace.sites.at(static_cast<std::size_t>(request.site));
    const std::uint64_t warps = trace.grid.count() * warps_of_block(trace);
    if (request.warp >= warps)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no warp {}: the launch has {}, numbered from 0.",
                                request.warp, warps),
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
    std::uint64_t sector; // relative to the lowest one touched
    std::uint64_t bank;
    std::uint64_t row;  // words of one bank in different rows conflict
    std::uint64_t word; // of constant memory
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
        lanes[i] = {true,
                    address,
                    address / counting::sector_bytes - lowest / counting::sector_bytes,
                    address / counting::bank_bytes % counting::banks,
                    address / (counting::bank_bytes * counting::banks),
                    address / counting::bank_bytes};
    }
    return lanes;
}

// The unit of a memory that serves lanes, and its number at a lane's address.
const char* place_name(trace::Space space)
{
    return space == trace::Space::shared     ? "bank"
           : space == trace::Space::constant ? "word"
                                             : "sector";
}

std::uint64_t place_of(const Lane& lane, trace::Space space)
{
    return space == trace::Space::shared     ? lane.bank
           : space == trace::Space::constant ? lane.word
                                             : lane.sector;
}

} // namespace

std::string request_text(const trace::Trace& trace)
{
    const trace::WatchedRequest& request = trace.request;
    const trace::Site& site = require_request(trace);
    const bool shared = request.space == trace::Space::shared;
    std::vector<Table::Column> columns{
        {"lane", true}, {"address", true}, {place_name(request.space), true}};
    if (shared) columns.push_back({"row", true});
    Table table(std::move(columns));
    const auto lanes = lanes_of(request);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Lane& lane = lanes[i];
        std::vector<std::string> row{std::to_string(i)};
        row.push_back(lane.active ? fmt::format("{:#x}", lane.address) : "-");
        row.push_back(lane.active ? std::to_string(place_of(lane, request.space)) : "");
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
    if (trace::costs_passes(request.space)) {
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
            row[place_name(request.space)] = place_of(lanes[i], request.space);
        }
        rows.push_back(std::move(row));
    }
    json["lanes"] = std::move(rows);
    return json;
}

} // namespace lanescope::app
