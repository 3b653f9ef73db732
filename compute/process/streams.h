// File descriptors, as the C library has them on every system. Nothing here is inherited by
// programs that this one starts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace lanescope {

constexpr int standard_input = 0, standard_output = 1, standard_errors = 2;

bool is_terminal(int descriptor);

// A copy with a number above the standard streams'; -1 if there is none to copy.
int duplicate(int descriptor);
// `target` becomes a copy of `source`. Returns false if there are no free descriptors.
bool redirect(int target, int source);
void close_descriptor(int descriptor);

// Number of bytes read; 0 at the end; -1 if it failed, with errno.
std::ptrdiff_t read_some(int descriptor, std::span<char> bytes);
// Returns false, with errno, if the descriptor does not accept everything.
bool write_all(int descriptor, std::string_view bytes);
// Everything up to the end of the stream.
std::string read_to_end(int descriptor);

// The reading and the writing end, or {-1, -1}. `blocks`: reading waits for bytes.
std::array<int, 2> make_pipe(bool blocks);

// From now on this thread's writes to a pipe without a reader fail instead of ending the program.
void survive_broken_pipes();

// A file in memory, or a temporary one, that keeps at most `max_bytes`; -1 if none can be made.
int make_memory_file(std::size_t max_bytes);
// Where the next write of the file would go.
std::size_t written_bytes(int file);
// The file's first bytes. Its position is then at its start.
std::string beginning_of(int file, std::size_t bytes);

// setvbuf()'s mode for a stream that shows each line at once.
#ifdef _WIN32
constexpr int line_buffering = _IONBF; // its C library has no other
#else
constexpr int line_buffering = _IOLBF;
#endif

// Forgets what the stream has not written yet.
void discard_pending(std::FILE* stream);

} // namespace lanescope
