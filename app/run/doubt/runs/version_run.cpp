// Runs a launch twice: under the checks for its findings, and without them for its values.
#include "app/run/doubt/runs/version_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/run/kernel/kernel_names.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/findings.h"

namespace lanescope::app {
namespace {

simt::Options options_for(const DoubtLimits& limits)
{
    simt::Options options;
    options.step_budget = limits.step_budget;
    options.time_limit_s = limits.time_limit_s;
    return options;
}

// A variable of the module that kernels may write.
bool is_writable(const ptx::Variable& variable)
{
    return variable.space == ptx::Space::global && !variable.is_extern &&
           variable.size_bytes() > 0 && variable.relocations.empty() && variable.initial.empty() &&
           !variable.name.starts_with('$');
}

} // namespace

std::vector<ResultMemory> result_memory(const KernelLaunch& launch, const ptx::Module& module)
{
    std::vector<ResultMemory> all;
    const auto add = [&](const std::string& id, std::string title, const Value& value) {
        const bool own = value.kind == Value::Kind::buffer ||
                         (value.kind == Value::Kind::surface && value.image_of.empty());
        if (!own || !value.references.empty()) return;
        ResultMemory memory;
        memory.id = id;
        memory.title = std::move(title);
        memory.type = value.kind == Value::Kind::buffer && !value.is_struct ? value.type : nullptr;
        all.push_back(std::move(memory));
    };
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        add(std::to_string(i),
            i < launch.parameter_names.size() ? launch.parameter_names[i]
                                              : fmt::format("argument {}", i),
            launch.arguments[i]);
    for (const auto& [name, value] : launch.named) add(name, name, value);
    for (const ptx::Variable& variable : module.variables) {
        const auto given = std::ranges::find(launch.variables, variable.name,
                                             [](const auto& one) { return one.first; });
        const bool set = given != launch.variables.end();
        if (variable.space != ptx::Space::global || (!set && !is_writable(variable))) continue;
        if (set && !given->second.references.empty()) continue;
        ResultMemory memory;
        memory.id = variable.name;
        memory.title = demangled(variable.name);
        memory.is_variable = true;
        memory.type = set ? given->second.type : nullptr;
        all.push_back(std::move(memory));
    }
    return all;
}

VersionRun::VersionRun(const KernelLaunch& launch, const DoubtLimits& limits) : launch_(launch)
{
    device_ = std::make_unique<simt::SteppedDevice>(options_for(limits));
    device_->set_printer([](std::string_view) {});
    run_ = std::make_unique<KernelRun>(*device_, launch);
    device_->note(true);
    try {
        run_->launch(nullptr);
    } catch (const device::KernelFault& found) {
        fault_ = found.fault();
        if (trace::is_stop(fault_->kind)) throw Error(ExitStatus::kernel_fault, fault_->message);
    }
    slicer_ = std::make_unique<simt::Slicer>(*device_);
    // The recorded launch's order of blocks and warps defines the results; a launch on all cores
    // may have had another.
    timeline().go_to(~std::uint64_t{0});
    memory_ = result_memory(launch, ptx::parse(launch.ptx));
    for (ResultMemory& memory : memory_) {
        memory.bytes = memory.is_variable ? run_->variable(memory.id) : run_->contents(memory.id);
        const KernelRun::Location at = run_->location(memory.id, memory.is_variable);
        memory.place.address = at.address;
        memory.place.surface = at.surface;
    }
}

VersionRun::~VersionRun() = default;

std::vector<trace::Fault> findings_of(const KernelLaunch& launch, const DoubtLimits& limits)
{
    constexpr int max_faults = 8;
    simt::Options options = options_for(limits);
    options.checks = simt::Checks::all();
    options.survives_doubtful_results = true;
    options.keep_going = max_faults;
    const auto device = simt::make_device(options);
    device->set_printer([](std::string_view) {});
    KernelRun run(*device, launch);
    trace::Trace trace;
    trace.per_warp = false;
    try {
        run.launch(&trace);
    } catch (const device::KernelFault& found) {
        if (trace.faults.empty()) trace.faults.push_back(found.fault());
    }
    return trace.faults;
}

} // namespace lanescope::app
