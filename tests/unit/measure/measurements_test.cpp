// Files of measurements: written and read back, refused with the line of the mistake, shown with
// device and date, and stored in sessions.
#include "app/measure/measurements.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/draw/scene/timeline_words.h"
#include "app/run/frame/open_job.h"
#include "app/window/plots/plots.h"
#include "compute/experiment/lab/lab.h"
#include "tests/support/program.h"

namespace lanescope::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

Measurements two_bars_and_a_peer()
{
    const MeasuredOn on{"NVIDIA Test GPU", "1.2.3", "2026-11-22"};
    Measurements all{.roofs = {{{.copy_gb_per_s = 4000, .fp32_gflop_per_s = 50'000}, on}}};
    const Measured naive{.lab = "transpose",
                         .variant = "naive",
                         .size = "dram",
                         .values = {{"size", "16384"}, {"height", "0"}},
                         .median_ms = 1.0 / 3,
                         .p10_ms = 0.3,
                         .p90_ms = 0.4,
                         .samples = 30,
                         .gb_per_s = 1000,
                         .giga_items_per_s = 250,
                         .item = "elements",
                         .on = on};
    Measured small = naive;
    small.size = "l2";
    small.values["size"] = "2048";
    small.median_ms = small.p10_ms = small.p90_ms = 0.007;
    Measured peer = naive;
    peer.variant = "cublasSgeam";
    peer.is_peer = true;
    peer.library = "cuBLAS 13.0.2";
    peer.gb_per_s = 3000;
    all.times = {small, naive, peer};
    return all;
}

TEST(Measurements, RoundTrip)
{
    const Measurements before = two_bars_and_a_peer();
    const std::string text = to_json(before);
    EXPECT_TRUE(are_measurements(text));
    const Measurements after = measurements_from_json(text, "file");
    EXPECT_EQ(to_json(after), text);
    EXPECT_EQ(after.times[0].on.words(), "NVIDIA Test GPU, driver 1.2.3, 2026-11-22");
    EXPECT_EQ(after.roofs_of(after.times[0].on).fp32_gflop_per_s, 50'000);
    ASSERT_THAT(after.of("transpose", "dram"), SizeIs(2));
    EXPECT_EQ(after.of("transpose", "dram")[0]->median_ms, 1.0 / 3) << "no digit is lost";
    EXPECT_EQ(after.of("transpose", "dram")[0]->values.at("size"), "16384");
    EXPECT_THAT(after.of("transpose", "l2"), SizeIs(1));
    EXPECT_THAT(after.of("heat", "dram"), SizeIs(0));
}

// Lessons, variants, bars and A/B all compare times of one size: the nearest to the screen's.
TEST(Measurements, ShowTimesOfNearestSize)
{
    const Measurements all = two_bars_and_a_peer();
    const auto shown = [&](const char* size, const char* wanted = "") {
        const auto times = all.shown_of("transpose", {{"size", size}, {"height", "0"}}, wanted);
        return times.empty() ? "" : times.front()->size;
    };
    EXPECT_EQ(shown("256"), "l2");
    EXPECT_EQ(shown("5792"), "l2"); // sqrt(2048 × 16384) = 5792.6
    EXPECT_EQ(shown("5793"), "dram");
    EXPECT_EQ(shown("16384"), "dram");
    EXPECT_EQ(shown("256", "dram"), "dram") << "the size that a lesson reveals";
    EXPECT_EQ(all.shown_of_variant("transpose", {{"size", "256"}}, "naive")->median_ms, 0.007);
    EXPECT_THAT(all.shown_of("heat", {{"size", "256"}}), SizeIs(0));
    EXPECT_EQ(all.sizes_of("transpose", {}).front(), "dram") << "both are equally near";

    const labs::Lab& lab = labs::find("transpose");
    const std::string embedded = size_in_words(
        lab, *embedded_measurements()->shown_of("transpose", {{"size", "256"}}).front());
    EXPECT_EQ(embedded, "size 2,048");
}

// Older files name the device and the date once for all rows.
TEST(Measurements, OlderFileHasOneDate)
{
    const Measurements all = measurements_from_json(R"({
  "lanescope_measurements": 1,
  "device": "NVIDIA Old GPU", "driver": "1.0", "date": "2026-01-02", "copy_gb_per_s": 3000,
  "results": [
    {"lab": "heat", "variant": "naive", "size": "l2", "median_ms": 2, "p10_ms": 1, "p90_ms": 3,
     "samples": 30}
  ],
  "timelines": [
    {"lab": "streams", "variant": "pinned", "total_ms": 2, "kernel_alone_ms": 1, "operations": []}
  ]
})",
                                                    "old.json");
    const MeasuredOn on{"NVIDIA Old GPU", "1.0", "2026-01-02"};
    ASSERT_THAT(all.times, SizeIs(1));
    EXPECT_EQ(all.times[0].on, on);
    EXPECT_EQ(all.roofs_of(on).copy_gb_per_s, 3000);
    ASSERT_THAT(all.timelines, SizeIs(1));
    EXPECT_EQ(all.timelines[0].on, on);
    EXPECT_EQ(to_json(measurements_from_json(to_json(all), "file")), to_json(all));
}

MeasuredTimeline made_up(const char* variant, const char* streams)
{
    labs::Timeline all;
    all.lab = "streams";
    all.variant = variant;
    all.values = {{"streams", streams}};
    all.total_ms = 4;
    all.alone_ms = {2, 3, 1};
    all.operations = {{.unit = labs::Timeline::Unit::to_device, .stream = 1, .end_ms = 2},
                      {.unit = labs::Timeline::Unit::kernel,
                       .stream = 1,
                       .start_ms = 2,
                       .end_ms = 10.0 / 3,
                       .call_start_ms = 0.125,
                       .call_end_ms = 0.25}};
    return {all, {"NVIDIA Test GPU", "1.2.3", "2026-11-22"}};
}

TEST(Timelines, RoundTrip)
{
    Measurements before = two_bars_and_a_peer();
    EXPECT_THAT(to_json(before), Not(HasSubstr("timelines"))) << "as files were before";
    before.timelines = {made_up("pinned", "4")};
    const std::string text = to_json(before);
    const Measurements after = measurements_from_json(text, "file");
    EXPECT_EQ(to_json(after), text);
    ASSERT_THAT(after.timelines, SizeIs(1));
    const labs::Timeline& one = after.timelines.front().timeline;
    EXPECT_TRUE(one.timed);
    EXPECT_EQ(one.alone_ms, (std::array<double, 3>{2, 3, 1}));
    ASSERT_THAT(one.operations, SizeIs(2));
    EXPECT_EQ(one.operations[1].end_ms, 10.0 / 3) << "no digit is lost";
    EXPECT_EQ(one.operations[1].call_start_ms, 0.125);
}

TEST(Timelines, AreFoundByVariantAndNearestValues)
{
    Measurements all = two_bars_and_a_peer();
    all.timelines = {made_up("pinned", "1"), made_up("pinned", "4"), made_up("pageable", "4")};
    const auto like = [&](const char* variant, const char* streams) {
        return all.like(made_up(variant, streams).timeline);
    };
    EXPECT_EQ(like("pinned", "4")->values.at("streams"), "4");
    EXPECT_EQ(like("pinned", "4")->origin, "NVIDIA Test GPU, driver 1.2.3, 2026-11-22");
    EXPECT_EQ(like("pinned", "9")->values.at("streams"), "4");
    EXPECT_EQ(like("pinned", "1")->values.at("streams"), "1");
    EXPECT_EQ(like("pinned", "3")->values.at("streams"), "4") << "by ratios";
    EXPECT_EQ(like("mapped", "4"), nullptr);
}

TEST(Timelines, ReplaceOlderOnes)
{
    Measurements before = two_bars_and_a_peer();
    before.timelines = {made_up("pinned", "1"), made_up("pinned", "4")};
    Measurements now = two_bars_and_a_peer();
    now.timelines = {made_up("pinned", "4")};
    now.timelines[0].timeline.total_ms = 3.5;
    const Measurements both = joined(before, now);
    ASSERT_THAT(both.timelines, SizeIs(2));
    EXPECT_EQ(both.timelines[0].timeline.values.at("streams"), "1");
    EXPECT_EQ(both.timelines[1].timeline.total_ms, 3.5);
}

// A timeline of two devices, in which a kernel on the second waits for a copy from the first.
MeasuredTimeline two_devices()
{
    using Unit = labs::Timeline::Unit;
    MeasuredTimeline made = made_up("pinned", "4");
    labs::Timeline& all = made.timeline;
    all.devices = 2;
    all.device_names = "2 GPUs";
    all.total_ms = 10;
    all.alone_ms = {0, 6, 0};
    all.operations = {
        {.unit = Unit::kernel, .title = "rows", .end_ms = 4},
        {.unit = Unit::peer, .other = 1, .start_ms = 4, .end_ms = 7},
        {.unit = Unit::kernel, .device = 1, .title = "rows", .end_ms = 2},
        {.unit = Unit::kernel, .device = 1, .after = {1}, .start_ms = 7, .end_ms = 9},
        {.unit = Unit::kernel, .start_ms = 7, .end_ms = 9, .call_start_ms = 7, .call_end_ms = 7}};
    return made;
}

TEST(Timelines, RoundTripForSeveralDevices)
{
    Measurements before = two_bars_and_a_peer();
    before.timelines = {two_devices()};
    const std::string text = to_json(before);
    const Measurements after = measurements_from_json(text, "file");
    EXPECT_EQ(to_json(after), text);
    const labs::Timeline& one = after.timelines.at(0).timeline;
    EXPECT_EQ(one.devices, 2);
    EXPECT_EQ(one.device_names, "2 GPUs");
    EXPECT_EQ(one.operations.at(1).other, 1);
    EXPECT_EQ(one.operations.at(3).device, 1);
    EXPECT_EQ(one.operations.at(3).after, std::vector<int>{1});
    EXPECT_EQ(one.operations.at(2).title, "rows");

    before.timelines[0].timeline.operations[3].after = {3};
    EXPECT_THROW(measurements_from_json(to_json(before), "file"), Error);
    before.timelines = {two_devices()};
    before.timelines[0].timeline.operations[3].device = 2;
    EXPECT_THROW(measurements_from_json(to_json(before), "file"), Error);
}

// Device 0 computes for 6 of 10 ms, device 1 for 4: on average they wait half of the step.
TEST(Timelines, ShowWaitingDevices)
{
    labs::Timeline timeline = two_devices().timeline;
    timeline.timed = true;
    EXPECT_EQ(waiting_of(timeline), 0.5);
    EXPECT_FALSE(waiting_of(made_up("pinned", "4").timeline)) << "of one device";
    const render::TimelineData data = timeline_data(timeline);
    EXPECT_THAT(data.rows,
                testing::ElementsAre("host calls", "device 0: kernels", "device 0: copies",
                                     "device 1: kernels", "device 1: copies"));
    std::vector<std::string> waits;
    for (const auto& bar : data.bars)
        if (bar.waiting)
            waits.push_back(fmt::format("{} {}-{} {}", bar.row, bar.begin, bar.end, bar.word));
    EXPECT_THAT(waits,
                testing::UnorderedElementsAre("1 4-7 waits for host", "3 2-7 waits for device 0"));
    EXPECT_EQ(data.ideal, 6);
    EXPECT_THAT(data.words.front(), HasSubstr("2 GPUs take 10"));
}

// Two frames of 1 ms via the host: the kernel, a copy in either direction, the drawing.
labs::Timeline two_frames()
{
    using Unit = labs::Timeline::Unit;
    labs::Timeline all = made_up("pinned", "4").timeline;
    all.frames = 2;
    all.frame_ms = 1;
    all.alone_ms = {};
    all.total_ms = 2;
    all.operations.clear();
    for (int frame = 0; frame < 2; ++frame) {
        const double at = frame;
        for (const auto& [unit, bytes] :
             std::initializer_list<std::pair<Unit, std::uint64_t>>{{Unit::map, 0},
                                                                   {Unit::kernel, 0},
                                                                   {Unit::to_host, 1'000'000},
                                                                   {Unit::to_opengl, 500'000},
                                                                   {Unit::draw, 0},
                                                                   {Unit::present, 0}})
            all.operations.push_back({.unit = unit,
                                      .frame = frame,
                                      .bytes = bytes,
                                      .start_ms = at,
                                      .end_ms = at + 0.5,
                                      .call_start_ms = at,
                                      .call_end_ms = at + 0.25});
    }
    return all;
}

TEST(Frames, RoundTrip)
{
    Measurements before = two_bars_and_a_peer();
    before.timelines = {made_up("pinned", "4")};
    before.timelines[0].timeline = two_frames();
    const std::string text = to_json(before);
    const Measurements after = measurements_from_json(text, "file");
    EXPECT_EQ(to_json(after), text);
    const labs::Timeline& one = after.timelines.at(0).timeline;
    EXPECT_EQ(one.frames, 2);
    EXPECT_EQ(one.frame_ms, 1);
    EXPECT_EQ(one.operations.at(9).unit, labs::Timeline::Unit::to_opengl);
    EXPECT_EQ(one.operations.at(9).frame, 1);
    EXPECT_EQ(one.operations.at(9).bytes, 500'000u);

    before.timelines[0].timeline.frame_ms = 0;
    EXPECT_THROW(measurements_from_json(to_json(before), "file"), Error);
}

TEST(Frames, ShowTimesAndBytesPerFrame)
{
    labs::Timeline timeline = two_frames();
    timeline.timed = true;
    EXPECT_EQ(host_bytes_per_frame(timeline), 1'500'000);
    EXPECT_FALSE(host_bytes_per_frame(two_devices().timeline));
    const render::TimelineData data = timeline_data(timeline);
    EXPECT_EQ(data.number, "1.00 ms per frame");
    EXPECT_THAT(data.words,
                testing::ElementsAre("A frame copies 1.00 MB to the host and 0.500 MB from there "
                                     "to OpenGL."));
    EXPECT_THAT(data.rows,
                testing::ElementsAre("host calls, map + unmap 250 µs per frame",
                                     "kernel + wait, 500 µs per frame", "copies, 750 µs per frame",
                                     "OpenGL's drawing, 500 µs per frame"));
    EXPECT_THAT(data.axis, HasSubstr("µs"));
}

// Without times: the calls of one frame in order, and why there are none.
TEST(Frames, WithoutTimesShowTheOrder)
{
    labs::Timeline timeline = two_frames();
    timeline.lab = "none";
    timeline.not_timed = "Staged: llvmpipe draws.";
    const render::TimelineData data = timeline_data(timeline);
    EXPECT_TRUE(data.axis.empty());
    EXPECT_THAT(data.words.back(), HasSubstr("Staged: llvmpipe draws."));
    std::vector<std::string> calls;
    for (const auto& bar : data.bars) calls.push_back(bar.word);
    EXPECT_THAT(calls, testing::ElementsAre("map", "kernel", "to host", "upload", "draw", "swap"));
}

TEST(Timelines, RefuseBackwardTimes)
{
    Measurements wrong = two_bars_and_a_peer();
    wrong.timelines = {made_up("pinned", "4")};
    wrong.timelines[0].timeline.operations[1].end_ms = 1;
    EXPECT_THROW(measurements_from_json(to_json(wrong), "file"), Error);
}

TEST(Measurements, AppendKeepsDates)
{
    const Measurements before = two_bars_and_a_peer();
    Measurements now = before;
    now.times = {before.times[1]};
    now.times[0].median_ms = 0.35;
    now.times[0].on.date = now.roofs[0].on.date = "2026-11-23";
    now.roofs[0].roofs.copy_gb_per_s = 4100;
    const Measurements both = joined(before, now);
    EXPECT_EQ(both.roofs_of(before.times[0].on).copy_gb_per_s, 4000);
    EXPECT_EQ(both.roofs_of(now.times[0].on).copy_gb_per_s, 4100);
    EXPECT_EQ(both.roofs_of({"NVIDIA Test GPU", "1.2.3", "2026-12-24"}).copy_gb_per_s, 4100);
    EXPECT_EQ(both.roofs_of({"NVIDIA Other GPU", "1.2.3", "2026-11-22"}).copy_gb_per_s, 0);
    EXPECT_THAT(both.of("transpose", "l2"), SizeIs(1)) << "kept";
    ASSERT_THAT(both.of("transpose", "dram"), SizeIs(1)) << "replaced, the peer with it";
    EXPECT_EQ(both.of("transpose", "dram")[0]->median_ms, 0.35);
    EXPECT_EQ(both.of("transpose", "dram")[0]->on.date, "2026-11-23");
    EXPECT_EQ(both.of("transpose", "l2")[0]->on.date, "2026-11-22");
    EXPECT_THAT(joined(now, before).roofs, SizeIs(1)) << "no row is left of that day";
}

std::string refusal(const std::string& from, const std::string& to)
{
    std::string text = to_json(two_bars_and_a_peer());
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "not in the text: " + from;
    text.replace(at, from.size(), to);
    try {
        measurements_from_json(text, "mine.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "read";
}

TEST(Measurements, MalformedFileNamesLine)
{
    EXPECT_EQ(refusal("", ""), "read");
    EXPECT_THAT(refusal("lanescope_measurements\": 2", "lanescope_measurements\": 3"),
                AllOf(HasSubstr("mine.json"), HasSubstr("line 2")));
    EXPECT_THAT(refusal("\"device\": \"NVIDIA Test GPU\",", ""), HasSubstr("\"device\""));
    EXPECT_THAT(refusal("2026-11-22", "yesterday"), HasSubstr("date"));
    EXPECT_THAT(refusal("\"p10_ms\": 0.3", "\"p10_ms\": 0.35"), HasSubstr("median"));
    EXPECT_THAT(refusal("\"median_ms\": 0.3333333333333333", "\"median_ms\": -1"),
                HasSubstr("median_ms"));
    EXPECT_THAT(refusal("\"size\": \"dram\"", "\"size\": \"disk\""), HasSubstr("disk"));
    EXPECT_THAT(refusal("\"samples\": 30", "\"sample\": 30"), HasSubstr("sample"));
    EXPECT_FALSE(are_measurements("{\"lanescope_session\": 1}"));
    EXPECT_FALSE(are_measurements(""));
}

// Readings of the transpose lab, counted on simt.
std::vector<VariantReading> counted()
{
    std::vector<VariantReading> readings;
    for (const labs::Variant& variant : labs::find("transpose").variants) {
        VariantReading one;
        one.id = variant.id;
        one.title = variant.title;
        one.shown = variant.id == "naive";
        one.totals = trace::Totals{};
        readings.push_back(std::move(one));
    }
    return readings;
}

Session transpose_session()
{
    Session session;
    session.journal.start.lab = "transpose";
    session.journal.start.variant = "naive";
    session.journal.steps = 5;
    return session;
}

TEST(Measurements, AreShownBesideCountsWithSource)
{
    const labs::Lab& lab = labs::find("transpose");
    const auto readings = counted();
    EXPECT_EQ(shown_measurements(false), embedded_measurements());
    EXPECT_FALSE(shown_measurements(true)) << "this machine has times of its own";
    EXPECT_THAT(variants_exhibit(lab, readings, {}, {true, {}}).table.csv(),
                Not(HasSubstr("recorded")));

    const test::Folder folder;
    const std::filesystem::path file = folder / "any name";
    std::ofstream(file) << "{\"lanescope_measurements\": 3}";
    EXPECT_THROW(show_measurements(file), Error);
    EXPECT_FALSE(shown_measurements(true));
    std::ofstream(file) << to_json(two_bars_and_a_peer());
    const Found found = find_in_file(file, transpose_session()); // as if it were dropped
    EXPECT_EQ(found.arrival, Arrival::restart);
    EXPECT_EQ(found.session.journal.start.lab, "transpose");
    EXPECT_EQ(found.session.journal.steps, 0);
    ASSERT_TRUE(shown_measurements(true));
    EXPECT_EQ(shown_measurements(true)->times[0].on.device, "NVIDIA Test GPU");

    const auto recorded = shown_measurements(true);
    const Measured* const naive = recorded->shown_of_variant("transpose", {}, "naive");
    ASSERT_TRUE(naive);
    EXPECT_EQ(size_in_words(lab, *naive), "size 16,384");
    EXPECT_FALSE(recorded->shown_of_variant("transpose", {}, "copy"));
    EXPECT_FALSE(recorded->shown_of_variant("transpose", {}, "cublasSgeam")) << "a peer";
    EXPECT_EQ(model_of("NVIDIA H100 80GB HBM3"), "H100");
    EXPECT_EQ(model_of("NVIDIA GeForce RTX 4090"), "GeForce RTX 4090");
    EXPECT_EQ(model_of("NVIDIA A100-SXM4-80GB"), "A100-SXM4-80GB");

    const Exhibit exhibit = variants_exhibit(lab, readings, {}, {false, {}});
    EXPECT_THAT(exhibit.words,
                HasSubstr("NVIDIA Test GPU, driver 1.2.3, 2026-11-22, at size 16,384"));
    ASSERT_THAT(exhibit.parts, SizeIs(2));
    const auto& counts = std::get<render::BarChart>(exhibit.parts[1].what);
    EXPECT_THAT(counts.axis, HasSubstr("simt shows no times"));
    const auto& times = std::get<render::BarChart>(exhibit.parts[0].what);
    EXPECT_EQ(times.title, "Recorded on Test GPU, size 16,384");
    ASSERT_THAT(times.rows, SizeIs(lab.variants.size() + 1));
    EXPECT_EQ(times.rows[0].text, "not recorded"); // the variant `copy`
    EXPECT_FALSE(times.rows[0].value);
    EXPECT_EQ(times.rows[1].name, "Naive");
    EXPECT_TRUE(times.rows[1].strong);
    EXPECT_EQ(times.rows[1].text, "333 µs · 1000 GB/s (25%)");
    EXPECT_DOUBLE_EQ(*times.rows[1].value, 1.0 / 3);
    EXPECT_EQ(times.rows.back().name, "cublasSgeam");
    EXPECT_THAT(exhibit.table.csv(), AllOf(HasSubstr("recorded on"), HasSubstr("\ncublasSgeam,")));

    const Exhibit asks = variants_exhibit(lab, readings, {}, {}, {.withheld = {"naive"}});
    const auto& hidden = std::get<render::BarChart>(asks.parts[0].what);
    EXPECT_EQ(hidden.rows[1].text, "?");
    EXPECT_FALSE(hidden.rows[1].value);
    const std::string csv = asks.table.csv();
    const std::size_t row = csv.find("\nNaive,");
    ASSERT_NE(row, std::string::npos);
    EXPECT_THAT(csv.substr(row, csv.find('\n', row + 1) - row), Not(HasSubstr("333")));
}

// The built-in times cover every lab that existed when they were recorded, and no removed lab.
TEST(Measurements, BuiltInOnesCoverCurrentLabs)
{
    const auto carried = embedded_measurements();
    if (!carried) GTEST_SKIP() << "none are carried";
    std::set<std::string> labs;
    for (const Measured& one : carried->times) {
        labs.insert(one.lab);
        EXPECT_GT(carried->roofs_of(one.on).copy_gb_per_s, 0) << one.on.words();
        const labs::Lab& lab = labs::find(one.lab);
        EXPECT_TRUE(one.is_peer || lab.find_variant(one.variant)) << one.lab << one.variant;
        for (const auto& [id, value] : one.values)
            EXPECT_TRUE(lab.find_parameter(id)) << one.lab << ", " << id;
    }
    EXPECT_GE(labs.size(), 7u);
}

TEST(Measurements, WindowOptionOpensThem)
{
    const test::Folder folder;
    const auto gone = test::run_program({"--measurements", (folder / "none.json").string()});
    EXPECT_EQ(gone.status, 3) << gone.errors;
    std::ofstream(folder / "session.json") << "{\"lanescope_session\": 1}";
    const auto wrong = test::run_program({"--measurements", (folder / "session.json").string()});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("session.json"));
}

} // namespace
} // namespace lanescope::app
