// The limit applies to the main thread's stack; other stacks are ordinary memory.
#include "compute/process/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace lanescope {
namespace {

constexpr std::size_t default_bytes = std::size_t{8} << 20;

// Raises the limit of the main thread and of child processes, where permitted.
void raise_limit(rlimit limit)
{
    const rlimit raised{default_bytes, std::max<rlim_t>(limit.rlim_max, default_bytes)};
    if (setrlimit(RLIMIT_STACK, &raised) == 0) return; // allowed for root
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, default_bytes);
    setrlimit(RLIMIT_STACK, &limit);
}

} // namespace

int with_usual_stack(const std::function<int()>& run)
{
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= default_bytes) return run();
    raise_limit(limit);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, default_bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    int status = 0;
    std::thread([&] { status = run(); }).join();
    return status;
}

} // namespace lanescope
