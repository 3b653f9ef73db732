// Signals that ask the program to end (SIGTERM, SIGINT, SIGHUP), for what has something to finish
// first: a video, a file, the screen as it is.
#pragma once

namespace lanescope {

// From now on the first of them is only noted; a second one ends the program at once. One that was
// ignored when the program began, as nohup does, stays so.
void note_end_requests();

// The signal that has come; 0: none. From any thread.
int end_request();

// Ends the program by that signal, so that whoever started it sees why; returns where none came.
void end_as_requested();

} // namespace lanescope
