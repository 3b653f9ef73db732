// Pictures against those that were looked at and found right. They come from `shot` on simt with
// software OpenGL; other rasterisers may differ in a pixel here and there, so a tolerance decides.
// A failure leaves the difference beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "render/capture/png.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

struct Golden {
    std::string name;
    std::vector<std::string> arguments;
};

class Pictures : public testing::TestWithParam<Golden> {};

struct Difference {
    double mean = 0;          // of all channels, 0 to 255
    double differing = 0;     // share of pixels with a channel off by more than 24
    render::Pixels amplified; // black where equal
};

Difference compare(const render::ImageFile& got, const render::ImageFile& want)
{
    Difference difference{0, 0, {got.width, got.height, {}}};
    constexpr int visible = 24;
    std::size_t far = 0;
    for (std::size_t pixel = 0; pixel < got.rgba.size(); pixel += 4) {
        int largest = 0;
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const int off = std::abs(got.rgba[pixel + channel] - want.rgba[pixel + channel]);
            largest = std::max(largest, off);
            difference.mean += off;
            difference.amplified.rgb.push_back(static_cast<std::uint8_t>(std::min(255, off * 8)));
        }
        far += largest > visible;
    }
    const double pixels = static_cast<double>(got.rgba.size()) / 4;
    difference.mean /= 3 * pixels;
    difference.differing = static_cast<double>(far) / pixels;
    return difference;
}

TEST_P(Pictures, LookAsTheyDid)
{
    const Golden& golden = GetParam();
    const Folder folder;
    const auto file = folder / "shot.png";
    std::vector<std::string> arguments{"shot"};
    arguments.insert(arguments.end(), golden.arguments.begin(), golden.arguments.end());
    for (const std::string& word :
         {std::string("--device"), std::string("simt"), std::string("--size"),
          std::string("640x360"), std::string("-o"), file.string()})
        arguments.push_back(word);
    const Outcome outcome = run_program(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;

    const std::filesystem::path kept =
        std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/golden" / (golden.name + ".png");
    const auto got = render::read_image(file);
    const auto want = render::read_image(kept);
    ASSERT_EQ(got.width, want.width);
    ASSERT_EQ(got.height, want.height);
    const Difference difference = compare(got, want);
    const bool same = difference.mean < 0.5 && difference.differing < 0.005;
    if (!same) {
        const std::filesystem::path out = std::filesystem::path(LANESCOPE_BINARY_DIR) / "golden";
        std::filesystem::create_directories(out);
        render::write_png(out / (golden.name + "_difference.png"), difference.amplified);
        std::filesystem::copy_file(file, out / (golden.name + "_got.png"),
                                   std::filesystem::copy_options::overwrite_existing);
    }
    EXPECT_TRUE(same) << golden.name << " differs by " << difference.mean
                      << " on average, visibly in " << 100 * difference.differing
                      << " % of the pixels; see " << LANESCOPE_BINARY_DIR << "/golden";
}

INSTANTIATE_TEST_SUITE_P(
    Heat, Pictures,
    testing::Values(
        Golden{"heat_field", {"heat/naive", "--set", "size=128", "--frame", "40"}},
        Golden{"heat_surface",
               {"heat/shared_tile", "--set", "size=128", "--frame", "40", "--view", "surface"}},
        Golden{"heat_field_light",
               {"heat/naive", "--set", "size=128", "--frame", "40", "--theme", "light"}}),
    [](const auto& info) { return info.param.name; });

} // namespace
} // namespace lanescope::test
