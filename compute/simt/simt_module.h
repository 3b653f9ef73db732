// A PTX text loaded by the machine: its variables are in memory and its kernels are decoded.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "compute/device/device.h"
#include "compute/simt/machine/memory/symbols.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

class SimtModule;

class SimtKernel : public device::Kernel {
public:
    SimtKernel(SimtModule& module, Program program);
    std::string_view name() const override { return program_.kernel; }
    std::span<const std::size_t> parameter_sizes() const override
    {
        return program_.parameter_sizes;
    }
    device::KernelAttributes attributes() const override;

    const Program& program() const { return program_; }
    SimtModule& module() const { return module_; }

private:
    SimtModule& module_;
    Program program_;
};

// Adds what the kernel's directives say about clusters.
void add_cluster(const ptx::Function& kernel, device::KernelAttributes& attributes);

class SimtModule : public device::Module {
public:
    SimtModule(ptx::Module source, Memory& memory, Isa isa,
               const std::function<void(ptx::Module&)>& meetings = {});
    // Throws ParseError or LaunchError naming the part of this kernel that is invalid or
    // unsupported.
    const device::Kernel& kernel(std::string_view name) const override;
    std::vector<std::string> kernel_names() const override { return source_.kernel_names(); }
    device::Variable variable(std::string_view name) const override;
    // Name of the function with this index in the text.
    const std::string& function_name(int index) const
    {
        return source_.functions[static_cast<std::size_t>(index)].name;
    }
    const ptx::Module& source() const { return source_; }
    Symbols& symbols() { return symbols_; }

private:
    ptx::Module source_;
    mutable Symbols symbols_; // mutable: host addresses of constants are created on demand
    std::vector<std::unique_ptr<SimtKernel>> kernels_;
    std::map<std::string, std::exception_ptr, std::less<>> refusals_; // keyed by kernel name
};

} // namespace lanescope::simt
