// Presenting a talk: the order of its beats, the effects of the clicker's keys, and the state that
// they do not change.
#include <gtest/gtest.h>

#include "app/document/edits.h"
#include "app/document/look/tabs.h"
#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

// Edits, with a fake worker that opens everything immediately.
class Stage {
public:
    explicit Stage(const char* lab)
        : edits_(document_of(
              {"simt", {{lab, labs::find(lab).variants.front().id, {}, 1, {}}, {}, 0}, {}}))
    {
    }

    const Document& apply(const Command& command)
    {
        edits_.apply(command);
        if (edits_.document().wanted) {
            const Edits::Begun begun = edits_.begin_request({edits_.document().start, {}, 0});
            edits_.arrive(begun.session, begun.wanted.kind, {edits_.document().start, {}, 0});
        }
        EXPECT_EQ(edits_.document().log.error(), nullptr);
        return edits_.document();
    }
    void give(const std::string& text)
    {
        edits_.give(std::make_shared<const Talk>(read_talk(text, "test")));
    }
    const Document& document() const { return edits_.document(); }

private:
    Edits edits_;
};

const char* const two_labs = "lecture: Two\n"
                             "beat: A\nshow: heat/naive, size=96\n"
                             "beat: B\nshow: rod/shared\nmap: active_lanes\n"
                             "ask: ?\nreveal: 4\nchoice: 3\nchoice: 4\n"
                             "beat: C\nshow: rod/naive\ncompare: shared\npaused: on\n";

TEST(Presentation, QuestionBeatsStopTwice)
{
    Stage room("heat");
    room.give(two_labs);
    const Presentation& presentation = room.document().presentation;
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(presentation.beat, 1u);
    EXPECT_FALSE(presentation.revealed);
    EXPECT_FALSE(presentation.arriving);
    EXPECT_EQ(room.document().start.lab, "rod");
    EXPECT_EQ(room.document().variant, "shared");
    EXPECT_EQ(room.document().look.map, "active_lanes");
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(presentation.beat, 1u);
    EXPECT_TRUE(presentation.revealed);
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(presentation.beat, 2u);
    EXPECT_EQ(room.document().variant, "naive");
    EXPECT_EQ(room.document().look.compare, "shared");
    EXPECT_EQ(room.document().look.map, "off");
    EXPECT_TRUE(room.document().paused);
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(presentation.beat, 2u) << "the end";
    EXPECT_EQ(presentation.end, "This is the end of the talk.");
    EXPECT_EQ(room.document().log.notice(), nullptr) << "would cover the picture's lower edge";
    room.apply(AdvanceBeat{-1});
    EXPECT_TRUE(presentation.end.empty());
    EXPECT_EQ(presentation.beat, 1u);
    EXPECT_TRUE(presentation.revealed) << "back the same way";
    room.apply(AdvanceBeat{-1});
    EXPECT_FALSE(presentation.revealed);
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(presentation.beat, 0u);
    EXPECT_EQ(room.document().start.lab, "heat");
    EXPECT_EQ(room.document().values.at("size"), "96");
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(presentation.beat, 0u) << "the beginning";
}

TEST(Presentation, UnblankingDoesNotAdvance)
{
    Stage room("heat");
    room.give(two_labs);
    room.apply(Blank{true});
    EXPECT_TRUE(room.document().presentation.blank);
    room.apply(AdvanceBeat{1});
    EXPECT_FALSE(room.document().presentation.blank);
    EXPECT_EQ(room.document().presentation.beat, 0u);
    room.apply(Lecture{true});
    room.apply(Blank{true});
    room.apply(Lecture{false});
    EXPECT_FALSE(room.document().presentation.blank) << "nobody sits before a black window";
}

TEST(Presentation, TabsReplacePictureInProjectorMode)
{
    Stage room("heat");
    room.apply(Lecture{true});
    room.apply(ShowTab{tabs::variants});
    room.apply(WholeStrip{true});
    EXPECT_EQ(room.document().look.panels.bottom_tab, tabs::variants);
    room.apply(Lecture{false});
    EXPECT_FALSE(room.document().look.panels.whole) << "the bars are below the picture";
    EXPECT_GT(room.document().look.panels.bottom, 0);
}

TEST(Presentation, CountsVotesDuringQuestion)
{
    Stage room("heat");
    room.give(two_labs);
    room.apply(Vote{0, false});
    EXPECT_TRUE(room.document().presentation.votes.empty()) << "nothing is asked";
    room.apply(AdvanceBeat{1});
    for (const std::size_t choice : {0, 1, 1, 1, 2, 9}) room.apply(Vote{choice, false});
    room.apply(Vote{1, true});
    EXPECT_EQ(room.document().presentation.votes.at(1), (std::vector<int>{1, 2}));
    room.apply(Vote{0, true});
    room.apply(Vote{0, true});
    EXPECT_EQ(room.document().presentation.current_votes(), (std::vector<int>{0, 2}))
        << "never below none";
    room.apply(AdvanceBeat{1});
    room.apply(Vote{0, false});
    EXPECT_EQ(room.document().presentation.votes.at(1), (std::vector<int>{0, 2}))
        << "the answer is known";
    room.apply(AdvanceBeat{1});
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(room.document().presentation.votes.at(1), (std::vector<int>{0, 2}))
        << "and they are kept";
}

TEST(Presentation, LessonEndsBeforeNextLab)
{
    const auto all = labs::listed();
    Stage room(all[0]->id.c_str());
    const Presentation& presentation = room.document().presentation;
    for (int i = 0; i < 100 && presentation.end.empty(); ++i) room.apply(AdvanceBeat{1});
    ASSERT_FALSE(presentation.end.empty());
    EXPECT_NE(presentation.end.find(all[1]->title), std::string::npos) << presentation.end;
    EXPECT_EQ(room.document().start.lab, all[0]->place);
    EXPECT_EQ(presentation.beat, presentation.talk->beats.size() - 1);
    room.apply(AdvanceBeat{-1});
    EXPECT_TRUE(presentation.end.empty());
    EXPECT_EQ(presentation.beat, presentation.talk->beats.size() - 1) << "back to the last beat";
    room.apply(AdvanceBeat{1});
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(room.document().start.lab, all[1]->place);
    EXPECT_EQ(presentation.beat, 0u);
    EXPECT_TRUE(presentation.end.empty());
}

// In a lecture, the page of a beat is shown in place of the picture until the beat ends.
TEST(Presentation, PageIsShownInBothModes)
{
    Stage room("heat");
    room.give("lecture: One\nbeat: A\nshow: heat/naive, size=96\npage: source\n"
              "beat: B\nshow: heat/naive, size=96\n");
    room.apply(AdvanceBeat{1});
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(room.document().look.panels.bottom_tab, "source");
    EXPECT_GT(room.document().look.panels.bottom, 0);
    EXPECT_FALSE(room.document().look.panels.whole);
    room.apply(Lecture{true});
    EXPECT_TRUE(room.document().look.panels.whole);
    room.apply(AdvanceBeat{1});
    EXPECT_FALSE(room.document().look.panels.whole);
    EXPECT_EQ(room.document().look.panels.bottom, 0);
    room.apply(AdvanceBeat{-1});
    EXPECT_TRUE(room.document().look.panels.whole);
    room.apply(Lecture{false});
    EXPECT_FALSE(room.document().look.panels.whole);
}

TEST(Presentation, LessonsContinueAcrossLabs)
{
    const auto all = labs::listed();
    Stage room(all[0]->id.c_str());
    room.apply(AdvanceBeat{1});
    ASSERT_TRUE(room.document().presentation.talk);
    EXPECT_EQ(room.document().presentation.talk->lesson_of, all[0]->place);
    for (int i = 0; i < 200 && room.document().start.lab != all[2]->place; ++i)
        room.apply(AdvanceBeat{1});
    EXPECT_EQ(room.document().start.lab, all[2]->place);
    EXPECT_EQ(room.document().presentation.beat, 0u);
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(room.document().start.lab, all[1]->place);
    EXPECT_EQ(room.document().presentation.beat,
              room.document().presentation.talk->beats.size() - 1);
    // After choosing another lab, the clicker starts that lab's own lesson.
    room.apply(ChooseLab{all[5]->place, {}});
    EXPECT_FALSE(room.document().presentation.talk);
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(room.document().presentation.talk->lesson_of, all[5]->place);
}

TEST(Presentation, LectureSurvivesDetours)
{
    Stage room("heat");
    room.give(two_labs);
    room.apply(ChooseLab{"transpose", {}});
    ASSERT_TRUE(room.document().presentation.talk);
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(room.document().start.lab, "rod");
    room.apply(EndTalk{});
    EXPECT_FALSE(room.document().presentation.talk);
}

TEST(Presentation, SameKeysTurnCards)
{
    Stage room("heat");
    room.apply(ShowCards{true, 0});
    room.apply(AdvanceBeat{1});
    EXPECT_EQ(room.document().presentation.card, 1u);
    EXPECT_FALSE(room.document().presentation.talk);
    room.apply(AdvanceBeat{-1});
    room.apply(AdvanceBeat{-1});
    EXPECT_EQ(room.document().presentation.card, 0u);
    room.apply(ShowCards{true, 10000});
    EXPECT_EQ(room.document().presentation.card, embedded_cards().size() - 1);
    room.apply(ShowCards{false, 0});
    EXPECT_FALSE(room.document().presentation.card);
}

} // namespace
} // namespace lanescope::app
