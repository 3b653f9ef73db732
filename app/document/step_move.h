// One move of a debugger through a launch, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::app {

// One thing to be done. `back` turns it round.
struct StepMove {
    enum class Kind : std::uint8_t {
        instruction, // `count` of them, of whichever warp runs
        line,        // until the warp comes to another source line
        barrier,     // until the block has met at one and the warp goes on
        block,       // to the next block; back: to the begin of this one, or of the one before
        fault,       // to where the launch faults
        position,    // to `count`
        to_line,     // until some warp (`warp`: this one) comes to source line `count`
        to_warp,     // until warp `count` of this block runs
        to_block,    // to the begin of block `count`, its linear number
        condition,   // until `text` holds in a lane that the next instruction runs for
        last_write,  // back to the last write of what `text` names: `tile[3][4]`, in lane `lane`
        resume,      // to the next breakpoint, fault or end
        launch,      // to the begin of launch `count` of the step
        last = launch,
    };
    Kind kind = Kind::instruction;
    bool back = false;
    std::int64_t count = 1;
    std::optional<int> warp{};
    int lane = 0;
    std::string text{};
    friend bool operator==(const StepMove&, const StepMove&) = default;
};

struct StepChoice;
// To where it says that stepping begins.
StepMove first_of_line(const StepChoice& step);

// Where a text says that one wants to go: "block 12", "warp 3", "line 14", "launch 1",
// "instruction 1204" or the number alone; any other text is a condition that must hold.
StepMove move_to(std::string_view text, bool back);

} // namespace lanescope::app
