// The array elements that one block loads and stores: a view of the picture.
#include <fmt/format.h>

#include <algorithm>

#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// The request's warp and number determine the block and moment shown.
void count_tiles(const Look& look, Counting& counting)
{
    counting.map = look.map != "off";
    counting.request = look.request;
}

bool tiles_is_counted(const SideFrame& side, const Look&)
{
    return side.picture && side.picture->memory != 0;
}

Scene::Placement draw_tiles(SubjectDrawing drawing)
{
    auto& [scene, side, sheet, beside] = drawing;
    // Null if the view was just selected and the frame is still older.
    const auto* shown = std::get_if<labs::TilesPicture>(&side.picture->shape);
    if (!shown) return picture_subject.draw(std::move(drawing));
    if (side.picture->memory == 0)
        return scene.say(side.counting_problem.empty() ? "The next step records the tiles."
                                                       : side.counting_problem,
                         sheet);
    const labs::Tiles& tiles = *shown->tiles;
    const std::uint32_t last = std::max(tiles.moments, 1U);
    (sheet.caption.is_one_side ? sheet.caption.detail : sheet.caption.place) =
        fmt::format("{}, load {} of {}{}", tiles.block, std::min(tiles.moment + 1, last), last,
                    recorded_step_note(side));
    return scene.draw(PictureShown{*side.picture}, sheet);
}

// Cost of the array that is loaded most, ignoring caches.
std::optional<Cost> cost_of_tiles(const SideFrame& side, const Look&)
{
    const auto* shown =
        side.picture ? std::get_if<labs::TilesPicture>(&side.picture->shape) : nullptr;
    if (!shown || side.picture->memory == 0) return {};
    Cost cost{.unit = "load", .meaning = "of each element, by all blocks", .ideal = 1};
    std::string busiest_array;
    for (const labs::Tiles::Array& array : shown->tiles->arrays) {
        const double each = static_cast<double>(array.launch_loads) /
                            (static_cast<double>(array.width) * array.height);
        if (each <= cost.value) continue;
        cost.value = each;
        busiest_array = array.name;
    }
    if (busiest_array.empty()) return {};
    cost.meaning = fmt::format("of each element of {}, by all blocks", busiest_array);
    return cost;
}

std::int64_t warps_of_block(const Facts& facts)
{
    const auto blocks = static_cast<std::int64_t>(facts.grid.count());
    return blocks == 0 ? 0 : std::max<std::int64_t>(facts.warps() / blocks, 1);
}

// Moves between blocks of the grid, and between loads of a block; a block is selected by its first
// warp.
void move_tiles(const SubjectView& view, const Move& by, Commands& out)
{
    const Facts& facts = view.side.facts;
    const std::int64_t warps = warps_of_block(facts);
    if (warps == 0) return;
    const auto blocks = static_cast<std::int64_t>(facts.grid.count());
    RequestChoice choice = view.look.request;
    const std::int64_t columns = facts.grid.x;
    const std::int64_t block = choice.named_warp() / warps;
    const std::int64_t column =
        std::clamp<std::int64_t>(block % columns + by.right, 0, columns - 1);
    const std::int64_t row =
        std::clamp<std::int64_t>(block / columns - by.up, 0, blocks / columns - 1);
    choice.warp = (row * columns + column) * warps;
    const auto last = std::max<std::int64_t>(loads_of_tiles(view.side), 1) - 1;
    choice.request = std::clamp<std::int64_t>(choice.request + by.request, 0, last);
    out.push_back(ShowRequest{choice});
}

void tiles_controls(const SubjectView& view, Controls& out)
{
    const Facts& facts = view.side.facts;
    const std::int64_t warps = warps_of_block(facts);
    if (warps == 0) return;
    const std::uint64_t blocks = facts.grid.count();
    const RequestChoice choice = view.look.request;
    out.push_back(number("block", fmt::format("block, of {} (arrows)", grouped(blocks)),
                         choice.named_warp() / warps, static_cast<std::int64_t>(blocks) - 1,
                         [choice, warps](std::int64_t to) {
                             return ShowRequest{{choice.site, to * warps, choice.request}};
                         }));
    if (const std::uint32_t loads = loads_of_tiles(view.side); loads > 1)
        out.push_back(
            number("load", fmt::format("load (of {}; Shift ← →)", loads), choice.request, loads - 1,
                   [choice, warps](std::int64_t to) {
                       return ShowRequest{{choice.site, choice.named_warp() / warps * warps, to}};
                   }));
    out.push_back(automatic_scale_toggle(view.look));
    out.push_back(note("Colours: how many requests of the block loaded the element. Framed: what "
                       "the chosen load fetches. Row 0 is at the top."));
}

} // namespace

const SubjectKind tiles_subject{.title = "Result",
                                .question = "Which elements does a block load, and how often?",
                                .view_kind = labs::ViewKind::tiles,
                                .is_picture = true,
                                .needs_simt = true,
                                .count = count_tiles,
                                .counted = tiles_is_counted,
                                .draw = draw_tiles,
                                .cost = cost_of_tiles,
                                .move = move_tiles,
                                .controls = tiles_controls};

} // namespace lanescope::app
