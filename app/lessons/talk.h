// A talk: beats one after the other, each a state of the program with a few words, and often a
// question whose answer the program finds out by itself. A lesson is the talk of one lab
// (beats.txt in its folder), a lecture goes through any labs (a file of its own).
//
//     lecture: Who pays for a load
//
//     beat: Columns
//     show: coalescing/column_threads, size=256
//     map: sector_excess
//     say: The same picture, one array turned.
//     ask: How many sectors does a load touch now?
//     choice: 4
//     choice: 8
//     choice: 32
//     reveal: sectors_per_load(coalescing/column_threads, size=256)
//     because: Every lane is in a row of its own.
//
// A beat without "show" (or "preset") goes on with what the beat before it showed. What stands
// behind "reveal" is shown with the answer. Which keys there are: keys_of_beats(). What does not
// hold in a talk, a number, a choice, a page, is found by problems.h.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/look.h"
#include "app/lessons/form.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// A state of the program.
struct BeatState {
    std::string lab; // its place
    std::string variant;
    std::map<std::string, std::string> values; // of all parameters, as texts
    std::string view;
    std::string map = "off";
    trace::Scope map_of = trace::Scope::all;
    Subject subject = Subject::picture;
    std::string memory;
    RequestChoice request;
    bool tree_block = false;
    std::string compare;
    bool difference = false;
    std::string page;   // a tab of the strip that is unfolded, in a lecture in the picture's place;
                        // empty or "picture": none
    int line = 0;       // of the source, whose PTX is open
    int step_line = 0;  // of the source: the launch is stepped through, from there on; 0: it is not
    int step_warp = -1; // that comes there; -1: any
    bool paused = false;
    friend bool operator==(const BeatState&, const BeatState&) = default;

    bool has_page() const { return !page.empty() && page != "picture"; }
};

// How the look becomes that of a scene; the theme, sizes and the like stay.
void look_at(Look& look, const BeatState& scene);

struct Choice {
    std::string text;
    std::optional<Condition> when; // it is right; none: when the value is its number, nearly
    friend bool operator==(const Choice&, const Choice&) = default;

    // How far its number is from the value, as a share of the number; 0 or infinite where a
    // condition decides.
    double distance(double value) const;
    bool right(double value) const { return distance(value) <= tolerance; }
    // "13" is right of 12.76, "4" is not of 4.38.
    static constexpr double tolerance = 0.03;
};

// Keys A to D choose.
inline constexpr std::size_t max_choices = 4;

struct Beat {
    std::string title;
    int line = 1; // in its file
    BeatState scene;
    BeatState after; // with the answer
    Words say;
    Words question;              // empty: nothing is asked
    std::vector<Choice> choices; // none: the room says a number
    int countdown_s = 0;         // so long the question stands before its time is up; 0: none
    Formula reveal;
    std::string unit;
    Words because;

    // All that the program has to find out for it.
    std::vector<Formula> formulas() const;
    // The one choice that a value makes right; none where it is not exactly one.
    std::optional<std::size_t> right(double value) const;
    friend bool operator==(const Beat&, const Beat&) = default;
};

struct Talk {
    std::string title;
    std::string name;        // of the file
    std::string lesson_of;   // a lab's place; empty: a lecture
    std::vector<Beat> beats; // at least one
};

// Throws Error (bad_usage): "name, line 7: …", for whatever there is not. `lab` is the one whose
// lesson it is; null: a lecture. `find` finds what is named as LAB/VARIANT.
Talk read_talk(std::string_view text, const std::string& name, const labs::Lab* lab = nullptr,
               const FindNamed& find = named_lab);
// A lab's lesson: its beats.txt or, where it has none, its presets one after the other. Null where
// there are no presets either. Throws Error.
std::shared_ptr<const Talk> lesson_of(const labs::Lab& lab);
// All lessons and lectures of the program. Throws Error.
std::vector<Talk> embedded_talks();
// Whether a text says that it is a lecture.
bool is_lecture(std::string_view text);

std::vector<std::string> keys_of_beats();

} // namespace lanescope::app
