// Reads the arrays' addresses from the experiment before the step; the trace's counts go into one
// buffer, array after array.
#include "app/run/maps/tiles.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "app/run/maps/growable_buffer.h"

namespace lanescope::app {
namespace {

using Watched = trace::WatchedBlock;

void sum_up(labs::Tiles::Array& array, const Watched::Array& counts, std::uint32_t& max_loads)
{
    for (const std::uint32_t word : counts.elements) {
        const std::uint32_t loads = word & Watched::count;
        array.elements_loaded += loads > 0 ? 1 : 0;
        array.elements_stored += (word & Watched::stored) != 0 ? 1 : 0;
        array.loads += loads;
        max_loads = std::max(max_loads, loads);
    }
    array.launch_loads = counts.launch_loads;
}

} // namespace

void Tiles::ask(labs::Experiment& experiment, const std::string& view, const RequestChoice& choice,
                trace::Trace& trace)
{
    const labs::Picture picture = experiment.picture(view);
    const auto* shown = std::get_if<labs::TilesPicture>(&picture);
    if (!shown) return;
    requested_ = *shown->tiles;
    const labs::Experiment::Shape shape = experiment.shape();
    const std::uint64_t warps_of_block = (shape.block.count() + 31) / 32;
    Watched& watched = trace.watched_block;
    watched.block = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(choice.named_warp()) / warps_of_block, shape.grid.count() - 1);
    watched.moment = static_cast<std::uint32_t>(choice.request);
    const Dim3& grid = shape.grid;
    requested_.block = fmt::format("block ({}, {}) of {} × {}", watched.block % grid.x,
                                   watched.block / grid.x % grid.y, grid.x, grid.y);
    requested_.moment = watched.moment;
    std::size_t first = 0;
    for (labs::Tiles::Array& array : requested_.arrays) {
        const auto elements =
            static_cast<std::size_t>(array.width) * static_cast<std::size_t>(array.height);
        const auto bytes = static_cast<std::size_t>(array.element_bytes);
        watched.arrays.push_back({.address = array.memory->address() + array.offset_bytes,
                                  .bytes = elements * bytes,
                                  .element_bytes = array.element_bytes,
                                  .elements = {},
                                  .launch_loads = 0});
        array.first = first;
        first += elements;
    }
}

void Tiles::take(const trace::Trace& trace, device::Allocator& shown)
{
    taken_.reset();
    const auto& counted = trace.watched_block.arrays;
    if (counted.empty() || counted.size() != requested_.arrays.size()) return;
    labs::Tiles tiles = requested_;
    std::size_t elements = 0;
    for (const Watched::Array& array : counted) elements += array.elements.size();
    if (elements == 0) return; // this engine does not record elements
    make_room(counts_, elements * sizeof(std::uint32_t), shown);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        device_.upload(counts_->address() + tiles.arrays[i].first * sizeof(std::uint32_t),
                       std::as_bytes(std::span(counted[i].elements)));
        sum_up(tiles.arrays[i], counted[i], tiles.max_requests);
    }
    tiles.moments = trace.watched_block.moments;
    taken_ = std::make_shared<const labs::Tiles>(std::move(tiles));
}

void Tiles::complete(labs::Picture& picture) const
{
    if (!taken_ || !std::holds_alternative<labs::TilesPicture>(picture)) return;
    picture = labs::TilesPicture{taken_, counts_};
}

} // namespace lanescope::app
