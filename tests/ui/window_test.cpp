// The window, driven by real keys and a real mouse on a display of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=96"};

// Share of the pixels of two screens that differ visibly, within a rectangle.
double difference(const render::ImageFile& a, const render::ImageFile& b, int x0, int y0, int x1,
                  int y1)
{
    int different = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x)
            for (int channel = 0; channel < 3; ++channel) {
                const std::size_t at = 4 * (static_cast<std::size_t>(y) * a.width + x) + channel;
                if (std::abs(a.rgba[at] - b.rgba[at]) > 16) {
                    ++different;
                    break;
                }
            }
    return static_cast<double>(different) / ((x1 - x0) * (y1 - y0));
}

// Whether others keep the cores busy, so that a rate says nothing about the program.
bool machine_is_busy()
{
    double load = 0;
    return getloadavg(&load, 1) == 1 && load > std::thread::hardware_concurrency() + 1;
}

TEST(Window, ShowsItsFirstPictureSoonAndKeepsUp)
{
    Desk desk({"--lab", "heat", "--exit-after", "6"});
    EXPECT_EQ(desk.wait_for_end(), 0);
    const json report = desk.report();
    EXPECT_LT(report.at("first_picture_s").get<double>(), 3);
    EXPECT_EQ(report.at("engine"), "simt");
    EXPECT_TRUE(report.at("median_ms").is_null()) << "simt shows no GPU time";
    EXPECT_EQ(report.at("error"), "");
    const double rate = report.at("pictures_per_s");
    if (rate < 30 && machine_is_busy()) GTEST_SKIP() << rate << " pictures/s beside other work";
    EXPECT_GE(rate, 30) << "512×512, software OpenGL";
}

TEST(Window, NumberKeysSwitchTheVariant)
{
    Desk desk(small_plate);
    EXPECT_EQ(desk.report().at("variant"), "naive");
    desk.key("2");
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    desk.key("3");
    desk.wait_for("variant 3", [](const json& r) { return r.at("variant") == "register_march"; });
    desk.key("1");
    desk.wait_for("variant 1", [](const json& r) { return r.at("variant") == "naive"; });
}

TEST(Window, SpacePausesAndPointSteps)
{
    Desk desk(small_plate);
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    const auto stopped = desk.fresh_report().at("steps").get<int>();
    EXPECT_EQ(desk.fresh_report().at("steps"), stopped);
    desk.key("period");
    desk.wait_for("one step", [&](const json& r) { return r.at("steps") == stopped + 1; });
    desk.key("space");
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > stopped + 5; });
}

TEST(Window, RestartBeginsAfresh)
{
    Desk desk(small_plate);
    desk.wait_for("some steps", [](const json& r) { return r.at("steps") > 100; });
    desk.key("space");
    desk.key("Home");
    desk.wait_for("the start", [](const json& r) { return r.at("steps") == 0; });
}

TEST(Window, PicturesMoveAndTheMousePaints)
{
    Desk desk(small_plate);
    desk.key("space");
    desk.fresh_report();
    const auto before = desk.screenshot();
    desk.move(560, 300);
    desk.press(1);
    desk.move(640, 420);
    desk.fresh_report();
    desk.release(1);
    const json after = desk.fresh_report();
    EXPECT_FALSE(after.at("session").at("events").empty());
    EXPECT_GT(difference(before, desk.screenshot(), 440, 200, 740, 500), 0.002);
}

TEST(Window, TheSurfaceTurnsUnderTheMouse)
{
    Desk desk(small_plate);
    desk.key("v");
    const auto view = [](const json& r) { return r.at("session").at("view"); };
    desk.wait_for("the surface", [&](const json& r) { return view(r) == "surface"; });
    const double azimuth = desk.report().at("session").at("camera").at("azimuth_degrees");
    desk.move(560, 300);
    desk.press(1);
    desk.fresh_report();
    desk.move(700, 320);
    desk.fresh_report();
    desk.release(1);
    desk.wait_for("another angle", [&](const json& r) {
        return r.at("session").at("camera").at("azimuth_degrees") != azimuth;
    });
}

TEST(Window, LectureModeLeavesThePictureAlone)
{
    Desk desk(small_plate);
    desk.key("space");
    desk.fresh_report();
    const auto before = desk.screenshot();
    desk.key("f");
    desk.wait_for("lecture", [](const json& r) { return r.at("session").at("lecture") == true; });
    desk.fresh_report();
    EXPECT_GT(difference(before, desk.screenshot(), 0, 0, 200, 700), 0.05) << "the panels stay";
    desk.key("Escape");
    desk.wait_for("the panels",
                  [](const json& r) { return r.at("session").at("lecture") == false; });
}

TEST(Window, PresetsFollowTheClicker)
{
    Desk desk(small_plate);
    desk.key("Next");
    desk.wait_for("the first preset", [](const json& r) { return r.at("preset") == 0; });
    desk.key("Next");
    desk.wait_for("the second preset", [](const json& r) { return r.at("preset") == 1; });
    desk.key("Prior");
    desk.wait_for("the first preset again", [](const json& r) { return r.at("preset") == 0; });
}

TEST(Window, HelpShowsTheKeys)
{
    Desk desk(small_plate);
    desk.key("question");
    desk.wait_for("the help", [](const json& r) { return r.at("help") == true; });
    desk.key("Escape");
    desk.wait_for("no help", [](const json& r) { return r.at("help") == false; });
    EXPECT_TRUE(desk.running());
}

TEST(Window, TextGrowsAndTheThemeChanges)
{
    Desk desk(small_plate);
    desk.key("ctrl+plus");
    desk.wait_for("larger text", [](const json& r) { return r.at("session").at("text") > 1; });
    desk.key("ctrl+0");
    desk.wait_for("plain text", [](const json& r) { return r.at("session").at("text") == 1; });
    desk.key("t");
    desk.wait_for("light", [](const json& r) { return r.at("session").at("theme") == "light"; });
}

TEST(Window, ClosesWithItsKey)
{
    Desk desk(small_plate);
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

} // namespace
} // namespace lanescope::test
