// A launch with its checks. A mistake that a GPU would not notice (a race, a read of unwritten
// memory) is reported; then the launch runs again from the same memory without checks, so that the
// program continues with a result that a GPU might have computed.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compute/device/checks.h"
#include "compute/device/kernel_names.h"
#include "compute/ptx/text/lines.h"
#include "compute/runtime/counts_as_bytes.h"
#include "compute/runtime/graphics.h"
#include "compute/runtime/launches/clusters.h"
#include "compute/runtime/launches/dependents.h"
#include "compute/runtime/launches/fills.h"
#include "compute/runtime/launches/halving.h"
#include "compute/runtime/launches/machine_memory.h"
#include "compute/runtime/launches/random_states.h"
#include "compute/runtime/machine.h"
#include "compute/runtime/reporting/keeping.h"
#include "compute/runtime/reporting/python_names.h"
#include "compute/runtime/reserved_ranges.h"
#include "compute/simt/machine/state/device_launches.h"
#include "compute/simt/machine/state/launch_state.h"
#include "compute/simt/simt_module.h"
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

// A launch that the API refuses: its error, and the reason.
struct Refusal {
    cudaError_t error = cudaSuccess;
    std::string why{};
};

// CUDA 13's runtime returns this error, although the manual says cudaErrorInvalidConfiguration.
constexpr cudaError_t wrong_size = cudaErrorInvalidValue;

std::optional<Refusal> wrong_sizes(const LaunchRequest& request, const device::LaunchLimits& limits)
{
    if (outside(request.block, limits.block) || request.block.count() > limits.threads_per_block)
        return Refusal{
            wrong_size,
            fmt::format("a block of {} has {} threads; 1 to {} are allowed, and at most {} in z.",
                        text(request.block), request.block.count(), limits.threads_per_block,
                        limits.block.z)};
    if (outside(request.grid, limits.grid))
        return Refusal{wrong_size,
                       fmt::format("a grid of {} is not between 1 and {} in each direction.",
                                   text(request.grid), text(limits.grid))};
    return std::nullopt;
}

// Resources that the kernel lacks in this shape.
std::optional<Refusal> too_large(const Function& function, const device::Kernel& kernel,
                                 const device::KernelAttributes& attributes,
                                 const LaunchRequest& request)
{
    if (request.block.count() > static_cast<std::uint64_t>(attributes.max_threads_per_block))
        return Refusal{cudaErrorInvalidValue,
                       fmt::format("blocks of {} threads, but the kernel is compiled for at most "
                                   "{} (__launch_bounds__).",
                                   request.block.count(), attributes.max_threads_per_block)};
    const auto max_shared = static_cast<std::uint64_t>(function.max_dynamic_shared_bytes);
    if (request.shared_bytes > max_shared ||
        request.shared_bytes + attributes.static_shared_bytes >
            std::max<std::uint64_t>(counting::shared_bytes_without_opt_in,
                                    max_shared + attributes.static_shared_bytes))
        return Refusal{
            cudaErrorInvalidValue,
            fmt::format(
                "{} bytes of dynamic shared memory, but {} are allowed. More than {} need {}, "
                "…).",
                request.shared_bytes, max_shared, counting::shared_bytes_without_opt_in,
                this_thread().driver_call == nullptr
                    ? "cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize"
                    : "cuFuncSetAttribute(…, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")};
    if (const std::string problem = cluster_problem(function, attributes, request);
        !problem.empty())
        return Refusal{cudaErrorInvalidClusterSize, problem};
    if (!request.cooperative) return std::nullopt;
    const std::uint64_t max_resident = max_resident_blocks(kernel, request);
    if (request.grid.count() <= max_resident) return std::nullopt;
    return Refusal{cudaErrorCooperativeLaunchTooLarge,
                   fmt::format("{} blocks, of which only {} fit on the device at once.",
                               request.grid.count(), max_resident)};
}

} // namespace

// Reports a refused launch, and returns its error.
cudaError_t Machine::refuse_launch(const Function& function, const char* call, cudaError_t error,
                                   const std::string& why)
{
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
}

cudaError_t Machine::launch(const LaunchRequest& request, Stream& stream, const char* call)
{
    Function& function = *request.function;
    // the kernel's module was unloaded
    if (!handles.contains(&function)) return cudaErrorInvalidResourceHandle;
    if (const auto refusal = wrong_sizes(request, device::launch_limits(simt_->properties())))
        return refuse_launch(function, call, refusal->error, refusal->why);
    const device::Kernel& kernel = this->kernel(function, stream.device);
    const device::KernelAttributes attributes = kernel.attributes();
    if (const auto refusal = too_large(function, kernel, attributes, request))
        return refuse_launch(function, call, refusal->error, refusal->why);
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
    Clock before = stream.clock;
    std::optional<Clock> early;
    if (request.dependent) early = stream.before_kernel;
    const Clock& clock = begin_work(stream);
    if (early) early->join(host_clock);
    if (stream.in->fault != cudaSuccess) return cudaSuccess;
    unprotect_memory();
    const bool has_run =
        run({kernel, launch, stream, clock, 0, call, early ? &*early : nullptr}, record);
    stream.before_kernel = std::move(before);
    if (!has_run)
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

// Names of __constant__ variables that the host has never used: of several with one name, all.
std::set<std::string> constants_without_host(const Machine& machine)
{
    std::set<std::string> unused, used;
    for (const auto& module : machine.modules)
        for (const auto& [host, symbol] : module->symbols)
            if (symbol.constant) (symbol.is_host_used ? used : unused).insert(symbol.name);
    for (const std::string& name : used) unused.erase(name);
    return unused;
}

// Describes a constant that the kernel names, although it has no initial value and the host has
// never copied to it: all of it is zero.
std::optional<Finding> unset_constant_finding(const Machine& machine, const simt::Program& program,
                                              const LaunchRecord& record)
{
    const std::set<std::string> unused = constants_without_host(machine);
    if (unused.empty()) return {};
    const auto& variables = program.module->variables;
    for (const simt::Function& function : program.functions)
        for (const ptx::Instruction& instruction : function.source->instructions)
            for (const ptx::Operand& operand : instruction.operands) {
                if (!unused.contains(operand.symbol)) continue;
                const auto variable =
                    std::ranges::find(variables, operand.symbol, &ptx::Variable::name);
                if (variable == variables.end() || !variable->initial.empty() ||
                    !variable->relocations.empty())
                    continue;
                const ptx::SourceLine line = ptx::source_line(*program.module, instruction);
                Finding finding{.kind = "unwritten_copy"};
                finding.message = fmt::format(
                    "Kernel {} uses the __constant__ variable {} ({} bytes), which has no initial "
                    "value and to which nothing has been copied: all of it is zero. Copy to it "
                    "with cudaMemcpyToSymbol before the launch.",
                    record.kernel, device::short_name(variable->name), variable->size_bytes());
                finding.kernel = record.kernel;
                finding.file = line.file;
                finding.line = line.line;
                finding.launch = record.index;
                if (line.line == 0) finding.site = record.site;
                return finding;
            }
    return {};
}

} // namespace

bool Machine::report_faults(const trace::Trace& trace, const LaunchRecord& record,
                            cudaError_t& error)
{
    bool again = false;
    for (const trace::Fault& fault : trace.faults) {
        if (fault.kind == trace::kind::time_limit) {
            find(time_limit_finding(trace, record, settings_.time_limit_s));
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

// One launch of a kernel: runs it, reports its faults, notes the memory that it touched, and then
// runs the launches that it made itself.
class Machine::Run {
public:
    Run(Machine& machine, const LaunchOrder& order, LaunchRecord record)
        : machine_(machine), order_(order), record_(std::move(record))
    {
        record_.index = machine.launches++;
        record_.grid = order.launch.grid;
        record_.block = order.launch.block;
        record_.cluster = order.launch.cluster;
        record_.shared_bytes = order.launch.dynamic_shared_bytes;
        record_.stream = order.stream.name;
        record_.device = order.stream.device;
        record_.order = {order.stream.timeline, order.clock.ticks()};
        record_.trace = &trace_;
        trace_ = touches_only();
    }

    // Returns false, after undoing the launch, if the kernel waits for a later action of the
    // program.
    bool run()
    {
        keep();
        if (!run_checked()) return false;
        note_written_of_kept();
        machine_.printed_ += printed_;
        note_touched();
        Report::instance().launch(record_);
        if (error_ != cudaSuccess)
            destroy_context(*order_.stream.in, error_);
        else
            run_children();
        return true;
    }

private:
    const simt::SimtKernel& kernel() const
    {
        return static_cast<const simt::SimtKernel&>(order_.kernel);
    }

    static trace::Trace touches_only()
    {
        trace::Trace trace;
        trace.per_warp = false;
        trace.records_touches = true;
        return trace;
    }

    void keep()
    {
        if (!Keeper::instance().wants(record_.index)) return;
        MachineMemory memory(machine_, order_.kernel, order_.launch);
        record_.kept = Keeper::instance().keep(memory, record_.index, record_.kernel);
        if (!order_.launch.parameter_names.empty() && record_.kept.contains("folder"))
            record_.kept["parameter_names"] = order_.launch.parameter_names;
    }

    simt::LaunchState prepared()
    {
        const Context& on = *order_.stream.in;
        simt::LaunchState state = machine_.simt_->prepare(order_.kernel, order_.launch);
        state.launched->depth = order_.depth;
        state.options.stack_bytes = limit_of(on, cudaLimitStackSize);
        machine_.simt_->set_heap_limit(limit_of(on, cudaLimitMallocHeapSize));
        state.grid_id = order_.depth == 0 ? 0 : static_cast<std::uint64_t>(record_.index);
        if (machine_.settings_.board != nullptr) state.cancelled = &machine_.settings_.board->ends;
        state.print = [this](std::string_view some) {
            if (printed_.size() < max_printed) printed_ += some;
        };
        return state;
    }

    bool run_checked()
    {
        const auto begin = std::chrono::steady_clock::now();
        simt::LaunchState state = prepared();
        const bool checked =
            machine_.settings_.checks && matches_name(machine_.settings_.only, record_);
        std::optional<FillsOfLaunch> fills;
        if (checked) fills.emplace(machine_, order_.launch);
        if (!checked) {
            state.options.checks = {};
            state.options.keep_going = 0;
        } else if (machine_.settings_.sample) {
            machine_.settings_.sample->forget();
            record_.sample = &*machine_.settings_.sample;
        }
        std::unique_ptr<simt::SimtDevice::Snapshot> before;
        state.before_precise_checks = [&] { before = machine_.simt_->snapshot(); };
        try {
            machine_.simt_->run(state, &trace_);
        } catch (const device::KernelFault&) {
            // The fault is in the trace.
        } catch (const device::Cancelled&) {
            machine_.end_program(trace_, record_);
        }
        if (std::exchange(machine_.may_delay, false) && before &&
            machine_.may_wait_for_host(trace_, order_.stream)) {
            Keeper::instance().drop(record_.kept);
            machine_.simt_->restore(*before);
            --machine_.launches;
            return false;
        }
        launched_ = state.launched;
        if (checked && order_.depth == 0)
            if (auto idle = idle_blocks_finding(trace_, record_)) machine_.find(std::move(*idle));
        if (checked)
            if (auto unset = unset_constant_finding(machine_, state.program, record_))
                machine_.find(std::move(*unset));
        if (checked)
            if (auto halving = halving_finding(machine_, kernel(), order_.launch, record_))
                machine_.find(std::move(*halving));
        if (fills) fills->report(state.program, trace_, record_);
        report(checked, before.get());
        if (checked) find_same_sequences(machine_, state.program, trace_, record_);
        record_.machine_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count();
        return true;
    }

    // `before`: the memory before the launch; null if it ran without precise checks.
    void report(bool checked, const simt::SimtDevice::Snapshot* before)
    {
        const bool reads_unwritten =
            std::ranges::any_of(trace_.faults, [](const trace::Fault& fault) {
                return fault.kind == trace::kind::uninitialised ||
                       fault.kind == trace::kind::undefined_result;
            });
        const bool again = machine_.report_faults(trace_, record_, error_) && before != nullptr;
        if (again) run_plain(*before);
        if (checked && reads_unwritten) find_counts_as_bytes(machine_, trace_, record_);
        if (again || !checked) mark_touched(*machine_.simt_, trace_);
    }

    // Repeats the launch without checks, after a mistake that a GPU would not notice.
    void run_plain(const simt::SimtDevice::Snapshot& before)
    {
        machine_.simt_->restore(before);
        printed_.clear();
        simt::LaunchState plain = prepared();
        plain.options.checks = {};
        plain.options.keep_going = 0;
        trace::Trace second = touches_only();
        try {
            machine_.simt_->run(plain, &second);
        } catch (const device::KernelFault&) {
            machine_.report_faults(second, record_, error_);
            if (error_ == cudaSuccess) error_ = cudaErrorLaunchFailure;
        } catch (const device::Cancelled&) {
            machine_.end_program(trace_, record_);
        }
        second.faults.clear();
        trace_ = std::move(second);
        launched_ = plain.launched;
    }

    // Notes in a kept launch which of its memory was written.
    void note_written_of_kept()
    {
        if (!record_.kept.contains("memory")) return;
        for (auto& range : record_.kept["memory"]) {
            const auto touched = std::ranges::find(
                trace_.touched, range["address"].get<std::uint64_t>(), &trace::Touched::allocation);
            range["written"] = touched != trace_.touched.end() &&
                               (touched->written.any() || touched->updated.any());
        }
    }

    void note_touched()
    {
        MemoryUse use{.timeline = order_.stream.timeline,
                      .tick = order_.clock.at(order_.stream.timeline)};
        use.what = fmt::format("kernel {} in {}", record_.kernel, order_.stream.words());
        use.site = record_.site;
        for (const trace::Touched& touched : trace_.touched) {
            Memory* const memory = machine_.find(touched.allocation);
            if (memory == nullptr) continue;
            if (touched.written.any())
                memory->writer = {record_.kernel, record_.grid, record_.block};
            note_result(*memory, touched);
            check_owner(*memory);
            if (memory->kind == MemoryKind::graphics)
                graphics::check_access(machine_, *memory, touched, record_);
            for (const auto& [range, touch] :
                 {std::pair{touched.read, Touch::read}, std::pair{touched.written, Touch::write},
                  std::pair{touched.updated, Touch::update}}) {
                if (!range.any()) continue;
                use.begin = range.begin;
                use.end = range.end;
                use.touch = touch;
                if (order_.early != nullptr)
                    if (auto early =
                            early_access(*memory, use, order_, kernel().program(), record_))
                        machine_.find(std::move(*early));
                machine_.note(*memory, use, order_.clock, order_.call);
            }
        }
    }

    // Reports memory of another device or context that the kernel may not access.
    void check_owner(const Memory& memory)
    {
        const Stream& stream = order_.stream;
        if (memory.kind != MemoryKind::device) return;
        if (memory.device != stream.device) {
            if (stream.in->peers.contains(memory.device)) return;
            refuse_access(
                memory, "peer_access",
                fmt::format(
                    "Kernel {} on device {} accesses memory of device {}, but peer access is not "
                    "enabled. Call cudaDeviceEnablePeerAccess({}, 0) on device {} first, or copy "
                    "with cudaMemcpyPeer.",
                    record_.kernel, stream.device, memory.device, memory.device, stream.device));
        } else if (memory.context != stream.in) {
            refuse_access(memory, "other_context",
                          fmt::format("Kernel {} accesses memory of another context of its device: "
                                      "contexts do not share memory. Allocate it while the "
                                      "kernel's context is current.",
                                      record_.kernel));
        }
    }

    void refuse_access(const Memory& memory, trace::FindingKind kind, std::string message)
    {
        Finding finding{.kind = kind};
        finding.kernel = record_.kernel;
        finding.launch = record_.index;
        finding.site = record_.site;
        finding.other_site = memory.site;
        finding.message = std::move(message);
        machine_.find(finding);
        error_ = cudaErrorIllegalAddress;
    }

    void run_children()
    {
        for (const simt::DeviceLaunch& child : launched_->in_order()) {
            if (order_.stream.in->fault != cudaSuccess) return;
            if (child.work != simt::DeviceLaunch::Work::kernel) {
                machine_.simt_->run_memory_work(child);
                continue;
            }
            const device::Kernel& asked = machine_.simt_->child_kernel(order_.kernel, child);
            const device::Launch launch = machine_.simt_->child_launch(asked, child);
            LaunchRecord made;
            made.symbol = std::string(asked.name());
            made.kernel = device::short_name(made.symbol);
            made.parent = record_.index;
            made.site = record_.site;
            Stream within = order_.stream;
            within.name = stream_name(child);
            machine_.run({asked, launch, within, order_.clock, order_.depth + 1, order_.call},
                         made);
        }
    }

    static std::string stream_name(const simt::DeviceLaunch& child)
    {
        using Order = simt::DeviceLaunch::Order;
        if (child.order == Order::tail) return "tail launch";
        if (child.order == Order::fire_and_forget) return "fire and forget";
        const std::string block = text(child.parent_block);
        return child.stream == 0 ? fmt::format("of block {}", block)
                                 : fmt::format("{} of block {}", child.stream - 0x100, block);
    }

    static constexpr std::size_t max_printed = std::size_t{1} << 20; // a GPU's default buffer size

    Machine& machine_;
    const LaunchOrder& order_;
    LaunchRecord record_;
    trace::Trace trace_;
    cudaError_t error_ = cudaSuccess;
    std::string printed_;
    std::shared_ptr<simt::DeviceLaunches> launched_;
};

bool Machine::run(const LaunchOrder& order, const LaunchRecord& record)
{
    return Run(*this, order, record).run();
}

} // namespace lanescope::runtime
