// A queue of work for the thread that owns the OpenGL context. Threads without a context use it to
// create or destroy OpenGL memory. Processed in order.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace lanescope::render {

class GlTaskQueue {
public:
    // Construct this on the thread that will process the tasks. `arrived` is called on the thread
    // that adds a task.
    explicit GlTaskQueue(std::function<void()> arrived = {});
    ~GlTaskQueue(); // runs the pending destructions
    GlTaskQueue(const GlTaskQueue&) = delete;
    GlTaskQueue& operator=(const GlTaskQueue&) = delete;

    // Runs the task on the owner's thread, waits for it, and rethrows its exception. If called on
    // the owner's thread, runs it directly.
    void run(const std::function<void()>& work);
    // Makes the owner's thread destroy `held` after earlier tasks; returns immediately.
    void destroy_later(std::shared_ptr<void> held);

    // For the owner: takes the pending tasks; if `destructions` is false, only the tasks before the
    // first destruction. has_more() is true if tasks are left.
    using Batch = std::deque<std::function<void()>>;
    Batch take(bool destructions = true);
    bool has_more() const;
    // Takes all pending tasks and runs them.
    void process();

private:
    bool on_owner_thread() const { return std::this_thread::get_id() == owner_; }
    struct GlTask {
        std::function<void()> run;
        bool destroys = false;
    };
    void add(GlTask task);

    std::function<void()> arrived_;
    std::thread::id owner_ = std::this_thread::get_id();
    mutable std::mutex mutex_;
    std::deque<GlTask> waiting_;
};

} // namespace lanescope::render
