// What can be read off a CUDA text without compiling it: its kernels with the names of their
// parameters, its constants, and how its own main() launches them.
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
    bool is_const = false; // what it points to
};

struct SourceKernel {
    std::string name{};
    int line = 0;
    bool is_template = false;
    std::string template_head{}; // "typename T, int N"
    std::vector<SourceParameter> parameters{};
    std::string body{}; // without comments and blanks
};

// A structure of plain fields.
struct SourceField {
    std::string type{};
    std::string name{};
    int count = 1; // of an array
};
struct SourceStructure {
    std::string name{};
    std::vector<SourceField> fields{};
};

// NAME<<<grid, block>>>(arguments), as far as they are constants.
struct SourceLaunch {
    std::string kernel{};
    std::vector<double> grid{};  // empty: not known
    std::vector<double> block{}; // the same
    bool divides = false;        // the grid is sizes divided by blocks, and nothing is rounded up
    std::vector<std::optional<double>> arguments{};
    std::vector<std::string> words{}; // the arguments as they are written
    std::string over{};               // the grid as it is written
};

struct SourceText {
    std::vector<SourceKernel> kernels{};
    std::map<std::string, double> constants{};   // #define and const numbers
    std::map<std::string, std::string> arrays{}; // __constant__ arrays: their elements' types
    std::vector<SourceLaunch> launches{};
    std::vector<SourceStructure> structures{};
    // Of the host's functions: what its numbers begin as, in words and where that is known; what
    // the counters of its loops begin with; and the bytes of what it allocates, in words.
    std::map<std::string, std::string> sums{};
    std::map<std::string, double> numbers{};
    std::map<std::string, double> counters{};
    std::map<std::string, std::string> allocations{};
    std::map<std::string, std::string> pitches{}; // by name: the bytes of a row

    const SourceKernel* find(std::string_view kernel) const;
    const SourceStructure* find_structure(std::string_view name) const;
};

SourceText read_source(std::string_view text);

// The text with comments and literals blanked, line by line where it was.
std::string without_comments(std::string_view text);

// A constant expression of numbers, names, + - * / % << and brackets, with C's whole divisions.
std::optional<double> constant(std::string_view expression,
                               const std::map<std::string, double>& names);

// Parts of the text between such marks outside of brackets.
std::vector<std::string_view> split(std::string_view text, char mark = ',');

// Whether the name stands in the text as a word.
bool has_word(std::string_view text, std::string_view name);

} // namespace lanescope::labs
