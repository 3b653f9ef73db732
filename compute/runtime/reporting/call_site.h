// A call site in the program: return addresses, innermost first. The reader of the report maps them
// to source lines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::runtime {

struct CallSite {
    std::array<std::uintptr_t, 10> frames{};
    int count = 0;

    // Call site of the calling thread, without this library's own frames.
    static CallSite here();

    // RAII: in its scope, here() returns the given site on this thread.
    class Pretended {
    public:
        explicit Pretended(const CallSite& site);
        ~Pretended();
        Pretended(const Pretended&) = delete;
        Pretended& operator=(const Pretended&) = delete;
    };

    struct Frame {
        std::string file; // executable or shared library
        std::uint64_t offset = 0;
    };
    std::vector<Frame> resolved() const;
};

} // namespace lanescope::runtime
