// C library streams over the same descriptors, so that all output passes through them.
#include "compute/process/terminal.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

#include "compute/text.h"

namespace lanescope {
namespace {

constexpr char first_of_two = '\xc2'; // lead byte of a C1 control character in UTF-8

// A terminal's descriptor and the pending byte of a character split between two writes.
struct Terminal {
    int descriptor = -1;
    bool half = false;
};

ssize_t show(void* cookie, const char* bytes, std::size_t count)
{
    Terminal& terminal = *static_cast<Terminal*>(cookie);
    std::string text(terminal.half ? 1 : 0, first_of_two);
    text.append(bytes, count);
    terminal.half = !text.empty() && text.back() == first_of_two;
    if (terminal.half) text.pop_back();
    const std::string shown = printable(text);
    for (std::string_view left = shown; !left.empty();) {
        const ssize_t written = write(terminal.descriptor, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return 0; // signals an error to the stream
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    return static_cast<ssize_t>(count);
}

[[maybe_unused]] void guard(std::FILE*& stream, int descriptor, int buffering)
{
    if (isatty(descriptor) == 0) return;
    auto* const terminal = new Terminal{descriptor}; // lives as long as the stream: until exit
    cookie_io_functions_t functions{};
    functions.write = show;
    std::FILE* const shown = fopencookie(terminal, "w", functions);
    if (!shown) {
        delete terminal;
        return;
    }
    std::setvbuf(shown, nullptr, buffering, BUFSIZ);
    stream = shown;
}

} // namespace

void guard_terminals()
{
#ifdef __GLIBC__ // other C libraries cannot replace streams
    guard(stdout, STDOUT_FILENO, _IOLBF);
    guard(stderr, STDERR_FILENO, _IONBF);
#endif
}

} // namespace lanescope
