// What the program prints on a terminal. Texts come from kernels, sessions and labs of anybody, and
// an escape sequence in one would command the terminal.
#pragma once

namespace lanescope {

// From now on writing to standard error never fails: text that a full disk or a closed descriptor
// does not take is lost, and the exit status still says how the command ended. Descriptors 0 to 2
// that are closed are taken, so that no file of the user's becomes one of them. To be called once,
// first, while there is one thread.
void keep_standard_streams();

// From now on standard output and standard error, where they are terminals, show control characters
// as printable() writes them. Files and pipes get every byte as it is: what a kernel prints can be
// compared there. To be called once, while there is one thread.
void guard_terminals();

} // namespace lanescope
