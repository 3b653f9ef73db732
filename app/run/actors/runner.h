// The actor that has the experiment: a thread that starts what was opened, steps, counts and
// compares it, and publishes what came of it as frames.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/run/actors/background.h"
#include "app/run/actors/frame_board.h"
#include "app/run/actors/gl_loan.h"
#include "app/run/actors/inbox.h"
#include "app/run/actors/interruption.h"
#include "app/run/actors/opener.h"
#include "app/run/actors/placement.h"
#include "app/run/actors/schedule.h"
#include "app/run/difference.h"
#include "compute/threads.h"

namespace lanescope::app {

// Over 25 methods: the private ones are the steps of one loop on one thread, and all of them need
// what is open; what could stand alone does (Opener, GlLoan, Schedule, Placement, Background).
class Runner {
public:
    struct Links { // the actors that it works with
        SharedState& shared_state;
        Interruption& interruption;
        Inbox& inbox;
        FrameBoard& board;
        GlLoan& loan;
        Placement& placement;
        Opener& opener;
    };
    Runner(const Links& links, bool waits); // waits: WorkerOptions::waits
    ~Runner() { thread_.join(); }           // after Inbox::quit()
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // --- any thread ---

    bool finished(const Held&) const { return finished_; }
    double busy_s() const; // of the step or replay under way; 0: none is

    // --- whoever would wait for its thread, where there is none ---

    bool turn() noexcept; // a round; false: there was nothing to do

private:
    using Ended = Interruption::Ended;

    // The loop.
    void run() noexcept;
    bool round(); // true when there may be more to do
    void rest();  // until something is asked, or may have become ready
    void tear_down();
    bool times_are_due() const;

    // What is open.
    bool follow_opening();
    void open_found(Opening opening);
    void start(Opening::Beginning& made, const Opening& opening);
    void close();
    void reopen_closed();
    void reopen();
    std::unique_ptr<Side> make_side(SharedDevice& shared, const Journal& journal);

    // What it does.
    void take_changes();
    void choose(const labs::Variant& variant);
    bool swap_comparison();
    std::unique_ptr<Side> make_comparison();
    Schedule schedule() const;
    bool work();
    void give_back();
    void work_mapped(const std::optional<Side::Work>& leaders);
    template <class Do>
    Ended cancellable(Part part, device::Device& device, Do&& what);

    // What it tells.
    bool halted() const { return lost_ || halted_at_ == now_.nudges; }
    void fail(const std::exception_ptr& error, std::uint64_t opening = 0, bool comparison = false);
    void note_sides();
    void post();
    std::shared_ptr<const Frame> make_frame();

    const Links links_;
    const bool waits_;
    bool finished_ = false; // under the mutex
    std::atomic<std::chrono::steady_clock::rep> busy_since_{0};

    // Memory before the device, so that it goes first.
    std::shared_ptr<SharedDevice> chosen_; // what the user chose …
    std::shared_ptr<SharedDevice> shared_; // … or simt, for what must not run there
    std::unique_ptr<MeasuredLive> measured_;
    std::unique_ptr<Side> leader_;
    std::unique_ptr<Side> comparison_;
    // Its step was cancelled; goes after a frame without it.
    std::unique_ptr<Side> spoiled_comparison_;
    std::unique_ptr<Difference> differing_;
    std::optional<DifferenceFrame> difference_;
    std::uint64_t difference_of_ = 0; // the picture that it was last tried for
    std::string refused_;             // a variant that could not be the other side
    bool leader_spoiled_ = false;     // its step was cancelled
    struct Closed {
        Journal journal;
        std::uint64_t opened = 0;
    };
    std::optional<Closed> closed_; // for something that is not open yet
    Background background_;
    Inbox::Round now_;
    std::uint64_t halted_at_ = UINT64_MAX; // the nudges with which something failed
    bool lost_ = false;
    std::uint64_t frames_ = 0;
    std::uint64_t pictures_ = 0;
    std::uint64_t opened_ = 0;
    std::shared_ptr<const Found> found_;
    SideFrame leader_frame_;
    std::optional<SideFrame> comparison_frame_;
    std::shared_ptr<const trace::Fault> fault_; // Frame::fault, while halted

    LoopThread thread_; // last: it uses all of the above
};

} // namespace lanescope::app
