// The words of the repository: everything a user can see, and the comments, identifiers and test
// names that a contributor reads. Each kind is one list that can be printed and read in one go.
#pragma once

#include <string>
#include <vector>

namespace lanescope::tree {

struct Words {
    std::string path; // from the root, with slashes
    int line = 0;     // of the first word
    std::string text; // on one line; literals that the compiler joins are joined
};

// Sentences, labels, names and keys, in the order of the files: literals of C++ and scripts,
// values of records, comments of the labs' kernels, and prose line by line. Text for machines is
// left out: includes, formats without words, PTX and GLSL.
std::vector<Words> visible_words();

// Comments of the C++, CUDA, GLSL, script and CMake files; consecutive full lines are one.
std::vector<Words> comments();

// Identifiers of the C++ files, each once per file.
std::vector<Words> identifiers();

// The second names of TEST, TEST_F and TEST_P.
std::vector<Words> test_names();

// "HeatBits" and "heat_bits" as "heat bits".
std::string as_words(const std::string& name);

// A turn of phrase that comments, identifiers or test names avoid: one line of habits.txt.
struct Habit {
    std::string where;  // "comment", "identifier" or "test"; with " start" only as the first words
    std::string text;   // words, compared without case
    std::string better; // what to write instead
};
std::vector<Habit> habits();

// True if `words` contains `habit`, at its start where the habit says so.
bool has_habit(const std::string& words, const Habit& habit);

// A retired phrase of the visible texts and its replacement: one line of old_words.txt.
struct OldWords {
    std::string text; // compared without case
    std::string better;
};
std::vector<OldWords> old_words();

// True if `words` contains `text` as whole words, without regard to case.
bool has_words(const std::string& words, const std::string& text);

} // namespace lanescope::tree
