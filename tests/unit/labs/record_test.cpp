// Labs from folders: records without C++ code, steps of several launches, and messages about
// invalid records.
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assets/assets.h"
#include "compute/experiment/record/named.h"
#include "compute/experiment/record/read.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

const std::filesystem::path folder = LANESCOPE_SOURCE_DIR "/tests/unit/labs";

// Returns PTX compiled at build time from the kernels beside these tests.
std::string compiled(std::string_view, const std::filesystem::path& name,
                     const std::filesystem::path&)
{
    const auto path =
        std::filesystem::relative(name, LANESCOPE_SOURCE_DIR).replace_extension("ptx");
    return std::string(assets::find(path.string()).value());
}

const Lab& lab_in(const char* name)
{
    compile_with(compiled);
    return find((folder / name).string());
}

const Named<Reference> running_sum{"running_sum", {.result = [](const Scope& scope) {
                                       auto sums = scope.input_of<std::uint8_t>("from");
                                       std::vector<double> want(sums.begin(), sums.end());
                                       std::partial_sum(want.begin(), want.end(), want.begin());
                                       return want;
                                   }}};

class FromFolder : public testing::TestWithParam<const char*> {};

TEST_P(FromFolder, EveryVariantMatchesReference)
{
    const Lab& lab = lab_in(GetParam());
    EXPECT_EQ(&find(lab.id), &lab) << "read once";
    const auto device = simt::make_device();
    for (const Variant& variant : lab.variants)
        for (const auto& size : lab.test_sizes) expect_correct(*device, {&lab, &variant, &size});
}
INSTANTIATE_TEST_SUITE_P(Labs, FromFolder, testing::Values("blur", "running_sum"),
                         [](const auto& info) { return std::string(info.param); });

std::unique_ptr<Experiment> start(device::Device& device, device::Allocator& shown, const Lab& lab,
                                  const char* variant,
                                  const std::map<std::string, std::string>& chosen = {})
{
    return lab.start({.device = device,
                      .shown = shown,
                      .lab = lab,
                      .variant = find_variant(lab, variant),
                      .values = values_of(lab, chosen),
                      .seed = 1,
                      .image = {}});
}

TEST(Passes, AreCountedAsOneStep)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = lab_in("running_sum");
    const auto doubling = start(*device, shown, lab, "doubling", {{"n", "200"}});
    EXPECT_EQ(doubling->shape().launches_per_step, 8); // one launch per distance: 1, 2, 4, … 128
    trace::Trace trace;
    trace.footprint = doubling->next_result().footprint();
    doubling->step(&trace);
    const auto totals = trace.totals();
    EXPECT_EQ(totals.global_store.lanes, 8u * 200);
    EXPECT_EQ(trace.footprint.owners.size(), 200u);
    EXPECT_NE(trace.footprint.owners[199], 0u)
        << "the last exchange leaves the result where a view looks";
    trace::Trace again;
    doubling->recount(again);
    EXPECT_EQ(again.counts, trace.counts);
    EXPECT_TRUE(doubling->check().correct);

    const auto blocks = start(*device, shown, lab, "blocks", {{"n", "200"}});
    EXPECT_EQ(blocks->shape().launches_per_step, 2);
    EXPECT_EQ(start(*device, shown, lab, "blocks", {{"n", "64"}})->shape().launches_per_step, 1);
    trace::Trace both;
    blocks->step(&both);
    std::set<std::string> kernels;
    for (const trace::Site& site : both.sites) kernels.insert(site.function);
    EXPECT_EQ(kernels, (std::set<std::string>{"sum_in_block", "add_totals"}));
    EXPECT_EQ(both.totals().global_store.lanes, 200u + 4 + 200);
}

TEST(Passes, VariantMayChange)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = lab_in("running_sum");
    const auto experiment = start(*device, shown, lab, "blocks");
    for (const char* variant : {"doubling", "blocks", "doubling"}) {
        experiment->step();
        EXPECT_TRUE(experiment->check().correct) << experiment->check().message;
        experiment->select(find_variant(lab, variant));
    }
}

TEST(Passes, FaultNamesItsKernel)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = lab_in("running_sum");
    const Variant& variant = find_variant(lab, "beyond");
    try {
        start(*device, shown, lab, "beyond")->step();
        FAIL() << "no fault";
    } catch (const device::KernelFault& fault) {
        EXPECT_EQ(fault.fault().kind, variant.fault);
        EXPECT_EQ(fault.fault().line, 5);
    }
}

// "mended" was the key that names the fixed version of a variant, and is still accepted.
TEST(Record, FormerKeyOfFixedVariantIsRead)
{
    std::string record(find("faults").file("lab.json"));
    const std::string key = "\"fixed\":";
    std::size_t replaced = 0;
    for (std::size_t at = record.find(key); at != std::string::npos; at = record.find(key, at)) {
        record.replace(at, key.size(), "\"mended\":");
        ++replaced;
    }
    EXPECT_GT(replaced, 0u);
    const Lab old = read_record(record, "mine/lab.json", "mine");
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < old.variants.size(); ++i) {
        EXPECT_EQ(old.variants[i].fixed, find("faults").variants[i].fixed);
        fixed += old.variants[i].fixed.empty() ? 0 : 1;
    }
    EXPECT_EQ(fixed, replaced);
}

// Points are drawn from the memory that the kernel wrote, before and after it changed places.
TEST(Record, DrawsPointsFromTheKernelsMemory)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = start(*device, shown, find("nbody"), "float4");
    for (int step = 0; step < 2; ++step) {
        const Picture picture = experiment->picture("points");
        const auto& points = std::get<PointsPicture>(picture);
        EXPECT_EQ(points.count, 2048);
        EXPECT_FALSE(points.flat);
        EXPECT_EQ(points.vertices.get(), experiment->buffer("state"));
        experiment->step();
    }
}

// The energy of a body that was sped up a little is hardly different: its velocity is.
TEST(Record, CheckOfBodiesFindsOneThatWasSpedUp)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = start(*device, shown, find("nbody"), "float4");
    experiment->step();
    EXPECT_TRUE(experiment->check().correct);
    const device::Buffer& state = *experiment->buffer("state");
    auto bytes = device::download<std::byte>(*device, state.address(), state.bytes());
    float speed = 0;
    std::byte* const place = bytes.data() + (2048 + 1000) * 4 * sizeof(float);
    std::memcpy(&speed, place, sizeof(float));
    speed += 0.001F;
    std::memcpy(place, &speed, sizeof(float));
    const Check check = experiment->check(bytes);
    EXPECT_FALSE(check.correct);
    EXPECT_LT(check.max_error, 1e-4);
    EXPECT_THAT(check.message, HasSubstr("body 1000"));
}

// Plots the elements of a buffer over their index, and those of one buffer over those of another.
TEST(Record, ScattersElements)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& spaces = find("memory_spaces");
    const auto experiment = start(*device, shown, spaces, "constant_uniform");
    experiment->step();
    const Picture picture = experiment->picture("entries");
    const auto& scatter = std::get<ScatterPicture>(picture);
    ASSERT_EQ(scatter.dots->size(), 256u);
    for (std::size_t i = 0; i < 256; ++i) {
        EXPECT_EQ((*scatter.dots)[i].x, static_cast<double>(i));
        EXPECT_EQ((*scatter.dots)[i].y, (*scatter.dots)[i / 32 * 32].y) << "one entry a warp";
    }
    EXPECT_EQ(scatter.high, 63);

    std::string record(spaces.file("lab.json"));
    const std::string one = "[\"index\"], \"extent\": [\"min(count, 256)\"]";
    ASSERT_NE(record.find(one), std::string::npos);
    record.replace(record.find(one), one.size(), "[\"index\", \"to\"]");
    Lab lab = read_record(record, "mine/lab.json", "mine");
    lab.files = spaces.files;
    const auto both = start(*device, shown, lab, "global");
    both->step();
    const Picture over = both->picture("entries");
    const auto& dots = *std::get<ScatterPicture>(over).dots;
    EXPECT_GT(dots.size(), 256u);
    EXPECT_TRUE(std::ranges::is_sorted(dots, {}, &ScatterPicture::Dot::x));
    EXPECT_LE(dots.back().x, 63);
}

// Returns the error for a record; empty if it can be read and its first variant makes a step.
std::string refusal(std::string record)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    try {
        Lab lab = read_record(record, "mine/lab.json", "mine");
        lab.files = lab_in("blur").files;
        const auto experiment = start(*device, shown, lab, lab.variants[0].id.c_str());
        experiment->step();
        experiment->check();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "read";
}

// The record of blur with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to)
{
    std::string record(lab_in("blur").file("lab.json"));
    const std::size_t at = record.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return record.replace(at, from.size(), to);
}

TEST(Record, ErrorsNamePositionAndFix)
{
    EXPECT_EQ(refusal(changed("", "")), "read");
    const auto expect = [](const std::string& from, const std::string& to,
                           std::initializer_list<const char*> parts) {
        const std::string said = refusal(changed(from, to));
        EXPECT_THAT(said, HasSubstr("mine/lab.json, "));
        for (const char* part : parts) EXPECT_THAT(said, HasSubstr(part)) << to;
    };
    expect("\"restarts\": true,", "\"restarts\": true", {"line 4", "comma"});
    expect("\"result\"", "\"reslut\"", {"\"result\" is missing"});
    expect("\"item\": ", "\"itme\": ", {"/work/itme", "is not allowed here", "item"});
    expect("\"f32\", \"extent\": [\"size\", \"size\"]}}",
           "\"f31\", \"extent\": [\"size\", \"size\"]}}", {"/buffers/to/type", "'f31'", "f32, "});
    expect("[\"size\", \"size\"]}}", "[\"size\", \"sice\"]}}",
           {"/buffers/to/extent/1", "\"sice\"", "size"});
    expect("\"test_card\"", "\"test_crad\"", {"'test_crad'", "test_card"});
    expect("\"size\", \"strength\"]", "\"size\", \"strength + 0.5\"]",
           {"/arguments/3", "real number", "f32"});
    expect("\"result\": \"to\"", "\"result\": \"total\"", {"/result", "'total'", "from, to"});
    expect("\"field\": \"to\"", "\"field\": \"to\", \"offset\": 1",
           {"/views/0/offset", "is not allowed here"});
    expect("\"field\": \"to\"", "\"field\": \"to\", \"axis\": {\"low\": 1}",
           {"/views/0/axis", "\"title\" is missing"});
    expect("\"field\": \"to\"", "\"bars\": \"to\", \"axis\": {\"title\": \"pixel\"}",
           {"/views/0/axis", "bars", "as a string"});
    expect(
        "\"field\": \"to\"",
        "\"labels\": \"to\", \"layers\": [\"n\"], \"rows\": [\"a\"], \"later\": {\"row\": \"a\", "
        "\"than\": \"b\", \"meaning\": \"m\"}",
        {"/views/0/later/than", "no row 'b'", "Available: a"});
    expect("\"check\": {", "\"presets\": [{\"title\": \"Far\", \"view\": \"image\"}], \"check\": {",
           {"/presets/0/view", "no view 'image'", "field"});
    const auto expect_opens = [&](const std::string& opens,
                                  std::initializer_list<const char*> parts) {
        expect("\"check\": {", "\"opens\": {" + opens + "}, \"check\": {", parts);
    };
    expect_opens("\"variant\": \"column\"", {"/opens/variant", "'column'", "row"});
    expect_opens("\"request_of\": \"reads\"", {"/opens/request_of", "'reads'", "loads"});
    expect_opens("\"cost\": \"sectors\"", {"/opens/cost", "'sectors'", "bytes_per_item"});
    expect_opens("\"cost\": {\"value\": \"size\"}", {"/opens/cost", "\"unit\" is missing"});
    expect("\"field\": \"to\"", "\"tiles\": [\"from\", \"total\"]",
           {"/views/0/tiles/1", "'total'", "from, to"});
    expect("\"kind\": \"real\"", "\"kind\": \"rael\"", {"/parameters/1/kind", "'rael'", "real"});
    expect("\"initial\": 0.5", "\"initial\": 5", {"/parameters/1/initial", "range"});
    expect("{\"size\": 33}", "{\"size\": 0}", {"/test_sizes/1/size", "between 1 and"});
    for (const char* const pass : {"{\"wait\": true}", "{\"stream\": 1}", "{\"graph\": [{}]}"})
        expect("[32, 8]", "[32, 8], \"passes\": [{\"graph\": [" + std::string(pass) + "]}]",
               {"/variants/0/passes/0/graph", "a graph cannot hold this pass", "loops"});
    expect("[32, 8]", "[32, 0]", {"/variants/0/block/1", "at least one"});
    expect("- from(x, y))\"", "- form(x, y))\"", {"/check/each", "form"});
}

TEST(Record, FieldHasAxesWithEnds)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = start(*device, shown, find("occupancy"), "block_sizes");
    const Picture picture = experiment->picture("field");
    const auto& field = std::get<FieldPicture>(picture);
    EXPECT_EQ(field.x.title, "threads per block");
    EXPECT_EQ(field.x.low, 4);
    EXPECT_EQ(field.x.high, 1028) << "the last column is a block of 1024 threads";
    EXPECT_EQ(field.y.title, "registers per thread");
}

TEST(Record, CurveIsDrawnOverItsCells)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = start(*device, shown, find("rod"), "naive", {{"size", "10000"}});
    const Picture picture = experiment->picture("curve");
    const auto& curve = std::get<CurvePicture>(picture);
    EXPECT_EQ(curve.x.title, "cell");
    EXPECT_LT(curve.count, 10000);
    EXPECT_EQ(curve.x.high, 9999) << "the vertices are a sample of the cells";
}

// The result of a peer is compared in the same way as the lab's own.
TEST(Record, ForeignResultsAreChecked)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    for (const char* name : {"transpose", "histogram"}) {
        const Lab& lab = find(name);
        const auto experiment =
            start(*device, shown, lab, lab.variants.back().id.c_str(), lab.test_sizes[1]);
        experiment->step();
        const auto result = experiment->next_result();
        auto bytes = device::download<std::byte>(*device, result.buffer->address(),
                                                 static_cast<std::size_t>(result.width) *
                                                     result.height * result.element_bytes);
        EXPECT_TRUE(experiment->check(bytes).correct) << name;
        bytes[bytes.size() / 2] ^= std::byte{1};
        EXPECT_FALSE(experiment->check(bytes).correct) << name;
        EXPECT_NE(experiment->buffer(name == std::string("transpose") ? "from" : "samples"),
                  nullptr);
        EXPECT_EQ(experiment->buffer("nosuch"), nullptr);
    }
}

// Evaluates every formula of every variant, including those that other tests do not reach. A cost
// may be 0 for some variants, but not for all.
TEST(Record, EveryFormulaCanBeEvaluated)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    for (const Lab& lab : all()) {
        double highest = 0;
        for (const Variant& variant : lab.variants) {
            if (!variant.runs_on(device::Engine::simt)) continue;
            SCOPED_TRACE(lab.id + "/" + variant.id);
            const auto experiment =
                start(*device, shown, lab, variant.id.c_str(), lab.test_sizes[0]);
            EXPECT_GT(experiment->work_per_launch().bytes, 0);
            EXPECT_GT(experiment->work_per_launch().items, 0);
            EXPECT_FALSE(experiment->work_per_launch().item.empty());
            EXPECT_GE(experiment->steps_per_frame(), 1);
            EXPECT_GE(experiment->shape().launches_per_step, 1);
            EXPECT_TRUE(experiment->warning().empty());
            if (const auto& cost = lab.opens.cost) {
                const double value = cost->value.empty() ? 1 : experiment->number(cost->value);
                EXPECT_GE(value, 0) << cost->value;
                highest = std::max(highest, value);
                // A count may have 0 as its ideal; the ideal of a ratio is a divisor.
                const double ideal = cost->ideal.empty() ? 1 : experiment->number(cost->ideal);
                EXPECT_TRUE(ideal > 0 || (ideal == 0 && !cost->value.empty())) << cost->ideal;
            }
            for (const std::string& view : lab.views) EXPECT_NO_THROW(experiment->picture(view));
        }
        EXPECT_TRUE(!lab.opens.cost || highest > 0) << lab.id;
    }
}

TEST(Record, ParametersNameTheirScope)
{
    const Lab& lab = find("divergence");
    EXPECT_TRUE(lab.find_parameter("work")->concerns("sorted"));
    EXPECT_FALSE(lab.find_parameter("work")->concerns("mandelbrot"));
    EXPECT_TRUE(find("heat").find_parameter("size")->concerns("naive"));
}

} // namespace
} // namespace lanescope::labs
