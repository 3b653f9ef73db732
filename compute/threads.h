// Work beside the caller: on separate threads or, where the program has only one, as in a browser,
// run by the caller that needs the result, in turns with the page's frames. Nothing ever waits for another
// thread there.
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

// Number of cores that can be kept busy; at least one.
inline unsigned cores()
{
    return has_threads ? std::max(1U, std::thread::hardware_concurrency()) : 1;
}

// Starts at once; without threads it has finished when this returns.
template <class Work>
auto start_beside(Work work) -> std::future<std::invoke_result_t<Work>>
{
    if constexpr (has_threads) {
        return std::async(std::launch::async, std::move(work));
    } else {
        std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
        task();
        return task.get_future();
    }
}

// Starts work that page frames interrupt wherever it yields. Returns false, without starting it,
// while other such work is running. In browsers that cannot suspend work it has finished when this
// returns; never called where there are threads.
bool take_turns(std::function<void()> work);

// Call often within such work: after some milliseconds the page gets its turn.
#ifdef __EMSCRIPTEN__
void give_way();
#else
inline void give_way() {}
#endif

// Runs a loop that waits for requests, if there are threads. Without threads its owner serves them
// when it asks for results.
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
