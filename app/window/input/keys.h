// Every key of the window in one table: its chords, its action and its help text. A new key is a
// row in keys.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/commands.h"
#include "app/run/frame/frame.h"
#include "app/window/input/events/chords.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {

// Context of a key press.
struct Press {
    const Document& document;
    const Frame& frame;
    Interaction& ui;
    int number = 1; // which of the row's chords was pressed, from 1
};

struct KeyRow {
    const char* action; // its name in the user's file
    const char* keys;   // default chords, separated by blanks
    bool repeats;       // repeats while held down
    const char* shown;  // as in the help, also for following rows without words
    const char* words;  // "": the row belongs to the previous one
    void (*press)(const Press& press, Commands& out);
};

std::span<const KeyRow> key_table();

// A row that matches a key press, with the index of the matching chord.
struct Pressed {
    const KeyRow* row;
    int number;
};
// State on which the meaning of some keys depends.
struct Moment {
    bool lecture = false;
    bool question = false; // a question with choices is open
    bool stepping = false;
    bool beat = false; // … and a beat of a talk started it
    bool talk = false; // a lesson or lecture is open
};
std::vector<Pressed> rows_of(const KeyEvent& event, const std::map<std::string, std::string>& keys,
                             const Moment& moment = {});

// The same for a key as spelled in prose, "H" or "↑"; empty if it is not a key.
std::vector<Pressed> rows_for_key(std::string_view key,
                                  const std::map<std::string, std::string>& keys,
                                  const Moment& moment = {});

// One line of the help.
struct KeyHelp {
    std::string keys;
    std::string words;
    const KeyRow* row = nullptr; // the first row of this line
};
// In the stepping mode only its own keys are listed, with a few general ones.
std::vector<KeyHelp> key_help(const std::map<std::string, std::string>& keys, bool stepping);

} // namespace lanescope::app
