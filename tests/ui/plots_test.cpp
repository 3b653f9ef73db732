// The strip below the picture, by real keys: what each tab shows, and what E writes.
#include <gtest/gtest.h>

#include <filesystem>

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

// Files whose names end like this, in the desk's folder.
std::vector<fs::path> exported(const Desk& desk, const std::string& ending)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(desk.folder().path()))
        if (entry.path().filename().string().starts_with("lanescope-") &&
            entry.path().string().ends_with(ending))
            found.push_back(entry.path());
    return found;
}

void expect_parses(const fs::path& file)
{
    const std::string bytes = read_file(file);
    const std::string ending = file.extension().string();
    if (ending == ".svg") {
        EXPECT_TRUE(bytes.starts_with("<svg")) << file;
        EXPECT_TRUE(bytes.ends_with("</svg>\n")) << file;
        // Not anywhere: a picture's letters may spell it.
        for (const char* number : {"\"nan", ",nan", " nan", "-nan"})
            EXPECT_EQ(bytes.find(number), std::string::npos) << file;
    } else if (ending == ".pdf") {
        EXPECT_TRUE(bytes.starts_with("%PDF-1.4")) << file;
        EXPECT_TRUE(bytes.ends_with("%%EOF\n")) << file;
    } else if (ending == ".png") {
        const render::ImageFile image = render::read_image(file);
        EXPECT_GE(image.width, 1000) << file;
        EXPECT_GE(image.height, 200) << file;
    } else {
        EXPECT_GE(std::count(bytes.begin(), bytes.end(), '\n'), 2) << file;
    }
}

TEST(Plots, EveryTabHasItsKeyAndExportsWhatItShows)
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
        for (const char* ending : {".svg", ".pdf", ".png"}) {
            const auto files = exported(desk, "-" + file + ending);
            ASSERT_EQ(files.size(), 1u) << file << ending;
            expect_parses(files.front());
        }
        if (file == "roofline") continue; // on simt there are no numbers
        for (const char* ending : {".csv", ".md"}) {
            const auto files = exported(desk, "-" + file + ending);
            ASSERT_EQ(files.size(), 1u) << file << ending;
            expect_parses(files.front());
        }
    }
    EXPECT_EQ(desk.report().at("error"), "");
    desk.key("c");
    desk.wait_for("the strip folded away", [](const json& r) { return tab(r).empty(); });
}

TEST(Plots, TheSweepFollowsVariantAndParameters)
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

TEST(Plots, ASweepEndsWithItsLab)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("w");
    desk.wait_for("a point", [](const json& r) { return r.at("sweep").at("points") > 0; });
    desk.key("w"); // hidden, it goes on
    desk.wait_for("its end", [](const json& r) { return r.at("sweep").at("finished") == true; });
    desk.key("ctrl+Next");
    desk.wait_for("another lab", [](const json& r) {
        return r.at("session").at("lab") != "heat" && r.at("sweep").at("points") == 0 &&
               r.at("sweep").at("finished") == false;
    });
}

TEST(Plots, AVariantKeepsItsHistoryWhileAnotherRuns)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("y");
    desk.wait_for("one variant", [](const json& r) { return r.at("history") == 1; });
    desk.key("2");
    desk.wait_for("two variants", [](const json& r) { return r.at("history") == 2; });
    desk.key("Home");
    desk.wait_for("a fresh start", [](const json& r) { return r.at("history") == 1; });
}

TEST(Plots, TheTabComesBackWithTheSession)
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

TEST(Plots, WithoutATabThePictureIsExportedAsFigures)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("h");
    desk.wait_for("a map", [](const json& r) { return r.at("map_drawn") == true; });
    desk.key("e");
    desk.wait_for("the figures", [](const json& r) {
        return r.at("notice").get<std::string>().find("-picture.svg") != std::string::npos;
    });
    for (const char* ending : {"-picture.svg", "-picture.pdf"}) {
        const auto files = exported(desk, ending);
        ASSERT_EQ(files.size(), 1u) << ending;
        expect_parses(files.front());
    }
    const std::string svg = read_file(exported(desk, ".svg").front());
    EXPECT_NE(svg.find(">Heat on a plate: Naive</text>"), std::string::npos);
    EXPECT_NE(svg.find("<image "), std::string::npos);
    EXPECT_EQ(desk.report().at("error"), "");
}

} // namespace
} // namespace lanescope::test
