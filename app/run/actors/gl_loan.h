// Memory shared by OpenGL and a device is owned by one of them at a time: OpenGL draws from it, or
// it is mapped and kernels write to it. The OpenGL thread maps and unmaps it; the runner borrows
// and returns it. If the runner needs memory created or destroyed, it queues a GL task.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>

#include "app/run/actors/inbox.h"
#include "app/run/actors/shared_state.h"
#include "app/run/engine/shared_device.h"
#include "render/shared/gl_tasks.h"

namespace lanescope::app {

class GlLoan {
public:
    using Check = std::function<bool(const Held&)>;

    // Constructed on OpenGL's thread.
    GlLoan(SharedState& shared_state, Inbox& inbox);

    // callable from any thread
    const std::shared_ptr<render::GlTaskQueue>& tasks() const { return tasks_; }

    // --- OpenGL's thread ---

    // Takes back memory that kernels have written, and returns the tasks to run now. Take the
    // newest frame between this call and run(): the runner posts a frame without some memory before
    // it queues that memory for destruction, so the newest frame never names destroyed memory. An
    // older frame may be drawn while its memory is held.
    render::GlTaskQueue::Batch begin_tasks();
    void run(render::GlTaskQueue::Batch tasks);
    void release_frame();
    // While the result or a copy of it exists, on any thread, none of the memory that OpenGL has
    // now is mapped or destroyed, unless the program quits.
    std::shared_ptr<const void> hold() const { return holds_; }
    // True if a result of hold() exists, or the frame was not released since the last picture.
    bool is_held() const { return !released_ || holds_.use_count() > 1; }
    bool drawable() const { return drawable_; }
    // Waits until this object or `has_news` has something to report; meanwhile maps memory that the
    // runner requests.
    void wait(std::chrono::steady_clock::time_point end, const Check& has_news);
    bool is_due(const Held& held, const Check& has_news) const; // wait() would return at once
    bool is_lent(const Held&) const { return memory_ == Memory::device; }
    bool idle(const Held&) const { return memory_ == Memory::opengl && !tasks_wait_; }

    // --- the runner ---

    // Waits until the device owns the memory; returns false if `changed` becomes true first. While
    // `polls` is true, checks periodically. Never waits in a build without threads.
    bool borrow(SharedDevice& device, const Check& changed, const Check& polls);
    void return_memory(const Held&);
    // On return all memory is OpenGL's again.
    void end();
    // True if mapping or unmapping failed; the error is reported once.
    bool has_error(const Held&) const { return error_ != nullptr; }
    std::exception_ptr take_error(const Held&) { return std::exchange(error_, nullptr); }
    double map_us(const Held&) const { return map_us_; } // medians
    double unmap_us(const Held&) const { return unmap_us_; }

private:
    // State of the memory. OpenGL's thread changes it from wanted to device and from computed to
    // opengl; the runner from opengl to wanted (and back) and from device to computed.
    enum class Memory { opengl, wanted, mapping, device, computed };

    void try_map(std::chrono::nanoseconds at_most);
    void unmap();

    SharedState& shared_state_;
    Inbox& inbox_;
    // Guarded by the mutex.
    Memory memory_ = Memory::opengl;
    SharedDevice* lent_ = nullptr; // device whose memory OpenGL does not own now
    std::exception_ptr error_;
    bool tasks_wait_ = false;
    double map_us_ = 0;
    double unmap_us_ = 0;
    // Used by OpenGL's thread only.
    bool released_ = true; // release_frame() was called since the last picture
    bool drawable_ = false;
    const std::shared_ptr<const char> holds_ = std::make_shared<const char>(); // hold() copies it
    const std::shared_ptr<render::GlTaskQueue> tasks_;
};

} // namespace lanescope::app
