// Cards: a claim from a lecture note or a textbook, where it stands, the experiment that decides
// it, and the verdict, which is computed and never written down but to notice when it changes.
//
//     card: a[idx - 2] uses half of what it fetches
//     source: lecture note 001, "Bus Utilization"
//     test: a line | used_of_lines(coalescing/offset, offset=2) | = 0.5
//     test: a sector | used_of_sectors(coalescing/offset, offset=2) | = 0.5
//     verdict: right for a line, wrong for a sector
//     because: …
//
// Each test says by its condition what the claim would have come out as. The claim is right where
// all tests hold, wrong where none does, else right for some and wrong for others.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/form.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

struct CardTest {
    std::string title;
    Formula formula;
    Condition condition;
};

struct Card {
    std::string claim;
    std::string source;
    std::vector<CardTest> tests; // at least one
    std::string recorded;        // the verdict, as it was when the card was written
    Words because;
    std::string name; // of its file …
    int line = 1;     // … and where it begins there

    // `holds` are the tests' outcomes, in order.
    std::string verdict(const std::vector<bool>& holds) const;
    std::vector<Formula> formulas() const;
};

// Of what was found; nothing while something is not known yet.
std::optional<std::string> verdict_of(const Card& card,
                                      const std::function<const Answer*(const Formula&)>& find);

// Throws Error (bad_usage): "name, line 7: …".
std::vector<Card> read_cards(std::string_view text, const std::string& name,
                             const FindNamed& find = named_lab);
// Those that the program carries, by file; read once. Throws Error.
std::span<const Card> embedded_cards();
// All of them, those that test the lab first, each in the order of its file; and how many those
// are.
struct CardsFor {
    std::vector<const Card*> all{};
    std::size_t own = 0;
};
CardsFor cards_for(const labs::Lab& lab);

// "transpose/naive, size 256 (sectors_over_ideal) = 4.5": the experiment in words.
std::string experiment_of(const CardTest& test);

} // namespace lanescope::app
