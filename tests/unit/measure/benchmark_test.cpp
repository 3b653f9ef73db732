// The part of the benchmark before it measures, on the lockstep machine with simulated peers that
// compute on the CPU: every result is checked, and peers get the lab's input and shape.
#include "app/measure/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

enum class Manner {
    right,
    one_element_wrong,
    does_nothing,
    half_of_rows,
    wrong_shape,
    not_installed
};

// A peer that transposes on the CPU, correctly or with a mistake.
class Transposed : public cuda::Peer {
public:
    Transposed(device::Device& device, const cuda::Task& task, Manner manner)
        : device_(device), from_(task.buffer("from")), manner_(manner)
    {
        if (manner == Manner::not_installed)
            throw device::DeviceError("No such library.", "Install it.");
        columns = task.whole_int("columns");
        rows = task.whole_int("rows");
        if (manner == Manner::half_of_rows) rows /= 2;
        if (manner == Manner::wrong_shape) std::swap(columns, rows);
        to_ = device.allocate(sizeof(float) * columns * rows);
    }
    std::string title() const override { return "by the processor"; }
    std::string library() const override { return "None 1.0"; }
    void queue() override
    {
        ++runs;
        if (manner_ == Manner::does_nothing) return;
        const std::size_t count = static_cast<std::size_t>(columns) * rows;
        const auto from = device::download<float>(device_, from_.address(), count);
        std::vector<float> to(count);
        for (std::size_t i = 0; i < count; ++i) to[i % columns * rows + i / columns] = from[i];
        if (manner_ == Manner::one_element_wrong) to[count / 2] += 0.25F;
        device::upload<float>(device_, to_->address(), to);
    }
    const device::Buffer& result() const override { return *to_; }

    static inline int columns = 0;
    static inline int rows = 0;
    static inline int runs = 0;

private:
    device::Device& device_;
    const device::Buffer& from_;
    Manner manner_;
    std::unique_ptr<device::Buffer> to_;
};

// Benchmarks the transpose lab at 40 × 24 with that peer; every measurement is 2 ms.
Benchmark measured(Manner manner, const labs::Lab& lab = labs::find("transpose"))
{
    const auto device = simt::make_device();
    const BenchTools tools{[&](std::string_view name, const cuda::Task& task) {
                               EXPECT_EQ(name, "cublas_geam");
                               return std::make_unique<Transposed>(*device, task, manner);
                           },
                           [&](std::span<const cuda::Work> candidates) {
                               for (const cuda::Work& work : candidates) work();
                               cuda::Summary summary;
                               summary.ms.median = 2;
                               return std::vector<cuda::Summary>(candidates.size(), summary);
                           }};
    return benchmark(*device, lab, "l2", {.assignments = {"size=40", "height=24"}}, tools);
}

TEST(Benchmark, PeersMatchShapeOfLab)
{
    Transposed::runs = 0;
    const Benchmark all = measured(Manner::right);
    ASSERT_THAT(all.results, SizeIs(labs::find("transpose").variants.size() + 1));
    EXPECT_THAT(all.results, Each(Field(&BenchResult::check, Field(&labs::Check::correct, true))));
    EXPECT_THAT(all.results, Each(Field(&BenchResult::values, Contains(Pair("height", "24")))));
    EXPECT_EQ(Transposed::columns, 40);
    EXPECT_EQ(Transposed::rows, 24);
    EXPECT_EQ(Transposed::runs, 2) << "once to be checked, once to be measured";
    const BenchResult& peer = all.results.back();
    EXPECT_TRUE(peer.is_peer);
    EXPECT_EQ(peer.shape, (std::map<std::string, double>{{"columns", 40}, {"rows", 24}}));
    EXPECT_EQ(peer.library, "None 1.0");
    EXPECT_FALSE(peer.note.empty());
    EXPECT_DOUBLE_EQ(peer.gb_per_s(), 8.0 * 40 * 24 / 2e6);
    EXPECT_EQ(status_of(all), ExitStatus::done);
}

TEST(Benchmark, WrongPeersAreReported)
{
    for (const Manner manner : {Manner::one_element_wrong, Manner::does_nothing,
                                Manner::half_of_rows, Manner::wrong_shape}) {
        const Benchmark all = measured(manner);
        const BenchResult& peer = all.results.back();
        EXPECT_FALSE(peer.check.correct);
        EXPECT_FALSE(peer.check.message.empty());
        EXPECT_TRUE(all.results.front().check.correct);
        EXPECT_EQ(status_of(all), ExitStatus::result_wrong);
    }
}

TEST(Benchmark, ReportsMissingPeers)
{
    const Benchmark all = measured(Manner::not_installed);
    ASSERT_THAT(all.left_out, SizeIs(1));
    EXPECT_EQ(all.left_out[0].peer, "cublas_geam");
    EXPECT_THAT(all.left_out[0].reason, HasSubstr("Install it."));
    EXPECT_THAT(all.results, Each(Field(&BenchResult::is_peer, false)));
    EXPECT_EQ(status_of(all), ExitStatus::done);
}

TEST(Benchmark, MismatchedPeersAreSkipped)
{
    labs::Lab lab = labs::find("transpose");
    lab.peers[0].when = "rows == 24";
    EXPECT_THAT(measured(Manner::right, lab).left_out, SizeIs(0));
    lab.peers[0].when = "rows > 24";
    const Benchmark all = measured(Manner::right, lab);
    ASSERT_THAT(all.left_out, SizeIs(1));
    EXPECT_THAT(all.left_out[0].reason, HasSubstr("unless rows > 24"));
    EXPECT_THAT(all.results, Each(Field(&BenchResult::is_peer, false)));
}

// The buffers and parameters that the record passes must be those that the peer takes.
TEST(Benchmark, PeersMatchRecord)
{
    const auto said = [](std::map<std::string, std::string> takes) -> std::string {
        labs::Lab lab = labs::find("transpose");
        lab.peers[0].takes = std::move(takes);
        try {
            measured(Manner::right, lab);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            return error.what();
        }
        return "right";
    };
    EXPECT_EQ(said({{"from", "from"}, {"columns", "size"}, {"rows", "rows"}}), "right");
    EXPECT_EQ(said({{"from", "from"}, {"columns", "size"}, {"rows", "size - 16"}}), "right");
    EXPECT_THAT(said({{"columns", "size"}, {"rows", "rows"}}), HasSubstr("'from'"));
    EXPECT_THAT(said({{"from", "form"}, {"columns", "size"}, {"rows", "rows"}}),
                HasSubstr("'from'"));
    EXPECT_THAT(said({{"from", "from"}, {"rows", "rows"}}), HasSubstr("'columns'"));
    EXPECT_THAT(said({{"from", "from"}, {"columns", "size"}, {"rows", "rows / 7"}}),
                HasSubstr("whole number"));
    EXPECT_THAT(said({{"from", "from"}, {"columns", "size"}, {"rows", "rosw"}}),
                HasSubstr("\"rosw\""));
    EXPECT_THAT(said({{"from", "from"}, {"columns", "size"}, {"rows", "rows"}, {"pitch", "size"}}),
                HasSubstr("does not accept \"pitch\""));
}

// Peers of the built-in labs: each has a known name, takes buffers and parameters that its variant
// has, and does the work of a variant that can be measured.
TEST(Benchmark, RecordedPeersExist)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    int seen = 0;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Peer& peer : lab.peers) {
            SCOPED_TRACE(lab.id + ", " + peer.name);
            ++seen;
            EXPECT_THAT(cuda::peer_names(), Contains(peer.name));
            const labs::Variant& variant = labs::find_variant(lab, peer.variant);
            EXPECT_TRUE(variant.fault.empty());
            EXPECT_TRUE(variant.runs_on(device::Engine::cuda));
            EXPECT_THAT(peer.takes, Not(IsEmpty()));
            if (!variant.runs_on(device::Engine::simt)) continue;
            labs::Values values(lab);
            for (const auto& [id, text] : lab.test_sizes.at(0)) values.set(id, text);
            const auto experiment = lab.start({*device, shown, lab, variant, values, 1, {}});
            for (const auto& [name, text] : peer.takes) {
                if (experiment->buffer(text)) continue;
                EXPECT_NO_THROW(experiment->number(text)) << name;
            }
        }
    EXPECT_GE(seen, 2);
}

} // namespace
} // namespace lanescope::app
