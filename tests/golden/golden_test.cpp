// Compares pictures with approved ones. Each PNG of this folder contains the session that draws it,
// as written by an earlier version, so opening old sessions is tested too. They were drawn by
// `shot` on simt with software OpenGL; other rasterisers may differ in a pixel here and there, so a
// tolerance applies tile by tile: a changed digit exceeds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/document/look/subject.h"
#include "app/document/session/session.h"
#include "app/draw/scene/maps.h"
#include "compute/ptx/instructions/table.h"
#include "compute/ptx/text/module.h"
#include "render/capture/png.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> goldens()
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(LANESCOPE_SOURCE_DIR "/tests/golden"))
        if (entry.path().extension() == ".png") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

constexpr int tile = 8;          // pixels per side
constexpr double allowed = 6;    // mean difference of a tile's channels, out of 255
constexpr double everywhere = 1; // mean difference of the whole picture

struct Difference {
    double mean = 0;          // over all channels, 0 to 255
    double worst = 0;         // mean difference of the worst tile
    int x = 0, y = 0;         // position of the worst tile
    render::Pixels amplified; // difference from the golden, amplified; black where equal
};

Difference compare(const render::ImageFile& got, const render::ImageFile& want)
{
    Difference difference{.amplified = {got.width, got.height, {}}};
    const auto off = [&](int x, int y, int channel) {
        const auto at = static_cast<std::size_t>(4 * (y * got.width + x) + channel);
        return std::abs(got.rgba[at] - want.rgba[at]);
    };
    for (int y = 0; y < got.height; ++y)
        for (int x = 0; x < got.width; ++x)
            for (int channel = 0; channel < 3; ++channel)
                difference.amplified.rgb.push_back(
                    static_cast<std::uint8_t>(std::min(255, 8 * off(x, y, channel))));
    for (int top = 0; top < got.height; top += tile)
        for (int left = 0; left < got.width; left += tile) {
            double sum = 0;
            for (int y = top; y < std::min(top + tile, got.height); ++y)
                for (int x = left; x < std::min(left + tile, got.width); ++x)
                    for (int channel = 0; channel < 3; ++channel) sum += off(x, y, channel);
            difference.mean += sum / (3.0 * got.width * got.height);
            const double mean = sum / (3.0 * tile * tile);
            if (mean > difference.worst)
                difference = {difference.mean, mean, left, top, std::move(difference.amplified)};
        }
    return difference;
}

class Pictures : public testing::TestWithParam<fs::path> {};

TEST_P(Pictures, MatchGolden)
{
    const Folder folder;
    const fs::path file = folder / "shot.png";
    const Outcome outcome =
        run_program({"shot", "--session", GetParam().string(), "-o", file.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");

    const auto got = render::read_image(file);
    const auto want = render::read_image(GetParam());
    ASSERT_EQ(got.width, want.width);
    ASSERT_EQ(got.height, want.height);
    const Difference difference = compare(got, want);
    const bool same = difference.mean < everywhere && difference.worst < allowed;
    if (!same) {
        const fs::path out = fs::path(LANESCOPE_BINARY_DIR) / "golden";
        const std::string name = GetParam().stem().string();
        fs::create_directories(out);
        render::write_png(out / (name + "_difference.png"), difference.amplified);
        fs::copy_file(file, out / (name + "_got.png"), fs::copy_options::overwrite_existing);
    }
    EXPECT_TRUE(same) << GetParam().filename() << " differs by " << difference.mean
                      << " on average and by " << difference.worst << " around pixel "
                      << difference.x << ", " << difference.y
                      << "; the pictures are in golden/ of the build.";
}

INSTANTIATE_TEST_SUITE_P(Golden, Pictures, testing::ValuesIn(goldens()),
                         [](const auto& info) { return info.param.stem().string(); });

// True if a variant reads or writes texels, which enables two more maps.
bool has_texels(const labs::Lab& lab)
{
    return std::ranges::any_of(lab.variants, [&](const labs::Variant& variant) {
        const ptx::Module module = ptx::parse(lab.ptx(variant));
        return std::ranges::any_of(module.functions, [](const ptx::Function& function) {
            return std::ranges::any_of(function.instructions, [](const ptx::Instruction& in) {
                using ptx::Op;
                return in.op == Op::tex || in.op == Op::tld4 || in.op == Op::suld ||
                       in.op == Op::sust;
            });
        });
    });
}

// Maps of caches draw alike in every lab; these show L1, L2 and DRAM in different shares.
bool shows_caches(const labs::Lab& lab)
{
    return lab.id == "caches" || lab.id == "heat" || lab.id == "matmul" || lab.id == "transpose";
}

// Every new lab, variant, map, view or subject needs a picture.
TEST(Goldens, CoverEveryVariantMapAndSubject)
{
    std::set<std::string> shown;
    for (const fs::path& file : goldens()) {
        const app::Session session = app::load_session(file);
        const app::Look& look = session.look;
        const std::string lab = session.journal.start.lab;
        const std::string subject = app::name(look.subject);
        shown.insert(lab + " " + subject);
        shown.insert(lab + " view " + look.view);
        if (look.subject != app::Subject::picture) continue;
        if (look.map == "off") shown.insert(lab + "/" + session.journal.start.variant);
        shown.insert(lab + " map " + look.map);
    }
    for (const labs::Lab& lab : labs::all()) {
        for (const labs::Variant& variant : lab.variants) {
            if (!variant.fault.empty()) continue; // the fault comes before the first picture
            EXPECT_TRUE(shown.contains(lab.id + "/" + variant.id)) << lab.id << "/" << variant.id;
        }
        const bool texels = has_texels(lab);
        for (const std::string& map : app::map_names())
            EXPECT_TRUE((map.starts_with("texel_") && !texels) ||
                        (map.starts_with("served_") && !shows_caches(lab)) ||
                        shown.contains(lab.id + " map " + map))
                << lab.id << " map " << map;
        for (const std::string& view : lab.views)
            EXPECT_TRUE(shown.contains(lab.id + " view " + view)) << lab.id << " view " << view;
        for (const std::string& subject : app::subject_names())
            EXPECT_TRUE(shown.contains(lab.id + " " + subject)) << lab.id << " " << subject;
    }
}

} // namespace
} // namespace lanescope::test
