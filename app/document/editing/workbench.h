// The edited kernel source, as data: the last source tried and its outcome, and the validated
// versions with the cost of a step of each.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/values/shared.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/spread.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// An error or warning at a line.
struct Complaint {
    std::string file{};     // "naive_edited.cu", "lab.json"
    int line = 0;           // from 1; 0: the whole file
    int column = 0;         // from 1; 0: the whole line
    bool warning = false;   // does not prevent running
    std::string sentence{}; // one line, for students
    std::string detail{};   // original message of the compiler or machine, several lines
    friend bool operator==(const Complaint&, const Complaint&) = default;
};

// Cost of one step, counted on the lockstep machine from the start of the experiment: identical on
// every run and computer.
struct StepCost {
    std::map<std::string, std::string> asked;  // values of all parameters on screen
    std::map<std::string, std::string> values; // values it was counted with
    // Parameters that were reduced to keep counting within its budget: "Size 33"; empty: none.
    std::string reduced;
    trace::Totals totals;
    std::shared_ptr<const trace::Trace> trace; // counts by site, with source lines; never null
};

// Outcome of trying source.
struct TextOutcome {
    enum class Kind : std::uint8_t {
        validated,   // on screen, or about to be
        refused,     // it did not compile, or the record is invalid
        fault,       // it compiled and faulted on the lockstep machine
        stopped,     // it compiled and exceeded its budget
        no_compiler, // no compiler on this machine; `sentence` says how to get one
    };
    Kind kind = Kind::validated;
    Shared<labs::Texts> texts;                   // the sources tried
    std::string variant{};                       // the variant tried
    std::map<std::string, std::string> values{}; // values of all parameters used
    std::uint64_t compile_now = 0;               // Workbench::compile_now at that time
    std::string sentence{};              // summary; the view stays unless the source was validated
    std::vector<Complaint> complaints{}; // sorted by file and line
    std::string lab{};                   // id of the validated lab
    double compile_ms = 0;
    double trial_ms = 0;                    // time on the lockstep machine
    std::shared_ptr<const StepCost> cost{}; // null if not counted
};

// Validated source, or the original it is based on.
struct Version {
    int number = 0;      // per variant, from 1; 0: the original
    std::string title;   // "Naive", "Naive (edited) 3"
    std::string origin;  // variant it was derived from
    std::string variant; // its own id; equal to the origin if the number is 0
    std::string lab;     // id of the version's lab
    std::string file;    // file name as in sites
    Shared<std::string> text;
    std::shared_ptr<const StepCost> cost; // null if not counted
    Spread step_ms;                       // on the GPU; count 0 if not measured
};

// A count in two versions.
struct CostChange {
    double was = 0;
    double is = 0;
    // Relative change, -0.87 for "-87 %"; 0 if unchanged, empty if the old count was 0.
    std::optional<double> share() const;
    bool changed() const { return was != is; }
};
struct CostDifference {
    CostChange warp_instructions;
    CostChange sectors;    // global memory
    CostChange wavefronts; // shared memory
    CostChange divergent;  // branches
    CostChange step_ms;    // 0 if not measured
    bool any() const;
};

// Change between two versions counted with the same values; empty otherwise.
std::optional<CostDifference> difference(const Version& was, const Version& is);

// Change of cost of a line of the newer source.
struct LineDifference {
    int line = 0; // in the newer source, from 1; for a deleted line, where it was
    int was = 0;  // in the older source; 0: new line
    bool gone = false;
    CostChange executions; // warp executions of the line's memory accesses and branches
    CostChange sectors;
    CostChange wavefronts;
    CostChange divergent;
};
std::vector<LineDifference> line_differences(const Version& was, const Version& is);

// For each line of `is` its line in `was`, from 1, or 0 if it is new. Minimises new lines.
std::vector<int> matching_lines(std::string_view was, std::string_view is);

struct Workbench {
    bool automatic = true;         // compile after a pause; otherwise only by CompileNow
    std::uint64_t compile_now = 0; // number of CompileNow requests …
    Shared<labs::Texts> asked;     // … and the sources of the last one
    bool careful =
        true; // compiled code first runs on the lockstep machine, and is shown if that succeeds
    std::shared_ptr<const TextOutcome> outcome;   // for the newest source tried; null if none
    std::optional<Shared<labs::Texts>> compiling; // sources being tried
    // Versions of the lab on screen, oldest first, each original before its first version.
    std::vector<std::shared_ptr<const Version>> versions;
    static constexpr std::size_t max_versions = 200;
    friend bool operator==(const Workbench&, const Workbench&) = default;

    const Version* find(std::string_view variant, int number) const; // null if it does not exist
    const Version* newest(std::string_view variant) const;
    const Version* before(const Version& version) const; // previous version of the same variant, or
                                                         // the original
    const Version* original(const Version& version) const;
    // The variant's version with this source; null if there is none.
    const Version* with_text(std::string_view variant, std::string_view text) const;
};

} // namespace lanescope::app
