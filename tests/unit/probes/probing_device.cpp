// The host's part of a probed launch: buffer, setup kernel, launch, reading back.
#include "tests/unit/probes/probing_device.h"

#include "compute/ptx/probe_buffer.h"

namespace lanescope::probes {

class ProbingDevice::LoadedModule : public device::Module {
public:
    LoadedModule(ProbingDevice& device, std::string_view text)
        : device_(device), text_(text), module_(device.machine_->load(text))
    {
    }
    const device::Kernel& kernel(std::string_view name) const override
    {
        const device::Kernel& found = module_->kernel(name);
        device_.texts_[&found] = text_;
        return found;
    }
    std::vector<std::string> kernel_names() const override { return module_->kernel_names(); }

private:
    ProbingDevice& device_;
    std::string text_;
    std::unique_ptr<device::Module> module_;
};

std::unique_ptr<device::Module> ProbingDevice::load(std::string_view ptx)
{
    return std::make_unique<LoadedModule>(*this, ptx);
}

void ProbingDevice::launch(const device::Kernel& kernel, const device::Launch& launch)
{
    if (launch.trace == nullptr) return machine_->launch(kernel, launch);
    trace::Trace& trace = *launch.trace;
    const bool footprint = trace.footprint.bytes != 0;
    const ptx::Probed probed = ptx::probe(
        ptx::parse(texts_.at(&kernel)), {std::string(kernel.name()), footprint,
                                         trace.footprint.element_bytes, trace.watched.bytes != 0});
    const auto module = machine_->load(probed.text);
    const ptx::ProbeBuffer layout(probed, launch.grid, launch.block, trace);
    const auto buffer = machine_->allocate(layout.bytes());
    machine_->fill(buffer->address(), 0, buffer->bytes());
    device::Launch setup;
    for (std::uint64_t value : layout.setup_arguments(buffer->address()))
        setup.arguments.emplace_back(value);
    machine_->launch(module->kernel(ptx::setup_kernel), setup);
    device::Launch counted = launch;
    counted.trace = nullptr;
    machine_->launch(module->kernel(kernel.name()), counted);
    layout.read(device::download<std::byte>(*machine_, buffer->address(), layout.bytes()), trace);
}

} // namespace lanescope::probes
