// Kernels of tutorials, opened without anything but their source: each runs on the lockstep machine
// and draws the kind of picture that a person would choose.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "assets/assets.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/guess/guess.h"
#include "compute/simt/simt_device.h"

namespace lanescope::labs {
namespace {

const std::string folder = "tests/unit/guess/tutorials/";

struct Case {
    const char* name;
    const char* view; // kind of the first view
    int variants = 1;
};
const Case cases[] = {
    {"saxpy", "curve"},        {"vector_add", "curve"},   {"matrix_add", "field"},
    {"transpose", "field", 2}, {"matmul", "field"},       {"matmul_tiled", "field"},
    {"convolution", "field"},  {"sobel", "field"},        {"mandelbrot", "field"},
    {"julia", "image"},        {"life", "field"},         {"heat", "field"},
    {"histogram", "bars"},     {"reduction", "curve"},    {"scan", "curve"},
    {"dot", "curve"},          {"box_blur", "field"},     {"grayscale", "field"},
    {"invert", "image"},       {"bitonic", "curve"},      {"nbody", "curve"},
    {"ripple", "image"},       {"matrix_vector", "curve"}};

void PrintTo(const Case& one, std::ostream* out)
{
    *out << one.name;
}

Guess guess_of(const std::string& name)
{
    return guess_record(assets::find(folder + name + ".cu").value(),
                        assets::find(folder + name + ".ptx").value(), name + ".cu");
}

const Lab& lab_of(const std::string& name)
{
    const std::string source(assets::find(folder + name + ".cu").value());
    const std::string ptx(assets::find(folder + name + ".ptx").value());
    return open_texts({.base = {},
                       .id = name,
                       .files = {{"lab.json", guess_of(name).record},
                                 {name + ".cu", source},
                                 {name + ".ptx", ptx}}});
}

// Returns the values of the buffer that the picture shows.
std::vector<double> drawn(device::Device& device, const Picture& picture)
{
    const auto floats = [&](const std::shared_ptr<const device::Buffer>& memory,
                            std::size_t count) {
        const auto all = device::download<float>(device, memory->address(), count);
        return std::vector<double>(all.begin(), all.end());
    };
    if (const auto* field = std::get_if<FieldPicture>(&picture))
        return floats(field->values, std::size_t(field->width) * field->height);
    if (const auto* bars = std::get_if<BarsPicture>(&picture)) {
        const auto all =
            device::download<std::uint32_t>(device, bars->counts->address(), bars->count);
        return {all.begin(), all.end()};
    }
    if (const auto* curve = std::get_if<CurvePicture>(&picture)) {
        const std::vector<double> points = floats(curve->vertices, 2 * std::size_t(curve->count));
        std::vector<double> heights;
        for (std::size_t i = 1; i < points.size(); i += 2) heights.push_back(points[i]);
        return heights;
    }
    if (const auto* image = std::get_if<ImagePicture>(&picture)) {
        std::vector<std::byte> pixels(4 * std::size_t(image->image->width()) *
                                      image->image->height());
        device.download(pixels, *image->image);
        std::vector<double> levels;
        for (std::size_t i = 0; i < pixels.size(); i += 4)
            levels.push_back(std::to_integer<int>(pixels[i]));
        return levels;
    }
    return {};
}

class Tutorial : public testing::TestWithParam<Case> {};

TEST_P(Tutorial, RunsAndDrawsFromSignatureAlone)
{
    const auto [name, view, variants] = GetParam();
    const Lab& lab = lab_of(name);
    EXPECT_EQ(lab.views.front(), view);
    ASSERT_EQ(lab.variants.size(), variants);
    for (const Variant& variant : lab.variants) {
        const auto device = simt::make_device();
        device::PlainAllocator shown(*device);
        const auto experiment = lab.start({.device = *device,
                                           .shown = shown,
                                           .lab = lab,
                                           .variant = variant,
                                           .values = Values(lab),
                                           .seed = 1,
                                           .image = {}});
        for (int i = 0; i < 3; ++i) experiment->step();
        const std::vector<double> shows = drawn(*device, experiment->picture(lab.views.front()));
        ASSERT_FALSE(shows.empty());
        EXPECT_GT(std::set<double>(shows.begin(), shows.end()).size(), 1U) << variant.id;
        // 1/40 of the values differ from the first; in the sparsest picture, a Julia set, 1/20 do.
        const double first = shows.front();
        const auto other = std::ranges::count_if(shows, [&](double one) { return one != first; });
        EXPECT_GT(other, std::ptrdiff_t(shows.size() / 40)) << variant.id;
        const Check check = experiment->check();
        EXPECT_TRUE(check.correct) << check.message;
        EXPECT_EQ(check.message.empty(), variant.index > 0) << "the first has no reference";
    }
}

TEST_P(Tutorial, RunsAtTestSizes)
{
    const Lab& lab = lab_of(GetParam().name);
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    for (const Variant& variant : lab.variants)
        for (const auto& size : lab.test_sizes) {
            Values values(lab);
            for (const auto& [id, text] : size) values.set(id, text);
            const auto experiment = lab.start({.device = *device,
                                               .shown = shown,
                                               .lab = lab,
                                               .variant = variant,
                                               .values = values,
                                               .seed = 1,
                                               .image = {}});
            experiment->step();
            EXPECT_TRUE(experiment->check().correct);
        }
}
INSTANTIATE_TEST_SUITE_P(Kernels, Tutorial, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

nlohmann::json record_of(const std::string& name)
{
    return nlohmann::json::parse(guess_of(name).record);
}

TEST(Guess, MatmulExtentsFollowIndices)
{
    const auto buffers = record_of("matmul")["buffers"];
    EXPECT_EQ(buffers["A"]["extent"], (nlohmann::json{"K", "M"}));
    EXPECT_EQ(buffers["B"]["extent"], (nlohmann::json{"N", "K"}));
    EXPECT_EQ(buffers["C"]["extent"], (nlohmann::json{"N", "M"}));
}

TEST(Guess, TransposeSwapsExtents)
{
    const auto record = record_of("transpose");
    EXPECT_EQ(record["buffers"]["odata"]["extent"], (nlohmann::json{"height", "width"}));
    EXPECT_EQ(record["block"], (nlohmann::json{32, 8}));
    EXPECT_EQ(record["tile"], (nlohmann::json{32, 32}));
}

TEST(Guess, SimulationsContinueFromResult)
{
    EXPECT_EQ(record_of("heat")["swap"], (nlohmann::json{"u", "u_new"}));
    EXPECT_EQ(record_of("life")["swap"], (nlohmann::json{"current", "next"}));
    EXPECT_FALSE(record_of("convolution").contains("swap"));
}

TEST(Guess, LaunchInMainGivesSizesAndBlock)
{
    const auto record = record_of("vector_add");
    EXPECT_EQ(record["block"], (nlohmann::json{128}));
    // The size is not a multiple of the block size, so that a missing bounds check is noticed.
    EXPECT_EQ(record["parameters"][0]["initial"], 4000);
}

// The grid has one dimension, and "row * n + col" tells that the matrix has two.
TEST(Guess, SquareMatrixInOneDimension)
{
    const auto buffers = record_of("matrix_vector")["buffers"];
    EXPECT_EQ(buffers["m"]["extent"], (nlohmann::json{"n", "n"}));
    EXPECT_EQ(buffers["x"]["extent"], (nlohmann::json{"n"}));
}

TEST(Guess, OnePartialSumPerBlock)
{
    EXPECT_EQ(record_of("reduction")["buffers"]["g_odata"]["extent"],
              (nlohmann::json{"ceil_div(n, 256)"}));
}

TEST(Guess, UninstantiatedTemplateSuggestsLine)
{
    const char* const source =
        "template <typename T>\n__global__ void scale(T *data, int n) { data[0] = n; }\n";
    try {
        guess_record(source, ".version 8.0\n.target sm_75\n.address_size 64\n", "scale.cu");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_such_thing);
        EXPECT_THAT(error.what(), testing::HasSubstr("scale.cu contains no kernel"));
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("template __global__ void scale<float>(float*, int);"));
    }
}

TEST(Guess, IsReproducible)
{
    EXPECT_EQ(guess_of("matmul").record, guess_of("matmul").record);
}

TEST(Guess, ReadsPtxWithoutSource)
{
    const std::string ptx(assets::find(folder + "saxpy.ptx").value());
    const auto record = nlohmann::json::parse(guess_record("", ptx, "saxpy.ptx").record);
    EXPECT_EQ(record["arguments"].size(), 4U);
    EXPECT_EQ(record["buffers"].size(), 3U); // x, y, and a copy of y's initial contents
}

} // namespace
} // namespace lanescope::labs
