// The state of a program's CUDA: played devices, what it has allocated, loaded and queued. All work
// is done when it is asked for, in the order of the calls, which is one of the orders that streams
// allow; what else they would have allowed is found by stream_order.h.
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

#include "compute/runtime/telling/call_site.h"
#include "compute/runtime/telling/report.h"
#include "compute/runtime/telling/stream_order.h"
#include "compute/simt/simt_device.h"

namespace lanescope::runtime {

struct Graph;
struct Context;

enum class MemoryKind : std::uint8_t { device, managed, pinned, registered, variable };

// An allocation as the program knows it.
struct Memory {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    Context* context = nullptr;  // in which it was allocated
    unsigned flags = 0;          // of pinned memory
    std::string call;            // that made it
    CallSite site{};             // where
    bool from_pool = false;      // cudaMallocAsync
    std::span<std::byte> host{}; // managed, pinned, registered
    std::unique_ptr<device::Buffer> buffer{};
    History history{};
    bool closed = false; // its pages are, to the host

    bool on_host() const { return !host.empty(); }
};

// What was freed, to tell a second time from a wrong pointer.
struct Freed {
    std::uint64_t address = 0, bytes = 0;
    std::string call;
    CallSite site{};
};

struct Stream : StreamOrder {
    Context* in = nullptr;
    unsigned flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    std::string name;       // "2", "default", "default of thread 1"
    bool of_thread = false; // its default one, under nvcc --default-stream per-thread
    struct Capture* capture = nullptr;
};

struct Event {
    int device = 0;
    Context* context = nullptr;
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point when{};
    Clock clock{};
    struct Capture* capture = nullptr; // recorded in a stream that is being captured
    std::vector<std::size_t> capture_nodes{};
};

// A fat binary of the program with what it registered of it.
struct Module;

// A kernel by the host function that stands for it.
struct Function {
    Module* module = nullptr;
    std::string symbol; // its name in the PTX
    std::string name;   // demangled, without result and parameters
    int max_dynamic_shared_bytes = 49152;
    int carveout = -1;
    std::unordered_map<int, const device::Kernel*> kernels{}; // by device, once they are loaded
};

struct Symbol {
    std::string name;
    std::uint64_t bytes = 0;
    bool constant = false;
    bool managed = false;
    void** managed_pointer = nullptr;
};

struct Module {
    std::vector<std::string> texts;
    std::vector<int> machine_architectures;
    std::string problem;
    std::vector<std::unique_ptr<Function>> functions;
    std::map<const void*, Symbol> symbols;                              // by the host's variable
    std::map<int, std::vector<std::unique_ptr<device::Module>>> loaded; // by device
    bool managed_ready = false;
    bool library = false;                 // cuLibraryLoadData: of no context
    std::vector<std::uint64_t> globals{}; // variables that cuModuleGetGlobal has given
    Context* context =
        nullptr; // into which the driver API has loaded it; null: a part of the program
};

// What a program does on a device: its primary context, which the runtime API works in, or one that
// cuCtxCreate has made.
struct Context {
    int device = 0;
    int number = 0;    // 0: the primary one
    bool used = false; // of a primary one: somebody works in it
    bool used_by_runtime = false;
    bool destroyed = false; // it stays what some thread's calls work in
    int retained = 0;       // by cuDevicePrimaryCtxRetain
    unsigned flags = 0;
    std::set<int> peers{};           // whose memory its kernels may reach
    cudaError_t fault = cudaSuccess; // what destroyed its context
    bool fault_seen = false;         // a call has returned it
    std::unique_ptr<Stream> default_stream{};
    std::size_t limits[8]{};
    cudaFuncCache cache_config = cudaFuncCachePreferNone;
};

// A played GPU.
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
};

class Machine {
public:
    static Machine& instance();

    std::recursive_mutex mutex;
    std::vector<SimulatedDevice> devices;
    std::vector<std::unique_ptr<Context>> contexts; // that cuCtxCreate has made
    bool is_context(const Context* context) const;
    Context& make_context(int device, unsigned flags);
    // With all that was made in it. The primary one is then as it was before its first use.
    void clear_context(Context& context, const char* call);
    void unload(Module& module);

    simt::SimtDevice& simt() { return *simt_; }

    // --- Memory ---
    std::map<std::uint64_t, Memory> memory; // by address
    std::vector<Freed> freed;
    // The live allocation that holds the address; null where none does.
    Memory* find(const void* pointer);
    Memory* find(std::uint64_t address);
    // Null when there is no room for it.
    Memory* allocate(std::uint64_t bytes, MemoryKind kind, int device, const char* call);
    void release(Memory& memory, const char* call);
    // Where the bytes of a pointer are, for the host: the memory's own, or the pointer itself.
    std::byte* bytes_of(const void* pointer, std::uint64_t bytes);

    // --- Streams ---
    std::unordered_set<Stream*> streams;
    std::unordered_set<Event*> events;
    Clock host_clock;
    int timelines = 1;
    // Null for a handle that is none. No handle at all is the default stream, the device's or the
    // thread's.
    Stream* stream(cudaStream_t handle, int device);
    Stream* new_stream(Context& context, unsigned flags, int priority);
    Stream* stream_of_thread(Context& context);
    // The clock that work queued there now has; call `did` for each use of memory.
    const Clock& begin_work(Stream& stream);
    void host_waits_for(Stream& stream);
    void join_device(int device, Clock& clock) const; // with all that is queued on it
    void join_context(const Context& context, Clock& clock) const;
    void host_waits_for_device(int device);
    void host_waits_for_context(const Context& context);
    void note(Memory& memory, MemoryUse use, const Clock& clock, std::string_view call);
    // Work begins: the machine itself may touch all memory. Afterwards what is not known to be over
    // is closed to the host.
    void open_memory();
    void close_memory();

    // --- Kernels ---
    std::vector<std::unique_ptr<Module>> modules;
    std::unordered_map<const void*, Function*> functions; // by host function
    std::unordered_set<const Function*> handles;
    // Throws Error for what cannot run; `problem` is told of.
    const device::Kernel& kernel(Function& function, int device);
    std::vector<std::unique_ptr<device::Module>>& loaded(Module& module, int device);
    void prepare_managed(Module& module);
    cudaError_t launch(const LaunchRequest& request, Stream& stream, const char* call);
    std::uint64_t symbol_address(const void* symbol, int device, std::uint64_t* bytes);

    // --- Telling ---
    void find(Finding finding);
    void flush(); // what kernels have printed comes out when the host waits
    static void destroy_context(Context& context, cudaError_t error);
    void finish(); // the program ends: what is left over is told
    std::uint64_t calls = 0;
    int launches = 0;
    std::uint64_t total_memory() const { return total_memory_; }
    const std::string& only() const { return only_; }

private:
    Machine();
    void add_default_stream(Context& context, std::string name);
    Stream* add_stream(Context& context, unsigned flags, int priority);
    void run(const device::Kernel& kernel, const device::Launch& launch, LaunchRecord record,
             Stream& stream, const Clock& clock, int depth, const char* call);
    bool report_faults(const trace::Trace& trace, const LaunchRecord& record, cudaError_t& error);

    std::vector<Memory*> host_memory_; // managed and pinned: what may have to be closed
    std::unique_ptr<simt::SimtDevice> simt_;
    bool checks_ = true;
    bool finished_ = false;
    double time_limit_s_ = 0;
    std::string only_;
    std::uint64_t total_memory_ = 0;
    int numbered_ = 0; // streams that the program has made
    int made_contexts_ = 0;
    int threads_ = 0; // that have a stream of their own
    std::vector<Memory*> closed_;
    std::set<std::string> told_; // findings that need be told once
    std::string printed_;
};

// The thread's own state.
struct ThreadState {
    int device = 0;
    std::vector<Context*> contexts;    // the last one is the current one; none: the primary one of
                                       // `device` becomes it with the first call that needs one
    const char* driver_call = nullptr; // the function of the driver API that is being answered
    bool error_reported = false;       // of it: a function of the runtime has noted its error
    cudaError_t last_error = cudaSuccess;
    struct Configuration {
        dim3 grid, block;
        std::size_t shared = 0;
        cudaStream_t stream = nullptr;
    };
    std::vector<Configuration> configurations;
    // An error that a call has returned and nobody has asked about since.
    struct Unseen {
        std::string call;
        std::string error; // its name
        CallSite site{};
        std::string about; // of a launch: why it was refused
    };
    std::optional<Unseen> unseen;
    bool in_host_function = false;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    bool null_is_own_stream = false;             // within a call of per_thread.cpp
    int number = 0;                              // from 1 on, once it has a stream of its own
    std::map<const Context*, Stream*> streams{}; // they outlive the thread, as their work does
};
ThreadState& this_thread();
// In which the thread's calls work.
Context& current_context();
void set_current_context(Context& context);
// The name that is told: that of the driver's function, where one is being answered.
const char* called_as(const char* name);
// As the interface calls it whose function is being answered.
const char* reported_error_name(cudaError_t error);

// How far a call looks at the device.
enum class Call : std::uint8_t {
    plain,  // not at all: versions, names, the last error
    queues, // queues work, or asks about the device
    waits,  // waits for queued work, so that its faults come out
};

// One call at a time; a callback's thread is waited for by the one that has the lock.
inline std::unique_lock<std::recursive_mutex> lock_for_call(Machine& machine)
{
    std::unique_lock lock(machine.mutex, std::defer_lock);
    if (!this_thread().in_host_function) lock.lock();
    return lock;
}

cudaError_t enter(Call kind, const char* name);
cudaError_t leave(cudaError_t result, const char* name, bool told);
// What was thrown inside a call, as its result.
cudaError_t caught(const char* name);

// Runs the body of a function of the interface: one at a time, with the rules of the last error.
template <class Body>
cudaError_t call(Call kind, const char* name, Body body)
{
    Machine& machine = Machine::instance();
    const auto lock = lock_for_call(machine);
    cudaError_t result = enter(kind, name);
    if (result != cudaSuccess) return leave(result, name, true);
    try {
        result = body(machine);
    } catch (...) {
        result = caught(name);
    }
    return leave(result, name, false);
}

// Of the GPU that is played, an H100: by the number of cudaDeviceAttr, 0 for what it does not say.
int device_attribute(int number);
constexpr int simulated_multiprocessors = 132;
constexpr const char* device_name = "Lanescope lockstep machine (simulates an H100)";
int blocks_per_multiprocessor(const device::Kernel& kernel, int threads,
                              std::size_t dynamic_shared_bytes);

const char* error_name(cudaError_t error);
const char* driver_error_name(int error); // null for what is none
const char* error_text(cudaError_t error);

} // namespace lanescope::runtime
