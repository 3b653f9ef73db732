// Which hardware counter stands for which of our counts, and why the two may differ.
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

// Hardware counters of one launch, by the names that Nsight Compute gives them.
struct HardwareCounts {
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::map<std::string, double, std::less<>> metrics;
};

// One line of the comparison. The counts are equal where `noise` is empty.
struct ComparedCount {
    std::string_view title;                // "global load sectors"
    std::vector<std::string_view> metrics; // summed
    std::uint64_t (*ours)(const Totals&);
    std::string_view noise;              // why the hardware may count more or less
    std::string_view noise_as_assembled; // the same, than the count as assembled
};
std::span<const ComparedCount> compared_counts();

// Every metric that compared_counts() reads, as `ncu --metrics` takes them: separated by commas.
std::string metric_list();

// The hardware's value for a line, nothing when one of its metrics was not read.
std::optional<std::uint64_t> hardware_value(const ComparedCount& line,
                                            const HardwareCounts& counts);

// One count from up to three sources, as `trace --compare` prints it.
struct Comparison {
    std::string_view title;
    std::uint64_t simt = 0;
    std::optional<std::uint64_t> assembled; // by simt, of what the GPU executes
    std::optional<std::uint64_t> probes;
    std::optional<std::uint64_t> hardware;
    std::string_view
        reason; // why the hardware differs, where it does and that is known; else empty

    bool engines_agree() const { return !probes || *probes == simt; }
    // What the hardware is to meet: the count as assembled, or the PTX's where that is not known.
    std::uint64_t expected() const { return assembled.value_or(simt); }
};

// Lines that are zero from every source are left out.
std::vector<Comparison> compare(const Totals& simt, const std::optional<Totals>& probes,
                                const std::optional<HardwareCounts>& hardware,
                                const std::optional<Totals>& assembled = {});

} // namespace lanescope::trace
