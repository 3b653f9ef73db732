// How an experiment came to its present state: where it started and what was done to it since, step
// by step. Replayed, the journal gives the same state bit for bit, so a session or a picture can be
// opened again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compute/labs/lab.h"

namespace lanescope::app {

// What an experiment starts from.
struct Start {
    std::string lab;
    std::string variant;
    std::map<std::string, std::string>
        parameters; // those that are not there keep their initial value
    std::uint64_t seed = 1;
    std::string image; // the user's picture, for labs that take one; empty: a generated one
    friend bool operator==(const Start&, const Start&) = default;
};

struct ParameterChange {
    std::string id;
    std::string text;
    friend bool operator==(const ParameterChange&, const ParameterChange&) = default;
};

struct VariantChange {
    std::string id;
    friend bool operator==(const VariantChange&, const VariantChange&) = default;
};

// What can be done to a running experiment.
using Change = std::variant<labs::Stroke, ParameterChange, VariantChange>;

// Done after `step` steps, before the next one.
struct Event {
    std::int64_t step = 0;
    Change what;
};

struct Journal {
    Start start;
    std::vector<Event> events; // in order of step
    std::int64_t steps = 0;    // steps run so far
};

// The parameter values that a start names. Throws Error (bad_usage) for an unknown name or a wrong
// value.
labs::Values start_values(const labs::Lab& lab, const Start& start);

// The values as texts, by id: what `Start::parameters` keeps.
std::map<std::string, std::string> as_texts(const labs::Lab& lab, const labs::Values& values);

} // namespace lanescope::app
