// Unavailable devices and exhausted memory give messages, and the window stays usable.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace nlohmann::literals;

void expect_use(Desk& desk)
{
    // If nothing could be opened, the report has no session.
    const auto lab = desk.report().value("/session/lab"_json_pointer, "");
    desk.key("ctrl+Next");
    const auto next = desk.wait_for("another lab", [&](const json& r) {
        return r.contains("session") && r.at("session").at("lab") != lab && r.at("steps") > 50 &&
               r.at("paused") == false && r.at("error") == "";
    });
    desk.key("2");
    desk.wait_for("a variant",
                  [&](const json& r) { return r.at("variant") != next.at("variant"); });
}

TEST(WindowErrors, MissingEngine)
{
    if (engine_under_test() != "simt") GTEST_SKIP() << "it is there";
    Desk desk({"--lab", "heat", "--set", "size=96"});
    for (const char* key : {"ctrl+comma", "Down", "Down", "Return", "Down", "Return"}) {
        desk.key(key);
        desk.fresh_report();
    }
    desk.wait_for_error("--device simt needs no GPU");
    EXPECT_EQ(desk.report().at("engine"), "simt");
    const auto steps = desk.report().at("steps").get<std::int64_t>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 20; });
    desk.key("Escape");
    expect_use(desk);
}

// A plate of 2 GB does not fit: the current lab is closed to make room, and reopened.
TEST(WindowErrors, OutOfMemory)
{
    if (std::getenv("LANESCOPE_PROGRAM")) GTEST_SKIP() << "sanitizers and CUDA need the addresses";
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    // The program uses half a gigabyte of address space, and the large plate would use two.
    Desk desk({"--lab", "heat", "--set", "size=96"}, 1280, 720, {.memory = 9 * gigabyte / 4});
    const json plate{{"lanescope_session", 1},
                     {"lab", "heat"},
                     {"device", "simt"},
                     {"parameters", {{"size", 16384}}}};
    for (int i = 0; i < 2; ++i) {
        desk.drop(desk.write("plate.json", plate.dump()));
        desk.wait_for_error("Choose a smaller size");
        desk.key("Escape");
        desk.wait_for("no error", [](const json& r) { return r.at("error") == ""; });
        desk.wait_for("the small plate", [](const json& r) {
            return r.contains("session") && r.at("session").at("parameters").at("size") == "96" &&
                   r.at("steps") > 0;
        });
    }
    expect_use(desk);
}

// A kernel reads out of bounds, as its record declares. The fault is reported once; after a switch
// to another variant, that variant runs.
TEST(WindowErrors, KernelFault)
{
    if (engine_under_test() != "simt") GTEST_SKIP() << "its device would be lost";
    Desk desk({"--lab", LANESCOPE_SOURCE_DIR "/tests/unit/labs/running_sum", "--check"});
    desk.key("3");
    const json reported = desk.wait_for_error("beyond.cu");
    EXPECT_EQ(reported.at("variant"), "beyond");
    EXPECT_EQ(reported.at("paused"), false);
    const std::string words = reported.at("error");
    EXPECT_NE(words.find("past the end of the buffer"), std::string::npos) << words;
    const json later = desk.fresh_report();
    EXPECT_EQ(later.at("error"), words);
    EXPECT_EQ(later.at("log"), reported.at("log")) << "a message in every frame";
    EXPECT_EQ(later.at("steps"), reported.at("steps"));
    desk.key("Escape");
    desk.key("1");
    desk.wait_for("steps of the first variant", [&](const json& r) {
        return r.at("variant") == "doubling" && r.at("error") == "" &&
               r.at("steps") > reported.at("steps").get<std::int64_t>() + 10;
    });
    EXPECT_EQ(desk.report().at("gl_errors"), json::array());
}

// Memory of both sides that is shared with OpenGL is released before its device.
TEST(WindowErrors, EngineChangeDuringComparison)
{
    if (engine_under_test() != "simt") GTEST_SKIP() << "its device is another one";
    const Folder folder;
    const auto script = folder / "script.json";
    std::ofstream(script) << R"({"lanescope_script": 1, "commands": [
        {"at": 0.5, "do": ["compare", "shared_tile"]}, {"at": 2.5, "do": ["pause", true]},
        {"at": 3, "do": ["engine", "simt"]}, {"at": 4, "do": ["pause", false]},
        {"at": 4.5, "do": ["difference", true]}, {"at": 5, "do": ["engine", "simt"]}]})";
    Desk desk({"--lab", "heat", "--set", "size=96", "--script", script.string()});
    desk.wait_for("both sides on the first device",
                  [](const json& r) { return r.at("side_by_side") == true && r.at("steps") > 20; });
    desk.wait_for("both sides on the last device", [](const json& r) {
        return r.at("seconds") > 5.5 && r.at("opening") == false && r.at("side_by_side") == true &&
               r.at("steps") > 20 && r.at("largest_difference").is_number();
    });
    EXPECT_EQ(desk.report().at("error"), "");
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

// Time from the key press to the end of the process, after the window has finished a step.
std::chrono::duration<double> closing_time(int size)
{
    using Clock = std::chrono::steady_clock;
    Desk desk({"--lab", "heat", "--set", "size=" + std::to_string(size)});
    const auto steps = desk.report().at("steps").get<std::int64_t>();
    desk.wait_for("a step", [&](const json& r) { return r.at("steps") > steps; });
    const auto pressed = Clock::now();
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
    return Clock::now() - pressed;
}

// A step with 16 million cells takes seconds, but closing takes hardly longer than with a thousand
// cells; most of the time passes before the key arrives.
TEST(WindowErrors, ClosingDuringLongStep)
{
    if (engine_under_test() != "simt") GTEST_SKIP() << "a GPU does it in no time";
    std::chrono::duration<double> plain(1e9), during(1e9);
    for (int i = 0; i == 0 || (i < 3 && during > plain + std::chrono::milliseconds(200)); ++i) {
        plain = std::min(plain, closing_time(32));
        during = std::min(during, closing_time(4096));
    }
    std::cout << "gone after " << during.count() << " s; without a long step after "
              << plain.count() << " s" << std::endl;
    EXPECT_LT(during.count(), plain.count() + 0.2);
}

} // namespace
} // namespace lanescope::test
