// The window, driven by real keyboard and mouse events on a separate display.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "compute/experiment/lab/lab.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=96"};

TEST(Window, ShowsPicturesUntilTimeLimit)
{
    Desk desk({"--lab", "heat", "--exit-after", "3"});
    EXPECT_EQ(desk.wait_for_end(), 0);
    const json report = desk.report();
    EXPECT_GT(report.at("first_picture_s").get<double>(), 0);
    EXPECT_EQ(report.at("engine"), engine_under_test());
    EXPECT_EQ(report.at("median_ms").is_null(), engine_under_test() == "simt")
        << "simt shows no GPU time";
    EXPECT_EQ(report.at("error"), "");
    EXPECT_GT(report.at("pictures_per_s").get<double>(), 0);
}

TEST(Window, NumberKeysSwitchVariant)
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

TEST(Window, SpacePausesAndPeriodSteps)
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

TEST(Window, RestartStartsOver)
{
    Desk desk(small_plate);
    desk.wait_for("some steps", [](const json& r) { return r.at("steps") > 100; });
    desk.key("space");
    desk.key("Home");
    desk.wait_for("the start", [](const json& r) { return r.at("steps") == 0; });
}

TEST(Window, PictureMovesAndMousePaints)
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
    EXPECT_GT(different_pixels(before, desk.screenshot(), 440, 200, 740, 500), 0.002);
}

TEST(Window, MouseTurnsSurface)
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

TEST(Window, LectureModeKeepsPicture)
{
    Desk desk(small_plate);
    desk.key("space");
    desk.fresh_report();
    const auto before = desk.screenshot();
    desk.key("f");
    desk.wait_for("lecture", [](const json& r) { return r.at("session").at("lecture") == true; });
    desk.fresh_report();
    EXPECT_GT(different_pixels(before, desk.screenshot(), 0, 0, 200, 700), 0.05)
        << "the panels stay";
    desk.key("Escape");
    desk.wait_for("the panels",
                  [](const json& r) { return r.at("session").at("lecture") == false; });
}

TEST(Window, PresetsFollowKeys)
{
    Desk desk(small_plate);
    desk.key("n");
    desk.wait_for("the first preset", [](const json& r) { return r.at("preset") == 0; });
    desk.key("n");
    desk.wait_for("the second preset", [](const json& r) { return r.at("preset") == 1; });
    desk.key("shift+n");
    desk.wait_for("the first preset again", [](const json& r) { return r.at("preset") == 0; });
}

TEST(Window, HeatmapsFollowVariant)
{
    Desk desk(small_plate);
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    const std::pair<const char*, const char*> variants[] = {
        {"2", "shared_tile"}, {"3", "register_march"}, {"4", "float4"}, {"5", "temporal"}};
    for (const auto& [key, variant] : variants) {
        desk.key(key);
        desk.wait_for(std::string("the map of ") + variant, [&](const json& r) {
            return r.at("map_drawn") == true && r.at("variant") == variant && r.at("error") == "";
        });
    }
    const auto map = [&] { return desk.fresh_report().at("session").at("map"); };
    constexpr int maps = 8; // more than there are
    for (int i = 0; i < maps && map() != "off"; ++i) desk.key("h");
    EXPECT_EQ(map(), "off");
}

TEST(Window, MapAppearsWhilePausedWithValues)
{
    Desk desk(small_plate);
    desk.wait_for("a step", [](const json& r) { return r.at("steps") > 0; });
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    const auto stopped = desk.fresh_report().at("steps").get<int>();
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    desk.move(560, 360);
    const json there = desk.wait_for("the numbers", [](const json& r) {
        return r.at("hover").get<std::string>().find("sectors") != std::string::npos;
    });
    EXPECT_EQ(there.at("hover").get<std::string>().substr(0, 6), "block ");
    EXPECT_EQ(there.at("steps"), stopped) << "counting is no step";
}

TEST(Window, MemoryAndRequestsReplacePicture)
{
    Desk desk(small_plate);
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    const auto shows = [](const std::string& what) {
        return [what](const json& r) {
            return r.at("session").at("show") == what && r.at("subject_drawn") == true;
        };
    };
    desk.key("m");
    desk.wait_for("the memory", shows("memory"));
    desk.move(560, 360);
    desk.wait_for("a sector's numbers", [](const json& r) {
        return r.at("hover").get<std::string>().find("now: bytes") == 0;
    });
    desk.key("Right");
    desk.wait_for("the other memory", [&](const json& r) {
        return r.at("session").at("memory").at("name") == "next" && shows("memory")(r) &&
               r.at("hover").get<std::string>().find("next: bytes") == 0;
    });
    desk.key("m");
    desk.wait_for("a request", shows("request"));
    for (int i = 0; i < 3; ++i) desk.key("Right");
    desk.wait_for("another warp", [&](const json& r) {
        return r.at("session").at("request").at("warp") == 3 && shows("request")(r);
    });
    desk.key("Up");
    desk.key("m");
    desk.wait_for("the data exchange", shows("tree"));
    desk.key("m");
    desk.wait_for("the source lines", shows("lines"));
    desk.key("m");
    desk.wait_for("the picture", shows("picture"));
    EXPECT_EQ(desk.report().at("error"), "");
}

// The warp of trees and tiles: the first one until another is chosen (-1).
std::int64_t named_warp(const json& session)
{
    return std::max(session.at("request").at("warp").get<std::int64_t>(), std::int64_t{0});
}

TEST(Window, TreesStepThroughWarps)
{
    Desk desk({"--lab", "reduction", "--variant", "contiguous", "--set", "count=4096"});
    const auto shows = [](std::int64_t warp, bool block) {
        return [=](const json& r) {
            const json& look = r.at("session");
            return look.at("show") == "tree" && r.at("subject_drawn") == true &&
                   named_warp(look) == warp && look.at("tree_block") == block;
        };
    };
    desk.wait_for("the tree that the lab opens on", [](const json& r) {
        return r.at("session").at("show") == "tree" && r.at("subject_drawn") == true;
    });
    desk.key("Down");
    desk.wait_for("a warp's", shows(0, false));
    desk.key("Right");
    desk.key("Right");
    desk.wait_for("the third warp's", shows(2, false));
    desk.key("Up");
    desk.wait_for("the block's", shows(2, true));
    desk.key("Down");
    desk.key("Left");
    desk.wait_for("the second warp's", shows(1, false));
    desk.key("ctrl+z");
    desk.wait_for("the third one's again", shows(2, false));
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Window, TilesStepThroughBlocksAndLoads)
{
    Desk desk({"--lab", "matmul", "--variant", "tile_16", "--set", "size=64"});
    constexpr std::int64_t warps = 8; // per block
    const auto shows = [](std::int64_t block, std::int64_t load) {
        return [=](const json& r) {
            const json& look = r.at("session");
            return look.at("view") == "tiles" && r.at("subject_drawn") == true &&
                   named_warp(look) == warps * block && look.at("request").at("request") == load;
        };
    };
    desk.wait_for("the tiles that the lab opens on", [&](const json& r) {
        return shows(0, 0)(r) && r.at("loads_of_tiles") == 4; // the depth is 64, 16 per load
    });
    desk.key("Right");
    desk.key("Down");
    desk.wait_for("the block to the right and below", shows(5, 0));
    for (int i = 0; i < 5; ++i) desk.key("shift+Right");
    desk.wait_for("its last load", shows(5, 3));
    desk.key("Left");
    desk.key("Left"); // no effect: the first block of the row
    desk.wait_for("the first block of the row", shows(4, 3));
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Window, SourceShowsCounts)
{
    Desk desk(small_plate);
    desk.key("c");
    desk.wait_for("counted lines", [](const json& r) { return r.at("counted_lines") >= 3; });
    desk.key("c");
    desk.wait_for("the panel folded away",
                  [](const json& r) { return r.at("session").at("panels").at("bottom") == 0; });
}

TEST(Window, ComparedSidesAgreeOnSameFrame)
{
    Desk desk(small_plate);
    desk.key("a");
    desk.wait_for("both at one step",
                  [](const json& r) { return r.at("side_by_side") == true && r.at("steps") > 20; });
    EXPECT_EQ(desk.report().at("session").at("compare"), "shared_tile");
    desk.key("space");
    const json still = desk.wait_for("the difference in numbers", [](const json& r) {
        return r.at("paused") == true && r.at("largest_difference").is_number();
    });
    EXPECT_LT(still.at("largest_difference").get<double>(), 1e-3);
    desk.key("space");
    desk.wait_for("the counts of both", [](const json& r) {
        const json& sectors = r.at("global_sectors");
        return sectors.contains("naive") && sectors.contains("shared_tile") &&
               sectors.at("naive") != sectors.at("shared_tile");
    });
    desk.key("d");
    desk.wait_for("the difference",
                  [](const json& r) { return r.at("session").at("difference") == true; });
    desk.key("a");
    desk.wait_for("one alone", [](const json& r) { return r.at("session").at("compare") == ""; });
}

TEST(Window, TooltipShowsSideUnderMouse)
{
    Desk desk({"--lab", "coalescing", "--set", "size=128"});
    desk.xdotool({"key", "a", "key", "h", "key", "h", "key", "space"});
    desk.wait_for("both", [](const json& r) {
        return r.at("side_by_side") == true && r.at("map_drawn") == true &&
               r.at("session").at("compare") == "row_threads";
    });
    desk.move(600, 400);
    const auto shows_eight_sectors = [](const json& r) {
        return r.at("hover").get<std::string>().find("8 sectors, ideal 8") != std::string::npos;
    };
    desk.wait_for("row threads' sectors", shows_eight_sectors);
    desk.move(400, 400);
    desk.wait_for("column threads' sectors", [&](const json& r) {
        return r.at("hover").get<std::string>().find("sectors, ideal 8") != std::string::npos &&
               !shows_eight_sectors(r);
    });
}

TEST(Window, PictureReopensAsSaved)
{
    Desk desk(small_plate);
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    desk.key("s");
    desk.wait_for("the picture", [](const json& r) {
        return r.at("notice").get<std::string>().find(".png") != std::string::npos;
    });
    const auto picture = desk.saved(".png");
    ASSERT_FALSE(picture.empty());
    const auto shot = [&](const std::string& from, const std::string& name) {
        const auto file = desk.folder() / name;
        const Outcome outcome = run_program({"shot", "--session", from, "-o", file.string()});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return file;
    };
    const auto first = shot(picture.string(), "first.png");
    const auto second = shot(first.string(), "second.png");
    EXPECT_TRUE(read_file(first) == read_file(second)) << "PNG, session, PNG";

    Desk reopened({"--session", picture.string()});
    const json was = desk.fresh_report();
    const json is = reopened.wait_for("the same step", [&](const json& r) {
        return r.at("steps") == was.at("steps") && r.at("paused") == true;
    });
    EXPECT_EQ(is.at("session"), was.at("session"));
    reopened.key("s");
    reopened.wait_for("another picture", [](const json& r) { return r.at("notice") != ""; });
    EXPECT_TRUE(read_file(reopened.saved(".png")) == read_file(picture));
}

TEST(Window, OpensEveryLabAndVariant)
{
    Desk desk({"--lab", "heat", "--set", "size=64", "--check"});
    const Outcome list = run_program({"list", "--json"});
    const json labs = json::parse(list.output).at("labs");
    for (std::size_t i = 1; i <= labs.size(); ++i) {
        const json& lab = labs[i % labs.size()];
        desk.key("ctrl+Next");
        // The faults lab opens with a variant that faults in the first step.
        desk.wait_for(lab.at("id"), [&](const json& r) {
            return r.at("session").at("lab") == lab.at("id") &&
                   (r.at("steps") > 0 || (lab.at("id") == "faults" && r.at("fault_line") != 0));
        });
        const auto rungs = labs::find(lab.at("id").get<std::string>()).rungs();
        ASSERT_LE(rungs.size(), 10u) << "more variants than keys";
        for (std::size_t v = 0; v < rungs.size(); ++v) {
            desk.key(std::to_string((v + 1) % 10));
            // Variants that fault on purpose must not affect the next one.
            const labs::Variant& variant = *rungs[v];
            desk.wait_for(variant.id.c_str(), [&](const json& r) {
                return r.at("variant") == variant.id &&
                       (r.at("fault_line") != 0) == !variant.fault.empty() &&
                       (r.at("error") != "") == !variant.fault.empty();
            });
        }
        EXPECT_EQ(desk.report().at("gl_errors"), json::array()) << lab.at("id");
    }
}

TEST(Window, KeyLeadsFromFaultToFixedVariant)
{
    Desk desk({"--lab", "faults", "--check"});
    const labs::Lab& lab = labs::find("faults");
    const auto rungs = lab.rungs();
    // The lab opens with its first faulting variant.
    desk.wait_for("the fault", [](const json& r) { return r.at("fault_line") != 0; });
    desk.key("1");
    desk.wait_for("what is sound",
                  [](const json& r) { return r.at("variant") == "sound" && r.at("steps") > 2; });
    // If there is a GPU, it survives all faults: the engine stays the same.
    const json engine = desk.fresh_report().at("engine");
    for (std::size_t i = 0; i < rungs.size(); ++i) {
        const labs::Variant& variant = *rungs[i];
        if (variant.fault.empty()) continue;
        desk.key(std::to_string(i + 1));
        const json fault = desk.wait_for("the fault", [&](const json& r) {
            return r.at("variant") == variant.id && r.at("fault_line") != 0 && r.at("error") != "";
        });
        EXPECT_EQ(fault.at("paused"), false) << "nothing has to be started again";
        EXPECT_EQ(fault.at("engine"), "simt");
        desk.key("g");
        desk.wait_for("what is fixed", [&](const json& r) {
            return r.at("variant") == variant.fixed && r.at("fault_line") == 0 &&
                   r.at("error") == "" && r.at("steps") > 2 && r.at("engine") == engine;
        });
        EXPECT_EQ(desk.report().at("gl_errors"), json::array()) << variant.id;
    }
}

// Everything that a newcomer needs is on screen, one click away.
TEST(Window, FrameReachesEverythingByMouse)
{
    Desk desk(small_plate);
    const auto click = [&](const std::string& widget) {
        desk.fresh_report(); // the click before may have moved the widget
        const json at =
            desk.wait_for(widget, [&](const json& r) { return r.at("places").contains(widget); })
                .at("places")
                .at(widget);
        desk.click(at.at(0), at.at(1));
    };
    const auto shows = [](const std::string& subject) {
        return [subject](const json& r) { return r.at("session").at("show") == subject; };
    };
    click("bar pause");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    click("subject 1");
    desk.wait_for("the memory", shows("memory"));
    click("subject 2");
    desk.wait_for("a request", shows("request"));
    click("subject 0");
    desk.wait_for("the result", shows("picture"));
    click("subject step");
    desk.wait_for("the steps", [](const json& r) { return r.at("stepping").at("on") == true; });
    click("subject 0");
    desk.wait_for("no steps", [](const json& r) { return r.at("stepping").at("on") == false; });
    const auto tab = [](const std::string& name) {
        return [name](const json& r) {
            const json& panels = r.at("session").at("panels");
            return panels.at("bottom") > 0 && panels.at("tab") == name;
        };
    };
    for (const char* name : {"timings", "source", "sweep", "roofline", "history", "lesson"}) {
        click(std::string("tab ") + name);
        desk.wait_for(name, tab(name));
    }
    click("tab lesson");
    desk.wait_for("the strip folded",
                  [](const json& r) { return r.at("session").at("panels").at("bottom") == 0; });
    click("tab cards");
    desk.wait_for("a card", [](const json& r) { return r.at("talk").at("card") == 0; });
    desk.key("Escape");
    click("bar compare");
    desk.wait_for("both", [](const json& r) { return r.at("session").at("compare") != ""; });
    click("bar compare");
    click("bar settings");
    desk.wait_for("the settings", [](const json& r) { return r.at("settings") == true; });
    click("bar settings");
    desk.wait_for("no settings", [](const json& r) { return r.at("settings") == false; });
    click("bar open");
    desk.wait_for("the files", [](const json& r) { return r.at("dialogue_open") == true; });
    desk.key("Escape");
    click("bar next_beat");
    desk.wait_for("the lesson", [](const json& r) { return r.at("talk").contains("beat"); });
    desk.key("shift+l");
    click("bar lecture");
    desk.wait_for("the lecture mode",
                  [](const json& r) { return r.at("session").at("lecture") == true; });
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Window, HelpShowsKeys)
{
    Desk desk(small_plate);
    desk.key("question");
    desk.wait_for("the help", [](const json& r) { return r.at("help") == true; });
    desk.key("Escape");
    desk.wait_for("no help", [](const json& r) { return r.at("help") == false; });
    EXPECT_TRUE(desk.running());
}

TEST(Window, TextSizeAndThemeChange)
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
