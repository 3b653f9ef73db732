// Kernels and modules on the GPU. Names and parameter sizes come from our PTX parser or, for a text
// that it cannot read, from the driver, so that such kernels run as well.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/cuda/library.h"
#include "compute/device/device.h"
#include "compute/ptx/probes/rewrite.h"
#include "compute/ptx/text/module.h"

namespace lanescope::cuda {

class CudaDevice;
class CudaModule;
class ProbedKernel;

// A function of a library, ready to launch.
class NativeKernel {
public:
    // `cooperative`: the blocks wait for each other, so all must be resident at once.
    NativeKernel(cudaKernel_t handle, int ordinal, bool cooperative = false);

    const device::KernelAttributes& attributes() const { return attributes_; }
    // Queues the launch and appends it to the device's log, if any; raises the 48 KiB shared memory
    // limit if necessary. `name` is used in errors.
    void launch(const CudaDevice& device, const device::Launch& launch, std::string_view name);
    cudaKernel_t handle() const { return handle_; }

private:
    cudaKernel_t handle_;
    int ordinal_;
    bool cooperative_;
    device::KernelAttributes attributes_;
    std::size_t dynamic_shared_limit_;
};

class CudaKernel : public device::Kernel {
public:
    CudaKernel(std::string name, std::vector<std::size_t> parameter_sizes, NativeKernel native,
               const CudaModule& module)
        : name_(std::move(name)), parameter_sizes_(std::move(parameter_sizes)), native_(native),
          module_(module)
    {
    }

    std::string_view name() const override { return name_; }
    std::span<const std::size_t> parameter_sizes() const override { return parameter_sizes_; }
    device::KernelAttributes attributes() const override { return native_.attributes(); }
    const CudaModule& module() const { return module_; }
    // With a trace, runs the kernel's probed build and fills the trace in, unless the device logs
    // its launches.
    void launch(CudaDevice& device, const device::Launch& launch) const;

private:
    std::string name_;
    std::vector<std::size_t> parameter_sizes_;
    mutable NativeKernel native_;
    const CudaModule& module_;
};

class CudaModule : public device::Module {
public:
    // Throws LaunchError with the driver's log, and with the parser's error if that could not read
    // the text either.
    CudaModule(std::string_view ptx, const CudaDevice& device);
    ~CudaModule() override;

    const device::Kernel& kernel(std::string_view name) const override;
    std::vector<std::string> kernel_names() const override;
    device::Variable variable(std::string_view name) const override;

    // Module variables whose values the probed builds share: all except those that hold addresses.
    const std::vector<std::string>& shared_variables() const { return shared_variables_; }
    const Library& library() const { return *library_; }
    std::string_view text() const; // empty if the parser could not read it

    // Returns the kernel's build with the probes that the trace needs, made on first use. Throws
    // LaunchError naming the kernel if it cannot be probed.
    ProbedKernel& probed(std::string_view kernel, const trace::Trace& wanted,
                         CudaDevice& device) const;

private:
    // Keeps only the newest site's builds among those that record requests.
    void evict_other_requests(const ptx::ProbeOptions& newest, CudaDevice& device) const;

    std::optional<ptx::Module> parsed_;
    std::string parse_error_; // why parsed_ is empty
    std::unique_ptr<Library> library_;
    std::vector<std::unique_ptr<CudaKernel>> kernels_;
    std::vector<std::string> shared_variables_;
    mutable std::map<std::string, std::unique_ptr<ProbedKernel>, std::less<>> probed_;
};

} // namespace lanescope::cuda
