// Assembles PNG chunks, and compresses with zlib.
#include "tests/support/png_bytes.h"

#include <zlib.h>

namespace lanescope::test {

std::string big_endian(std::uint32_t value)
{
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
            static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string png_chunk(const std::string& type, const std::string& data)
{
    const std::string summed = type + data;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + summed +
           big_endian(static_cast<std::uint32_t>(sum));
}

std::string packed(std::string_view bytes)
{
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string all(size, '\0');
    compress2(reinterpret_cast<Bytef*>(all.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
              Z_BEST_COMPRESSION);
    all.resize(size);
    return all;
}

std::string png_file(std::uint32_t width, std::uint32_t height, const std::string& rows,
                     const std::string& before, const std::string& after)
{
    return "\x89PNG\r\n\x1a\n" +
           png_chunk("IHDR", big_endian(width) + big_endian(height) +
                                 std::string("\x08\x02\x00\x00\x00", 5)) +
           before + png_chunk("IDAT", packed(rows)) + after + png_chunk("IEND", {});
}

} // namespace lanescope::test
