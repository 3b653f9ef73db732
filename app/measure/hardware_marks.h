// Marks the counts that a GPU's own counters report differently, with the reason for the
// difference. The marks come from measurements (assets/hardware_counts.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/ratios.h"

namespace lanescope::app {

// One count of one variant that the hardware counts differently from us.
struct HardwareMark {
    std::string count{};    // "shared atomic wavefronts", as in trace::compared_counts()
    std::uint64_t ours = 0; // our count at the lab's initial values
    std::string hardware{}; // "8,685", "9,502 to 9,585"
    std::string reason{};   // a sentence

    // "Shared atomic wavefronts: 41,943 here, 8,685 by the counters of an NVIDIA H100 …: reason".
    std::string sentence() const;
};

inline constexpr std::string_view mark_sign = "*";

// The counts a ratio is computed from: "global load sectors", … as in trace::compared_counts().
// Empty if no counter corresponds: instructions are PTX, while a GPU executes SASS.
std::vector<std::string_view> counts_in(trace::Ratio ratio);
std::vector<std::string_view> global_sector_counts();
std::vector<std::string_view> shared_wavefront_counts();

// Marks of a built-in lab's variant: all, or those about one of `counts`.
std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant);
std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant,
                                         const std::vector<std::string_view>& counts);

// True if the variant's counts were compared with a GPU's counters; then counts without a mark are
// equal.
bool compared_with_hardware(std::string_view lab, std::string_view variant);
// Where the counts were compared: "NVIDIA H100 80GB HBM3, driver …, 2026-11-21".
const std::string& hardware_compared_on();

} // namespace lanescope::app
