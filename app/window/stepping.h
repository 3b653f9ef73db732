// The stepping mode in the window: a debugger beside it that follows the document, and what the
// mouse points at in what it shows.
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
#include "app/run/frame.h"
#include "app/window/interaction.h"
#include "app/window/layout.h"

namespace lanescope::app {

// Under way while the document's stepping mode is on; what is shown is never waited for.
class Stepping {
public:
    Stepping();

    // Opens, moves and closes as the document says; and tells it where the launch stands.
    void follow(Edits& edits, const Frame& frame, bool opening);
    void move(const StepMove& move) { actor_.move(move); }
    void explain(double u, double v) { actor_.explain_at(u, v); }
    const SteppedShown& shown() const { return shown_; }
    bool busy() const { return actor_.busy(); }

private:
    void open(const SideFrame& side, const StepChoice& step);

    // Which launch: of which experiment, variant and step, and which text of it.
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
    std::vector<int> breakpoints_; // that the debugger has
    int warp_ = -1;                // that it shows
    SteppedShown shown_;
    DebugActor actor_;
};

// Clicks, drags and the wheel in what the mode shows; and what is pointed at, for ui.hover and
// keys.
void use_stepping_mouse(const Area& area, const Document& document, Interaction& ui, Commands& out);
// Whether a beat of a talk began the stepping mode.
bool started_by_beat(const Document& document);
// The line for a breakpoint that was asked for at `line`: the next one that has code; 0: none.
int breakpoint_line(const DebugFrame& frame, int line);
// A move of the warp that was chosen to be looked at, once it is its turn.
void move_stepped(const Document& document, const Interaction& ui, StepMove move, Commands& out);
// From node to node of the tree, or from warp to warp.
void choose_stepped(const Document& document, const Interaction& ui, int by, Commands& out);
// To the place of the tree's chosen node.
void go_to_node(const Document& document, const Interaction& ui, Commands& out);

} // namespace lanescope::app
