// Launches probed kernels and reads their counters.
#include "compute/cuda/probed.h"

#include <algorithm>

#include "compute/cuda/cuda_device.h"
#include "compute/ptx/probes/probe_text.h"
#include "compute/ptx/sites/grid_sync.h"

namespace lanescope::cuda {
namespace {

constexpr int registers_per_block = 65536; // on every GPU since compute capability 5.0

// Skips variables that a library lacks because its code never uses them.
void copy_variables(CudaDevice& device, const Library& from, const Library& to,
                    const std::vector<std::string>& names)
{
    const auto address = [](const Library::Global& global) {
        return reinterpret_cast<device::Address>(global.address);
    };
    for (const std::string& name : names) {
        const auto source = from.find_global(name);
        const auto target = to.find_global(name);
        if (source && target && source->bytes == target->bytes)
            device.copy(address(*target), address(*source), source->bytes);
    }
}

} // namespace

ptx::ProbeOptions probe_options(std::string_view kernel, const trace::Trace& wanted)
{
    return {.kernel = std::string(kernel),
            .footprint = wanted.footprint.bytes > 0,
            .footprint_element_bytes = wanted.footprint.element_bytes,
            .footprint_of_surface = wanted.footprint.surface != 0,
            .touches = wanted.watched.bytes > 0,
            .request_site = std::max(wanted.request.site, -1),
            .warp_scope = wanted.warp_scope};
}

ProbedKernel::ProbedKernel(const ptx::Module& module, ptx::ProbeOptions options,
                           const CudaDevice& device)
    : probed_(ptx::probe(module, options)),
      cooperative_(ptx::waits_for_grid(module, probed_.options.kernel))
{
    load(device, 0);
}

void ProbedKernel::load(const CudaDevice& device, int max_registers)
{
    library_ = std::make_unique<Library>(probed_.text, max_registers);
    kernel_.emplace(library_->kernel(probed_.options.kernel), device.ordinal(), cooperative_);
    setup_.emplace(library_->kernel(std::string(ptx::setup_kernel)), device.ordinal());
    settings_.reset();
}

// Probes need registers: a block size that fits the plain kernel may not fit the probed one until
// its registers are limited.
void ProbedKernel::fit(const CudaDevice& device, const device::Launch& launch)
{
    const auto threads = static_cast<int>(launch.block.count());
    if (threads <= kernel_->attributes().max_threads_per_block) return;
    load(device, registers_per_block / ((threads + 31) / 32 * 32) / 8 * 8);
}

void ProbedKernel::launch(CudaDevice& device, const device::Launch& launch,
                          const CudaModule& module)
{
    fit(device, launch);
    trace::Trace& trace = *launch.trace;
    layout_.emplace(probed_, launch.grid, launch.block, trace);
    if (layout_->bytes() > capacity_) {
        device.synchronize(); // the last launch may still be counting in the old memory
        memory_.reset();
        memory_ = make_memory(layout_->bytes());
        capacity_ = layout_->bytes();
    }
    const auto address = reinterpret_cast<device::Address>(memory_.get());
    device.fill(address, 0, layout_->bytes());
    const Settings settings = layout_->setup_arguments(address);
    if (settings != settings_) {
        device::Launch setup;
        for (std::uint64_t value : settings) setup.arguments.emplace_back(value);
        setup_->launch(device, setup, ptx::setup_kernel);
        settings_ = settings;
    }
    copy_variables(device, module.library(), *library_, module.shared_variables());
    kernel_->launch(device, launch, probed_.options.kernel);
    copy_variables(device, *library_, module.library(), module.shared_variables());

    trace.engine = device::name(device::Engine::cuda);
    trace.device_counts = device_counts(launch);
    if (trace.keep_on_device) return read_kept_counts(device, trace);
    std::vector<std::byte> counters(layout_->bytes());
    device.download(counters, address);
    layout_->read(counters, trace);
    trace.faults.clear();
}

// For counts that stay on the device, reads back only a requested access and the number of
// device-side launches with their warps.
void ProbedKernel::read_kept_counts(CudaDevice& device, trace::Trace& trace) const
{
    const auto address = reinterpret_cast<device::Address>(memory_.get());
    if (std::vector<std::byte> record(layout_->launches_bytes()); !record.empty()) {
        device.download(record, address + layout_->launches_at());
        const auto launches = layout_->read_launches(record);
        trace.device_launches = launches.from_device;
        trace.device_counts.warp_count = launches.warps;
    }
    if (std::vector<std::byte> record(layout_->request_bytes()); !record.empty()) {
        device.download(record, address + layout_->request_at());
        layout_->read_request(record, trace.request);
    }
}

trace::DeviceCounts ProbedKernel::device_counts(const device::Launch& launch) const
{
    const auto at = [&](ptx::Setting setting) {
        return (*settings_)[static_cast<std::size_t>(setting)];
    };
    trace::DeviceCounts counts;
    counts.warps = at(ptx::Setting::warps);
    counts.warp_count = launch.grid.count() * ((launch.block.count() + 31) / 32);
    if (probed_.options.footprint) {
        counts.owners = at(ptx::Setting::owners);
        const auto element = static_cast<std::size_t>(probed_.options.footprint_element_bytes);
        counts.elements = (launch.trace->footprint.bytes + element - 1) / element;
    }
    if (probed_.options.touches) {
        counts.touches = at(ptx::Setting::touches);
        counts.touch_warps = at(ptx::Setting::touch_warps);
        counts.sectors = (launch.trace->watched.bytes + 31) / 32;
    }
    return counts;
}

} // namespace lanescope::cuda
