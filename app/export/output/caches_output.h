// Which caches served a launch, as text and JSON: output of `trace --caches` and `emulate
// --caches`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "compute/caches/replay.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct CacheReport {
    std::string gpu;    // "H100"
    std::string before; // "cold" or "warm"
    caches::Sizes sizes;
    caches::Fit fit;          // of the first launch
    std::size_t launches = 0; // of one step, and from the device
    caches::Traffic traffic;
    std::vector<caches::Served> sites; // as in the trace
    std::string unavailable;           // why there is no result, as a sentence; else empty
};

// {"gpu","before","l1_bytes",…,"totals","sites"}; sites as in trace_json().
nlohmann::ordered_json caches_json(const CacheReport& report);

// Sectors by source line, or by site without line information; then the traffic of each level.
std::string caches_text(const trace::Trace& trace, const CacheReport& report, bool by_site);

} // namespace lanescope::app
