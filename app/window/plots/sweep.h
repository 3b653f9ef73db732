// A sweep's points as plots, table and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

#include "app/export/exhibit.h"
#include "app/measure/roofs.h"
#include "app/measure/sweep.h"

namespace lanescope::app {

struct SweepResult {
    SweepPlan plan;
    std::vector<SweepPoint> points; // measured so far
};

// Sweeps of one lab, one row of plots each. `shown` is the variant to emphasise; empty: none.
Exhibit sweep_exhibit(std::span<const SweepResult> sweeps, const Roofs& roofs,
                      const std::string& shown = {});

// One row per point.
Table sweep_table(std::span<const SweepResult> sweeps);

nlohmann::ordered_json sweep_json(const SweepResult& sweep);

} // namespace lanescope::app
