// High-density screens, on X11 and Wayland: the window is laid out in points as on a normal screen,
// clicks hit their targets, and text uses the full resolution.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tests/ui/desk.h"
#include "tests/ui/screen.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

double brightness(const render::ImageFile& image, int x, int y)
{
    const std::size_t at = 4 * (static_cast<std::size_t>(y) * image.width + x);
    return (image.rgba[at] + image.rgba[at + 1] + image.rgba[at + 2]) / 3.0;
}

// Centre, in points, of the pixels that changed within 100 points of a position.
std::pair<double, double> middle_of_change(const render::ImageFile& before,
                                           const render::ImageFile& after, int x, int y,
                                           double scale)
{
    double sum_x = 0, sum_y = 0;
    int pixels = 0;
    for (int row = static_cast<int>((y - 100) * scale); row < (y + 100) * scale; ++row)
        for (int column = static_cast<int>((x - 100) * scale); column < (x + 100) * scale; ++column)
            if (std::abs(brightness(after, column, row) - brightness(before, column, row)) > 16) {
                sum_x += column;
                sum_y += row;
                ++pixels;
            }
    return {sum_x / pixels / scale, sum_y / pixels / scale};
}

// Results of one visit to the window, all in points. Positions that are multiples of four points
// are whole pixels at every scale used here.
struct Visit {
    json layout;
    render::ImageFile screen;
    json stroke;
    std::pair<double, double> painted_at;
    std::vector<std::string> pointed_at;
    std::vector<json> hit; // effects of the clicked widgets
};

constexpr int stroke_x = 560, stroke_y = 304;

Visit visit(const Screen& screen)
{
    Desk desk({"--lab", "heat", "--variant", "shared_tile", "--set", "size=96"}, screen);
    Visit visit;
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    desk.key("Home");
    desk.wait_for("the start", [](const json& r) { return r.at("steps") == 0; });
    desk.key("period");
    // The panels stop changing once every variant is counted.
    desk.wait_for("a step",
                  [](const json& r) { return r.at("steps") == 1 && counted_in_background(r); });
    desk.fresh_report();
    visit.layout = desk.fresh_report().at("layout");
    visit.screen = desk.screenshot();

    desk.move(stroke_x, stroke_y);
    desk.fresh_report();
    const auto before = desk.screenshot();
    desk.press(1);
    const json painted = desk.wait_for(
        "a stroke", [](const json& r) { return !r.at("session").at("events").empty(); });
    visit.stroke = painted.at("session").at("events")[0].at("stroke");
    desk.release(1);
    desk.fresh_report();
    visit.painted_at =
        middle_of_change(before, desk.screenshot(), stroke_x, stroke_y, screen.scale);

    desk.key("h"); // turns on the map that the lab starts with
    desk.wait_for("the map", [](const json& r) {
        return r.at("map_drawn") == true && r.at("session").at("map") == "sector_excess";
    });
    std::string last =
        desk.wait_for("its numbers", [](const json& r) { return r.at("hover") != ""; }).at("hover");
    for (const auto& [x, y] : {std::pair{280, 161}, {400, 399}, {560, 453}, {660, 613}}) {
        desk.move(x, y);
        const json there = desk.wait_for("other numbers", [&](const json& r) {
            return r.at("hover") != "" && r.at("hover") != last;
        });
        visit.pointed_at.push_back(last = there.at("hover"));
    }
    desk.xdotool({"click", "4"}); // one notch of the wheel
    const json closer = desk.wait_for(
        "a closer look", [](const json& r) { return r.at("session").at("zoom").at("factor") > 1; });
    visit.hit.push_back(closer.at("session").at("zoom").at("factor"));

    // A widget moves when the text above it changes, so click only once its position is unchanged
    // since the last report.
    const auto click = [&](const char* widget) {
        std::optional<json> before;
        const json at = desk.wait_for(widget, [&](const json& r) {
            const json& places = r.at("places");
            const auto now =
                places.contains(widget) ? std::optional<json>(places.at(widget)) : std::nullopt;
            return now && std::exchange(before, now) == now;
        });
        const json& place = at.at("places").at(widget);
        const auto whole = [](const json& points) { return points.get<int>() / 4 * 4; };
        desk.click(whole(place.at(0)), whole(place.at(1)));
    };
    click("naive");
    const json other = desk.wait_for(
        "another variant", [](const json& r) { return r.at("variant") != "shared_tile"; });
    visit.hit.push_back(other.at("variant"));
    click("diffusion");
    const auto changed = [](const json& r) {
        const json& last = r.at("session").at("events").back();
        return last.contains("set") && last.at("set").contains("diffusion");
    };
    const json slid = desk.wait_for("another diffusion number", changed);
    visit.hit.push_back(slid.at("session").at("events").back());
    const auto edge = static_cast<int>(visit.layout.at("right").at(0));
    desk.move(edge, 600);
    desk.fresh_report();
    desk.press(1);
    desk.fresh_report();
    desk.move(edge - 40, 600);
    desk.fresh_report();
    desk.release(1);
    visit.hit.push_back(desk.fresh_report().at("layout").at("right"));
    EXPECT_EQ(desk.report().at("error"), "");
    return visit;
}

// Mean brightness of a square of `points` at this position.
double mean(const render::ImageFile& image, int x, int y, int points, double scale)
{
    double sum = 0;
    int pixels = 0;
    for (int row = static_cast<int>(y * scale); row < (y + points) * scale; ++row)
        for (int column = static_cast<int>(x * scale); column < (x + points) * scale; ++column) {
            sum += brightness(image, column, row);
            ++pixels;
        }
    return sum / pixels;
}

// Counts edges of letters in the names of variants, which are bright: adjacent pixels in a row
// whose brightness differs by more than half of the full contrast. Even and odd columns are counted
// separately.
std::array<int, 2> hard_edges(const render::ImageFile& image, double scale)
{
    std::array<int, 2> count{};
    for (int y = static_cast<int>(96 * scale); y < 250 * scale; ++y)
        for (int x = static_cast<int>(985 * scale); x + 1 < 1130 * scale; ++x)
            count[x % 2] +=
                std::abs(brightness(image, x + 1, y) - brightness(image, x, y)) > 110 ? 1 : 0;
    return count;
}

const Visit& plain()
{
    static const Visit visited = visit({});
    return visited;
}

class Scale : public testing::TestWithParam<Screen> {};

TEST_P(Scale, ClicksHitTargetsAndTextIsSharp)
{
    const Screen& screen = GetParam();
    if (screen.wayland && !wayland_is_missing().empty()) GTEST_SKIP() << wayland_is_missing();
    const Visit dense = visit(screen);
    EXPECT_EQ(dense.screen.width, std::lround(screen.width * screen.scale));
    EXPECT_EQ(dense.layout.at("pixels_per_point"), screen.scale);
    json layout = dense.layout;
    layout["pixels_per_point"] = 1;
    EXPECT_EQ(layout, plain().layout);

    // Strokes appear under the mouse. The width of the legend's text is rounded to pixels, which
    // shifts the picture beside it.
    EXPECT_NEAR(dense.painted_at.first, stroke_x, 3);
    EXPECT_NEAR(dense.painted_at.second, stroke_y, 3);
    EXPECT_NEAR(dense.stroke.at("u").get<double>(), plain().stroke.at("u").get<double>(), 0.01);
    EXPECT_NEAR(dense.stroke.at("v").get<double>(), plain().stroke.at("v").get<double>(), 0.01);
    EXPECT_EQ(dense.pointed_at, plain().pointed_at);
    EXPECT_EQ(dense.hit, plain().hit);

    // The right panel looks the same at each position in points.
    int squares = 0, different = 0;
    const auto right = static_cast<int>(layout.at("right").at(0));
    for (int y = 144; y + 8 <= screen.height; y += 8)
        for (int x = right; x + 8 <= screen.width; x += 8) {
            ++squares;
            different += std::abs(mean(dense.screen, x, y, 8, screen.scale) -
                                  mean(plain().screen, x, y, 8, 1)) > 24
                             ? 1
                             : 0;
        }
    EXPECT_LE(different, squares / 50);
    if (different > squares / 50) {
        keep_for_inspection(plain().screen, "scale_plain");
        keep_for_inspection(dense.screen, fmt::format("scale_{}", screen.scale));
    }

    // At twice the scale, letters have edges twice as long and equally sharp. Scaled-up text would
    // be blurred or, with every pixel doubled, have edges only in every other column.
    const auto edges = hard_edges(dense.screen, screen.scale);
    const auto edges_plain = hard_edges(plain().screen, 1);
    EXPECT_GT(edges[0] + edges[1], 0.8 * screen.scale * (edges_plain[0] + edges_plain[1]));
    EXPECT_GT(2 * std::min(edges[0], edges[1]), std::max(edges[0], edges[1]));
}

std::string name(const testing::TestParamInfo<Screen>& info)
{
    return (info.param.wayland ? "Wayland" : "X11_") + std::string(info.param.wayland ? "_" : "") +
           std::to_string(std::lround(100 * info.param.scale));
}

INSTANTIATE_TEST_SUITE_P(Screens, Scale,
                         testing::Values(Screen{.scale = 1.25}, Screen{.scale = 1.5},
                                         Screen{.scale = 2}, Screen{.scale = 1, .wayland = true},
                                         Screen{.scale = 2, .wayland = true}),
                         name);

// On Wayland, GLFW reports neither window positions nor the mouse outside windows.
TEST(Wayland, LectureFillsScreenAndWindowReturns)
{
    if (!wayland_is_missing().empty()) GTEST_SKIP() << wayland_is_missing();
    Desk desk({"--lab", "heat", "--set", "size=96", "--check"}, Screen{.wayland = true});
    const json before = desk.fresh_report().at("layout");
    desk.key("2");
    desk.wait_for("variant 2", [](const json& r) { return r.at("variant") == "shared_tile"; });
    desk.key("f");
    desk.wait_for("the lecture", [](const json& r) {
        return r.at("session").at("lecture") == true &&
               r.at("layout").at("points") == json{1280.0, 720.0} &&
               r.at("layout").at("picture").at(2) == 1280.0;
    });
    desk.fresh_report();
    const auto steps = desk.report().at("steps").get<int>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 5; });
    desk.key("Escape");
    desk.wait_for("the window", [&](const json& r) {
        return r.at("session").at("lecture") == false && r.at("layout") == before;
    });
    EXPECT_EQ(desk.report().at("error"), "");
    EXPECT_EQ(desk.report().at("gl_errors"), json::array());
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

} // namespace
} // namespace lanescope::test
