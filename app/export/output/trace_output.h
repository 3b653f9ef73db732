// A trace for people, as JSON and as CSV: output of `trace` and `emulate`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "compute/trace/trace.h"

namespace lanescope::app {

// {"kernel","engine","grid","block","totals","sites","faults"}, a stable format. Counts are of the
// PTX; "assembled" has those of the executed SASS, if requested.
nlohmann::ordered_json trace_json(const trace::Trace& trace);

// Text as printed: indented, invalid UTF-8 replaced, ending with a newline.
std::string json_text(const nlohmann::ordered_json& json);

// One line per site.
std::string trace_csv(const trace::Trace& trace);

// "naive.cu:12", or the line in the PTX.
std::string place(const trace::Site& site);

// Every ratio by id, null if the launch had none; per-item ratios only if `items`, the launch's
// useful work, is known.
nlohmann::ordered_json ratios_json(const trace::Totals& totals, double items = 0);

// Options of a trace's text.
struct TraceWords {
    bool ptx = false;          // a table of sites, numbered as in Trace::sites, instead of lines
    std::string_view source{}; // text of the kernel's file, quoted in the table; may be empty
    std::string_view file{};   // file name without folders
    std::string_view about{};  // a sentence below the kernel's name; may be empty
    std::string_view kernel{}; // kernel name, if different from the trace's
    bool sass = false;         // assembled counts, and the SASS of each site, if known
};

// Counts by source line, or by site if requested or without line information; then totals and
// faults in words.
std::string trace_text(const trace::Trace& trace, const TraceWords& words = {});

} // namespace lanescope::app
