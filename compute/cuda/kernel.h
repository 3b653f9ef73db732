// Kernels and modules on the GPU. Names and parameter sizes come from the PTX text as our parser
// reads it; for a text that it cannot read, from the driver, so that such kernels run all the same.
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
    // `cooperative`: its blocks wait for each other, so all of them must be there at once.
    NativeKernel(cudaKernel_t handle, int ordinal, bool cooperative = false);

    const device::KernelAttributes& attributes() const { return attributes_; }
    // Queues the launch, and writes it into the device's log if there is one; lifts the limit of
    // 48 KiB of shared memory when it is needed. `name` is for errors.
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
    // With a trace, the kernel's probed build runs instead and fills it, unless the device logs
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
    // Throws LaunchError with the driver's log, and the parser's error if it could not read the
    // text either.
    CudaModule(std::string_view ptx, const CudaDevice& device);
    ~CudaModule() override;

    const device::Kernel& kernel(std::string_view name) const override;
    std::vector<std::string> kernel_names() const override;
    device::Variable variable(std::string_view name) const override;

    // The module's variables whose values its builds with probes share with it: all but those that
    // hold addresses.
    const std::vector<std::string>& shared_variables() const { return shared_variables_; }
    const Library& library() const { return *library_; }
    std::string_view text() const; // empty where the parser could not read it

    // The kernel's build with the probes that the trace asks for, made when it is first needed.
    // Throws LaunchError that names the kernel when it cannot be probed.
    ProbedKernel& probed(std::string_view kernel, const trace::Trace& wanted,
                         CudaDevice& device) const;

private:
    // Of the builds that note requests of a kernel, only those for the newest site are kept.
    void evict_other_requests(const ptx::ProbeOptions& newest, CudaDevice& device) const;

    std::optional<ptx::Module> parsed_;
    std::string parse_error_; // why parsed_ is empty
    std::unique_ptr<Library> library_;
    std::vector<std::unique_ptr<CudaKernel>> kernels_;
    std::vector<std::string> shared_variables_;
    mutable std::map<std::string, std::unique_ptr<ProbedKernel>, std::less<>> probed_;
};

} // namespace lanescope::cuda
