// What is noticed of the calls that are passed on: launches, copies, allocations, errors. A thread
// of its own writes it to the report and asks for times, so that a program's thread only takes
// notes. Details (times, and where in the program a call was) are noted as long as all of that
// takes at most a twentieth of the program's time; beyond, a launch is a line without them. The
// first ten thousand launches and copies are listed, the others are counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <cuda_runtime_api.h>

#include "compute/runtime/telling/report.h"
#include "compute/runtime/telling/stream_order.h"

namespace lanescope::runtime::passing {

enum class NullStream : std::uint8_t { legacy, per_thread };

// A stream as a call names it.
struct StreamName {
    cudaStream_t handle = nullptr;
    NullStream null_is = NullStream::legacy;
    bool is_legacy() const;
    bool is_per_thread() const;
};

struct Stream : StreamOrder {
    int number = 0; // 0: a default one
    int thread = 0; // that it is the default one of; 0: of all
};

// What the program registered of one fat binary.
struct Module {
    const void* wrapper = nullptr;
    bool read = false;
    std::vector<std::string> texts{}; // PTX, once it is read
    struct Symbol {
        std::string name;
        bool constant = false;
    };
    std::map<const void*, Symbol> symbols{}; // by the host's variable
};
struct Function {
    Module* module = nullptr;
    std::string symbol; // its name in the PTX
};

struct Allocation {
    std::uint64_t bytes = 0;
    std::string call{}; // that made it
    bool on_host = false;
    bool owned = true; // it has to be freed
    int device = 0;    // that was the current one
    CallSite site{};
};

struct Timing {
    cudaEvent_t begin = nullptr, end = nullptr; // null: it is not measured
    int device = 0;
};
struct LaunchNote {
    const Function* function = nullptr;
    Dim3 grid{}, block{};
    std::uint64_t shared_bytes = 0;
    bool cooperative = false;
    int index = 0; // set when it is noted
    nlohmann::ordered_json kept{};
};
struct CopyNote {
    const char* call = "";
    const char* direction = "";
    std::uint64_t bytes = 0;
};
struct WorkNote {
    const Stream* stream = nullptr;
    CallSite site{};
    WorkOrder order{};
    Timing timing{};
    std::variant<LaunchNote, CopyNote> what{};
};
struct StreamNote {
    const Stream* stream = nullptr;
    CallSite site{};
};
using Note = std::variant<WorkNote, StreamNote, ErrorRecord, Finding>;

class Recorder {
public:
    static Recorder& instance();

    // Somebody listens, and this is the process that was started.
    bool on() const { return on_.load(std::memory_order_relaxed); }

    // --- Work: begin() before the real call, end() when that has succeeded ---
    struct Passing {
        StreamName name{};
        int device = 0;
        bool captured = false; // it becomes a part of a graph
        bool detailed = false;
        Timing timing{};
    };
    // As many are listed as will be: of the next one only that it was is noted.
    bool is_full() const { return works_ >= max_listed && !looks_; }
    void count() { ++unlisted_; }
    Passing begin(StreamName stream);
    void end(Passing& passing, std::variant<LaunchNote, CopyNote> what, bool host_waits = false);
    void abandon(const Passing& passing); // the call has failed
    int launches() const { return launches_; }
    bool is_captured(StreamName stream);
    void queued(StreamName stream); // other work, which is not listed
    void graph_launched(StreamName stream);

    // --- Streams, events, captures ---
    void made(cudaStream_t stream, bool blocking);
    void destroyed(cudaStream_t stream);
    void recorded(cudaEvent_t event, StreamName stream);
    void waits(StreamName stream, cudaEvent_t event);
    void forget(cudaEvent_t event);
    void host_waits(StreamName stream);
    void host_waits(cudaEvent_t event);
    void host_waits_for_device();
    void begin_capture(cudaStream_t stream);
    void end_capture(cudaStream_t stream);
    // All times that can be had are taken; then the current device's events and memory are gone.
    void before_reset();
    void after_reset();

    // --- Memory ---
    void allocated(const void* pointer, std::uint64_t bytes, const char* call, bool on_host);
    void not_owned(const void* pointer, std::uint64_t bytes, std::string call, bool on_host);
    // Empty where it begins none.
    std::map<std::uint64_t, Allocation>::node_type take(const void* pointer);
    void put_back(std::map<std::uint64_t, Allocation>::node_type allocation);
    bool is_device(const void* pointer);
    bool is_known(const void* pointer);
    std::map<std::uint64_t, Allocation> memory();

    // --- Kernels ---
    void registered(void** handle, const void* wrapper);
    void registered_function(void** handle, const void* host, const char* name);
    void registered_symbol(void** handle, const void* host, Module::Symbol symbol);
    void is_handle_of(const void* handle, const void* function);
    const Function* function(const void* pointer); // null: none that was registered
    const Function* launched_function(const void* pointer);
    std::string symbol_name(const void* host);

    // --- Errors ---
    void failed(const char* call, cudaError_t error, const Function* kernel = nullptr);
    void found_last(const char* call, cudaError_t error);

    void finish(); // the process ends

private:
    using Clock_ = std::chrono::steady_clock;
    Recorder();
    Stream* find(StreamName name, int device);
    Stream& legacy(int device);
    const Clock& queue(Stream& stream);
    void add(Note note);
    void start_reporting();
    bool allows_details();
    void spend(Clock_::time_point since);
    bool take_events(Timing& timing);
    void tell(bool last);
    void report_begin();
    void report_one(Note& note);
    std::string name_of(const Stream& stream);
    void before_end();
    std::map<std::uint64_t, Allocation>::iterator holding(const void* pointer);

    std::atomic<bool> on_ = false;
    std::mutex mutex_; // for all below, but for what the telling thread alone uses
    std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
    std::map<std::pair<int, int>, std::unique_ptr<Stream>> defaults_; // by device and thread
    std::vector<std::unique_ptr<Stream>> destroyed_;
    std::vector<StreamOrder*> all_streams_; // but for legacy default ones
    std::map<cudaEvent_t, Clock> events_;
    std::set<cudaStream_t> capturing_;
    std::atomic<bool> any_capture_ = false;
    Clock host_clock_;
    int timelines_ = 1, numbered_ = 0;
    std::map<std::uint64_t, Allocation> memory_;
    std::uint64_t live_bytes_ = 0;
    GpuSums sums_;
    std::vector<std::unique_ptr<Module>> modules_;
    std::map<void**, Module*> by_handle_;
    std::vector<std::unique_ptr<Function>> owned_functions_;
    std::unordered_map<const void*, const Function*> functions_; // by host function and by handle
    std::set<std::tuple<std::string, int, std::uintptr_t>> reported_errors_;
    std::atomic<int> launches_ = 0;
    static constexpr std::uint64_t max_listed = 10'000;
    std::atomic<std::uint64_t> works_ = 0, unlisted_ = 0;
    bool looks_ = false; // at launches: then all are listed
    std::deque<Note> notes_;
    bool faulted_ = false;

    Clock_::time_point since_ = Clock_::now();
    std::atomic<std::int64_t> spent_ns_ = 0;
    std::atomic<std::uint32_t> asked_ = 0;
    std::atomic<bool> detailed_ = true;

    // --- Telling ---
    std::mutex telling_; // events are used or destroyed; before mutex_
    std::deque<Note> unreported_;
    std::map<int, std::vector<cudaEvent_t>> free_events_; // by device; with mutex_
    int devices_ = -1;                                    // -1: nothing was told
    std::map<std::string, std::string> short_names_;
    std::condition_variable ends_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

// While it lives, calls of ours on the program's thread leave its last error as it was: a kernel
// that has just been launched may fail before the event behind it is recorded, which then fails,
// too.
class OwnCalls {
public:
    OwnCalls();
    ~OwnCalls();
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

private:
    cudaError_t before_;
};

// Calls that come back with an error are noted.
inline cudaError_t checked(const char* call, cudaError_t result)
{
    if (result != cudaSuccess && Recorder::instance().on())
        Recorder::instance().failed(call, result);
    return result;
}

} // namespace lanescope::runtime::passing
