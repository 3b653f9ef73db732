// Every key of the window in one table: which keys, what they do and how the help says it. A new
// key is a row in keys.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/commands.h"
#include "app/run/frame.h"
#include "app/window/input/chords.h"
#include "app/window/interaction.h"

namespace lanescope::app {

// What a key finds when it is pressed.
struct Press {
    const Document& document;
    const Frame& frame;
    Interaction& ui;
    int number = 1; // which of the row's keys it was
};

struct KeyRow {
    const char* action; // its name in the user's file
    const char* keys;   // chords with blanks between them, unless the user has others
    bool repeats;       // while it is held
    const char* shown;  // how the help writes the keys of this row and those without words after it
    const char* words;  // "": the row belongs to the one before
    void (*press)(const Press& press, Commands& out);
};

std::span<const KeyRow> key_table();

// The rows that a key means, and which of their keys it is.
struct Pressed {
    const KeyRow* row;
    int number;
};
// What some keys depend on.
struct Moment {
    bool lecture = false;
    bool question = false; // one with choices is open
    bool stepping = false;
    bool beat = false; // … and a beat of a talk began it
};
std::vector<Pressed> rows_of(const KeyEvent& event, const std::map<std::string, std::string>& keys,
                             const Moment& moment = {});

// The same of a key as prose writes it, "H" or "↑"; empty: it is none.
std::vector<Pressed> rows_named(std::string_view key,
                                const std::map<std::string, std::string>& keys,
                                const Moment& moment = {});

// One line of the help.
struct KeyHelp {
    std::string keys;
    std::string words;
};
// Those of the stepping mode stand alone, while it is on.
std::vector<KeyHelp> key_help(const std::map<std::string, std::string>& keys, bool stepping);

} // namespace lanescope::app
