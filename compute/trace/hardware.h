// Which hardware counter corresponds to which of our counts, and why the two may differ.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::trace {

// Hardware counters of one launch, under their Nsight Compute names.
struct HardwareCounts {
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::map<std::string, double, std::less<>> metrics;
};

// One line of the comparison. Counts must be equal if `noise` is empty.
struct ComparedCount {
    std::string_view title;                // "global load sectors"
    std::vector<std::string_view> metrics; // to be summed
    std::uint64_t (*ours)(const Totals&);
    std::string_view noise;              // why the hardware may count more or less
    std::string_view noise_as_assembled; // same, compared with the count as assembled
};
std::span<const ComparedCount> compared_counts();

// All metrics used by compared_counts(), comma-separated for `ncu --metrics`.
std::string metric_list();

// The hardware's value for a line; nullopt if one of its metrics was not read.
std::optional<std::uint64_t> hardware_value(const ComparedCount& line,
                                            const HardwareCounts& counts);

// One count from up to three sources, as printed by `trace --compare`.
struct Comparison {
    std::string_view title;
    std::uint64_t simt = 0;
    std::optional<std::uint64_t> assembled; // counted by simt, as the GPU executes them
    std::optional<std::uint64_t> probes;
    std::optional<std::uint64_t> hardware;
    std::string_view reason; // known reason for a difference from the hardware; else empty

    bool engines_agree() const { return !probes || *probes == simt; }
    // Value that the hardware should match: the count as assembled, or the PTX count if that is
    // unknown.
    std::uint64_t expected() const { return assembled.value_or(simt); }
};

// Omits lines that are zero in every source.
std::vector<Comparison> compare(const Totals& simt, const std::optional<Totals>& probes,
                                const std::optional<HardwareCounts>& hardware,
                                const std::optional<Totals>& assembled = {});

} // namespace lanescope::trace
