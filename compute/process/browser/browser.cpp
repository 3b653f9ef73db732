// System calls that a browser's C library lacks: anonymous files work, processes fail. Also
// implements cooperative turns in place of threads, with app/browser/turns.js.
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <utility>

#include "compute/process/file_view.h"
#include "compute/process/walls.h"
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

// Browsers start no processes, so there is nothing to sandbox.
Walls walls_for_program(const std::filesystem::path&)
{
    return {};
}
PreparedWalls::PreparedWalls(const Walls& walls) : network_(walls.network), limits_(walls.limits) {}
PreparedWalls::~PreparedWalls() = default;
bool PreparedWalls::raise() const noexcept
{
    return ruleset_ < 0 || network_ || limits_.memory_bytes == 0;
}
void limit_processes(unsigned) noexcept {}
KnownWalls known_walls()
{
    return {.no_landlock = "a browser has none"};
}
FileView::FileView(const Walls&, std::set<std::string>) {}
FileView::~FileView() = default;
bool FileView::watch_this_thread()
{
    return watches_own_process_ && listener_ != ending_;
}
void FileView::watch_and_hand_over(int) noexcept {}
bool FileView::take_over(int)
{
    return false;
}
std::vector<std::string> FileView::take_refused_paths()
{
    return {};
}

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
