// Which caches served a launch, as text and JSON: output of `trace --caches` and `emulate
// --caches`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "app/measure/model/followed_caches.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// {"gpu","before","l1_bytes",…,"totals","sites"}; sites as in trace_json().
nlohmann::ordered_json caches_json(const CacheReport& report);

// Sectors by source line, or by site without line information; then the traffic of each level.
std::string caches_text(const trace::Trace& trace, const CacheReport& report, bool by_site);

} // namespace lanescope::app
