// The same step counted by up to three sources: the lockstep machine, the probes on the GPU and the
// GPU's own counters.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "compute/trace/hardware.h"

namespace lanescope::app {

struct Comparison {
    std::string kernel;
    std::vector<trace::Comparison> lines;
    std::vector<std::string> notes; // why a source is missing, and how to get it
    bool sites_equal = true;        // simt and probes, site by site

    // Whether every source that is there says the same, but for the differences that have a reason.
    bool agrees() const;
};

// `ncu_csv` is a file that `ncu --csv` wrote, instead of reading the counters here; empty: none.
// Throws Error.
Comparison compare_sources(const Target& target, const CommonOptions& options,
                           const std::filesystem::path& ncu_csv);

std::string comparison_text(const Comparison& comparison);
nlohmann::ordered_json comparison_json(const Comparison& comparison);

} // namespace lanescope::app
