// One function per rule: sentences, choices, scenes.
#include "app/lessons/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/document/look/maps.h"
#include "app/document/look/tabs.h"
#include "app/measure/measurements.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr std::string_view number_words[] = {
    "two",     "three",   "four",     "five",     "six",     "seven",  "eight",  "nine",
    "ten",     "eleven",  "twelve",   "thirteen", "sixteen", "twenty", "thirty", "forty",
    "fifty",   "hundred", "thousand", "million",  "dozen",   "half",   "halves", "third",
    "quarter", "fifth",   "sixth",    "seventh",  "eighth",  "ninth",  "tenth",  "twice",
    "thrice",  "double",  "doubles",  "triple"};

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string typed_number(std::string_view text)
{
    for (std::size_t begin = 0; begin < text.size();) {
        if (!is_word(text[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string word = lower_case(text.substr(begin, end - begin));
        if (std::isdigit(static_cast<unsigned char>(word.front())) ||
            std::ranges::find(number_words, word) != std::end(number_words))
            return word;
        begin = end;
    }
    return {};
}

void add_sentence(std::vector<std::string>& problems, const Words& because)
{
    if (const std::string number = typed_number(because); !number.empty())
        problems.push_back(fmt::format(
            "\"because\" hard-codes the number \"{}\": write a formula in braces, or leave it out.",
            number));
}

void add_choices(std::vector<std::string>& problems, const Beat& beat, double value)
{
    if (beat.choices.empty()) return;
    std::vector<std::string> right;
    std::string far;
    for (const Choice& one : beat.choices) {
        if (one.right(value)) right.push_back(one.text);
        const double distance = one.distance(value);
        if (!one.when && std::isfinite(distance))
            far += fmt::format("{}\"{}\" by {:.1f}%", far.empty() ? "" : ", ", one.text,
                               100 * distance);
    }
    if (right.size() == 1) return;
    problems.push_back(fmt::format("{} {}{}.", number_text(value),
                                   right.empty() ? "matches no choice"
                                                 : fmt::format("matches {} choices", right.size()),
                                   far.empty() ? "" : "; it misses " + far));
}

bool has_times(const BeatState& state)
{
    const auto recorded = embedded_measurements();
    return recorded && std::ranges::any_of(recorded->times, [&](const Measured& one) {
               return one.lab == labs::find(state.lab).id && one.variant == state.variant;
           });
}

// Reports a heatmap limited to a kind of access that the variant does not make.
std::string map_problem(const BeatState& state, const Find& find)
{
    if (!map_has_scope(state.map)) return {};
    std::string values;
    for (const auto& [id, text] : state.values) values += fmt::format(", {}={}", id, text);
    const labs::Lab& lab = labs::find(state.lab);
    double requests = 0;
    std::vector<const char*> metrics{"load_requests", "store_requests", "atomic_requests"};
    if (map_is_of_shared_memory(state.map))
        metrics = {"shared_loads", "shared_stores", "shared_atomics"};
    else if (map_is_of_texels(state.map))
        metrics = {"texel_requests"};
    for (const char* name : metrics)
        requests +=
            find(Formula(fmt::format("{}({}/{}{})", name, lab.id, state.variant, values)))->value;
    return requests > 0 ? ""
                        : fmt::format("The map {} has nothing to show for {}/{}.", state.map,
                                      lab.id, state.variant);
}

// Checks what a lecture would show for a state that follows another.
void add_scene(std::vector<std::string>& problems, const BeatState& state, const BeatState& before,
               const Find& find)
{
    const labs::Lab& lab = labs::find(state.lab);
    if (state.has_page()) {
        const bool nothing =
            ((state.page == tabs::variants || state.page == tabs::roofline) && !has_times(state)) ||
            (state.page == tabs::sweep && lab.sweeps.empty()) ||
            (state.page == tabs::lesson && lab.lesson().empty());
        if (nothing)
            problems.push_back(fmt::format("The page \"{}\" has nothing to show for {}/{}.",
                                           state.page, lab.id, state.variant));
    }
    const bool new_map =
        state.map != "off" &&
        (state.map != before.map || state.lab != before.lab || state.variant != before.variant);
    if (!new_map) return;
    if (state.has_page() && !before.has_page())
        problems.push_back(
            fmt::format("The page \"{}\" covers the map {} in a lecture.", state.page, state.map));
    else if (state.subject != Subject::picture)
        problems.push_back(fmt::format(
            "The map {} is not visible: it covers the picture, which is not shown.", state.map));
    if (std::string problem = map_problem(state, find); !problem.empty())
        problems.push_back(std::move(problem));
}

} // namespace

std::string typed_number(const Words& words)
{
    for (const Words::Piece& piece : words.pieces)
        if (std::string number = typed_number(std::string_view(piece.text)); !number.empty())
            return number;
    return {};
}

std::vector<std::string> problems_of(const Beat& beat, const BeatState& before, const Find& find)
{
    std::vector<std::string> problems;
    add_sentence(problems, beat.because);
    if (!beat.reveal.empty()) add_choices(problems, beat, find(beat.reveal)->value);
    add_scene(problems, beat.scene, before, find);
    if (!beat.reveal.empty()) add_scene(problems, beat.after, beat.scene, find);
    return problems;
}

std::vector<std::string> problems_of(const Card& card)
{
    std::vector<std::string> problems;
    add_sentence(problems, card.because);
    return problems;
}

} // namespace lanescope::app
