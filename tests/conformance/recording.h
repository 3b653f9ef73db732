// What a GPU gave for every case, in files: GROUP.rec holds, for each case of a group, its name, a
// checksum of what went in, and its outputs. All integers are little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

struct Recorded {
    std::uint64_t checksum = 0; // of kernel, launch and inputs
    std::vector<Bytes> outputs;
};
using Recording = std::map<std::string, Recorded>; // by the case's name

// A recording made from another kernel or other inputs must not be compared.
std::uint64_t checksum(const Case& test);

void write_recording(const std::filesystem::path& file, const Recording& recording);

// Throws std::runtime_error for a file that is missing or broken.
Recording read_recording(const std::filesystem::path& file);

} // namespace lanescope::conformance
