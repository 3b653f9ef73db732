// History of an experiment: its start, and every change made to it, step by step. Replaying the
// journal reproduces the state bit for bit, so that sessions and pictures can be reopened.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

inline bool operator==(const Stroke& a, const Stroke& b)
{
    return a.u == b.u && a.v == b.v && a.radius == b.radius && a.erase == b.erase;
}

} // namespace lanescope::labs

namespace lanescope::app {

// Start of an experiment.
struct Start {
    std::string lab;
    std::string variant;
    std::map<std::string, std::string> parameters; // missing ones have their initial value
    std::uint64_t seed = 1;
    std::string image; // the user's picture, for labs that use one; empty: a generated one
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

// Changes of a running experiment.
using Change = std::variant<labs::Stroke, ParameterChange, VariantChange>;

// Applied after `step` steps, before the next one.
struct Event {
    std::int64_t step = 0;
    Change what;
};

struct Journal {
    Start start;
    std::vector<Event> events; // sorted by step
    std::int64_t steps = 0;    // steps run so far
};

// Parameter values of a start. Throws Error (bad_usage) for an unknown name or an invalid value.
inline labs::Values start_values(const labs::Lab& lab, const Start& start)
{
    labs::Values values(lab);
    for (const auto& [id, text] : start.parameters) values.set(id, text);
    return values;
}

// The values as text by id, as stored in `Start::parameters`.
inline std::map<std::string, std::string> as_texts(const labs::Lab& lab, const labs::Values& values)
{
    std::map<std::string, std::string> texts;
    for (const labs::Parameter& parameter : lab.parameters)
        texts[parameter.id] = values.text(parameter.id);
    return texts;
}

} // namespace lanescope::app
