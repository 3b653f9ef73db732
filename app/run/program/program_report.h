// Results of a program's run on the lockstep machine or a GPU, read from the lines that the runtime
// library writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/dim3.h"
#include "compute/trace/sample.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// A place in host code: a file and line or, without debug information, an address.
struct HostPlace {
    std::string file;
    int line = 0;
    std::string text() const;
};

struct ProgramFinding {
    std::string kind;
    std::string message;
    bool fault = true; // otherwise a warning
    std::string call, kernel;
    std::string file; // location in device code, or of the host's call
    int line = 0;
    int launch = -1;
    HostPlace host{}, other{};
};

struct ProgramLaunch {
    int index = 0;
    int parent = -1;
    std::string kernel;
    std::string symbol; // its name in the PTX
    Dim3 grid{}, block{};
    std::optional<Dim3> cluster{}; // blocks per cluster, if the launch gave it
    std::uint64_t shared_bytes = 0;
    std::string stream; // its name in the source if known, else its number
    int device = 0;
    double machine_ms = 0;
    std::optional<double> gpu_ms{};        // measured on a GPU; empty: not measured
    std::optional<trace::Totals> counts{}; // counted on the lockstep machine
    std::optional<trace::Sample>
        sample{}; // how many blocks were checked, if a sample was asked for
    HostPlace host{};
    int order = 0; // index among launches and copies, in call order
    int place = 0; // length of the longest dependency chain before it, through streams and events
    nlohmann::ordered_json kept{};  // its memory, as written by the runtime library
    std::filesystem::path lab{};    // lab made from it; empty: none
    std::filesystem::path source{}; // source of its kernel; empty: unknown
    std::string not_kept{};         // why there is no lab, as a sentence
    // Time on the simulated GPU, if it was to be predicted.
    struct Predicted {
        std::string gpu{}; // "H100"
        double us = 0;
        double launch_us = 0;            // part of an empty kernel
        std::string limit{};             // "DRAM"
        double ninety_percent_error = 0; // of nine in ten launches with this limit, as a share
        bool validated = false;          // on this GPU
        std::string unavailable{};       // why there is no time, as a sentence; else empty
    };
    std::optional<Predicted> predicted{};

    std::uint64_t sectors() const; // over all global memory accesses
};

struct ProgramCopy {
    std::string call;
    std::string direction;
    std::uint64_t bytes = 0;
    std::string stream;
    int device = 0;
    double machine_ms = 0;
    std::optional<double> gpu_ms{};
    int order = 0, place = 0; // as for a launch
    HostPlace host{};
};

// A call that returned an error on a GPU.
struct ProgramError {
    std::string call, error, text;
    std::string kernel; // if it was a launch
    HostPlace host{};
};

struct CopySum {
    std::uint64_t count = 0, bytes = 0;
};

struct ProgramReport {
    int cuda_version = 0;
    bool on_gpu = false; // nothing was counted or checked
    std::vector<ProgramLaunch> launches;
    std::map<std::string, CopySum> copies; // keyed by direction
    std::vector<ProgramCopy> each_copy;
    std::vector<ProgramFinding> findings;
    std::vector<std::string> missing; // sentences on unsupported features
    bool launch_refused = false;      // a kernel did not run, because it is unsupported
    std::vector<ProgramError> errors;
    std::uint64_t graph_launches = 0, unlisted = 0; // GPU only: counted, but not listed
    std::uint64_t allocations = 0, peak_bytes = 0;  // GPU only
    bool ended = false;                             // the program ended normally, so the report is
                                                    // complete
    std::uint64_t calls = 0;

    bool has_faults() const;
    bool has(std::string_view finding_kind) const;
};

// For programs on a GPU.
constexpr const char* not_checked_sentence =
    "Nothing was counted or checked: NVIDIA's runtime did the work. To count and check, open a "
    "kept launch, or run the program on the lockstep machine.";

// Replaces "stream 1" by "stream upload" if `names` maps "1" to "upload".
void name_streams(std::string& message, const std::map<std::string, std::string>& names);

// Accepts the report in chunks of any size.
class ReportReader {
public:
    void take(std::string_view piece);
    // Resolves host source lines and returns the report.
    ProgramReport finish();

private:
    using Frames = std::vector<std::pair<std::string, std::uint64_t>>;
    void take_line(std::string_view line);
    void take_launch(const nlohmann::ordered_json& line);
    void take_copy(const nlohmann::ordered_json& line);
    void take_finding(const nlohmann::ordered_json& line);
    void take_site(const nlohmann::ordered_json& line);
    std::size_t site_in(const nlohmann::ordered_json& line, const char* key) const;

    ProgramReport report_;
    std::map<std::string, std::string>
    stream_names(const std::function<HostPlace(std::size_t)>& place) const;
    int place_of_work(const nlohmann::ordered_json& order);

    std::string rest_;
    std::map<int, std::map<std::uint64_t, int>> ends_; // dependency depth after work, by timeline
                                                       // and tick
    int works_ = 0;
    std::vector<std::pair<std::string, std::size_t>> streams_; // stream names, and where they were
                                                               // created
    std::vector<Frames> sites_{{}};                            // index 0: none
    std::map<std::uint64_t, std::size_t> site_of_{}; // index into sites_ by id in the report
    struct Places {
        std::size_t host = 0, other = 0; // indices into sites_
    };
    std::vector<Places> finding_places_;
    std::vector<std::size_t> launch_places_;
    std::vector<std::size_t> copy_places_;
    std::vector<std::size_t> error_places_;
};

} // namespace lanescope::app
