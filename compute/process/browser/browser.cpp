// System calls that a browser's C library lacks: anonymous files work, processes fail. Also
// implements cooperative turns in place of threads, with app/browser/turns.js.
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <utility>

#include "compute/threads.h"

extern "C" int memfd_create(const char*, unsigned)
{
    char name[] = "/tmp/memory.XXXXXX";
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    return file;
}

extern "C" int pthread_setattr_default_np(const pthread_attr_t*)
{
    return ENOSYS; // there are no threads
}

extern "C" void turns_begin(void (*work)(), void* stack);
extern "C" bool turns_is_over();
extern "C" void turns_pause();

namespace lanescope {
namespace {

std::function<void()> under_way;
alignas(16) char stack_of_work[std::size_t{1} << 20];

void run_to_completion() noexcept
{
    under_way();
    under_way = nullptr;
}

} // namespace

bool start_yielding_work(std::function<void()> work)
{
    if (under_way) return false;
    under_way = std::move(work);
    turns_begin(&run_to_completion, stack_of_work + sizeof stack_of_work);
    return true;
}

void yield_to_page()
{
    // Reading the clock costs more than the few instructions between calls.
    constexpr unsigned calls_per_check = 8;
    static unsigned asked = 0;
    if (!under_way || ++asked % calls_per_check != 0) return;
    if (turns_is_over()) turns_pause();
}

} // namespace lanescope
