// A socket, which the parent closes even if it crashes.
#include "compute/process/parent.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "compute/error.h"
#include "compute/process/temporary_folder.h"

namespace lanescope {

bool read_from_parent(std::span<std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t received = recv(STDIN_FILENO, bytes.data(), bytes.size(), 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(received));
    }
    return true;
}

bool write_to_parent(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = send(STDIN_FILENO, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool parent_waits()
{
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return poll(&input, 1, 0) != 0;
}

// This process's group includes everything that it has started.
void exit_with_parent(std::function<void()> clean_up)
{
    std::thread([clean_up = std::move(clean_up)] {
        pollfd input{.fd = STDIN_FILENO, .events = 0, .revents = 0};
        while (poll(&input, 1, -1) < 0 && errno == EINTR) {
        }
        if ((input.revents & POLLHUP) == 0) return;
        clean_up();
        if (getpgrp() == getpid()) kill(0, SIGKILL);
        _exit(static_cast<int>(ExitStatus::bad_usage));
    }).detach();
}

void die_with_parent()
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

double seconds_of_children()
{
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
}

// The folder is removed while this process is in it.
bool enter_empty_folder()
{
    const TemporaryFolder folder;
    return chdir(folder.path().c_str()) == 0;
}

} // namespace lanescope
