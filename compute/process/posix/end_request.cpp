// The handler only records the signal; a second one ends the program at once.
#include "compute/process/end_request.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace lanescope {
namespace {

std::atomic<int> request = 0;
static_assert(std::atomic<int>::is_always_lock_free); // all that a signal handler may touch

extern "C" void note_request(int signal)
{
    request = signal;
}

} // namespace

void note_end_requests()
{
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        struct sigaction now {};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
        struct sigaction noted {};
        noted.sa_handler = note_request;
        noted.sa_flags = SA_RESETHAND; // no SA_RESTART: interrupted waits check for the request
        sigaction(signal, &noted, nullptr);
    }
}

int end_request()
{
    return request;
}

std::string signal_text(int signal)
{
    return strsignal(signal);
}

void end_as_requested()
{
    const int signal = end_request();
    if (signal == 0) return;
    std::fflush(nullptr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace lanescope
