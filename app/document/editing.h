// State of the source in the editor: its variant, its errors, and whether the view still shows an
// older source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document.h"

namespace lanescope::app {

// The kernel source in the editor: that of the variant on screen, or of a new variant that has not
// been validated yet. Holds cheap views into document and lab, for panels.
struct EditedText {
    std::string_view variant; // its id; not in the lab on screen while `begun`
    std::string_view file;    // "naive_edited.cu"
    std::string_view text;
    bool begun = false; // the variant is new; another one is still on screen
    bool newer = false; // differs from the source on screen
};
EditedText edited_text(const Document& document);

// The edited lab.json or, if it was not edited, the lab's own.
std::string_view edited_record(const Document& document);

// Errors of the newest outcome for this file by line, or warnings if it was validated.
std::vector<const Complaint*> complaints_of(const Document& document, std::string_view file);
// True if the source has changed since it was tried: its messages are outdated and drawn grey.
bool is_stale(const Document& document);
// True if the newest source has not been tried yet, or is being tried.
bool is_pending(const Document& document);

// Names of kernel sources that are in no file on disk; empty for a lab that was not read from a
// file.
std::vector<std::string> unsaved_texts(const Document& document);
// The next source to save, if any: preferably the one in the editor.
struct UnsavedText {
    std::string name;
    std::string text;
};
std::optional<UnsavedText> unsaved_text(const Document& document);
// Sentences on unsaved work that would be lost when the program ends; empty if all is saved.
std::vector<std::string> unsaved_words(const Document& document);

// The version on screen; null if its variant was not edited.
const Version* shown_version(const Document& document);

// --- Effects of the source commands ---

void edit_text(Document& document, const std::string& variant, const std::string& text);
void edit_file(Document& document, const std::string& file, const std::string& text);
void begin_variant(Document& document, const std::string& title);
void revert_texts(Document& document);
void go_to_version(Document& document, const std::string& variant, int number);
void compare_version(Document& document, const std::string& variant, int number);
// If the variant is new and not validated yet, makes it the edited one again and returns true.
bool follow_new_variant(Document& document, const std::string& variant);

// --- How the view follows the sources ---

// Shows validated sources in place of the old ones; `found` is the newly opened arrangement.
void show_validated_edit(Arrangement& document, const Arrangement& found);
// Switches to the sources of another experiment; those of the lab being closed are kept until it is
// opened again.
void stash_texts(Document& document, const Document& found);
// Swaps the versions of lab `left` for those of lab `comes`; both are ids of the underlying labs.
void swap_versions(Document& document, const std::string& left, const std::string& next);
// Id of the lab with the edits it had when it was closed, else the id itself.
std::string with_edits(const Document& document, const std::string& lab);
// The same experiment from the start with the sources of another lab; strokes are kept.
Session edited_session(const Arrangement& document, const std::string& lab,
                       const Journal& past_journal, bool paused);

} // namespace lanescope::app
