// Makes terminal output safe. Texts come from untrusted kernels, sessions and labs, and an escape
// sequence in one would control the terminal.
#pragma once

namespace lanescope {

// From now on writing to standard error never fails: text that a full disk or a closed descriptor
// does not accept is lost, and the exit status still says how the command ended. Closed descriptors
// 0 to 2 are opened, so that no file of the user's gets such a number. Call once, before anything
// else, while there is a single thread.
void keep_standard_streams();

// From now on standard output and standard error show control characters as printable() does, if
// they are terminals. Files and pipes get every byte unchanged, so that kernel output can be
// compared. Call once, while there is a single thread.
void guard_terminals();

// From now on writing more than a limit of the system allows fails instead of ending the program.
void survive_file_limits();

} // namespace lanescope
