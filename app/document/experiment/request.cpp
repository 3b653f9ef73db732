// Parses requests, and computes their cost by the rules of counting/.
#include "app/document/experiment/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "compute/error.h"
#include "compute/numbers.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

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
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no site {}: the kernel has {}, numbered from 0.", number,
                                sites.size()),
                    "Without --request the command prints them.");
    if (sites[number].op == trace::Op::branch)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Site {} ({}) is a branch, which makes no requests.", number,
                                sites[number].ptx),
                    "Choose a load, a store or an atomic.");
    if (!trace::is_watchable(sites[number]))
        throw Error(
            ExitStatus::bad_usage,
            fmt::format(
                "Site {} ({}) accesses {} memory, whose requests have no addresses to show.",
                number, sites[number].ptx, name(sites[number].space)),
            "Choose a load, a store or an atomic of global or shared memory.");
    return static_cast<int>(number);
}

int first_site_of(std::uint32_t line, std::span<const trace::Site> sites)
{
    const auto found = std::ranges::find_if(sites, [&](const trace::Site& site) {
        return site.line == static_cast<int>(line) && trace::is_watchable(site);
    });
    if (found != sites.end()) return static_cast<int>(found - sites.begin());
    throw Error(ExitStatus::no_such_thing,
                fmt::format("Line {} of the source makes no requests.", line),
                "Without --request the command prints the lines that do.");
}

} // namespace

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
                    "Write it as SITE, SITE,WARP or SITE,WARP,OCCURRENCE, each from 0. As SITE, "
                    "L12 is the first access of line 12: L12,5.");
    trace::WatchedRequest request;
    request.site = line ? first_site_of(values[0], sites) : site_numbered(values[0], sites);
    request.warp = values[1];
    request.occurrence = values[2];
    return request;
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
    if (request.space == trace::Space::constant)
        return counting::constant_load(addresses, request.active, site.width_bytes);
    if (site.op == trace::Op::load)
        return counting::shared_load(addresses, request.active, site.width_bytes);
    if (site.op == trace::Op::store)
        return counting::shared_store(addresses, request.active, site.width_bytes);
    return counting::shared_atomic(addresses, request.active, site.width_bytes);
}

RequestCost cost_of(const trace::WatchedRequest& request, const trace::Site& site)
{
    if (trace::costs_passes(request.space)) {
        const counting::SharedCost cost = shared_cost(request, site);
        return {static_cast<int>(cost.wavefronts), static_cast<int>(cost.ideal_wavefronts)};
    }
    const counting::GlobalCost cost = global_cost(request, site);
    return {static_cast<int>(cost.sectors), static_cast<int>(cost.ideal_sectors)};
}

std::string cost_text(const trace::WatchedRequest& request, const trace::Site& site)
{
    const RequestCost cost = cost_of(request, site);
    if (request.space == trace::Space::constant)
        return fmt::format("{} {}, ideal {}", cost.paid, cost.paid == 1 ? "pass" : "passes",
                           cost.ideal);
    const bool shared = request.space == trace::Space::shared;
    return fmt::format(
        "{}, ideal {}",
        counted(static_cast<std::size_t>(cost.paid), shared ? "wavefront" : "sector"), cost.ideal);
}

} // namespace lanescope::app
