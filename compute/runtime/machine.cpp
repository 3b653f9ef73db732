// State shared by all calls. The machine is never destroyed: a program's destructors may call it
// while the process exits.
#include "compute/runtime/machine.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include "compute/device/kernel_names.h"
#include "compute/ptx/text/link.h"
#include "compute/runtime/counts_as_bytes.h"
#include "compute/runtime/graphics.h"
#include "compute/runtime/host_arena.h"

namespace lanescope::runtime {

namespace {

std::atomic<bool> is_used =
    false; // false: the process has not called CUDA, so nothing is done at its exit

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

bool touched_by_host(std::uintptr_t address, bool writing)
{
    Machine& machine = Machine::instance();
    {
        const std::lock_guard lock(machine.mutex);
        if (machine.find(static_cast<std::uint64_t>(address)) == nullptr) return false;
    }
    const CallSite::Entered entered; // before the lock is taken
    const std::lock_guard lock(machine.mutex);
    Memory* const memory = machine.find(static_cast<std::uint64_t>(address));
    if (memory == nullptr) return false;
    const char* const verb = writing ? "writes" : "reads";
    const bool by_driver = !memory->call.starts_with("cuda");
    Finding finding{.kind = "host_race"};
    finding.site = CallSite::here();
    finding.other_site = memory->site;
    if (!memory->on_host()) {
        finding.kind = "host_access";
        finding.message = fmt::format("The host {} device memory: {} bytes into an allocation of "
                                      "{} bytes by {}. Copy it with {}.",
                                      verb, address - memory->address, memory->bytes, memory->call,
                                      by_driver ? "cuMemcpyDtoH, or allocate it with "
                                                  "cuMemAllocManaged"
                                                : "cudaMemcpy, or allocate it with "
                                                  "cudaMallocManaged");
        machine.find(finding);
        return false;
    }
    if (!memory->closed) return false;
    const auto use = memory->history.conflict(
        {.begin = address, .end = address + 1, .touch = writing ? Touch::write : Touch::read},
        machine.host_clock);
    if (use) {
        finding.other_site = use->site;
        finding.message =
            fmt::format("The host {} at byte {} of {} memory of {} bytes, which {} may still {}. "
                        "Wait for it first, with {}.",
                        verb, address - memory->address,
                        memory->kind == MemoryKind::managed ? "managed" : "pinned", memory->bytes,
                        use->what, use->touch == Touch::read ? "read" : "write",
                        by_driver ? "cuCtxSynchronize or cuStreamSynchronize"
                                  : "cudaDeviceSynchronize or cudaStreamSynchronize");
        machine.find(finding);
    }
    memory->closed = false;
    set_access(memory->host, Access::open);
    return true;
}

} // namespace

// The main thread's state is never destroyed: destructors of static objects run after thread-local
// ones and may call CUDA.
ThreadState& this_thread()
{
    static thread_local ThreadState* state = nullptr;
    struct AtEnd {
        ThreadState*& of;
        ~AtEnd()
        {
            if (getpid() == gettid()) return;
            delete of;
            of = nullptr;
        }
    };
    if (state == nullptr) {
        state = new ThreadState;
        static thread_local AtEnd at_end{state};
    }
    return *state;
}

Context& current_context()
{
    ThreadState& thread = this_thread();
    if (!thread.contexts.empty()) return *thread.contexts.back();
    return Machine::instance().devices[static_cast<std::size_t>(thread.device)].primary;
}

void set_current_context(Context& context)
{
    ThreadState& thread = this_thread();
    if (thread.contexts.empty())
        thread.contexts.push_back(&context);
    else
        thread.contexts.back() = &context;
    thread.device = context.device;
}

const char* called_as(const char* name)
{
    const char* const driver = this_thread().driver_call;
    return driver == nullptr ? name : driver;
}

const char* reported_error_name(cudaError_t error)
{
    if (this_thread().driver_call == nullptr) return error_name(error);
    const char* const name = driver_error_name(error);
    return name == nullptr ? error_name(error) : name;
}

Machine& Machine::instance()
{
    static Machine* const machine = new Machine;
    return *machine;
}

Machine::Machine()
{
    if (const std::string gpu = environment("LANESCOPE_GPU"); !gpu.empty())
        counting::choose_gpu(counting::gpu_named(gpu));
    simt::Options options;
    settings_.checks = environment("LANESCOPE_CHECKS") != "none";
    if (settings_.checks) options.checks = simt::Checks::all();
    if (const std::string seed = environment("LANESCOPE_SAMPLE"); settings_.checks && !seed.empty())
        options.sample = &settings_.sample.emplace(
            trace::Sample{.seed = std::strtoull(seed.c_str(), nullptr, 10)});
    options.keep_going = 16;
    options.survives_doubtful_results = true;
    options.threads = std::atoi(environment("LANESCOPE_THREADS").c_str());
    settings_.time_limit_s = std::atof(environment("LANESCOPE_LAUNCH_LIMIT").c_str());
    settings_.board = shared_launch_board();
    if (settings_.board != nullptr) options.progress = &settings_.board->progress;
    options.time_limit_s = settings_.time_limit_s;
    settings_.only = environment("LANESCOPE_ONLY");
    settings_.ignores_leaks = environment("LANESCOPE_LEAKS") == "none";
    simt_ = simt::make_device(options);
    const int count = std::clamp(std::atoi(environment("LANESCOPE_DEVICES").c_str()), 1, 16);
    devices.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        Context& primary = devices[static_cast<std::size_t>(i)].primary;
        primary.device = i;
        add_default_stream(primary,
                           count == 1 ? "default" : fmt::format("default of device {}", i));
    }
    total_memory_ =
        std::min<std::uint64_t>(options.gpu->memory_bytes, simt_->properties().memory_bytes);
    // Memory that no kernel touches costs nothing, so more may be allocated than this computer has.
    max_allocated_ = std::max<std::uint64_t>(options.gpu->memory_bytes, total_memory_);
    set_touch_handler(&touched_by_host);
    Report::instance().begin(CUDART_VERSION, count);
    is_used = true;
}

Memory* Machine::find(std::uint64_t address)
{
    auto after = memory.upper_bound(address);
    if (after == memory.begin()) return nullptr;
    Memory& candidate = std::prev(after)->second;
    return address < candidate.address + std::max<std::uint64_t>(candidate.bytes, 1) ? &candidate
                                                                                     : nullptr;
}

Memory* Machine::find(const void* pointer)
{
    return find(reinterpret_cast<std::uint64_t>(pointer));
}

Memory* Machine::allocate(std::uint64_t bytes, MemoryKind kind, int device, const char* call)
{
    SimulatedDevice& on = devices[static_cast<std::size_t>(device)];
    Memory made;
    made.bytes = bytes;
    made.kind = kind;
    made.device = device;
    made.context = &current_context();
    made.call = called_as(call);
    made.site = CallSite::here();
    const std::uint64_t max_bytes = kind == MemoryKind::pinned ? total_memory_ : max_allocated_;
    if (bytes > max_bytes - std::min(on.allocated, max_bytes)) return nullptr;
    if (kind == MemoryKind::device || kind == MemoryKind::graphics) {
        try {
            made.buffer = simt_->allocate(bytes);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
        made.address = made.buffer->address();
    } else {
        made.host = map_host_memory(bytes);
        if (made.host.empty()) return nullptr;
        made.address = reinterpret_cast<std::uint64_t>(made.host.data());
        made.buffer = simt_->adopt_at(made.address, made.host);
    }
    on.allocated += bytes;
    const std::uint64_t address = made.address;
    Memory* const placed = &memory.emplace(address, std::move(made)).first->second;
    if (placed->on_host()) host_memory_.push_back(placed);
    return placed;
}

void Machine::release(Memory& gone, const char* call)
{
    find_result_copied_in_part(*this, gone);
    devices[static_cast<std::size_t>(gone.device)].allocated -=
        gone.kind == MemoryKind::registered ? 0 : gone.bytes;
    freed.push_back({gone.address, gone.bytes, called_as(call), CallSite::here(), gone.kind});
    std::erase(closed_, &gone);
    if (gone.on_host()) std::erase(host_memory_, &gone);
    gone.buffer.reset();
    if (gone.closed) set_access(gone.host, Access::open);
    if (gone.on_host() && gone.kind != MemoryKind::registered) unmap_host_memory(gone.host);
    memory.erase(gone.address);
}

const Freed* Machine::find_freed(std::uint64_t address) const
{
    // Addresses of managed, pinned and device memory; most pointers of the host are outside.
    constexpr std::uint64_t begin = std::uint64_t{0x60} << 40, end = std::uint64_t{0x7f} << 40;
    if (address < begin || address >= end) return nullptr;
    const auto found = std::find_if(freed.rbegin(), freed.rend(), [&](const Freed& each) {
        return address >= each.address && address - each.address < each.bytes &&
               each.kind != MemoryKind::registered;
    });
    return found == freed.rend() ? nullptr : &*found;
}

std::byte* Machine::bytes_of(const void* pointer, std::uint64_t bytes)
{
    Memory* const found = find(pointer);
    if (found == nullptr || found->on_host())
        return static_cast<std::byte*>(const_cast<void*>(pointer));
    return simt_->bytes(reinterpret_cast<std::uint64_t>(pointer), bytes).data();
}

// --- Streams ---

Stream* Machine::stream(cudaStream_t handle, int device)
{
    const bool own = handle == nullptr && this_thread().null_is_own_stream;
    Context* in = &current_context();
    if (in->device != device) in = &devices[static_cast<std::size_t>(device)].primary;
    if (own || handle == cudaStreamPerThread) return stream_of_thread(*in);
    if (handle == nullptr || handle == cudaStreamLegacy) return in->default_stream.get();
    auto* const made = reinterpret_cast<Stream*>(handle);
    return streams.contains(made) ? made : nullptr;
}

bool Machine::is_context(const Context* context) const
{
    const auto is_given = [&](const auto& each) { return each.get() == context; };
    if (std::ranges::any_of(contexts, is_given)) return !context->destroyed;
    return std::ranges::any_of(
        devices, [&](const SimulatedDevice& each) { return &each.primary == context; });
}

void Machine::add_default_stream(Context& context, std::string name)
{
    auto made = std::make_unique<Stream>();
    made->device = context.device;
    made->context = context.number;
    made->in = &context;
    made->timeline = timelines++;
    made->name = std::move(name);
    context.default_stream = std::move(made);
}

Context& Machine::make_context(int device, unsigned flags)
{
    contexts.push_back(std::make_unique<Context>());
    Context& made = *contexts.back();
    made.device = device;
    made.number = ++made_contexts_;
    made.flags = flags;
    add_default_stream(made, fmt::format("default of context {}", made.number));
    return made;
}

void Machine::clear_context(Context& context, const char* call)
{
    host_waits_for_context(context);
    graphics::forget(context);
    std::vector<std::uint64_t> gone;
    for (const auto& [address, each] : memory)
        if (each.context == &context && each.kind != MemoryKind::variable &&
            (each.kind != MemoryKind::registered || context.number != 0))
            gone.push_back(address);
    for (std::uint64_t address : gone) release(memory.at(address), call);
    context.fault = cudaSuccess;
    context.fault_seen = false;
    context.peers.clear();
    halving_sums.clear();
    std::vector<Module*> loaded_into;
    for (const auto& module : modules) {
        if (module->context == &context) loaded_into.push_back(module.get());
        if (module->context != nullptr || context.number != 0) continue;
        if (!module->loaded.contains(context.device)) continue;
        for (const auto& function : module->functions) function->kernels.erase(context.device);
        std::erase_if(memory, [&](const auto& each) {
            return each.second.device == context.device && each.second.context == nullptr &&
                   each.second.kind == MemoryKind::variable;
        });
        if (!module->managed_ready) module->loaded.erase(context.device);
    }
    for (Module* module : loaded_into) unload(*module);
}

void Machine::unload(Module& module)
{
    halving_sums.clear();
    for (const std::uint64_t global : module.globals) memory.erase(global);
    for (const auto& function : module.functions) handles.erase(function.get());
    std::erase_if(modules, [&](const auto& each) { return each.get() == &module; });
}

Stream* Machine::add_stream(Context& context, unsigned flags, int priority)
{
    auto made = std::make_unique<Stream>();
    made->device = context.device;
    made->context = context.number;
    made->in = &context;
    made->flags = flags;
    made->priority = priority;
    made->blocking = (flags & cudaStreamNonBlocking) == 0;
    made->timeline = timelines++;
    made->id = static_cast<unsigned long long>(made->timeline);
    Stream* const handle = made.release();
    streams.insert(handle);
    return handle;
}

Stream* Machine::new_stream(Context& context, unsigned flags, int priority)
{
    Stream* const made = add_stream(context, flags, priority);
    made->name = fmt::format("{}", ++numbered_);
    return made;
}

Stream* Machine::stream_of_thread(Context& context)
{
    ThreadState& thread = this_thread();
    Stream*& known = thread.streams[&context];
    if (known != nullptr) return known;
    if (thread.number == 0) thread.number = ++threads_;
    known = add_stream(context, cudaStreamDefault, 0);
    known->is_per_thread = true;
    known->name = fmt::format("default of thread {}", thread.number);
    if (devices.size() > 1) known->name += fmt::format(" of device {}", context.device);
    return known;
}

const Clock& Machine::begin_work(Stream& stream)
{
    stream.before_kernel.reset();
    return begin_work_in(stream, *stream.in->default_stream, streams, host_clock);
}

bool Machine::follows_delayed(const Stream& stream, const void* awaited_event) const
{
    return std::ranges::any_of(delayed, [&](const Delayed& each) {
        const Stream& other = *each.stream;
        const Stream* const legacy = stream.in->default_stream.get();
        const bool by_default_stream =
            other.in == stream.in &&
            ((&stream == legacy && other.blocking) || (&other == legacy && stream.blocking));
        return &other == &stream || by_default_stream ||
               (awaited_event != nullptr && each.recorded == awaited_event);
    });
}

void Machine::run_delayed(bool last_chance)
{
    std::vector<Delayed> all = std::move(delayed);
    delayed.clear();
    for (Delayed& each : all) {
        if (follows_delayed(*each.stream, each.awaited)) {
            delayed.push_back(std::move(each));
            continue;
        }
        const CallSite::Pretended site(each.site);
        may_delay = !last_chance;
        each.run();
        may_delay = false;
    }
}

void Machine::host_waits_for(Stream& stream)
{
    if (&stream == stream.in->default_stream.get()) join_blocking_streams(stream, streams);
    host_clock.join(stream.clock);
    protect_memory();
}

void Machine::join_device(int device, Clock& clock) const
{
    for (const Stream* stream : streams)
        if (stream->device == device) clock.join(stream->clock);
    clock.join(devices[static_cast<std::size_t>(device)].primary.default_stream->clock);
    for (const auto& context : contexts)
        if (context->device == device) clock.join(context->default_stream->clock);
}

void Machine::join_context(const Context& context, Clock& clock) const
{
    for (const Stream* stream : streams)
        if (stream->in == &context) clock.join(stream->clock);
    clock.join(context.default_stream->clock);
}

void Machine::host_waits_for_context(const Context& context)
{
    join_context(context, host_clock);
    protect_memory();
}

void Machine::host_waits_for_device(int device)
{
    join_device(device, host_clock);
    protect_memory();
}

void Machine::note(Memory& touched, MemoryUse use, const Clock& clock, std::string_view call)
{
    use.begin = std::max(use.begin, touched.address);
    use.end = std::min(use.end, touched.address + touched.bytes);
    if (const auto other = touched.history.conflict(use, clock)) {
        const auto verb = [](Touch touch) { return touch == Touch::read ? "reads" : "writes"; };
        Finding finding{.kind = "unordered"};
        finding.call = std::string(call);
        finding.site = use.site;
        finding.other_site = other->site;
        finding.message =
            fmt::format("{} {} {} bytes of an allocation of {} bytes that {} {}, and nothing "
                        "orders the two. Use one "
                        "stream, or let one wait for an event of the other.",
                        use.what, verb(use.touch),
                        std::min(use.end, other->end) - std::max(use.begin, other->begin),
                        touched.bytes, other->what, verb(other->touch));
        find(finding);
    }
    touched.history.add(use, clock);
}

void Machine::unprotect_memory()
{
    for (Memory* each : closed_) {
        each->closed = false;
        set_access(each->host, Access::open);
    }
    closed_.clear();
}

void Machine::protect_memory()
{
    unprotect_memory();
    for (Memory* const each : host_memory_) {
        const bool writes = each->history.any_unordered(host_clock, true);
        if (!writes && !each->history.any_unordered(host_clock, false)) continue;
        each->closed = true;
        set_access(each->host, writes ? Access::closed : Access::read_only);
        closed_.push_back(each);
    }
}

// --- Kernels ---

std::vector<std::unique_ptr<device::Module>>& Machine::loaded(Module& module, int device)
{
    const auto found = module.loaded.find(device);
    if (found != module.loaded.end()) return found->second;
    if (module.texts.empty()) {
        std::string architectures;
        for (int architecture : module.machine_architectures)
            architectures +=
                fmt::format("{}sm_{}", architectures.empty() ? "" : ", ", architecture);
        throw device::DeviceError(
            !module.problem.empty() ? module.problem
            : architectures.empty()
                ? "The program contains no kernels as PTX."
                : fmt::format("The program contains its kernels only as machine code of {}.",
                              architectures),
            module.problem.empty()
                ? "Build it with PTX: nvcc -gencode arch=compute_75,code=compute_75."
                : "");
    }
    std::vector<std::unique_ptr<device::Module>> made;
    if (module.texts.size() == 1) {
        made.push_back(simt_->load(module.texts.front()));
    } else { // files compiled with -rdc=true
        std::vector<ptx::Module> parts;
        for (const std::string& text : module.texts) parts.push_back(ptx::parse(text));
        made.push_back(simt_->load_parsed(ptx::link(std::move(parts))));
    }
    auto& placed = module.loaded[device] = std::move(made);
    for (const auto& [host, symbol] : module.symbols) {
        for (const auto& text : placed) {
            device::Variable variable;
            try {
                variable = text->variable(symbol.name);
            } catch (const Error&) {
                continue;
            }
            Memory known;
            known.address = variable.address;
            known.bytes = variable.bytes;
            known.kind = MemoryKind::variable;
            known.device = device;
            known.call = fmt::format("variable {}", symbol.name);
            memory.emplace(variable.address, std::move(known));
            break;
        }
    }
    return placed;
}

const device::Kernel& Machine::kernel(Function& function, int device)
{
    const auto known = function.kernels.find(device);
    if (known != function.kernels.end()) return *known->second;
    for (const auto& text : loaded(*function.module, device)) {
        const auto names = text->kernel_names();
        if (std::ranges::find(names, function.symbol) == names.end()) continue;
        const device::Kernel& found = text->kernel(function.symbol);
        function.kernels[device] = &found;
        return found;
    }
    throw device::LaunchError(
        fmt::format("The program's PTX has no kernel {}.", function.name),
        "Build it with one -gencode option that gives PTX for all its files.");
}

// Host and device share the bytes of a managed variable.
void Machine::prepare_managed(Module& module)
{
    if (module.managed_ready) return;
    module.managed_ready = true;
    for (const auto& [host, symbol] : module.symbols) {
        if (!symbol.managed || symbol.managed_pointer == nullptr) continue;
        for (const auto& text : loaded(module, 0)) {
            try {
                const device::Variable variable = text->variable(symbol.name);
                std::byte* const bytes = simt_->bytes(variable.address, variable.bytes).data();
                *symbol.managed_pointer = bytes;
                Memory known;
                known.address = reinterpret_cast<std::uint64_t>(bytes);
                known.bytes = variable.bytes;
                known.kind = MemoryKind::registered;
                known.call = fmt::format("managed variable {}", symbol.name);
                known.host = {bytes, variable.bytes};
                known.buffer = simt_->adopt_at(known.address, known.host);
                memory.emplace(known.address, std::move(known));
                break;
            } catch (const Error&) {
                continue;
            }
        }
    }
}

std::uint64_t Machine::symbol_address(const void* symbol, int device, std::uint64_t* bytes)
{
    for (const auto& module : modules) {
        const auto found = module->symbols.find(symbol);
        if (found == module->symbols.end()) continue;
        found->second.is_host_used = true;
        for (const auto& text : loaded(*module, found->second.managed ? 0 : device)) {
            try {
                const device::Variable variable = text->variable(found->second.name);
                *bytes = variable.bytes;
                return variable.address;
            } catch (const Error&) {
                continue;
            }
        }
    }
    return 0;
}

// --- Reporting ---

namespace {

std::string_view checking_advice(const ThreadState::UncheckedError& unchecked_error)
{
    return unchecked_error.error.starts_with("CUDA_ERROR")
               ? "Check what calls return."
               : "Check what calls return, and cudaGetLastError after launches.";
}

} // namespace

void Machine::find(Finding finding)
{
    const std::string key =
        fmt::format("{} {} {} {} {} {}", finding.kind.name(), finding.kernel, finding.file,
                    finding.line, finding.site.count > 0 ? finding.site.frames[0] : 0,
                    static_cast<const void*>(finding.site.script));
    if (!reported_.insert(key).second) return;
    Report::instance().find(finding);
}

void Machine::destroy_context(Context& context, cudaError_t error)
{
    if (context.fault != cudaSuccess) return;
    context.fault = error;
    context.fault_seen = false;
}

void Machine::finish()
{
    if (finished_) return;
    finished_ = true;
    run_delayed(true);
    if (!printed_.empty()) {
        Finding finding{.kind = "lost_output"};
        finding.message =
            "A kernel printed, and the program ended before anything waited for it: a GPU would "
            "not show the output. Call cudaDeviceSynchronize before the end.";
        find(finding);
        printed_.clear();
    }
    ThreadState& thread = this_thread();
    if (thread.unchecked_error) {
        Finding finding{.kind = "unchecked_error"};
        finding.call = thread.unchecked_error->call;
        finding.site = thread.unchecked_error->site;
        finding.message = fmt::format("{} failed with {}, and the program never checked. {}",
                                      thread.unchecked_error->call, thread.unchecked_error->error,
                                      checking_advice(*thread.unchecked_error));
        find(finding);
    }
    const bool destroyed =
        std::ranges::any_of(
            devices,
            [](const SimulatedDevice& each) { return each.primary.fault != cudaSuccess; }) ||
        std::ranges::any_of(contexts, [](const auto& each) { return each->fault != cudaSuccess; });
    std::vector<Leaked> leaked;
    for (const auto& [address, each] : memory)
        if (!destroyed) find_result_copied_in_part(*this, each);
    for (const auto& [address, each] : memory)
        if (each.kind != MemoryKind::variable && each.kind != MemoryKind::registered &&
            each.kind != MemoryKind::graphics && !destroyed && !settings_.ignores_leaks)
            leaked.push_back({each.bytes, each.call, each.site});
    for (Finding& finding : leak_findings(leaked)) find(std::move(finding));
    Report::instance().end(calls);
}

namespace {

__attribute__((destructor)) void finish_at_end()
{
    if (is_used) Machine::instance().finish();
}

} // namespace

// --- Calls ---

void Machine::flush()
{
    if (printed_.empty()) return;
    std::fwrite(printed_.data(), 1, printed_.size(), stdout);
    printed_.clear();
}

namespace {

void report_call_in_host_function(Machine& machine, std::string_view called)
{
    Finding finding{.kind = "unchecked_error"};
    finding.call = called;
    finding.site = CallSite::here();
    finding.message = fmt::format(
        "{} is called by a function that a stream runs (cudaLaunchHostFunc, "
        "cudaStreamAddCallback), and fails with cudaErrorNotPermitted: such a function must not "
        "call CUDA. Let it notify a thread that makes the call, or queue the work in the stream.",
        called);
    machine.find(std::move(finding));
}

} // namespace

cudaError_t enter(Call kind, const char* name)
{
    Machine& machine = Machine::instance();
    ThreadState& thread = this_thread();
    ++machine.calls;
    if (kind == Call::plain) return cudaSuccess;
    if (thread.in_host_function) {
        report_call_in_host_function(machine, called_as(name));
        return cudaErrorNotPermitted;
    }
    if (thread.contexts.empty()) set_current_context(current_context());
    const std::string_view called = called_as(name);
    Context& on = current_context();
    on.used = true;
    on.used_by_runtime |= thread.driver_call == nullptr;
    if (thread.unchecked_error) {
        const bool only_waits = called.find("Synchronize") != called.npos ||
                                called.find("EventRecord") != called.npos ||
                                called.find("Query") != called.npos;
        const bool cleans_up = called.find("Free") != called.npos ||
                               called.find("Destroy") != called.npos || called == "cudaDeviceReset";
        const bool from_launch = !thread.unchecked_error->about.empty();
        if (!cleans_up && !(from_launch && only_waits)) {
            Finding finding{.kind = "unchecked_error"};
            finding.call = thread.unchecked_error->call;
            finding.site = thread.unchecked_error->site;
            finding.message =
                fmt::format("{} failed with {}, and the program went on to {} without checking. "
                            "{}",
                            thread.unchecked_error->call, thread.unchecked_error->error, called,
                            checking_advice(*thread.unchecked_error));
            machine.find(finding);
            thread.unchecked_error.reset();
        }
    }
    if (!machine.delayed.empty()) {
        const bool asks = called.find("Query") != called.npos;
        const bool ends =
            called.find("Synchronize") != called.npos || called.find("Free") != called.npos ||
            called.find("Destroy") != called.npos || called.find("Reset") != called.npos ||
            called.find("Elapsed") != called.npos;
        if (asks || ends) machine.run_delayed(ends);
        if (asks && !machine.delayed.empty()) return cudaErrorNotReady;
    }
    if (kind == Call::waits) machine.flush();
    if (on.fault != cudaSuccess && called != "cudaDeviceReset" &&
        (kind == Call::waits || on.fault_seen)) {
        on.fault_seen = true;
        if (kind == Call::waits) machine.host_waits_for_context(on); // nothing runs after a fault
        return on.fault;
    }
    return cudaSuccess;
}

namespace {

// True for results that are answers to a query, not failures.
bool is_answer(cudaError_t result)
{
    switch (result) {
    case cudaErrorNotReady:
    case cudaErrorPeerAccessAlreadyEnabled:
    case cudaErrorPeerAccessNotEnabled:
    case cudaErrorPeerAccessUnsupported: return true;
    // Answers of the driver API to queries: whether an image loads, a name
    // exists or a context is current.
    case cudaErrorInitializationError:
    case cudaErrorDeviceUninitialized:
    case cudaErrorInvalidKernelImage:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorFileNotFound:
    case cudaErrorSymbolNotFound:
    case cudaErrorNotSupported: return this_thread().driver_call != nullptr;
    default: return false;
    }
}

} // namespace

cudaError_t leave(cudaError_t result, const char* name, bool reported)
{
    if (result == cudaSuccess) return result;
    ThreadState& thread = this_thread();
    thread.error_reported = true;
    if (thread.driver_call == nullptr) thread.last_error = result;
    if (reported || is_answer(result)) return result;
    // Python packages raise errors or return them; the program may have examined either.
    const CallSite site = CallSite::here();
    if (site.script == nullptr)
        thread.unchecked_error = {called_as(name), reported_error_name(result), site, {}};
    if (site.script == nullptr && result == cudaErrorStreamCaptureImplicit)
        thread.unchecked_error->error +=
            " (the default stream may not be used while a stream is captured that was created "
            "without cudaStreamNonBlocking)";
    if (site.script == nullptr && result == cudaErrorStreamCaptureUnsupported)
        thread.unchecked_error->error += " (this call is not allowed while a stream is captured)";
    return result;
}

cudaError_t caught(const char* called)
{
    const char* const name = called_as(called);
    Report& report = Report::instance();
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return cudaErrorMemoryAllocation;
    } catch (const device::DeviceError& error) {
        report.missing(name, error.what(), Report::is_launch(name));
        return cudaErrorNoKernelImageForDevice;
    } catch (const device::LaunchError& error) {
        report.missing(name, error.what(), Report::is_launch(name));
        return cudaErrorNotSupported;
    } catch (const std::exception& error) {
        report.missing(name, error.what());
        return cudaErrorUnknown;
    }
}

} // namespace lanescope::runtime
