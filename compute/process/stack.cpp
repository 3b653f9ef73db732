// The limit holds for the first thread's stack; the others' lie in memory like any other.
#include "compute/process/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace lanescope {
namespace {

constexpr std::size_t usual_bytes = std::size_t{8} << 20;

// Of the first thread, and of the programs that this one starts, where that is allowed.
void raise_limit(rlimit limit)
{
    const rlimit raised{usual_bytes, std::max<rlim_t>(limit.rlim_max, usual_bytes)};
    if (setrlimit(RLIMIT_STACK, &raised) == 0) return; // root may
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, usual_bytes);
    setrlimit(RLIMIT_STACK, &limit);
}

} // namespace

int with_usual_stack(const std::function<int()>& run)
{
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= usual_bytes) return run();
    raise_limit(limit);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, usual_bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    int status = 0;
    std::thread([&] { status = run(); }).join();
    return status;
}

} // namespace lanescope
