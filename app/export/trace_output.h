// A trace for people, as JSON and as CSV: what `trace` and `emulate` print.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "compute/trace/trace.h"

namespace lanescope::app {

// {"kernel","engine","grid","block","totals","sites","faults"}, as others may rely on.
nlohmann::ordered_json trace_json(const trace::Trace& trace);

// One line a site.
std::string trace_csv(const trace::Trace& trace);

// "naive.cu:12", or the line in the PTX.
std::string place(const trace::Site& site);

// Sites as a table, numbered as in Trace::sites, then totals and faults in words.
std::string trace_text(const trace::Trace& trace);

} // namespace lanescope::app
