// Lets the program run on systems with an older C library than the build machine's: defines the
// glibc 2.36 functions that the statically linked C++ library uses, so that the newest symbol
// required is from 2.35.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept
{
    std::uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) std::abort();
    return number;
}
