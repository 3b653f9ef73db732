// The record of a lab for a kernel that came without one: what its signature, its PTX and its text
// let guess. Texts in, text out; what was guessed wrong is said better in the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct Guess {
    std::string record{};             // lab.json
    std::vector<std::string> notes{}; // sentences for the user: kernels that are left out, and why
};

// `source` may be empty, `ptx` is what it was compiled to, `file` the .cu's (or .ptx's) name, which
// every variant has. Throws Error: no_such_thing when there is no kernel (with the line to add for
// a template without instances), bad_usage for a PTX that cannot be read.
Guess guess_record(std::string_view source, std::string_view ptx, const std::string& file);

// The record of a lab for a file of which no kernel can be read yet: it launches nothing, and its
// one variant has the file for its source.
std::string placeholder_record(const std::string& file);

} // namespace lanescope::labs
