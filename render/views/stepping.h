// A launch in stepping mode: the current line, a warp's lanes, its variables, shared memory, all
// warps of the block, and a bar over the launch. Drawing returns the areas that can be clicked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "render/views/lanes.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

inline constexpr int stepped_lanes = 32;

enum class SteppedLane : std::uint8_t { runs, ready, waits, exited, missing };

// A line of source.
struct SteppedLine {
    int number = 0;
    std::string text;
    bool has_code = false;
    bool current = false; // line of the shown warp
    bool waits = false;   // other lanes or warps are waiting here
    bool breakpoint = false;
};

// A variable with a value per lane; lanes may have none.
struct SteppedRow {
    std::string name;
    std::array<std::string, stepped_lanes> lanes{};
    std::uint32_t with = 0;
    std::uint32_t changed = 0;
};

struct SteppedWarp {
    std::string words; // "line 14, waits"
    int line = 0;      // 0: unknown or finished
    bool shown = false;
    bool next = false;
    bool done = false;
};

// An array in shared memory, word by word.
struct SteppedArray {
    std::string name;
    int columns = 1;
    std::vector<std::string> values;    // by word, for tooltips
    std::vector<float> shades;          // 0 to 1, from minimum to maximum
    std::vector<std::uint8_t> changed;  // just written
    std::vector<std::uint8_t> accessed; // by the line's access
};

struct SteppedMark {
    enum class Kind : std::uint8_t { barrier, divergence, fault };
    Kind kind = Kind::barrier;
    float at = 0; // 0 to 1
};

struct SteppingView {
    std::string title;             // "Block reduction, block 3, warp 0"
    std::string where;             // "instruction 1,204 of 9,310"
    std::string said;              // result of the last move
    bool bad = false;              // true if `said` reports a fault
    bool whole = false;            // only the title and `said` are shown
    std::vector<SteppedLine> code; // all lines; empty if shown elsewhere
    std::vector<SteppedLine> ptx;  // instructions of the running text; empty: hidden
    std::array<SteppedLane, stepped_lanes> lanes{};
    std::array<int, stepped_lanes> path{}; // lanes that wait at the same instruction have the same
                                           // number, from 1
    std::vector<std::string> words;        // which lanes run, and which wait for others
    std::string instruction;               // the next instruction
    int lane = 0;                          // lane whose values are always shown
    std::vector<SteppedRow> rows;
    std::vector<SteppedArray> arrays;
    // The line's memory access, and whether it is to banks of shared memory.
    std::optional<WarpAccess> access;
    bool banks = false;
    std::string access_cost; // "4 sectors, ideal 4"
    std::vector<SteppedWarp> warps;
    float at = 0;    // position in the launch, 0 to 1
    float known = 1; // share of the launch that has been executed so far
    std::vector<SteppedMark> marks;
    std::string fault; // the launch's fault in a word or two
    std::string keys;  // help on keys, at the bottom
};

// An area in painter pixels that can be clicked.
struct SteppingHit {
    enum class What : std::uint8_t { gutter, line, lane, value, warp, word, bar };
    What what = What::line;
    Box box;
    int index = 0; // line number, or index of a row, array or warp from 0
    int lane = 0;  // … or the word of an array
};

// Returns the areas that can be clicked; an area on the bar is a position in the launch.
std::vector<SteppingHit> draw_stepping(Painter& painter, const Box& box, const SteppingView& view,
                                       const Theme& theme, float text_px);

} // namespace lanescope::render
