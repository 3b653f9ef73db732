// If no temporary file can be made, prints are not captured.
#include "app/run/kernel/printed_output.h"

#include <stdio_ext.h>

#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lanescope::app {
namespace {

constexpr off_t max_printed_bytes = off_t{256} << 20;

} // namespace

PrintedOutput::PrintedOutput()
{
    std::fflush(stdout);
    file_ = memfd_create("printed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // The file is in memory with a fixed size; output beyond it is lost.
    if (file_ >= 0 &&
        (ftruncate(file_, max_printed_bytes) != 0 || fcntl(file_, F_ADD_SEALS, F_SEAL_GROW) != 0))
        close(std::exchange(file_, -1));
    kept_ = dup(STDOUT_FILENO);
    if (file_ >= 0) dup2(file_, STDOUT_FILENO);
}

PrintedOutput::~PrintedOutput()
{
    restore_streams();
    if (file_ >= 0) close(file_);
}

void PrintedOutput::restore_streams()
{
    if (file_ < 0) return;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) { // the file is full
        __fpurge(stdout);
        std::clearerr(stdout);
    }
    if (kept_ < 0) {
        close(STDOUT_FILENO);
        return;
    }
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
    kept_ = -1;
}

std::string PrintedOutput::take(std::size_t max_bytes)
{
    restore_streams();
    const off_t end = file_ < 0 ? -1 : lseek(file_, 0, SEEK_CUR); // offset of the next write
    if (end < 0) return {};
    bytes_ = static_cast<std::size_t>(end);
    std::string text(std::min(bytes_, max_bytes), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const ssize_t got =
            pread(file_, text.data() + have, text.size() - have, static_cast<off_t>(have));
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    close(file_);
    file_ = -1;
    return text;
}

} // namespace lanescope::app
