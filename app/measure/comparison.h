// The same step, or launch of a kernel, counted by up to three sources: the lockstep machine, the
// probes on the GPU and the GPU's own counters; and what it computed there, byte for byte.
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

#include "compute/labs/lab.h"
#include "compute/simt/machine/options.h"
#include "compute/trace/hardware.h"

namespace lanescope::app {

// Something to count, started on one device.
class Counted {
public:
    virtual ~Counted() = default;
    // As assembled, too, where `architecture` names one and its assembler is there.
    virtual trace::Trace count(std::string_view architecture = {}) = 0;
    virtual void step() = 0; // without counting
    // What it computed so far, by names.
    virtual std::vector<std::pair<std::string, std::vector<std::byte>>> results() { return {}; }
};
using StartCounted = std::function<std::unique_ptr<Counted>(device::Device&)>;

// A step of a lab's variant, after so many launches.
struct CountedStep {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
    labs::Values values;
    std::uint64_t seed = 1;
    std::filesystem::path image{}; // for labs that take one; empty: a generated one
    std::int64_t launches_before = 0;
};
StartCounted start_counted(CountedStep step);

// How many bytes of a result differ from simt's, where there was a GPU.
struct ComparedResult {
    std::string name;
    std::size_t bytes = 0;
    std::optional<std::size_t> probed;
    std::optional<std::size_t> plain;
};

struct Comparison {
    std::string kernel;
    std::string assembled_for{}; // "sm_90"; empty: the SASS is not known
    std::vector<trace::Comparison> lines;
    std::vector<std::string> notes; // why a source is missing, and how to get it
    bool sites_equal = true;        // simt and probes, site by site
    std::vector<ComparedResult> results;

    // Whether every source that is there says the same, but for the differences that have a reason,
    // and results are equal.
    bool agrees() const;
};

// `ncu_csv` is a file that `ncu --csv` wrote, instead of reading the counters here; empty: none.
// Throws Error.
Comparison compare_sources(const StartCounted& start, const std::filesystem::path& ncu_csv,
                           const std::string& ncu_command, const simt::Options& simt_options = {});
} // namespace lanescope::app
