// A small reproduction of a difference: the fewest blocks and threads with which it remains, as a
// lab's folder that the other commands open.
#pragma once

#include <filesystem>
#include <string>

#include "app/run/doubt/doubt.h"

namespace lanescope::app {

// The question with the fewest blocks and threads that still differ: each dimension is halved as
// often as possible. Unchanged if the versions do not differ.
DoubtQuestion reduced(const DoubtQuestion& question);

// Writes the folder: the launch's record, its memory, the first text and, unless it is the same
// source, the second one. `name` is the file name of the kernel. Throws Error (bad_usage) if it
// exists and is not empty, and (unsupported) for a launch with textures.
void write_reproduction(const DoubtQuestion& question, const std::string& name,
                        const std::filesystem::path& folder);

// The command that repeats the question on the folder.
std::string repeat_command(const DoubtQuestion& question, const std::filesystem::path& folder);

} // namespace lanescope::app
