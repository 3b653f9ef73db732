// Compares how two kernels computed the same element: where their slices first differ, by lines
// that both texts share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/run/debug/why.h"
#include "compute/simt/debug/slice.h"

namespace lanescope::app {

// For each line of one text, from 1, the matching line of the other text; 0: none. Equal lines
// match in order; the changed lines between two matches are paired if both texts have equally many
// there.
std::vector<int> matched_lines(const std::vector<std::string>& one,
                               const std::vector<std::string>& other);

// A recorded run of one of the kernels.
struct ComparedRun {
    simt::Slicer* slicer = nullptr;
    std::size_t launches = 0;
    bool by_ptx_lines = false; // lines are those of the PTX instead of the source
};

// The first line of the first kernel at which a value differs although its inputs agree, or a lane
// takes another path; line 0 if none was found. `lines` maps its lines to those of the other
// kernel, which sentences call `other`.
FirstWrong first_differing_line(const ComparedRun& own, const simt::Slice& own_slice,
                                const ComparedRun& right, const simt::Slice& right_slice,
                                const std::vector<int>& lines, const std::string& other);

} // namespace lanescope::app
