// A variant's cost in the unit of the subject: the headline number, alone or as the change between
// the sides of A/B.
#pragma once

#include <optional>
#include <string>

#include "app/document/look/look.h"
#include "app/run/frame/frame.h"

namespace lanescope::app {

struct Cost {
    double value = 0;
    std::string unit;    // singular: "wavefront"; × attaches the unit to the number
    std::string meaning; // "for this shared load"
    std::optional<double> ideal{};
    bool higher_is_better = false;
    std::string ideal_of{}; // operations of the ideal: "a load and an addition"
    bool typical = true;    // false: other operations of this kind in the launch cost more

    bool is_within(double share) const; // exceeds the ideal by at most this share
    bool is_ideal() const { return is_within(1e-6); }
    // Drawn in the ideal's colour.
    bool is_nearly_ideal() const { return typical && is_within(0.02); }
    std::string amount() const;      // "32 wavefronts"
    std::string ideal_words() const; // "ideal 1"; "ideal" if reached; empty if unknown
    // "a shared load of a warp · ideal 1".
    std::string explained() const;
};

// Utilisation in percent: of the resource that the picture's record names or, for copies and
// kernels, of the time in which they could overlap. For cells with numbers: how many of one row
// exceed another row's, if the record compares them.
std::optional<Cost> share_taken(const SideFrame& side);

// The share of the loaded sectors that L1 served, in percent; empty if caches served none.
std::optional<Cost> share_from_l1(const trace::ServedBy& served);

// Empty if it was not counted, or the subject has no cost.
std::optional<Cost> cost_of(const SideFrame& side, const Look& look);
// The lab's cost per step, as named in the record.
std::optional<Cost> judged_cost(const SideFrame& side);

// "32 → 1" and "wavefronts"; if units or ideals differ, "8× → 32×" and "the ideal"; without ideals,
// "32 wavefronts → 4 sectors" and no unit.
struct PaidChange {
    std::string from;
    std::string to;
    std::string unit;
    bool good = false; // the second is close to ideal, or better than the first
};
PaidChange change_between(const Cost& from, const Cost& to);

} // namespace lanescope::app
