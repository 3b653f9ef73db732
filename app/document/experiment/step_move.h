// One move of a debugger through a launch, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::app {

// One action. `back` reverses its direction.
struct StepMove {
    enum class Kind : std::uint8_t {
        instruction, // `count` instructions, of whichever warp runs
        line,        // until the warp reaches another source line
        barrier,     // until all warps of the block have reached a barrier and this one continues
        block,       // to the start of the next block; back: of this block or, from its start, of
                     // the previous one
        fault,       // to the launch's fault
        position,    // to position `count`
        to_line,     // until some warp (`warp`: this one) reaches source line `count`
        to_warp,     // until warp `count` of this block runs
        to_block,    // to the start of block `count`, its linear number
        condition,   // until `text` holds in a lane that executes the next instruction
        last_write,  // back to the last write of `text`, such as `tile[3][4]`, in lane `lane`
        resume,      // to the next breakpoint, fault or end
        launch,      // to the start of launch `count` of the step
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
// The move to the line where `step` starts.
StepMove first_of_line(const StepChoice& step);

// The move described by a text: "block 12", "warp 3", "line 14", "launch 1", "instruction 1204" or
// the number alone; any other text is a condition to run to.
StepMove move_to(std::string_view text, bool back);

} // namespace lanescope::app
