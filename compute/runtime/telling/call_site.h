// Where in the program something was asked for: return addresses, innermost first. Whoever reads
// the report turns them into lines of source.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::runtime {

struct CallSite {
    std::array<std::uintptr_t, 10> frames{};
    int count = 0;

    // Of the calling thread, without what belongs to this library.
    static CallSite here();

    struct Frame {
        std::string file; // the executable or shared library
        std::uint64_t offset = 0;
    };
    std::vector<Frame> resolved() const;
};

} // namespace lanescope::runtime
