// Compares the results of two runs of a launch element by element, or with expected values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/run/doubt/runs/version_run.h"
#include "app/run/kernel/number_types.h"

namespace lanescope::app {

// Values that a result should have: whole memories, or some of their elements.
struct ExpectedMemory {
    const NumberType* type = nullptr; // null: that of the memory
    Bytes bytes{};                    // from the first element on; may be shorter than the memory
    std::map<std::size_t, std::string> elements{}; // texts of single elements, by index
};
using Expected = std::map<std::string, ExpectedMemory>; // keyed by ResultMemory::id

// An element that differs, with its values as text.
struct DifferentElement {
    std::size_t memory = 0; // index in VersionRun::memory()
    std::size_t index = 0;
    int bytes = 4;
    std::string one;
    std::string other;
};

struct Differences {
    std::size_t compared = 0; // elements
    std::size_t different = 0;
    std::vector<DifferentElement> first; // in the order of the memories, at most `max_kept`
    static constexpr std::size_t max_kept = 64;
};

// Elements of these memories that differ by more than `tolerance`, relative to the larger of 1 and
// the value; integers and tolerance 0: in any bit. NaN equals NaN. Both lists describe the same
// launch; memories that only one of them has are skipped.
Differences differences(const std::vector<ResultMemory>& one,
                        const std::vector<ResultMemory>& other, double tolerance);

// The memories with expected values, in place of their own; only these elements are known. Throws
// Error: bad_usage for an element outside a memory, no_such_thing for an unknown memory.
std::vector<ResultMemory> with_expected(const std::vector<ResultMemory>& memory,
                                        const Expected& expected);

// Parses one --expect:
//   NAME[INDEX]=VALUE       one element
//   NAME=TYPE[]:1,2,3       elements from the first on, as a buffer of --arg
//   NAME=FILE               raw bytes, or numbers as a JSON array or {"INDEX": number} if it ends
//                           in .json
//   FILE.json               {"NAME": any of these in JSON}
// NAME is an argument's index, a name of --let or a variable. Throws Error.
void add_expected(const std::string& text, const std::vector<ResultMemory>& memory,
                  Expected& expected);

} // namespace lanescope::app
