// What a program did on the lockstep machine or a GPU, read from the lines that the runtime library
// writes.
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
#include "compute/trace/trace.h"

namespace lanescope::app {

// A place in the host's code: a file and line, or where the program's file gives none, an address.
struct HostPlace {
    std::string file;
    int line = 0;
    std::string text() const;
};

struct ProgramFinding {
    std::string kind;
    std::string message;
    bool fault = true; // else a warning
    std::string call, kernel;
    std::string file; // of device code, or of the host's call
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
    std::uint64_t shared_bytes = 0;
    std::string stream; // as the source calls it where that is known, else its number
    int device = 0;
    double machine_ms = 0;
    std::optional<double> gpu_ms{};        // on a GPU, where it was measured
    std::optional<trace::Totals> counts{}; // of the lockstep machine
    HostPlace host{};
    int order = 0; // among launches and copies, as they were asked for
    int place = 0; // how many must be over before it, one after the other, by streams and events
    nlohmann::ordered_json kept{};  // of its memory, as the runtime library wrote it
    std::filesystem::path lab{};    // that was made of it; empty: none
    std::filesystem::path source{}; // of its kernel; empty: not known
    std::string not_kept{};         // why there is no lab, as a sentence

    std::uint64_t sectors() const; // of all accesses to global memory
};

struct ProgramCopy {
    std::string call;
    std::string direction;
    std::uint64_t bytes = 0;
    std::string stream;
    int device = 0;
    double machine_ms = 0;
    std::optional<double> gpu_ms{};
    int order = 0, place = 0; // as of a launch
    HostPlace host{};
};

// A call on a GPU that did not succeed.
struct ProgramError {
    std::string call, error, text;
    std::string kernel; // of a launch
    HostPlace host{};
};

struct CopySum {
    std::uint64_t count = 0, bytes = 0;
};

struct ProgramReport {
    int cuda_version = 0;
    bool on_gpu = false; // nothing was counted or checked
    std::vector<ProgramLaunch> launches;
    std::map<std::string, CopySum> copies; // by direction
    std::vector<ProgramCopy> each_copy;
    std::vector<ProgramFinding> findings;
    std::vector<std::string> missing; // sentences about what the machine does not have
    std::vector<ProgramError> errors;
    std::uint64_t graph_launches = 0, unlisted = 0; // on a GPU: counted only
    std::uint64_t allocations = 0, peak_bytes = 0;  // on a GPU
    bool ended = false;                             // it came to its end, so that all is told
    std::uint64_t calls = 0;

    bool has_faults() const;
};

// Of a program on a GPU.
constexpr const char* not_checked_sentence = "Nothing was counted or checked: NVIDIA's runtime did "
                                             "the work. For both, open a kept launch, or run the "
                                             "program on the lockstep machine.";

// "stream upload" for "stream 1", where `names` has "upload" for "1".
void name_streams(std::string& message, const std::map<std::string, std::string>& names);

// Takes lines as they come, in pieces of any size.
class ReportReader {
public:
    void take(std::string_view piece);
    // Finds the host's lines of source, and gives what there is.
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
    std::map<int, std::map<std::uint64_t, int>> ends_; // places behind work, by timeline and tick
    int works_ = 0;
    std::vector<std::pair<std::string, std::size_t>> streams_; // and where they were made
    std::vector<Frames> sites_{{}};                            // the first one: none
    std::map<std::uint64_t, std::size_t> site_of_{}; // into sites_, by the number that it was given
    struct Places {
        std::size_t host = 0, other = 0; // into sites_
    };
    std::vector<Places> finding_places_;
    std::vector<std::size_t> launch_places_;
    std::vector<std::size_t> copy_places_;
    std::vector<std::size_t> error_places_;
};

} // namespace lanescope::app
