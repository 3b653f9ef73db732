// Reports program events to the parent as JSON lines; without a listener, prints findings to
// stderr.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/runtime/reporting/call_site.h"
#include "compute/trace/findings.h"
#include "compute/trace/sample.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime {

// An error in the program.
struct Finding {
    trace::FindingKind kind;
    std::string message{};
    std::string call{};   // API function, if one was called
    std::string kernel{}; // demangled
    std::string file{};   // for device code; host code has a site
    int line = 0;
    int launch = -1; // index of the launch; -1: none
    CallSite site{};
    CallSite other_site{}; // site of a related event: the allocation, the other access
};

// Position of a work item in the partial order of all work: it is tick after[timeline] of its own
// timeline, and follows tick after[t] of every other timeline t.
struct WorkOrder {
    int timeline = 0;
    std::vector<std::uint64_t> after{};
};

// An allocation not freed at program exit.
struct Leaked {
    std::uint64_t bytes = 0;
    std::string call{};
    CallSite site{};
};
// One finding per allocation site.
std::vector<Finding> leak_findings(const std::vector<Leaked>& leaked);

struct LaunchRecord {
    int index = 0;
    int parent = -1; // launch whose kernel launched this one
    std::string kernel;
    std::string symbol; // its name in the PTX
    Dim3 grid, block;
    std::optional<Dim3> cluster{};  // blocks per cluster, if the launch gave it
    std::uint64_t shared_bytes = 0; // dynamic shared memory
    std::string stream;
    int device = 0;
    double machine_ms = 0;          // time on the lockstep machine
    std::optional<double> gpu_ms{}; // time on a GPU, if measured
    bool cooperative = false;
    bool skipped = false; // not selected by --only
    const trace::Trace* trace = nullptr;
    const trace::Sample* sample = nullptr; // null: not requested
    CallSite site{};
    WorkOrder order{};
    nlohmann::ordered_json kept{}; // saved memory (keeping.h); null if not requested
};

struct CopyRecord {
    std::string call;
    std::string direction; // "host to device"
    std::uint64_t bytes = 0;
    std::string stream;
    int device = 0;
    double machine_ms = 0;
    std::optional<double> gpu_ms{};
    CallSite site{};
    WorkOrder order{};
};

// A call that returned an error.
struct ErrorRecord {
    std::string call;
    std::string error; // "cudaErrorInvalidValue"
    std::string text;
    std::string kernel{}; // for launches
    CallSite site{};
};

// Events of a program on a GPU that are counted but not listed.
struct GpuSums {
    std::uint64_t graph_launches = 0;
    std::uint64_t unlisted = 0; // launches and copies past the listed ones
    std::uint64_t allocations = 0, peak_bytes = 0;
};

class Report {
public:
    // The process-wide report, which lives until exit.
    static Report& instance();

    void begin(int cuda_version, int devices);
    void begin_on_gpu(int cuda_version, int devices);
    void launch(const LaunchRecord& record);
    void copy(const CopyRecord& record);
    // Reports a new stream; the call at `site` stores its handle.
    void stream(const std::string& name, const CallSite& site);
    void find(const Finding& finding);
    // Reports an unsupported function or kernel with a sentence, once per name and sentence.
    // `refuses_launch`: the report is about a kernel that therefore did not run.
    void missing(std::string_view name, std::string_view sentence, bool refuses_launch = false);
    // True if a function of that name launches kernels.
    static bool is_launch(std::string_view name);
    void error(const ErrorRecord& record);
    void end(std::uint64_t calls);
    void end_on_gpu(const GpuSums& sums);

    bool has_listener() const { return descriptor_ >= 0; }

private:
    Report();
    void write(std::string line);
    // Id of a site in the report's lines, reported on first use; 0: none.
    std::uint64_t number_of(const CallSite& site);
    void add_time(nlohmann::ordered_json& line, double machine_ms,
                  std::optional<double> gpu_ms) const;

    int descriptor_ = -1; // -1: no listener
    bool on_gpu_ = false;
    std::mutex writing_;
    std::mutex numbering_;
    std::map<std::tuple<int, decltype(CallSite::frames), const ScriptPlace*>, std::uint64_t>
        numbers_; // site ids by frames and script's line
    std::vector<std::string> missing_;
};

} // namespace lanescope::runtime
