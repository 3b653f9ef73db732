// The strip below the picture, with real keys: the content of each tab, and the files that E
// writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include <filesystem>

#include "tests/support/rasterised.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string tab(const json& report)
{
    const json& panels = report.at("session").at("panels");
    return panels.at("bottom") == 0 ? "" : panels.at("tab").get<std::string>();
}

// Files in the desk's folder with this suffix.
std::vector<fs::path> exported(const Desk& desk, const std::string& ending)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(desk.folder().path()))
        if (entry.path().filename().string().starts_with("lanescope-") &&
            entry.path().string().ends_with(ending))
            found.push_back(entry.path());
    return found;
}

// The only saved file with this suffix.
fs::path only(const Desk& desk, const std::string& ending)
{
    const auto files = exported(desk, ending);
    EXPECT_EQ(files.size(), 1u) << ending;
    return files.empty() ? fs::path() : files.front();
}

// Checks that other programs render both figures with the same result.
void expect_same_figures(const fs::path& svg, const fs::path& pdf, const fs::path& png = {})
{
    for (const fs::path& file : {svg, pdf})
        if (rasteriser_of(file).empty()) {
            std::cout << "(nothing here shows " << file.filename() << ")" << std::endl;
            return;
        }
    const render::ImageFile first = rasterised(svg);
    const render::ImageFile second = rasterised(pdf);
    EXPECT_LT(missing(first, second), 1.5) << svg;
    if (!png.empty()) {
        EXPECT_LT(missing(first, render::read_image(png)), 1.5) << png;
    }
}

void expect_table(const fs::path& file)
{
    const std::string text = read_file(file);
    EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 2) << file;
}

TEST(Plots, EveryTabHasKeyAndExportsItsContent)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    const std::pair<const char*, const char*> tabs[] = {
        {"b", "timings"}, {"y", "history"}, {"o", "roofline"}, {"w", "sweep"}, {"c", "source"}};
    for (const auto& [key, name] : tabs) {
        desk.key(key);
        desk.wait_for(name, [&](const json& r) { return tab(r) == name; });
        if (std::string(name) == "history")
            desk.wait_for("counts", [](const json& r) { return r.at("history") >= 1; });
        if (std::string(name) == "sweep")
            desk.wait_for("points", [](const json& r) { return r.at("sweep").at("points") >= 2; });
        if (std::string(name) == "source")
            desk.wait_for("counts", [](const json& r) { return r.at("counted_lines") >= 3; });
        const std::string file = std::string(name) == "timings" ? "variants" : name;
        desk.key("e");
        desk.wait_for("the files of " + file, [&](const json& r) {
            return r.at("notice").get<std::string>().find("-" + file + ".svg") != std::string::npos;
        });
        expect_same_figures(only(desk, "-" + file + ".svg"), only(desk, "-" + file + ".pdf"),
                            only(desk, "-" + file + ".png"));
        if (file == "roofline") continue; // simt measures no times, so the roofline has no table
        for (const char* ending : {".csv", ".md"}) expect_table(only(desk, "-" + file + ending));
    }
    EXPECT_EQ(desk.report().at("error"), "");
    desk.key("c");
    desk.wait_for("the strip folded away", [](const json& r) { return tab(r).empty(); });
}

TEST(Plots, SweepFollowsVariantAndParameters)
{
    Desk desk({"--lab", "coalescing", "--variant", "strided", "--set", "size=128"});
    desk.key("w");
    const auto done = [](const json& r, const char* parameter, int points) {
        const json& sweep = r.at("sweep");
        return sweep.at("parameter") == parameter && sweep.at("finished") == true &&
               sweep.at("points") == points && sweep.at("error") == "";
    };
    desk.wait_for("the strides", [&](const json& r) { return done(r, "stride", 14); });
    desk.key("4");
    desk.wait_for("the offsets", [&](const json& r) { return done(r, "offset", 12); });
    desk.key("3");
    desk.wait_for("the strides again", [&](const json& r) { return done(r, "stride", 14); });
    desk.key("ctrl+Next");
    desk.wait_for("the next lab's", [&](const json& r) {
        return r.at("session").at("lab") == "divergence" && r.at("sweep").at("finished") == true &&
               r.at("sweep").at("parameter") == "work";
    });
    EXPECT_EQ(desk.report().at("error"), "");
}

TEST(Plots, OpeningAnotherLabClearsSweep)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("w");
    desk.wait_for("a point", [](const json& r) { return r.at("sweep").at("points") > 0; });
    desk.key("w"); // hides the sweep, which keeps running
    desk.wait_for("its end", [](const json& r) { return r.at("sweep").at("finished") == true; });
    desk.key("ctrl+Next");
    desk.wait_for("another lab", [](const json& r) {
        return r.at("session").at("lab") != "heat" && r.at("sweep").at("points") == 0 &&
               r.at("sweep").at("finished") == false;
    });
}

TEST(Plots, VariantKeepsHistoryWhileAnotherRuns)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("y");
    desk.wait_for("one variant", [](const json& r) { return r.at("history") == 1; });
    desk.key("2");
    desk.wait_for("two variants", [](const json& r) { return r.at("history") == 2; });
    desk.key("Home");
    desk.wait_for("a fresh start", [](const json& r) { return r.at("history") == 1; });
}

TEST(Plots, SessionRestoresTab)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("w");
    desk.wait_for("the sweep", [](const json& r) { return r.at("sweep").at("points") > 0; });
    desk.key("ctrl+s");
    desk.wait_for("the file", [](const json& r) {
        return r.at("notice").get<std::string>().find(".json") != std::string::npos;
    });
    const auto files = exported(desk, ".json");
    ASSERT_EQ(files.size(), 1u);
    Desk again({"--session", files.front().string()});
    again.wait_for("the sweep", [](const json& r) {
        return tab(r) == "sweep" && r.at("sweep").at("finished") == true;
    });
}

TEST(Plots, PictureIsExportedWithoutTab)
{
    // Large cells, because PDF renderers snap image edges to whole pixels.
    Desk desk({"--lab", "heat", "--set", "size=16"});
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    desk.key("e");
    desk.wait_for("the figures", [](const json& r) {
        return r.at("notice").get<std::string>().find("-picture.svg") != std::string::npos;
    });
    expect_same_figures(only(desk, "-picture.svg"), only(desk, "-picture.pdf"));
    const std::string svg = read_file(exported(desk, ".svg").front());
    EXPECT_NE(svg.find(">Heat on a plate: Naive</text>"), std::string::npos);
    EXPECT_NE(svg.find("<image "), std::string::npos);
    EXPECT_EQ(desk.report().at("error"), "");
}

} // namespace
} // namespace lanescope::test
