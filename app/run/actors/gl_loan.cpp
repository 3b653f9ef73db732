// Never calls OpenGL while holding the mutex.
#include "app/run/actors/gl_loan.h"

#include <algorithm>
#include <utility>

#include "compute/threads.h"

namespace lanescope::app {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

GlLoan::GlLoan(SharedState& shared_state, Inbox& inbox)
    : shared_state_(shared_state), inbox_(inbox),
      tasks_(std::make_shared<render::GlTaskQueue>([this] {
          const Held held(shared_state_.mutex);
          tasks_wait_ = true;
          shared_state_.for_window.notify_all();
      }))
{
}

// --- OpenGL's thread ---

render::GlTaskQueue::Batch GlLoan::begin_tasks()
{
    bool needs_unmap = false;
    bool destroys = false;
    {
        const Held held(shared_state_.mutex);
        tasks_wait_ = false;
        needs_unmap = memory_ == Memory::computed;
        destroys = !is_held() || inbox_.quits(held);
    }
    render::GlTaskQueue::Batch due = tasks_->take(destroys);
    if (needs_unmap) unmap();
    return due;
}

void GlLoan::run(render::GlTaskQueue::Batch tasks)
{
    for (auto& task : tasks) task();
    if (tasks_->has_more()) {
        const Held held(shared_state_.mutex);
        tasks_wait_ = true;
    }
    try_map({});
}

void GlLoan::release_frame()
{
    released_ = true;
    try_map({});
}

bool GlLoan::is_due(const Held& held, const Check& has_news) const
{
    return has_news(held) || (tasks_wait_ && !is_held()) || memory_ == Memory::computed;
}

void GlLoan::wait(Clock::time_point end, const Check& has_news)
{
    Held held(shared_state_.mutex);
    const auto due = [&] { return is_due(held, has_news); };
    while (!due() && Clock::now() < end) {
        const auto can_map = [&] { return memory_ == Memory::wanted && !is_held(); };
        if (!can_map()) {
            shared_state_.for_window.wait_until(held, end, [&] { return due() || can_map(); });
            continue;
        }
        held.unlock();
        try_map(std::min<Clock::duration>(end - Clock::now(), 2ms)); // OpenGL may still be drawing
        held.lock();
    }
}

void GlLoan::unmap()
{
    render::Sharing& sharing = lent_->sharing(); // the runner does not use it now
    std::exception_ptr error;
    try {
        sharing.unmap();
    } catch (...) {
        error = std::current_exception();
    }
    drawable_ = !error;
    released_ = false;
    const Held held(shared_state_.mutex);
    map_us_ = sharing.map_us();
    unmap_us_ = sharing.unmap_us();
    memory_ = Memory::opengl;
    lent_ = nullptr;
    if (error) {
        error_ = error;
        inbox_.note(held, false);
    }
    shared_state_.for_actors.notify_all();
}

void GlLoan::try_map(std::chrono::nanoseconds at_most)
{
    if (is_held()) return;
    SharedDevice* wanted = nullptr;
    {
        const Held held(shared_state_.mutex);
        if (memory_ != Memory::wanted || inbox_.quits(held)) return;
        memory_ = Memory::mapping;
        wanted = lent_;
    }
    std::exception_ptr error;
    bool mapped = false;
    try {
        mapped = wanted->sharing().try_map(at_most);
    } catch (...) {
        error = std::current_exception();
    }
    if (mapped) drawable_ = false;
    const Held held(shared_state_.mutex);
    memory_ = mapped ? Memory::device : Memory::wanted;
    if (error) error_ = error;
    shared_state_.for_actors.notify_all();
}

// --- the runner ---

bool GlLoan::borrow(SharedDevice& device, const Check& has_changed, const Check& polls)
{
    Held held(shared_state_.mutex);
    if (!has_threads && memory_ != Memory::opengl) return false;
    std::condition_variable& signal = shared_state_.for_actors;
    const auto changed = [&] { return has_changed(held) || error_ != nullptr; };
    const auto until = [&](auto ready) {
        if (polls(held))
            signal.wait_for(held, 20ms, ready);
        else
            signal.wait(held, ready);
    };
    until([&] { return memory_ == Memory::opengl || changed(); });
    if (memory_ != Memory::opengl || changed()) return false;
    memory_ = Memory::wanted;
    lent_ = &device;
    shared_state_.for_window.notify_all();
    if constexpr (!has_threads) { // without threads, this is OpenGL's thread
        held.unlock();
        try_map({});
        held.lock();
        if (memory_ == Memory::device) return true;
        memory_ = Memory::opengl;
        lent_ = nullptr;
        return false;
    }
    until([&] { return memory_ == Memory::device || (memory_ == Memory::wanted && changed()); });
    signal.wait(held, [&] { return memory_ != Memory::mapping; });
    if (memory_ == Memory::device) return true;
    memory_ = Memory::opengl;
    lent_ = nullptr;
    return false;
}

void GlLoan::return_memory(const Held&)
{
    memory_ = Memory::computed;
    shared_state_.for_window.notify_all();
}

void GlLoan::end()
{
    Held held(shared_state_.mutex);
    shared_state_.for_actors.wait(held, [&] { return memory_ != Memory::mapping; });
    if (memory_ == Memory::device) memory_ = Memory::computed;
    if (memory_ == Memory::wanted) memory_ = Memory::opengl;
    shared_state_.for_window.notify_all();
    if constexpr (!has_threads) {
        held.unlock();
        if (memory_ == Memory::computed) unmap();
        return;
    }
    shared_state_.for_actors.wait(held, [&] { return memory_ == Memory::opengl; });
}

} // namespace lanescope::app
