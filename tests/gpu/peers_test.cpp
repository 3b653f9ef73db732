// Library implementations of the labs' work: they run, can be measured, and wrong inputs are
// detected.
#include "compute/cuda/peers/peers.h"

#include "app/measure/benchmark.h"
#include "compute/cuda/measure/measure.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

double gb_per_s(cuda::CudaDevice& gpu, cuda::Peer& peer, double bytes)
{
    const cuda::Work work = [&] { peer.queue(); };
    const auto measured = cuda::measure(gpu, {&work, 1}, {.samples = 5});
    return bytes / (measured[0].ms.median * 1e6);
}

// 2²⁴ bytes of samples that cycle through all values.
template <class Sample>
void expect_even_counts(cuda::CudaDevice& gpu, unsigned values)
{
    std::vector<Sample> samples((1 << 24) / sizeof(Sample));
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<Sample>(i % values);
    const auto memory = gpu.allocate(1 << 24);
    device::upload<Sample>(gpu, memory->address(), samples);
    const cuda::Task task{[&](std::string_view) { return memory.get(); },
                          [&](std::string_view name) {
                              return name == "size" ? static_cast<double>(samples.size())
                                                    : static_cast<double>(values);
                          }};
    const auto peer = cuda::make_peer("cub_histogram", gpu, task);
    EXPECT_EQ(peer->title(), "cub::DeviceHistogram");
    EXPECT_THAT(peer->library(), testing::MatchesRegex("CUB [0-9]+\\.[0-9]+\\.[0-9]+"));
    EXPECT_GT(gb_per_s(gpu, *peer, 1 << 24), 1);
    const std::vector<unsigned> even(values, static_cast<unsigned>(samples.size() / values));
    EXPECT_EQ(device::download<unsigned>(gpu, peer->result().address(), values), even);
}

TEST_F(OnGpu, CubCountsSamplesOfBothSizes)
{
    expect_even_counts<std::uint8_t>(*gpu, 256);
    expect_even_counts<std::uint32_t>(*gpu, 2048);
    EXPECT_THROW(cuda::make_peer("nosuch", *gpu, {{}, {}}), Error);
}

// Runs the benchmark of a lab at a small size, after `change` has modified its record.
app::Benchmark small(cuda::CudaDevice& gpu, const char* id, std::vector<std::string> assignments,
                     const std::function<void(labs::Lab&)>& change = {})
{
    labs::Lab lab = labs::find(id);
    if (change) change(lab);
    return app::benchmark(gpu, lab, "l2", {std::move(assignments)}, app::gpu_tools(gpu, 5));
}

TEST_F(OnGpu, PeersOfAllLabsAreCorrect)
{
    for (const labs::Lab& lab : labs::all()) {
        if (lab.peers.empty()) continue;
        SCOPED_TRACE(lab.id);
        std::vector<std::string> assignments;
        for (const auto& [id, value] : lab.test_sizes.back())
            assignments.push_back(id + "=" + value);
        const app::Benchmark all = small(*gpu, lab.id.c_str(), assignments);
        for (const app::SkippedPeer& one : all.left_out)
            EXPECT_THAT(one.reason, testing::HasSubstr("library")) << one.peer;
        for (const app::BenchResult& one : all.results)
            EXPECT_TRUE(one.check.correct) << one.variant << ": " << one.check.message;
    }
}

// At a non-square size, a wrong shape in the record must be detected.
TEST_F(OnGpu, WrongPeersAreDetected)
{
    const std::vector<std::string> shape{"size=512", "height=257"};
    const auto peer_of = [](const app::Benchmark& all) { return all.results.back(); };
    const app::Benchmark right = small(*gpu, "transpose", shape);
    if (!right.left_out.empty()) GTEST_SKIP() << right.left_out[0].reason;
    EXPECT_TRUE(peer_of(right).check.correct) << peer_of(right).check.message;
    EXPECT_EQ(peer_of(right).shape,
              (std::map<std::string, double>{{"columns", 512}, {"rows", 257}}));
    EXPECT_THAT(peer_of(right).library, testing::StartsWith("cuBLAS 1"));
    for (const char* rows : {"256", "size"}) {
        const app::Benchmark wrong = small(*gpu, "transpose", shape, [&](labs::Lab& lab) {
            lab.peers[0].takes["rows"] = rows;
            lab.peers[0].takes["columns"] = rows == std::string("size") ? "rows" : "size";
        });
        EXPECT_FALSE(peer_of(wrong).check.correct) << rows;
        EXPECT_EQ(app::status_of(wrong), ExitStatus::result_wrong);
    }
}

} // namespace
} // namespace lanescope::gpu_tests
