// Compiler messages as complaints at their lines: one sentence for a student, followed by the
// compiler's own words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/document/editing/workbench.h"

namespace lanescope::app {

// Parses NVRTC's or nvcc's log of source that does not compile, in order; a message without a line
// applies to the whole `file`. Leaves out warnings about unused names, which may follow from an
// error. Never empty.
std::vector<Complaint> complaints_in(std::string_view log, const std::string& file);
// Warnings of source that compiles; usually none.
std::vector<Complaint> warnings_in(std::string_view log);

// Rephrases a compiler message: "identifier "k" is undefined" becomes a sentence about the unknown
// name k. Other messages are kept, as sentences.
std::string in_plain_words(std::string_view message);

} // namespace lanescope::app
