// PNG files made by hand, chunk by chunk, as hostile ones are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::test {

std::string big_endian(std::uint32_t value);
// With its length and its checksum.
std::string png_chunk(const std::string& type, const std::string& data);
// By zlib, as small as can be.
std::string packed(std::string_view bytes);
// RGB of 8 bits, with chunks before the rows and after them; `rows` are packed here.
std::string png_file(std::uint32_t width, std::uint32_t height, const std::string& rows,
                     const std::string& before = {}, const std::string& after = {});

} // namespace lanescope::test
