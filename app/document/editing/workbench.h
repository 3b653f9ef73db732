// The kernel text that is being edited, as data: what was tried of it last and what came of that,
// and the versions that were validated, with what a step of each of them costs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/shared.h"
#include "compute/labs/texts.h"
#include "compute/spread.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// What is wrong in a text, at its line.
struct Complaint {
    std::string file{};     // "naive_edited.cu", "lab.json"
    int line = 0;           // from 1; 0: the whole file
    int column = 0;         // from 1; 0: the whole line
    bool warning = false;   // it runs all the same
    std::string sentence{}; // for a student: one line
    std::string detail{};   // the compiler's or the machine's own words, of several lines
    friend bool operator==(const Complaint&, const Complaint&) = default;
};

// What one step costs, counted on the lockstep machine from the start of the experiment: the same
// on every run and every computer.
struct StepCost {
    std::map<std::string, std::string> asked;  // the values that were shown, of all parameters
    std::map<std::string, std::string> values; // that it was counted with
    // Which of them are smaller than those that are shown, so that counting takes no longer than
    // its budget: "Size 33"; empty: none.
    std::string reduced;
    trace::Totals totals;
    std::shared_ptr<const trace::Trace> trace; // by site, with source lines; never null
};

// What came of a text.
struct TextOutcome {
    enum class Kind : std::uint8_t {
        validated,   // it is shown, or about to be
        refused,     // by the compiler, or the record is wrong
        fault,       // it compiles, and ran into a fault on the lockstep machine
        stopped,     // … and did not end within its budget
        no_compiler, // there is none on this machine; `sentence` says how to get it
    };
    Kind kind = Kind::validated;
    Shared<labs::Texts> texts;                   // what was tried
    std::string variant{};                       // of it
    std::map<std::string, std::string> values{}; // of all parameters, that it was tried with
    std::uint64_t compile_now = 0;               // Workbench::compile_now at the time
    std::string sentence{}; // one for all of it; what is shown stays unless it was validated
    std::vector<Complaint> complaints{}; // by file and line
    std::string lab{};                   // where it was validated: the place of its lab
    double compile_ms = 0;
    double trial_ms = 0;                    // on the lockstep machine
    std::shared_ptr<const StepCost> cost{}; // null where it was not counted
};

// A text that was validated, or the original that it was made from.
struct Version {
    int number = 0;      // of its variant, from 1; 0: the original
    std::string title;   // "Naive", "Naive (edited) 3"
    std::string origin;  // the variant that it began with
    std::string variant; // itself; the origin where the number is 0
    std::string lab;     // its place
    std::string file;    // where the text stands, as sites name it
    Shared<std::string> text;
    std::shared_ptr<const StepCost> cost; // null: not counted
    Spread step_ms;                       // on the GPU; count 0: not measured
};

// One counted quantity of two versions.
struct CostChange {
    double was = 0;
    double is = 0;
    // As a share of what was, −0.87 for "−87 %"; 0 where nothing changed, nothing where there was
    // nothing.
    std::optional<double> share() const;
    bool changed() const { return was != is; }
};
struct CostDifference {
    CostChange warp_instructions;
    CostChange sectors;    // global
    CostChange wavefronts; // shared
    CostChange divergent;  // branches
    CostChange step_ms;    // 0 where it was not measured
    bool any() const;
};

// Of two versions that were counted with the same values; nothing for others.
std::optional<CostDifference> difference(const Version& was, const Version& is);

// Of one line of the newer text; of lines alone that cost something else.
struct LineDifference {
    int line = 0; // of the newer text, from 1; for deleted line: the one where it stood
    int was = 0;  // of the older text; 0: it is new
    bool gone = false;
    CostChange executions; // of the line's memory accesses and branches, by warps
    CostChange sectors;
    CostChange wavefronts;
    CostChange divergent;
};
std::vector<LineDifference> line_differences(const Version& was, const Version& is);

// For each line of `is` its line in `was`, from 1; 0: it is new. As few lines as possible are.
std::vector<int> matching_lines(std::string_view was, std::string_view is);

struct Workbench {
    bool automatic = true;         // texts are compiled after a pause; else by CompileNow alone
    std::uint64_t compile_now = 0; // how often that was asked for …
    Shared<labs::Texts> asked;     // … and of which texts last
    bool careful =
        true; // what compiles runs on the lockstep machine first, and is shown if it ends
    std::shared_ptr<const TextOutcome> outcome; // of the newest text that was tried; null: none yet
    std::optional<Shared<labs::Texts>> compiling; // what is being tried
    // Oldest first, the original before the first of its versions; of the lab that is shown.
    std::vector<std::shared_ptr<const Version>> versions;
    static constexpr std::size_t max_versions = 200;
    friend bool operator==(const Workbench&, const Workbench&) = default;

    const Version* find(std::string_view variant, int number) const; // null: there is none
    const Version* newest(std::string_view variant) const;
    const Version* before(const Version& version) const; // of the same variant; else the original
    const Version* original(const Version& version) const;
    // The version of the variant that has this text; null: there is none.
    const Version* with_text(std::string_view variant, std::string_view text) const;
};

} // namespace lanescope::app
