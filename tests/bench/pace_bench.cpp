// How the window keeps its rhythm while files are written, experiments start, sessions are replayed
// and variants are compared: for each task the frames that took more than 50 ms and the slowest of
// them, by the clock and by what the window's own thread computed; then frames a second. Runs the
// program under Xvfb as the tests of the window do, so LANESCOPE_ENGINE and LANESCOPE_PROGRAM count
// here too.
//   pace_bench [--gtest_filter=TASKS]
// Exit status 1 where a task did not come to its end; how fast it was is for the reader to judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

// The slow frames of a task. Other work on the processors makes frames longer by the clock, and
// what they compute themselves too, because caches are shared: how much of it there was is told.
class Watch {
public:
    Watch(Desk& desk, const std::string& task)
        : desk_(desk), task_(task), since_(desk.fresh_report().at("seconds"))
    {
    }
    ~Watch()
    {
        double worst = 0, own = 0;
        int slow = 0;
        const json now = desk_.fresh_report();
        for (const json& frame : now.value("slow_frames", json::array())) {
            if (frame.at(0) < since_) continue;
            ++slow;
            worst = std::max(worst, frame.at(1).get<double>());
            own = std::max(own, frame.at(2).get<double>());
        }
        fmt::print("{:56} {:3} frames above 50 ms, the slowest {:4.0f} ms, of its own {:4.0f}{}\n",
                   task_, slow, worst, own, desk_.beside_other_work() ? ", beside other work" : "");
        std::fflush(stdout);
        EXPECT_EQ(now.at("error"), "") << task_;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    Desk& desk_;
    std::string task_;
    double since_;
};

json session(const std::string& lab, const json& more)
{
    json all{{"lanescope_session", 1}, {"lab", lab}, {"device", engine_under_test()}};
    all.update(more);
    return all;
}

void open(Desk& desk, const std::string& name, const json& session)
{
    desk.drop(desk.write(name, session.dump()));
    desk.wait_for(name, [&](const json& r) {
        return r.at("opening") == false && r.contains("session") &&
               r.at("session").at("lab") == session.at("lab") && r.at("steps") > 0;
    });
}

TEST(Pace, FramesOfAHeatPlateWithAndWithoutMaps)
{
    for (const char* map : {"off", "active_lanes"}) {
        const Folder folder;
        const auto file = folder / "session.json";
        std::ofstream(file) << session("heat", {{"parameters", {{"size", 256}}}, {"map", map}});
        Desk desk({"--session", file.string(), "--exit-after", "6"});
        EXPECT_EQ(desk.wait_for_end(), 0);
        const json report = desk.report();
        EXPECT_EQ(report.at("map_drawn"), map != std::string("off"));
        fmt::print("heat 256², map {}: {:.0f} pictures/s, the first after {:.2f} s{}\n", map,
                   report.at("pictures_per_s").get<double>(),
                   report.at("first_picture_s").get<double>(),
                   desk.beside_other_work() ? ", beside other work" : "");
    }
}

// Every lab at its default size, as it opens.
TEST(Pace, FramesOfEveryLab)
{
    for (const json& lab : json::parse(run_program({"list", "--json"}).output).at("labs")) {
        const std::string id = lab.at("id");
        Desk desk({"--lab", id, "--exit-after", "5"});
        EXPECT_EQ(desk.wait_for_end(), 0);
        fmt::print("{} at its default size: {:.0f} pictures/s{}\n", id,
                   desk.report().at("pictures_per_s").get<double>(),
                   desk.beside_other_work() ? ", beside other work" : "");
        std::fflush(stdout);
    }
}

TEST(Pace, FilesAreWrittenBesideTheWindow)
{
    const Folder folder;
    const auto file = folder / "session.json";
    std::ofstream(file) << session(
        "heat", {{"parameters", {{"size", 256}}}, {"capture", {{"scale", 4}, {"seconds", 1}}}});
    Desk desk({"--session", file.string()});
    {
        const Watch watch(desk, "a picture at 4×");
        desk.key("s");
        desk.wait_for_notice("session inside");
    }
    {
        const Watch watch(desk, "a picture of the window");
        desk.key("shift+s");
        desk.wait_for_notice("-window.png");
    }
    {
        const Watch watch(desk, "a recording at 4×, and its end");
        desk.key("r");
        desk.wait_for_notice("30 frames", 3min);
    }
    {
        const Watch watch(desk, "a session");
        desk.key("ctrl+s");
        desk.wait_for_notice(".json");
    }
}

TEST(Pace, PlotsAndTheirExportsKeepTheWindowGoing)
{
    Desk desk({"--lab", "heat", "--set", "size=256"});
    const std::pair<const char*, const char*> tabs[] = {
        {"b", "variants"}, {"y", "history"}, {"o", "roofline"}, {"c", "source"}, {"w", "sweep"}};
    for (const auto& [key, name] : tabs) {
        const Watch watch(desk, std::string("the tab and its export: ") + name);
        desk.key(key);
        for (int i = 0; i < 5; ++i) desk.fresh_report();
        const auto files = desk.folder().entries();
        desk.key("e");
        desk.wait_for("the export", [&](const json& r) {
            return desk.folder().entries() > files && r.at("notice") != "";
        });
        for (int i = 0; i < 5; ++i) desk.fresh_report();
    }
}

TEST(Pace, CountingBeginsBesideTheWindow)
{
    Desk desk({"--lab", "heat", "--variant", "temporal"});
    {
        const Watch watch(desk, "the first map");
        desk.key("h");
        desk.wait_for("the map", [](const json& r) { return r.at("map_drawn") == true; });
    }
    for (const char* subject : {"memory", "request", "tree"}) {
        const Watch watch(desk, std::string("the first time: ") + subject);
        desk.key("m");
        desk.wait_for(subject, [&](const json& r) {
            return r.at("session").at("show") == subject && r.at("subject_drawn") == true;
        });
        desk.fresh_report();
    }
}

TEST(Pace, ExperimentsStartBesideTheWindow)
{
    Desk desk({"--lab", "heat"});
    const json labs = json::parse(run_program({"list", "--json"}).output).at("labs");
    for (std::size_t i = 1; i <= labs.size(); ++i) {
        const json& id = labs[i % labs.size()].at("id");
        const Watch watch(desk, "opening " + id.get<std::string>());
        desk.key("ctrl+Next");
        desk.wait_for(id, [&](const json& r) {
            return r.at("session").at("lab") == id && r.at("steps") > 0;
        });
    }
    {
        const Watch watch(desk, "a plate of 4096²");
        open(desk, "plate.json", session("heat", {{"parameters", {{"size", 4096}}}}));
    }
    {
        const Watch watch(desk, "the start again of a plate of 4096²");
        desk.key("Home");
        desk.wait_for("the start", [](const json& r) { return r.at("opening") == false; });
    }
    {
        const Watch watch(desk, "a picture of 4096² turned");
        open(desk, "turned.json", session("rotate", {{"parameters", {{"size", 4096}}}}));
    }
    {
        const Watch watch(desk, "reads at random addresses of 4096²");
        open(desk, "reads.json", session("coalescing", {{"parameters", {{"size", 4096}}}}));
        desk.key("5");
        desk.wait_for("the variant", [](const json& r) { return r.at("variant") == "random"; });
        const auto steps = desk.fresh_report().at("steps").get<int>();
        desk.wait_for("its step", [&](const json& r) { return r.at("steps") > steps + 1; });
    }
}

TEST(Pace, SessionsAreReplayedBesideTheWindow)
{
    Desk desk({"--lab", "heat", "--set", "size=64"});
    const json plate{{"parameters", {{"size", 32}}}};
    {
        const Watch watch(desk, "a session of 100,000 steps");
        json long_one = session("heat", plate);
        long_one["step"] = 100000;
        open(desk, "steps.json", long_one);
        desk.wait_for(
            "all steps", [](const json& r) { return r.at("steps") == 100000; }, 4min);
    }
    {
        const Watch watch(desk, "a session of 50,000 strokes");
        json busy_one = session("heat", plate);
        for (int i = 0; i < 50000; ++i)
            busy_one["events"].push_back(
                {{"step", i}, {"stroke", {{"u", i % 97 / 97.0}, {"v", i % 89 / 89.0}}}});
        busy_one["step"] = 50000;
        desk.drop(desk.write("strokes.json", busy_one.dump()));
        desk.wait_for(
            "all strokes", [](const json& r) { return r.at("steps") == 50000; }, 4min);
    }
}

TEST(Pace, ComparingKeepsTheWindowGoing)
{
    Desk desk({"--lab", "heat"});
    const Watch watch(desk, "A/B, its difference and a map over both");
    desk.key("a");
    desk.wait_for("both",
                  [](const json& r) { return r.at("side_by_side") == true && r.at("steps") > 50; });
    desk.key("d");
    desk.wait_for("the difference", [](const json& r) { return r.at("steps") > 70; });
    desk.key("d");
    desk.key("h");
    desk.wait_for("the map", [](const json& r) { return r.at("map_drawn") == true; });
}

} // namespace
} // namespace lanescope::test

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
