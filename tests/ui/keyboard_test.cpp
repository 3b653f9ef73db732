// Keyboard-only operation: panels, parameters, files, painting and the view.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=96"};

void type(Desk& desk, const std::string& text)
{
    desk.xdotool({"type", "--delay", "30", text});
}

// Presses keys one at a time, each in a separate frame.
void keys(Desk& desk, const std::vector<std::string>& all)
{
    for (const std::string& one : all) {
        desk.key(one);
        desk.fresh_report();
    }
}

TEST(Keyboard, ChoosesVariantInPanel)
{
    Desk desk(small_plate);
    keys(desk, {"F6", "Down", "Down", "Return"});
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    EXPECT_TRUE(desk.report().at("session").at("events").is_array());
}

TEST(Keyboard, SpaceOnControlDoesNotPause)
{
    Desk desk(small_plate);
    keys(desk, {"F6", "Down", "Down", "space"});
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    EXPECT_EQ(desk.report().at("paused"), false);
    keys(desk, {"Escape", "space"});
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
}

TEST(Keyboard, EditsParameter)
{
    Desk desk(small_plate);
    keys(desk, {"F6"});
    // Moves past the six variants, size and height to diffusion.
    for (int i = 0; i < 9; ++i) keys(desk, {"Down"});
    keys(desk, {"Return", "ctrl+a"});
    type(desk, "0.1");
    desk.key("Return");
    desk.wait_for("the number", [](const json& r) {
        const json& events = r.at("session").at("events");
        return !events.empty() &&
               events.back().value("set", json::object()) == json{{"diffusion", "0.1"}};
    });
}

// Requests a restart in the same frame in which a text field becomes active.
TEST(Keyboard, TextFieldDoesNotBlock)
{
    Desk desk(small_plate);
    const json at = desk.fresh_report().at("places").at("diffusion");
    const std::string x = std::to_string(at.at(0).get<int>());
    const std::string y = std::to_string(at.at(1).get<int>());
    for (int i = 0; i < 8; ++i) {
        desk.xdotool({"mousemove", x,         y,      "keydown", "ctrl", "mousedown",
                      "1",         "mouseup", "1",    "keyup",   "ctrl", "key",
                      "Return",    "key",     "Home", "keydown", "ctrl", "mousedown",
                      "1",         "mouseup", "1",    "keyup",   "ctrl"});
        desk.drop(desk.write("rod.json", R"({"lanescope_session": 1, "lab": "rod"})"));
        desk.wait_for("the rod", [](const json& r) { return r.at("session").at("lab") == "rod"; });
        desk.drop(desk.write("heat.json", R"({"lanescope_session": 1, "lab": "heat"})"));
        desk.wait_for("heat", [](const json& r) { return r.at("session").at("lab") == "heat"; });
    }
}

TEST(Keyboard, PaintsAndMovesPicture)
{
    Desk desk(small_plate);
    desk.key("Return");
    const json after = desk.wait_for(
        "a stroke", [](const json& r) { return !r.at("session").at("events").empty(); });
    EXPECT_EQ(after.at("session").at("events")[0].at("stroke").at("u"), 0.5);
    keys(desk, {"equal", "equal", "equal", "Right"});
    desk.wait_for("the zoom", [](const json& r) {
        const json& zoom = r.at("session").at("zoom");
        return zoom.at("factor") > 1.2 && zoom.at("x") > 0.5;
    });
    const double azimuth = desk.report().at("session").at("camera").at("azimuth_degrees");
    keys(desk, {"v", "Left"});
    desk.wait_for("the turn", [&](const json& r) {
        return r.at("session").at("camera").at("azimuth_degrees") != azimuth;
    });
}

TEST(Keyboard, MovesDividerAndPanels)
{
    Desk desk(small_plate);
    keys(desk, {"a", "bracketleft", "ctrl+Left", "ctrl+shift+Right", "b", "ctrl+Up"});
    desk.wait_for("all sizes", [](const json& r) {
        const json& session = r.at("session");
        const json& panels = session.at("panels");
        return session.at("swipe") < 0.5 && panels.at("right") == 18 && panels.at("left") == 13 &&
               panels.at("bottom") == 16;
    });
}

TEST(Keyboard, OpensFileByPartialName)
{
    Desk desk(small_plate);
    json session = desk.fresh_report().at("session");
    session["theme"] = "light";
    session["variant"] = "temporal";
    desk.write("tomorrow.json", session.dump());
    desk.write("yesterday.json", "{}");
    desk.key("ctrl+o");
    desk.fresh_report();
    type(desk, "tomor");
    desk.key("Return");
    desk.wait_for("the session", [](const json& r) { return r.at("variant") == "temporal"; });
    EXPECT_EQ(desk.fresh_report().at("session").at("theme"), "light");
}

TEST(Keyboard, ChoosesOutputFolder)
{
    Desk desk(small_plate);
    const std::string folder = (desk.folder() / "slides").string();
    const auto type_folder = [&] {
        desk.key("Return");
        desk.fresh_report();
        desk.key("ctrl+a");
        type(desk, folder);
        desk.key("Return");
    };
    keys(desk, {"ctrl+comma", "End"});
    type_folder();
    desk.wait_for_error("There is no folder");
    std::filesystem::create_directory(folder);
    keys(desk, {"Escape", "ctrl+comma", "End"});
    type_folder();
    desk.wait_for("the folder", [&](const json& r) { return r.at("folder") == folder; });
    keys(desk, {"Escape", "s"});
    desk.wait_for_notice(folder);
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
    const auto kept = json::parse(read_file(desk.folder() / "lanescope/last_session.json"));
    EXPECT_EQ(kept.at("folder"), folder);
}

// S, H, U and F would save a picture, show a heatmap and the program, and start the lecture mode.
TEST(Keyboard, TypingInListOnlySearches)
{
    Desk desk(small_plate);
    const json at = desk.fresh_report().at("places").at("bar labs");
    desk.click(at.at(0), at.at(1));
    desk.fresh_report();
    desk.fresh_report();
    for (const char* letter : {"s", "h", "u", "f"}) keys(desk, {letter});
    const json open = desk.fresh_report();
    EXPECT_EQ(open.at("session").at("map"), "off");
    EXPECT_EQ(open.at("session").at("lecture"), false);
    EXPECT_EQ(open.at("notice"), "");
    desk.key("Return");
    const json opened = desk.wait_for(
        "the lab", [](const json& r) { return r.at("session").at("lab") == "shuffle"; });
    EXPECT_EQ(opened.at("session").at("lecture"), false);
}

TEST(Keyboard, SearchFindsActionsLabsPresetsCardsAndLectures)
{
    Desk desk(small_plate);
    const auto search = [&](const std::string& opens, const std::string& words) {
        desk.key(opens);
        desk.wait_for("the search", [](const json& r) { return r.at("help") == true; });
        desk.fresh_report();
        type(desk, words);
        desk.fresh_report();
        desk.key("Return");
        return desk.wait_for("its end", [](const json& r) { return r.at("help") == false; });
    };
    search("question", "occupancy:");
    desk.wait_for("the lab",
                  [](const json& r) { return r.at("session").at("lab") == "occupancy"; });
    search("ctrl+p", "one hot bin");
    desk.wait_for("the preset", [](const json& r) {
        return r.at("session").at("lab") == "histogram" && r.at("preset") == 1;
    });
    search("ctrl+p", "dark, light");
    desk.wait_for("light", [](const json& r) { return r.at("session").at("theme") == "light"; });
    search("F1", "card atomic");
    desk.wait_for("a card", [](const json& r) { return r.at("talk").at("card") >= 0; });
    search("F1", "lecture what a warp pays");
    desk.wait_for("the lecture",
                  [](const json& r) { return r.at("talk").value("beats", 0) == 30; });
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Keyboard, ReachesBar)
{
    Desk desk(small_plate);
    keys(desk, {"shift+F6", "Right", "Right"});
    desk.wait_for("an entry's description", [](const json& r) {
        return r.at("status").at(0) != "" && r.at("paused") == false;
    });
    keys(desk, {"Escape", "space"});
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
}

} // namespace
} // namespace lanescope::test
