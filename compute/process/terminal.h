// Makes terminal output safe. Texts come from other people's kernels, sessions and labs, and an
// escape sequence in one would control the terminal.
#pragma once

namespace lanescope {

// From now on standard output and standard error show control characters as printable() does, if
// they are terminals. Files and pipes get every byte unchanged, so that kernel output can be
// compared. Call once, while there is a single thread.
void guard_terminals();

} // namespace lanescope
