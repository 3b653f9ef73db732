// The options --sample and --sample-seed, and the line that says how much was checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "compute/trace/sample.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

struct SampleChoice {
    bool wanted = false;
    std::unique_ptr<trace::Sample> sample = std::make_unique<trace::Sample>();

    // For simt::Options::sample.
    trace::Sample* requested() const { return wanted ? sample.get() : nullptr; }
    bool is_used() const { return sample->blocks > 0; } // some launch was to be sampled
};
// Returns --sample.
CLI::Option* add_sample_options(CLI::App& command, SampleChoice& choice);

// "checked: 328 of 16,384 blocks (first, last, edges, others by seed 1); bounds in all", for this
// many launches.
std::string sample_line(const trace::Sample& sample, std::size_t launches = 1);
// {"blocks": 328, "of": 16384, "seed": 1, "stopped": false}, and "reason" if all were checked.
nlohmann::ordered_json sample_json(const trace::Sample& sample);

} // namespace lanescope::app
