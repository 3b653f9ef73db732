// The frame around every lab: the available views are always listed, no information is shown twice,
// the sliders are in view, and the line at the bottom follows the mouse.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/document/look/tabs.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/window/dialogues/search.h"
#include "tests/unit/window/places.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

constexpr ImVec2 wide{1280, 720};
constexpr ImVec2 narrow{1024, 768};

// The number of visible texts that are exactly these words.
std::ptrdiff_t times(const Seen& seen, const std::string& words)
{
    return std::ranges::count_if(seen.texts, [&](const SeenText& text) {
        return !text.hidden && text.cut.empty() && text.words == words;
    });
}

// The number of visible texts of a panel that are these words, or these words and a key.
std::ptrdiff_t times_in(const Seen& seen, const std::string& panel, const std::string& words)
{
    constexpr std::size_t max_key_length = 6;
    return std::ranges::count_if(seen.texts, [&](const SeenText& text) {
        const bool ends = text.words.size() <= words.size() + 1 + max_key_length;
        return !text.hidden && text.cut.empty() && text.window == panel && ends &&
               (text.words == words || text.words.starts_with(words + " "));
    });
}

TEST(Frame, EverySubjectAndEvidenceIsVisible)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        room.open(lab.id, lab.variants.front().id);
        for (const ImVec2 size : {wide, narrow}) {
            const Seen seen = room.look(size);
            const char* const above = size.x == wide.x ? "bar" : "subjects";
            for (const SubjectKind* subject : subjects())
                EXPECT_GE(times_in(seen, above, subject->title), 1)
                    << lab.id << ", " << size.x << ": " << subject->title;
            EXPECT_EQ(times_in(seen, above, "Step"), 1) << lab.id << ", " << size.x;
            for (const tabs::Tab& tab : tabs::all)
                EXPECT_TRUE(tab.hidden_if_empty || times_in(seen, "bottom", tab.title) == 1)
                    << lab.id << ": " << tab.id;
            EXPECT_EQ(times_in(seen, "bottom", "Cards"), 1) << lab.id;
            for (const char* action : {"Open…", "Lesson", "PAUSED", "Projector", "?"})
                EXPECT_EQ(times_in(seen, "bar", action), 1) << lab.id << ": " << action;
        }
    }
}

TEST(Frame, NamesLabOnce)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all()) {
        room.open(lab.id, lab.opening_variant().id);
        const Seen seen = room.look(wide);
        // Below the caption, these words may name a part of the picture; in the panel, a parameter.
        const float caption_end = seen.layout.picture.at.y + 2 * seen.em;
        const auto names = [&](const SeenText& text) {
            return !text.hidden && text.words == lab.title && text.window != "parameters" &&
                   (text.window != "picture" || text.ink.y < caption_end);
        };
        EXPECT_EQ(std::ranges::count_if(seen.texts, names), 1) << lab.id;
        EXPECT_EQ(times(seen, lab.question), 1) << lab.id;
    }
}

TEST(Frame, IsHiddenInLectureMode)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    room.apply(Lecture{true});
    const Seen seen = room.look(wide);
    room.apply(Lecture{false});
    EXPECT_TRUE(seen.layout.bar.empty());
    EXPECT_TRUE(seen.layout.status.empty());
    for (const char* words : {"Variants", "Projector", "Memory", "Open…"})
        EXPECT_FALSE(seen.says(words)) << words;
}

// Without scrolling, at the size that a projector has.
TEST(Frame, SlidersAreInView)
{
    WindowFixture& room = window_fixture();
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            if (!variant.fault.empty() || !variant.runs_on(device::Engine::simt)) continue;
            room.open(lab.id, variant.id);
            room.ui().places.clear();
            const Layout layout = room.look(wide).layout;
            for (const labs::Parameter& parameter : lab.parameters) {
                if (!parameter.concerns(variant.id)) continue;
                const auto place = room.ui().places.find(parameter.id);
                ASSERT_NE(place, room.ui().places.end()) << lab.id << ": " << parameter.id;
                EXPECT_LT(place->second.y, layout.right.at.y + layout.right.size.y)
                    << lab.id << "/" << variant.id << ": " << parameter.id;
            }
        }
}

TEST(Frame, StatusDescribesWhatMouseIsOn)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    const auto status_at = [&](ImVec2 at) {
        ImGui::GetIO().AddMousePosEvent(at.x, at.y);
        const Seen seen = room.look(wide);
        std::string all;
        for (const SeenText& text : seen.texts)
            if (text.window == "status") all += text.words + " ";
        return all;
    };
    const auto place = [&](const char* widget) { return room.ui().places.at(widget); };
    status_at({0, 0});
    EXPECT_NE(status_at(place("diffusion")).find("stable up to 0.25"), std::string::npos);
    EXPECT_NE(status_at(place("diffusion")).find("Ctrl click"), std::string::npos);
    EXPECT_NE(status_at(place("tab roofline")).find("limits of the GPU"), std::string::npos);
    EXPECT_NE(status_at(place("bar lecture")).find("lecture hall"), std::string::npos);
    EXPECT_NE(status_at({-1, -1}).find("search"), std::string::npos);
}

TEST(Frame, StatusHintsCanBeClicked)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    std::map<std::string, ImVec2> hints;
    for (const SeenText& text : room.look(wide).texts)
        if (text.window == "status") hints[text.words] = {text.ink.x + 2, text.ink.y + 2};
    ImGuiIO& io = ImGui::GetIO();
    const auto clicked = [&](const ImVec2 at) {
        Commands made;
        const auto frame = [&] {
            room.draw_panels(wide, [&](const View& view, const Layout& layout, Commands& out) {
                status_line(view, layout, out);
                made.insert(made.end(), out.begin(), out.end());
            });
        };
        io.AddMousePosEvent(at.x, at.y);
        frame();
        for (const bool down : {true, false}) {
            io.AddMouseButtonEvent(ImGuiMouseButton_Left, down);
            frame();
        }
        return made;
    };
    const Commands map = clicked(hints.at("H heatmap"));
    ASSERT_EQ(map.size(), 1u);
    EXPECT_NE(map.front().get_if<SetMap>(), nullptr);
    const Commands compare = clicked(hints.at("A compare"));
    ASSERT_EQ(compare.size(), 1u);
    EXPECT_NE(compare.front().get_if<Compare>(), nullptr);
    EXPECT_TRUE(clicked(hints.at("1–6 variant")).empty()) << "names no single key";
    EXPECT_TRUE(clicked({-1, -1}).empty());
}

TEST(Search, RanksBeginningsFirst)
{
    EXPECT_EQ(match_rank("Heat on a plate", "heat"), 3);
    EXPECT_EQ(match_rank("next, previous heatmap", "heat"), 2);
    EXPECT_EQ(match_rank("wheat", "heat"), 1);
    EXPECT_EQ(match_rank("Heat on a plate", "plate heat"), 1);
    EXPECT_EQ(match_rank("Heat on a plate", "rod heat"), 0);
    EXPECT_GT(match_rank("anything", ""), 0);
}

} // namespace
} // namespace lanescope::test
