// A call site in the program: return addresses, innermost first, and in Python the script's line.
// The reader of the report maps addresses to source lines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compute/runtime/reporting/script_place.h"

namespace lanescope::runtime {

struct CallSite {
    std::array<std::uintptr_t, 10> frames{};
    int count = 0;
    const ScriptPlace* script = nullptr; // null: not called from Python

    // Call site of the calling thread, without this library's own frames.
    static CallSite here();

    // RAII: an API call of the calling thread, or an access to protected memory. The
    // outermost one looks up the script's line, before locks are taken; here() returns
    // that line until the scope ends.
    class Entered {
    public:
        Entered();
        ~Entered();
        Entered(const Entered&) = delete;
        Entered& operator=(const Entered&) = delete;
    };

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
