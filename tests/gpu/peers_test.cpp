// The libraries' ways to do a lab's work run, and can be measured.
#include "compute/cuda/peers.h"

#include "compute/cuda/measure.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

double gb_per_s(cuda::CudaDevice& gpu, cuda::Peer& peer, double bytes)
{
    const cuda::Work work = [&] { peer.queue(); };
    const auto measured = cuda::measure(gpu, {&work, 1}, {.samples = 5});
    return bytes / (measured[0].median_ms * 1e6);
}

TEST_F(OnGpu, CubCountsSamplesOfBothSizes)
{
    const std::vector<std::byte> samples(1 << 24, std::byte{0});
    for (const auto& [sample_bytes, bins] : {std::pair{1, 256}, std::pair{4, 2048}}) {
        const auto peer = cuda::make_histogram_peer(*gpu, samples, sample_bytes, bins,
                                                    static_cast<unsigned>(bins));
        EXPECT_EQ(peer->name(), "cub::DeviceHistogram");
        EXPECT_GT(gb_per_s(*gpu, *peer, 1 << 24), 1);
    }
    EXPECT_THROW(cuda::make_histogram_peer(*gpu, samples, 2, 16, 16), device::LaunchError);
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
