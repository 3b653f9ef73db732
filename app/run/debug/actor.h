// A debugger with a thread of its own, beside the worker: it takes what is to be done and publishes
// frames that never change. The window asks for the newest one and waits for nothing.
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

#include "app/document/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/debug_start.h"
#include "compute/threads.h"

namespace lanescope::app {

class Debugger;
class Explainer;
struct WhyTree;

class DebugActor {
public:
    // `published` is called from the actor's thread whenever there is a new frame or answer: to
    // wake whoever waits for events.
    explicit DebugActor(std::function<void()> published = {});
    ~DebugActor(); // ends what is under way
    DebugActor(const DebugActor&) = delete;
    DebugActor& operator=(const DebugActor&) = delete;

    // All of these return at once, from any thread. What was asked before and has not begun is done
    // first; but open() and close() forget it, and a jump (StepMove::Kind::position) replaces the
    // one before it.
    void open(DebugStart start);
    void close(); // the frame is null from then on
    void move(StepMove move);
    void set_breakpoints(std::vector<Breakpoint> breakpoints);
    void set_watches(std::vector<std::string> expressions);
    void show_warp(std::optional<int> warp);
    // Ends the move under way, and forgets those that wait.
    void stop();

    // Why an element of the result is what it is: column and row, row 0 at the bottom of the
    // picture. Of the step that is open; the answer comes with answer().
    void explain(std::int64_t x, std::int64_t y);
    // The same at a place of the result's picture, 0 to 1 from its lower left.
    void explain_at(double u, double v);

    // The newest; null before the first after open(), and after close(). DebugFrame::problem says
    // why there is none.
    std::shared_ptr<const DebugFrame> frame();
    // The newest; null before the first, and after open() and close().
    std::shared_ptr<const WhyTree> answer() const;
    bool busy() const { return busy_.load(std::memory_order_relaxed); } // something is under way

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
    bool turn(); // does a task, or runs ahead a little; false: there is nothing to do
    void perform(Task& task);
    void explain(const Explain& asked);
    void end_what_runs();
    std::function<void(simt::SteppedDevice*)> cancellable();
    void publish();
    void show(std::shared_ptr<const DebugFrame> frame);
    void publish_problem(const std::string& problem);

    std::function<void()> published_;
    mutable std::mutex mutex_;
    std::condition_variable asked_;
    std::deque<Task> tasks_;
    bool ends_ = false;
    std::uint64_t requests_ = 0;             // counts open() and close() …
    std::uint64_t at_ = 0;                   // … and which of them was done last
    simt::SteppedDevice* opening_ = nullptr; // that runs the steps before; to be cancelled
    std::shared_ptr<const DebugFrame> frame_;
    std::shared_ptr<const WhyTree> answer_;
    std::atomic<bool> busy_ = false;
    std::shared_ptr<Debugger> debugger_; // set under the mutex, used by the thread
    std::unique_ptr<Explainer> explainer_;
    std::chrono::steady_clock::time_point told_; // of how far it has run ahead
    LoopThread thread_;                          // last: it uses all of the above
};

} // namespace lanescope::app
