// Runs experiments beside OpenGL's thread, with actors that each do a part of the work (actors/).
// The window submits a plan and takes the newest frame; no thread reads what another writes, and
// the window never waits for a device, a fence, a file or a compiler. `shot`, `record` and the
// tests use the same worker and wait for it.
//
// The window's loop:
//
//     worker.tell(plan);              // valid until the next plan; call as often as needed
//     worker.process_gl_tasks();      // takes back computed memory, makes shared memory
//     const auto frame = worker.newest();
//     if (worker.drawable()) …        // draw the frame's picture into a target of the window
//     worker.release_frame();         // done with the picture's memory: the next step may start
//     …                               // panels, from the frame; swap
//     worker.wait(33ms);              // until something is new
//
// Shared memory belongs either to OpenGL or, while mapped, to the device. process_gl_tasks() gives
// it to OpenGL when a step is done, release_frame() to the device. In between, the picture can be
// drawn; afterwards the window shows its target until the next picture comes, and changes of pan,
// zoom and colours wait for that. A frame that is drawn later (a large picture, drawn strip by
// strip) is held: newest_held() keeps its memory as it is, even if something else is opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "app/run/frame/frame.h"
#include "app/run/frame/open_job.h"
#include "app/run/frame/plan.h"

namespace lanescope::app {

class Worker {
public:
    // Needs a current OpenGL context, like every call. All calls come from this thread.
    explicit Worker(const WorkerOptions& options = {});
    ~Worker(); // like end(), without a time limit
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Starts opening something and returns its number. The current experiment continues until the
    // new one is ready; then frames have that number. Only the newest job counts. If it cannot be
    // opened, the frame's problem says why, with the number.
    std::uint64_t open(OpenJob job);
    // Sets the plan.
    void tell(const Plan& plan);
    // Applied, in order, to the newest frame's experiment before its next step, and added to the
    // journal. Strokes and values go to both sides of A/B, variants to side `a`.
    void apply(Change change);
    // Makes this many launches of a paused experiment; in A/B a few more if both sides need them to
    // meet.
    void step(std::int64_t launches = 1);

    // Runs the pending work of OpenGL's thread, all of it short; returns false if there was none.
    // Call before newest().
    bool process_gl_tasks();
    void release_frame();
    // Lets the next step start while this thread continues, if the step requests its memory within
    // this time.
    void lend(std::chrono::duration<double> at_most);
    std::shared_ptr<const Frame> newest() const { return newest_; } // never null
    // The same frame, held: if it is drawable, its memory stays OpenGL's and does not change as
    // long as this pointer or a copy of it exists, until end(). Meanwhile no step starts and
    // nothing is destroyed, so drop the pointer before settle(), which waits for both.
    std::shared_ptr<const Frame> newest_held() const;
    // True if OpenGL may read the newest frame's memory now.
    bool drawable() const;
    // Duration of the current step or replay; 0 if there is none.
    double busy_s() const;
    // True if all requests are done, and nothing will change by itself.
    bool idle() const;
    // Waits until process_gl_tasks() or release_frame() has something to do, or the time is up.
    void wait(std::chrono::duration<double> at_most);

    // Processes all requests, and returns a drawable frame. Throws the failure that occurred since
    // the last call, if any. Only for plans that are not running.
    std::shared_ptr<const Frame> settle();

    // Cancels the current work and ends the thread: returns true if that took no longer than the
    // given time. Otherwise (a kernel on a GPU cannot be stopped) the program can only exit without
    // it, with std::quick_exit.
    bool end(std::chrono::duration<double> at_most);

private:
    struct Actors;
    std::unique_ptr<Actors> actors_;
    std::shared_ptr<const Frame> newest_;
    std::uint64_t reported_ = 0; // newest problem that settle() has thrown
};

} // namespace lanescope::app
