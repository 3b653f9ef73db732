// What a variant pays, in the unit of what is shown: the number that is large on screen, alone or
// as a change from one side of A/B to the other.
#pragma once

#include <optional>
#include <string>

#include "app/document/look.h"
#include "app/run/frame.h"

namespace lanescope::app {

struct Cost {
    double value = 0;
    std::string unit;    // of one: "wavefront"; what begins with × stands at the number
    std::string meaning; // "a shared load of a warp"
    std::optional<double> ideal{};
    bool more_is_better = false;
    std::string ideal_of{}; // what makes the ideal up: "a load and an addition"

    bool is_within(double share) const; // so much of the ideal worse than it at most
    bool is_ideal() const { return is_within(1e-6); }
    bool is_nearly_ideal() const { return is_within(0.02); } // drawn in the ideal's colour
    std::string amount() const;                              // "32 wavefronts"
    std::string ideal_words() const; // "ideal 1"; "ideal", if it is; empty: none is known
    // "a shared load of a warp · ideal 1".
    std::string explained() const;
};

// How much of what is there is used, in percent: of resources, where the picture's record says of
// what, and of the time in which copies and kernels could overlap.
std::optional<Cost> share_taken(const SideFrame& side);

// Nothing where it has not been counted, or what is shown has no cost of its own.
std::optional<Cost> cost_of(const SideFrame& side, const Look& look);
// What the record names: the lab's cost, of one step.
std::optional<Cost> judged_cost(const SideFrame& side);

// "32 → 1", "wavefronts"; where the units differ, "32 wavefronts → 4 sectors" and nothing.
struct PaidChange {
    std::string from;
    std::string to;
    std::string unit;
    bool good = false; // the second is nearly ideal, or better than the first
};
PaidChange change_between(const Cost& from, const Cost& to);

} // namespace lanescope::app
