// Access to a launch's memory on the lockstep machine, for launches that --keep saves.
#pragma once

#include "compute/runtime/reporting/keeping.h"

namespace lanescope::runtime {

class Machine;
struct Module;

class MachineMemory : public LaunchMemory {
public:
    MachineMemory(Machine& machine, const device::Kernel& kernel, const device::Launch& launch);
    std::vector<std::span<const std::byte>> arguments() override;
    std::optional<Allocation> allocation(std::uint64_t address) override;
    std::span<const std::byte> bytes(const Allocation& allocation) override;
    bool any_written(const Allocation& allocation) override;
    std::optional<ImageBehind> image(std::uint64_t handle) override;
    std::vector<Variable> variables() override;
    const std::string* text() override { return text_; }

private:
    void find_text(const device::Kernel& kernel);

    Machine& machine_;
    const device::Launch& launch_;
    std::uint64_t begin_ = 0, end_ = 0; // range that contains all allocations
    const Module* program_ = nullptr;   // module of the kernel
    device::Module* module_ = nullptr;  // the same module, as loaded on the device
    const std::string* text_ = nullptr;
};

} // namespace lanescope::runtime
