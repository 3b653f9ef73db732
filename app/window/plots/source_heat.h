// A kernel's source text with the counts of its sites, summed by line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/served.h"
#include "compute/trace/trace.h"
#include "render/views/colours/colour_maps.h"

namespace lanescope::app {

struct SourceLine {
    std::string text;
    trace::Counts global; // loads, stores and atomics
    trace::Counts shared;
    trace::Counts branches;
    trace::Counts modelled{}; // textures, surfaces and local memory
    trace::Served served{};   // if the launch was followed through the caches
    struct Instruction {
        std::size_t site = 0; // index in the trace
        std::string ptx;
        trace::Counts counts;
        trace::Served served{};
        std::string sass{}; // SASS generated from it, with its count; may be empty
    };
    std::vector<Instruction> instructions{}; // the line's sites
    double share = 0;                        // share of all warp executions of the kernels that ran

    bool counted() const { return !instructions.empty(); }
    // Ratio of moved to needed: the worse of global sectors and shared wavefronts, 1 at best.
    double excess() const;
    // Active lanes per execution, over all sites; 0 if never executed.
    double active_lanes() const;
    // Ratio of sectors and wavefronts to those needed, "1.58×"; empty if there were none.
    std::string sectors_words() const;
    std::string wavefronts_words() const;
    std::string divergent_words() const; // "12.5 %" of the line's branches
};

// A metric that describes a line in one number.
struct LineMetric {
    const char* id;
    const char* title;
    const char* column;                      // title of its column
    const char* meaning;                     // as a sentence
    std::string (*words)(const SourceLine&); // empty if the metric does not apply to the line
    float (*heat)(const SourceLine&);        // from 0 (nothing to see) to 1 (the worst)
    const char* widest = "88.88×";           // the longest words
    // Colour of a heat above 0; null: of the excess.
    render::Colour (*colour)(const SourceLine&) = nullptr;
    bool is_extra = false; // counted only if it is chosen, so it has no column beside others
};
std::span<const LineMetric> line_metrics();
// The metric that needs the launch to be followed through the caches.
inline constexpr std::string_view served_metric = "served";
const LineMetric& line_metric(std::string_view id); // the first metric if the id is unknown

// The lines of `source`, with the sites to which the trace gives the file name `file`.
std::vector<SourceLine> source_heat(std::string_view source, std::string_view file,
                                    const trace::Trace& trace,
                                    const trace::ServedBy* served = nullptr);

// Lines of the frame's kernel; empty before it was counted by site or faulted.
struct Frame;
std::vector<SourceLine> source_lines(const Frame& frame);
// The line of the fault in that source; 0: none.
int fault_line(const Frame& frame);

// The same as a table for slides and spreadsheets: one row per counted line.
class Table;
Table source_table(const std::vector<SourceLine>& lines);

} // namespace lanescope::app
