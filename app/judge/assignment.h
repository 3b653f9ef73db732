// An assignment: a lab, the variant whose source a submission replaces, and requirements, each with
// points. Read from a JSON file that the lecturer writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

// Values of a lab's parameters that differ from the initial ones.
using LabSize = std::map<std::string, std::string>;
// "size=33, height=5"; "initial values" if empty.
std::string size_text(const LabSize& size);

struct Requirement {
    enum class Kind : std::uint8_t {
        compiles,
        result,        // within the check's tolerance, at every size
        no_faults,     // and no race, at every size
        no_warnings,   // undefined results, shuffles from absent lanes, …
        coverage,      // every element of the result is written
        deterministic, // no result that depends on the order of threads
        count          // a limit on a count
    };
    Kind kind = Kind::result;
    std::string id{};
    std::string title{};
    double points = 1;
    bool hidden = false;
    std::vector<LabSize> sizes{}; // sizes at which it is judged; empty: the assignment's sizes
    // Only for Kind::count.
    std::string count{};
    std::optional<double> at_least{};
    std::optional<double> at_most{};
    bool relative_to_reference = false; // the limits are multiples of the reference's count
};
std::string_view name(Requirement::Kind kind);

struct JudgeLimits {
    double seconds = 60;                          // wall-clock limit of a submission
    double launch_seconds = 10;                   // CPU time limit of a launch
    std::uint64_t warp_instructions = 1ULL << 26; // limit per block: simt::Options::step_budget
    std::uint64_t memory_bytes = std::uint64_t{4} << 30; // memory of the process
    std::size_t source_bytes = std::size_t{256} << 10;   // all files of a submission
};

struct Assignment {
    std::filesystem::path path{}; // absolute path of the JSON file
    std::string title{};
    std::string lab{};                 // id, or an absolute path of a lab's folder or of a .cu file
    std::string variant{};             // empty: the lab's first
    std::string file{};                // name of a submission's kernel file
    std::string reference{};           // a variant's id, or a .cu file's absolute path, or empty
    std::optional<double> tolerance{}; // for comparisons with the reference
    std::vector<std::string> provides{}; // headers of the lab that a submission may include
    std::vector<LabSize> sizes{};        // at least one
    std::uint64_t seed = 7;
    int steps = 1;
    JudgeLimits limits{};
    std::vector<Requirement> requirements{};
    std::string fingerprint{}; // covers the JSON file and all files of the lab and reference

    // Sizes of the assignment and of all its requirements, without duplicates.
    std::vector<LabSize> all_sizes() const;
    const std::vector<LabSize>& sizes_of(const Requirement& requirement) const;
    double max_points() const;
};

// Throws Error: no_such_thing if the file does not exist; bad_usage with the file, the line, the
// path in the JSON, the cause and a suggested fix. Unknown keys are errors.
Assignment read_assignment(const std::filesystem::path& path);

// True if a kernel may include the file, judged by its extension.
bool is_header(const std::filesystem::path& path);

// 16 hexadecimal digits of a 64-bit hash over the parts and their lengths.
std::string fingerprint_of(const std::vector<std::string_view>& parts);

// Line of the value at a JSON pointer ("/requirements/2/points"), or of the innermost existing one
// around it, from 1.
int line_of_pointer(std::string_view json, std::string_view pointer);

} // namespace lanescope::app
