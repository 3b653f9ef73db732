// A program's CUDA state: simulated devices and everything allocated, loaded and queued. Work runs
// when it is queued, in call order, which is one of the orders that streams allow; stream_order.h
// finds conflicts that a different order would expose.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <cuda_runtime_api.h>

#include "compute/counting/gpus.h"
#include "compute/ptx/uses/halving_sums.h"
#include "compute/runtime/left_out.h"
#include "compute/runtime/reporting/call_site.h"
#include "compute/runtime/reporting/launch_board.h"
#include "compute/runtime/reporting/report.h"
#include "compute/runtime/reporting/stream_order.h"
#include "compute/simt/simt_device.h"

namespace lanescope::runtime {

struct Graph;
struct Node;
struct Context;

enum class MemoryKind : std::uint8_t {
    device,
    managed,
    pinned,
    registered,
    variable,
    graphics, // a mapped OpenGL resource
};

// An allocation as the program sees it.
struct Memory {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    Context* context = nullptr;  // context it was allocated in
    unsigned flags = 0;          // flags of cudaHostAlloc, cudaGraphicsGLRegisterBuffer, …
    std::string call;            // API function that allocated it
    CallSite site{};             // where it was called
    bool from_pool = false;      // allocated by cudaMallocAsync
    bool from_mapping = false;   // mapped by cuMemMap
    std::span<std::byte> host{}; // managed, pinned, registered
    std::unique_ptr<device::Buffer> buffer{};
    History history{};
    bool closed = false; // its pages are protected against host access
    // The last copy or fill that has written a part of it whose size may be a count of elements.
    struct Part {
        std::uint64_t bytes = 0; // from the start; 0: none
        std::string call{};
        CallSite site{};
    };
    Part written_part{};
    // The last fill whose byte is a small number, which may be meant for whole elements.
    struct Fill {
        std::uint64_t begin = 0, end = 0; // equal: none
        unsigned value = 0;
        std::string call{};
        CallSite site{};
    };
    Fill fill{};
    // Use of a result that fills the allocation, since a kernel wrote it.
    struct Result {
        bool is_unused = false; // only `copied` has been read
        Part copied{};          // the part copied to the host, as above
    };
    Result result{};
    Writer writer{};

    bool on_host() const { return !host.empty(); }
};

// A freed allocation, remembered to distinguish a double free from an invalid pointer.
struct Freed {
    std::uint64_t address = 0, bytes = 0;
    std::string call;
    CallSite site{};
    MemoryKind kind = MemoryKind::device;
};

struct Stream : StreamOrder {
    Context* in = nullptr;
    unsigned flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    std::string name; // "2", "default", "default of thread 1"
    // "stream 2", "the default stream", "the default stream of thread 1"
    std::string words() const
    {
        constexpr std::string_view common = "default";
        return name.starts_with(common) ? "the default stream" + name.substr(common.size())
                                        : "stream " + name;
    }
    bool is_per_thread = false; // a thread's default stream (nvcc --default-stream per-thread)
    struct Capture* capture = nullptr;
    // The clock before the stream's last work, if that is a kernel: what happens before a dependent
    // launch that does not wait for it.
    std::optional<Clock> before_kernel{};
};

struct Event {
    int device = 0;
    Context* context = nullptr;
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point when{};
    Clock clock{};
    struct Capture* capture = nullptr; // capture in which it was recorded
    std::vector<std::size_t> capture_nodes{};
};

// A fat binary of the program, with everything that it registers.
struct Module;

// A kernel, identified by its host stub.
struct Function {
    Module* module = nullptr;
    std::string symbol; // its name in the PTX
    std::string name;   // demangled, without result and parameters
    int max_dynamic_shared_bytes = counting::shared_bytes_without_opt_in;
    int carveout = -1;
    bool large_clusters = false;    // allowed: more than 8 blocks, as not every GPU can run
    Dim3 required_cluster{0, 0, 0}; // set by the program; 0: not set
    std::unordered_map<int, const device::Kernel*> kernels{}; // per device, once loaded
    // As in the source; empty: unknown; nullopt: not looked up yet.
    std::optional<std::vector<std::string>> parameter_names{};
};

struct Symbol {
    std::string name;
    std::uint64_t bytes = 0;
    bool constant = false;
    bool managed = false;
    void** managed_pointer = nullptr;
    bool is_host_used = false; // the host has copied to or from it, or asked for its address
};

struct Module {
    std::vector<std::string> texts;
    std::vector<int> machine_architectures;
    std::string problem;
    std::vector<std::unique_ptr<Function>> functions;
    std::map<const void*, Symbol> symbols;                              // keyed by host variable
    std::map<int, std::vector<std::unique_ptr<device::Module>>> loaded; // per device
    bool managed_ready = false;
    bool library = false;                 // loaded by cuLibraryLoadData, without a context
    std::vector<std::uint64_t> globals{}; // variables returned by cuModuleGetGlobal
    Context* context =
        nullptr; // context into which the driver API loaded it; null: part of the program
};

// A context on a device: the primary one, which the runtime API uses, or one made by cuCtxCreate.
struct Context {
    int device = 0;
    int number = 0;    // 0: the primary context
    bool used = false; // primary context: it is in use
    bool used_by_runtime = false;
    bool destroyed = false; // may still be current on some thread
    int retained = 0;       // number of cuDevicePrimaryCtxRetain calls not yet released
    unsigned flags = 0;
    std::set<int> peers{};           // devices whose memory its kernels can access
    cudaError_t fault = cudaSuccess; // sticky error that destroyed the context
    bool fault_seen = false;         // a call has returned it
    std::unique_ptr<Stream> default_stream{};
    std::size_t limits[8]{};
    cudaFuncCache cache_config = cudaFuncCachePreferNone;
};

// A simulated GPU.
struct SimulatedDevice {
    std::uint64_t allocated = 0;
    Context primary{};
};

struct LaunchRequest {
    Function* function = nullptr;
    Dim3 grid{}, block{};
    std::uint32_t shared_bytes = 0;
    std::vector<std::vector<std::byte>> arguments{};
    bool cooperative = false;
    std::optional<Dim3> cluster{}; // blocks per cluster, if the launch gives it
    bool dependent = false;        // may start before the kernel ahead of it has ended
};

// A kernel that is launched now, in a stream.
struct LaunchOrder {
    const device::Kernel& kernel;
    const device::Launch& launch;
    Stream& stream;
    const Clock& clock; // what happens before the launch
    int depth = 0;      // of launches by kernels; 0: by the host
    const char* call = nullptr;
    const Clock* early = nullptr; // dependent launches: what happens before the kernel waits
};

// Queued work that must run later, because a kernel before it waits for something that the program
// does only after queueing it, such as setting a flag in pinned memory.
struct Delayed {
    Stream* stream = nullptr;
    const void* recorded = nullptr; // event that the work records; null: none
    const void* awaited = nullptr;  // event that the work waits for; null: none
    std::function<cudaError_t()> run;
    CallSite site{};
};

class Machine {
public:
    static Machine& instance();

    std::recursive_mutex mutex;
    std::vector<SimulatedDevice> devices;
    std::vector<std::unique_ptr<Context>> contexts; // made by cuCtxCreate
    bool is_context(const Context* context) const;
    Context& make_context(int device, unsigned flags);
    // Destroys everything in the context; a primary context returns to its initial state.
    void clear_context(Context& context, const char* call);
    void unload(Module& module);

    simt::SimtDevice& simt() { return *simt_; }

    // --- Memory ---
    std::map<std::uint64_t, Memory> memory; // keyed by address
    std::vector<Freed> freed;
    // The last freed allocation that contained the address, if its memory is gone; otherwise null.
    const Freed* find_freed(std::uint64_t address) const;
    // Node of a graph that is running; null: none.
    const Node* replayed = nullptr;
    // Adds to the finding that a running node of a graph still uses memory freed since its capture.
    void explain_replay(std::uint64_t address, Finding& finding) const;
    // Returns the live allocation that contains the address, or null.
    Memory* find(const void* pointer);
    Memory* find(std::uint64_t address);
    // Returns null if out of memory.
    Memory* allocate(std::uint64_t bytes, MemoryKind kind, int device, const char* call);
    void release(Memory& memory, const char* call);
    // Returns the host location of a device pointer's bytes, or the pointer itself for host memory.
    std::byte* bytes_of(const void* pointer, std::uint64_t bytes);

    // --- Streams ---
    std::unordered_set<Stream*> streams;
    std::unordered_set<Event*> events;
    Clock host_clock;
    int timelines = 1;
    // Returns null for an invalid handle. A null handle means the default stream of the device or
    // thread.
    Stream* stream(cudaStream_t handle, int device);
    Stream* new_stream(Context& context, unsigned flags, int priority);
    Stream* stream_of_thread(Context& context);
    // Returns the clock of work queued now; call note() for each memory access.
    const Clock& begin_work(Stream& stream);
    std::vector<Delayed> delayed; // in call order
    // Returns true if work queued in the stream follows delayed work,
    // or waits for an event that does.
    bool follows_delayed(const Stream& stream, const void* awaited_event) const;
    // Runs the delayed work now. `last_chance`: a kernel that still waits is reported as endless.
    void run_delayed(bool last_chance);
    bool may_delay = false; // true while queueing work whose kernel may be delayed
    void host_waits_for(Stream& stream);
    void join_device(int device, Clock& clock) const; // joins everything queued on the device
    void join_context(const Context& context, Clock& clock) const;
    void host_waits_for_device(int device);
    void host_waits_for_context(const Context& context);
    void note(Memory& memory, MemoryUse use, const Clock& clock, std::string_view call);
    // Lifts all page protection while the machine works. Afterwards protects memory again that
    // queued work may still use, as far as the host knows.
    void unprotect_memory();
    void protect_memory();

    // --- Kernels ---
    std::vector<std::unique_ptr<Module>> modules;
    std::unordered_map<const void*, Function*> functions; // keyed by host function
    std::unordered_set<const Function*> handles;
    // Throws Error for a kernel that cannot run, after reporting the reason.
    const device::Kernel& kernel(Function& function, int device);
    std::vector<std::unique_ptr<device::Module>>& loaded(Module& module, int device);
    void prepare_managed(Module& module);
    cudaError_t launch(const LaunchRequest& request, Stream& stream, const char* call);
    // Sums of launched kernels, looked up once; forgotten when a module is unloaded.
    std::map<const device::Kernel*, std::optional<ptx::HalvingSum>> halving_sums;
    std::uint64_t symbol_address(const void* symbol, int device, std::uint64_t* bytes);

    // --- Reporting ---
    void find(Finding finding);
    void flush(); // prints kernels' output, as a GPU does when the host waits
    static void destroy_context(Context& context, cudaError_t error);
    void finish(); // at exit: reports leaks and other leftovers
    std::uint64_t calls = 0;
    int launches = 0;
    std::uint64_t total_memory() const { return total_memory_; }
    const std::string& only() const { return settings_.only; }
    bool ignores_leaks() const { return settings_.ignores_leaks; }
    double launch_limit_s() const { return settings_.time_limit_s; } // 0: none

private:
    Machine();
    void add_default_stream(Context& context, std::string name);
    Stream* add_stream(Context& context, unsigned flags, int priority);
    class Run;
    // Returns false, after undoing the launch, if the kernel waits for
    // a later action of the program.
    bool run(const LaunchOrder& order, const LaunchRecord& record);
    cudaError_t refuse_launch(const Function& function, const char* call, cudaError_t error,
                              const std::string& why);
    bool may_wait_for_host(const trace::Trace& trace, const Stream& stream);
    bool report_faults(const trace::Trace& trace, const LaunchRecord& record, cudaError_t& error);
    [[noreturn]] void end_program(const trace::Trace& trace, const LaunchRecord& record);

    // Chosen by the user, when the program starts.
    struct Settings {
        bool checks = true;
        std::optional<trace::Sample> sample{}; // empty: all blocks are checked
        double time_limit_s = 0;
        LaunchBoard* board = nullptr; // null: nothing watches
        std::string only{};
        bool ignores_leaks = false; // memory left at exit is not a leak, as in Python
    };
    Settings settings_;
    std::vector<Memory*> host_memory_; // managed and pinned memory, which may need protection
    std::unique_ptr<simt::SimtDevice> simt_;
    bool finished_ = false;
    std::uint64_t total_memory_ = 0; // as reported to the program
    std::uint64_t max_allocated_ = 0;
    int numbered_ = 0; // number of streams the program created
    int made_contexts_ = 0;
    int threads_ = 0; // number of threads with a default stream
    std::vector<Memory*> closed_;
    std::set<std::string> reported_; // reported findings, to avoid duplicates
    std::string printed_;
};

// Per-thread state.
struct ThreadState {
    int device = 0;
    std::vector<Context*> contexts;    // context stack, current one last; empty: the primary
                                       // context of `device` on first use
    const char* driver_call = nullptr; // driver API function in progress
    bool error_reported = false;       // its error was already recorded by a runtime function
    cudaError_t last_error = cudaSuccess;
    struct Configuration {
        dim3 grid, block;
        std::size_t shared = 0;
        cudaStream_t stream = nullptr;
    };
    std::vector<Configuration> configurations;
    // An error that a call returned and the program has not checked.
    struct UncheckedError {
        std::string call;
        std::string error; // name of the error
        CallSite site{};
        std::string about; // reason why a launch was refused
    };
    std::optional<UncheckedError> unchecked_error;
    bool in_host_function = false;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    bool null_is_own_stream = false;             // inside a call from per_thread.cpp
    int number = 0;                              // 1, 2, … once it has its own default stream
    std::map<const Context*, Stream*> streams{}; // streams outlive the thread, as their work does
};
ThreadState& this_thread();
// The context that the thread's calls use.
Context& current_context();
void set_current_context(Context& context);
// Name of the call for reports: that of the driver API function in progress, if any.
const char* called_as(const char* name);
// Name of the error in the API whose function is in progress.
const char* reported_error_name(cudaError_t error);

// How a call interacts with the device.
enum class Call : std::uint8_t {
    plain,  // no interaction: versions, names, the last error
    queues, // queues work, or queries the device
    waits,  // waits for queued work, which may report its faults
};

// Serialises calls. The thread of a callback must not lock: the thread
// that waits for it holds the lock.
class CallLock {
public:
    explicit CallLock(Machine& machine) : lock_(machine.mutex, std::defer_lock)
    {
        if (!this_thread().in_host_function) lock_.lock();
    }

private:
    CallSite::Entered entered_; // before the lock is taken
    std::unique_lock<std::recursive_mutex> lock_;
};

cudaError_t enter(Call kind, const char* name);
cudaError_t leave(cudaError_t result, const char* name, bool reported);
// Turns the exception in flight into the call's result.
cudaError_t caught(const char* name);

// Runs the body of an API function under the lock and applies the last-error rules.
template <class Body>
cudaError_t call(Call kind, const char* name, Body body)
{
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    cudaError_t result = enter(kind, name);
    if (result != cudaSuccess) return leave(result, name, true);
    try {
        result = body(machine);
    } catch (...) {
        result = caught(name);
    }
    return leave(result, name, false);
}

// Value of the limit in this context: as set by the program, or the initial one.
std::size_t limit_of(const Context& context, cudaLimit limit);

// Attribute of the simulated GPU by its cudaDeviceAttr number; 0 if unknown.
int device_attribute(int number);
const counting::Gpu& simulated_gpu();
std::string device_name(); // "Lanescope lockstep machine (simulates an H100)"
int blocks_per_multiprocessor(const device::Kernel& kernel, int threads,
                              std::size_t dynamic_shared_bytes);

const char* error_name(cudaError_t error);
const char* driver_error_name(int error); // null if `error` is not a driver error
const char* error_text(cudaError_t error);

} // namespace lanescope::runtime
