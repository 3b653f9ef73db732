// What a program did, told line by line as JSON to whoever started it; where nobody listens, what
// was found goes to standard error as sentences.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/runtime/telling/call_site.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime {

enum class Severity : std::uint8_t { fault, warning };

// Something that the program did wrong.
struct Finding {
    std::string kind{}; // as trace::Fault::kind, or "double_free", "leak", "unchecked_error", …
    std::string message{};
    Severity severity = Severity::fault;
    std::string call{};   // the API function, if one was called
    std::string kernel{}; // demangled
    std::string file{};   // of device code; host code has a site
    int line = 0;
    int launch = -1; // index of the launch; -1: none
    CallSite site{};
    CallSite other_site{}; // of what it has to do with: the allocation, the other access
};

// Where some work stands among all other: on its timeline it is the tick that `after` has there,
// and of every other one it comes after the tick that `after` has.
struct WorkOrder {
    int timeline = 0;
    std::vector<std::uint64_t> after{};
};

// An allocation that was not freed when the program ended.
struct Leaked {
    std::uint64_t bytes = 0;
    std::string call{};
    CallSite site{};
};
// One finding for each place that allocated.
std::vector<Finding> leak_findings(const std::vector<Leaked>& leaked);

struct LaunchRecord {
    int index = 0;
    int parent = -1; // the launch whose kernel asked for this one
    std::string kernel;
    std::string symbol; // its name in the PTX
    Dim3 grid, block;
    std::uint64_t shared_bytes = 0; // dynamic
    std::string stream;
    int device = 0;
    double machine_ms = 0;          // that the lockstep machine took for it
    std::optional<double> gpu_ms{}; // that a GPU took, where it was measured
    bool cooperative = false;
    bool skipped = false; // the kernel is not among those that were asked for
    const trace::Trace* trace = nullptr;
    CallSite site{};
    WorkOrder order{};
    nlohmann::ordered_json kept{}; // of its memory (keeping.h); null: nothing was asked for
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

// A call that did not succeed.
struct ErrorRecord {
    std::string call;
    std::string error; // "cudaErrorInvalidValue"
    std::string text;
    std::string kernel{}; // of a launch
    CallSite site{};
};

// What only is counted of a program on a GPU.
struct GpuSums {
    std::uint64_t graph_launches = 0;
    std::uint64_t unlisted = 0; // launches and copies beyond those that are listed
    std::uint64_t allocations = 0, peak_bytes = 0;
};

class Report {
public:
    // One for the process, which lives until it ends.
    static Report& instance();

    void begin(int cuda_version, int devices);
    void begin_on_gpu(int cuda_version, int devices);
    void launch(const LaunchRecord& record);
    void copy(const CopyRecord& record);
    // A stream was made, whose handle that call stores.
    void stream(const std::string& name, const CallSite& site);
    void find(const Finding& finding);
    // A function or a kernel that there is not, by name, with a sentence. Once for each name.
    void missing(std::string_view name, std::string_view sentence);
    void error(const ErrorRecord& record);
    void end(std::uint64_t calls);
    void end_on_gpu(const GpuSums& sums);

    bool listened_to() const { return descriptor_ >= 0; }

private:
    Report();
    void write(std::string line);
    // The number by which lines name the site, which is told when it is first asked for; 0: none.
    std::uint64_t number_of(const CallSite& site);
    void add_time(nlohmann::ordered_json& line, double machine_ms,
                  std::optional<double> gpu_ms) const;

    int descriptor_ = -1; // -1: nobody listens
    bool on_gpu_ = false;
    std::mutex writing_;
    std::mutex numbering_;
    std::map<std::pair<int, decltype(CallSite::frames)>, std::uint64_t>
        numbers_; // of sites, by their frames
    std::vector<std::string> missing_;
};

} // namespace lanescope::runtime
