// shot and record: the same command gives the same bytes, the requested size, and a later time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

std::vector<std::string> small(const std::vector<std::string>& more)
{
    std::vector<std::string> all = more;
    for (const char* word : {"--device", "simt", "--set", "size=48", "--size", "96x64"})
        all.emplace_back(word);
    return all;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

class Views : public testing::TestWithParam<const char*> {};

TEST_P(Views, ShotIsReproducible)
{
    const Folder folder;
    std::string bytes[3];
    const char* const frames[] = {"5", "5", "9"};
    for (int i = 0; i < 3; ++i) {
        const auto file = folder / ("shot" + std::to_string(i) + ".png");
        const Outcome outcome = run_program(small({"shot", "heat/shared_tile", "-o", file.string(),
                                                   "--frame", frames[i], "--view", GetParam()}));
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        bytes[i] = read_file(file);
    }
    ASSERT_GT(bytes[0].size(), 24u);
    EXPECT_EQ(bytes[0].substr(1, 3), "PNG");
    EXPECT_EQ(big_endian(bytes[0], 16), 96u);
    EXPECT_EQ(big_endian(bytes[0], 20), 64u);
    EXPECT_TRUE(bytes[0] == bytes[1]);
    EXPECT_FALSE(bytes[0] == bytes[2]) << "the picture does not move";
    EXPECT_EQ(folder.entries(), 3u) << "something was left behind";
}

INSTANTIATE_TEST_SUITE_P(Heat, Views, testing::Values("field", "surface"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Shot, DescribesPictureInOneLine)
{
    const Folder folder;
    const std::string file = (folder / "x.png").string();
    const Outcome shot = run_program(
        small({"shot", "heat/temporal", "-o", file, "--steps", "10", "--map", "sector_excess"}));
    ASSERT_EQ(shot.status, 0) << shot.errors;
    EXPECT_EQ(shot.output,
              file + ": heat/temporal on simt, 96 × 64 pixels, sectors / ideal (loads 1.67×, "
                     "stores 1.00×), step 12\n")
        << "three launches of four steps";
    const Outcome stores = run_program(small({"shot", "heat/temporal", "-o", file, "--steps", "10",
                                              "--map", "sector_excess", "--map-of", "stores"}));
    EXPECT_THAT(stores.output, testing::HasSubstr("sectors / ideal, stores ("));
    const Outcome atomics = run_program(small({"shot", "heat/temporal", "-o", file, "--steps", "10",
                                               "--map", "sector_excess", "--map-of", "atomics"}));
    EXPECT_THAT(atomics.output,
                testing::HasSubstr("sectors / ideal, atomics: this variant has none"));
    const std::string frames = (folder / "%05d.png").string();
    const Outcome record =
        run_program(small({"record", "heat/naive", "-o", frames, "--seconds", "0.1"}));
    ASSERT_EQ(record.status, 0) << record.errors;
    EXPECT_EQ(record.output, frames + ": heat/naive on simt, 96 × 64 pixels, 3 frames at 30 per "
                                      "second, steps 0 to 4\n");
}

struct Choice {
    const char* name;
    std::vector<std::string> words;
    int status;
    const char* said; // text of the message, which lists the valid choices
};

class Choices : public testing::TestWithParam<Choice> {};

TEST_P(Choices, UnknownChoiceListsKnownChoices)
{
    const Folder folder;
    std::vector<std::string> words{"shot",    "heat/naive", "-o", (folder / "x.png").string(),
                                   "--steps", "1"};
    words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
    const Outcome shot = run_program(small(words));
    EXPECT_EQ(shot.status, GetParam().status);
    EXPECT_NE(shot.errors.find(GetParam().said), std::string::npos) << shot.errors;
    EXPECT_EQ(folder.entries(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Unknown, Choices,
    testing::Values(Choice{"Memory", {"--show", "memory", "--memory", "nowhere"}, 3, "next"},
                    Choice{"Site", {"--show", "request", "--site", "99"}, 3, "global load"},
                    Choice{"Branch", {"--show", "request", "--site", "0"}, 2, "global load"},
                    Choice{"Warp", {"--show", "request", "--warp", "100000"}, 3, "warps"}),
    [](const auto& info) { return info.param.name; });

class Subjects : public testing::TestWithParam<const char*> {};

// Each subject replaces the picture, and its file can be opened as a session that draws the same.
TEST_P(Subjects, ShotReopens)
{
    const Folder folder;
    const auto shot = [&](const std::string& name, std::vector<std::string> options) {
        const auto file = folder / name;
        options.insert(options.end(), {"--size", "320x200", "-o", file.string()});
        const Outcome outcome = run_program(options);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return file;
    };
    const std::vector<std::string> tile{"shot",  "transpose/tile", "--device", "simt",
                                        "--set", "size=64",        "--steps",  "3"};
    auto shown = tile;
    shown.insert(shown.end(), {"--show", GetParam()});
    auto picture = tile;
    picture.insert(picture.end(), {"--show", "picture"}); // otherwise the lab would show a request
    const auto plain = shot("plain.png", picture);
    const auto first = shot("first.png", shown);
    const auto again = shot("again.png", {"shot", "--session", first.string()});
    EXPECT_FALSE(read_file(plain) == read_file(first));
    EXPECT_TRUE(read_file(first) == read_file(again));
}

INSTANTIATE_TEST_SUITE_P(Shown, Subjects, testing::Values("memory", "request"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Record, FramesAreReproducible)
{
    const Folder folders[2];
    for (const Folder& folder : folders) {
        const Outcome outcome =
            run_program(small({"record", "heat/naive", "--seconds", "0.5", "--fps", "10", "-o",
                               (folder / "%05d.png").string()}));
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        ASSERT_EQ(folder.entries(), 5u);
    }
    std::set<std::string> different;
    for (const auto& entry : std::filesystem::directory_iterator(folders[0].path())) {
        const std::string bytes = read_file(entry.path());
        const bool same = bytes == read_file(folders[1] / entry.path().filename().string());
        EXPECT_TRUE(same) << entry.path();
        different.insert(bytes);
    }
    EXPECT_EQ(different.size(), 5u) << "every frame shows another moment";
}

TEST(Record, WritesVideo)
{
    const Folder folder;
    const auto file = folder / "x.mp4";
    const Outcome outcome = run_program(
        small({"record", "heat/naive", "--seconds", "0.5", "--fps", "10", "-o", file.string()}));
    if (!is_installed("ffmpeg")) {
        EXPECT_EQ(outcome.status, 3) << outcome.errors;
        GTEST_SKIP() << "no ffmpeg";
    }
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(read_file(file).substr(4, 4), "ftyp");
    EXPECT_EQ(folder.entries(), 1u);
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Figures, ContainPictureAndVectorText)
{
    const Folder folder;
    for (const char* view : {"field", "surface"}) {
        const auto file = folder / (std::string(view) + ".svg");
        const Outcome outcome =
            run_program({"shot", "heat/shared_tile", "-o", file.string(), "--frame", "2", "--view",
                         view, "--device", "simt", "--set", "size=48", "--size", "640x360"});
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        const std::string svg = read_file(file);
        EXPECT_TRUE(svg.starts_with("<svg")) << view;
        EXPECT_TRUE(svg.ends_with("</svg>\n")) << view;
        EXPECT_EQ(count(svg, "<image "), 1u) << view;
        EXPECT_EQ(count(svg, ">Heat on a plate: Shared tile</text>"), 1u) << view;
        EXPECT_EQ(count(svg, ">temperature</text>"), 1u) << view;
        EXPECT_EQ(count(svg, ">(°C)</text>"), 1u) << view;
        EXPECT_EQ(count(svg, "<linearGradient "), 1u) << view;
        EXPECT_LT(svg.find("<image "), svg.find("<text ")) << "words lie over the picture";
    }
    EXPECT_FALSE(read_file(folder / "field.svg") == read_file(folder / "surface.svg"));
}

// Bars and curves are vectors above the grid, not part of an embedded picture.
TEST(Figures, ChartsContainOnlyVectors)
{
    const Folder folder;
    const auto svg_of = [&](const char* variant, const std::string& set) {
        const auto file = folder / "chart.svg";
        const Outcome outcome =
            run_program({"shot", variant, "-o", file.string(), "--frame", "2", "--device", "simt",
                         "--set", set, "--size", "640x360", "--show", "picture"});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return read_file(file);
    };
    const std::string axes = svg_of("histogram/shared", "bins=16");
    const std::string more = svg_of("histogram/shared", "bins=64");
    EXPECT_GT(count(more, "<rect "), count(axes, "<rect ") + 20);
    const std::string curve = svg_of("rod/naive", "size=64");
    EXPECT_EQ(count(curve, "<polyline "), 1u);
    const auto points = curve.substr(curve.find("<polyline "));
    EXPECT_EQ(count(points.substr(0, points.find("/>")), ","), 64u);
    // A curve over a million cells has at most two points per pixel.
    const std::string longer = svg_of("rod/naive", "size=1048576");
    EXPECT_LT(longer.size(), 100'000u);
}

TEST(Figures, AreReproducible)
{
    const Folder folder;
    for (const char* ending : {".svg", ".pdf"}) {
        std::string bytes[2];
        for (std::string& one : bytes) {
            const auto file = folder / (std::string("x") + ending);
            const Outcome outcome = run_program(small({"shot", "heat/naive", "-o", file.string(),
                                                       "--frame", "3", "--map", "active_lanes"}));
            ASSERT_EQ(outcome.status, 0) << outcome.errors;
            one = read_file(file);
        }
        EXPECT_GT(bytes[0].size(), 500u);
        EXPECT_TRUE(bytes[0] == bytes[1]) << ending;
        EXPECT_TRUE(bytes[0].starts_with(ending == std::string(".svg") ? "<svg" : "%PDF-1.5"));
    }
    EXPECT_EQ(folder.entries(), 2u) << "something was left behind";
}

TEST(Figures, ShowBothSidesOfComparison)
{
    const Folder folder;
    const auto session = folder / "ab.json";
    std::ofstream(session) << R"({"lanescope_session": 1, "lab": "heat", "variant": "naive",)"
                           << R"( "device": "simt", "parameters": {"size": "48"},)"
                           << R"( "compare": "shared_tile", "step": 8})";
    const auto file = folder / "ab.svg";
    const Outcome outcome =
        run_program({"shot", "--session", session.string(), "-o", file.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(count(read_file(file), ">Naive</text>"), 1u);
    EXPECT_EQ(count(read_file(file), ">Shared tile</text>"), 1u);
}

TEST(Record, TenSecondsAt60FpsHave600Frames)
{
    const Folder folder;
    const auto file = folder / "x.mp4";
    const Outcome outcome =
        run_program({"record", "heat/naive", "--device", "simt", "--set", "size=16", "--size",
                     "64x48", "--seconds", "10", "--fps", "60", "-o", file.string()});
    if (!is_installed("ffmpeg")) {
        EXPECT_EQ(outcome.status, 3) << outcome.errors;
        GTEST_SKIP() << "no ffmpeg";
    }
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    expect_even_frames(file, 600, 60);
}

} // namespace
} // namespace lanescope::test
