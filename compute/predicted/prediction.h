// The time of a launch on a GPU, predicted from its work: a pure function. assets/manual/time.md
// has the model, its constants and its errors.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "compute/counting/gpus.h"
#include "compute/predicted/work.h"

namespace lanescope::predicted {

enum class Unit : std::uint8_t { block_starts, instructions, data, l2, dram, latency };
constexpr std::size_t unit_count = 6;
constexpr std::array<Unit, unit_count> all_units{
    Unit::block_starts, Unit::instructions, Unit::data, Unit::l2, Unit::dram, Unit::latency};
std::string_view name(Unit unit); // "DRAM"
std::string_view key(Unit unit);  // "dram", for JSON
std::string_view name(Wait wait); // "results from global memory"
std::string_view key(Wait wait);  // "global"

// Differences from measured times of launches with one limit: half of them were within `median`,
// nine of ten within `most`.
struct Error {
    double median = 0;
    double most = 0;
    int launches = 0;
};

struct Prediction {
    double us = 0;        // of the launch, as Nsight Compute's gpu__time_duration
    double launch_us = 0; // the part that an empty kernel takes
    // Time that each unit alone would take.
    std::array<double, unit_count> unit_us{};
    Unit limit = Unit::latency; // takes longest
    bool by_launch = false;     // an empty kernel's part exceeds the rest
    std::string_view pipe{};    // the busiest one, for Unit::instructions
    double waves = 0;           // blocks per slot
    Error error{};
    bool validated = false; // on this GPU

    double of(Unit unit) const { return unit_us[static_cast<std::size_t>(unit)]; }
    // Fraction of the time, without that for launching, during which the unit works; at most 1.
    double use(Unit unit) const;
};

Prediction predict(const Work& work, const counting::Gpu& gpu);

// Launches that follow one another: the sum of their times and of each unit's.
Prediction sum_of(std::span<const Prediction> launches);

// Same work, in a quarter of the blocks.
Prediction predict_in_fewer_blocks(const Work& work, const counting::Gpu& gpu);

} // namespace lanescope::predicted
