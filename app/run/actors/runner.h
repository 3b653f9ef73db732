// The actor that owns the experiment: a thread that starts an opened experiment, steps, counts and
// compares it, and publishes the results as frames.
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
#include "app/run/side/difference.h"
#include "compute/threads.h"

namespace lanescope::app {

// One loop on one thread; independent parts are separate classes (Opener, GlLoan, Schedule,
// Placement, Background).
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
    double busy_s() const; // duration of the current step or replay; 0: idle

    // --- Without threads: the window's thread calls turn() when it needs results ---

    bool turn() noexcept; // runs a round; returns false if there was nothing to do

private:
    using Ended = Interruption::Ended;

    // --- The loop ---
    void run() noexcept;
    bool round(); // returns true if there may be more to do
    void rest();  // waits for requests, or for something to become ready
    void tear_down();
    bool times_are_due() const;

    // --- What is open ---
    bool follow_opening();
    void open_found(Opening opening);
    void start(Opening::Beginning& made, const Opening& opening);
    void close();
    void reopen_closed();
    void reopen();
    std::unique_ptr<Side> make_side(SharedDevice& shared, const Journal& journal);

    // --- Steps and changes ---
    void take_changes();
    void choose(const labs::Variant& variant);
    bool swap_comparison();
    std::unique_ptr<Side> make_comparison();
    Schedule schedule() const;
    bool work();
    void return_memory();
    void work_mapped(const std::optional<Side::Work>& leaders);
    template <class Action>
    Ended cancellable(Part part, device::Device& device, Action&& action);

    // --- Reports ---
    bool halted() const { return lost_ || halted_at_ == now_.nudges; }
    void fail(const std::exception_ptr& error, std::uint64_t opening = 0, bool comparison = false);
    void refresh_side_frames();
    void post();
    std::shared_ptr<const Frame> make_frame();

    const Links links_;
    const bool waits_;
    bool finished_ = false; // guarded by the mutex
    std::atomic<std::chrono::steady_clock::rep> busy_since_{0};

    // Devices are declared before the memory on them, so that the memory is destroyed first.
    std::shared_ptr<SharedDevice> chosen_; // the user's choice …
    std::shared_ptr<SharedDevice> shared_; // … or simt, for variants that may not run there
    std::unique_ptr<MeasuredLive> measured_;
    std::unique_ptr<Side> leader_;
    std::unique_ptr<Side> comparison_;
    // Comparison whose step was cancelled; destroyed after a frame without it.
    std::unique_ptr<Side> interrupted_comparison_;
    std::unique_ptr<Difference> difference_calculator_;
    std::optional<DifferenceFrame> difference_;
    std::uint64_t difference_of_ = 0; // the picture for which the difference was last computed
    std::string refused_;             // variant that failed to become the other side
    bool leader_interrupted_ = false; // a step of the leader was cancelled
    struct Closed {
        Journal journal;
        std::uint64_t opened = 0;
    };
    std::optional<Closed> closed_; // closed to make room for a job that is not open yet
    Background background_;
    Inbox::Round now_;
    std::uint64_t halted_at_ = UINT64_MAX; // value of nudges at the last failure
    bool lost_ = false;
    std::uint64_t frames_ = 0;
    std::uint64_t pictures_ = 0;
    std::uint64_t opened_ = 0;
    std::shared_ptr<const Found> found_;
    SideFrame leader_frame_;
    std::optional<SideFrame> comparison_frame_;
    std::shared_ptr<const trace::Fault> fault_; // Frame::fault, while halted

    LoopThread thread_; // last member, because it uses all of the above
};

} // namespace lanescope::app
