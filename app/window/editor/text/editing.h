// Keys and mouse on the code while editing, turned into commands for the document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/document/commands.h"
#include "app/document/editing/workbench.h"
#include "app/window/editor/text/code_state.h"

namespace lanescope::app {

// Moves the keyboard focus to the text, with the caret in the opened line or at its last position.
void begin_editing(CodeState& state, const Document& document);

// Moves the caret with the text when undo, versions or variants change it.
void sync_code_state(CodeState& state, std::string_view text);

// Returns true if the text takes the key, which then became a command or moved the caret.
bool press_in_code(const KeyEvent& key, const Document& document, CodeState& state, Commands& out);

// Moves the caret to the next diagnostic and shows the compiler's original messages.
void go_to_complaint(const Document& document, CodeState& state);

// Notes below the lines: complaints, and costs compared with the previous version.
std::vector<CodeNote> notes_of(const Document& document, CodeState& state);

// "sectors −87%, divergent +3%"; "new" for a line without a predecessor.
std::string cost_words(const LineDifference& difference);
// "−87%", "+3%", "="; "new".
std::string share_words(const CostChange& change);

// The state of the newest text as a sentence, and whether it has an error; empty if nothing was
// edited.
struct EditStatus {
    std::string words;
    bool wrong = false;
};
EditStatus edit_status(const Document& document);

} // namespace lanescope::app
