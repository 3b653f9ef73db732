// Host side of a probed launch: buffer, setup kernel, launch, readback.
#include "tests/unit/probes/probing_device.h"

#include <fmt/format.h>

#include "compute/ptx/probes/probe_buffer.h"

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
        device_.origins_[&found] = {text_, module_.get()};
        return found;
    }
    std::vector<std::string> kernel_names() const override { return module_->kernel_names(); }
    device::Variable variable(std::string_view name) const override
    {
        return module_->variable(name);
    }

private:
    ProbingDevice& device_;
    std::string text_;
    std::unique_ptr<device::Module> module_;
};

std::unique_ptr<device::Module> ProbingDevice::load(std::string_view ptx)
{
    return std::make_unique<LoadedModule>(*this, ptx);
}

const ProbingDevice::Build& ProbingDevice::build(const device::Kernel& kernel,
                                                 const trace::Trace& wanted)
{
    const ptx::ProbeOptions options{.kernel = std::string(kernel.name()),
                                    .footprint = wanted.footprint.bytes != 0,
                                    .footprint_element_bytes = wanted.footprint.element_bytes,
                                    .footprint_of_surface = wanted.footprint.surface != 0,
                                    .touches = wanted.watched.bytes != 0,
                                    .request_site = wanted.request.site,
                                    .warp_scope = wanted.warp_scope};
    const std::string& text = origins_.at(&kernel).text;
    Build& build = builds_[fmt::format(
        "{} {} {} {} {} {} {} {}", options.kernel, options.footprint,
        options.footprint_element_bytes, options.footprint_of_surface, options.touches,
        options.request_site, trace::name(options.warp_scope), text)];
    if (build.module) return build;
    const ptx::Module parsed = ptx::parse(text);
    build.probed = ptx::probe(parsed, options);
    build.module = machine_->load(build.probed.text);
    for (const ptx::Variable& variable : parsed.variables)
        if ((variable.space == ptx::Space::global || variable.space == ptx::Space::constant) &&
            !variable.is_extern && variable.relocations.empty() && !variable.name.starts_with('$'))
            build.variables.push_back(variable.name);
    return build;
}

void ProbingDevice::copy_variables(const Build& build, const device::Module& from,
                                   const device::Module& to)
{
    for (const std::string& name : build.variables) {
        const device::Variable source = from.variable(name);
        machine_->copy(to.variable(name).address, source.address, source.bytes);
    }
}

void ProbingDevice::launch(const device::Kernel& kernel, const device::Launch& launch)
{
    if (launch.trace == nullptr) return machine_->launch(kernel, launch);
    trace::Trace& trace = *launch.trace;
    const Build& made = build(kernel, trace);
    const ptx::ProbeBuffer layout(made.probed, launch.grid, launch.block, trace);
    const auto buffer = machine_->allocate(layout.bytes());
    machine_->fill(buffer->address(), 0, buffer->bytes());
    device::Launch setup;
    for (std::uint64_t value : layout.setup_arguments(buffer->address()))
        setup.arguments.emplace_back(value);
    machine_->launch(made.module->kernel(ptx::setup_kernel), setup);
    device::Launch counted = launch;
    counted.trace = nullptr;
    const device::Module& plain = *origins_.at(&kernel).module;
    copy_variables(made, plain, *made.module);
    machine_->launch(made.module->kernel(kernel.name()), counted);
    copy_variables(made, *made.module, plain);
    layout.read(device::download<std::byte>(*machine_, buffer->address(), layout.bytes()), trace);
}

} // namespace lanescope::probes
