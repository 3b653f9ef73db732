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
    const auto memory = gpu.allocate(1 << 24);
    device::upload<Sample>(gpu, memory->address(), samples);
    const cuda::Task task{[&](std::string_view) { return memory.get(); },
                          [&](std::string_view name) {
                              return name == "size" ? static_cast<double>(samples.size())
                                                    : static_cast<double>(values);
                          }};
    const auto peer = cuda::make_peer("cub_histogram", gpu, task);
    EXPECT_EQ(peer->title(), "cub::DeviceHistogram");
    EXPECT_GT(gb_per_s(gpu, *peer, 1 << 24), 1);
    const std::vector<unsigned> even(values, static_cast<unsigned>(samples.size() / values));
    EXPECT_EQ(device::download<unsigned>(gpu, peer->result().address(), values), even);
}

TEST_F(OnGpu, CubCountsSamplesOfBothSizes)
{
    expect_even_counts<std::uint8_t>(*gpu, 256);
    expect_even_counts<std::uint32_t>(*gpu, 2048);
    EXPECT_THROW(cuda::make_peer("nosuch", *gpu, {}), Error);
}

// Not square, and with a result that is looked at.
TEST_F(OnGpu, CublasTransposes)
{
    constexpr int columns = 4096;
    constexpr int rows = 2048;
    std::vector<float> from(static_cast<std::size_t>(columns) * rows);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
    const auto memory = gpu->allocate(from.size() * sizeof(float));
    device::upload<float>(*gpu, memory->address(), from);
    const cuda::Task task{[&](std::string_view) { return memory.get(); },
                          [](std::string_view name) { return name == "size" ? columns : rows; }};
    std::unique_ptr<cuda::Peer> peer;
    try {
        peer = cuda::make_peer("cublas_geam", *gpu, task);
    } catch (const device::DeviceError& error) {
        GTEST_SKIP() << error.what();
    }
    EXPECT_GT(gb_per_s(*gpu, *peer, 8.0 * columns * rows), 20);
    const auto to = device::download<float>(*gpu, peer->result().address(), from.size());
    for (const std::size_t i : {std::size_t{1}, std::size_t{rows}, from.size() - 2})
        EXPECT_EQ(to[i], from[i % rows * columns + i / rows]) << i;
}

} // namespace
} // namespace lanescope::gpu_tests
