// Forks, and reads the child's answer from a pipe.
#include "compute/process/subprocess.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope {
namespace {

[[noreturn]] void answer_parent(const std::function<std::string()>& ask, int to)
{
    int status = 1;
    try {
        const std::string text = ask();
        status = write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
    } catch (const std::exception&) { // reported by the exit status
    }
    _exit(status);
}

} // namespace

std::string run_in_subprocess(const std::function<std::string()>& ask)
{
    std::array<int, 2> ends{};
    const pid_t child = pipe(ends.data()) == 0 ? fork() : -1;
    if (child < 0)
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("Could not start a process: {}.", std::strerror(errno)),
                    "Close some programs.");
    if (child == 0) {
        close(ends[0]);
        answer_parent(ask, ends[1]);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = read(ends[0], bytes.data(), bytes.size())) != 0;) {
        if (count > 0)
            text.append(bytes.data(), static_cast<std::size_t>(count));
        else if (errno != EINTR)
            break;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        throw Error(ExitStatus::device_unavailable,
                    WIFSIGNALED(status)
                        ? fmt::format("The attempt crashed with signal {}.", WTERMSIG(status))
                        : std::string("The attempt to draw failed."),
                    "The graphics driver may be damaged: reinstall it.");
    return text;
}

} // namespace lanescope
