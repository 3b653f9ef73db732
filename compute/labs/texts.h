// A lab as texts by name: what an editor, a session or a single .cu file makes of one. The texts
// lie over the files of another lab, which show through where there is none of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "compute/labs/lab.h"

namespace lanescope::labs {

struct Texts {
    std::string base{}; // the id, or the folder, of the lab underneath; empty: none
    std::string id{};   // of a lab that has none underneath: "saxpy", of saxpy.cu
    std::map<std::string, std::string> files{}; // "lab.json", "naive_edited.cu", "lesson.md", …
    friend bool operator==(const Texts&, const Texts&) = default;
};

// All files of one lab together.
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

// The lab of these texts. The same texts give the same lab: its place is the base's with a hash of
// them ("heat+1f0c…"), and find() knows it by that from then on, until forget_texts(). One version
// of a kernel holds some 50 KB, most of it PTX; the record is shared by all that have the same
// lab.json. Reads the record; kernels are compiled when Lab::ptx() first asks for them. Throws
// Error: no_such_thing for a base that there is not, bad_usage with what is wrong in the record, or
// for more than max_text_bytes. From any thread.
const Lab& open_texts(const Texts& texts);

// For whoever keeps a lab, its variants or Values beyond a call: it stays as long as this. Null for
// a lab that always stays.
std::shared_ptr<const Lab> held(const Lab& lab);

// Frees the labs of texts that nobody needs: all but those at these places, those that are held,
// and the newest_texts that were looked up last, which a thread may have at hand. How many went.
std::size_t forget_texts(const std::set<std::string, std::less<>>& needed);
constexpr std::size_t newest_texts = 32;

// The place that open_texts() gives them, if their base is a lab without texts.
std::string place_of(const Texts& texts);

// As the JSON of sessions can hold it: valid, and without zero bytes.
bool is_utf8(std::string_view text);

// Throws as open_texts() does for their size, their names, and bytes that are not UTF-8.
void check_texts(const Texts& texts);

// By the place that open_texts() gave it; null for others.
const Lab* opened_texts(std::string_view place);

// The texts that make the lab: its own, or none over itself.
Texts texts_of(const Lab& lab);

// A variant with a text of its own, and the texts of the lab that has it.
struct Edited {
    Texts texts;
    std::string variant; // its id: "naive_edited"
    std::string file;    // its kernel's: "naive_edited.cu"
};

// The lab with another text of the variant. That of a variant of the record stays what it is: a
// copy of its row, "Naive (edited)", gets the text, and says in Variant::edited what it was. Of
// such a copy the text is replaced. Throws Error (no_such_thing) for a variant that there is not.
Edited with_edited_variant(const Lab& lab, std::string_view variant, std::string text);

// The lab with one more variant that is launched as `like` is, and whose text is replaced from then
// on. Titles are made different by a number.
Edited with_new_variant(const Lab& lab, std::string_view like, std::string_view title,
                        std::string text);

} // namespace lanescope::labs
