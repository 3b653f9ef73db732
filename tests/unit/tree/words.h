// Every word that a user can see: on the screen, in the terminal, in files that are written and in
// texts that are read. One list, so that it can be read in one go.
#pragma once

#include <string>
#include <vector>

namespace lanescope::tree {

struct Words {
    std::string path; // from the root, with slashes
    int line = 0;     // where they begin
    std::string text; // on one line; literals that the compiler joins are joined
};

// Sentences, labels, names and keys, in the order of the files: literals of C++ and scripts,
// values of records, comments of the labs' kernels, and texts for people whole. Without what only a
// machine reads: includes, formats without words, PTX and GLSL.
std::vector<Words> visible_words();

// What should no longer be said, with what is said instead: a line each of old_words.txt.
struct OldWords {
    std::string text; // case counts for none of it
    std::string better;
};
std::vector<OldWords> old_words();

// Whether `text` stands in `words` as words of their own, in any case.
bool has_words(const std::string& words, const std::string& text);

} // namespace lanescope::tree
