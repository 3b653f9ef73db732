// Undo and redo restore the document after every kind of edit. Saved sessions are compared byte by
// byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/document/edits.h"
#include "app/document/look/subject.h"

namespace lanescope::test {
namespace {

using namespace app;
using namespace std::chrono_literals;

Document heat()
{
    Session session;
    session.device = "simt";
    session.journal.start = {"heat", "naive", {{"size", "96"}}, 1, ""};
    return document_of(session);
}

// Edits, with a fake worker that opens everything immediately and accepts every change.
class Bench {
public:
    explicit Bench(Document document) : edits(document), past_journal{document.start, {}, 0} {}

    void apply(const Command& command)
    {
        when += 10s; // so that commands are not merged into one gesture
        do_at(command, when);
    }
    void do_at(const Command& command, Edits::Clock::time_point at)
    {
        const Document was = edits.document();
        edits.apply(command, at);
        past_journal.steps += 3;
        follow(was, edits.document());
        if (edits.document().wanted) {
            const Edits::Begun begun = edits.begin_request(past_journal);
            edits.arrive(begun.session, begun.wanted.kind, past_journal);
            past_journal = begun.session.journal;
        }
    }
    std::string text() const { return to_json(fresh_session(edits.document())); }
    std::size_t strokes() const
    {
        return static_cast<std::size_t>(
            std::ranges::count_if(past_journal.events, [](const Event& event) {
                return std::holds_alternative<labs::Stroke>(event.what);
            }));
    }

    Edits edits;
    Journal past_journal;
    Edits::Clock::time_point when{};

private:
    void follow(const Document& was, const Document& is)
    {
        if (!same_experiment(was, is) && was.strokes.size() < is.strokes.size())
            past_journal.events.push_back({past_journal.steps, is.strokes.back()});
        if (was.variant != is.variant && was.start == is.start)
            past_journal.events.push_back({past_journal.steps, VariantChange{is.variant}});
    }
};

Command random_command(std::mt19937& random, const Document& document)
{
    const labs::Lab& lab = document.lab();
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto share = [&] { return static_cast<float>(random() % 100) / 100; };
    switch (random() % 20) {
    case 0: return ChooseVariant{lab.variants[below(lab.variants.size())].id};
    case 1: {
        const labs::Parameter& one = lab.parameters[below(lab.parameters.size())];
        labs::Values values(lab);
        values.set(one.id, one.kind == labs::Parameter::Kind::real
                               ? one.min + (one.max - one.min) * static_cast<double>(share())
                               : one.min + static_cast<double>(below(2)));
        return SetValue{one.id, values.text(one.id)};
    }
    case 2: return ChoosePreset{below(4)};
    case 3: return Paint{{0.5, static_cast<double>(share()), 0.1, false}};
    case 4: return Restart{};
    case 5: {
        const labs::Lab& other = labs::all()[below(labs::all().size())];
        return ChooseLab{other.id, {}};
    }
    case 6: return SetView{lab.views[below(lab.views.size())]};
    case 7: return SetMap{below(2) == 0 ? "off" : "active_lanes"};
    case 8: return SetMapBlend{share()};
    case 9: return ShowSubject{static_cast<Subject>(below(3))};
    case 10: return ShowRequest{{static_cast<int>(below(3)) - 1, 7, 2}};
    case 11: return Compare{below(2) == 0 ? "" : lab.variants.back().id};
    case 12: return MoveDivider{share()};
    case 13: return Zoom{{.centre = {0.5, 0.25}, .zoom = 1 + static_cast<double>(share())}};
    case 14: return SetTheme{below(2) == 0};
    case 15: return SizePanel{"left", 4 + 10 * share()};
    case 16: return ShowTab{below(2) == 0 ? "" : "sweep"};
    case 17: return SetCapture{{2, "gif", 60, 5}};
    case 18: return Pause{below(2) == 0};
    default: return Lecture{below(2) == 0};
    }
}

TEST(Edits, UndoAndRedoRestoreEveryState)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        Bench bench(heat());
        std::vector<Arrangement> states{bench.edits.document()};
        std::vector<std::string> texts{bench.text()};
        for (int i = 0; i < 60; ++i) {
            bench.apply(random_command(random, bench.edits.document()));
            const Arrangement& now = bench.edits.document();
            if (bench.edits.past() == states.size() - 1) { // but a restart always adds an undo step
                EXPECT_TRUE(now == states.back());
                continue;
            }
            states.push_back(now);
            texts.push_back(bench.text());
            EXPECT_EQ(bench.strokes(), now.strokes_before + now.strokes.size());
        }
        ASSERT_EQ(bench.edits.document().log.error(), nullptr)
            << bench.edits.document().log.error()->text;
        for (std::size_t i = states.size(); i-- > 1;) {
            ASSERT_EQ(bench.edits.past(), i) << "seed " << seed << ", state " << i;
            bench.apply(Undo{});
            EXPECT_EQ(bench.text(), texts[i - 1]) << "seed " << seed << ", state " << i;
            EXPECT_TRUE(states[i - 1] == bench.edits.document()) << seed << ", state " << i;
            EXPECT_EQ(bench.strokes(), states[i - 1].strokes_before + states[i - 1].strokes.size());
        }
        EXPECT_EQ(bench.edits.past(), 0u);
        for (std::size_t i = 1; i < states.size(); ++i) {
            bench.apply(Redo{});
            EXPECT_EQ(bench.text(), texts[i]) << "seed " << seed << ", state " << i;
            EXPECT_TRUE(states[i] == bench.edits.document()) << seed << ", state " << i;
        }
        EXPECT_EQ(bench.edits.future(), 0u);
    }
}

TEST(Edits, UndoNamesCommand)
{
    Bench bench(heat());
    const auto said = [&] { return bench.edits.document().log.notice()->text; };
    bench.apply(SetValue{"diffusion", "0.1"});
    bench.apply(ChooseVariant{"shared_tile"});
    bench.apply(SetMap{"active_lanes"});
    bench.apply(Undo{});
    EXPECT_EQ(said(), "Undone: heatmap active lanes → off.");
    bench.apply(Undo{});
    EXPECT_EQ(said(), "Undone: variant Shared tile → Naive.");
    bench.apply(Undo{});
    EXPECT_EQ(said(), "Undone: Diffusion number 0.1 → 0.2.");
    bench.apply(Redo{});
    EXPECT_EQ(said(), "Redone: Diffusion number 0.2 → 0.1.");
    bench.apply(SetTheme{true});
    bench.apply(Undo{});
    EXPECT_EQ(said(), "Undone: the theme.");
    bench.apply(Paint{{0.1, 0.1, 0.1, false}});
    bench.apply(Undo{});
    EXPECT_EQ(said(), "Undone: 1 stroke painted.");
}

TEST(Edits, DragIsOneStep)
{
    Bench bench(heat());
    const std::string before = bench.text();
    for (int i = 0; i < 30; ++i)
        bench.do_at(SetValue{"diffusion", i % 2 == 0 ? "0.1" : "0.15"}, bench.when + i * 20ms);
    bench.do_at(SetTheme{true}, bench.when + 610ms);
    bench.apply(Undo{});
    EXPECT_NE(bench.text(), before);
    bench.apply(Undo{});
    EXPECT_EQ(bench.text(), before);
    EXPECT_EQ(bench.edits.past(), 0u);
}

TEST(Edits, NewEditClearsRedo)
{
    Bench bench(heat());
    bench.apply(SetTheme{true});
    bench.apply(Undo{});
    EXPECT_EQ(bench.edits.future(), 1u);
    bench.apply(SetMap{"active_lanes"});
    EXPECT_EQ(bench.edits.future(), 0u);
}

TEST(Edits, UndoRemovesStrokeFromJournal)
{
    Bench bench(heat());
    bench.apply(Paint{{0.1, 0.1, 0.1, false}});
    bench.apply(ChooseVariant{"shared_tile"});
    bench.apply(Paint{{0.2, 0.2, 0.1, false}});
    ASSERT_EQ(bench.strokes(), 2u);
    const std::int64_t steps = bench.past_journal.steps;
    bench.apply(Undo{});
    EXPECT_EQ(bench.strokes(), 1u);
    EXPECT_EQ(bench.edits.document().variant, "shared_tile");
    EXPECT_GE(bench.past_journal.steps, steps) << "it lives through the same steps";
    ASSERT_EQ(bench.past_journal.events.size(), 2u);
    EXPECT_EQ(std::get<labs::Stroke>(bench.past_journal.events[0].what).u, 0.1);
}

TEST(Edits, EveryPresetCanBeChosen)
{
    for (const labs::Lab& lab : labs::all()) {
        Session session;
        session.device = "simt";
        session.journal.start = {lab.id, lab.variants.front().id, {}, 1, ""};
        for (std::size_t i = 0; i < lab.presets.size(); ++i) {
            Edits edits(document_of(session));
            edits.apply(ChoosePreset{i});
            const Document& after = edits.document();
            ASSERT_EQ(after.log.error(), nullptr) << lab.id << ": " << after.log.error()->text;
            const labs::Preset& preset = lab.presets[i];
            EXPECT_EQ(after.preset, i);
            ASSERT_NE(after.log.notice(), nullptr);
            EXPECT_EQ(after.log.notice()->text, "Preset: " + preset.title);
            if (!preset.variant.empty()) {
                EXPECT_EQ(after.variant, preset.variant);
            }
            if (!preset.view.empty()) {
                EXPECT_EQ(after.look.view, preset.view);
            }
            if (!preset.map.empty()) {
                EXPECT_EQ(after.look.map, preset.map);
            }
            if (!preset.show.empty()) {
                EXPECT_EQ(name(after.look.subject), preset.show);
            }
        }
    }
}

TEST(Edits, UndoneRestartRestoresHistory)
{
    Bench bench(heat());
    bench.apply(Paint{{0.1, 0.1, 0.1, false}});
    bench.apply(SetValue{"size", "64"});
    EXPECT_EQ(bench.strokes(), 0u);
    EXPECT_EQ(bench.past_journal.start.parameters.at("size"), "64");
    bench.apply(Undo{});
    EXPECT_EQ(bench.strokes(), 1u);
    EXPECT_EQ(bench.past_journal.start.parameters.at("size"), "96");
    EXPECT_EQ(bench.edits.document().values.at("size"), "96");
}

TEST(Edits, InvalidCommandIsReportedAndIgnored)
{
    Edits edits(heat());
    const Document before = edits.document();
    for (const Command& command :
         {Command(ChooseVariant{"nothing"}), Command(SetValue{"nothing", "1"}),
          Command(SetValue{"diffusion", "many"}), Command(ChooseLab{"nothing", ""}),
          Command(SetFolder{"/nowhere/at/all"})}) {
        edits.apply(command);
        ASSERT_NE(edits.document().log.error(), nullptr);
        EXPECT_TRUE(static_cast<const Arrangement&>(before) == edits.document());
        EXPECT_FALSE(edits.document().wanted);
        edits.apply(Dismiss{});
        EXPECT_EQ(edits.document().log.error(), nullptr);
    }
    EXPECT_EQ(edits.document().log.all().size(), 5u);
}

TEST(Edits, RejectedSizeIsReverted)
{
    Edits edits(heat());
    edits.apply(SetValue{"size", "16384"});
    ASSERT_TRUE(edits.document().wanted);
    edits.begin_request({});
    edits.refuse("There is not enough memory.");
    EXPECT_EQ(edits.document().values.at("size"), "96");
    EXPECT_NE(edits.document().log.error(), nullptr);
    EXPECT_EQ(edits.past(), 0u);
}

TEST(Edits, RefusesUnknownTab)
{
    Edits edits(heat());
    edits.apply(ShowTab{"source"});
    const PanelSizes before = edits.document().look.panels;
    edits.apply(ShowTab{"sauce"});
    ASSERT_NE(edits.document().log.error(), nullptr);
    EXPECT_NE(edits.document().log.error()->text.find("There is no tab \"sauce\""),
              std::string::npos);
    EXPECT_EQ(edits.document().look.panels, before);
}

TEST(Messages, RepeatsAreCountedAndDismissedTogether)
{
    MessageLog log;
    const auto now = Message::Clock::time_point{};
    log.add("saved", false, now);
    log.add("wrong", true, now);
    log.add("wrong", true, now);
    ASSERT_EQ(log.all().size(), 2u);
    EXPECT_EQ(log.all()[1].times, 2);
    EXPECT_EQ(log.error()->text, "wrong");
    log.add("saved again", false, now);
    EXPECT_EQ(log.error()->text, "wrong");
    EXPECT_EQ(log.notice()->text, "saved again");
    log.dismiss();
    EXPECT_EQ(log.error(), nullptr);
    for (int i = 0; i < 1000; ++i) log.add(std::to_string(i), false, now);
    EXPECT_EQ(log.all().size(), MessageLog::max_kept);
    log.add("wrong", true, now);
    ASSERT_NE(log.error(), nullptr);
}

} // namespace
} // namespace lanescope::test
