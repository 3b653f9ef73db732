// Keys and mouse on the code while it is edited: what they do becomes commands of the document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/document/commands.h"
#include "app/document/editing/workbench.h"
#include "app/window/editor/code_state.h"

namespace lanescope::app {

// The text gets the keyboard, its caret in the line that is opened or where it stood last.
void begin_editing(CodeState& state, const Document& document);

// Undo, versions and variants change the text, too: the caret follows.
void sync_code_state(CodeState& state, std::string_view text);

// Whether the key is the text's. Then it has become a command, or moved the caret.
bool press_in_code(const KeyEvent& key, const Document& document, CodeState& state, Commands& out);

// The next complaint after the caret, with the compiler's own words.
void go_to_complaint(const Document& document, CodeState& state);

// What stands below the lines: complaints, what lines cost against the version before.
std::vector<CodeNote> notes_of(const Document& document, CodeState& state);

// "sectors −87 %, divergent +3 %"; "new" for what was not there.
std::string cost_words(const LineDifference& difference);
// "−87 %", "+3 %", "="; "new".
std::string share_words(const CostChange& change);

// How the newest text stands, as a sentence, and whether something is wrong; empty where nothing
// was edited.
struct EditStatus {
    std::string words;
    bool wrong = false;
};
EditStatus edit_status(const Document& document);

} // namespace lanescope::app
