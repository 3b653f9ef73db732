// Work beside the caller: on threads of its own or, where the program has but one, as in a browser,
// done by whoever asks for its result, in turns with the page's frames. There nobody ever waits for
// another.
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

// That can be kept busy at once; at least one.
inline unsigned cores()
{
    return has_threads ? std::max(1U, std::thread::hardware_concurrency()) : 1;
}

// Begins at once; without threads it has ended when this returns.
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

// Begins work that frames of the page interrupt wherever it gives way. False, and nothing is begun,
// while other such work is under way. In browsers that cannot leave work it has ended when this
// returns; with threads nobody calls it.
bool take_turns(std::function<void()> work);

// Within such work, often: once it has run for some milliseconds the page has its turn.
#ifdef __EMSCRIPTEN__
void give_way();
#else
inline void give_way() {}
#endif

// Runs a loop that waits for what is asked, if there are threads. Where there are none, its owner
// does what is asked when it looks for what came of it.
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
