// The answer to "why is this element what it is?", as data that is never changed afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::app {

// One line of source in one lane: the value that it made, and the values that it made it from.
struct WhyNode {
    std::string value;  // "0.25"
    std::string words;  // "line 12, lane 5 of warp 0, block 3", or what it is otherwise: "in[37]"
    std::string via;    // how it came here, where that tells something: "from lane 16 by a shuffle"
    int line = 0;       // 0: none
    std::string source; // the line's text
    std::string operation; // the PTX instruction that made the value
    bool is_leaf = false;
    bool can_go = false; // to launch, position: before the instruction
    std::size_t launch = 0;
    std::uint64_t position = 0;
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
    std::vector<int> children; // indices; one that several lines use is in all of their lists
    std::size_t left_out = 0;  // children that are too many
};

struct WhyTree {
    std::string place;          // "out[37]"
    std::string problem;        // why there is no tree, as a sentence; else empty
    std::vector<WhyNode> nodes; // the root first
    bool complete = true;       // false: it goes back further than is followed
    std::size_t operations = 0; // of the slice
};

} // namespace lanescope::app
