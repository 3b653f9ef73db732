// A temporary file in place of a file in memory, which Windows lacks: rarely written to disk, and
// deleted when its handles are closed.
#pragma once

#include <cstddef>
#include <string>

namespace lanescope {

struct KeptFile {
    void* writing = nullptr; // inherited by children; INVALID_HANDLE_VALUE: none can be made
    void* reading = nullptr;
};
KeptFile make_kept_file();

// The file's first bytes.
std::string contents_of(void* reading, std::size_t max_bytes);

} // namespace lanescope
