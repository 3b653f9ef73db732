// See rival.h.
#include "app/run/rival.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanescope::app {

Journal rival_journal(const Journal& journal, const std::string& id)
{
    const labs::Lab& lab = labs::find(journal.start.lab);
    const std::int64_t stride = labs::find_variant(lab, id).steps;
    std::int64_t steps_a_launch = labs::find_variant(lab, journal.start.variant).steps;
    std::int64_t launches = 0; // of the journal's own variants
    std::int64_t steps = 0;    // of the simulated thing
    const auto go_to = [&](std::int64_t launch) {
        steps += (launch - launches) * steps_a_launch;
        launches = launch;
        return (steps + stride - 1) / stride;
    };
    Journal rival{journal.start, {}, 0};
    rival.start.variant = id;
    for (const Event& event : journal.events) {
        const std::int64_t at = go_to(event.step);
        if (const auto* change = std::get_if<VariantChange>(&event.what))
            steps_a_launch = labs::find_variant(lab, change->id).steps;
        else
            rival.events.push_back({at, event.what});
    }
    rival.steps = go_to(journal.steps);
    return rival;
}

std::int64_t launches_behind(const Stage& stage, const Stage& leader)
{
    const std::int64_t missing = leader.facts().steps - stage.facts().steps;
    const std::int64_t stride = stage.variant().steps;
    return std::max<std::int64_t>(0, (missing + stride - 1) / stride);
}

std::int64_t launches_together(const Stage& leader, const Stage& rival, std::int64_t wanted)
{
    const std::int64_t a = leader.variant().steps;
    const std::int64_t common = std::lcm(a, static_cast<std::int64_t>(rival.variant().steps));
    const std::int64_t target = leader.facts().steps + wanted * a;
    const std::int64_t rounded = (target + common - 1) / common * common;
    return (rounded - leader.facts().steps + a - 1) / a;
}

render::Pixels beside(const render::Pixels& a, const render::Pixels& b, float divider)
{
    render::Pixels both = a;
    const int middle = std::clamp(
        static_cast<int>(std::lround(divider * static_cast<float>(a.width))), 0, a.width);
    const int line = std::max(1, a.width / 640);
    for (int y = 0; y < a.height; ++y) {
        const auto row = static_cast<std::ptrdiff_t>(y) * a.width * 3;
        std::copy(b.rgb.begin() + row + std::ptrdiff_t{3} * middle,
                  b.rgb.begin() + row + std::ptrdiff_t{3} * a.width,
                  both.rgb.begin() + row + std::ptrdiff_t{3} * middle);
        for (int x = std::max(0, middle - line); x < std::min(a.width, middle + line); ++x)
            std::fill_n(both.rgb.begin() + row + std::ptrdiff_t{3} * x, 3, std::uint8_t{255});
    }
    return both;
}

std::optional<FieldDifference> difference_of(Stage& leader, Stage& rival)
{
    if (!leader.picture() || !rival.picture()) return {};
    const auto* a = std::get_if<labs::FieldPicture>(leader.picture());
    const auto* b = std::get_if<labs::FieldPicture>(rival.picture());
    if (!a || !b || a->width != b->width || a->height != b->height) return {};
    constexpr std::size_t most_compared = std::size_t{1} << 22;
    const std::size_t count = static_cast<std::size_t>(a->width) * a->height;
    if (count > most_compared) return {};
    FieldDifference difference{0, leader.sharing().buffer(count * sizeof(float)), *a};
    std::vector<float> values;
    const render::MappedScope mapped_a(leader.sharing());
    {
        const render::MappedScope mapped_b(rival.sharing());
        values = device::download<float>(leader.device(), a->values->address(), count);
        const auto others = device::download<float>(rival.device(), b->values->address(), count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = std::abs(values[i] - others[i]);
            difference.largest = std::max(difference.largest, values[i]);
        }
    }
    device::upload<float>(leader.device(), difference.values->address(), values);
    difference.picture.values = difference.values.get();
    difference.picture.low = 0;
    difference.picture.high = difference.largest > 0 ? difference.largest : 1;
    difference.picture.quantity = "difference of " + a->quantity;
    return difference;
}

} // namespace lanescope::app
