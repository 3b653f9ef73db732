// Information read from a CUDA source without compiling it: kernels with their parameter names,
// constants, and how main() launches the kernels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::labs {

struct SourceParameter {
    std::string
        type{}; // "float", "const unsigned char": without the last * and without __restrict__
    std::string name{};
    bool pointer = false;
    bool is_const = false; // the pointed-to type is const
};

struct SourceKernel {
    std::string name{};
    int line = 0;
    bool is_template = false;
    std::string template_head{}; // "typename T, int N"
    std::vector<SourceParameter> parameters{};
    std::string body{}; // without comments and white space
};

// A struct of plain fields.
struct SourceField {
    std::string type{};
    std::string name{};
    int count = 1; // array length
};
struct SourceStructure {
    std::string name{};
    std::vector<SourceField> fields{};
};

// NAME<<<grid, block>>>(arguments), as far as its parts are constant.
struct SourceLaunch {
    std::string kernel{};
    std::vector<double> grid{};  // empty: unknown
    std::vector<double> block{}; // empty: unknown
    bool divides = false;        // the grid divides sizes by blocks without rounding up
    std::vector<std::optional<double>> arguments{};
    std::vector<std::string> words{}; // arguments as written
    std::string over{};               // grid as written
};

struct SourceText {
    std::vector<SourceKernel> kernels{};
    std::map<std::string, double> constants{};   // #define and const numbers
    std::map<std::string, std::string> arrays{}; // __constant__ arrays: element types
    std::vector<SourceLaunch> launches{};
    std::vector<SourceStructure> structures{};
    // From host functions: initial values of variables, as text and, if known, as numbers; initial
    // values of loop counters; and sizes of allocations in bytes, as text.
    std::map<std::string, std::string> sums{};
    std::map<std::string, double> numbers{};
    std::map<std::string, double> counters{};
    std::map<std::string, std::string> allocations{};
    std::map<std::string, std::string> pitches{}; // row sizes in bytes, by name

    const SourceKernel* find(std::string_view kernel) const;
    const SourceStructure* find_structure(std::string_view name) const;
};

SourceText read_source(std::string_view text);

// Replaces comments and literals by blanks, preserving lines.
std::string without_comments(std::string_view text);

// Evaluates a constant expression of numbers, names, + - * / % << and brackets, with C's integer
// division.
std::optional<double> constant(std::string_view expression,
                               const std::map<std::string, double>& names);

// Splits the text at marks outside brackets.
std::vector<std::string_view> split(std::string_view text, char mark = ',');

// True if the name occurs in the source as a word.
bool has_word(std::string_view text, std::string_view name);

} // namespace lanescope::labs
