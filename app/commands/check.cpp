// `lanescope check`: computes the verdicts of cards and the reveals of lessons and lectures, and
// checks that their statements hold.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/lessons/cards.h"
#include "app/lessons/problems.h"
#include "app/lessons/talk.h"
#include "app/run/editing/own_lab.h"
#include "assets/assets.h"
#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct CheckOptions {
    std::vector<std::string> files;
    bool json = false;
};

// Evaluates each formula once; reports the location of a formula that fails.
class Finder {
public:
    const Answer* find(const Formula& formula)
    {
        const auto known = answers_.find(formula.key());
        if (known != answers_.end()) return &known->second;
        return &answers_.emplace(formula.key(), measurer_.find(formula)).first->second;
    }

private:
    Measurer measurer_;
    std::map<std::string, Answer> answers_;
};

[[noreturn]] void refuse(const std::string& name, int line, const Error& error)
{
    throw Error(error.status(), fmt::format("{}, line {}: {}", name, line, error.what()));
}

void tell(const std::string& name, int line, const std::vector<std::string>& problems)
{
    for (const std::string& problem : problems)
        fmt::print(stderr, "{}, line {}: {}\n", name, line, problem);
}

// Returns true if the verdict is the recorded one and every statement holds.
bool check_card(Finder& finder, const Card& card, ordered_json& json, bool print)
{
    const auto find = [&](const Formula& formula) { return finder.find(formula); };
    try {
        const std::string verdict = *verdict_of(card, find);
        const bool same = verdict == card.recorded;
        const auto problems = problems_of(card);
        ordered_json tests = ordered_json::array();
        std::string lines;
        for (const CardTest& test : card.tests) {
            const Answer& answer = *finder.find(test.formula);
            lines +=
                fmt::format("    {}: {} = {}, claimed {} ({})\n", test.title, test.formula.text(),
                            number_text(answer.value), test.condition.text, answer.origin);
            tests.push_back({{"title", test.title},
                             {"formula", test.formula.text()},
                             {"claimed", test.condition.text},
                             {"found", answer.value},
                             {"holds", test.condition.holds(answer.value)},
                             {"origin", answer.origin}});
        }
        if (print)
            fmt::print("“{}”\n    {}\n{}    {}{}\n    {}\n\n", card.claim, card.source, lines,
                       verdict, same ? "" : fmt::format("; it was recorded as: {}", card.recorded),
                       card.because.filled(find));
        tell(card.name, card.line, problems);
        json.push_back({{"claim", card.claim},
                        {"source", card.source},
                        {"verdict", verdict},
                        {"recorded", card.recorded},
                        {"tests", std::move(tests)},
                        {"because", card.because.filled(find)},
                        {"problems", problems}});
        return same && problems.empty();
    } catch (const Error& error) {
        refuse(card.name, card.line, error);
    }
}

// Returns true if every statement holds.
bool check_talk(Finder& finder, const Talk& talk, ordered_json& json, bool print)
{
    bool all = true;
    if (print) fmt::print("{}\n", talk.title);
    for (std::size_t i = 0; i < talk.beats.size(); ++i) {
        const Beat& beat = talk.beats[i];
        try {
            const auto find = [&](const Formula& formula) { return finder.find(formula); };
            ordered_json one{{"beat", i + 1},
                             {"title", beat.title},
                             {"lab", beat.scene.lab},
                             {"variant", beat.scene.variant},
                             {"say", beat.say.filled(find)},
                             {"because", beat.because.filled(find)}};
            const BeatState before = i == 0 ? BeatState{} : talk.beats[i - 1].after;
            const auto problems = problems_of(beat, before, find);
            all &= problems.empty();
            tell(talk.name, beat.line, problems);
            one["problems"] = problems;
            std::string words;
            if (!beat.reveal.empty()) {
                const Answer& answer = *finder.find(beat.reveal);
                const auto right = beat.right(answer.value);
                words = fmt::format("\n    {}\n    {} {} ({}){}", beat.question.filled(find),
                                    number_text(answer.value), unit_of(answer.value, beat.unit),
                                    answer.origin, right ? ": " + beat.choices[*right].text : "");
                one["ask"] = beat.question.filled(find);
                one["formula"] = beat.reveal.text();
                one["reveal"] = answer.value;
                one["right"] = right ? static_cast<int>(*right) + 1 : 0;
            }
            if (print)
                fmt::print("{:3} {} ({}/{}){}\n", i + 1, beat.title, beat.scene.lab,
                           beat.scene.variant, words);
            json.push_back(std::move(one));
        } catch (const Error& error) {
            refuse(talk.name, beat.line, error);
        }
    }
    return all;
}

ExitStatus check(const CheckOptions& options)
{
    Finder finder;
    ordered_json json = ordered_json::array();
    std::size_t changed = 0;
    std::size_t count = 0;
    std::size_t broken = 0;
    std::size_t talks = 0;
    for (const std::string& file : options.files) {
        const std::string text = render::read_file(file, FormText::max_bytes);
        const auto find = labs_and_kernels_in(std::filesystem::path(file).parent_path());
        if (is_lecture(text)) {
            ++talks;
            const Talk talk = read_talk(text, file, nullptr, find);
            broken += check_talk(finder, talk, json, !options.json) ? 0 : 1;
            continue;
        }
        for (const Card& card : read_cards(text, file, find)) {
            ++count;
            changed += check_card(finder, card, json, !options.json) ? 0 : 1;
        }
    }
    if (options.files.empty()) {
        for (const Card& card : embedded_cards()) {
            ++count;
            changed += check_card(finder, card, json, !options.json) ? 0 : 1;
        }
        for (const Talk& talk : embedded_talks()) {
            ++talks;
            broken += check_talk(finder, talk, json, !options.json) ? 0 : 1;
        }
    }
    if (options.json) {
        print_json(json);
    } else {
        if (count > 0)
            fmt::print("{} cards; {}.\n", count,
                       changed == 0 ? std::string("all verdicts match the record")
                                    : fmt::format("{} differ from the record", changed));
        if (talks > 0)
            fmt::print("{}; {}.\n",
                       talks == 1 ? std::string("1 lesson or lecture")
                                  : fmt::format("{} lessons and lectures", talks),
                       broken == 0 ? std::string("no problems found")
                                   : fmt::format("problems in {}", broken));
    }
    return changed + broken == 0 ? ExitStatus::done : ExitStatus::result_wrong;
}

} // namespace

void add_check(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "check", "Check cards, lessons and lectures: verdicts, numbers in "
                 "sentences, correct choices, and pages or maps that would show nothing");
    const auto options = std::make_shared<CheckOptions>();
    command->add_option("files", options->files,
                        "Your own cards or lectures (default: all that Lanescope includes)");
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([&chosen, options] { chosen = [options] { return check(*options); }; });
}

} // namespace lanescope::app
