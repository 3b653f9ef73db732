// Cards: a claim from a lecture note or textbook, its source, the experiment that decides it, and
// the verdict, which is computed; the recorded one only serves to notice changes.
//
//     card: a[idx - 2] uses 50 % of what it fetches
//     source: lecture note 001, "Bus Utilization"
//     test: a line | 100 * used_of_lines(coalescing/offset, offset=2) | = 50
//     test: a sector | 100 * used_of_sectors(coalescing/offset, offset=2) | = 50
//     verdict: right for a line, wrong for a sector
//     because: …
//
// The condition of each test states the outcome that the claim implies. The claim is right if all
// tests hold, wrong if none does, else right for some and wrong for others.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/form.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct CardTest {
    std::string title;
    Formula formula; // a percentage if it begins with "100 *"
    Condition condition;

    std::string claimed() const;           // "= 3.125%"
    std::string found(double value) const; // "3.12%"
};

struct Card {
    std::string claim;
    std::string source;
    std::vector<CardTest> tests; // at least one
    std::string recorded;        // the verdict when the card was written
    Words because;
    std::string name; // name of its file …
    int line = 1;     // … and its first line there

    // `holds` has the outcomes of the tests, in order.
    std::string verdict(const std::vector<bool>& holds) const;
    std::vector<Formula> formulas() const;
};

// Verdict from the answers found; empty while one is missing.
std::optional<std::string> verdict_of(const Card& card,
                                      const std::function<const Answer*(const Formula&)>& find);

// Throws Error (bad_usage): "name, line 7: …".
std::vector<Card> read_cards(std::string_view text, const std::string& name,
                             const FindNamed& find = named_lab);
// The program's own cards by file; read once. Throws Error.
std::span<const Card> embedded_cards();
// All cards: first the cards that test the lab, then the others, each group in file order. `own` is
// the number of cards that test the lab.
struct CardsFor {
    std::vector<const Card*> all{};
    std::size_t own = 0;
};
CardsFor cards_for(const labs::Lab& lab);

// "transpose/naive, size 256 (sectors_over_ideal) = 4.5": the experiment as text.
std::string experiment_of(const CardTest& test);

} // namespace lanescope::app
