// The text that the editor has: which it is, whether what is shown is older, what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document.h"

namespace lanescope::app {

// The kernel text in the editor: that of the shown variant, or of the one that was begun and has
// not been validated yet. For panels, every frame; views into document and lab.
struct EditedText {
    std::string_view variant; // its id; not in the shown lab while `begun`
    std::string_view file;    // "naive_edited.cu"
    std::string_view text;
    bool begun = false; // what is shown is still another variant
    bool newer = false; // than what is shown
};
EditedText edited_text(const Document& document);

// lab.json as it is edited, or as the lab has it.
std::string_view edited_record(const Document& document);

// What the newest outcome says of this file, by line: errors, or warnings of what was validated.
std::vector<const Complaint*> complaints_of(const Document& document, std::string_view file);
// The text was changed after it was tried: its complaints are of an older one, and shown grey.
bool is_stale(const Document& document);
// The newest text has not been tried yet, or is being tried.
bool is_pending(const Document& document);

// Names of kernels' texts that no file holds; none for a lab that was not read from one.
std::vector<std::string> unsaved_texts(const Document& document);
// The text that is saved next, if there is one: that in the editor, or one of the others.
struct UnsavedText {
    std::string name;
    std::string text;
};
std::optional<UnsavedText> unsaved_text(const Document& document);
// What would be gone with the program: sentences, none where all is in files of the user's.
std::vector<std::string> unsaved_words(const Document& document);

// The version that is shown; null: it has none, because nothing of it was edited.
const Version* shown_version(const Document& document);

// --- what the commands of texts do ---

void edit_text(Document& document, const std::string& variant, const std::string& text);
void edit_file(Document& document, const std::string& file, const std::string& text);
void begin_variant(Document& document, const std::string& title);
void revert_texts(Document& document);
void go_to_version(Document& document, const std::string& variant, int number);
void compare_version(Document& document, const std::string& variant, int number);
// Whether the variant was begun and has not been validated: then it is what the editor has again.
bool follow_new_variant(Document& document, const std::string& variant);

// --- how what is shown follows the texts ---

// Texts were validated and are shown now, in place of the others: `found` is what is open.
void arrive_edit(Arrangement& document, const Arrangement& found);
// Another experiment is opened: its texts are edited from now on. Those of a lab that is left are
// kept until it is chosen again.
void stash_texts(Document& document, const Document& found);
// Versions are those of the lab that is shown: both by the place of the lab below the texts.
void swap_versions(Document& document, const std::string& left, const std::string& comes);
// The lab with the texts that it had when it was left: a place; else the same.
std::string with_edits(const Document& document, const std::string& lab);
// The same experiment with the texts of another lab, from its start; strokes are kept.
Session edited_session(const Arrangement& document, const std::string& lab, const Journal& lived,
                       bool paused);

} // namespace lanescope::app
