// Lists of things that have an id: labs, variants, parameters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::labs {

// "naive, tile, padded".
template <class Range>
std::string ids(const Range& range)
{
    std::vector<std::string_view> names;
    for (const auto& item : range) names.push_back(item.id);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Null if there is none with this id.
template <class Range>
auto by_id(const Range& range, std::string_view id) -> decltype(&*range.begin())
{
    const auto found =
        std::ranges::find(range, id, [](const auto& item) -> std::string_view { return item.id; });
    return found == range.end() ? nullptr : &*found;
}

} // namespace lanescope::labs
