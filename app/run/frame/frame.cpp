// Derived properties of a frame.
#include "app/run/frame/frame.h"

namespace lanescope::app {
namespace {

Spread known_spread(const std::shared_ptr<const Recent>& recent)
{
    return recent ? recent->spread : Spread{};
}

} // namespace

const VariantFrame& Frame::of(const std::string& variant) const
{
    static const VariantFrame nothing;
    const auto found = variants.find(variant);
    return found == variants.end() ? nothing : found->second;
}

Spread Frame::step_ms(const std::string& variant) const
{
    return known_spread(of(variant).step_ms);
}

Spread Frame::probed_ms(const std::string& variant) const
{
    return known_spread(of(variant).probed_ms);
}

std::uint32_t loads_of_tiles(const SideFrame& side)
{
    if (!side.picture) return 0;
    const auto* shown = std::get_if<labs::TilesPicture>(&side.picture->shape);
    return shown && shown->tiles ? shown->tiles->moments : 0;
}

} // namespace lanescope::app
