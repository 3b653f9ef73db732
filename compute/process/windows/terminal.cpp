// The console shows escape sequences as text unless a program asks it to obey them, so this one
// asks it not to. Standard streams are binary and UTF-8.
#include "compute/process/terminal.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdio>

#include "compute/process/streams.h"

namespace lanescope {

void keep_standard_streams()
{
    for (std::FILE* stream : {stdin, stdout, stderr}) {
        // Opens each closed one in the wrong direction, so that using it still fails.
        if (_fileno(stream) < 0) [[maybe_unused]]
            std::FILE* const opened = std::freopen("NUL", stream == stdin ? "wb" : "rb", stream);
        else
            _setmode(_fileno(stream), _O_BINARY);
    }
    SetConsoleOutputCP(CP_UTF8);
}

void survive_file_limits() {}

void guard_terminals()
{
    for (const DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
        const HANDLE console = GetStdHandle(which);
        DWORD mode = 0;
        if (GetConsoleMode(console, &mode))
            SetConsoleMode(console, mode & ~DWORD{ENABLE_VIRTUAL_TERMINAL_PROCESSING});
    }
}

} // namespace lanescope
