// Texts about a picture: available heatmaps, their sources, and how far the two sides of A/B agree.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/document/look/tabs.h"
#include "app/draw/scene/maps.h"
#include "app/lessons/talk.h"
#include "app/measure/measurements.h"
#include "compute/numbers.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;
using testing::ElementsAre;

// The maps that key H cycles through, starting and ending with none.
std::vector<std::string> maps_by_key(const WindowFixture& room)
{
    const auto& totals = room.frame().of(room.document().variant).totals;
    std::vector<std::string> all;
    std::string map = "off";
    do {
        map = map_after(room.frame().a, totals ? &*totals : nullptr, map, 1);
        all.push_back(map);
    } while (map != "off" && all.size() < 20);
    return all;
}

TEST(Heatmaps, UnavailableMapsAreSkipped)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    EXPECT_THAT(maps_by_key(room), ElementsAre("active_lanes", "sectors", "sector_excess",
                                               "instructions", "served_cold", "served_warm", "off"))
        << "no shared memory";
    room.open("heat", "shared_tile");
    EXPECT_THAT(maps_by_key(room),
                ElementsAre("active_lanes", "sectors", "sector_excess", "wavefronts",
                            "bank_conflicts", "instructions", "served_cold", "served_warm", "off"));
    room.open("rotate", "texture_linear");
    EXPECT_THAT(maps_by_key(room), ElementsAre("active_lanes", "instructions", "texel_requests",
                                               "texel_sectors", "off"))
        << "neither sectors of global memory nor banks";
}

// If the chosen map cannot be drawn for a new variant, a message replaces the scale; without a map
// there is no scale.
TEST(Heatmaps, ExplainMissingMap)
{
    WindowFixture& room = window_fixture();
    const auto seen_with = [&](const char* lab, const char* variant, const char* map) {
        room.open(lab, variant);
        room.apply(SetMap{map});
        return room.look({1280, 720});
    };
    const Seen none = seen_with("rotate", "texture_linear", "sector_excess");
    EXPECT_TRUE(none.says("textures"));
    EXPECT_FALSE(none.says("fixed range"));
    EXPECT_TRUE(seen_with("heat", "naive", "bank_conflicts").says("no shared"));
    const Seen bars = seen_with("histogram", "shared", "active_lanes");
    EXPECT_TRUE(bars.says("No heatmap on a chart"));
    EXPECT_TRUE(seen_with("transpose", "naive", "sector_excess").says("loads 1.00×, stores 8.00×"));
    EXPECT_TRUE(seen_with("transpose", "naive", "sectors").says("loads 32,768, stores 262,144"));
    room.apply(SetMap{"off"});
}

// An answer finds its question by number.
TEST(Lessons, NumberOrderedLists)
{
    WindowFixture& room = window_fixture();
    room.open("bytes_in_flight", "one");
    room.apply(ShowTab{tabs::lesson});
    room.apply(WholeStrip{true});
    const Seen seen = room.look({1280, 2400});
    for (const char* number : {"1. ", "2. ", "3. "}) EXPECT_TRUE(seen.says(number)) << number;
    EXPECT_TRUE(seen.says("•"));
    room.apply(WholeStrip{false});
    room.apply(ShowTab{""});
}

// A fault is neither "not ideal" nor, for colour-blind readers, like what is right.
TEST(Faults, HaveTheirOwnColour)
{
    WindowFixture& room = window_fixture();
    room.open("faults", "out_of_bounds");
    for (const bool light : {false, true}) {
        room.apply(SetTheme{light});
        const Palette& colours = palette(room.document().look.theme);
        const auto channel = [](float value) {
            return static_cast<std::uint8_t>(std::lround(255 * value));
        };
        const render::Colour fault{channel(colours.fault.x), channel(colours.fault.y),
                                   channel(colours.fault.z)};
        const Seen seen = room.look({1280, 720});
        const auto title = std::ranges::find_if(seen.texts, [](const SeenText& text) {
            return !text.hidden && text.words.starts_with("1 fault");
        });
        ASSERT_NE(title, seen.texts.end());
        EXPECT_EQ(title->colour, fault);
        EXPECT_NE(colours.fault.x, colours.warning.x);
    }
    room.apply(SetTheme{false});
}

TEST(Parameters, SayWhatZeroMeans)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const std::string size = room.document().values.at("size");
    EXPECT_TRUE(room.look({1280, 720}).says("= " + size + " cells"));
    EXPECT_FALSE(room.look({1280, 720}).says("0 cells"));
}

// The ranking by counts is shown next to the ranking by time.
TEST(Variants, ShowRecordedTimes)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const auto recorded = embedded_measurements();
    ASSERT_TRUE(recorded);
    const Seen seen = room.look({1920, 1080});
    for (const char* variant : {"naive", "shared_tile"}) {
        const Measured* const one =
            recorded->shown_of_variant("heat", room.document().values, variant);
        ASSERT_TRUE(one) << variant;
        EXPECT_TRUE(seen.says(format_time(one->median_ms))) << variant;
    }
}

// Neither the count nor the idea of a variant is shown before the talk's last question about it.
TEST(Talk, HidesCountAndIdeaBeforeQuestion)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const std::string idea = "One thread per cell";
    const auto cost = "25.9 bytes";
    EXPECT_TRUE(room.look({1280, 720}).says(idea));
    EXPECT_TRUE(room.look({1280, 720}).says(cost));
    Presentation& talk = room.document().presentation;
    talk.talk = std::make_shared<const Talk>(
        read_talk("lecture: One\nbeat: A\nshow: heat/naive\nsay: Look.\n"
                  "beat: B\nshow: heat/naive\nask: How many?\n"
                  "reveal: sectors_over_ideal(heat/naive)\n",
                  "one"));
    EXPECT_FALSE(room.look({1280, 720}).says(idea));
    EXPECT_FALSE(room.look({1280, 720}).says(cost));
    talk.beat = 1;
    talk.revealed = true;
    EXPECT_TRUE(room.look({1280, 720}).says(idea));
    room.document().presentation = {};
}

// A cost without an ideal is judged by its time and that of the fastest variant.
TEST(Headline, WithoutIdealNamesFastestVariant)
{
    WindowFixture& room = window_fixture();
    const auto recorded = embedded_measurements();
    ASSERT_TRUE(recorded);
    const auto time = [&](const char* variant) {
        return format_time(
            recorded->shown_of_variant("boids", room.document().values, variant)->median_ms);
    };
    room.open("boids", "all_pairs");
    EXPECT_TRUE(room.look({1280, 720}).says(time("all_pairs") + " on H200"));
    EXPECT_EQ(fastest_words(room.document(), room.frame()), "fastest: Grid, " + time("grid"));
    EXPECT_TRUE(room.look({1920, 1080}).says(time("all_pairs") + " on H200 at count 65,536"));
    room.open("boids", "grid");
    EXPECT_EQ(fastest_words(room.document(), room.frame()), "the fastest of 3");
    room.open("divergence", "lane_parity");
    EXPECT_EQ(fastest_words(room.document(), room.frame()), "") << "no ladder";
}

// The mean of all instructions hides branches that diverge for a few of them.
TEST(Headline, NamesDivergentBranches)
{
    WindowFixture& room = window_fixture();
    room.open("divergence", "matrix_edges");
    const Seen seen = room.look({1280, 720});
    EXPECT_TRUE(seen.says("active; line 16: 12.8% diverge"));
    const auto number = std::ranges::find_if(seen.texts, [](const SeenText& text) {
        return text.words.starts_with("31.7 of 32 lanes");
    });
    ASSERT_NE(number, seen.texts.end());
    const Palette& colours = palette(room.document().look.theme);
    const auto channel = [](float value) {
        return static_cast<std::uint8_t>(std::lround(255 * value));
    };
    EXPECT_NE(number->colour.green, channel(colours.good.y));
}

// A beat that leads to a question shows no count that hints at its answer.
TEST(Headline, WaitsForQuestionOfNextBeat)
{
    WindowFixture& room = window_fixture();
    room.open("divergence", "lane_parity");
    room.document().presentation.talk = std::make_shared<const app::Talk>(app::read_talk(
        "lecture: One\nbeat: A\nshow: divergence/lane_parity\nsay: A branch.\n"
        "beat: B\nask: How many?\nreveal: lanes_per_instruction(divergence/lane_parity)\n",
        "one"));
    room.apply(Lecture{true});
    EXPECT_FALSE(room.look({1280, 720}).says("of 32 lanes"));
    room.document().presentation = {};
    EXPECT_TRUE(room.look({1280, 720}).says("of 32 lanes"));
    room.apply(Lecture{false});
}

// Texts of a question's cards stay apart: letter, choice and votes.
TEST(Question, ChoicesFitTheirCards)
{
    WindowFixture& room = window_fixture();
    room.open("divergence", "lane_parity");
    room.document().presentation.talk = std::make_shared<const app::Talk>(app::read_talk(
        "lecture: One\nbeat: A\nshow: divergence/lane_parity\n"
        "ask: How many warp instructions, compared with a branch on which every warp agrees?\n"
        "choice: the same | < 1\nchoice: 1.5× | < 1\nchoice: nearly twice as many | > 1\n"
        "reveal: lanes_per_instruction(divergence/lane_parity)\n",
        "one"));
    room.apply(Lecture{true});
    for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1024, 768}, ImVec2{1920, 1080}}) {
        const Seen seen = room.look(size);
        std::vector<SeenText> texts;
        std::ranges::copy_if(seen.texts, std::back_inserter(texts), [](const SeenText& text) {
            return text.window == "question" && !text.hidden;
        });
        EXPECT_GT(texts.size(), 6U);
        for (std::size_t i = 0; i < texts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const render::Box& a = texts[i].ink;
                const render::Box& b = texts[j].ink;
                EXPECT_FALSE(a.x < b.right() && b.x < a.right() && a.y < b.bottom() &&
                             b.y < a.bottom())
                    << texts[i].words << " | " << texts[j].words;
            }
    }
    room.document().presentation = {};
    room.apply(Lecture{false});
}

// Accesses of one kind in one line are numbered.
TEST(Subjects, RequestsOfOneLineAreNumbered)
{
    WindowFixture& room = window_fixture();
    room.open("rod", "naive");
    room.apply(ShowSubject{Subject::request});
    EXPECT_TRUE(room.look({1280, 720}).says("line 7: global load"));
    EXPECT_TRUE(room.look({1280, 720}).says(" of 3, 4 B per lane"));
    room.apply(ShowSubject{Subject::picture});
}

// Different units are compared as multiples of their ideals.
TEST(Subjects, CompareSectorsWithWavefronts)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "naive");
    room.apply(ShowRequest{});
    room.apply(ShowSubject{Subject::request});
    room.apply(Compare{"tile"});
    const Seen seen = room.look({1280, 720});
    EXPECT_TRUE(seen.says("8×"));
    EXPECT_TRUE(seen.says("32×"));
    EXPECT_TRUE(seen.says("the ideal"));
    room.apply(Compare{});
    room.apply(ShowSubject{Subject::picture});
}

// The lab's subject comes first, and A/B compares the same access on both sides: the one that costs
// more on either side.
TEST(Subjects, ComparesSameAccessByRole)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "tile");
    room.apply(ShowRequest{});
    Look opened;
    open_on_subject(opened, room.document().lab());
    EXPECT_EQ(opened.subject, Subject::request);
    room.apply(ShowSubject{opened.subject});
    EXPECT_TRUE(room.look({1280, 720}).says("32 wavefronts"));

    room.apply(Compare{"tile_padded"});
    EXPECT_TRUE(room.look({1280, 720}).says("for this shared load"));
    EXPECT_EQ(room.frame().b->trace->request.space, trace::Space::shared);
    EXPECT_TRUE(room.look({1280, 720}).says("1 wavefront"));
    room.apply(Compare{});

    room.apply(ChooseVariant{"tile_padded"});
    EXPECT_EQ(room.frame().a.trace->request.space, trace::Space::shared) << "its role is kept";
    room.apply(Compare{"tile"});
    EXPECT_EQ(room.frame().a.trace->request.space, trace::Space::shared);
    EXPECT_TRUE(room.look({1280, 720}).says("32 wavefronts"));
    room.apply(Compare{});
    room.apply(ShowSubject{Subject::picture});
}

// If the warp makes no request for the chosen access, a warp that makes one is shown instead.
TEST(Subjects, MissingRequestFallsBack)
{
    WindowFixture& room = window_fixture();
    room.open("reduction", "contiguous");
    room.apply(ShowSubject{Subject::request});
    const trace::Trace& trace = *room.frame().a.trace;
    int last = -1; // the store of a block's sum, which only its first warp executes
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].op == trace::Op::store && trace.sites[i].space == trace::Space::global)
            last = static_cast<int>(i);
    ASSERT_GE(last, 0);
    room.apply(ShowRequest{{last, 3, 0}});
    EXPECT_NE(room.frame().a.trace->request.active, 0u);
    EXPECT_TRUE(room.look({1280, 720}).says("has no request here"));
    room.apply(ShowRequest{});
    room.apply(ShowSubject{Subject::picture});
}

// If sector counts of a memory exceed the fixed range, the range is extended; in A/B, on both
// sides.
TEST(Subjects, MemoryRangeFitsData)
{
    WindowFixture& room = window_fixture();
    const auto range_of_memory = [&](const char* lab, const char* variant) {
        room.open(lab, variant);
        room.apply(ShowSubject{Subject::memory});
        const Seen seen = room.look({1280, 720});
        EXPECT_EQ(seen.says("fixed range"), seen.says("> 8")) << lab;
        return seen.says("fixed range");
    };
    EXPECT_TRUE(range_of_memory("heat", "naive"));
    EXPECT_FALSE(range_of_memory("histogram", "partitioned"));
    room.apply(Compare{"per_lane"});
    EXPECT_FALSE(room.look({1280, 720}).says("fixed range"));
    room.apply(Compare{});
    room.apply(ShowSubject{Subject::picture});
}

// Legend, maximum and bars name the accesses that they cover.
TEST(Heatmaps, SelectLoadsOrStores)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "naive");
    room.apply(SetMap{"sector_excess"});
    const auto scope_by_key = [&] {
        const auto& totals = room.frame().of(room.document().variant).totals;
        return scope_after(totals ? &*totals : nullptr, "sector_excess",
                           room.document().look.map_of);
    };
    const Seen all = room.look({1280, 720});
    EXPECT_TRUE(all.says("4.50× sectors"));
    EXPECT_FALSE(all.says("ideal, stores"));
    EXPECT_EQ(scope_by_key(), trace::Scope::loads);

    room.apply(SetMapOf{trace::Scope::stores});
    const Seen stores = room.look({1280, 720});
    EXPECT_TRUE(stores.says("ideal, stores")) << "the title of the legend";
    EXPECT_TRUE(stores.says("8.00× sectors"));
    EXPECT_TRUE(stores.says("moved by stores"));
    EXPECT_EQ(scope_by_key(), trace::Scope::all) << "there are no atomics";
    const auto range =
        render::range_of(render::WarpMetric::sector_excess, room.frame().a.trace->warps);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->min, 8);
    EXPECT_EQ(range->max, 8);

    room.apply(SetMapOf{trace::Scope::atomics});
    EXPECT_TRUE(room.look({1280, 720}).says("sectors /")) << "why there is none";
    EXPECT_THAT(map_problem(room.frame().a, "sector_excess", &*room.frame().of("naive").totals,
                            trace::Scope::atomics),
                "sectors / ideal, atomics: this variant has none.");
    room.apply(SetMapOf{});
    room.apply(SetMap{"off"});
}

// If the picture shows resources, the share in use is also stated as a number.
TEST(Subjects, SharePictureStatesShare)
{
    WindowFixture& room = window_fixture();
    room.open("occupancy", "slots");
    EXPECT_TRUE(room.look({1280, 720}).says("75%"));
    room.open("bytes_in_flight", "one"); // 4 blocks × 512 B of the needed 6.04 KiB
    EXPECT_TRUE(room.look({1280, 720}).says("33%"));
    room.open("bytes_in_flight", "eight");
    EXPECT_TRUE(room.look({1280, 720}).says("ideal"));
}

TEST(Recording, HasOneVisibleIndicator)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const auto indicators = [&](ImVec2 size) {
        const Seen seen = room.look(size);
        return std::ranges::count_if(seen.texts, [](const SeenText& text) {
            return !text.hidden && text.cut.empty() && text.words == "● 3.0 s, 90 frames";
        });
    };
    EXPECT_EQ(indicators({1280, 720}), 0);
    room.ui().captures = {.recording = true, .frames = 90, .frames_per_second = 30};
    for (const bool lecture : {false, true}) {
        room.apply(Lecture{lecture});
        for (const ImVec2 size : {ImVec2{640, 480}, ImVec2{1280, 720}, ImVec2{3840, 2160}})
            EXPECT_EQ(indicators(size), 1) << size.x << (lecture ? ", lecture" : "");
    }
    room.apply(Lecture{false});
    room.ui().captures = {};
}

TEST(SideBySide, DistinguishesEqualFromDifferentByDesign)
{
    WindowFixture& room = window_fixture();
    const auto compared = [&](const char* lab, const char* a, const char* b) {
        room.open(lab, a);
        room.apply(Compare{b});
        Seen seen = room.look({1280, 720});
        room.apply(Compare{});
        return seen;
    };
    EXPECT_TRUE(compared("heat", "naive", "shared_tile").says("identical"));
    const Seen copy = compared("transpose", "naive", "copy");
    EXPECT_TRUE(copy.says("by design"));
    EXPECT_FALSE(copy.says("identical"));
    EXPECT_TRUE(compared("hierarchy", "two_axes", "swapped").says("demonstrates a bug"));
    EXPECT_FALSE(compared("matmul", "naive", "tensor_cores").says("by design"))
        << "less exact, but the same product";
}

// The window's most prominent number would reveal the answer.
TEST(OpenQuestions, HideCountsUntilAnswer)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "naive");
    room.apply(SetMap{"sector_excess"});
    room.document().presentation.talk = std::make_shared<const Talk>(
        read_talk("lecture: One\nbeat: A\nshow: transpose/naive\nask: How many?\n"
                  "reveal: sectors_over_ideal(transpose/naive)\n",
                  "one"));
    const auto tells = [&] {
        const Seen seen = room.look({1280, 720});
        return seen.says("4.50×") || seen.says("stores 8.00×") || seen.says("32 sectors per store");
    };
    EXPECT_TRUE(room.document().presentation.asks());
    EXPECT_FALSE(tells());
    room.document().presentation.revealed = true;
    EXPECT_TRUE(tells());
    room.document().presentation = {};
}

} // namespace
} // namespace lanescope::test
