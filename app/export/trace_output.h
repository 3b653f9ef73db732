// A trace for people, as JSON and as CSV: what `trace` and `emulate` print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "compute/trace/trace.h"

namespace lanescope::app {

// {"kernel","engine","grid","block","totals","sites","faults"}, as others may rely on. Their counts
// are of the PTX; "assembled" has those of what the GPU executes, where they were asked for.
nlohmann::ordered_json trace_json(const trace::Trace& trace);

// As it is printed: indented, bytes that are not UTF-8 replaced, a line end last.
std::string json_text(const nlohmann::ordered_json& json);

// One line a site.
std::string trace_csv(const trace::Trace& trace);

// "naive.cu:12", or the line in the PTX.
std::string place(const trace::Site& site);

// Every ratio by its id, null where the launch did none of it; those per item only where
// `items`, those of the launch's useful work, are known.
nlohmann::ordered_json ratios_json(const trace::Totals& totals, double items = 0);

// What the words of a trace need beside it.
struct TraceWords {
    bool ptx = false;          // sites as a table, numbered as in Trace::sites, instead of lines
    std::string_view source{}; // of the kernel's file, whose lines stand in the table; may be empty
    std::string_view file{};   // its name without folders
    std::string_view about{};  // a sentence under the kernel's name; may be empty
    std::string_view kernel{}; // its name, if not as in the trace
    bool sass = false; // counts as assembled, and the SASS beside each site, where they are known
};

// Counts by source line, or by site where that is wanted or no line is known; then totals and
// faults in words.
std::string trace_text(const trace::Trace& trace, const TraceWords& words = {});

} // namespace lanescope::app
