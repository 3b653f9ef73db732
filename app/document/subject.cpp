// See subject.h.
#include "app/document/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/draw/maps.h"

namespace lanescope::app {
namespace {

constexpr std::array<const char*, 4> names{"picture", "memory", "request", "tree"};

} // namespace

std::string name(Subject subject)
{
    return names.at(static_cast<std::size_t>(subject));
}

std::vector<std::string> subject_names()
{
    return {names.begin(), names.end()};
}

Subject subject_named(const std::string& name)
{
    return static_cast<Subject>(std::ranges::find(names, name) - names.begin());
}

Counting counting_for(const Look& look)
{
    Counting counting;
    counting.map = look.subject == Subject::picture && look.map != "off";
    if (counting.map && map_has_scope(look.map)) counting.map_of = look.map_of;
    if (look.subject == Subject::memory) counting.memory = look.memory;
    // The request's warp and number say which block and moment a view of tiles shows, too.
    const bool tiles = look.subject == Subject::picture && look.view == "tiles";
    if (look.subject == Subject::request || tiles) counting.request = look.request;
    if (look.subject == Subject::tree) counting.tree = look.request.warp;
    counting.sites = (counting.map || counting.memory) && look.map_automatic;
    return counting;
}

std::string site_title(const trace::Site& site)
{
    const std::string where =
        site.line > 0 ? fmt::format("line {}", site.line) : fmt::format("PTX {}", site.ptx_line);
    return fmt::format("{}: {} {}, {} bytes a lane", where, name(site.space), name(site.op),
                       site.width_bytes);
}

std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block)
{
    const std::uint64_t warps_of_block = (block.count() + 31) / 32;
    const std::uint64_t linear = warp / warps_of_block;
    return fmt::format("block ({}, {}{}), warp {} of {}", linear % grid.x, linear / grid.x % grid.y,
                       grid.z > 1 ? fmt::format(", {}", linear / grid.x / grid.y) : "",
                       warp % warps_of_block, warps_of_block);
}

} // namespace lanescope::app
