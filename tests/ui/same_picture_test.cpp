// One session gives one picture: the window's file, the output of `shot` and the first frame of
// `record` are equal, byte by byte or pixel by pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/ui/desk.h"
#include "tests/ui/screen.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

json with(const std::string& lab, const json& more)
{
    json session{
        {"lanescope_session", 1}, {"lab", lab}, {"device", engine_under_test()}, {"step", 24}};
    session.update(more);
    return session;
}

struct Screen {
    std::string name;
    json session;
};

std::vector<Screen> screens()
{
    const json plate{{"size", 96}};
    return {
        {"field", with("heat", {{"parameters", plate}, {"theme", "light"}})},
        {"zoomed", with("heat", {{"parameters", plate},
                                 {"zoom", {{"factor", 3}, {"x", 0.3}, {"y", 0.6}}},
                                 {"capture", {{"scale", 2}}}})},
        {"surface", with("heat", {{"parameters", plate},
                                  {"view", "surface"},
                                  {"camera", {{"azimuth_degrees", 80}, {"distance", 2.5}}}})},
        {"map",
         with("heat", {{"parameters", plate}, {"map", "sector_excess"}, {"map_automatic", true}})},
        {"beside",
         with("heat", {{"parameters", plate}, {"compare", "shared_tile"}, {"swipe", 0.3}})},
        {"difference",
         with("heat", {{"parameters", plate}, {"compare", "temporal"}, {"difference", true}})},
        {"strokes", with("heat", {{"parameters", plate},
                                  {"events",
                                   {{{"step", 3}, {"stroke", {{"u", 0.4}, {"v", 0.7}}}},
                                    {{"step", 9}, {"variant", "float4"}},
                                    {{"step", 12}, {"set", {{"diffusion", 0.1}}}}}}})},
        {"memory", with("transpose", {{"show", "memory"}})},
        {"no_memory_later",
         with("rotate", {{"show", "memory"},
                         {"variant", "global_bilinear"},
                         {"parameters", {{"size", 96}}},
                         {"events", {{{"step", 9}, {"variant", "texture_linear"}}}}})},
        {"grown_later", with("heat", {{"map", "sector_excess"},
                                      {"parameters", {{"size", 64}}},
                                      {"events", {{{"step", 9}, {"set", plate}}}}})},
        {"lecture", with("histogram", {{"lecture", true}})},
        {"curve", with("rod", {{"text", 1.4}})},
        {"turned", with("rotate", {{"parameters", {{"size", 96}}}})},
    };
}

// True for A/B on a GPU, where the times below both sides differ in every run.
bool shows_measured_times(const json& session)
{
    return engine_under_test() != "simt" && session.value("compare", "") != "" &&
           !session.value("difference", false);
}

bool same_above_times(const render::ImageFile& a, const render::ImageFile& b)
{
    const auto bytes = static_cast<std::ptrdiff_t>(4) * a.width * (a.height * 9 / 10);
    return a.width == b.width && a.height == b.height &&
           std::equal(a.rgba.begin(), a.rgba.begin() + bytes, b.rgba.begin());
}

class SamePicture : public testing::TestWithParam<Screen> {};

TEST_P(SamePicture, InWindowShotAndRecord)
{
    const Folder folder;
    const json& session = GetParam().session;
    Desk desk({"--lab", "heat", "--set", "size=48"});
    desk.drop(desk.write("session.json", session.dump()));
    desk.wait_for("the screen", [&](const json& r) {
        const json& now = r.at("session");
        // Texts about variants appear once they are counted.
        return r.at("opening") == false && counted_in_background(r) &&
               now.at("lab") == session.at("lab") && now.at("step") == 24 &&
               r.at("paused") == true &&
               (session.value("compare", "") == "" || r.at("side_by_side") == true);
    });
    desk.fresh_report();
    desk.key("s");
    desk.wait_for_notice("session inside");
    EXPECT_EQ(desk.report().at("error"), "");
    const auto saved = desk.saved(".png");

    const auto shot = folder / "shot.png";
    const Outcome drawn = run_program({"shot", "--session", saved.string(), "-o", shot.string()});
    ASSERT_EQ(drawn.status, 0) << drawn.errors;
    const bool timed = shows_measured_times(session);
    const bool same = timed ? same_above_times(render::read_image(saved), render::read_image(shot))
                            : read_file(saved) == read_file(shot);
    EXPECT_TRUE(same) << "the window's picture, then shot's";
    if (!same) {
        keep_for_inspection(render::read_image(saved), GetParam().name + "_window");
        keep_for_inspection(render::read_image(shot), GetParam().name + "_shot");
    }

    const Outcome recorded = run_program(
        {"record", saved.string(), "--seconds", "0.03", "-o", (folder / "frame%d.png").string()});
    ASSERT_EQ(recorded.status, 0) << recorded.errors;
    const auto frame = render::read_image(folder / "frame1.png");
    EXPECT_TRUE(timed ? same_above_times(frame, render::read_image(saved))
                      : frame.rgba == render::read_image(saved).rgba)
        << "record's first frame";
}

INSTANTIATE_TEST_SUITE_P(Screens, SamePicture, testing::ValuesIn(screens()),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace lanescope::test
