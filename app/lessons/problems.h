// Checks talks and cards: numbers typed into sentences, which go out of date; questions without
// exactly one right choice; pages or maps that would stay invisible.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/lessons/cards.h"
#include "app/lessons/talk.h"

namespace lanescope::app {

using Find = std::function<const Answer*(const Formula&)>; // never returns null; throws Error

// A number typed into the text, in digits or as a word such as "three"; empty if none. Digits in
// names such as H100 or float4 do not count.
std::string typed_number(const Words& words);

// Problems, one sentence each; empty if there are none.
std::vector<std::string> problems_of(const Beat& beat, const BeatState& before, const Find& find);
std::vector<std::string> problems_of(const Card& card);

} // namespace lanescope::app
