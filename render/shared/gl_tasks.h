// Work for the thread that OpenGL's context belongs to, asked for by threads that have none: memory
// to be made, memory to be destroyed. In order, one after the other.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace lanescope::render {

class GlTaskQueue {
public:
    // Made by the thread that will process them. `arrived` is called, on any thread, when there is
    // one more.
    explicit GlTaskQueue(std::function<void()> arrived = {});
    ~GlTaskQueue(); // what has not been run is, as far as it destroys something
    GlTaskQueue(const GlTaskQueue&) = delete;
    GlTaskQueue& operator=(const GlTaskQueue&) = delete;

    // Runs it on the owner's thread and returns when it is done; throws what it threw. Called by
    // the owner itself, at once.
    void run(const std::function<void()>& work);
    // To be destroyed by the owner, after what was asked before; returns at once.
    void destroy_later(std::shared_ptr<void> held);

    // The owner's: what has arrived so far, to be run by it; without `destructions` only what came
    // before the first thing that is to be destroyed. has_more() where something is left of it.
    using Batch = std::deque<std::function<void()>>;
    Batch take(bool destructions = true);
    bool has_more() const;
    // Takes and runs.
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
