// The window's frame: every subject, tab and action of the bar is visible in every lab and can be
// clicked; the search finds and runs what the window can do; headlines name what they count.
#include <gtest/gtest.h>

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/draw/subjects/cost.h"
#include "app/window/input/focus.h"
#include "app/window/panels/panels.h"
#include "tests/unit/window/places.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

constexpr ImVec2 usual{1280, 720};
const std::vector<std::string> subject_tab_titles{"Result",   "Memory", "Request",
                                                  "Exchange", "Lines",  "Step"};
const std::vector<std::string> strip_tab_titles{"Variants", "Source", "Sweep", "Roofline",
                                                "History",  "Lesson", "Cards"};

TEST(Shell, ShowsEveryDoorInEveryLab)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        room.open(lab.id, lab.variants.front().id);
        for (const ImVec2 size : {usual, ImVec2{1024, 768}}) {
            const Seen seen = room.look(size);
            for (const auto* const titles : {&subject_tab_titles, &strip_tab_titles})
                for (const std::string& title : *titles)
                    EXPECT_TRUE(seen.says(title)) << lab.id << ", " << size.x << ": " << title;
            for (const char* word : {"Open…", "Lesson", "Pause", "Projector", "Find"})
                EXPECT_TRUE(seen.says(word) || (word == std::string("Pause") && seen.says("Run")))
                    << lab.id << ", " << size.x << ": " << word;
        }
    }
}

// Also in stepping mode, with the strip open, and with the source beside the picture.
TEST(Shell, StaysInEveryModeButLecture)
{
    WindowFixture& room = window_fixture();
    room.open("reduction", "interleaved");
    const auto is_framed = [&](const std::string& mode) {
        for (const float zoom : {1.0F, 1.21F}) {
            room.document().look.text_zoom = zoom;
            const Seen seen = room.look(usual);
            EXPECT_FALSE(seen.layout.bar.empty()) << mode;
            EXPECT_FALSE(seen.layout.subjects.empty()) << mode;
            EXPECT_FALSE(seen.layout.status.empty()) << mode;
            EXPECT_EQ(seen.layout.tabs.empty(), !seen.layout.bottom.empty()) << mode;
            EXPECT_TRUE(seen.says("Find")) << mode;
            for (const std::string& fault : faults_of(seen, usual))
                ADD_FAILURE() << mode << ", text " << zoom << ": " << fault;
        }
        room.document().look.text_zoom = 1;
    };
    is_framed("plain");
    room.apply(ShowTab{tabs::variants});
    is_framed("strip");
    room.apply(ShowTab{});
    room.apply(PlaceCode{{.place = CodePlace::right}});
    is_framed("code");
    room.apply(PlaceCode{{}});
    room.apply(Lecture{true});
    const Seen seen = room.look(usual);
    for (const Area* area :
         {&seen.layout.bar, &seen.layout.subjects, &seen.layout.tabs, &seen.layout.status})
        EXPECT_TRUE(area->empty());
    EXPECT_FALSE(seen.says("Find"));
    room.apply(Lecture{false});
}

// Clicks what the report calls by this name, and returns the commands.
Commands click(WindowFixture& room, const std::string& place)
{
    room.look(usual);
    Commands all;
    const auto frame = [&] {
        room.draw_panels(usual, [&](const View& view, const Layout& layout, Commands& out) {
            draw_panels(view, layout, out);
            all.insert(all.end(), out.begin(), out.end());
        });
    };
    EXPECT_TRUE(room.ui().places.contains(place)) << place;
    const ImVec2 at = room.ui().places[place];
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(at.x, at.y);
    frame();
    io.AddMouseButtonEvent(0, true);
    frame();
    io.AddMouseButtonEvent(0, false);
    frame();
    io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
    frame();
    return all;
}

TEST(Shell, ClicksDoWhatKeysDo)
{
    WindowFixture& room = window_fixture();
    room.open("transpose", "naive");
    const auto only = [&](const std::string& place) {
        const Commands all = click(room, "word " + place);
        EXPECT_EQ(all.size(), 1u) << place;
        return all.empty() ? Command{Dismiss{}} : all.front();
    };
    EXPECT_EQ(only("memory").get_if<ShowSubject>()->subject, Subject::memory);
    EXPECT_EQ(only("tree").get_if<ShowSubject>()->subject, Subject::tree);
    EXPECT_TRUE(only("step").is<StepMode>());
    EXPECT_EQ(only("sweep").get_if<ShowTab>()->tab, tabs::sweep);
    EXPECT_TRUE(only("cards").is<ShowCards>());
    EXPECT_TRUE(only("next_beat").is<AdvanceBeat>());
    EXPECT_TRUE(only("compare").is<Compare>());
    EXPECT_TRUE(only("lecture").is<Lecture>());
    EXPECT_TRUE(only("help").is<ShowHelp>());
    click(room, "word open");
    EXPECT_TRUE(room.ui().files.open());
    room.ui().files.close();
}

// The status line says what the mouse points at and the keys that work there.
TEST(Shell, StatusLineExplainsPlaceOfMouse)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const Layout layout = room.look(usual).layout;
    const auto says = [&](ImVec2 at, const char* words) {
        ImGui::GetIO().AddMousePosEvent(at.x, at.y);
        const bool found = room.look(usual).says(words);
        ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
        room.look(usual);
        return found;
    };
    const ImVec2 middle{layout.picture.at.x + layout.picture.size.x / 2,
                        layout.picture.at.y + layout.picture.size.y / 2};
    room.ui().placement.emplace();
    EXPECT_TRUE(says(middle, "paint"));
    EXPECT_TRUE(says(room.ui().places["word request"], "What does one access of a warp cost?"));
    EXPECT_TRUE(says({layout.right.at.x + 20, layout.right.at.y + 200}, "type a value"));
    room.ui().placement.reset();
}

TEST(Palette, FindsAndRuns)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const auto run = [&](const char* typed, const char* shown) {
        room.apply(ShowHelp{true});
        room.look(usual);
        ImGui::GetIO().AddInputCharactersUTF8(typed);
        EXPECT_TRUE(room.look(usual).says(shown)) << typed;
        Commands all;
        for (const bool down : {true, false}) {
            ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, down);
            room.draw_panels(usual, [&](const View& view, const Layout& layout, Commands& out) {
                draw_panels(view, layout, out);
                all.insert(all.end(), out.begin(), out.end());
            });
        }
        room.apply(ShowHelp{false});
        room.look(usual);
        EXPECT_GE(all.size(), 2u) << typed;
        return all.empty() ? Command{Dismiss{}} : all.back();
    };
    const Command lab = run("lab transpose", "Matrix transpose");
    ASSERT_TRUE(lab.is<ChooseLab>());
    EXPECT_EQ(lab.get_if<ChooseLab>()->lab, "transpose");
    EXPECT_TRUE(run("roofline", "roofline").is<ShowTab>());
    EXPECT_TRUE(run("variant shared tile", "Shared tile").is<ChooseVariant>());
    EXPECT_TRUE(run("lecture what a warp", "What a warp pays").is<OpenFile>());
    EXPECT_TRUE(run("card", "card").is<ShowCards>());
}

// Typing in an open list or in the search never reaches the picture's keys.
TEST(Palette, KeepsTypedKeys)
{
    Interaction ui;
    ui.palette.was_open = true;
    WindowFixture& room = window_fixture(); // for Dear ImGui
    room.open("heat", "naive");
    room.look(usual);
    for (const char* action : {"picture", "map", "compare", "pause", "variant"})
        EXPECT_TRUE(widgets_capture(ui, action, {})) << action;
    EXPECT_FALSE(widgets_capture(ui, "leave", {}));
}

// A grid that misses cells, or threads that miss the picture, is not ideal.
TEST(Headline, CountsThreadsWithoutCellsAndCellsWithoutThreads)
{
    WindowFixture& room = window_fixture();
    const auto share = [&](const char* variant) {
        room.open("hierarchy", variant);
        return judged_cost(room.frame().a).value_or(Cost{}).value;
    };
    EXPECT_NEAR(share("two_axes"), 84.375, 1e-3);
    EXPECT_NEAR(share("swapped"), 100 * 1440.0 / 2560, 1e-3);
    EXPECT_NEAR(share("one_block_too_few"), 100 * 1536.0 / 2160, 1e-3);
    EXPECT_EQ(share("grid_stride"), 100);
}

// The recorded time of a named GPU stands beside each variant, so that a ranking by counts cannot
// hide one by the clock; an open question hides both.
TEST(Headline, ShowsRecordedTimes)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const Seen seen = room.look(usual);
    EXPECT_TRUE(seen.says("via L1 per cell"));
    EXPECT_TRUE(seen.says("times per step, H"));
    EXPECT_TRUE(seen.says(" µs"));
}

} // namespace
} // namespace lanescope::test
