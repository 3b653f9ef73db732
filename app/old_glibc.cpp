// The program runs on systems whose C library is older than where it was built: what glibc 2.36
// added and the C++ library, linked statically, takes where it is built is defined here, so that
// the newest symbol asked for is of 2.35.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept
{
    std::uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) std::abort();
    return number;
}
