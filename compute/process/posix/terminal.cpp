// C library streams over the same descriptors, so that all output passes through them.
#include "compute/process/terminal.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "compute/process/streams.h"
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
    const bool written = write_all(terminal.descriptor, printable(text));
    // A stream treats 0 as an error.
    return written || terminal.descriptor == STDERR_FILENO ? static_cast<ssize_t>(count) : 0;
}

[[maybe_unused]] ssize_t write_or_lose(void*, const char* bytes, std::size_t count)
{
    write_all(STDERR_FILENO, {bytes, count});
    return static_cast<ssize_t>(count);
}

// `cookie` is passed to `write`. Returns false if out of memory.
[[maybe_unused]] bool replace(std::FILE*& stream, void* cookie, cookie_write_function_t* write,
                              int buffering)
{
    cookie_io_functions_t functions{};
    functions.write = write;
    std::FILE* const made = fopencookie(cookie, "w", functions);
    if (!made) return false;
    std::setvbuf(made, nullptr, buffering, BUFSIZ);
    stream = made;
    return true;
}

[[maybe_unused]] void guard(std::FILE*& stream, int descriptor, int buffering)
{
    if (isatty(descriptor) == 0) return;
    auto* const terminal = new Terminal{descriptor}; // lives as long as the stream: until exit
    if (!replace(stream, terminal, show, buffering)) delete terminal;
}

} // namespace

void keep_standard_streams()
{
    // Opens each in the wrong direction, so that using a stream that was closed still fails.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(descriptor, F_GETFD) < 0 &&
            open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            break;
#ifdef __GLIBC__ // other C libraries cannot replace streams
    replace(stderr, nullptr, write_or_lose, _IONBF);
#endif
}

void survive_file_limits()
{
    std::signal(SIGXFSZ, SIG_IGN);
}

void guard_terminals()
{
#ifdef __GLIBC__
    guard(stdout, STDOUT_FILENO, _IOLBF);
    guard(stderr, STDERR_FILENO, _IONBF);
#endif
}

} // namespace lanescope
