// A kernel's source text with what each line did: the counts of its sites, summed by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::app {

struct SourceLine {
    std::string text;
    trace::Counts global; // loads, stores and atomics
    trace::Counts shared;
    trace::Counts branches;
    struct Instruction {
        std::string ptx;
        trace::Counts counts;
    };
    std::vector<Instruction> instructions; // the line's sites

    bool counted() const { return !instructions.empty(); }
    // How much more was moved than the same lanes needed: the worse of global sectors and shared
    // wavefronts, 1 at best.
    double excess() const;
    // Active lanes an execution, over all sites; 0 where there is none.
    double active_lanes() const;
};

// The lines of `source`, whose sites are those that the trace gives the file name `file`.
std::vector<SourceLine> source_heat(std::string_view source, std::string_view file,
                                    const trace::Trace& trace);

// Of the kernel that the frame shows; nothing before it was counted by site.
struct Frame;
std::vector<SourceLine> source_lines(const Frame& frame);

// The same as a table for slides and spreadsheets: one row a counted line.
class Table;
Table source_table(const std::vector<SourceLine>& lines);

} // namespace lanescope::app
