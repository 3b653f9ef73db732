// The answer to "why does this element have its value?", as immutable data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::app {

// One source line in one lane: the value it computed, and its inputs.
struct WhyNode {
    std::string value; // "0.25"
    std::string words; // "line 12, lane 5 of warp 0, block 3", or another origin: "in[37]"
    // For a root whose value is only copied: the store, as "written at line 12 by lane 5 of warp 0,
    // …".
    std::string written;
    std::string via;       // how the value got here, if notable: "from lane 16 by a shuffle"
    int line = 0;          // 0: none
    std::string source;    // the line's text
    std::string operation; // PTX instruction that computed the value
    bool is_leaf = false;
    bool has_place = false; // launch, position, block, warp and lane are those of an instruction
    bool can_go = false;    // the debugger can go to (launch, position), before the instruction
    std::size_t launch = 0;
    std::uint64_t position = 0;
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
    std::vector<int> children; // indices into `nodes`; several lines may share one
    std::size_t left_out = 0;  // number of children omitted
};

struct WhyTree {
    std::string place;          // "out[37]"
    std::int64_t step = 0;      // steps of the simulation up to this value; 0: unknown
    std::string problem;        // why there is no tree, as a sentence; else empty
    std::vector<WhyNode> nodes; // the root first
    bool complete = true;       // false if the slice was cut off
    std::size_t operations = 0; // number of operations in the slice
};

} // namespace lanescope::app
