// Background work. With threads, it runs on its own thread; in a browser, which has only one, the
// caller that needs the result runs it, interleaved with the page's frames, so that nothing blocks.
#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <thread>
#include <type_traits>
#include <utility>

namespace lanescope {

#ifdef __EMSCRIPTEN__
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

// Number of usable cores; at least one.
inline unsigned cores()
{
    return has_threads ? std::max(1U, std::thread::hardware_concurrency()) : 1;
}

// Starts the work at once; without threads, it is done when the constructor returns.
template <class Work>
auto start_in_background(Work work) -> std::future<std::invoke_result_t<Work>>
{
    if constexpr (has_threads) {
        return std::async(std::launch::async, std::move(work));
    } else {
        std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
        task();
        return task.get_future();
    }
}

// Starts work that yields to the page's frames at each call of yield_to_page(). Returns false,
// without starting it, while other such work is in progress. In browsers that can't suspend work,
// the call returns when the work is done. Not used where there are threads.
bool start_yielding_work(std::function<void()> work);

// Call often within such work: it yields to the page after a few milliseconds.
#ifdef __EMSCRIPTEN__
void yield_to_page();
#else
inline void yield_to_page() {}
#endif

// Runs a loop that serves requests on its own thread, if there are threads. Otherwise the owner
// serves them when it checks for results.
class LoopThread {
public:
    LoopThread() = default;
    explicit LoopThread(std::function<void()> loop)
    {
        if constexpr (has_threads) thread_ = std::thread(std::move(loop));
    }
    bool joinable() const { return thread_.joinable(); }
    void join()
    {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::thread thread_;
};

} // namespace lanescope
