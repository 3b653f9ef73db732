// Cases of single instructions (or a few related ones), each executed once by every thread on its
// own inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

// "D = A op B": types of destinations and sources, separated by spaces. In the body, destinations
// are %D0, %D1, …, sources %A, %B, %C, %E; without a body it is `name %D0, %A, …;`. %P and %Q are
// scratch predicates, %X are 32-bit registers.
struct Instruction {
    std::string name;
    std::string_view destinations;
    std::string_view sources;
    std::string body = {};
    Tolerance tolerance = {};
    bool recorded = true;
    std::string_view version = "8.0"; // of PTX
};

Case make_case(std::string_view group, const Instruction& instruction);
void add_cases(std::vector<Case>& cases, std::string_view group,
               const std::vector<Instruction>& instructions);

// Groups, one file each.
void add_integer_cases(std::vector<Case>& cases);
void add_bit_cases(std::vector<Case>& cases);
void add_float_cases(std::vector<Case>& cases);
void add_approximate_cases(std::vector<Case>& cases);
void add_half_cases(std::vector<Case>& cases);
void add_comparison_cases(std::vector<Case>& cases);
void add_conversion_cases(std::vector<Case>& cases);
void add_video_cases(std::vector<Case>& cases);
void add_flushing_cases(std::vector<Case>& cases);
void add_newer_cases(std::vector<Case>& cases);

} // namespace lanescope::conformance
