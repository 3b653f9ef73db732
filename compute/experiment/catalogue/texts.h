// A lab given as named sources, from an editor, a session or a single .cu file. The sources overlay
// the files of another lab, which provides all other files.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

struct Texts {
    std::string base{};                         // id or folder of the overlaid lab; empty: none
    std::string id{};                           // id if no lab is overlaid: "saxpy", for saxpy.cu
    std::map<std::string, std::string> files{}; // "lab.json", "naive_edited.cu", "lesson.md", …
    friend bool operator==(const Texts&, const Texts&) = default;
};

// Limit for all files of a lab.
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

// Returns the lab made of these files. Equal files give the same lab: its key is the base's
// plus a hash of the files ("heat+1f0c…"), under which find() knows it until forget_texts().
// One version of a kernel takes some 50 KB, most of it PTX; labs with equal lab.json share the
// record. Parses the record; kernels are compiled on the first call of Lab::ptx(). Throws
// Error: no_such_thing for an unknown base, bad_usage for an error in the record, or for more
// than max_text_bytes. Thread-safe.
const Lab& open_texts(const Texts& texts);

// Frees unused labs of sources: all except those with these keys, those that are
// held, and the newest_texts most recently looked up, which threads may be using.
// Returns the number of labs freed.
std::size_t forget_texts(const std::set<std::string, std::less<>>& needed);
constexpr std::size_t newest_texts = 32;

// The place that open_texts() would assign, if the base is a lab without sources.
std::string place_of(const Texts& texts);

// True if the source can be stored in a session's JSON: valid UTF-8 without zero bytes.
bool is_utf8(std::string_view text);

// Throws like open_texts() if the sources are too large, their names are
// invalid, or they are not UTF-8.
void check_texts(const Texts& texts);

// Finds a lab by the place that open_texts() assigned to it; null for any other place.
const Lab* opened_texts(std::string_view place);

// The lab's own files or, for a lab without any, an empty overlay on that lab.
Texts texts_of(const Lab& lab);

// A variant with its own source, and the sources of the lab that contains it.
struct Edited {
    Texts texts;
    std::string variant; // id of the variant: "naive_edited"
    std::string file;    // file of its kernel: "naive_edited.cu"
};

// Returns the lab with changed source of the variant. A variant of the record is preserved: a
// copy of its row, "Naive (edited)", gets the source, with the original's id in
// Variant::edited. If the variant is such a copy, its source is replaced. Throws Error
// (no_such_thing) for an unknown variant.
Edited with_edited_variant(const Lab& lab, std::string_view variant, std::string text);

// Returns the lab with an additional variant, launched like `like`; later edits replace its source.
// Duplicate titles get a number.
Edited with_new_variant(const Lab& lab, std::string_view like, std::string_view title,
                        std::string text);

} // namespace lanescope::labs
