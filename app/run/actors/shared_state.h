// State shared by OpenGL's thread and the actors. One mutex guards everything that more than one of
// them reads, so that no thread sees a half-made change; each actor keeps its own part private. A
// function that takes a Held must be called with the mutex locked; others must be called without
// it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace lanescope::app {

struct SharedState {
    std::mutex mutex;
    std::condition_variable for_actors;
    std::condition_variable for_window; // wakes OpenGL's thread, which waits in Worker::wait() only
};

// A lock of SharedState::mutex.
using Held = std::unique_lock<std::mutex>;

// The newest frame of one actor until OpenGL's thread takes it. Each publishing actor has one;
// Worker::wait() watches all of them.
template <class What>
class Published {
public:
    void post(const Held&, std::shared_ptr<const What> newest, SharedState& shared_state)
    {
        newest_ = std::move(newest);
        shared_state.for_window.notify_all();
    }
    bool is_new(const Held&) const { return newest_ != nullptr; }
    // Returns `shown` if there is nothing new.
    std::shared_ptr<const What> take(const Held&, std::shared_ptr<const What> shown)
    {
        return newest_ ? std::exchange(newest_, nullptr) : std::move(shown);
    }

private:
    std::shared_ptr<const What> newest_;
};

} // namespace lanescope::app
