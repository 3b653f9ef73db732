// A debugger on its own thread: takes tasks and publishes immutable frames. The window reads the
// newest frame and never waits.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/document/experiment/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/debug_start.h"
#include "compute/threads.h"

namespace lanescope::app {

class Debugger;
class Explainer;
struct WhyTree;

class DebugActor {
public:
    // `published` is called on the actor's thread after each new frame or answer, to wake a thread
    // that waits for events.
    explicit DebugActor(std::function<void()> published = {});
    ~DebugActor(); // cancels the task in progress
    DebugActor(const DebugActor&) = delete;
    DebugActor& operator=(const DebugActor&) = delete;

    // These calls return at once and are callable from any thread. Requests are processed in order,
    // with two exceptions: open() and close() drop earlier ones, and a jump
    // (StepMove::Kind::position) replaces the jump before it.
    void open(DebugStart start);
    void close(); // newest frame() becomes null
    void move(StepMove move);
    void set_breakpoints(std::vector<Breakpoint> breakpoints);
    void set_watches(std::vector<std::string> expressions);
    void show_warp(std::optional<int> warp);
    // Cancels the move in progress and drops pending ones.
    void stop();

    // Explains an element of the open step's result by column and row, row 0 at the bottom of the
    // picture; see answer().
    void explain(std::int64_t x, std::int64_t y);
    // The same for a point of the result's picture, 0 to 1 from its lower left.
    void explain_at(double u, double v);

    // The newest frame; null before the first one after open(), and after close().
    // DebugFrame::problem has the reason of a failure.
    std::shared_ptr<const DebugFrame> frame();
    // The newest answer; null before the first one, and after open() and close().
    std::shared_ptr<const WhyTree> answer() const;
    bool busy() const { return busy_.load(std::memory_order_relaxed); } // a task is in progress

private:
    struct Open {
        DebugStart start;
        std::uint64_t number;
    };
    struct Close {
        std::uint64_t number;
    };
    struct Explain {
        std::int64_t x, y;
        std::optional<std::pair<double, double>> place{};
    };
    struct Breakpoints {
        std::vector<Breakpoint> all;
    };
    struct Watches {
        std::vector<std::string> all;
    };
    struct Show {
        std::optional<int> warp;
    };
    using Task = std::variant<Open, Close, StepMove, Breakpoints, Watches, Show, Explain>;

    void post(Task task);
    void run();
    bool turn(); // processes a task, or runs ahead a little; returns false if idle
    void perform(Task& task);
    void explain(const Explain& asked);
    void end_current_task();
    std::function<void(simt::SteppedDevice*)> cancellable();
    void publish();
    void show(std::shared_ptr<const DebugFrame> frame);
    void publish_problem(const std::string& problem);

    std::function<void()> published_;
    mutable std::mutex mutex_;
    std::condition_variable requested_;
    std::deque<Task> tasks_;
    bool ends_ = false;
    std::uint64_t requests_ = 0;             // number of open() and close() calls …
    std::uint64_t at_ = 0;                   // … and how many of them were processed
    simt::SteppedDevice* opening_ = nullptr; // machine that runs the preceding steps; cancellable
    std::shared_ptr<const DebugFrame> frame_;
    std::shared_ptr<const WhyTree> answer_;
    std::atomic<bool> busy_ = false;
    std::shared_ptr<Debugger> debugger_; // written under the mutex, used by the thread
    std::unique_ptr<Explainer> explainer_;
    std::optional<DebugStart>
        opened_; // as requested; the debugger may have started at another step
    std::chrono::steady_clock::time_point reported_; // when progress was last published
    LoopThread thread_; // last member, because it uses all of the above
};

} // namespace lanescope::app
