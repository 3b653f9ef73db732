// Runs experiments beside OpenGL's thread, by actors that each have a part of the work (actors/).
// The window tells what it wants and takes the newest frame; no thread reads what another writes,
// and the window never waits for a device, a fence, a file or a compiler. `shot`, `record` and the
// tests use the same worker and wait for it.
//
// The window's loop:
//
//     worker.tell(plan);              // what holds from now on; as often as one likes
//     worker.process_gl_tasks();      // takes back memory that was computed, makes shared memory
//     const auto frame = worker.newest();
//     if (worker.drawable()) …        // draw frame's picture into a target of the window's own
//     worker.release_frame();         // done with the picture's memory: the next step may begin
//     …                               // panels, from the frame; swap
//     worker.wait(33ms);              // until something is new
//
// Memory that both sides see belongs to OpenGL or, mapped, to the device. process_gl_tasks() gives
// it to OpenGL when a step is done, release_frame() to the device. Between them the picture can be
// drawn; afterwards the window shows its target until the next picture comes, while pan, zoom and
// colours wait for it. A frame that is drawn later than that (a large picture, taken strip by
// strip) is held: held_newest() keeps its memory as it is, even if something else is opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "app/run/frame.h"
#include "app/run/open_job.h"
#include "app/run/plan.h"

namespace lanescope::app {

class Worker {
public:
    // With the OpenGL context current that every call needs. All calls come from this thread.
    explicit Worker(const WorkerOptions& options = {});
    ~Worker(); // as end(), however long it takes
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Begins to open something; gives its number. What is shown stays, and goes on, until the new
    // is ready; then frames are of that number. Only the newest job counts. When it cannot be
    // opened, the frame's problem says why, with the number.
    std::uint64_t open(OpenJob job);
    // From now on.
    void tell(const Plan& plan);
    // Done to what the newest frame shows before its next step, in order, and kept in the journal;
    // a stroke and a value to both sides of A/B, a variant to side `a`.
    void apply(Change change);
    // So many more launches of what does not run; in A/B a few more where both sides need them to
    // meet.
    void step(std::int64_t launches = 1);

    // What OpenGL's thread has to do, all of it short; false: nothing. Before newest().
    bool process_gl_tasks();
    void release_frame();
    // Lets the next step begin beside what follows, if it asks for its memory within this time.
    void lend(std::chrono::duration<double> at_most);
    std::shared_ptr<const Frame> newest() const { return newest_; } // never null
    // The same frame. If it is drawable, its memory stays OpenGL's and does not change while this
    // pointer or a copy of it lives, until end(): no step begins, and nothing is destroyed. To be
    // dropped before settle(), which waits for both.
    std::shared_ptr<const Frame> held_newest() const;
    // Whether OpenGL may read the newest frame's memory now.
    bool drawable() const;
    // How long the step or replay under way has taken; 0 when none is.
    double busy_s() const;
    // Whether all that was asked for is done, and nothing will change by itself.
    bool idle() const;
    // Waits until process_gl_tasks() or release_frame() has something to do, at most so long.
    void wait(std::chrono::duration<double> at_most);

    // Serves and waits until all that was asked for is done, and gives its frame, drawable. Throws
    // what went wrong since the last call. Not for plans that run.
    std::shared_ptr<const Frame> settle();

    // Cancels what is under way and ends the thread: true when that took no longer than this.
    // Otherwise (a kernel on a GPU cannot be stopped) the program can only leave without it, by
    // std::quick_exit.
    bool end(std::chrono::duration<double> at_most);

private:
    struct Actors;
    std::unique_ptr<Actors> actors_;
    std::shared_ptr<const Frame> newest_;
    std::uint64_t told_ = 0; // the newest problem that settle() has thrown
};

} // namespace lanescope::app
