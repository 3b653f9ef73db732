// A thousand random user actions: no crashes, no OpenGL errors, and no growth in memory or OpenGL
// objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "tests/support/malformed.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

class Monkey {
public:
    Monkey(Desk& desk, unsigned seed) : desk_(desk), first_(seed), random_(seed)
    {
        files_.push_back(desk.write("photo.jpg", jpeg()));
        files_.push_back(home());
        const auto broken = malformed_sessions(desk.fresh_report().at("session").dump(2));
        for (std::size_t i = 0; i < broken.size(); i += 5)
            files_.push_back(desk.write("broken" + std::to_string(i) + ".json", broken[i].bytes));
        for (const Malformed& one : malformed_pictures())
            files_.push_back(desk.write(one.name, one.bytes));
    }

    void act()
    {
        switch (random_() % 8) {
        case 0: click(); break;
        case 1: drag(); break;
        case 2:
            if (random_() % 5 == 0) {
                flush();
                desk_.drop(files_[random_() % files_.size()]);
                break;
            }
            [[fallthrough]];
        default: chain_.insert(chain_.end(), {"key", keys[random_() % std::size(keys)]}); break;
        }
        if (chain_.size() > 40) flush();
    }
    void flush()
    {
        if (!chain_.empty()) desk_.xdotool(chain_);
        chain_.clear();
    }

    // Restarts the random sequence, so that the same events are replayed.
    void restart() { random_ = first_; }

    // Returns to a known screen, with all files written. Its random seed is new each time, so that
    // the previous screen cannot be mistaken for it.
    json settle()
    {
        flush();
        // Widgets process one click per frame, and late clicks open other labs: the window has
        // processed them all when it reports the last mouse position.
        resting_x_ ^= 1;
        desk_.xdotool(
            {"mouseup", "1", "mouseup", "3", "mousemove", std::to_string(resting_x_), "400"});
        desk_.wait_for(
            "the mouse",
            [&](const json& r) {
                return r.at("opening") == false && r.at("mouse") == json{resting_x_, 400};
            },
            4min);
        ++seed_;
        desk_.drop(home());
        desk_.wait_for(
            "the same screen",
            [&](const json& r) {
                const json& session = r.at("session");
                return r.at("opening") == false && r.at("finishing") == false &&
                       session.at("lab") == "rod" && session.at("seed") == seed_ &&
                       r.at("steps") > 200;
            },
            4min);
        return desk_.fresh_report();
    }

private:
    static constexpr const char* keys[] = {
        "1",      "2",       "3",         "4",           "5",         "7",          "space",
        "period", "Home",    "v",         "h",           "m",         "b",          "c",
        "l",      "y",       "o",         "a",           "d",         "t",          "f",
        "Next",   "Prior",   "ctrl+Next", "question",    "ctrl+plus", "ctrl+minus", "ctrl+0",
        "Tab",    "F6",      "Return",    "Delete",      "Left",      "Right",      "Up",
        "Down",   "equal",   "minus",     "bracketleft", "ctrl+Left", "ctrl+Up",    "shift+3",
        "s",      "shift+s", "ctrl+s",    "ctrl+o",      "e",         "w",          "ctrl+Prior",
        "ctrl+z", "ctrl+y",  "ctrl+l"};

    std::filesystem::path home() const
    {
        const json session{
            {"lanescope_session", 1}, {"lab", "rod"}, {"seed", seed_}, {"device", "auto"}};
        return desk_.write("home.json", session.dump());
    }
    std::string below(unsigned limit) { return std::to_string(random_() % limit); }
    // Clicks on the list of labs, the picture or the strip; drag() covers the panel at the right.
    void click()
    {
        chain_.insert(chain_.end(), {"mousemove", below(940), below(720), "click",
                                     std::to_string(1 + random_() % 5)});
    }
    // Drags a slider within its lower third (at the maximum size a step takes minutes), or paints a
    // stroke on the picture.
    void drag()
    {
        const bool slider = random_() % 2 == 0;
        const auto x = [&] {
            return std::to_string(slider ? 966 + random_() % 80 : 260 + random_() % 500);
        };
        const auto y = std::to_string(slider ? 180 + random_() % 520 : 60 + random_() % 600);
        chain_.insert(chain_.end(), {"mousemove", x(), y, "mousedown", "1", "mousemove", x(), y,
                                     "sleep", "0.05", "mousemove", x(), y, "mouseup", "1"});
    }

    Desk& desk_;
    const std::mt19937 first_;
    std::mt19937 random_;
    std::vector<std::filesystem::path> files_;
    std::vector<std::string> chain_;
    int resting_x_ = 600;
    int seed_ = 77;
};

TEST(Random, AThousandEvents)
{
    constexpr int part = 4; // rounds per run, each ending at rest on the same screen; the run is
                            // repeated twice
    constexpr int events_per_round = 100;
    // Whatever is shown for the first time keeps memory: OpenGL caches compiled programs, labs
    // cache files, and reusable data stays cached up to a limit. Two repetitions of the same events
    // show nothing new, so memory at rest after each round of the third run is compared with the
    // second run's. Noise only adds to memory, so real growth shows in the smallest difference.
    constexpr double max_extra_megabytes = 8;
    constexpr int max_extra_objects = 4;
    // A view compiles up to four programs, one per range of cell sizes, when first needed. On a GPU
    // the events coincide with other steps in each run, and therefore with other cell sizes.
    const int max_extra_programs = engine_under_test() == "simt" ? max_extra_objects : 8;
    Desk desk({"--lab", "heat", "--set", "size=48", "--check"});
    // --gtest_random_seed=N selects other events. Without the option, random_seed() depends on the
    // time of day.
    const int seed = GTEST_FLAG_GET(random_seed);
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
    // The first compilation keeps memory, too, and the events may cause it in any of the runs.
    desk.drop(desk.write("own.cu", "__global__ void fill(float* out)\n"
                                   "{\n"
                                   "    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
                                   "}\n"));
    desk.wait_for("the own kernel", [](const json& r) {
        return r.at("opening") == false &&
               r.at("code").at("text").get<std::string>().find("fill") != std::string::npos;
    });
    Monkey monkey(desk, 1 + static_cast<unsigned>(seed));
    std::vector<json> rests;
    std::vector<double> heap_mb;
    for (int round = 0; round < 3 * part; ++round) {
        if (round == part || round == 2 * part) monkey.restart();
        for (int i = 0; i < events_per_round; ++i) {
            monkey.act();
            ASSERT_TRUE(desk.running()) << "after event " << i << " of round " << round;
        }
        const json report = monkey.settle();
        EXPECT_EQ(report.at("gl_errors"), json::array());
        rests.push_back(report.at("resources"));
        heap_mb.push_back(rests.back().at("heap_mb"));
        std::cout << "round " << round << ": " << rests.back() << std::endl;
    }
    double min_growth = heap_mb[2 * part] - heap_mb[part];
    for (int round = part + 1; round < 2 * part; ++round)
        min_growth = std::min(min_growth, heap_mb[part + round] - heap_mb[round]);
    EXPECT_LE(min_growth, max_extra_megabytes);
    const json& was = rests[2 * part - 1];
    const json& is = rests.back();
    // A process that compiled something stays for the next source, one for each set of options; the
    // events may start one in any of the runs.
    const auto own_descriptors = [](const json& rest) {
        constexpr int descriptors_of_compiler = 2; // socket and output
        return rest.at("descriptors").get<int>() -
               descriptors_of_compiler * rest.at("idle_compilers").get<int>();
    };
    EXPECT_LE(own_descriptors(is), own_descriptors(was));
    EXPECT_LE(is.at("idle_compilers").get<int>(), 4);
    for (const auto& [kind, count] : is.at("gl_objects").items())
        EXPECT_LE(count, was.at("gl_objects").at(kind).get<int>() +
                             (kind == "programs" ? max_extra_programs : max_extra_objects))
            << kind;
    // If some keys edited a kernel's text, the window asks once whether to save it.
    desk.key("ctrl+q");
    const auto asks = [&] { return desk.report().value("asks_to_close", false); };
    for (int i = 0; i < 200 && desk.running() && !asks(); ++i) std::this_thread::sleep_for(50ms);
    if (desk.running() && asks()) desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

} // namespace
} // namespace lanescope::test
