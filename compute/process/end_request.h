// Signals that ask the program to end (SIGTERM, SIGINT, SIGHUP), for code that has to finish
// something first: a video, a file, the terminal's state.
#pragma once

#include <string>

namespace lanescope {

// From now on the first signal is only recorded; a second one ends the program at once. A signal
// ignored at program start, as under nohup, stays ignored.
void note_end_requests();

// The signal received; 0: none. Callable from any thread.
int end_request();

// Ends the program with that signal, so that the parent sees the reason, after writing what the
// standard streams hold; returns if there was none.
void end_as_requested();

// The system's name of a signal: "Killed".
std::string signal_text(int signal);

} // namespace lanescope
