// Labs from folders: records in text alone, passes of many launches, and what is said about records
// that are wrong.
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assets/assets.h"
#include "compute/labs/record/named.h"
#include "compute/labs/record/read.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

const std::filesystem::path folder = LANESCOPE_SOURCE_DIR "/tests/unit/labs";

// The kernels beside these tests are compiled with them.
std::string compiled(std::string_view, const std::filesystem::path& name)
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

TEST_P(FromFolder, EveryVariantAgreesWithTheReference)
{
    const Lab& lab = lab_in(GetParam());
    EXPECT_EQ(&find(lab.id), &lab) << "read once";
    const auto device = simt::make_device();
    for (const Variant& variant : lab.variants)
        for (const auto& size : lab.test_sizes)
            if (variant.fault.empty()) expect_correct(*device, {&lab, &variant, &size});
}
INSTANTIATE_TEST_SUITE_P(Labs, FromFolder, testing::Values("axpy", "running_sum"),
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
    EXPECT_EQ(doubling->shape().launches_per_step, 8); // distances 1 to 128
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

TEST(Passes, VariantsMayChange)
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

TEST(Passes, AFaultIsTheKernelsOwn)
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

// Reads a record and, if that works, takes a step of its first variant.
std::string refusal(std::string record)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    try {
        Lab lab = read_record(record, "mine/lab.json", "mine");
        lab.files = lab_in("axpy").files;
        const auto experiment = start(*device, shown, lab, lab.variants[0].id.c_str());
        experiment->step();
        experiment->check();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "read";
}

// The record of axpy with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to)
{
    std::string record(lab_in("axpy").file("lab.json"));
    const std::size_t at = record.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return record.replace(at, from.size(), to);
}

TEST(Record, SaysWhereItIsWrongAndWhatToDo)
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
    expect("\"item\": ", "\"itme\": ", {"/work/itme", "means nothing", "item"});
    expect("\"f32\", \"extent\": [\"n\"], \"fill\": \"random\"", "\"f31\", \"extent\": [\"n\"]",
           {"/buffers/y/type", "'f31'", "f32, "});
    expect("\"extent\": [\"n\"], \"fill\": \"random\"", "\"extent\": [\"m\"]",
           {"/buffers/y/extent/0", "\"m\"", "n"});
    expect("\"fill\": \"random\"", "\"fill\": \"radnom\"", {"'radnom'", "random, "});
    expect("\"n\", \"a\", \"x\"", "\"n\", \"a + 0.5\", \"x\"",
           {"/arguments/1", "real number", "f32"});
    expect("\"result\": \"sum\"", "\"result\": \"total\"", {"/result", "'total'", "sum"});
    expect("\"kind\": \"real\"", "\"kind\": \"rael\"", {"/parameters/1/kind", "'rael'", "real"});
    expect("\"initial\": 0.5", "\"initial\": 5", {"/parameters/1/initial", "range"});
    expect("{\"n\": 257}", "{\"n\": 0}", {"/test_sizes/1/n", "between 1 and"});
    expect("\"block\": 256", "\"block\": 0", {"/variants/0/block", "at least one"});
    expect("a * x(i) + y(i)", "a * x(i) + z(i)", {"/check/each", "z(i)"});
}

TEST(Record, ParametersSayWhatTheyConcern)
{
    const Lab& lab = find("divergence");
    EXPECT_TRUE(lab.find_parameter("work")->concerns("sorted"));
    EXPECT_FALSE(lab.find_parameter("work")->concerns("mandelbrot"));
    EXPECT_TRUE(find("heat").find_parameter("size")->concerns("naive"));
}

} // namespace
} // namespace lanescope::labs
