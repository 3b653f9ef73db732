// Goes through one step of a lab, launch by launch: moves, breakpoints, and what is to be seen. It
// is used by one thread at a time; actor.h has one with a thread of its own.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/debug_start.h"
#include "app/run/debug/moves.h"
#include "compute/labs/lab.h"

namespace lanescope::ptx {
struct DebugInfo;
}
namespace lanescope::simt {
class Inspector;
struct Program;
class SteppedDevice;
class Timeline;
} // namespace lanescope::simt

namespace lanescope::app {

// Over 25 methods: a third of them hand out in a line what commands and the debug adapter read.
class Debugger {
public:
    // Runs the lab to the begin of the step, and the step once, so that its launches are known.
    // Throws Error: what the lab throws, or why nothing can be stepped; not for a kernel that
    // faults.
    explicit Debugger(const DebugStart& start);
    ~Debugger();
    Debugger(const Debugger&) = delete;
    Debugger& operator=(const Debugger&) = delete;

    // Never throws for what cannot be done: the frame says so.
    void move(const StepMove& move);
    void set_breakpoints(std::vector<Breakpoint> breakpoints);
    void set_watches(std::vector<std::string> expressions);
    // Whose lanes are shown; none: those of the warp that runs next.
    void show_warp(std::optional<int> warp);
    // Runs so many instructions more of what nobody has run yet, to fill the bar. False when all is
    // known.
    bool explore(std::uint64_t instructions);

    // From any thread: the move under way ends soon, where it is.
    void cancel() noexcept;
    void resume() noexcept;

    // All that is to be seen here.
    std::shared_ptr<const DebugFrame> frame();

    // For the command line and the debug adapter.
    simt::LaneValues evaluate(const std::string& expression, int warp) const; // throws Error
    // The bytes of global memory at an address; fewer at the end of an allocation.
    std::vector<std::byte> memory(device::Address address, std::size_t bytes) const;
    simt::Timeline& timeline() { return *timeline_; }
    const simt::Timeline& timeline() const { return *timeline_; }
    const simt::Inspector& inspector() const { return *inspector_; }
    int shown_warp() const;
    simt::SteppedDevice& device() { return *device_; }
    labs::Experiment& experiment() { return *experiment_; }
    const labs::Lab& lab() const { return *start_.lab; }
    const labs::Variant& variant() const { return *start_.variant; }
    const DebugStart& start() const { return start_; }
    std::size_t launch() const { return launch_; }

private:
    void open_launch(std::size_t launch);
    SteppedLaunch stepped_launch() const;
    MoveResult to_launch(std::int64_t launch);
    void describe(DebugFrame& frame) const;
    void look_at_block(DebugFrame& frame) const;

    DebugStart start_;
    std::string text_note_;
    std::int64_t step_ = 1;
    std::string step_note_;
    std::shared_ptr<const std::string> source_;
    std::unique_ptr<simt::SteppedDevice> device_;
    std::unique_ptr<device::Allocator> allocator_;
    std::unique_ptr<labs::Experiment> experiment_;
    std::shared_ptr<std::string> printed_;
    std::size_t launch_ = 0;
    std::unique_ptr<simt::Timeline> timeline_;
    struct Texts; // debug information and lines, by program
    std::map<const simt::Program*, std::unique_ptr<Texts>> texts_;
    const Texts* text_ = nullptr;             // of the launch
    std::unique_ptr<ptx::DebugInfo> written_; // of the -G text, whichever runs
    std::unique_ptr<simt::Inspector> inspector_;
    std::vector<Breakpoint> breakpoints_;
    std::vector<std::string> watches_;
    std::optional<int> shown_;
    std::vector<NamedArray> arrays_; // of the step, by the names that it begins with
    std::optional<LineAccess> line_access_;
    Stop stop_ = Stop::start;
    std::string sentence_;
    std::uint64_t frames_ = 0;
    std::shared_ptr<const DebugFrame> newest_;
    std::shared_ptr<const DebugFrame>
        before_; // the last one of another place, to tell what has changed
};

} // namespace lanescope::app
