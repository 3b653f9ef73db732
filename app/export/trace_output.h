// A trace for people, as JSON and as CSV: what `trace` and `emulate` print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "compute/trace/trace.h"

namespace lanescope::app {

// {"kernel","engine","grid","block","totals","sites","faults"}, as others may rely on.
nlohmann::ordered_json trace_json(const trace::Trace& trace);

// As it is printed: indented, bytes that are not UTF-8 replaced, a line end last.
std::string json_text(const nlohmann::ordered_json& json);

// One line a site.
std::string trace_csv(const trace::Trace& trace);

// "naive.cu:12", or the line in the PTX.
std::string place(const trace::Site& site);

// Sites as a table, numbered as in Trace::sites, then totals and faults in words.
std::string trace_text(const trace::Trace& trace);

} // namespace lanescope::app
