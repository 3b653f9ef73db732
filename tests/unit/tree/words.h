// Texts of the repository: everything that users see, and the comments, identifiers and test names
// that contributors read. Each kind is a list that can be printed and read in one go.
#pragma once

#include <string>
#include <vector>

namespace lanescope::tree {

struct Words {
    std::string path; // relative to the root, with slashes
    int line = 0;     // where the text starts
    std::string text; // on one line; adjacent literals are joined
};

// Sentences, labels, names and keys in file order: literals of C++ and scripts, values of records,
// comments of the labs' kernels, and prose line by line. Excludes text for machines: includes,
// formats without words, PTX and GLSL.
std::vector<Words> visible_words();

// Comments of C++, CUDA, GLSL, script and CMake files; consecutive full-line comments are joined.
std::vector<Words> comments();

// Identifiers of the C++ files, each once per file.
std::vector<Words> identifiers();

// Test names, without their suites, of TEST, TEST_F and TEST_P.
std::vector<Words> test_names();

// Splits a name into words: "HeatBits" and "heat_bits" give "heat bits".
std::string as_words(const std::string& name);

// A phrase that comments, identifiers or test names must avoid: one line of habits.txt.
struct Habit {
    std::string where;  // "comment", "identifier" or "test"; " start" limits it to the first words
    std::string text;   // compared ignoring case
    std::string better; // the recommended replacement
};
std::vector<Habit> habits();

// True if `words` contains the habit, at the start if the habit requires it.
bool has_habit(const std::string& words, const Habit& habit);

// A retired phrase of the visible texts and its replacement: one line of old_words.txt.
struct OldWords {
    std::string text; // compared ignoring case
    std::string better;
};
std::vector<OldWords> old_words();

// True if `words` contains `text` as whole words, without regard to case.
bool has_words(const std::string& words, const std::string& text);

} // namespace lanescope::tree
