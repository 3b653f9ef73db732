// Where a GPU's own counters are known to say otherwise than our counts: such a number carries a
// mark, and the mark leads to the reason. Known from measurements (assets/hardware_counts.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/ratios.h"

namespace lanescope::app {

// One count of one variant that the hardware counts otherwise.
struct HardwareMark {
    std::string count{};    // "shared atomic wavefronts", as trace::compared_counts() calls it
    std::uint64_t ours = 0; // at the lab's initial values
    std::string hardware{}; // "8,685", "9,502 to 9,585"
    std::string reason{};   // a sentence

    // "Shared atomic wavefronts: 41,943 here, 8,685 by the counters of an NVIDIA H100 …: reason".
    std::string sentence() const;
};

inline constexpr std::string_view mark_sign = "*";

// What a number is made of: "global load sectors", … as trace::compared_counts() has it. Nothing
// where no counter stands for it: instructions are PTX's, a GPU executes its assembler's.
std::vector<std::string_view> counts_in(trace::Ratio ratio);
std::vector<std::string_view> global_sector_counts();
std::vector<std::string_view> shared_wavefront_counts();

// The marks of a built-in lab's variant: all, or those about one of `counts`.
std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant);
std::vector<HardwareMark> hardware_marks(std::string_view lab, std::string_view variant,
                                         const std::vector<std::string_view>& counts);

// Whether the variant's counts were compared with a GPU's counters: those without a mark were
// equal.
bool compared_with_hardware(std::string_view lab, std::string_view variant);
// "NVIDIA H100 80GB HBM3, driver …, 2026-11-21": where that was.
const std::string& hardware_compared_on();

} // namespace lanescope::app
