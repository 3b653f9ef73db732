// Computes the difference of two fields on the worker's thread, in memory that OpenGL draws.
#include "app/run/side/difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/run/maps/growable_buffer.h"
#include "app/run/side/side.h"

namespace lanescope::app {

std::optional<DifferenceFrame> Difference::between(const labs::Picture& one,
                                                   const labs::Picture& other)
{
    const auto* a = std::get_if<labs::FieldPicture>(&one);
    const auto* b = std::get_if<labs::FieldPicture>(&other);
    if (!a || !b || a->width != b->width || a->height != b->height) return {};
    constexpr std::size_t max_compared = std::size_t{1} << 22;
    const std::size_t count = static_cast<std::size_t>(a->width) * a->height;
    if (count > max_compared) return {};
    device::Device& device = shared_.device();
    std::vector<float> values = device::download<float>(device, a->values->address(), count);
    const auto others = device::download<float>(device, b->values->address(), count);
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = std::abs(values[i] - others[i]);
        largest = std::max(largest, values[i]);
    }
    make_room(values_, count * sizeof(float), shared_.shown());
    device::upload<float>(device, values_->address(), values);
    labs::FieldPicture picture = *a;
    picture.values = values_;
    picture.low = 0;
    picture.high = largest > 0 ? largest : 1;
    picture.quantity = "difference of " + a->quantity;
    picture.outline.clear();
    return DifferenceFrame{largest, drawn(picture, shared_.sharing())};
}

} // namespace lanescope::app
