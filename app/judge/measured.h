// Runs one submission on the lockstep machine and records facts about it: faults, results,
// coverage, counts. verdict.h turns the facts into points. All of them are read from the machine: a
// kernel cannot change them, and its printed output is ignored.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

#include "app/judge/assignment.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// A submission's sources by file name: the kernel's, and headers beside it.
using SubmittedTexts = std::map<std::string, std::string>;

// The lab of an assignment, and the reference that submissions are compared with.
struct JudgedLab {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr; // variant whose source is replaced
    std::string file{};                     // name of a submission's kernel file
    // The lab with two more variants: the reference, and one that is checked against it.
    const labs::Lab* with_reference = nullptr; // null: no reference
    std::string reference{};
    std::string checked{};  // empty: the lab's own check decides
    bool has_check = false; // there is something to compare results with
};

// Opens the lab and tries all sizes. Throws Error, with the assignment's file, for a lab that does
// not exist or does not compile, an unknown variant or parameter, and a result that nothing checks.
JudgedLab open_judged_lab(const Assignment& assignment);

// The facts:
//   {"compiled": {"ok", "message", "line"},
//    "runs": [{"size", "outcome": finished | fault | stopped | refused, "message", "fault":
//    {"kind",
//              "file", "line"} | null, "warnings": [{"kind", "message", "file", "line"}],
//              "correct": true | false | null, "max_error", "tolerance", "elements", "unwritten",
//              "order": [sentence], "counts": {id: number}, "reference_counts": {id: number}}],
//    "lines": [{"line", "executions", "lanes", "requests", "sectors", "ideal_sectors",
//    "wavefronts",
//               "ideal_wavefronts"}] of the first of the assignment's sizes that finished}
nlohmann::ordered_json measured(const Assignment& assignment, const SubmittedTexts& texts);

} // namespace lanescope::app
