// Texts of lessons, lectures and cards: they parse, all names in them exist, every question has an
// answer, and the result of every card is the recorded one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>

#include "app/document/document.h"
#include "app/draw/scene/maps.h"
#include "app/lessons/cards.h"
#include "app/lessons/problems.h"
#include "app/lessons/talk.h"
#include "app/window/input/events/chords.h"
#include "app/window/input/keys.h"
#include "assets/assets.h"
#include "compute/error.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

std::string complaint(const std::string& text)
{
    try {
        read_talk(text, "my.lecture");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const std::string head = "lecture: One\n\nbeat: A\nshow: heat/naive\n";

// The bars and the list of variants must not answer a question that is still to come.
TEST(Talks, WithholdRecordedTimesUntilTheirAnswer)
{
    Presentation presentation;
    presentation.talk = std::make_shared<const Talk>(
        read_talk(head + "\nbeat: B\nask: How long?\nreveal: time_ms(heat/naive, dram)\n"
                         "\nbeat: C\nask: And now?\nreveal: time_ms(heat/naive, dram)\n",
                  "my.lecture"));
    EXPECT_TRUE(presentation.withholds_time("heat", "naive"));
    EXPECT_FALSE(presentation.withholds_time("heat", "shared_tile")) << "nothing asks about it";
    presentation.beat = 1;
    EXPECT_TRUE(presentation.withholds_time("heat", "naive"));
    presentation.revealed = true;
    EXPECT_FALSE(presentation.withholds_time("heat", "naive"));
    presentation.beat = 2;
    presentation.revealed = false;
    EXPECT_FALSE(presentation.withholds_time("heat", "naive")) << "it has been shown";
    EXPECT_FALSE(Presentation{}.withholds_time("heat", "naive"));
}

TEST(LessonText, ErrorsNameLine)
{
    const std::pair<std::string, const char*> wrong[] = {
        {"", "my.lecture, line 1: It contains no beat."},
        {"beat: A\n", "my.lecture, line 1: The first line must be \"lecture: TITLE\"."},
        {" on\n", "my.lecture, line 1: The line starts with a blank"},
        {"lecture: One\nshow: heat/naive\n", "line 2: \"beat: TITLE\" must come first."},
        {"lecture: One\nbeat: A\nsay: x\n", "line 2: The beat \"A\" shows nothing"},
        {head + "words\n", "line 5: \"words\" is not written as \"key: value\"."},
        {head + "mapp: off\n", "line 5: There is no key \"mapp\". Available: beat, show, preset"},
        {head + "map: sectors_per_request\n", "line 5: There is no map \"sectors_per_request\""},
        {head + "map:\n", "line 5: There is no value after \"map:\"."},
        {head + "map: off\nmap: off\n", "line 6: This beat already has \"map\"."},
        {head + "view: cube\n", "line 5: There is no view \"cube\""},
        {head + "compare: nobody\n", "line 5:"},
        {head + "request: line \"nothing\",1\n",
         "line 5: No line of naive.cu contains \"nothing\""},
        {head + "request: 1000\n", "line 5: There is no site 1000"},
        {head + "page: cover\n", "line 5: There is no page \"cover\""},
        {head + "line: no such thing\n", "line 5: No line of naive.cu contains"},
        {head + "paused: maybe\n", "line 5: \"maybe\" is neither on nor off."},
        {head + "preset: heat | No such one\n", "line 5: The lab heat has no preset"},
        {head + "preset: heat\n", "line 5: \"heat\" is not a preset of a lab."},
        {head + "ask: How many?\n",
         "line 3: The beat \"A\" has a question but no answer to reveal"},
        {head + "reveal: 1 + 1\n",
         "line 3: The beat \"A\" has an answer to reveal but no question"},
        {head + "ask: ?\nreveal: sectors(heat/nobody)\n", "line 6:"},
        {head + "ask: ?\nreveal: 4\nchoice: 4\n", "line 3: The beat \"A\" has 1 choices"},
        {head + "ask: ?\nreveal: 4\nchoice: 4\nchoice: 5\nchoice: 6\nchoice: 7\nchoice: 8\n",
         "line 3: The beat \"A\" has 5 choices; 2 to 4 are allowed."},
        {head + "ask: ?\nreveal: 4\ncountdown: soon\n",
         "line 7: \"soon\" is not a number of seconds."},
        {head + "countdown: 30\n", "line 3: The beat \"A\" has a countdown but no question"},
        {head + "ask: ?\nreveal: 4\nchoice: many\n",
         "line 7: The choice \"many\" has no condition"},
        {head + "ask: ?\nreveal: 4\nchoice: 4\nchoice: more | > 4\n",
         "some choices have conditions"},
        {head + "say: {sectors(heat/naive}\n", "line 5:"},
        {head + "say: {sectors\n", "line 5: A \"{\" has no \"}\"."},
        {"lecture: One\nbeat: A\nshow: heat/nobody\n", "line 3:"},
        {"lecture: One\nbeat: A\nshow: nowhere/naive\n", "line 3:"},
        {"lecture: One\nbeat: A\nshow: heat/naive, size\n", "line 3: \"size\" sets nothing."},
        {"lecture: One\nbeat: A\nshow: heat/naive, size=0\n", "line 3:"},
        {"lecture: One\nbeat: A\nshow: heat/naive, weight=3\n", "line 3:"},
    };
    for (const auto& [text, words] : wrong)
        EXPECT_NE(complaint(text).find(words), std::string::npos)
            << text << "\n"
            << complaint(text) << "\n(" << words << ")";
    EXPECT_EQ(complaint(head + "map: off\n"), "");
}

TEST(LessonText, BeatsInheritUnsetFields)
{
    const Talk talk = read_talk("# a note\nlecture: One\n"
                                "beat: A\nshow: heat/naive, size=96\nmap: active_lanes\n"
                                "say: first\n  and more\n"
                                "beat: B\ncompare: float4\n"
                                "beat: C\nshow: rod/shared\nmap: sectors\nmap_of: stores\n",
                                "one");
    ASSERT_EQ(talk.beats.size(), 3u);
    EXPECT_EQ(talk.beats[0].say.pieces.front().text, "first and more");
    EXPECT_EQ(talk.beats[1].scene.variant, "naive");
    EXPECT_EQ(talk.beats[1].scene.values.at("size"), "96");
    EXPECT_EQ(talk.beats[1].scene.map, "active_lanes");
    EXPECT_EQ(talk.beats[1].scene.compare, "float4");
    EXPECT_TRUE(talk.beats[1].say.empty()) << "words are of one beat";
    EXPECT_EQ(talk.beats[2].scene.lab, "rod");
    EXPECT_EQ(talk.beats[0].scene.map_of, trace::Scope::all);
    EXPECT_EQ(talk.beats[2].scene.map_of, trace::Scope::stores);
    Look look;
    apply_scene(look, talk.beats[2].scene);
    EXPECT_EQ(look.map_of, trace::Scope::stores);
    EXPECT_EQ(talk.beats[2].scene.memory, "") << "another scene begins plain";
    EXPECT_EQ(talk.beats[2].scene.compare, "");
}

TEST(LessonText, ValueSelectsRightChoice)
{
    const Talk talk = read_talk(head + "ask: ?\nreveal: 4\nchoice: 4\nchoice: 1,024 of them\n"
                                       "beat: B\nask: ?\nreveal: 1\nchoice: less | < 1\n"
                                       "choice: more | > 1\n",
                                "one");
    EXPECT_EQ(talk.beats[0].right(4.1), 0u);
    EXPECT_EQ(talk.beats[0].right(1000), 1u);
    EXPECT_FALSE(talk.beats[0].right(4.38)) << "it is not 4";
    EXPECT_NEAR(talk.beats[0].choices[0].distance(4.38), 0.095, 1e-9);
    EXPECT_EQ(talk.beats[1].right(0.5), 0u);
    EXPECT_EQ(talk.beats[1].right(2), 1u);
    EXPECT_FALSE(talk.beats[1].right(1)) << "no choice is right";
}

TEST(LessonText, EveryLabHasLessonAndLectureHasThirtyBeats)
{
    std::size_t lectures = 0;
    std::set<std::string> lessons;
    for (const Talk& talk : embedded_talks()) {
        if (!talk.lesson_of.empty()) {
            lessons.insert(talk.lesson_of);
            continue;
        }
        ++lectures;
        std::set<std::string> labs;
        for (const Beat& beat : talk.beats) labs.insert(beat.scene.lab);
        EXPECT_EQ(talk.beats.size(), 30u) << talk.name;
        EXPECT_GE(labs.size(), 5u) << talk.name;
    }
    EXPECT_EQ(lectures, 1u);
    EXPECT_EQ(lessons.size(), labs::all().size());
}

// This includes names that can only be looked up in a running experiment.
TEST(LessonText, NamesExistAndQuestionsHaveAnswers)
{
    Measurer measurer;
    std::map<std::string, Answer> found;
    const Find find = [&](const Formula& formula) {
        return &found.insert_or_assign(formula.text(), measurer.find(formula)).first->second;
    };
    const auto device = simt::make_device();
    device::PlainAllocator plain(*device);
    std::size_t questions = 0;
    for (const Talk& talk : embedded_talks())
        for (const Beat& beat : talk.beats) {
            SCOPED_TRACE(talk.name + ": " + beat.title);
            const auto at = &beat - talk.beats.data();
            for (const std::string& problem :
                 problems_of(beat, at == 0 ? BeatState{} : talk.beats[at - 1].after, find))
                ADD_FAILURE() << problem;
            for (const Formula& formula : beat.formulas()) {
                const Answer answer = measurer.find(formula);
                EXPECT_TRUE(std::isfinite(answer.value)) << formula.text();
                if (!(formula == beat.reveal)) continue;
                ++questions;
                EXPECT_FALSE(beat.unit.empty());
            }
            if (beat.scene.memory.empty()) continue;
            const labs::Lab& lab = labs::find(beat.scene.lab);
            labs::Values values(lab);
            for (const auto& [id, text] : beat.scene.values) values.set(id, text);
            const auto experiment = lab.start(
                {*device, plain, lab, labs::find_variant(lab, beat.scene.variant), values, 1, {}});
            EXPECT_TRUE(std::ranges::any_of(experiment->memory(), [&](const auto& one) {
                return one.name == beat.scene.memory;
            })) << beat.scene.memory;
        }
    EXPECT_GE(questions, 20u);
}

TEST(LessonText, NumbersInSentencesAreFound)
{
    const auto typed = [](const char* text) { return typed_number(read_words(text)); };
    EXPECT_EQ(typed("On an H100 float4 is {1 + 1} times as fast, by L2."), "");
    EXPECT_EQ(typed("Three loads, where there were more."), "three");
    EXPECT_EQ(typed("it takes {1} of 32 lanes"), "32");
    EXPECT_EQ(typed("and half of them"), "half");
    for (const Card& card : embedded_cards())
        EXPECT_EQ(typed_number(card.because), "") << card.name << ", line " << card.line;
}

TEST(Cards, NumberAtLeastTwentyWithSources)
{
    const auto cards = embedded_cards();
    EXPECT_GE(cards.size(), 20u);
    std::set<std::string> claims;
    for (const Card& card : cards) {
        claims.insert(card.claim);
        EXPECT_FALSE(card.source.empty()) << card.claim;
    }
    EXPECT_EQ(claims.size(), cards.size());
}

TEST(Cards, CurrentLabComesFirst)
{
    const auto [cards, own] = cards_for(labs::find("transpose"));
    EXPECT_EQ(cards.size(), embedded_cards().size());
    EXPECT_GE(own, 1u);
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const bool about = std::ranges::any_of(cards[i]->tests, [](const CardTest& test) {
            return test.formula.text().find("(transpose/") != std::string::npos;
        });
        EXPECT_EQ(about, i < own) << cards[i]->claim;
    }
}

TEST(Cards, ReproduceRecordedResults)
{
    Measurer measurer;
    std::set<std::string> verdicts;
    for (const Card& card : embedded_cards()) {
        std::vector<bool> holds;
        for (const CardTest& test : card.tests)
            holds.push_back(test.condition.holds(measurer.find(test.formula).value));
        const std::string verdict = card.verdict(holds);
        EXPECT_EQ(verdict, card.recorded)
            << card.name << ", line " << card.line << ": " << card.claim;
        verdicts.insert(verdict.substr(0, 9));
        for (const Formula& formula : card.formulas()) EXPECT_NO_THROW(measurer.find(formula));
    }
    EXPECT_EQ(verdicts.size(), 3u) << "right, wrong, and right for some";
}

TEST(Cards, ClaimedPercentagesAreFoundInPercent)
{
    const auto cards = read_cards("card: A\nsource: s\ntest: t | 100 * 1 / 32 | = 3.125\n"
                                  "test: u | 1 / 32 | = 0.5\nverdict: wrong\nbecause: b\n",
                                  "c");
    const auto& tests = cards.front().tests;
    EXPECT_EQ(tests[0].claimed(), "= 3.125%");
    EXPECT_EQ(tests[0].found(3.125), "3.125%");
    EXPECT_EQ(tests[0].found(12.5), "12.5%");
    EXPECT_EQ(tests[1].claimed(), "= 0.5");
    EXPECT_EQ(tests[1].found(0.25), "0.25");
}

TEST(Cards, ErrorsNameLine)
{
    const std::string whole = "card: A\nsource: s\ntest: t | 1 | = 1\nverdict: right\nbecause: b\n";
    EXPECT_EQ(read_cards(whole, "c").size(), 1u);
    const std::pair<std::string, const char*> wrong[] = {
        {"", "c, line 1: It contains no card."},
        {"source: s\n", "c, line 1: \"card: CLAIM\" must come first."},
        {"card: A\n", "c, line 1: The card \"A\" has no \"source\"."},
        {"card: A\nsource: s\n", "c, line 1: The card \"A\" has no \"test\"."},
        {"card: A\nsource: s\ntest: t | 1\n", "c, line 3: \"t | 1\" is not a test."},
        {"card: A\ntest: t | 1 | about 1\n", "c, line 2: \"about 1\" is not a condition."},
        {"card: A\nsource: s\nsource: s\n", "c, line 3: This card already has \"source\"."},
        {"card: A\nclaim: s\n", "c, line 2: There is no key \"claim\"."},
        {whole + "card: B\n", "c, line 6: The card \"B\" has no \"source\"."},
    };
    for (const auto& [text, words] : wrong) {
        std::string said;
        try {
            read_cards(text, "c");
        } catch (const Error& error) {
            said = error.what();
        }
        EXPECT_NE(said.find(words), std::string::npos) << text << "\n" << said;
    }
}

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Returns the first capture group of each match.
std::vector<std::string> all_of(const std::string& text, const char* pattern)
{
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), expression);
         at != std::sregex_iterator(); ++at)
        found.push_back((*at)[1].str());
    return found;
}

// Names that a Markdown lesson may contain: variants, presets, parameters, choices, views and labs
// in bold, keys and commands as code, maps as plain words.
class Names {
public:
    explicit Names(const labs::Lab& lab)
    {
        for (const labs::Lab& one : labs::all()) titles_.insert(lower(one.title));
        for (const labs::Variant& one : lab.variants) titles_.insert(lower(one.title));
        for (const labs::Preset& one : lab.presets) titles_.insert(lower(one.title));
        for (const labs::Parameter& one : lab.parameters) {
            titles_.insert(lower(one.title));
            for (const std::string& choice : one.choices) titles_.insert(lower(choice));
        }
        for (const std::string& view : lab.views) titles_.insert(lower(view));
    }

    // Accepts a whole title, its start, or the part after a comma.
    bool has(const std::string& bold) const
    {
        const std::string name = lower(bold);
        return std::ranges::any_of(titles_, [&](const std::string& title) {
            if (title == name) return true;
            if (title.starts_with(name + ",") || title.starts_with(name + " ")) return true;
            return title.ends_with(", " + name);
        });
    }

private:
    std::set<std::string> titles_;
};

bool is_a_map(const std::string& words)
{
    return std::ranges::any_of(map_names(), [&](const std::string& name) {
        const std::string title =
            lower(map_title(name) + " " + std::regex_replace(name, std::regex("_"), " "));
        for (const std::string& word : all_of(lower(words), "([a-z]+)"))
            if (word != "over" && title.find(word) == std::string::npos) return false;
        return true;
    });
}

bool is_a_key(const std::string& text)
{
    return std::ranges::any_of(key_table(), [&](const KeyRow& row) {
        const std::string keys = std::string(" ") + row.keys + " ";
        return keys.find(" " + text + " ") != std::string::npos;
    });
}

// Returns the names in the lesson that do not exist.
std::vector<std::string> unknown_names(const labs::Lab& lab, const std::string& lesson)
{
    const std::string text = std::regex_replace(lesson, std::regex("\\s+"), " ");
    const Names names(lab);
    std::vector<std::string> unknown;
    for (const std::string& bold : all_of(text, "\\*\\*([^*]+)\\*\\*"))
        if (!std::isdigit(static_cast<unsigned char>(bold.front())) && !names.has(bold))
            unknown.push_back("**" + bold + "**");
    for (const std::string& words : all_of(
             text,
             "(?:[Mm]ap of|[Hh]eatmap on) (?:the )?([a-z]+(?: [a-z]+){0,2}?)(?= \\(|[,:.;]| of )"))
        if (!is_a_map(words)) unknown.push_back("map of " + words);
    for (const std::string& code : all_of(text, "`([^`]{1,2})`"))
        if (!is_a_key(code) && code != "if" && code != "k") unknown.push_back("`" + code + "`");
    if (text.find("per request") != std::string::npos) unknown.emplace_back("per request");
    return unknown;
}

TEST(Lessons, NamesExist)
{
    const labs::Lab& heat = labs::find("heat");
    EXPECT_EQ(unknown_names(heat, "**Naive** with the map of active lanes, `H`.").size(), 0u);
    EXPECT_EQ(unknown_names(heat, "**Naiv**").size(), 1u);
    EXPECT_EQ(unknown_names(heat, "the map of active wires, then").size(), 1u);
    EXPECT_EQ(unknown_names(heat, "the heatmap on sectors a day.").size(), 1u);
    EXPECT_EQ(unknown_names(heat, "press `Q`").size(), 1u);
    for (const labs::Lab& lab : labs::all())
        for (const std::string& name : unknown_names(lab, std::string(lab.lesson())))
            ADD_FAILURE() << lab.id << "/lesson.md names " << name << ", which there is not.";
}

TEST(Lessons, VariantLinksExist)
{
    std::size_t links = 0;
    for (const labs::Lab& lab : labs::all())
        for (const std::string& target :
             all_of(std::string(lab.lesson()), "\\]\\(([a-z_]+/[a-z_0-9]+)\\)")) {
            ++links;
            const std::size_t slash = target.find('/');
            EXPECT_NO_THROW(
                labs::find_variant(labs::find(target.substr(0, slash)), target.substr(slash + 1)))
                << lab.id << ": " << target;
        }
    EXPECT_GE(links, 1u);
}

TEST(Lessons, MeasurementsNameDeviceDriverAndDate)
{
    for (const labs::Lab& lab : labs::all()) {
        const std::string text(lab.lesson());
        for (const std::string device : {"H100", "H200"}) {
            if (text.find(device) == std::string::npos) continue;
            const std::regex named("NVIDIA " + device +
                                   "( \\([^)]*\\))?, driver [0-9.]+, 20[0-9]{2}-[0-9]{2}-[0-9]{2}");
            EXPECT_TRUE(std::regex_search(text, named)) << lab.id << ": " << device;
        }
    }
}

// Returns counts typed as digits, which may become outdated unnoticed. Formulas are allowed.
std::vector<std::string> typed_counts(const std::string& lesson)
{
    const std::size_t measured = lesson.find("NVIDIA H");
    const std::string text =
        std::regex_replace(lesson.substr(0, measured), std::regex("\\s+"), " ");
    return all_of(text, "([0-9][0-9,]{2,} (?:(?:load|store|shared|atomic|warp) )?"
                        "(?:sectors|requests|wavefronts|instructions|phases|branches))");
}

TEST(Lessons, CountsAreNotTyped)
{
    EXPECT_EQ(typed_counts("it makes 318,914 load\nsectors").size(), 1u);
    EXPECT_EQ(typed_counts("{load_sectors(heat/naive)} load sectors, 32 sectors").size(), 0u);
    for (const labs::Lab& lab : labs::all())
        for (const std::string& count : typed_counts(std::string(lab.lesson())))
            ADD_FAILURE() << lab.id << "/lesson.md types \"" << count << "\": write a formula.";
}

// Presets alone are not a lesson: every lesson asks at least one question.
TEST(Lessons, EveryLabHasQuestion)
{
    for (const labs::Lab& lab : labs::all()) {
        const auto lesson = lesson_of(lab);
        ASSERT_TRUE(lesson) << lab.id;
        EXPECT_TRUE(std::ranges::any_of(lesson->beats, [](const Beat& beat) {
            return !beat.question.empty();
        })) << lab.id;
    }
}

TEST(Lessons, FormulasResolve)
{
    Measurer measurer;
    std::size_t numbers = 0;
    for (const labs::Lab& lab : labs::all())
        for (const Words::Piece& piece : read_words(lab.lesson()).pieces) {
            if (piece.formula.empty()) continue;
            ++numbers;
            EXPECT_NO_THROW(measurer.find(piece.formula)) << lab.id << ": " << piece.formula.text();
        }
    EXPECT_GE(numbers, 15u);
}

} // namespace
} // namespace lanescope::app
