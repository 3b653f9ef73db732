// Faults outside the arena are passed on to the SIGSEGV handler that was installed before.
#include "compute/runtime/host_arena.h"

#include <cerrno>
#include <csignal>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace lanescope::runtime {

namespace {

constexpr std::uintptr_t arena_begin = std::uintptr_t{0x60} << 40;
constexpr std::uintptr_t arena_end = std::uintptr_t{0x6f} << 40;
std::uintptr_t next = arena_begin;

struct sigaction before;
TouchHandler asked = nullptr;

void handle(int signal, siginfo_t* info, void* context)
{
    const int kept = errno;
    bool writing = false;
#if defined(__x86_64__)
    writing = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#endif
    const bool again = asked != nullptr && info->si_code != SI_USER &&
                       asked(reinterpret_cast<std::uintptr_t>(info->si_addr), writing);
    errno = kept;
    if (again) return;
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr)
        return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        return before.sa_handler(signal);
    // Repeats the access, which now ends the program as it would without this handler.
    std::signal(SIGSEGV, SIG_DFL);
}

std::size_t whole_pages(std::size_t bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

} // namespace

std::span<std::byte> map_host_memory(std::size_t bytes)
{
    const std::size_t size = whole_pages(bytes);
    constexpr std::size_t gap = std::size_t{1} << 16;
    if (size < bytes || arena_end - next < size + gap) return {};
    void* const made = mmap(reinterpret_cast<void*>(next), size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == MAP_FAILED) return {};
    next += size + gap;
    return {static_cast<std::byte*>(made), bytes};
}

void unmap_host_memory(std::span<std::byte> memory)
{
    munmap(memory.data(), whole_pages(memory.size()));
}

void set_access(std::span<std::byte> memory, Access access)
{
    const int allowed = access == Access::open        ? PROT_READ | PROT_WRITE
                        : access == Access::read_only ? PROT_READ
                                                      : PROT_NONE;
    mprotect(memory.data(), whole_pages(memory.size()), allowed);
}

void set_touch_handler(TouchHandler handler)
{
    asked = handler;
    struct sigaction action {};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}

} // namespace lanescope::runtime
