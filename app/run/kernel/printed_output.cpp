// Without room for a file, the prints stay where they are.
#include "app/run/kernel/printed_output.h"

#include <cstdio>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope::app {

PrintedOutput::PrintedOutput()
{
    std::fflush(stdout);
    file_ = memfd_create("printed", MFD_CLOEXEC);
    kept_ = dup(STDOUT_FILENO);
    if (file_ >= 0) dup2(file_, STDOUT_FILENO);
}

PrintedOutput::~PrintedOutput()
{
    give_back();
    if (file_ >= 0) close(file_);
}

void PrintedOutput::give_back()
{
    if (file_ < 0) return;
    std::fflush(stdout);
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
    give_back();
    struct stat about {};
    if (file_ < 0 || fstat(file_, &about) != 0) return {};
    bytes_ = static_cast<std::size_t>(about.st_size);
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
