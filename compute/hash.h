// Hashes strings, with the same result on every machine and in every version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope {

// FNV-1a over all parts and their lengths.
class Hash {
public:
    void add(std::string_view part)
    {
        for (const std::size_t length = part.size(); const int shift : {0, 8, 16, 24})
            add(static_cast<unsigned char>(length >> shift));
        for (const char one : part) add(static_cast<unsigned char>(one));
    }
    std::uint64_t value() const { return value_; }

private:
    void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
    std::uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace lanescope
