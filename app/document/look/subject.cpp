// Names of subjects; descriptions of sites and warps.
#include "app/document/look/subject.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace lanescope::app {
namespace {

constexpr std::array names{"picture", "memory", "request", "tree",
                           "lines"}; // in the order of Subject

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

std::string site_title(const trace::Site& site)
{
    const std::string where =
        site.line > 0 ? fmt::format("line {}", site.line) : fmt::format("PTX {}", site.ptx_line);
    return fmt::format("{}: {} {}, {} B per lane", where, name(site.space), name(site.op),
                       site.width_bytes);
}

std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block)
{
    const std::uint64_t warps_of_block = (block.count() + 31) / 32;
    if (const std::uint64_t own = grid.count() * warps_of_block; warp >= own)
        return fmt::format("warp {} of the launches from the device", warp - own);
    const std::uint64_t linear = warp / warps_of_block;
    return fmt::format("block ({}, {}{}), warp {} of {}", linear % grid.x, linear / grid.x % grid.y,
                       grid.z > 1 ? fmt::format(", {}", linear / grid.x / grid.y) : "",
                       warp % warps_of_block, warps_of_block);
}

} // namespace lanescope::app
