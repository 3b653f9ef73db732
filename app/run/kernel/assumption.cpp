// Lists grid and block as launched, then the variant's parameters, then memory.
#include "app/run/kernel/assumption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::app {
namespace {

std::string axes_text(const Dim3& size)
{
    if (size.z > 1) return fmt::format("{} × {} × {}", size.x, size.y, size.z);
    if (size.y > 1) return fmt::format("{} × {}", size.x, size.y);
    return std::to_string(size.x);
}

} // namespace

std::vector<std::string> assumptions(const labs::Lab& lab, const labs::Variant& variant,
                                     const labs::Values& values,
                                     const labs::Experiment::Shape& shape)
{
    std::vector<std::string> all;
    if (!variant.is_guessed()) return all;
    all.push_back(fmt::format("{} {} of {}", axes_text(shape.grid),
                              shape.grid.count() == 1 ? "block" : "blocks",
                              axes_text(shape.block)));
    for (const labs::Parameter& one : lab.parameters)
        if (one.concerns(variant.id))
            all.push_back(fmt::format("{} = {}", one.title, values.text(one.id)));
    all.insert(all.end(), variant.assumed.begin(), variant.assumed.end());
    return all;
}

std::string assumption_line(const std::vector<std::string>& assumptions)
{
    if (assumptions.empty()) return {};
    return fmt::format("assumed: {}", fmt::join(assumptions, ", "));
}

} // namespace lanescope::app
