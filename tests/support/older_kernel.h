// A kernel without some of its system calls, for tests of what the program does there.
#pragma once

#include <functional>
#include <vector>

namespace lanescope::test {

// Landlock's calls.
std::vector<long> landlock_calls();
// seccomp(), which file views need; filters of the older prctl() remain.
std::vector<long> file_view_calls();

// Runs `work` in a thread in which these calls do not exist, nor in the processes that it starts.
// What it throws is thrown here.
void without_calls(const std::vector<long>& calls, const std::function<void()>& work);

} // namespace lanescope::test
