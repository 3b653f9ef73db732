// A step or kernel launch counted by up to three sources: the lockstep machine, the probes on the
// GPU and the GPU's own counters; results are compared byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/experiment/lab/lab.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/hardware.h"

namespace lanescope::app {

// Work that can be counted, set up on one device.
class Counted {
public:
    virtual ~Counted() = default;
    // If `architecture` is given and its assembler is available, counts the SASS as well.
    virtual trace::Trace count(std::string_view architecture = {}) = 0;
    virtual void step() = 0; // runs a step without counting
    // The results so far, by name.
    virtual std::vector<std::pair<std::string, std::vector<std::byte>>> results() { return {}; }
};
using StartCounted = std::function<std::unique_ptr<Counted>(device::Device&)>;

// A step of a lab's variant to count, after a number of launches.
struct CountedStep {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
    labs::Values values;
    std::uint64_t seed = 1;
    std::filesystem::path image{}; // for labs that use one; empty: a generated image
    std::int64_t launches_before = 0;
};
StartCounted start_counted(CountedStep step);

// Number of bytes of a result that differ from simt's, if there was a GPU.
struct ComparedResult {
    std::string name;
    std::size_t bytes = 0;
    std::optional<std::size_t> probed;
    std::optional<std::size_t> plain;
};

struct Comparison {
    std::string kernel;
    std::string assembled_for{}; // "sm_90"; empty if the SASS is unknown
    std::vector<trace::Comparison> lines;
    std::vector<std::string> notes; // why a source is missing, and how to enable it
    bool sites_equal = true;        // simt and probes agree for every site
    std::vector<ComparedResult> results;

    // True if all available sources agree, except for differences with a known reason, and results
    // are equal.
    bool agrees() const;
};

// `ncu_csv` is the output of `ncu --csv`, used instead of reading the counters here; empty: none.
// Throws Error.
Comparison compare_sources(const StartCounted& start, const std::filesystem::path& ncu_csv,
                           const std::string& ncu_command, const simt::Options& simt_options = {});
} // namespace lanescope::app
