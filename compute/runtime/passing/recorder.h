// Records the calls that are forwarded: launches, copies, allocations, errors. A separate thread
// writes the report and queries times, so that the program's threads only take notes. Details
// (times, source locations) are recorded while their total cost is at most 5% of the program's
// time; past that, a launch is a line without details. The first 10,000 launches and copies are
// listed, the rest are counted.
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

#include "compute/runtime/reporting/report.h"
#include "compute/runtime/reporting/stream_order.h"

namespace lanescope::runtime::passing {

enum class NullStream : std::uint8_t { legacy, per_thread };

// A stream as named in a call.
struct StreamName {
    cudaStream_t handle = nullptr;
    NullStream null_stream = NullStream::legacy;
    bool is_legacy() const;
    bool is_per_thread() const;
};

struct Stream : StreamOrder {
    int number = 0; // 0: a default stream
    int thread = 0; // thread whose default stream it is; 0: the legacy one
};

// Everything the program registered from one fat binary.
struct Module {
    const void* wrapper = nullptr;
    bool read = false;
    std::vector<std::string> texts{}; // PTX, once read
    struct Symbol {
        std::string name;
        bool constant = false;
    };
    std::map<const void*, Symbol> symbols{}; // keyed by the host variable's address
};
struct Function {
    Module* module = nullptr;
    std::string symbol; // its name in the PTX
};

struct Allocation {
    std::uint64_t bytes = 0;
    std::string call{}; // API function that allocated the memory
    bool on_host = false;
    bool owned = true; // must be freed by the program
    int device = 0;    // current device at allocation
    CallSite site{};
};

struct Timing {
    cudaEvent_t begin = nullptr, end = nullptr; // null: time not measured
    int device = 0;
};
struct LaunchNote {
    const Function* function = nullptr;
    Dim3 grid{}, block{};
    std::uint64_t shared_bytes = 0;
    bool cooperative = false;
    int index = 0; // assigned when recorded
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

    // True if a parent is listening and this is the process that it started.
    bool on() const { return on_.load(std::memory_order_relaxed); }

    // --- Work: begin() before the real call, end() after it has succeeded ---
    struct Passing {
        StreamName name{};
        int device = 0;
        bool captured = false; // being captured into a graph
        bool detailed = false;
        Timing timing{};
    };
    // True if the list is full; further items are only counted.
    bool is_full() const { return works_ >= max_listed && !lists_all_; }
    void count() { ++unlisted_; }
    Passing begin(StreamName stream);
    void end(Passing& passing, std::variant<LaunchNote, CopyNote> what, bool host_waits = false);
    void abandon(const Passing& passing); // the call failed
    int launches() const { return launches_; }
    bool is_captured(StreamName stream);
    void queued(StreamName stream); // for work that is not listed
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
    // Collects all outstanding timings, because the reset invalidates
    // the device's events and memory.
    void before_reset();
    void after_reset();

    // --- Memory ---
    void allocated(const void* pointer, std::uint64_t bytes, const char* call, bool on_host);
    void note_unowned(const void* pointer, std::uint64_t bytes, std::string call, bool on_host);
    // Removes the allocation that begins at the pointer; empty if none does.
    std::map<std::uint64_t, Allocation>::node_type take(const void* pointer);
    void put_back(std::map<std::uint64_t, Allocation>::node_type allocation);
    bool is_device(const void* pointer);
    bool is_known(const void* pointer);
    std::map<std::uint64_t, Allocation> memory();

    // --- Kernels ---
    void registered(void** handle, const void* wrapper);
    void registered_function(void** handle, const void* host, const char* name);
    void registered_symbol(void** handle, const void* host, Module::Symbol symbol);
    void note_handle(const void* handle, const void* function);
    const Function* function(const void* pointer); // null if not registered
    const Function* launched_function(const void* pointer);
    std::string symbol_name(const void* host);

    // --- Errors ---
    void failed(const char* call, cudaError_t error, const Function* kernel = nullptr);
    void checked_last_error(const char* call, cudaError_t error);

    void finish(); // at process exit

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
    void report_finished(bool last);
    void report_begin();
    void report_one(Note& note);
    std::string name_of(const Stream& stream);
    void before_end();
    std::map<std::uint64_t, Allocation>::iterator holding(const void* pointer);

    std::atomic<bool> on_ = false;
    std::mutex mutex_; // guards everything below, except data that only the reporting thread uses
    std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
    std::map<std::pair<int, int>, std::unique_ptr<Stream>> defaults_; // keyed by device and thread
    std::vector<std::unique_ptr<Stream>> destroyed_;
    std::vector<StreamOrder*> all_streams_; // all but the legacy default streams
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
    std::unordered_map<const void*, const Function*>
        functions_; // keyed by host function and by handle
    std::set<std::tuple<std::string, int, std::uintptr_t>> reported_errors_;
    std::atomic<int> launches_ = 0;
    static constexpr std::uint64_t max_listed = 10'000;
    std::atomic<std::uint64_t> works_ = 0, unlisted_ = 0;
    bool lists_all_ = false; // true while launches are being kept, so that all of them are listed
    std::deque<Note> notes_;
    bool faulted_ = false;

    Clock_::time_point since_ = Clock_::now();
    std::atomic<std::int64_t> spent_ns_ = 0;
    std::atomic<std::uint32_t> requested_ = 0;
    std::atomic<bool> detailed_ = true;

    // --- Reporting ---
    struct Reporting {
        std::mutex mutex; // held while events are used or destroyed; locked before mutex_
        std::deque<Note> unreported;
        std::map<int, std::vector<cudaEvent_t>> free_events; // per device; guarded by mutex_
        int devices = -1;                                    // -1: not reported yet
        std::map<std::string, std::string> short_names;
        std::condition_variable ends;
        std::atomic<bool> ended = false;
        std::thread thread;
    };
    Reporting reporting_;
};

// RAII: calls that this library makes on the program's thread leave the thread's last error
// unchanged. A kernel that was just launched may fail before the event after it is
// recorded, which then fails as well.
class OwnCalls {
public:
    OwnCalls();
    ~OwnCalls();
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

private:
    cudaError_t before_;
};

// Records calls that return an error.
inline cudaError_t checked(const char* call, cudaError_t result)
{
    if (result != cudaSuccess && Recorder::instance().on())
        Recorder::instance().failed(call, result);
    return result;
}

} // namespace lanescope::runtime::passing
