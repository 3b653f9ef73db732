// Timelines: bars start and end at their times, and labels do not overlap.
#include "render/views/plot/timeline.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lanescope::render {
namespace {

struct Word {
    Box box;
    std::string text;
};

// Records draw calls; every letter is half as wide as it is high.
class Kept : public Painter {
public:
    void fill(const Box& box, Colour colour) override { fills.push_back({box, colour}); }
    void line(std::span<const glm::vec2>, Colour, float) override {}
    void area(std::span<const glm::vec2>, std::span<const glm::vec2>, Colour) override {}
    void gradient(const Box&, std::span<const Colour>, bool) override {}
    void text(glm::vec2 at, std::string_view words, const TextStyle& style) override
    {
        const float wide = text_width(words, style);
        const float share = style.align == Align::left     ? 0
                            : style.align == Align::centre ? 0.5F
                                                           : 1;
        texts.push_back(
            {{at.x - share * wide, at.y - 0.75F * style.size_px, wide, 0.8F * style.size_px},
             std::string(words)});
    }
    float text_width(std::string_view words, const TextStyle& style) override
    {
        return 0.5F * style.size_px * static_cast<float>(words.size());
    }
    std::vector<Box> of(Colour colour) const
    {
        std::vector<Box> found;
        for (const auto& [box, one] : fills)
            if (one == colour) found.push_back(box);
        return found;
    }

    std::vector<std::pair<Box, Colour>> fills;
    std::vector<Word> texts;
};

TimelineData two_rows()
{
    return {.number = "Overlap 50 %",
            .words = {"as long as it takes to say what it is about"},
            .rows = {"copies", "kernels"},
            .bars = {{0, 0, 0, 4, "a"}, {0, 1, 4, 8, "b"}, {1, 0, 4, 10, "c"}},
            .axis = "ms",
            .ideal = 8,
            .ideal_words = "ideal"};
}

void expect_apart(const Kept& drawn, const Box& box)
{
    for (std::size_t i = 0; i < drawn.texts.size(); ++i) {
        const Word& a = drawn.texts[i];
        EXPECT_GE(a.box.x, box.x - 1) << a.text;
        EXPECT_LE(a.box.right(), box.right() + 1) << a.text;
        EXPECT_LE(a.box.bottom(), box.bottom() + 1) << a.text;
        for (std::size_t k = 0; k < i; ++k) {
            const Word& b = drawn.texts[k];
            const bool apart = a.box.right() <= b.box.x || b.box.right() <= a.box.x ||
                               a.box.bottom() <= b.box.y || b.box.bottom() <= a.box.y;
            EXPECT_TRUE(apart) << a.text << " lies over " << b.text;
        }
    }
}

// The shorter of two timelines side by side uses the scale of the longer one.
TEST(Timeline, SharesScaleOfLongerTimeline)
{
    TimelineData data = two_rows();
    EXPECT_EQ(end_of(data), 10);
    const Box box{0, 0, 1000, 500};
    Kept alone;
    draw_timeline(alone, box, data, dark_theme, 20);
    data.min_end = 40;
    Kept shared;
    draw_timeline(shared, box, data, dark_theme, 20);
    EXPECT_NEAR(4 * shared.of(dark_theme.series[1]).front().width,
                alone.of(dark_theme.series[1]).front().width, 10); // gaps are not scaled
}

// A bar's label is "stream 1", or "1" if that does not fit, and does not cross the ideal's line.
TEST(Timeline, BarLabelsFitBesideIdeal)
{
    TimelineData data = two_rows();
    data.bars = {{0, 0, 0, 4, "stream 0"}, {0, 1, 4, 4.5, "stream 1"}, {1, 2, 6, 10, "stream 2"}};
    data.ideal = 7;
    Kept drawn;
    draw_timeline(drawn, {0, 0, 1000, 500}, data, dark_theme, 20);
    const auto word = [&](const std::string& text) {
        return std::ranges::find(drawn.texts, text, &Word::text);
    };
    ASSERT_NE(word("stream 0"), drawn.texts.end());
    EXPECT_EQ(word("stream 1"), drawn.texts.end());
    EXPECT_NE(word("1"), drawn.texts.end());
    ASSERT_NE(word("stream 2"), drawn.texts.end());
    const auto line = std::ranges::find_if(drawn.fills, [](const auto& one) {
        return one.second == dark_theme.text && one.first.width < 5 && one.first.height > 100;
    });
    ASSERT_NE(line, drawn.fills.end());
    EXPECT_GT(word("stream 2")->box.x, line->first.right());
}

TEST(Timeline, BarsMatchTimes)
{
    Kept drawn;
    const Box box{10, 20, 1000, 500};
    draw_timeline(drawn, box, two_rows(), dark_theme, 20);
    expect_apart(drawn, box);
    const auto first = drawn.of(dark_theme.series[0]);
    const auto second = drawn.of(dark_theme.series[1]);
    ASSERT_EQ(first.size(), 2u);
    ASSERT_EQ(second.size(), 1u);
    const float ms = 1000 / 10.0F; // pixels per ms: the axis ends at 10 ms
    EXPECT_NEAR(first[0].x, 10, 1);
    EXPECT_NEAR(first[0].width, 4 * ms, 3);
    EXPECT_NEAR(second[0].x, 10 + 4 * ms, 1);
    EXPECT_NEAR(first[1].x, second[0].x, 1);
    EXPECT_EQ(first[0].y, second[0].y) << "one row";
    EXPECT_GT(first[1].y, first[0].bottom()) << "and the other below";
    bool marked = false;
    for (const Box& line : drawn.of(dark_theme.text))
        marked |= std::abs(line.x + line.width / 2 - (10 + 8 * ms)) < 1 && line.height > 100;
    EXPECT_TRUE(marked) << "the ideal";
}

// Idle time is an outline with a label, not a filled bar.
TEST(Timeline, WaitingIsDrawnAsOutline)
{
    TimelineData data = two_rows();
    data.bars = {{.row = 0, .begin = 0, .end = 10, .word = "waits for device 1", .waiting = true}};
    Kept drawn;
    const Box box{0, 0, 1000, 500};
    draw_timeline(drawn, box, data, dark_theme, 20);
    EXPECT_TRUE(drawn.of(dark_theme.series[0]).empty());
    const auto frame = drawn.of(dark_theme.muted);
    ASSERT_EQ(frame.size(), 4u);
    for (const Box& side : frame) EXPECT_TRUE(side.width <= 3 || side.height <= 3);
    EXPECT_NEAR(frame[0].width, 1000, 5);
    const auto word = std::ranges::find(drawn.texts, "waits for device 1", &Word::text);
    ASSERT_NE(word, drawn.texts.end());
    EXPECT_GT(word->box.y, frame[0].y);
    EXPECT_LT(word->box.bottom(), frame[1].bottom());
}

TEST(Timeline, FitsInSmallSpace)
{
    for (const Box& box : {Box{0, 0, 360, 240}, Box{0, 0, 200, 60}, Box{0, 0, 1900, 900}}) {
        Kept drawn;
        draw_timeline(drawn, box, two_rows(), light_theme, 18);
        for (const auto& [filled, colour] : drawn.fills) EXPECT_LE(filled.right(), box.right() + 2);
    }
}

// Without times a timeline only shows an order, so nothing may look like a scale.
TEST(Timeline, OrderWithoutTimesHasNoAxis)
{
    TimelineData data = two_rows();
    data.axis.clear();
    data.ideal = 0;
    Kept drawn;
    draw_timeline(drawn, {0, 0, 800, 400}, data, dark_theme, 20);
    EXPECT_TRUE(drawn.of(dark_theme.grid).empty());
    for (const Word& word : drawn.texts)
        EXPECT_THAT(word.text, testing::Not(testing::HasSubstr("ms")));
}

} // namespace
} // namespace lanescope::render
