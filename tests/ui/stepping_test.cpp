// Stepping mode, with real keys, a clicker and the mouse.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_reduction{"--lab",       "reduction", "--variant",
                                               "interleaved", "--set",     "count=4096"};

json stepping(const json& report)
{
    return report.at("stepping");
}

bool ready(const json& report)
{
    const json step = stepping(report);
    return step.at("on") == true && step.value("ready", false) && step.value("complete", false);
}

TEST(Stepping, KeysStepForwardsAndBack)
{
    Desk desk(small_reduction);
    desk.key("i");
    const json begin = stepping(desk.wait_for("the stepping mode", ready));
    EXPECT_EQ(begin.at("position"), 0);
    EXPECT_EQ(desk.report().at("paused"), true);
    desk.key("Right");
    const json line = stepping(
        desk.wait_for("a line", [](const json& r) { return stepping(r).at("position") > 0; }));
    desk.key("Next"); // the clicker's key
    const json next = stepping(desk.wait_for("another line", [&](const json& r) {
        return stepping(r).at("position") > line.at("position");
    }));
    desk.key("shift+Right");
    desk.wait_for("an instruction", [&](const json& r) {
        return stepping(r).at("position") == next.at("position").get<int>() + 1;
    });
    desk.key("shift+Left");
    desk.wait_for("an instruction back",
                  [&](const json& r) { return stepping(r).at("position") == next.at("position"); });
    desk.key("Prior");
    desk.wait_for("a line back",
                  [&](const json& r) { return stepping(r).at("position") == line.at("position"); });
    desk.key("b");
    desk.wait_for("the barrier",
                  [](const json& r) { return stepping(r).at("sentence") == "Past the barrier."; });
    desk.key("End");
    desk.wait_for("the next block", [](const json& r) { return stepping(r).at("block") == 1; });
    desk.key("Home");
    desk.wait_for("the block before", [](const json& r) { return stepping(r).at("block") == 0; });
    desk.key("Down");
    desk.wait_for("warp 1", [](const json& r) { return stepping(r).at("shown") == 1; });
    desk.key("Escape");
    desk.wait_for("the end of the mode",
                  [](const json& r) { return stepping(r).at("on") == false; });
    const auto steps = desk.fresh_report().at("steps").get<int>();
    desk.key("space");
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps; });
}

TEST(Stepping, MouseSetsBreakpointsScrubsAndSelectsWarps)
{
    Desk desk(small_reduction);
    desk.key("i");
    desk.wait_for("the stepping mode", ready);
    const json at = stepping(desk.fresh_report());
    const auto click = [&](const json& point) {
        desk.click(static_cast<int>(point.at(0).get<double>()),
                   static_cast<int>(point.at(1).get<double>()));
    };
    int visible = 0; // the last visible line; lines 8 to 11 have instructions
    for (const auto& [number, point] : at.at("gutter").items())
        visible = std::max(visible, std::stoi(number));
    ASSERT_GT(visible, stepping(desk.report()).at("line").get<int>());
    click(at.at("gutter").at(std::to_string(visible)));
    const json set = desk.wait_for(
        "a breakpoint", [](const json& r) { return stepping(r).at("breakpoints").size() == 1; });
    // A line without instructions moves the breakpoint to the next one.
    const int line = stepping(set).at("breakpoints").at(0);
    ASSERT_GE(line, std::max(visible, 8));
    ASSERT_LE(line, 11);
    desk.key("space");
    desk.wait_for("the breakpoint", [&](const json& r) {
        return stepping(r).at("stop") == "breakpoint" && stepping(r).at("line") == line;
    });
    click(at.at("warps").at(5));
    desk.wait_for("warp 5", [](const json& r) { return stepping(r).at("shown") == 5; });
    const double left = at.at("bar").at(0);
    const double wide = at.at("bar").at(2);
    const int y = static_cast<int>(at.at("bar").at(1).get<double>());
    const double known = at.at("known");
    desk.move(static_cast<int>(left + 0.25 * wide), y);
    desk.press(1);
    desk.wait_for("a quarter", [&](const json& r) {
        return std::abs(stepping(r).at("position").get<double>() - 0.25 * known) < 0.01 * known;
    });
    desk.move(static_cast<int>(left + 0.75 * wide), y);
    desk.wait_for("three quarters", [&](const json& r) {
        return std::abs(stepping(r).at("position").get<double>() - 0.75 * known) < 0.01 * known;
    });
    desk.release(1);
}

TEST(Stepping, PositionCanBeTyped)
{
    Desk desk(small_reduction);
    desk.key("i");
    desk.wait_for("the stepping mode", ready);
    const auto go_to = [&](const std::string& text) {
        desk.key("g");
        desk.wait_for("the field", [](const json& r) { return r.at("dialogue_open") == true; });
        desk.fresh_report(); // the field has the keyboard one frame later
        desk.xdotool({"type", "--delay", "40", text});
        desk.key("Return");
    };
    go_to("block 3");
    desk.wait_for("block 3", [](const json& r) { return stepping(r).at("block") == 3; });
    go_to("t == 70"); // typing replaces the previous text, which is selected
    desk.wait_for("warp 2", [](const json& r) {
        return stepping(r).at("block") == 3 && stepping(r).at("shown") == 2;
    });
    go_to("nothing == 1");
    desk.wait_for("a refusal", [](const json& r) {
        return stepping(r).at("sentence").get<std::string>().find("there is no nothing") !=
               std::string::npos;
    });
    desk.key("g");
    desk.key("Escape");
    desk.key("shift+p");
    desk.key("Left");
    desk.wait_for("the mode goes on", [](const json& r) { return stepping(r).at("on") == true; });
}

TEST(Stepping, ClickOnPictureAsksWhy)
{
    Desk desk({"--lab", "heat", "--variant", "shared_tile", "--set", "size=64"});
    desk.key("i");
    desk.wait_for("the stepping mode", ready);
    desk.key("p");
    desk.wait_for("the picture", [](const json& r) { return stepping(r).at("page") == 1; });
    desk.fresh_report();
    desk.click(600, 400);
    desk.wait_for("the answer", [](const json& r) { return stepping(r).at("nodes") > 3; });
    desk.key("Return");
    desk.wait_for("the place", [](const json& r) {
        return stepping(r).at("page") == 0 && stepping(r).at("position") > 0;
    });
    EXPECT_TRUE(desk.report().at("session").at("events").empty()) << "nothing was painted";
}

} // namespace
} // namespace lanescope::test
