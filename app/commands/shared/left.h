// What goes with the process: nobody waits for a command that has done its work to give back
// thousands of pieces, which takes as long as a small launch.
#pragma once

#include <utility>
#include <vector>

namespace lanescope::app {

template <class T, class... Arguments>
T& leak_at_exit(Arguments&&... arguments)
{
    static std::vector<T*>& all = *new std::vector<T*>; // for those who look for leaks
    return *all.emplace_back(new T(std::forward<Arguments>(arguments)...));
}

} // namespace lanescope::app
