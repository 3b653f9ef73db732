// The C library's descriptors over Windows' handles, all of them binary.
#include "compute/process/streams.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include "compute/process/windows/kept_file.h"

namespace lanescope {
namespace {

unsigned part_bytes(std::size_t bytes)
{
    constexpr std::size_t max_part = std::size_t{1} << 24;
    return static_cast<unsigned>(std::min(bytes, max_part));
}

// Children inherit only what Process passes to them by name.
int keep_private(int descriptor)
{
    if (descriptor >= 0)
        SetHandleInformation(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)),
                             HANDLE_FLAG_INHERIT, 0);
    return descriptor;
}

} // namespace

bool is_terminal(int descriptor)
{
    DWORD mode = 0;
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    return GetConsoleMode(handle, &mode) != 0; // unlike _isatty(), false for NUL
}

int duplicate(int descriptor)
{
    std::vector<int> low; // copies among the standard streams' numbers
    int copy = _dup(descriptor);
    while (copy >= 0 && copy <= standard_errors) {
        low.push_back(copy);
        copy = _dup(descriptor);
    }
    for (const int one : low) _close(one);
    return keep_private(copy);
}

bool redirect(int target, int source)
{
    return _dup2(source, target) == 0;
}

void close_descriptor(int descriptor)
{
    _close(descriptor);
}

std::ptrdiff_t read_some(int descriptor, std::span<char> bytes)
{
    return _read(descriptor, bytes.data(), part_bytes(bytes.size()));
}

bool write_all(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const int written = _write(descriptor, bytes.data(), part_bytes(bytes.size()));
        if (written <= 0) return false;
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

std::array<int, 2> make_pipe(bool)
{
    constexpr unsigned buffered = 65536;
    std::array<int, 2> ends{};
    if (_pipe(ends.data(), buffered, _O_BINARY | _O_NOINHERIT) != 0) return {-1, -1};
    return ends;
}

void survive_broken_pipes() {} // there are no signals: such writes fail

int make_memory_file(std::size_t)
{
    const KeptFile file = make_kept_file();
    if (file.writing == INVALID_HANDLE_VALUE) return -1;
    CloseHandle(file.reading);
    return keep_private(_open_osfhandle(reinterpret_cast<std::intptr_t>(file.writing), _O_BINARY));
}

std::size_t written_bytes(int file)
{
    const auto end = _lseeki64(file, 0, SEEK_CUR);
    return end < 0 ? 0 : static_cast<std::size_t>(end);
}

std::string beginning_of(int file, std::size_t bytes)
{
    std::string text(bytes, '\0');
    std::size_t have = 0;
    _lseeki64(file, 0, SEEK_SET);
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
    std::clearerr(stream);
}

} // namespace lanescope
