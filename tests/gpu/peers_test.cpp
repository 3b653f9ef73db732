// The libraries' ways to do a lab's work run, and can be measured.
#include "compute/cuda/measure/peers.h"

#include "compute/cuda/measure/measure.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

double gb_per_s(cuda::CudaDevice& gpu, cuda::Peer& peer, double bytes)
{
    const cuda::Work work = [&] { peer.queue(); };
    const auto measured = cuda::measure(gpu, {&work, 1}, {.samples = 5});
    return bytes / (measured[0].median_ms * 1e6);
}

// 2²⁴ bytes of samples, each value in turn.
template <class Sample>
void expect_even_counts(cuda::CudaDevice& gpu, unsigned values)
{
    std::vector<Sample> samples((1 << 24) / sizeof(Sample));
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<Sample>(i % values);
    const auto peer = cuda::make_histogram_peer(gpu, std::as_bytes(std::span(samples)),
                                                sizeof(Sample), static_cast<int>(values), values);
    EXPECT_EQ(peer->name(), "cub::DeviceHistogram");
    EXPECT_GT(gb_per_s(gpu, *peer, 1 << 24), 1);
    const std::vector<unsigned> even(values, static_cast<unsigned>(samples.size() / values));
    EXPECT_EQ(device::download<unsigned>(gpu, peer->result().address(), values), even);
}

TEST_F(OnGpu, CubCountsSamplesOfBothSizes)
{
    expect_even_counts<std::uint8_t>(*gpu, 256);
    expect_even_counts<std::uint32_t>(*gpu, 2048);
    EXPECT_THROW(cuda::make_histogram_peer(*gpu, {}, 2, 16, 16), device::LaunchError);
}

TEST_F(OnGpu, CublasTransposes)
{
    std::unique_ptr<cuda::Peer> peer;
    try {
        peer = cuda::make_transpose_peer(*gpu, 4096, 2048);
    } catch (const device::DeviceError& error) {
        GTEST_SKIP() << error.what();
    }
    EXPECT_GT(gb_per_s(*gpu, *peer, 8.0 * 4096 * 2048), 20);
}

} // namespace
} // namespace lanescope::gpu_tests
