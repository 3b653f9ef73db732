// Lays arrays out next to each other and draws each with one program.
#include "render/views/tiles.h"

#include <algorithm>

namespace lanescope::render {
namespace {

glm::vec4 as_vec4(Colour colour)
{
    return glm::vec4(colour.red, colour.green, colour.blue, 255) / 255.0f;
}

// Arrays in a row or column of equal boxes, and the number of pixels they cover.
struct Placed {
    std::vector<Box> boxes;
    double area = 0;
};

Placed place_in_line(const Box& all, std::span<const double> aspects, float gap, float words,
                     bool down)
{
    Placed layout;
    const auto count = static_cast<float>(aspects.size());
    const float width = down ? all.width : (all.width - gap * (count - 1)) / count;
    const float height = (down ? (all.height - gap * (count - 1)) / count : all.height) - words;
    for (std::size_t i = 0; i < aspects.size(); ++i) {
        const float at = static_cast<float>(i);
        layout.boxes.push_back({down ? all.x : all.x + at * (width + gap),
                                down ? all.y + at * (height + words + gap) : all.y,
                                std::max(width, 1.0F), std::max(height, 1.0F)});
        const Box& box = layout.boxes.back();
        const double across = std::min<double>(box.width, box.height * aspects[i]);
        layout.area += across * across / aspects[i];
    }
    return layout;
}

} // namespace

Scale tiles_scale(std::optional<std::uint32_t> greatest)
{
    Scale scale{0, 8, ColourMap::viridis, false, "loads of an element by this block", ""};
    if (greatest) {
        scale.automatic = true;
        scale.high = static_cast<float>(std::max(*greatest, 1U));
    }
    return scale;
}

std::vector<Box> tiles_layout(const Box& all, std::span<const double> aspects, float gap,
                              float words)
{
    const Placed beside = place_in_line(all, aspects, gap, words, false);
    const Placed below = place_in_line(all, aspects, gap, words, true);
    return beside.area >= below.area ? beside.boxes : below.boxes;
}

TilesView::TilesView() : programs_("shaders/tiles.frag"), counts_(GL_R32UI) {}

void TilesView::draw(const TilesData& data, const Scale& scale, const Placement& placement,
                     const Theme& theme, float frame_px)
{
    gl::LazyProgram& chosen = programs_.choose(data.width, data.height, placement);
    gl::Program& program = chosen.get();
    counts_.attach(data.counts);
    counts_.bind(0);
    maps_.set(program, scale, 1);
    program.set("counts", 0);
    program.set("first", data.first);
    // Untouched elements are between background and grid colour, so that the map's darkest colours
    // stand out.
    program.set("untouched", 0.5F * (as_vec4(theme.background) + as_vec4(theme.grid)));
    program.set("stored", as_vec4(stored_colour(theme)));
    program.set("frame", as_vec4(theme.text));
    program.set("frame_px", frame_px);
    cells_.draw(chosen, data.width, data.height, placement);
}

} // namespace lanescope::render
