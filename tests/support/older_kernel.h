// Simulates an older kernel that lacks some system calls.
#pragma once

#include <functional>
#include <vector>

namespace lanescope::test {

// Landlock's system calls.
std::vector<long> landlock_calls();
// The system call seccomp(), which FileView needs; filters set by the older prctl() still work.
std::vector<long> file_view_calls();

// Runs `work` in a thread in which these system calls do not exist, nor in its child processes.
// Rethrows its exceptions.
void without_calls(const std::vector<long>& calls, const std::function<void()>& work);

} // namespace lanescope::test
