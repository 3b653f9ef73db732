// What does not hold in a talk or on a card: a number that is typed into a sentence and so goes out
// of date, a question of which not exactly one choice is right, a page or a map that nobody would
// see.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/lessons/cards.h"
#include "app/lessons/talk.h"

namespace lanescope::app {

using Find = std::function<const Answer*(const Formula&)>; // never null; throws Error

// The number that stands in the words as text, in digits or as a word such as "three"; empty: none.
// Names with digits in them, H100 or float4, are none.
std::string typed_number(const Words& words);

// As sentences; empty: everything holds.
std::vector<std::string> problems_of(const Beat& beat, const BeatState& before, const Find& find);
std::vector<std::string> problems_of(const Card& card);

} // namespace lanescope::app
