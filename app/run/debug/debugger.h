// Steps through a lab's step, launch by launch: moves, breakpoints, inspection. Used by one thread
// at a time; actor.h runs it on its own thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/experiment/step_move.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/debug_start.h"
#include "app/run/debug/moves.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::ptx {
struct DebugInfo;
}
namespace lanescope::simt {
class Expression;
class Inspector;
struct Program;
class SteppedDevice;
class Timeline;
} // namespace lanescope::simt

namespace lanescope::app {

class Debugger {
public:
    // Runs the lab up to the step, and the step once to learn its launches. Throws the lab's Error,
    // or one that says why nothing can be stepped; does not throw for a faulting kernel.
    explicit Debugger(const DebugStart& start);
    ~Debugger();
    Debugger(const Debugger&) = delete;
    Debugger& operator=(const Debugger&) = delete;

    // An impossible move does not throw; the next frame says why it was refused.
    void move(const StepMove& move);
    // Call once a refused move has been reported.
    void forget_refusal();
    void set_breakpoints(std::vector<Breakpoint> breakpoints);
    void set_watches(std::vector<std::string> expressions);
    // Selects the warp whose lanes are shown; empty: the next to run.
    void show_warp(std::optional<int> warp);
    // Executes this many instructions past the known part, to fill the bar. Returns false if all is
    // known.
    bool explore(std::uint64_t instructions);

    // Callable from any thread: the move in progress stops soon, at its current position.
    void cancel() noexcept;
    void resume() noexcept;

    // Everything that can be inspected here.
    std::shared_ptr<const DebugFrame> frame();

    // For the command line and the debug adapter.
    simt::LaneValues evaluate(const std::string& expression, int warp) const; // throws Error
    // Bytes of global memory at an address; fewer at the end of an allocation.
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
    std::int64_t step() const { return step_; } // of the lab, from 1
    std::size_t launch() const { return launch_; }

private:
    void forget_unwritten(const simt::Expression& expression, int warp,
                          simt::LaneValues& values) const;
    void open_launch(std::size_t launch);
    SteppedLaunch stepped_launch() const;
    MoveResult go_to_launch(std::int64_t launch);
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
    struct Texts; // debug information and lines per program
    std::map<const simt::Program*, std::unique_ptr<Texts>> texts_;
    const Texts* text_ = nullptr;             // text of the current launch
    std::unique_ptr<ptx::DebugInfo> written_; // debug information of the -G text, run or not
    std::unique_ptr<simt::Inspector> inspector_;
    std::vector<Breakpoint> breakpoints_;
    std::vector<std::string> watches_;
    std::optional<int> shown_;
    std::vector<NamedArray> arrays_; // arrays of the step, by their initial names
    std::optional<LineAccess> line_access_;
    Stop stop_ = Stop::start;
    std::string endless_; // why the step's last launch does not end; else empty
    std::string sentence_;
    std::uint64_t frames_ = 0;
    std::shared_ptr<const DebugFrame> newest_;
    std::shared_ptr<const DebugFrame> before_; // frame of the previous position, to detect changes
};

} // namespace lanescope::app
