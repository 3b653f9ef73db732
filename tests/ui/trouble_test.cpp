// What the machine cannot do is said, and the window stays of use.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

void expect_use(Desk& desk)
{
    desk.key("ctrl+Next");
    desk.wait_for("another lab", [](const json& r) {
        return r.contains("session") && r.at("session").at("lab") == "rod" && r.at("steps") > 50 &&
               r.at("paused") == false && r.at("error") == "";
    });
    desk.key("2");
    desk.wait_for("a variant", [](const json& r) { return r.at("variant") == "shared"; });
}

TEST(Trouble, AnEngineThatIsNotThere)
{
    if (engine_under_test() != "simt") GTEST_SKIP() << "it is there";
    Desk desk({"--lab", "heat", "--set", "size=96"});
    for (const char* key :
         {"F6", "F6", "End", "Up", "Up", "Up", "Up", "Return", "Down", "Return"}) {
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

// A plate of 2 GB where there is less: what was shown may have to go, the window must not.
TEST(Trouble, TooLittleMemory)
{
    if (std::getenv("LANESCOPE_PROGRAM")) GTEST_SKIP() << "sanitizers and CUDA need the addresses";
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    Desk desk({"--lab", "heat", "--set", "size=96"}, 1280, 720, {.memory = 5 * gigabyte / 2});
    const json plate{{"lanescope_session", 1},
                     {"lab", "heat"},
                     {"device", "simt"},
                     {"parameters", {{"size", 16384}}}};
    for (int i = 0; i < 2; ++i) {
        desk.drop(desk.write("plate.json", plate.dump()));
        desk.wait_for_error("Choose a smaller size");
        desk.key("Escape");
        desk.wait_for("no error", [](const json& r) { return r.at("error") == ""; });
    }
    expect_use(desk);
}

} // namespace
} // namespace lanescope::test
