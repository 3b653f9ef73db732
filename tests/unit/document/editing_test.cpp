// Kernel sources as part of the document: edits create variants, the view shows them once they
// compile, and undo and redo cover sources, sliders and choices. Sessions are compared byte by
// byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "app/document/editing.h"
#include "app/document/edits.h"
#include "app/document/last_session.h"
#include "app/window/interaction/follow.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::test {
namespace {

using namespace app;
using namespace std::chrono_literals;
using testing::HasSubstr;

Document heat()
{
    Session session;
    session.device = "simt";
    session.journal.start = {"heat", "naive", {{"size", "96"}}, 1, ""};
    return document_of(session);
}

// The window's document logic without the window: a fake compiler rejects source with the word
// "wrong" and warns about "idle", and a fake worker opens everything immediately.
class Desk {
public:
    explicit Desk(Document document = heat())
        : edits(std::move(document)), past_journal{edits.document().start, {}, 0}
    {
    }

    const Document& now() const { return edits.document(); }
    void apply(const Command& command)
    {
        when += 10s; // so that commands are not merged into one gesture
        edits.apply(command, when);
        past_journal.steps += 3;
        open();
    }
    void type(const std::string& text)
    {
        apply(EditText{std::string(edited_text(now()).variant), text});
    }
    // Compiles everything pending and opens every validated source.
    void settle()
    {
        for (int i = 0; i < 4; ++i) {
            const auto job = texts_to_validate(now());
            if (!job) break;
            edits.take(outcome_of(*job), nullptr);
            edits.follow_texts();
            open();
        }
    }
    void open()
    {
        while (now().wanted) {
            const Edits::Begun begun = edits.begin_request(past_journal);
            edits.arrive(begun.session, begun.wanted.kind, past_journal);
            past_journal = begun.session.journal;
        }
    }
    std::string session() const { return to_json(fresh_session(now())); }
    std::string shown() const { return std::string(now().lab().source(variant())); }
    const labs::Variant& variant() const { return labs::find_variant(now().lab(), now().variant); }

    Edits edits;
    Journal past_journal;
    Edits::Clock::time_point when{};

private:
    static std::shared_ptr<const TextOutcome> outcome_of(const ValidationJob& job)
    {
        auto outcome = std::make_shared<TextOutcome>();
        outcome->texts = job.texts;
        outcome->values = job.start.values;
        outcome->compile_now = job.compile_now;
        outcome->variant = job.variant;
        for (const auto& [name, text] : job.texts->files) {
            if (text.find("idle") != std::string::npos)
                outcome->complaints.push_back(
                    {.file = name, .line = 3, .warning = true, .sentence = "Idle."});
            if (text.find("wrong") != std::string::npos) {
                outcome->kind = TextOutcome::Kind::refused;
                outcome->sentence = "It does not compile.";
                outcome->complaints.push_back({.file = name, .line = 3, .sentence = "Wrong."});
            }
        }
        if (outcome->kind == TextOutcome::Kind::validated)
            outcome->lab = labs::open_texts(*job.texts).place;
        return outcome;
    }
};

TEST(Editing, EditCreatesVariantShownOnceValidated)
{
    Desk desk;
    const std::string original = desk.shown();
    desk.type(original + "// one");
    EXPECT_EQ(desk.now().variant, "naive") << "what is shown stays";
    EXPECT_TRUE(edited_text(desk.now()).begun);
    EXPECT_EQ(edited_text(desk.now()).variant, "naive_edited");
    EXPECT_EQ(edited_text(desk.now()).file, "naive_edited.cu");
    EXPECT_TRUE(is_pending(desk.now()));
    desk.type(original + "// two");
    desk.settle();
    EXPECT_FALSE(is_pending(desk.now()));
    EXPECT_EQ(desk.now().variant, "naive_edited");
    EXPECT_EQ(desk.shown(), original + "// two");
    EXPECT_EQ(edited_text(desk.now()).text, original + "// two");
    EXPECT_FALSE(edited_text(desk.now()).newer);
    EXPECT_EQ(desk.now().lab().source(desk.now().lab().variants.front()), original);
    ASSERT_EQ(desk.now().bench.versions.size(), 2u);
    EXPECT_EQ(desk.now().bench.versions[0]->number, 0);
    EXPECT_EQ(desk.now().bench.versions[0]->title, "Naive");
    EXPECT_EQ(desk.now().bench.versions[1]->title, "Naive (edited) 1");
}

TEST(Editing, ErrorInHiddenSourceIsReported)
{
    for (const bool beside : {false, true}) {
        Document document = heat();
        document.kernel_file = "/one/naive.cu";
        Desk desk(std::move(document));
        if (beside) desk.apply(ShowTab{"source"});
        desk.type("wrong");
        desk.settle();
        const Message* const error = desk.now().log.error();
        ASSERT_EQ(error != nullptr, !beside);
        if (!beside) {
            EXPECT_THAT(error->text, testing::StartsWith("It does not compile. The picture still"));
        }
    }
}

TEST(Editing, EqualFilesKeepSeparateEdits)
{
    Document document = heat();
    document.kernel_file = "/one/saxpy.cu";
    document.on_disk["/one/saxpy.cu"] = std::string("as it was");
    labs::Texts typed = *document.texts;
    typed.files["saxpy.cu"] = "typed, and not yet compiled";
    document.texts = typed;
    ASSERT_EQ(unsaved_words(document).size(), 1U);
    Document other = heat();
    other.kernel_file = "/other/saxpy.cu";
    stash_texts(document, other);
    document.kernel_file = other.kernel_file;
    EXPECT_TRUE(document.texts->files.empty());
    EXPECT_THAT(unsaved_words(document),
                testing::ElementsAre("Changes to saxpy.cu have not been saved."));
}

// The text in the editor survives another launch of its script; texts beside it are not the script.
TEST(Editing, ScriptKeepsItsTextWhenItsLaunchOpens)
{
    const auto launch = [](const std::string& text) {
        Document document = heat();
        document.kernel_file = "/one/saxpy.py";
        labs::Texts texts = *document.texts;
        texts.files["saxpy.py"] = text;
        document.texts = std::move(texts);
        return document;
    };
    Document document = launch("typed while it ran");
    document.on_disk["/one/saxpy.py"] = std::string("as it ran");
    stash_texts(document, launch("as it ran"));
    EXPECT_EQ(document.texts->files.at("saxpy.py"), "typed while it ran");
    EXPECT_TRUE(document.left.empty());
    labs::Texts texts = *document.texts;
    texts.files["naive_edited.cu"] = "not in the script";
    document.texts = texts;
    EXPECT_THAT(unsaved_texts(document), testing::ElementsAre("saxpy.py"));
    document.on_disk["/one/saxpy.py"] = std::string("typed while it ran");
    EXPECT_THAT(unsaved_texts(document), testing::IsEmpty());
}

TEST(Editing, RejectedTextKeepsCurrentView)
{
    Desk desk;
    desk.type("good");
    desk.settle();
    const std::string place = desk.now().start.lab;
    desk.type("wrong");
    desk.settle();
    EXPECT_EQ(desk.now().start.lab, place);
    EXPECT_EQ(desk.shown(), "good");
    EXPECT_EQ(edited_text(desk.now()).text, "wrong");
    ASSERT_EQ(complaints_of(desk.now(), "naive_edited.cu").size(), 1u);
    EXPECT_FALSE(is_stale(desk.now()));
    desk.type("wrong, still");
    EXPECT_TRUE(is_stale(desk.now())) << "its complaints are of an older text";
    EXPECT_EQ(complaints_of(desk.now(), "naive_edited.cu").size(), 1u);
    desk.apply(RevertText{});
    EXPECT_EQ(edited_text(desk.now()).text, "good");
    EXPECT_TRUE(complaints_of(desk.now(), "naive_edited.cu").empty());
}

TEST(Editing, ShownTextMayHaveWarnings)
{
    Desk desk;
    desk.type("idle");
    desk.settle();
    EXPECT_EQ(desk.shown(), "idle");
    ASSERT_EQ(complaints_of(desk.now(), "naive_edited.cu").size(), 1u);
    desk.type("good");
    desk.settle();
    EXPECT_TRUE(complaints_of(desk.now(), "naive_edited.cu").empty());
}

TEST(Editing, RevertCommandCanBeUndone)
{
    Desk desk;
    for (const char* text : {"one", "two", "three"}) {
        desk.type(text);
        desk.settle();
    }
    desk.apply(GoToVersion{});
    desk.settle();
    EXPECT_EQ(desk.shown(), "two");
    desk.apply(GoToVersion{});
    desk.settle();
    EXPECT_EQ(desk.shown(), "one");
    EXPECT_EQ(desk.now().bench.versions.size(), 4u) << "nothing new";
    desk.apply(GoToVersion{});
    desk.settle();
    EXPECT_EQ(desk.shown(), labs::find("heat").source(labs::find("heat").variants.front()));
    desk.apply(Undo{});
    desk.settle();
    EXPECT_EQ(desk.shown(), "one");
    desk.apply(GoToVersion{"", 3});
    desk.settle();
    EXPECT_EQ(desk.shown(), "three");
    desk.apply(GoToVersion{"", 17});
    ASSERT_NE(desk.now().log.error(), nullptr);
    EXPECT_THAT(desk.now().log.error()->text, HasSubstr("There is no version 17"));
}

TEST(Editing, ComparesAnyTwoVersions)
{
    Desk desk;
    for (const char* text : {"one", "two", "three"}) {
        desk.type(text);
        desk.settle();
    }
    desk.apply(CompareVersion{"naive_edited", 1});
    desk.settle();
    EXPECT_EQ(desk.now().variant, "naive_edited");
    EXPECT_EQ(desk.shown(), "three");
    const labs::Variant& other = labs::find_variant(desk.now().lab(), desk.now().look.compare);
    EXPECT_EQ(other.title, "Naive (edited) 1");
    EXPECT_EQ(desk.now().lab().source(other), "one");
    const std::string place = desk.now().start.lab;
    desk.apply(Compare{""});
    desk.apply(CompareVersion{"naive_edited", 1});
    desk.settle();
    EXPECT_EQ(desk.now().start.lab, place) << "it exists already";
    EXPECT_EQ(desk.now().look.compare, other.id);
    desk.apply(CompareVersion{"naive_edited", 0});
    EXPECT_EQ(desk.now().look.compare, "naive");
}

TEST(Editing, ReturningToLabRestoresTexts)
{
    Desk desk;
    desk.type("mine");
    desk.settle();
    desk.type("mine, wrong");
    desk.settle();
    desk.apply(ChooseLab{"transpose", ""});
    EXPECT_EQ(desk.now().lab().id, "transpose");
    EXPECT_TRUE(desk.now().texts->files.empty());
    EXPECT_TRUE(desk.now().bench.versions.empty());
    desk.apply(ChooseLab{"heat", ""});
    EXPECT_EQ(desk.now().texts->files.at("naive_edited.cu"), "mine, wrong");
    EXPECT_EQ(desk.now().bench.versions.size(), 2u);
    desk.apply(ChooseVariant{"naive_edited"});
    EXPECT_EQ(desk.shown(), "mine");
}

TEST(Editing, UndoesTypingLineByLine)
{
    Desk desk;
    const std::string before = desk.session();
    auto at = desk.when + 10s;
    std::string text = desk.shown();
    for (const char one : std::string("// ab\n// cd")) {
        text += one;
        desk.edits.apply(EditText{std::string(edited_text(desk.now()).variant), text}, at += 50ms);
    }
    EXPECT_EQ(desk.edits.past(), 2u);
    desk.apply(Undo{});
    EXPECT_TRUE(edited_text(desk.now()).text.ends_with("// ab"));
    desk.apply(Undo{});
    EXPECT_EQ(desk.session(), before);
}

TEST(Editing, KeepsSliderMovedDuringCompilation)
{
    Desk desk;
    desk.type("one");
    desk.apply(SetValue{"diffusion", "0.125"}); // while the edit is still being validated
    desk.settle();
    EXPECT_EQ(desk.now().variant, "naive_edited");
    EXPECT_EQ(desk.now().values.at("diffusion"), "0.125");
    desk.apply(Undo{});
    EXPECT_EQ(desk.now().variant, "naive_edited") << "the same texts have been validated";
    EXPECT_NE(desk.now().values.at("diffusion"), "0.125");
    desk.apply(Undo{});
    desk.settle();
    EXPECT_EQ(desk.now().variant, "naive");
    EXPECT_EQ(desk.now().start.lab, "heat");
}

TEST(Editing, ManualCompilationWaitsForKey)
{
    Desk desk;
    desk.apply(SetAutomaticCompiling{false});
    desk.type("one");
    EXPECT_FALSE(texts_to_validate(desk.now()));
    desk.apply(CompileNow{});
    EXPECT_TRUE(texts_to_validate(desk.now()));
    desk.settle();
    EXPECT_EQ(desk.shown(), "one");
    desk.type("two");
    EXPECT_FALSE(texts_to_validate(desk.now()));
}

Command random_command(std::mt19937& random, const Document& document)
{
    const labs::Lab& lab = document.lab();
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    switch (random() % 12) {
    case 0:
    case 1:
    case 2:
    case 3: {
        const EditedText now = edited_text(document);
        std::string text(now.text);
        if (below(3) == 0)
            text += "wrong";
        else if (const auto at = text.find("wrong"); at != std::string::npos)
            text.erase(at);
        text += static_cast<char>('a' + below(26));
        return EditText{std::string(now.variant), text};
    }
    case 4: return ChooseVariant{lab.variants[below(lab.variants.size())].id};
    case 5: return SetValue{"diffusion", "0." + std::to_string(10 + below(15))};
    case 6: return SetValue{"size", std::to_string(64 + below(4))};
    case 7: return ChoosePreset{below(4)};
    case 8: return RevertText{};
    case 9: return BeginVariant{"Mine"};
    case 10: return SetMap{below(2) == 0 ? "off" : "active_lanes"};
    default: return Paint{{0.5, 0.25, 0.1, false}};
    }
}

// A random walk of 500 edits, undos and redos. If `settles`, sources are compiled after each step.
void walk(unsigned seed, bool settles)
{
    std::mt19937 random(seed);
    Desk desk;
    std::vector<std::string> sessions{desk.session()};
    std::vector<labs::Texts> texts{*desk.now().texts};
    std::size_t at = 0;
    for (int i = 0; i < 500; ++i) {
        const unsigned move = random() % 10;
        if (move < 3 && at > 0) {
            desk.apply(Undo{});
            --at;
        } else if (move < 5 && at + 1 < sessions.size()) {
            desk.apply(Redo{});
            ++at;
        } else {
            const std::size_t past = desk.edits.past();
            desk.apply(random_command(random, desk.now()));
            ASSERT_EQ(desk.now().log.error(), nullptr) << desk.now().log.error()->text;
            if (settles || random() % 3 == 0) desk.settle();
            if (desk.edits.past() == past && past < Edits::max_kept) continue; // nothing changed
            sessions.resize(++at);
            texts.resize(at);
            sessions.push_back(desk.session());
            texts.push_back(*desk.now().texts);
            continue;
        }
        if (settles || random() % 3 == 0) desk.settle();
        EXPECT_EQ(*desk.now().texts, texts[at]) << "seed " << seed << ", move " << i;
        if (settles) {
            ASSERT_EQ(desk.session(), sessions[at]) << "seed " << seed << ", move " << i;
        }
    }
    EXPECT_GT(sessions.size(), 20u);
}

TEST(Editing, UndoAndRedoCoverTextsSlidersAndChoices)
{
    for (unsigned seed = 1; seed <= 5; ++seed) walk(seed, true);
}

TEST(Editing, UndoAndRedoWorkDuringCompilation)
{
    for (unsigned seed = 1; seed <= 5; ++seed) walk(seed, false);
}

TEST(Sessions, ContainTextsAndDraft)
{
    Desk desk;
    desk.type("one\n\"quoted\" \\ and Ünïcode\n");
    desk.settle();
    const std::string settled = desk.session();
    EXPECT_THAT(settled, testing::Not(HasSubstr("draft")));
    EXPECT_EQ(to_json(session_from_json(settled, "a.json")), settled);
    desk.type("two, wrong");
    const std::string json = desk.session();
    const Session read = session_from_json(json, "a.json");
    EXPECT_EQ(to_json(read), json);
    EXPECT_EQ(read.journal.start.lab, desk.now().start.lab);
    const Document again = document_of(read);
    EXPECT_EQ(again.texts, desk.now().texts);
    EXPECT_EQ(edited_text(again).text, "two, wrong");
    // Pictures contain the same JSON.
    EXPECT_EQ(as_png_text(read).at("lanescope"), json);
}

TEST(Sessions, ReportBrokenTexts)
{
    const auto refusal = [](const std::string& fields) {
        try {
            session_from_json("{\"lanescope_session\": 1,\n" + fields + "}", "a.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("read");
    };
    EXPECT_THAT(refusal(R"("lab": "heat", "files": {"../x.cu": ""})"),
                HasSubstr("'../x.cu' cannot be a file of a lab"));
    EXPECT_THAT(refusal(R"("lab": "heat", "files": {"lab.json": "{"})"), HasSubstr("line 2"));
    EXPECT_THAT(refusal(R"("lab": "nowhere", "files": {"a.cu": ""})"),
                HasSubstr("There is no lab 'nowhere'"));
    EXPECT_THAT(refusal("\"lab\": \"heat\", \"files\": {\"a.cu\": \"" +
                        std::string(labs::max_text_bytes, 'x') + "\"}"),
                HasSubstr("may total 1024 KB"));
    EXPECT_THAT(refusal(R"("lab": "heat", "draft": {"files": {"a/b.cu": ""}})"),
                HasSubstr("cannot be a file of a lab"));
    EXPECT_EQ(refusal(R"("lab": "heat", "files": {"notes.md": "x"})"), "read");
}

TEST(Sessions, KeepUnavailableKernelsAsDraft)
{
    Desk desk;
    desk.type("ends the program");
    desk.settle();
    const auto safe = without_own_kernels(fresh_session(desk.now()));
    ASSERT_TRUE(safe);
    const Document document = document_of(session_from_json(to_json(*safe), "a.json"));
    EXPECT_EQ(document.start.lab, "heat");
    EXPECT_EQ(document.variant, "naive");
    EXPECT_EQ(edited_text(document).text, "ends the program");
    EXPECT_TRUE(is_pending(document));
}

TEST(Versions, MatchLinesAndCompareCosts)
{
    EXPECT_EQ(matching_lines("a\nb\nc", "a\nc\nd"), (std::vector{1, 3, 0}));
    EXPECT_EQ(matching_lines("", "a"), (std::vector{0}));
    EXPECT_EQ(matching_lines("a\nb\na\nb", "b\na\nb\na"), (std::vector{2, 3, 4, 0}));
    EXPECT_EQ(matching_lines("x\ny", "x\ny"), (std::vector{1, 2}));

    const auto version = [](int number, const std::string& text, int line, std::uint64_t sectors,
                            int second) {
        trace::Trace trace;
        for (const auto& [at, count] :
             {std::pair{line, sectors}, std::pair{second, std::uint64_t{5}}}) {
            if (at == 0) continue;
            trace::Site site;
            site.file = "x/a.cu";
            site.line = at;
            site.space = trace::Space::global;
            trace.sites.push_back(std::move(site));
            trace::Counts counts;
            counts.executions = 2;
            counts.sectors = count;
            trace.counts.push_back(counts);
        }
        StepCost cost;
        cost.values = {{"size", "1"}};
        cost.totals.global_load.sectors = sectors;
        cost.trace = std::make_shared<const trace::Trace>(std::move(trace));
        Version one;
        one.number = number;
        one.file = "a.cu";
        one.text = text;
        one.cost = std::make_shared<const StepCost>(std::move(cost));
        return one;
    };
    const Version was = version(1, "head\nload\nstore\ntail", 2, 100, 3);
    const Version is = version(2, "head\nnew\nload\ntail", 3, 13, 0);
    const auto all = difference(was, is);
    ASSERT_TRUE(all);
    EXPECT_NEAR(*all->sectors.share(), -0.87, 1e-9);
    EXPECT_TRUE(all->any());
    const auto lines = line_differences(was, is);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].line, 3);
    EXPECT_EQ(lines[0].was, 2);
    EXPECT_EQ(lines[0].sectors.is, 13);
    EXPECT_EQ(lines[1].line, 4) << "where the store stood";
    EXPECT_TRUE(lines[1].gone);
    EXPECT_EQ(lines[1].sectors.was, 5);
    Version elsewhere = is;
    auto other = std::make_shared<StepCost>(*is.cost);
    other->values["size"] = "2";
    elsewhere.cost = other;
    EXPECT_FALSE(difference(was, elsewhere)) << "counted with other values";
}

} // namespace
} // namespace lanescope::test
