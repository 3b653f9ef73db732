// Reads the machine's memory in place, without a copy.
#include "compute/runtime/launches/machine_memory.h"

#include <algorithm>

#include "compute/error.h"
#include "compute/runtime/machine.h"
#include "compute/runtime/work.h"

namespace lanescope::runtime {

MachineMemory::MachineMemory(Machine& machine, const device::Kernel& kernel,
                             const device::Launch& launch)
    : machine_(machine), launch_(launch)
{
    if (!machine.memory.empty()) {
        const Memory& highest = machine.memory.rbegin()->second;
        begin_ = machine.memory.begin()->first;
        end_ = highest.address + highest.bytes;
    }
    find_text(kernel);
}

void MachineMemory::find_text(const device::Kernel& kernel)
{
    const std::string name(kernel.name());
    for (const auto& module : machine_.modules)
        for (const auto& [device, loaded] : module->loaded)
            for (std::size_t i = 0; i < loaded.size() && i < module->texts.size(); ++i) {
                const auto names = loaded[i]->kernel_names();
                if (std::ranges::find(names, name) == names.end() ||
                    &loaded[i]->kernel(name) != &kernel)
                    continue;
                program_ = module.get();
                module_ = loaded[i].get();
                text_ = &module->texts[i];
                return;
            }
}

std::vector<std::span<const std::byte>> MachineMemory::arguments()
{
    std::vector<std::span<const std::byte>> all;
    for (const device::Argument& argument : launch_.arguments) all.push_back(argument.bytes());
    return all;
}

std::optional<LaunchMemory::Allocation> MachineMemory::allocation(std::uint64_t address)
{
    if (address < begin_ || address >= end_) return {};
    const Memory* const memory = machine_.find(address);
    if (memory == nullptr) return {};
    return Allocation{memory->address, memory->bytes, memory->call};
}

std::span<const std::byte> MachineMemory::bytes(const Allocation& allocation)
{
    return machine_.simt().bytes(allocation.address, allocation.bytes);
}

bool MachineMemory::any_written(const Allocation& allocation)
{
    return machine_.simt().any_written(allocation.address);
}

std::optional<ImageBehind> MachineMemory::image(std::uint64_t handle)
{
    return image_owner(machine_, handle);
}

std::vector<LaunchMemory::Variable> MachineMemory::variables()
{
    std::vector<Variable> all;
    if (program_ == nullptr) return all;
    for (const auto& [host, variable] : program_->symbols) {
        try {
            const device::Variable place = module_->variable(variable.name);
            all.push_back({variable.name, variable.constant,
                           machine_.simt().bytes(place.address, place.bytes)});
        } catch (const Error&) {
            continue; // belongs to another module
        }
    }
    return all;
}

} // namespace lanescope::runtime
