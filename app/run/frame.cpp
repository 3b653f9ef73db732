// What a frame says of itself, for those who draw it.
#include "app/run/frame.h"

namespace lanescope::app {
namespace {

Spread spread_of(const std::shared_ptr<const Recent>& recent)
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
    return spread_of(of(variant).step_ms);
}

Spread Frame::probed_ms(const std::string& variant) const
{
    return spread_of(of(variant).probed_ms);
}

} // namespace lanescope::app
