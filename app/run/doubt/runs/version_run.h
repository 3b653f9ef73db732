// One version of a kernel, run on the lockstep machine and recorded, so that each value of its
// results can be followed back to the instruction that computed it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/kernel/kernel_run.h"
#include "compute/simt/debug/slice.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct DoubtLimits {
    std::uint64_t step_budget = simt::Options{}.step_budget;
    double time_limit_s = 60; // per launch
};

// Memory that a launch can write: a buffer or image of the launch, or a variable of the module.
struct ResultMemory {
    std::string id;    // index or name of an argument, or PTX name of a variable
    std::string title; // "argument 2", "histogram"
    bool is_variable = false;
    const NumberType* type = nullptr; // null: unknown
    Bytes bytes;                      // contents after the launch
    std::vector<bool> known{};        // per element; empty: all elements are known
    simt::Place place;                // of its first byte
};

// The memory of a launch whose elements are compared; `module` is the parsed launch.ptx. Buffers
// that contain addresses are left out. Contents and places are empty.
std::vector<ResultMemory> result_memory(const KernelLaunch& launch, const ptx::Module& module);

class VersionRun {
public:
    // Runs the launch without checks. `launch` must outlive this. A launch that faults keeps what
    // it wrote before. Throws Error for a launch that exceeds a limit or is refused.
    VersionRun(const KernelLaunch& launch, const DoubtLimits& limits);
    ~VersionRun();

    const std::vector<ResultMemory>& memory() const { return memory_; }
    const std::optional<trace::Fault>& fault() const { return fault_; }
    simt::Slicer& slicer() { return *slicer_; }
    const simt::SteppedDevice& device() const { return *device_; }
    simt::Timeline& timeline() { return slicer_->timeline(0); }
    const KernelLaunch& launch() const { return launch_; }
    // Address of a buffer of the launch.
    device::Address location(const std::string& id) { return run_->location(id, false).address; }

private:
    const KernelLaunch& launch_;
    std::unique_ptr<simt::SteppedDevice> device_;
    std::unique_ptr<KernelRun> run_;
    std::optional<trace::Fault> fault_;
    std::unique_ptr<simt::Slicer> slicer_;
    std::vector<ResultMemory> memory_;
};

// Faults and warnings of the launch under all checks.
std::vector<trace::Fault> findings_of(const KernelLaunch& launch, const DoubtLimits& limits);

} // namespace lanescope::app
