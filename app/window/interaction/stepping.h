// The stepping mode in the window: a background debugger that follows the document, and hit-testing
// in its views.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/document/edits.h"
#include "app/draw/stepping.h"
#include "app/run/debug/actor.h"
#include "app/run/frame/frame.h"
#include "app/window/gui/layout.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {

// Runs while the document's stepping mode is on; the window never waits for it.
class Stepping {
public:
    Stepping();

    // Opens, moves and closes the debugger to match the document, and reports the launch's state to
    // it.
    void follow(Edits& edits, const Frame& frame, bool opening);
    void move(const StepMove& move) { actor_.move(move); }
    void explain(double u, double v) { actor_.explain_at(u, v); }
    const SteppedShown& shown() const { return shown_; }
    bool busy() const { return actor_.busy(); }

private:
    void open(const SideFrame& side, const StepChoice& step);

    // Identifies the launch: its experiment, variant, step, and text.
    struct Of {
        std::uint64_t opened = 0;
        std::string variant{};
        std::int64_t launches = 0;
        std::size_t events = 0;
        bool optimised = false;
        int to_line = 0;
        friend bool operator==(const Of&, const Of&) = default;
    };
    std::optional<Of> of_;
    std::vector<int> breakpoints_; // those set in the debugger
    int warp_ = -1;                // the warp that the debugger shows
    SteppedShown shown_;
    DebugActor actor_;
};

// Handles clicks, drags and the wheel in the mode's views; stores the hovered element for ui.hover
// and keys.
void handle_mouse_in_stepping(const Area& area, const Document& document, Interaction& ui,
                              Commands& out);
// True if a beat of a talk started the stepping mode.
bool started_by_beat(const Document& document);
// The line for a breakpoint requested at `line`: the next one that has code; 0: none.
int breakpoint_line(const DebugFrame& frame, int line);
// Moves the selected warp; if it is not the next to run, the move first reaches it.
void move_stepped(const Document& document, const Interaction& ui, StepMove move, Commands& out);
// Selects the next or previous node of the tree, or warp.
void choose_stepped(const Document& document, const Interaction& ui, int by, Commands& out);
// Goes to the position of the tree's selected node.
void go_to_node(const Document& document, const Interaction& ui, Commands& out);

} // namespace lanescope::app
