// Frame pacing while files are written, experiments start, sessions are replayed and variants are
// compared: for each task the frames that took more than 50 ms and the slowest of them, by wall
// clock and by CPU time of the window's thread; then frames per second. Runs the program under Xvfb
// as the window's tests do, so LANESCOPE_ENGINE and LANESCOPE_PROGRAM apply here too.
//   pace_bench [--gtest_filter=TASKS]      LANESCOPE_MINUTES: of random editing, default 1
// Exits with 1 if a task did not finish; judging the speed is left to the reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

// Slow frames of a task. Other work on the machine makes frames longer by wall clock, and by CPU
// time too because caches are shared: the amount of other work is reported.
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
                   task_, slow, worst, own, desk_.machine_is_busy() ? ", beside other work" : "");
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

TEST(Pace, HeatFramesWithAndWithoutMaps)
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
                   desk.machine_is_busy() ? ", beside other work" : "");
    }
}

// Every lab, opened at its default size.
TEST(Pace, FramesOfEveryLab)
{
    const json listed = json::parse(run_program({"list", "--json"}).output);
    for (const json& lab : listed.at("labs")) {
        const std::string id = lab.at("id");
        Desk desk({"--lab", id, "--exit-after", "5"});
        EXPECT_EQ(desk.wait_for_end(), 0);
        fmt::print("{} at its default size: {:.0f} pictures/s{}\n", id,
                   desk.report().at("pictures_per_s").get<double>(),
                   desk.machine_is_busy() ? ", beside other work" : "");
        std::fflush(stdout);
    }
}

TEST(Pace, FilesAreWrittenInBackground)
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

TEST(Pace, PlotsAndExportsKeepWindowResponsive)
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

TEST(Pace, CountingStartsInBackground)
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

TEST(Pace, ExperimentsStartInBackground)
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

TEST(Pace, SessionsReplayInBackground)
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

TEST(Pace, ComparingKeepsWindowResponsive)
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

// Random keys and clicks, as from a user who edits without a plan.
class Editor {
public:
    explicit Editor(Desk& desk) : desk_(desk) {}

    void act()
    {
        switch (random_() % 12) {
        case 0:
        case 1:
        case 2: // inserts a snippet anywhere, whether or not the result compiles
            go_to_line();
            type(snippets[random_() % std::size(snippets)]);
            break;
        case 3: keys(1 + random_() % 12, "BackSpace"); break;
        case 4: keys(1 + random_() % 6, "Delete"); break;
        case 5:
        case 6: keys(1 + random_() % 8, "ctrl+z"); break; // may make the text valid again
        case 7: keys(1 + random_() % 4, "ctrl+shift+z"); break;
        case 8: keys(1, "ctrl+Return"); break;
        case 9: // selects another variant and opens its text
            desk_.xdotool(
                {"key", "Escape", "key", std::to_string(1 + random_() % 4), "key", "ctrl+e"});
            break;
        case 10: slide(); break;
        default: keys(20, "ctrl+z"); break;
        }
        ++acts_;
    }
    long acts() const { return acts_; }

private:
    static constexpr const char* snippets[] = {" // a note ",       " wrong(", "int q = 3; ",
                                               " + 0.5f",           ";",       "for (;;) {} ",
                                               "__syncthreads(); ", "* 2"};

    void keys(unsigned count, const std::string& key)
    {
        std::vector<std::string> words{"key", "--delay", "15"};
        words.insert(words.end(), count, key);
        desk_.xdotool(words);
    }
    void type(const std::string& text) { desk_.xdotool({"type", "--delay", "15", text}); }
    void go_to_line()
    {
        keys(1, "ctrl+Home");
        keys(1 + random_() % 25, "Down");
        keys(1, "End");
    }
    void slide()
    {
        const json area = desk_.report().at("layout").at("right");
        const int width = area.at(2).get<int>(), height = area.at(3).get<int>();
        if (width < 100 || height < 200) return;
        const int x = area.at(0).get<int>() + width / 8 + static_cast<int>(random_() % (width / 4));
        const int y = area.at(1).get<int>() + 100 + static_cast<int>(random_() % (height / 3));
        desk_.move(x, y);
        desk_.press(1);
        desk_.move(x + 20, y);
        desk_.release(1);
        desk_.key("ctrl+e");
    }

    Desk& desk_;
    std::mt19937 random_{static_cast<unsigned>(
        testing::UnitTest::GetInstance()->random_seed())}; // --gtest_random_seed
    long acts_ = 0;
};

// Runs for LANESCOPE_MINUTES, default 1. The window reports what it was doing in a slow frame; that
// is the cause only if the window's thread used that much CPU time itself.
TEST(Pace, RandomEditing)
{
    const char* const asked = std::getenv("LANESCOPE_MINUTES");
    const double minutes = asked ? std::atof(asked) : 1;
    Desk desk({"--lab", "heat", "--set", "size=64"});
    desk.key("shift+c");
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    Editor editor(desk);
    const double since = desk.fresh_report().at("seconds");
    std::map<double, json> slow; // keyed by time, because each report only has the latest ones
    const auto gather = [&](const json& report) {
        for (const json& frame : report.value("slow_frames", json::array()))
            if (frame.at(0) >= since) slow[frame.at(0)] = frame;
    };
    std::size_t versions = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * minutes);
    while (std::chrono::steady_clock::now() < end) {
        editor.act();
        const json report = desk.fresh_report();
        gather(report);
        versions = std::max(versions, report.at("code").at("versions").get<std::size_t>());
        ASSERT_TRUE(desk.running());
    }
    std::map<std::string, std::tuple<int, int, double, double>> slow_frames_by_cause;
    for (const auto& [at, frame] : slow) {
        auto& [count, own, worst, worst_own] = slow_frames_by_cause[frame.at(3)];
        const double own_ms = frame.at(2);
        ++count;
        own += own_ms > 50;
        worst = std::max(worst, frame.at(1).get<double>());
        worst_own = std::max(worst_own, own_ms);
    }
    fmt::print("{:.1f} minutes of random editing: {} acts, {} versions, {} frames above 50 ms{}\n",
               minutes, editor.acts(), versions, slow.size(),
               desk.machine_is_busy() ? ", beside other work" : "");
    for (const auto& [cause, figures] : slow_frames_by_cause) {
        const auto& [count, own, worst, worst_own] = figures;
        fmt::print("  while {:10} {:4}, the slowest {:5.0f} ms; {:3} of them computed that long "
                   "themselves, at most {:.0f} ms\n",
                   cause, count, worst, own, worst_own);
        EXPECT_TRUE(cause == "other" || own == 0) << cause;
    }
    EXPECT_GT(versions, 1U) << "nothing was validated";
}

} // namespace
} // namespace lanescope::test

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
