// Parses cards and computes their verdicts.
#include "app/lessons/cards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assets/assets.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

CardTest read_test(const std::string& text, const FindNamed& find)
{
    const auto columns = columns_of(text);
    if (columns.size() != 3)
        throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is not a test.", text),
                    "Write it as NAME | FORMULA | CONDITION.");
    return {columns[0], Formula(columns[1], find), read_condition(columns[2])};
}

void finish(const FormText& form, const Card& card)
{
    const char* missing = card.source.empty()     ? "source"
                          : card.tests.empty()    ? "test"
                          : card.recorded.empty() ? "verdict"
                          : card.because.empty()  ? "because"
                                                  : nullptr;
    if (missing)
        form.refuse(card.line, fmt::format("The card \"{}\" has no \"{}\".", card.claim, missing));
}

const char* percent_sign(const CardTest& test)
{
    return test.formula.text().starts_with("100 *") ? "%" : "";
}

} // namespace

std::string CardTest::claimed() const
{
    return condition.text + percent_sign(*this);
}

std::string CardTest::found(double value) const
{
    return number_text(value) + percent_sign(*this);
}

std::string Card::verdict(const std::vector<bool>& holds) const
{
    std::vector<std::string> right;
    std::vector<std::string> wrong;
    for (std::size_t i = 0; i < tests.size(); ++i)
        (holds[i] ? right : wrong).push_back(tests[i].title);
    if (wrong.empty()) return "right";
    if (right.empty()) return "wrong";
    return fmt::format("right for {}, wrong for {}", fmt::join(right, " and "),
                       fmt::join(wrong, " and "));
}

std::optional<std::string> verdict_of(const Card& card,
                                      const std::function<const Answer*(const Formula&)>& find)
{
    std::vector<bool> holds;
    for (const CardTest& test : card.tests) {
        const Answer* const answer = find(test.formula);
        if (!answer) return {};
        holds.push_back(test.condition.holds(answer->value));
    }
    return card.verdict(holds);
}

std::vector<Formula> Card::formulas() const
{
    std::vector<Formula> all;
    for (const CardTest& test : tests) all.push_back(test.formula);
    for (const Words::Piece& piece : because.pieces)
        if (!piece.formula.empty()) all.push_back(piece.formula);
    return all;
}

std::vector<Card> read_cards(std::string_view text, const std::string& name, const FindNamed& find)
{
    const FormText form(name, text);
    std::vector<Card> cards;
    for (const FormLine& line : form.lines()) {
        if (line.value.empty())
            form.refuse(line.line, fmt::format("There is no value after \"{}:\".", line.key));
        if (line.key == "card") {
            if (!cards.empty()) finish(form, cards.back());
            Card card;
            card.claim = line.value;
            card.name = name;
            card.line = line.line;
            cards.push_back(std::move(card));
            continue;
        }
        if (cards.empty()) form.refuse(line.line, "\"card: CLAIM\" must come first.");
        Card& card = cards.back();
        const auto once = [&](std::string& field) {
            if (!field.empty())
                form.refuse(line.line, fmt::format("This card already has \"{}\".", line.key));
            field = line.value;
        };
        if (line.key == "source")
            once(card.source);
        else if (line.key == "verdict")
            once(card.recorded);
        else if (line.key == "test")
            form.read(line, [&] { card.tests.push_back(read_test(line.value, find)); });
        else if (line.key == "because")
            form.read(line, [&] { card.because = read_words(line.value, find); });
        else
            form.refuse(line.line,
                        fmt::format("There is no key \"{}\". Available: card, source, test, "
                                    "verdict, because.",
                                    line.key));
    }
    if (cards.empty()) form.refuse(1, "It contains no card.");
    finish(form, cards.back());
    return cards;
}

std::span<const Card> embedded_cards()
{
    static const std::vector<Card> all = [] {
        std::vector<Card> cards;
        for (const assets::File& file : assets::files())
            if (file.path.starts_with("assets/cards/"))
                std::ranges::move(read_cards(file.bytes, std::string(file.path)),
                                  std::back_inserter(cards));
        return cards;
    }();
    return all;
}

CardsFor cards_for(const labs::Lab& lab)
{
    const auto tests_lab = [&](const Card* card) {
        return std::ranges::any_of(card->tests, [&](const CardTest& test) {
            return std::ranges::any_of(test.formula.quantities(), [&](const Quantity& one) {
                return one.lab->place == lab.origin();
            });
        });
    };
    CardsFor cards;
    for (const Card& card : embedded_cards()) cards.all.push_back(&card);
    const auto others = std::ranges::stable_partition(cards.all, tests_lab);
    cards.own = cards.all.size() - others.size();
    return cards;
}

std::string experiment_of(const CardTest& test)
{
    return fmt::format("{} {}", test.formula.text(), test.condition.text);
}

} // namespace lanescope::app
