// Builds PNG files chunk by chunk, including hostile ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::test {

std::string big_endian(std::uint32_t value);
// A chunk with its length and checksum.
std::string png_chunk(const std::string& type, const std::string& data);
// Compresses with zlib at the highest level.
std::string packed(std::string_view bytes);
// An 8-bit RGB picture whose image data is `rows`, compressed, with extra chunks before and after.
std::string png_file(std::uint32_t width, std::uint32_t height, const std::string& rows,
                     const std::string& before = {}, const std::string& after = {});

} // namespace lanescope::test
