// Differences between systems are in compute/process: other folders include no header of POSIX,
// Linux or Windows and do not ask which of them they are compiled for. Exceptions run whole
// programs, which works on Linux only.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

bool may_know_systems(const std::string& path)
{
    const std::set<std::string> files = {
        "app/old_glibc.cpp",
        "app/run/program/real_runtime.cpp",
        "app/run/program/watchdog.cpp",
        "app/run/program/watched_launches.cpp",
    };
    return path.starts_with("compute/process/") || path.starts_with("compute/runtime/") ||
           path.starts_with("tests/") || files.contains(path);
}

bool is_of_a_system(const std::string& header)
{
    const std::set<std::string> headers = {
        "csignal",   "dirent.h",   "dlfcn.h",  "elf.h",      "fcntl.h",     "ftw.h",
        "glob.h",    "io.h",       "link.h",   "malloc.h",   "poll.h",      "pthread.h",
        "pwd.h",     "sched.h",    "signal.h", "spawn.h",    "stdio_ext.h", "strings.h",
        "termios.h", "ucontext.h", "unistd.h", "wait.h",     "windows.h",   "direct.h",
        "process.h", "shellapi.h", "psapi.h",  "execinfo.h",
    };
    return headers.contains(header) || header.starts_with("sys/") || header.starts_with("linux/") ||
           header.starts_with("netinet/") || header.starts_with("arpa/");
}

TEST(Systems, HeadersStayInTheirFolder)
{
    int checked = 0;
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || may_know_systems(file.path)) continue;
        ++checked;
        for (const auto& include : includes_of(file))
            EXPECT_FALSE(is_of_a_system(include.name))
                << fmt::format("{}:{} includes <{}>: use or extend compute/process.", file.path,
                               include.line, include.name);
    }
    EXPECT_GT(checked, 500);
}

TEST(Systems, NoOtherFileAsksForOne)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || may_know_systems(file.path)) continue;
        const std::string text = read(file);
        for (const char* name :
             {"_WIN32", "__MINGW32__", "__linux__", "__unix__", "/proc/self/exe"})
            EXPECT_EQ(text.find(name), std::string::npos)
                << file.path << " asks for " << name << ": use or extend compute/process.";
    }
}

} // namespace
} // namespace lanescope::tree
