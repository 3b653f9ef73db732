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

namespace lanescope::labs {

inline bool operator==(const Stroke& a, const Stroke& b)
{
    return a.u == b.u && a.v == b.v && a.radius == b.radius && a.erase == b.erase;
}

} // namespace lanescope::labs

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
inline labs::Values start_values(const labs::Lab& lab, const Start& start)
{
    labs::Values values(lab);
    for (const auto& [id, text] : start.parameters) values.set(id, text);
    return values;
}

// The values as texts, by id: what `Start::parameters` keeps.
inline std::map<std::string, std::string> as_texts(const labs::Lab& lab, const labs::Values& values)
{
    std::map<std::string, std::string> texts;
    for (const labs::Parameter& parameter : lab.parameters)
        texts[parameter.id] = values.text(parameter.id);
    return texts;
}

} // namespace lanescope::app
