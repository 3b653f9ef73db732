// System calls, repeated when a signal interrupts them.
#include "compute/process/streams.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace lanescope {

bool is_terminal(int descriptor)
{
    return isatty(descriptor) != 0;
}

int duplicate(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

bool redirect(int target, int source)
{
    return dup2(source, target) >= 0;
}

void close_descriptor(int descriptor)
{
    close(descriptor);
}

std::ptrdiff_t read_some(int descriptor, std::span<char> bytes)
{
    for (;;) {
        const ssize_t got = read(descriptor, bytes.data(), bytes.size());
        if (got >= 0 || errno != EINTR) return got;
    }
}

bool write_all(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string read_to_end(int descriptor)
{
    std::string all;
    std::array<char, 65536> part{};
    for (;;) {
        const std::ptrdiff_t got = read_some(descriptor, part);
        if (got <= 0) return all;
        all.append(part.data(), static_cast<std::size_t>(got));
    }
}

std::array<int, 2> make_pipe(bool blocks)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {-1, -1};
    if (!blocks) fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return ends;
}

void survive_broken_pipes()
{
    sigset_t broken_pipe{};
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

int make_memory_file(std::size_t max_bytes)
{
    const int file = memfd_create("kept", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // The file has a fixed size; writes beyond it fail.
    if (file >= 0 && (ftruncate(file, static_cast<off_t>(max_bytes)) != 0 ||
                      fcntl(file, F_ADD_SEALS, F_SEAL_GROW) != 0)) {
        close(file);
        return -1;
    }
    return file;
}

std::size_t written_bytes(int file)
{
    const off_t end = lseek(file, 0, SEEK_CUR);
    return end < 0 ? 0 : static_cast<std::size_t>(end);
}

std::string beginning_of(int file, std::size_t bytes)
{
    std::string text(bytes, '\0');
    std::size_t have = 0;
    lseek(file, 0, SEEK_SET);
    while (have < bytes) {
        const std::ptrdiff_t got = read_some(file, std::span(text).subspan(have));
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    return text;
}

void discard_pending(std::FILE* stream)
{
    __fpurge(stream);
    std::clearerr(stream);
}

} // namespace lanescope
