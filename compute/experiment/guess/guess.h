// Guesses the lab record of a kernel without one, from its signature, PTX and source. Wrong guesses
// can be corrected in the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct Guess {
    std::string record{};             // lab.json
    std::vector<std::string> notes{}; // sentences for the user: kernels that were left out, and why
};

// `source` may be empty, `ptx` is its compiled form, `file` the name of the .cu (or .ptx), which
// all variants refer to. Throws Error: no_such_thing if there is no kernel (naming the line to add
// for a template without instances), bad_usage for PTX that can't be parsed.
Guess guess_record(std::string_view source, std::string_view ptx, const std::string& file);

// Record of a lab for a file that has no readable kernel yet: it launches nothing, and its only
// variant has the file as its source.
std::string placeholder_record(const std::string& file);

} // namespace lanescope::labs
