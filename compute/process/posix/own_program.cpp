// /proc/self.
#include "compute/process/own_program.h"

#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>

namespace lanescope {

std::string own_program()
{
    return "/proc/self/exe";
}

std::filesystem::path own_program_file()
{
    std::error_code none;
    return std::filesystem::read_symlink("/proc/self/exe", none);
}

ProgramArguments::ProgramArguments(int count, char** words) : words_(words, words + count + 1) {}

int process_id()
{
    return getpid();
}

bool is_running(int process)
{
    return kill(process, 0) == 0 || errno != ESRCH;
}

std::ptrdiff_t open_descriptors()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

std::size_t heap_bytes()
{
#ifdef __GLIBC__
    const struct mallinfo2 heap = mallinfo2();
#else
    const struct mallinfo heap = mallinfo();
#endif
    return static_cast<std::size_t>(heap.uordblks) + static_cast<std::size_t>(heap.hblkhd);
}

} // namespace lanescope
