// Filling large inputs on all cores: element by element, so that the result does not depend on how
// many there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace lanescope::labs {

// Calls work(begin, end) for ranges that cover 0 … count. They must not touch each other's
// elements.
template <class Work>
void in_parallel(std::size_t count, Work&& work, std::size_t least_per_core = 1)
{
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t share = std::max(least_per_core, (count + cores - 1) / cores);
    std::vector<std::jthread> others;
    for (std::size_t begin = share; begin < count; begin += share)
        others.emplace_back(
            [&work, begin, end = std::min(count, begin + share)] { work(begin, end); });
    work(std::size_t{0}, std::min(count, share));
}

} // namespace lanescope::labs
