// A talk is a sequence of beats, each a state of the program with a few words, and often a question
// that the program answers itself. A lesson is the talk of one lab (beats.txt in its folder); a
// lecture covers any labs (a file of its own).
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
// A beat without "show" (or "preset") keeps what the previous beat showed. Keys after "reveal"
// apply once the answer is shown. keys_of_beats() lists the keys; problems.h checks numbers,
// choices and pages.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/look/look.h"
#include "app/lessons/form.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// A state of the program.
struct BeatState {
    std::string lab; // id of the lab
    std::string variant;
    std::map<std::string, std::string> values; // all parameters, as text
    std::string view;
    std::string map = "off";
    trace::Scope map_of = trace::Scope::all;
    Subject subject = Subject::picture;
    std::string memory;
    RequestChoice request;
    bool tree_block = false;
    std::string compare;
    bool difference = false;
    std::string page;   // tab of the strip that the beat opens; in a lecture it replaces the
                        // picture; empty or "picture": none
    int line = 0;       // source line whose PTX is shown
    int step_line = 0;  // source line from which the launch is stepped through; 0: not stepped
    int step_warp = -1; // the warp that reaches it; -1: any
    bool paused = false;
    friend bool operator==(const BeatState&, const BeatState&) = default;

    bool has_page() const { return !page.empty() && page != "picture"; }
};

// Applies a scene to the look; theme, sizes and the like are unchanged.
void apply_scene(Look& look, const BeatState& scene);

struct Choice {
    std::string text;
    std::optional<Condition> when; // condition under which the choice is right; empty: it is right
                                   // if its number is close to the value
    friend bool operator==(const Choice&, const Choice&) = default;

    // Relative distance between its number and the value; 0 or infinite if a condition decides.
    double distance(double value) const;
    bool right(double value) const { return distance(value) <= tolerance; }
    // "13" is right for 12.76, "4" is not for 4.38.
    static constexpr double tolerance = 0.03;
};

// The keys A to D select a choice.
inline constexpr std::size_t max_choices = 4;

struct Beat {
    std::string title;
    int line = 1; // line in its file
    BeatState scene;
    BeatState after; // shown with the answer
    Words say;
    Words question;              // empty: no question
    std::vector<Choice> choices; // empty: an open question for a number
    int countdown_s = 0;         // time to answer; 0: unlimited
    Formula reveal;
    std::string unit;
    Words because;

    // All formulas that the beat needs.
    std::vector<Formula> formulas() const;
    // Index of the choice that the value makes right; empty unless exactly one is right.
    std::optional<std::size_t> right(double value) const;
    friend bool operator==(const Beat&, const Beat&) = default;
};

struct Talk {
    std::string title;
    std::string name;        // name of the file
    std::string lesson_of;   // id of the lab; empty for a lecture
    std::vector<Beat> beats; // at least one
};

// Throws Error (bad_usage), "name, line 7: …", also for names that do not exist. `lab` is the lab
// of a lesson, null for a lecture. `find` resolves LAB/VARIANT.
Talk read_talk(std::string_view text, const std::string& name, const labs::Lab* lab = nullptr,
               const FindNamed& find = named_lab);
// A lab's lesson: its beats.txt or, without one, its presets in order. Null if there are no presets
// either. Throws Error.
std::shared_ptr<const Talk> lesson_of(const labs::Lab& lab);
// All built-in lessons and lectures. Throws Error.
std::vector<Talk> embedded_talks();
// True if the text declares a lecture.
bool is_lecture(std::string_view text);

std::vector<std::string> keys_of_beats();

} // namespace lanescope::app
