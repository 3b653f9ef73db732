// Actions can be undone, logged, scripted and replayed; keys follow the keyboard's labels; clicks
// hit their targets on dense screens; and closing the window loses no work.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=96"};

auto shows_variant(const char* id)
{
    return [id](const json& r) { return r.at("variant") == id; };
}

TEST(Document, UndoAndRedo)
{
    Desk desk(small_plate);
    desk.key("2");
    desk.wait_for("variant 2", shows_variant("shared_tile"));
    desk.key("t");
    desk.wait_for("light", [](const json& r) { return r.at("session").at("theme") == "light"; });
    desk.key("ctrl+z");
    desk.wait_for("dark", [](const json& r) { return r.at("session").at("theme") == "dark"; });
    desk.key("ctrl+z");
    desk.wait_for("variant 1", shows_variant("naive"));
    desk.key("ctrl+shift+z");
    desk.wait_for("variant 2 again", shows_variant("shared_tile"));
    desk.key("ctrl+y");
    desk.wait_for("light", [](const json& r) { return r.at("session").at("theme") == "light"; });
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Document, UndoRevertsStrokeAndReturnsToLab)
{
    Desk desk(small_plate);
    desk.wait_for("some steps", [](const json& r) { return r.at("steps") > 10; });
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    const auto steps = desk.fresh_report().at("steps").get<int>();
    const auto strokes = [](const json& r) { return r.at("session").at("events").size(); };
    desk.key("Return");
    desk.wait_for("a stroke", [&](const json& r) { return strokes(r) == 1; });
    desk.key("ctrl+Next");
    desk.wait_for("another lab", [](const json& r) { return r.at("session").at("lab") != "heat"; });
    desk.key("ctrl+z");
    const json back = desk.wait_for("heat as it was", [&](const json& r) {
        return r.at("opening") == false && r.at("session").at("lab") == "heat" &&
               r.at("steps") == steps && strokes(r) == 1;
    });
    EXPECT_EQ(back.at("session").at("parameters").at("size"), "96");
    desk.key("ctrl+z");
    desk.wait_for("no stroke", [&](const json& r) {
        return r.at("opening") == false && r.at("steps") >= steps && strokes(r) == 0;
    });
    desk.key("ctrl+y");
    desk.wait_for("the stroke again", [&](const json& r) { return strokes(r) == 1; });
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Document, EscOnlyLeavesModes)
{
    Desk desk(small_plate);
    desk.key("ctrl+l");
    desk.wait_for("the log", [](const json& r) { return r.at("log_open") == true; });
    desk.key("question");
    desk.wait_for("the help", [](const json& r) { return r.at("help") == true; });
    desk.xdotool({"key", "Escape", "key", "Escape", "key", "Escape", "key", "Escape"});
    desk.wait_for("nothing open",
                  [](const json& r) { return r.at("help") == false && r.at("log_open") == false; });
    desk.fresh_report();
    EXPECT_TRUE(desk.running());
}

TEST(Document, ClosingAsksAboutUnsavedWork)
{
    Desk desk(small_plate);
    const auto asks = [](bool wanted) {
        return [wanted](const json& r) { return r.at("asks_to_close") == wanted; };
    };
    desk.key("Return");
    desk.wait_for("a stroke", [](const json& r) { return !r.at("session").at("events").empty(); });
    desk.key("ctrl+q");
    desk.wait_for("the question", asks(true));
    EXPECT_TRUE(desk.running());
    desk.key("Escape");
    desk.wait_for("no question", asks(false));
    desk.key("ctrl+s");
    desk.wait_for_notice(".json");
    desk.key("r"); // an unfinished recording, which closing would lose
    desk.wait_for("frames", [](const json& r) { return r.at("recording") >= 1; });
    desk.key("ctrl+q");
    desk.wait_for("the question", asks(true));
    desk.key("Return");
    EXPECT_EQ(desk.wait_for_end(), 0);
    EXPECT_FALSE(desk.saved(".mp4").empty()) << "it was ended, not given up";
}

TEST(Document, KeysFollowGermanAndFrenchLayouts)
{
    Desk desk(small_plate);
    const auto tab = [](const json& r) { return r.at("session").at("panels").at("tab"); };
    const auto zoom = [](const json& r) {
        return r.at("session").at("zoom").at("factor").get<double>();
    };
    for (const char* layout : {"de", "fr"}) {
        desk.set_layout(layout);
        desk.key("b");
        desk.wait_for("the bars", [&](const json& r) { return tab(r) == "timings"; });
        desk.key("y");
        desk.wait_for("the history", [&](const json& r) { return tab(r) == "history"; });
        desk.key("w");
        desk.wait_for("the sweep", [&](const json& r) { return tab(r) == "sweep"; });
        const double before = zoom(desk.fresh_report());
        desk.key("plus");
        desk.wait_for("nearer", [&](const json& r) { return zoom(r) > before; });
        desk.key("question");
        desk.wait_for("the help", [](const json& r) { return r.at("help") == true; });
        desk.key("question");
        desk.wait_for("no help", [](const json& r) { return r.at("help") == false; });
        desk.key("ctrl+z"); // undoes the zoom
        desk.wait_for("as before", [&](const json& r) { return zoom(r) == before; });
        // The second key in the row of digits, whatever its label.
        desk.key(layout == std::string("fr") ? "eacute" : "2");
        desk.wait_for("variant 2", shows_variant("shared_tile"));
        desk.key(layout == std::string("fr") ? "ampersand" : "1");
        desk.wait_for("variant 1", shows_variant("naive"));
    }
}

TEST(Document, ScriptIsSavedAndReplayed)
{
    const Folder folder;
    const std::string script = (folder / "script.json").string();
    {
        std::vector<std::string> arguments = small_plate;
        arguments.insert(arguments.end(), {"--write-script", script});
        Desk desk(arguments);
        desk.key("3");
        desk.key("t");
        desk.key("v");
        desk.wait_for("all of it", [](const json& r) {
            return r.at("variant") == "register_march" && r.at("session").at("view") == "surface";
        });
        desk.key("ctrl+q");
        EXPECT_EQ(desk.wait_for_end(), 0);
    }
    std::vector<std::string> arguments = small_plate;
    arguments.insert(arguments.end(), {"--script", script});
    Desk desk(arguments);
    EXPECT_EQ(desk.wait_for_end(), 0) << "closing is part of it";
    const json last = desk.report();
    EXPECT_EQ(last.at("variant"), "register_march");
    EXPECT_EQ(last.at("session").at("theme"), "light");
    EXPECT_EQ(last.at("session").at("view"), "surface");
}

} // namespace
} // namespace lanescope::test
