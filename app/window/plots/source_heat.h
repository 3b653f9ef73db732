// A kernel's source text with what each line did: the counts of its sites, summed by line.
#pragma once

#include <optional>
#include <span>
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
    trace::Counts modelled{}; // of textures, surfaces and local memory
    struct Instruction {
        std::size_t site = 0; // of the trace's
        std::string ptx;
        trace::Counts counts;
        std::string sass{}; // what the assembler made of it, and its count then; may be empty
    };
    std::vector<Instruction> instructions{}; // the line's sites
    double share = 0; // its executions, by warps, of those of all sites of the kernels that ran

    bool counted() const { return !instructions.empty(); }
    // How much more was moved than the same lanes needed: the worse of global sectors and shared
    // wavefronts, 1 at best.
    double excess() const;
    // Active lanes an execution, over all sites; 0 where there is none.
    double active_lanes() const;
    // Sectors and wavefronts over those needed, "1.58×"; empty where there was none of it.
    std::string sectors_words() const;
    std::string wavefronts_words() const;
    std::string divergent_words() const; // "12.5 %" of its branches
};

// What can be told of a line in one number.
struct LineMetric {
    const char* id;
    const char* title;
    const char* column;                      // the same above a column
    const char* meaning;                     // as a sentence
    std::string (*words)(const SourceLine&); // empty: the line did none of it
    float (*heat)(const SourceLine&);        // 0: nothing to see; 1: the worst
};
std::span<const LineMetric> line_metrics();
const LineMetric& line_metric(std::string_view id); // the first for one that there is not

// The lines of `source`, whose sites are those that the trace gives the file name `file`.
std::vector<SourceLine> source_heat(std::string_view source, std::string_view file,
                                    const trace::Trace& trace);

// Of the kernel that the frame shows; nothing before it was counted by site, or faulted.
struct Frame;
std::vector<SourceLine> source_lines(const Frame& frame);
// The line of that source where it did; 0: nowhere there.
int fault_line(const Frame& frame);

// The same as a table for slides and spreadsheets: one row a counted line.
class Table;
Table source_table(const std::vector<SourceLine>& lines);

} // namespace lanescope::app
