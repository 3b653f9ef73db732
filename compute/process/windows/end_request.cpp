// Console events: Ctrl C, Ctrl Break, the closed console and the end of the user's session.
#include "compute/process/end_request.h"

#include <windows.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace lanescope {
namespace {

std::atomic<int> request = 0;

// Runs in a thread of its own. Returning FALSE ends the program at once.
BOOL WINAPI note_event(DWORD event)
{
    const int signal = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM;
    if (request.exchange(signal) != 0) return FALSE;
    // After these events Windows ends the program as soon as this returns, or after 5 s.
    constexpr DWORD max_wait_ms = 5000;
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        Sleep(max_wait_ms);
    return TRUE;
}

} // namespace

void note_end_requests()
{
    SetConsoleCtrlHandler(note_event, TRUE);
}

int end_request()
{
    return request;
}

std::string signal_text(int signal)
{
    return std::to_string(signal);
}

void end_as_requested()
{
    if (end_request() == 0) return;
    std::fflush(nullptr);
    ExitProcess(STATUS_CONTROL_C_EXIT);
}

} // namespace lanescope
