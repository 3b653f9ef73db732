// Objects deliberately leaked at exit: freeing thousands of small allocations takes as long as a
// short launch.
#pragma once

#include <utility>
#include <vector>

namespace lanescope::app {

template <class T, class... Arguments>
T& leak_at_exit(Arguments&&... arguments)
{
    static std::vector<T*>& all = *new std::vector<T*>; // keeps them reachable for leak detectors
    return *all.emplace_back(new T(std::forward<Arguments>(arguments)...));
}

} // namespace lanescope::app
