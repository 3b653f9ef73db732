// Never changes a thread's last error: a separate thread queries events, and calls made on the
// program's threads restore the error (OwnCalls).
#include "compute/runtime/passing/recorder.h"

#include <algorithm>
#include <cstdlib>

#include <csignal>
#include <fmt/format.h>
#include <pthread.h>

#include "compute/device/kernel_names.h"
#include "compute/runtime/passing/real.h"
#include "compute/runtime/reporting/keeping.h"

namespace lanescope::runtime::passing {

namespace {

std::atomic<bool> is_used = false; // a process that never calls CUDA exits unchanged

constexpr std::size_t max_errors = 1000;
constexpr auto rest = std::chrono::milliseconds(5); // sleep of the reporting thread; a crash can
                                                    // lose this much of the report

std::uint64_t address(const void* pointer)
{
    return reinterpret_cast<std::uint64_t>(pointer);
}

int thread_number()
{
    static std::atomic<int> threads = 0;
    static thread_local const int number = ++threads;
    return number;
}

// Error of the last call, which cudaGetLastError will return again.
thread_local cudaError_t noted_error = cudaSuccess;

// True after a kernel fault: the context is unusable from then on.
bool is_fault(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorInvalidPc:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout: return true;
    default: return false;
    }
}

bool is_answer(cudaError_t error)
{
    return error == cudaSuccess || error == cudaErrorNotReady ||
           error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorPeerAccessNotEnabled;
}

} // namespace

bool StreamName::is_legacy() const
{
    return handle == cudaStreamLegacy || (handle == nullptr && null_stream == NullStream::legacy);
}

bool StreamName::is_per_thread() const
{
    return handle == cudaStreamPerThread ||
           (handle == nullptr && null_stream == NullStream::per_thread);
}

OwnCalls::OwnCalls() : before_(REAL(cudaPeekAtLastError)()) {}

OwnCalls::~OwnCalls()
{
    if (before_ == cudaSuccess && REAL(cudaPeekAtLastError)() != cudaSuccess)
        REAL(cudaGetLastError)();
}

Recorder& Recorder::instance()
{
    static Recorder* const recorder = new Recorder; // never destroyed: used during exit
    return *recorder;
}

Recorder::Recorder()
{
    lists_all_ = Keeper::instance().wants_any();
    unsetenv("LANESCOPE_KEEP"); // don't pass it on to child processes
    on_ = Report::instance().has_listener();
    is_used = true;
    // A forked child has no reporting thread.
    pthread_atfork(nullptr, nullptr, [] { instance().on_ = false; });
}

// --- Reporting ---

void Recorder::start_reporting()
{
    std::atexit([] { instance().before_end(); });
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals belong to the program's threads
    reporting_.thread = std::thread([this] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; // must not disturb a capture
        REAL(cudaThreadExchangeStreamCaptureMode)(&mode);
        std::unique_lock lock(mutex_);
        while (!reporting_.ended) {
            reporting_.ends.wait_for(lock, rest);
            lock.unlock();
            report_finished(false);
            lock.lock();
        }
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Recorder::add(Note note)
{
    if (!reporting_.thread.joinable() && !reporting_.ended) start_reporting();
    notes_.push_back(std::move(note));
}

// Reports in call order: an item whose time is not known yet delays those after it.
void Recorder::report_finished(bool last)
{
    const std::lock_guard reporting(reporting_.mutex);
    {
        const std::lock_guard lock(mutex_);
        std::ranges::move(notes_, std::back_inserter(reporting_.unreported));
        notes_.clear();
    }
    while (!reporting_.unreported.empty()) {
        auto* const work = std::get_if<WorkNote>(&reporting_.unreported.front());
        if (!last && work != nullptr && work->timing.end != nullptr) {
            int device = 0;
            if (REAL(cudaGetDevice)(&device) == cudaSuccess && device != work->timing.device)
                REAL(cudaSetDevice)(work->timing.device);
            if (REAL(cudaEventQuery)(work->timing.end) == cudaErrorNotReady) return;
        }
        report_one(reporting_.unreported.front());
        reporting_.unreported.pop_front();
    }
}

void Recorder::report_begin()
{
    int version = 0;
    if (reporting_.ended || REAL(cudaGetDeviceCount)(&reporting_.devices) != cudaSuccess)
        reporting_.devices = 0;
    REAL(cudaRuntimeGetVersion)(&version);
    Report::instance().begin_on_gpu(version, reporting_.devices);
}

void Recorder::report_one(Note& note)
{
    Report& report = Report::instance();
    if (reporting_.devices < 0) report_begin();
    if (auto* const stream = std::get_if<StreamNote>(&note))
        return report.stream(name_of(*stream->stream), stream->site);
    if (auto* const error = std::get_if<ErrorRecord>(&note)) return report.error(*error);
    if (auto* const finding = std::get_if<Finding>(&note)) return report.find(*finding);
    WorkNote& work = std::get<WorkNote>(note);
    std::optional<double> gpu_ms;
    float ms = 0;
    if (work.timing.end != nullptr && !reporting_.ended) {
        if (REAL(cudaEventElapsedTime)(&ms, work.timing.begin, work.timing.end) == cudaSuccess)
            gpu_ms = ms;
        const std::lock_guard lock(mutex_);
        auto& free = reporting_.free_events[work.timing.device];
        free.insert(free.end(), {work.timing.begin, work.timing.end});
    }
    if (const auto* const copy = std::get_if<CopyNote>(&work.what))
        return report.copy({.call = copy->call,
                            .direction = copy->direction,
                            .bytes = copy->bytes,
                            .stream = name_of(*work.stream),
                            .device = work.stream->device,
                            .gpu_ms = gpu_ms,
                            .site = work.site,
                            .order = std::move(work.order)});
    LaunchNote& launch = std::get<LaunchNote>(work.what);
    std::string& name = reporting_.short_names[launch.function->symbol];
    if (name.empty()) name = device::short_name(launch.function->symbol);
    report.launch({.index = launch.index,
                   .kernel = name,
                   .symbol = launch.function->symbol,
                   .grid = launch.grid,
                   .block = launch.block,
                   .shared_bytes = launch.shared_bytes,
                   .stream = name_of(*work.stream),
                   .device = work.stream->device,
                   .gpu_ms = gpu_ms,
                   .cooperative = launch.cooperative,
                   .site = work.site,
                   .order = std::move(work.order),
                   .kept = std::move(launch.kept)});
}

std::string Recorder::name_of(const Stream& stream)
{
    if (stream.number > 0) return fmt::format("{}", stream.number);
    std::string name = "default";
    if (stream.thread > 0) name += fmt::format(" of thread {}", stream.thread);
    if (reporting_.devices > 1) name += fmt::format(" of device {}", stream.device);
    return name;
}

// After this only the program's destructors run, when CUDA may be gone.
void Recorder::before_end()
{
    if (!on()) return;
    report_finished(false);
    {
        const std::lock_guard lock(mutex_);
        reporting_.ended = true;
    }
    reporting_.ends.notify_all();
    if (reporting_.thread.joinable()) reporting_.thread.join();
}

void Recorder::finish()
{
    if (!on()) return;
    const std::lock_guard reporting(reporting_.mutex);
    const std::lock_guard lock(mutex_);
    reporting_.ended = true;
    std::ranges::move(notes_, std::back_inserter(reporting_.unreported));
    notes_.clear();
    for (Note& note : reporting_.unreported) report_one(note);
    reporting_.unreported.clear();
    if (reporting_.devices < 0) report_begin();
    std::vector<Leaked> leaked;
    for (const auto& [where, each] : memory_)
        if (each.owned && !faulted_) leaked.push_back({each.bytes, each.call, each.site});
    for (const Finding& finding : leak_findings(leaked)) Report::instance().find(finding);
    sums_.unlisted = unlisted_;
    Report::instance().end_on_gpu(sums_);
    on_ = false;
}

namespace {

__attribute__((destructor)) void finish_at_end()
{
    if (is_used) Recorder::instance().finish();
}

} // namespace

// --- Work ---

// Counts at most 100 µs per call: longer calls create a context or are
// preempted, and are not bookkeeping.
void Recorder::spend(Clock_::time_point since)
{
    constexpr std::int64_t max_ns = 100'000;
    const std::chrono::nanoseconds passed = Clock_::now() - since;
    spent_ns_ += std::min<std::int64_t>(passed.count(), max_ns);
}

// Allows 4% of the run time, plus a constant for short programs.
bool Recorder::allows_details()
{
    constexpr std::uint32_t seldom = 64; // past the budget even reading the clock costs too much
    if (!detailed_ && ++requested_ % seldom != 0) return false;
    const auto running = Clock_::now() - since_;
    const auto allowed = std::chrono::milliseconds(20) + running / 25;
    detailed_ = std::chrono::nanoseconds(spent_ns_) < allowed;
    return detailed_;
}

Stream& Recorder::legacy(int device)
{
    auto& made = defaults_[{device, 0}];
    if (!made) {
        made = std::make_unique<Stream>();
        made->device = device;
        made->timeline = timelines_++;
    }
    return *made;
}

// Returns null for an unknown handle.
Stream* Recorder::find(StreamName name, int device)
{
    if (name.is_legacy()) return &legacy(device);
    if (name.is_per_thread()) {
        auto& made = defaults_[{device, thread_number()}];
        if (!made) {
            made = std::make_unique<Stream>();
            made->device = device;
            made->timeline = timelines_++;
            made->thread = thread_number();
            all_streams_.push_back(made.get());
        }
        return made.get();
    }
    const auto known = streams_.find(name.handle);
    return known == streams_.end() ? nullptr : known->second.get();
}

const Clock& Recorder::queue(Stream& stream)
{
    return begin_work_in(stream, legacy(stream.device), all_streams_, host_clock_);
}

bool Recorder::is_captured(StreamName stream)
{
    if (!any_capture_ || stream.is_legacy()) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaStream_t handle = stream.is_per_thread() ? cudaStreamPerThread : stream.handle;
    return REAL(cudaStreamIsCapturing)(handle, &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}

bool Recorder::take_events(Timing& timing)
{
    {
        const std::lock_guard lock(mutex_);
        auto& free = reporting_.free_events[timing.device];
        if (free.size() >= 2) {
            timing.begin = free.back();
            free.pop_back();
            timing.end = free.back();
            free.pop_back();
            return true;
        }
    }
    return REAL(cudaEventCreateWithFlags)(&timing.begin, cudaEventDefault) == cudaSuccess &&
           REAL(cudaEventCreateWithFlags)(&timing.end, cudaEventDefault) == cudaSuccess;
}

Recorder::Passing Recorder::begin(StreamName stream)
{
    const OwnCalls own;
    Passing passing{.name = stream};
    passing.detailed = allows_details();
    const auto begin = passing.detailed ? Clock_::now() : Clock_::time_point();
    passing.captured = is_captured(stream);
    if (REAL(cudaGetDevice)(&passing.device) != cudaSuccess) passing.device = 0;
    if (!passing.detailed || any_capture_) return passing;
    {
        const std::lock_guard lock(mutex_);
        const Stream* const known = find(stream, passing.device);
        if (known == nullptr || known->device != passing.device) return passing;
    }
    passing.timing.device = passing.device;
    const cudaStream_t handle = stream.is_per_thread() ? cudaStreamPerThread : stream.handle;
    if (!take_events(passing.timing) ||
        REAL(cudaEventRecord)(passing.timing.begin, handle) != cudaSuccess)
        passing.timing = {};
    spend(begin);
    return passing;
}

void Recorder::end(Passing& passing, std::variant<LaunchNote, CopyNote> what, bool host_waits)
{
    if (passing.captured) return;
    const OwnCalls own;
    const auto begin = passing.detailed ? Clock_::now() : Clock_::time_point();
    WorkNote note{.what = std::move(what)};
    const StreamName& name = passing.name;
    const cudaStream_t handle = name.is_per_thread() ? cudaStreamPerThread : name.handle;
    if (passing.timing.begin != nullptr &&
        REAL(cudaEventRecord)(passing.timing.end, handle) == cudaSuccess)
        note.timing = passing.timing;
    if (passing.detailed) note.site = CallSite::here();
    {
        const std::lock_guard lock(mutex_);
        Stream* stream = find(name, passing.device);
        if (stream == nullptr) { // created by code that does not call this library
            auto& made = streams_[name.handle] = std::make_unique<Stream>();
            made->device = passing.device;
            made->timeline = timelines_++;
            made->number = ++numbered_;
            all_streams_.push_back(made.get());
            stream = made.get();
        }
        note.stream = stream;
        note.order = {stream->timeline, queue(*stream).ticks()};
        if (host_waits) {
            if (name.is_legacy()) join_blocking_streams(*stream, all_streams_);
            host_clock_.join(stream->clock);
        }
        if (auto* const launch = std::get_if<LaunchNote>(&note.what)) launch->index = launches_++;
        ++works_;
        add(std::move(note));
    }
    if (passing.detailed) spend(begin);
}

void Recorder::abandon(const Passing& passing)
{
    if (passing.timing.begin == nullptr) return;
    const std::lock_guard lock(mutex_);
    auto& free = reporting_.free_events[passing.timing.device];
    free.insert(free.end(), {passing.timing.begin, passing.timing.end});
}

void Recorder::queued(StreamName name)
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    if (Stream* const stream = find(name, device)) queue(*stream);
}

void Recorder::graph_launched(StreamName name)
{
    queued(name);
    const std::lock_guard lock(mutex_);
    ++sums_.graph_launches;
}

// --- Streams, events, captures ---

void Recorder::made(cudaStream_t handle, bool blocking)
{
    auto stream = std::make_unique<Stream>();
    REAL(cudaGetDevice)(&stream->device);
    StreamNote note{.stream = stream.get(), .site = CallSite::here()};
    const std::lock_guard lock(mutex_);
    stream->timeline = timelines_++;
    stream->number = ++numbered_;
    stream->blocking = blocking;
    all_streams_.push_back(stream.get());
    auto& place = streams_[handle];
    if (place) destroyed_.push_back(std::move(place));
    place = std::move(stream);
    add(std::move(note));
}

void Recorder::destroyed(cudaStream_t handle)
{
    const std::lock_guard lock(mutex_);
    const auto known = streams_.find(handle);
    if (known == streams_.end()) return;
    legacy(known->second->device).clock.join(known->second->clock); // its queued work continues
    std::erase(all_streams_, known->second.get());
    destroyed_.push_back(std::move(known->second));
    streams_.erase(known);
    capturing_.erase(handle);
    any_capture_ = !capturing_.empty();
}

void Recorder::recorded(cudaEvent_t event, StreamName name)
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    if (Stream* const stream = find(name, device)) events_[event] = queue(*stream);
}

void Recorder::waits(StreamName name, cudaEvent_t event)
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    Stream* const stream = find(name, device);
    const auto known = events_.find(event);
    if (stream != nullptr && known != events_.end()) stream->clock.join(known->second);
}

void Recorder::forget(cudaEvent_t event)
{
    const std::lock_guard lock(mutex_);
    events_.erase(event);
}

void Recorder::host_waits(StreamName name)
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    Stream* const stream = find(name, device);
    if (stream == nullptr) return;
    if (name.is_legacy()) join_blocking_streams(*stream, all_streams_);
    host_clock_.join(stream->clock);
}

void Recorder::host_waits(cudaEvent_t event)
{
    const std::lock_guard lock(mutex_);
    if (const auto known = events_.find(event); known != events_.end())
        host_clock_.join(known->second);
}

void Recorder::host_waits_for_device()
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    for (const StreamOrder* stream : all_streams_)
        if (stream->device == device) host_clock_.join(stream->clock);
    host_clock_.join(legacy(device).clock);
}

void Recorder::begin_capture(cudaStream_t stream)
{
    const std::lock_guard lock(mutex_);
    capturing_.insert(stream);
    any_capture_ = true;
}

void Recorder::end_capture(cudaStream_t stream)
{
    const std::lock_guard lock(mutex_);
    capturing_.erase(stream);
    any_capture_ = !capturing_.empty();
}

void Recorder::before_reset()
{
    int device = 0;
    REAL(cudaGetDevice)(&device);
    REAL(cudaDeviceSynchronize)(); // the reset would wait anyway
    std::thread([this] {
        report_finished(false);
    }).join(); // leaves this thread's device and error unchanged
    reporting_.mutex.lock();
    const std::lock_guard lock(mutex_);
    reporting_.free_events.erase(device);
    for (std::deque<Note>* notes : {&notes_, &reporting_.unreported})
        for (Note& note : *notes)
            if (auto* const work = std::get_if<WorkNote>(&note);
                work != nullptr && work->timing.device == device)
                work->timing = {};
}

void Recorder::after_reset()
{
    reporting_.mutex.unlock();
    int device = 0;
    REAL(cudaGetDevice)(&device);
    const std::lock_guard lock(mutex_);
    std::erase_if(memory_, [&](const auto& each) {
        const bool gone = each.second.owned && each.second.device == device;
        if (gone) live_bytes_ -= each.second.bytes;
        return gone;
    });
}

// --- Memory ---

void Recorder::allocated(const void* pointer, std::uint64_t bytes, const char* call, bool on_host)
{
    if (pointer == nullptr) return;
    Allocation made{.bytes = bytes, .call = call, .on_host = on_host};
    REAL(cudaGetDevice)(&made.device);
    if (detailed_) {
        const auto begin = Clock_::now();
        made.site = CallSite::here();
        spend(begin);
    }
    const std::lock_guard lock(mutex_);
    memory_.insert_or_assign(address(pointer), std::move(made));
    ++sums_.allocations;
    live_bytes_ += bytes;
    sums_.peak_bytes = std::max(sums_.peak_bytes, live_bytes_);
}

void Recorder::note_unowned(const void* pointer, std::uint64_t bytes, std::string call,
                            bool on_host)
{
    const std::lock_guard lock(mutex_);
    memory_.insert_or_assign(
        address(pointer),
        Allocation{.bytes = bytes, .call = std::move(call), .on_host = on_host, .owned = false});
}

std::map<std::uint64_t, Allocation>::node_type Recorder::take(const void* pointer)
{
    const std::lock_guard lock(mutex_);
    auto taken = memory_.extract(address(pointer));
    if (taken && taken.mapped().owned) live_bytes_ -= taken.mapped().bytes;
    return taken;
}

void Recorder::put_back(std::map<std::uint64_t, Allocation>::node_type allocation)
{
    if (!allocation) return;
    const std::lock_guard lock(mutex_);
    if (allocation.mapped().owned) live_bytes_ += allocation.mapped().bytes;
    memory_.insert(std::move(allocation));
}

std::map<std::uint64_t, Allocation>::iterator Recorder::holding(const void* pointer)
{
    auto after = memory_.upper_bound(address(pointer));
    if (after == memory_.begin()) return memory_.end();
    --after;
    return address(pointer) - after->first < after->second.bytes ? after : memory_.end();
}

bool Recorder::is_device(const void* pointer)
{
    const std::lock_guard lock(mutex_);
    const auto found = holding(pointer);
    return found != memory_.end() && !found->second.on_host;
}

bool Recorder::is_known(const void* pointer)
{
    const std::lock_guard lock(mutex_);
    return holding(pointer) != memory_.end();
}

std::map<std::uint64_t, Allocation> Recorder::memory()
{
    const std::lock_guard lock(mutex_);
    return memory_;
}

// --- Kernels ---

void Recorder::registered(void** handle, const void* wrapper)
{
    const std::lock_guard lock(mutex_);
    modules_.push_back(std::make_unique<Module>());
    modules_.back()->wrapper = wrapper;
    by_handle_[handle] = modules_.back().get();
}

void Recorder::registered_function(void** handle, const void* host, const char* name)
{
    const std::lock_guard lock(mutex_);
    owned_functions_.push_back(std::make_unique<Function>(Function{by_handle_[handle], name}));
    functions_[host] = owned_functions_.back().get();
}

void Recorder::registered_symbol(void** handle, const void* host, Module::Symbol symbol)
{
    const std::lock_guard lock(mutex_);
    if (Module* const module = by_handle_[handle]) module->symbols[host] = std::move(symbol);
}

void Recorder::note_handle(const void* handle, const void* function)
{
    const std::lock_guard lock(mutex_);
    if (const auto known = functions_.find(function); known != functions_.end())
        functions_[handle] = known->second;
}

const Function* Recorder::function(const void* pointer)
{
    const std::lock_guard lock(mutex_);
    const auto known = functions_.find(pointer);
    return known == functions_.end() ? nullptr : known->second;
}

// Only the name of a kernel loaded at run time is known.
const Function* Recorder::launched_function(const void* pointer)
{
    if (const Function* const known = function(pointer)) return known;
    const char* name = "unknown";
    if (is_exported(lanescope_real_cudaFuncGetName)) REAL(cudaFuncGetName)(&name, pointer);
    const std::lock_guard lock(mutex_);
    owned_functions_.push_back(std::make_unique<Function>(Function{nullptr, name}));
    return functions_[pointer] = owned_functions_.back().get();
}

std::string Recorder::symbol_name(const void* host)
{
    const std::lock_guard lock(mutex_);
    for (const auto& module : modules_)
        if (const auto found = module->symbols.find(host); found != module->symbols.end())
            return found->second.name;
    return {};
}

// --- Errors ---

void Recorder::failed(const char* call, cudaError_t error, const Function* kernel)
{
    if (is_answer(error)) return;
    noted_error = error;
    const CallSite site = CallSite::here();
    const std::string name = REAL(cudaGetErrorName)(error);
    const std::string text = REAL(cudaGetErrorString)(error);
    const std::lock_guard lock(mutex_);
    if (reported_errors_.size() >= max_errors ||
        !reported_errors_.insert({call, error, site.frames[0]}).second)
        return;
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        Report::instance().missing(
            "device", fmt::format("CUDA finds no GPU here ({}). Without --device cuda the program "
                                  "runs on the lockstep machine.",
                                  text));
    if (!is_fault(error)) {
        add(ErrorRecord{.call = call,
                        .error = name,
                        .text = text,
                        .kernel = kernel == nullptr ? "" : device::short_name(kernel->symbol),
                        .site = site});
        return;
    }
    reporting_.ends.notify_all(); // the program may be about to end
    if (faulted_) return;
    faulted_ = true;
    Finding finding{.kind = "gpu_fault"};
    finding.message =
        fmt::format("{} returned {}: {}. A kernel failed on the GPU. Run the program without "
                    "--device cuda to see which one, and where.",
                    call, name, text);
    finding.call = call;
    finding.site = site;
    add(std::move(finding));
}

// Handles an error that cudaGetLastError or cudaPeekAtLastError returned.
void Recorder::checked_last_error(const char* call, cudaError_t error)
{
    if (error != cudaSuccess && error != noted_error) failed(call, error);
    noted_error = cudaSuccess;
}

} // namespace lanescope::runtime::passing
