// A kernel with probes, loaded next to the plain one: same arguments and results, plus counts.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "compute/cuda/handles.h"
#include "compute/cuda/kernel.h"
#include "compute/cuda/library.h"
#include "compute/device/device.h"
#include "compute/ptx/probes/probe_buffer.h"
#include "compute/ptx/probes/rewrite.h"

namespace lanescope::cuda {

class CudaDevice;
class CudaModule;

class ProbedKernel {
public:
    // Throws ptx::probe's errors, and LaunchError if the driver refuses the probed text.
    ProbedKernel(const ptx::Module& module, ptx::ProbeOptions options, const CudaDevice& device);

    // Queues the launch with zeroed counters. Copies the module's variables to this build before
    // the launch, and back after it. Waits for it and fills `launch.trace`, unless the trace leaves
    // its counts on the device: then it waits only for a requested access and fills that in.
    void launch(CudaDevice& device, const device::Launch& launch, const CudaModule& module);

    const ptx::ProbeOptions& options() const { return probed_.options; }

private:
    void load(const CudaDevice& device, int max_registers);
    void fit(const CudaDevice& device, const device::Launch& launch);
    trace::DeviceCounts device_counts(const device::Launch& launch) const;
    void read_kept_counts(CudaDevice& device, trace::Trace& trace) const;

    ptx::Probed probed_;
    bool cooperative_;
    std::unique_ptr<Library> library_;
    std::optional<NativeKernel> kernel_;
    std::optional<NativeKernel> setup_;
    std::optional<ptx::ProbeBuffer> layout_; // layout for the last launch
    Memory memory_;
    std::size_t capacity_ = 0;
    using Settings = std::array<std::uint64_t, ptx::setting_count>;
    std::optional<Settings> settings_; // last settings passed to the module's setup kernel
};

// The probes that a launch's trace needs.
ptx::ProbeOptions probe_options(std::string_view kernel, const trace::Trace& wanted);

} // namespace lanescope::cuda
