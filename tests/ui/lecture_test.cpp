// A lecture of thirty beats, presented with a clicker only: every state, every reveal, and the end.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "app/lessons/cards.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::string lecture =
    std::string(LANESCOPE_SOURCE_DIR) + "/assets/lectures/what_a_warp_pays.lecture";

json talk(const json& report)
{
    return report.at("talk");
}

bool new_line_of(const json& report, int beat, bool revealed)
{
    const json now = talk(report);
    return now.at("beat") == beat && now.at("revealed") == revealed &&
           now.at("arriving") == false && report.at("opening") == false;
}

// Expected values, from the output of `trace`.
class Truth {
public:
    double of(const std::string& metric, const std::string& target, const std::string& set)
    {
        const json trace = counts(target, set);
        const auto number = [&](const char* which, const char* what) {
            return trace.at("totals").at(which).at(what).get<double>();
        };
        if (metric == "sectors_per_load")
            return number("global_load", "sectors") / number("global_load", "requests");
        if (metric == "sectors_per_store")
            return number("global_store", "sectors") / number("global_store", "requests");
        if (metric == "wavefronts_per_shared_load")
            return number("shared_load", "wavefronts") / number("shared_load", "requests");
        if (metric == "load_sectors") return number("global_load", "sectors");
        if (metric == "load_lanes") {
            double lanes = 0;
            for (const json& site : trace.at("sites"))
                if (site.at("op") == "load" && site.at("space") == "global")
                    lanes += site.at("lanes").get<double>();
            return lanes;
        }
        return trace.at("totals").at(metric).get<double>();
    }

private:
    const json& counts(const std::string& target, const std::string& set)
    {
        const auto known = traces_.find(target + set);
        if (known != traces_.end()) return known->second;
        std::vector<std::string> arguments{"trace", target, "--device", "simt", "--json"};
        if (!set.empty()) arguments.insert(arguments.end(), {"--set", set});
        const Outcome outcome = run_program(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return traces_.emplace(target + set, json::parse(outcome.output)).first->second;
    }
    std::map<std::string, json> traces_;
};

// Recorded time of a variant in milliseconds, from the file of measurements.
double recorded_ms(const std::string& lab, const std::string& variant, const std::string& size)
{
    std::ifstream file(std::string(LANESCOPE_SOURCE_DIR) + "/assets/measurements.json");
    const json all = json::parse(file);
    for (const json& one : all.at("results"))
        if (one.at("lab") == lab && one.at("variant") == variant && one.at("size") == size)
            return one.at("median_ms");
    ADD_FAILURE() << "no time of " << lab << "/" << variant;
    return 0;
}

TEST(Lecture, ShowsKernelFromItsFolder)
{
    const Folder folder;
    std::ofstream(folder / "columns.cu")
        << "__global__ void columns(float* out, const float* in, int n)\n{\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = "
           "in[i];\n}\n";
    std::ofstream(folder / "my.lecture")
        << "lecture: Mine\n\nbeat: Before\nshow: heat/naive, size=64\n\nbeat: A kernel of mine\n"
           "show: columns.cu/columns\nask: How many sectors does a load touch?\n"
           "choice: 4\nchoice: 32\nreveal: sectors_per_load(columns.cu/columns)\n";
    Desk desk({(folder / "my.lecture").string()});
    desk.wait_for("the first beat", [](const json& r) { return new_line_of(r, 0, false); });
    desk.key("Next");
    desk.wait_for("the kernel", [](const json& r) {
        return new_line_of(r, 1, false) && r.at("variant") == "columns" && r.at("steps") > 0;
    });
    desk.key("Next");
    const json report = desk.wait_for("the answer", [](const json& r) {
        return new_line_of(r, 1, true) && !talk(r).at("reveal").is_null();
    });
    EXPECT_NEAR(talk(report).at("reveal").get<double>(), 4, 0.2); // the last warp is partial
    EXPECT_EQ(talk(report).at("right"), 1);
    EXPECT_EQ(report.at("error"), "");
}

TEST(Lecture, NeedsOnlyClicker)
{
    Desk desk({lecture});
    Truth truth;
    const auto ratio = [](const char* lab, const char* a, const char* b, const char* size = "l2") {
        return recorded_ms(lab, a, size) / recorded_ms(lab, b, size);
    };
    // Expected answer per question, by beat: from `trace`, or from the file of measurements.
    const std::string small = "size=256";
    const std::map<int, double> wanted{
        {1, truth.of("sectors_per_load", "coalescing/row_threads", small)},
        {2, truth.of("sectors_per_load", "coalescing/column_threads", small)},
        {3, ratio("coalescing", "column_threads", "row_threads")},
        {10, truth.of("sectors_per_store", "transpose/naive", small)},
        {11, ratio("transpose", "naive", "copy")},
        {12, truth.of("sectors_per_store", "transpose/tile", small)},
        {13, truth.of("wavefronts_per_shared_load", "transpose/tile", small)},
        {14, truth.of("wavefronts_per_shared_load", "transpose/tile_padded", small)},
        {15, ratio("transpose", "tile", "tile_padded")},
        {17, truth.of("warp_instructions", "divergence/lane_parity", "size=128") /
                 truth.of("warp_instructions", "divergence/warp_aligned", "size=128")},
        {18, ratio("divergence", "lane_parity", "warp_aligned")},
        {19, truth.of("divergent_branches", "divergence/warp_aligned", "size=128")},
        {23, ratio("histogram", "partitioned", "interleaved")},
        {24, ratio("histogram", "interleaved", "shared")},
        {26, ratio("heat", "naive", "shared_tile")},
        {27, truth.of("load_lanes", "matmul/naive", "size=96") /
                 truth.of("load_lanes", "matmul/tile_16", "size=96")},
        {28, ratio("matmul", "naive", "tile_16", "dram")},
    };

    desk.wait_for("the first beat", [](const json& r) { return new_line_of(r, 0, false); });
    desk.key("F5");
    desk.wait_for("the lecture",
                  [](const json& r) { return r.at("session").at("lecture") == true; });

    const render::ImageFile black{1280, 720,
                                  std::vector<std::uint8_t>(std::size_t{4} * 1280 * 720)};
    std::vector<std::string> labs;
    int questions = 0;
    for (int beat = 0; beat < 30; ++beat) {
        json now = desk.wait_for("beat " + std::to_string(beat + 1), [&](const json& r) {
            return new_line_of(r, beat, false) && r.at("error") == "";
        });
        const std::string lab = now.at("session").at("lab");
        if (labs.empty() || labs.back() != lab) labs.push_back(lab);
        if (beat == 4) { // clickers also send these keys
            desk.key("period");
            desk.wait_for("a black screen",
                          [](const json& r) { return talk(r).at("blank") == true; });
            EXPECT_EQ(different_pixels(desk.screenshot(), black, 0, 0, 1280, 720), 0);
            desk.key("b"); // ends the black screen; the letter answers nothing
            desk.wait_for("the question",
                          [](const json& r) { return talk(r).at("blank") == false; });
            desk.key("period");
            desk.wait_for("a black screen",
                          [](const json& r) { return talk(r).at("blank") == true; });
            desk.key("Next");
            desk.wait_for("the same beat", [](const json& r) {
                return talk(r).at("blank") == false && new_line_of(r, 4, false);
            });
            for (const char* key : {"Escape", "F5", "Shift+F5", "Hyper_L", "F13", "F5"})
                desk.key(key);
            now = desk.fresh_report();
            EXPECT_TRUE(new_line_of(now, 4, false)) << talk(now);
            EXPECT_EQ(now.at("session").at("lecture"), true);
        }
        if (!talk(now).at("asks")) {
            EXPECT_FALSE(wanted.contains(beat));
            if (beat < 29) desk.key("Next");
            continue;
        }
        ++questions;
        if (beat == 2) {
            for (const char* key : {"a", "d", "d", "c", "shift+c"}) desk.key(key);
            desk.wait_for("the votes", [](const json& r) {
                return talk(r).at("votes") == json::array({1, 0, 0, 2}) &&
                       r.at("session").value("compare", "") == "";
            });
        }
        desk.key("Next");
        const json reported =
            desk.wait_for("what beat " + std::to_string(beat + 1) + " reveals", [&](const json& r) {
                return new_line_of(r, beat, true) && !talk(r).at("reveal").is_null();
            });
        if (const auto found = wanted.find(beat); found != wanted.end()) {
            EXPECT_NEAR(talk(reported).at("reveal").get<double>(), found->second,
                        1e-9 * found->second)
                << "beat " << beat + 1;
        }
        if (beat == 2) {
            EXPECT_EQ(talk(reported).at("right"), 4) << "the audience was right";
        }
        desk.key("Next");
    }
    EXPECT_GE(labs.size(), 5u);
    EXPECT_GE(questions, 20);
    // The clicker does not go past the last beat, and it can still go back.
    desk.key("Next");
    desk.wait_for("the end", [](const json& r) {
        return talk(r).at("end") == "This is the end of the talk." && r.at("notice") == "";
    });
    EXPECT_TRUE(new_line_of(desk.fresh_report(), 29, false));
    desk.key("Prior");
    desk.wait_for("the beat before", [](const json& r) { return new_line_of(r, 28, true); });
    EXPECT_TRUE(desk.running());
}

TEST(Lecture, DroppedFileStartsOrReportsLine)
{
    Desk desk({"--lab", "rod"});
    desk.drop(
        desk.write("wrong.lecture", "lecture: Wrong\nbeat: A\nshow: heat/naive\nmap: nothing\n"));
    desk.wait_for_error("wrong.lecture, line 4: There is no map \"nothing\"");
    desk.key("Escape");
    desk.drop(desk.write("right.lecture",
                         "lecture: Right\nbeat: A\nshow: heat/naive, size=64\nbeat: B\n"));
    desk.wait_for("the first beat", [](const json& r) {
        return talk(r).at("title") == "Right" && new_line_of(r, 0, false) &&
               r.at("session").at("lab") == "heat";
    });
}

// A lecturer leaves the mouse pointer somewhere, usually on the picture.
TEST(Lecture, RestingMouseShowsNoTooltip)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.wait_for("a step", [](const json& r) { return r.at("steps") > 0; });
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    desk.key("F5");
    desk.wait_for("the lecture",
                  [](const json& r) { return r.at("session").at("lecture") == true; });
    desk.move(640, 360);
    desk.move(620, 340);
    desk.wait_for("what it points at", [](const json& r) { return r.at("hover") != ""; });
    desk.wait_for("the picture alone", [](const json& r) { return r.at("hover") == ""; });
    desk.move(600, 330);
    desk.wait_for("what it points at now", [](const json& r) { return r.at("hover") != ""; });
}

TEST(Lecture, DefaultsToLessonOfLab)
{
    Desk desk({"--lab", "hierarchy"});
    desk.key("Next");
    desk.wait_for("the lesson", [](const json& r) {
        return r.at("talk").contains("beat") && new_line_of(r, 0, false);
    });
    desk.key("Next");
    desk.key("k");
    const app::Card& first = *app::cards_for(labs::find("hierarchy")).all.at(0);
    desk.wait_for("a verdict", [&](const json& r) {
        return talk(r).at("card") == 0 && talk(r).at("verdict") == first.recorded;
    });
    desk.key("Next");
    desk.wait_for("the next card", [](const json& r) {
        return talk(r).at("card") == 1 && talk(r).at("verdict") != "";
    });
    desk.key("Escape");
    desk.wait_for("no card", [](const json& r) { return talk(r).at("card") == -1; });
}

} // namespace
} // namespace lanescope::test
