// A GPU's results for every case, in files: GROUP.rec holds, for each case of a group, its name, a
// checksum of its inputs, and its outputs. All integers are little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

struct Recorded {
    std::uint64_t checksum = 0; // covers kernel, launch and inputs
    std::vector<Bytes> outputs;
};
using Recording = std::map<std::string, Recorded>; // keyed by case name

// Guards against comparing with a recording of another kernel or other inputs.
std::uint64_t checksum(const Case& test);

void write_recording(const std::filesystem::path& file, const Recording& recording);

// Throws std::runtime_error for a missing or damaged file.
Recording read_recording(const std::filesystem::path& file);

} // namespace lanescope::conformance
