// Compares the slices of one element in two compilations of the same source. Their instructions do
// not correspond, but the values that pass from one source line to another do, unless one of them
// was optimised away.
#pragma once

#include <string>
#include <vector>

#include "compute/simt/debug/slice.h"

namespace lanescope::app {

// Where the values of the two versions diverge.
struct Divergence {
    bool found = false;
    int one = 0; // nodes of the slices: the value of the line in each version
    int other = 0;
    int line = 0;                // of the first version; 0: it has no source line
    std::vector<int> lines_used; // lines whose values only the first version has, and that the
                                 // other one has merged into this value
    // The inputs that the lines compute the value from, as "name = value", in the first version.
    std::vector<std::string> inputs;
    int undefined = -1;              // a node without a value that the first version uses; -1: none
    bool undefined_is_other = false; // that node is in the second version
};

// Precondition: both slices are complete, and explain the same location.
Divergence divergence_of(const simt::Slice& one, const simt::Slice& other);

inline const simt::SliceNode& node(const simt::Slice& slice, int index)
{
    return slice.nodes[static_cast<std::size_t>(index)];
}
// A node as "name = value", or its value alone.
std::string named_value(const simt::SliceNode& node);
// The node that made the value which this node only passes on.
int maker(const simt::Slice& slice, int index);

} // namespace lanescope::app
