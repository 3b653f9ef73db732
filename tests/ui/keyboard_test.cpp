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
    keys(desk, {"F6", "Down", "Down", "Down", "Return"});
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    EXPECT_TRUE(desk.report().at("session").at("events").is_array());
}

TEST(Keyboard, SpaceOnControlDoesNotPause)
{
    Desk desk(small_plate);
    keys(desk, {"F6", "Down", "Down", "Down", "space"});
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    EXPECT_EQ(desk.report().at("paused"), false);
    keys(desk, {"Escape", "space"});
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
}

TEST(Keyboard, EditsParameter)
{
    Desk desk(small_plate);
    keys(desk, {"F6"});
    // Moves past the lab, its six variants, size and height to diffusion.
    for (int i = 0; i < 10; ++i) keys(desk, {"Down"});
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
    for (int i = 0; i < 8; ++i) {
        desk.xdotool({"mousemove", "1100",    "506",  "keydown", "ctrl", "mousedown",
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
    keys(desk, {"F6", "End"});
    type_folder();
    desk.wait_for_error("There is no folder");
    std::filesystem::create_directory(folder);
    keys(desk, {"Escape", "F6", "End"});
    type_folder();
    desk.wait_for("the folder", [&](const json& r) { return r.at("folder") == folder; });
    keys(desk, {"Escape", "s"});
    desk.wait_for_notice(folder);
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
    const auto kept = json::parse(read_file(desk.folder() / "lanescope/last_session.json"));
    EXPECT_EQ(kept.at("folder"), folder);
}

} // namespace
} // namespace lanescope::test
