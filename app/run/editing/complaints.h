// What a compiler says, as complaints at their lines: one sentence for a student, the compiler's
// own words behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/document/editing/workbench.h"

namespace lanescope::app {

// From NVRTC's or nvcc's log, in its order; what names no line is of the whole `file`. Never empty.
std::vector<Complaint> complaints_in(std::string_view log, const std::string& file);
// Of a text that compiles; most have none.
std::vector<Complaint> warnings_in(std::string_view log);

// A compiler's message in other words: "identifier "k" is undefined" says that nothing of the name
// k is known there. What it has no other words for stays, as a sentence.
std::string in_plain_words(std::string_view message);

} // namespace lanescope::app
