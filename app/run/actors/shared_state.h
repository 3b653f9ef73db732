// Where OpenGL's thread and the actors beside it meet. All that more than one of them sees is
// guarded by one mutex, so that nobody sees half of a change; each actor keeps its own share of it
// private. A function that takes a Held is called with the mutex locked, any other without.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace lanescope::app {

struct SharedState {
    std::mutex mutex;
    std::condition_variable for_actors;
    std::condition_variable for_window; // OpenGL's thread, which waits only by Worker::wait()
};

// Of SharedState::mutex.
using Held = std::unique_lock<std::mutex>;

// The newest frame of one actor, until OpenGL's thread takes it. Each actor that publishes has one
// of its own; Worker::wait() looks at all of them.
template <class What>
class Published {
public:
    void post(const Held&, std::shared_ptr<const What> newest, SharedState& shared_state)
    {
        newest_ = std::move(newest);
        shared_state.for_window.notify_all();
    }
    bool is_new(const Held&) const { return newest_ != nullptr; }
    // `shown` where nothing came since.
    std::shared_ptr<const What> take(const Held&, std::shared_ptr<const What> shown)
    {
        return newest_ ? std::exchange(newest_, nullptr) : std::move(shown);
    }

private:
    std::shared_ptr<const What> newest_;
};

} // namespace lanescope::app
