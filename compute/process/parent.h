// The child's side of a Process with Input::from_parent: its standard input carries bytes in both
// directions.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace lanescope {

// Returns false if the parent closes its end first.
bool read_from_parent(std::span<std::byte> bytes);
bool write_to_parent(std::span<const std::byte> bytes);
// True if bytes have arrived.
bool parent_waits();

// Ends this process, and what it has started, when the parent closes its end or ends; calls
// `clean_up` before, from another thread. A process that works for long reads no input.
void exit_with_parent(std::function<void()> clean_up);
// The same at once, without cleaning up, and only if the parent ends.
void die_with_parent();

// CPU time of the processes that this one has started and waited for.
double seconds_of_children();

// Enters an empty folder, so that no relative path leads to a file; false if it cannot. Throws
// Error if there is none.
bool enter_empty_folder();

} // namespace lanescope
