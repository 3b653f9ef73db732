// A launch with its checks. A mistake that a GPU would not notice (a race, a read of unwritten
// memory) is reported; then the launch runs again from the same memory without checks, so that the
// program continues with a result that a GPU might have computed.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compute/device/checks.h"
#include "compute/device/kernel_names.h"
#include "compute/runtime/counts_as_bytes.h"
#include "compute/runtime/graphics.h"
#include "compute/runtime/launches/clusters.h"
#include "compute/runtime/launches/machine_memory.h"
#include "compute/runtime/machine.h"
#include "compute/runtime/reporting/keeping.h"
#include "compute/runtime/reporting/python_names.h"
#include "compute/runtime/reserved_ranges.h"
#include "compute/simt/machine/state/device_launches.h"
#include "compute/simt/machine/state/launch_state.h"
#include "compute/trace/findings.h"
#include "compute/trace/idle_blocks.h"

namespace lanescope::runtime {

namespace {

// Error that the context reports after such a fault on a GPU.
cudaError_t error_of(trace::FindingKind kind)
{
    constexpr std::array errors{
#define FINDING(kind, effect, severity, cuda_error) cuda_error,
#include "compute/trace/findings.def"
#undef FINDING
    };
    return errors[kind.index()];
}

bool matches_name(const std::string& only, const LaunchRecord& record)
{
    if (only.empty()) return true;
    return !device::meant({record.symbol}, only).empty();
}

// Number of blocks that the simulated GPU can hold at once.
std::uint64_t max_resident_blocks(const device::Kernel& kernel, const LaunchRequest& request)
{
    return static_cast<std::uint64_t>(blocks_per_multiprocessor(
               kernel, static_cast<int>(request.block.count()), request.shared_bytes)) *
           static_cast<std::uint64_t>(simulated_gpu().multiprocessors);
}

bool outside(const Dim3& size, const Dim3& max_size)
{
    return size.count() == 0 || size.x > max_size.x || size.y > max_size.y || size.z > max_size.z;
}

std::string text(const Dim3& size)
{
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

} // namespace

cudaError_t Machine::launch(const LaunchRequest& request, Stream& stream, const char* call)
{
    Function& function = *request.function;
    // the kernel's module was unloaded
    if (!handles.contains(&function)) return cudaErrorInvalidResourceHandle;
    const auto refuse = [&](cudaError_t error, std::string why) {
        Finding finding{.kind = "launch"};
        finding.call = call;
        finding.kernel = function.name;
        finding.site = CallSite::here();
        finding.message = fmt::format("The launch of {} was rejected ({}): {}", function.name,
                                      reported_error_name(error), why);
        find(finding);
        ThreadState& thread = this_thread();
        if (thread.driver_call == nullptr) thread.last_error = error;
        if (finding.site.script == nullptr) // Python packages raise or return the error themselves
            thread.unchecked_error = {fmt::format("the launch of {}", function.name),
                                      reported_error_name(error), finding.site, why};
        return error;
    };
    device::LaunchLimits limits = device::launch_limits(simt_->properties());
    // CUDA 13's runtime returns this error, although the manual says cudaErrorInvalidConfiguration.
    constexpr cudaError_t wrong_size = cudaErrorInvalidValue;
    if (outside(request.block, limits.block) || request.block.count() > limits.threads_per_block)
        return refuse(
            wrong_size,
            fmt::format("a block of {} has {} threads; 1 to {} are allowed, and at most {} in z.",
                        text(request.block), request.block.count(), limits.threads_per_block,
                        limits.block.z));
    if (outside(request.grid, limits.grid))
        return refuse(wrong_size,
                      fmt::format("a grid of {} is not between 1 and {} in each direction.",
                                  text(request.grid), text(limits.grid)));
    const device::Kernel& kernel = this->kernel(function, stream.device);
    const device::KernelAttributes attributes = kernel.attributes();
    if (request.block.count() > static_cast<std::uint64_t>(attributes.max_threads_per_block))
        return refuse(cudaErrorInvalidValue,
                      fmt::format("blocks of {} threads, but the kernel is compiled for at most {} "
                                  "(__launch_bounds__).",
                                  request.block.count(), attributes.max_threads_per_block));
    const auto max_shared = static_cast<std::uint64_t>(function.max_dynamic_shared_bytes);
    if (request.shared_bytes > max_shared ||
        request.shared_bytes + attributes.static_shared_bytes >
            std::max<std::uint64_t>(counting::shared_bytes_without_opt_in,
                                    max_shared + attributes.static_shared_bytes))
        return refuse(
            cudaErrorInvalidValue,
            fmt::format(
                "{} bytes of dynamic shared memory, but {} are allowed. More than {} need {}, "
                "…).",
                request.shared_bytes, max_shared, counting::shared_bytes_without_opt_in,
                this_thread().driver_call == nullptr
                    ? "cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize"
                    : "cuFuncSetAttribute(…, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"));
    if (const std::string problem = cluster_problem(function, attributes, request);
        !problem.empty())
        return refuse(cudaErrorInvalidClusterSize, problem);
    if (request.cooperative) {
        const std::uint64_t max_resident = max_resident_blocks(kernel, request);
        if (request.grid.count() > max_resident)
            return refuse(cudaErrorCooperativeLaunchTooLarge,
                          fmt::format("{} blocks, of which only {} fit on the device at once.",
                                      request.grid.count(), max_resident));
    }
    device::Launch launch{.grid = request.grid, .block = request.block};
    launch.dynamic_shared_bytes = request.shared_bytes;
    launch.cooperative = request.cooperative;
    launch.cluster = request.cluster;
    if (!launch.cluster && !attributes.cluster && function.required_cluster.x != 0)
        launch.cluster = function.required_cluster;
    if (!function.parameter_names)
        function.parameter_names = python_parameter_names(function.module->texts, function.symbol,
                                                          kernel.parameter_sizes().size());
    launch.parameter_names = *function.parameter_names;
    for (const auto& argument : request.arguments) launch.arguments.emplace_back(argument);
    LaunchRecord record;
    record.kernel = function.name;
    record.symbol = function.symbol;
    record.cooperative = request.cooperative;
    record.site = CallSite::here();
    const Clock& clock = begin_work(stream);
    if (stream.in->fault != cudaSuccess) return cudaSuccess;
    unprotect_memory();
    if (!run(kernel, launch, record, stream, clock, 0, call))
        delayed.push_back(
            {&stream, nullptr, nullptr,
             [this, request, &stream, call] { return this->launch(request, stream, call); },
             record.site});
    protect_memory();
    return cudaSuccess;
}

// True if the launch never ends by itself, and reads memory that the host or another stream may
// still write.
bool Machine::may_wait_for_host(const trace::Trace& trace, const Stream& stream)
{
    if (std::ranges::find(trace.faults, trace::kind::endless, &trace::Fault::kind) ==
        trace.faults.end())
        return false;
    const bool other_streams = std::ranges::any_of(
        streams, [&](const Stream* other) { return other != &stream && other->in == stream.in; });
    return std::ranges::any_of(trace.touched, [&](const trace::Touched& touched) {
        const Memory* const memory = find(touched.allocation);
        return memory != nullptr && touched.read.any() && (memory->on_host() || other_streams);
    });
}

namespace {

// Marks memory written by a launch without checks, which records writes as ranges only.
void mark_touched(simt::SimtDevice& device, const trace::Trace& trace)
{
    for (const trace::Touched& touched : trace.touched)
        for (const auto& range : {touched.written, touched.updated})
            if (range.any()) device.mark_written(range.begin, range.end - range.begin);
}

// Describes a launch that was stopped at its time limit, which is not an error in the program.
Finding time_limit_finding(const trace::Trace& trace, const LaunchRecord& record, double limit_s)
{
    Finding finding{.kind = "time_limit"};
    finding.message = fmt::format(
        "The launch of {} was stopped after {} s, its time limit: {} of {} blocks had ended, {} "
        "warp instructions had run. Its remaining results are missing from here on. Allow more "
        "with --launch-limit, give the program less to do, check only some blocks with --sample, "
        "or "
        "leave out checks with --quick or --only.",
        record.kernel, limit_s, trace.blocks_ended, record.grid.count(),
        trace.totals().warp_instructions);
    finding.kernel = record.kernel;
    finding.launch = record.index;
    finding.site = record.site;
    return finding;
}

// Describes a grid much larger than its work, which only costs time on a GPU.
std::optional<Finding> idle_blocks_finding(const trace::Trace& trace, const LaunchRecord& record)
{
    const auto idle = trace::idle_blocks(trace);
    if (!idle) return {};
    Finding finding{.kind = trace::kind::idle_blocks};
    finding.message = idle->sentence;
    finding.kernel = record.kernel;
    finding.launch = record.index;
    finding.site = record.site;
    return finding;
}

} // namespace

bool Machine::report_faults(const trace::Trace& trace, const LaunchRecord& record,
                            cudaError_t& error)
{
    bool again = false;
    for (const trace::Fault& fault : trace.faults) {
        if (fault.kind == trace::kind::time_limit) {
            find(time_limit_finding(trace, record, time_limit_s_));
            if (error == cudaSuccess) error = error_of(trace::kind::time_limit);
            continue;
        }
        Finding finding{.kind = trace::FindingKind::named(fault.kind)};
        finding.message = fault.message;
        finding.kernel = record.kernel;
        finding.file = fault.file;
        finding.line = fault.line;
        finding.launch = record.index;
        if (fault.kind == "out_of_bounds" || fault.kind == "bad_handle")
            graphics::explain_stale(fault.address, finding);
        if (fault.kind == "out_of_bounds") {
            explain_replay(fault.address, finding);
            explain_reserved(*this, fault.address, finding);
        }
        // Faults of a kernel at one line are one finding, wherever it was launched. Text loaded at
        // run time may have no line information; the launch is the location then.
        if (fault.file.empty()) finding.site = record.site;
        find(finding);
        if (error == cudaSuccess) error = error_of(finding.kind);
        again = again || trace::effect_of(fault.kind) == trace::Effect::unnoticed;
    }
    return again && error == cudaSuccess;
}

// The user ends the program: its launch has no result to continue with.
void Machine::end_program(const trace::Trace& trace, const LaunchRecord& record)
{
    cudaError_t ignored = cudaSuccess;
    report_faults(trace, record, ignored);
    Report::instance().launch(record);
    _exit(128 + SIGINT);
}

bool Machine::run(const device::Kernel& kernel, const device::Launch& launch, LaunchRecord record,
                  Stream& stream, const Clock& clock, int depth, const char* call)
{
    record.index = launches++;
    record.grid = launch.grid;
    record.block = launch.block;
    record.cluster = launch.cluster;
    record.shared_bytes = launch.dynamic_shared_bytes;
    record.stream = stream.name;
    record.device = stream.device;
    trace::Trace trace;
    trace.per_warp = false;
    trace.records_touches = true;
    record.trace = &trace;
    cudaError_t error = cudaSuccess;
    constexpr std::size_t max_printed = std::size_t{1} << 20; // a GPU's default buffer size
    std::string printed;
    if (Keeper::instance().wants(record.index)) {
        MachineMemory memory(*this, kernel, launch);
        record.kept = Keeper::instance().keep(memory, record.index, record.kernel);
        if (!launch.parameter_names.empty() && record.kept.contains("folder"))
            record.kept["parameter_names"] = launch.parameter_names;
    }
    record.order = {stream.timeline, clock.ticks()};
    const auto begin = std::chrono::steady_clock::now();
    const auto prepared = [&] {
        simt::LaunchState state = simt_->prepare(kernel, launch);
        state.launched->depth = depth;
        state.options.stack_bytes = limit_of(*stream.in, cudaLimitStackSize);
        simt_->set_heap_limit(limit_of(*stream.in, cudaLimitMallocHeapSize));
        state.grid_id = depth == 0 ? 0 : static_cast<std::uint64_t>(record.index);
        if (board_ != nullptr) state.cancelled = &board_->ends;
        state.print = [&printed](std::string_view some) {
            if (printed.size() < max_printed) printed += some;
        };
        return state;
    };
    simt::LaunchState state = prepared();
    const bool checked = checks_ && matches_name(only_, record);
    if (!checked) {
        state.options.checks = {};
        state.options.keep_going = 0;
    } else if (sample_) {
        sample_->forget();
        record.sample = &*sample_;
    }
    std::unique_ptr<simt::SimtDevice::Snapshot> before;
    state.before_precise_checks = [&] { before = simt_->snapshot(); };
    try {
        simt_->run(state, &trace);
    } catch (const device::KernelFault&) {
        // The fault is in the trace.
    } catch (const device::Cancelled&) {
        end_program(trace, record);
    }
    if (std::exchange(may_delay, false) && before && record.kept.is_null() &&
        may_wait_for_host(trace, stream)) {
        simt_->restore(*before);
        --launches;
        return false;
    }
    std::shared_ptr<simt::DeviceLaunches> launched = state.launched;
    if (checked && depth == 0)
        if (auto idle = idle_blocks_finding(trace, record)) find(std::move(*idle));
    const bool reads_unwritten = std::ranges::any_of(trace.faults, [](const trace::Fault& fault) {
        return fault.kind == trace::kind::uninitialised ||
               fault.kind == trace::kind::undefined_result;
    });
    if (report_faults(trace, record, error) && before) {
        simt_->restore(*before);
        printed.clear();
        simt::LaunchState plain = prepared();
        plain.options.checks = {};
        plain.options.keep_going = 0;
        trace::Trace second;
        second.per_warp = false;
        second.records_touches = true;
        try {
            simt_->run(plain, &second);
        } catch (const device::KernelFault&) {
            LaunchRecord again = record;
            report_faults(second, again, error);
            if (error == cudaSuccess) error = cudaErrorLaunchFailure;
        } catch (const device::Cancelled&) {
            end_program(trace, record);
        }
        second.faults.clear();
        trace = std::move(second);
        launched = plain.launched;
        if (reads_unwritten) find_counts_as_bytes(*this, trace, record);
        mark_touched(*simt_, trace);
    } else if (!checked) {
        mark_touched(*simt_, trace);
    } else if (reads_unwritten) {
        find_counts_as_bytes(*this, trace, record);
    }
    before.reset();
    if (record.kept.contains("memory"))
        for (auto& range : record.kept["memory"]) {
            const auto touched = std::ranges::find(
                trace.touched, range["address"].get<std::uint64_t>(), &trace::Touched::allocation);
            range["written"] = touched != trace.touched.end() &&
                               (touched->written.any() || touched->updated.any());
        }
    record.machine_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    printed_ += printed;
    MemoryUse use{.timeline = stream.timeline, .tick = clock.at(stream.timeline)};
    use.what = fmt::format("kernel {} in {}", record.kernel, stream.words());
    use.site = record.site;
    const Context& on = *stream.in;
    for (const trace::Touched& touched : trace.touched) {
        Memory* const memory = find(touched.allocation);
        if (memory == nullptr) continue;
        if (touched.written.any()) memory->writer = {record.kernel, record.grid, record.block};
        if (memory->device != stream.device && memory->kind == MemoryKind::device &&
            !on.peers.contains(memory->device)) {
            Finding finding{.kind = "peer_access"};
            finding.kernel = record.kernel;
            finding.launch = record.index;
            finding.site = record.site;
            finding.other_site = memory->site;
            finding.message = fmt::format(
                "Kernel {} on device {} accesses memory of device {}, but peer access is not "
                "enabled. Call cudaDeviceEnablePeerAccess({}, 0) on device {} first, or copy with "
                "cudaMemcpyPeer.",
                record.kernel, stream.device, memory->device, memory->device, stream.device);
            find(finding);
            error = cudaErrorIllegalAddress;
        } else if (memory->kind == MemoryKind::device && memory->context != stream.in &&
                   memory->device == stream.device) {
            Finding finding{.kind = "other_context"};
            finding.kernel = record.kernel;
            finding.launch = record.index;
            finding.site = record.site;
            finding.other_site = memory->site;
            finding.message = fmt::format(
                "Kernel {} accesses memory of another context of its device: contexts do not share "
                "memory. Allocate it while the kernel's context is current.",
                record.kernel);
            find(finding);
            error = cudaErrorIllegalAddress;
        }
        if (memory->kind == MemoryKind::graphics)
            graphics::check_access(*this, *memory, touched, record);
        for (const auto& [range, touch] :
             {std::pair{touched.read, Touch::read}, std::pair{touched.written, Touch::write},
              std::pair{touched.updated, Touch::update}}) {
            if (!range.any()) continue;
            use.begin = range.begin;
            use.end = range.end;
            use.touch = touch;
            note(*memory, use, clock, call);
        }
    }
    Report::instance().launch(record);
    if (error != cudaSuccess) {
        destroy_context(*stream.in, error);
        return true;
    }
    const int parent = record.index;
    for (const simt::DeviceLaunch& child : launched->in_order()) {
        if (on.fault != cudaSuccess) return true;
        if (child.work != simt::DeviceLaunch::Work::kernel) {
            simt_->run_memory_work(child);
            continue;
        }
        const device::Kernel& asked = simt_->child_kernel(kernel, child);
        LaunchRecord made;
        made.symbol = std::string(asked.name());
        made.kernel = device::short_name(made.symbol);
        made.parent = parent;
        made.site = record.site;
        Stream within = stream;
        within.name =
            child.order == simt::DeviceLaunch::Order::tail              ? "tail launch"
            : child.order == simt::DeviceLaunch::Order::fire_and_forget ? "fire and forget"
            : child.stream == 0
                ? fmt::format("of block {}", text(child.parent_block))
                : fmt::format("{} of block {}", child.stream - 0x100, text(child.parent_block));
        run(asked, simt_->child_launch(asked, child), made, within, clock, depth + 1, call);
    }
    return true;
}

} // namespace lanescope::runtime
