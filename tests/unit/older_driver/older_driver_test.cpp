// The CUDA engine on a CUDA 12.2 driver that the lockstep machine simulates: every lab is correct
// without calling this program's CUDA runtime, which is newer than that driver.
#include <gmock/gmock.h>

#include <numeric>
#include <thread>

#include "assets/assets.h"
#include "compute/cuda/availability.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/driver/older_driver.h"
#include "compute/cuda/measure/bandwidth.h"
#include "compute/cuda/measure/flops_kernel.h"
#include "compute/cuda/peers/peers.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/trace.h"
#include "tests/unit/older_driver/cases.h"
#include "tests/unit/older_driver/simulated_driver.h"

namespace lanescope::older_driver {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::string_view kernels_ptx()
{
    return assets::find("tests/unit/older_driver/kernels.ptx").value();
}

TEST(OlderDriver, IsDetectedAsOlder)
{
    ASSERT_TRUE(cuda::driver_answers());
    const cuda::Availability here = cuda::availability();
    EXPECT_TRUE(here.available) << here.reason;
    EXPECT_THAT(here.reason, HasSubstr("a simulated GPU"));
    EXPECT_THAT(here.reason, HasSubstr("older than this program's CUDA runtime"));
    EXPECT_EQ(here.capability, 86);
    EXPECT_EQ(cuda::make_device()->properties().multiprocessors, 2);
}

class Lab : public testing::TestWithParam<labs::Case> {};

TEST_P(Lab, IsCorrect)
{
    const auto device = cuda::make_device();
    labs::expect_correct(*device, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Every, Lab, testing::ValuesIn(cases_for_gpu()), labs::case_name);

trace::Trace counted(device::Device& device)
{
    const labs::Lab& lab = labs::find("transpose");
    device::PlainAllocator shown(device);
    const auto experiment = lab.start({.device = device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = labs::find_variant(lab, "tile"),
                                       .values = labs::values_of(lab, {{"size", "64"}}),
                                       .seed = 7,
                                       .image = {}});
    trace::Trace trace;
    experiment->step(&trace);
    return trace;
}

TEST(OlderDriver, CountsWithProbes)
{
    const trace::Trace by_probes = counted(*cuda::make_device());
    const trace::Trace by_simt = counted(*simt::make_device());
    EXPECT_FALSE(by_probes.counts.empty());
    EXPECT_EQ(by_probes.counts, by_simt.counts);
}

TEST(OlderDriver, ServesEveryThread)
{
    const auto device = cuda::make_device();
    const auto buffer = device->allocate(1024);
    std::thread([&] { device->fill(buffer->address(), 7, 1024); }).join();
    EXPECT_THAT(device::download<std::uint8_t>(*device, buffer->address(), 1024), Each(7));
}

TEST(OlderDriver, WritesSurfacesAndReadsTexels)
{
    const auto device = cuda::make_device();
    const auto image = device->allocate_image(5, 3, 0, device::Format::rgba8);
    const auto module = device->load(kernels_ptx());
    device->launch(module->kernel("paint"),
                   {.block = {8, 4}, .arguments = {image->surface(), 5, 3}});
    const auto texture = device->texture(*image, {});
    const auto sums = device->allocate(15 * sizeof(unsigned));
    device->launch(module->kernel("read_bytes"),
                   {.block = {5, 3}, .arguments = {texture->handle(), *sums}});
    EXPECT_THAT(
        device::download<unsigned>(*device, sums->address(), 15),
        ElementsAre(255, 257, 259, 261, 263, 257, 257, 261, 261, 265, 259, 261, 259, 261, 267));
}

TEST(OlderDriver, ReadsMipLevels)
{
    const auto device = cuda::make_device();
    const auto image =
        device->allocate_shaped({.width = 4, .height = 4, .levels = 3}, device::Format::r32f);
    std::vector<float> texels(16 + 4 + 1);
    std::iota(texels.begin(), texels.end(), 0.0f);
    device->upload(*image, std::as_bytes(std::span(texels)));
    std::vector<float> back(texels.size());
    device->download(std::as_writable_bytes(std::span(back)), *image);
    EXPECT_EQ(back, texels);
    const auto texture = device->shaped_texture(*image, {}, device::Filter::point);
    const auto results = device->allocate(2 * sizeof(float));
    const auto module = device->load(kernels_ptx());
    device->launch(module->kernel("read_level"),
                   {.block = {2}, .arguments = {texture->handle(), *results, 1.0f}});
    EXPECT_THAT(device::download<float>(*device, results->address(), 2), ElementsAre(16, 17));
}

TEST(OlderDriver, GrantsRequestedSharedMemory)
{
    const auto device = cuda::make_device();
    const auto module = device->load(kernels_ptx());
    const auto result = device->allocate(sizeof(float));
    constexpr int count = 15000; // 60,000 bytes, more than a launch may use by default
    device->launch(module->kernel("sum_up"), {.block = {32},
                                              .dynamic_shared_bytes = count * sizeof(float),
                                              .arguments = {*result, count}});
    EXPECT_THAT(device::download<float>(*device, result->address(), 1), ElementsAre(count));
}

TEST(OlderDriver, ReportsPtxErrors)
{
    const auto device = cuda::make_device();
    const std::string head = ".version 6.3\n.target sm_75\n.address_size 64\n";
    try {
        device->load(head + ".visible .entry k()\n{\nnonsense.u32 %r1;\nret;\n}\n");
        FAIL() << "nonsense was loaded";
    } catch (const device::LaunchError& error) {
        EXPECT_THAT(error.what(), HasSubstr("nonsense"));
    }
    try {
        device->load(".version 8.6\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
                     ".reg .b64 %pair;\nadd.rn.f32x2 %pair, %pair, %pair;\nret;\n}\n");
        FAIL() << "a text for a newer driver was loaded";
    } catch (const device::LaunchError& error) {
        EXPECT_THAT(error.what(), HasSubstr("newer than this driver"));
    }
    try {
        device->load(
            ".version 8.2\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
        FAIL() << "a text for a newer GPU was loaded";
    } catch (const device::LaunchError& error) {
        EXPECT_THAT(error.what(), HasSubstr("needs compute capability 9.0"));
    }
}

TEST(OlderDriver, MeasuresRoofsWithoutRuntimePeers)
{
    const auto device = cuda::make_device();
    EXPECT_GT(cuda::measure_copy_gb_per_s(*device), 0);
    const auto flops = device->load(assets::find("compute/cuda/measure/flops_kernel.ptx").value());
    const auto results = device->allocate(cuda::flops_block * sizeof(float));
    for (const char* name : {"multiply_add", "add_min"})
        device->launch(flops->kernel(name),
                       {.block = {cuda::flops_block, 1, 1}, .arguments = {*results, 1.0f, 1e6f}});
    const cuda::Task nothing([](std::string_view) { return nullptr; },
                             [](std::string_view) { return 0.0; });
    try {
        cuda::make_peer("cub_reduce", *device, nothing);
        FAIL() << "CUB was started with a driver that its runtime refuses";
    } catch (const device::DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("needs a driver for CUDA 13.0"));
    }
}

} // namespace
} // namespace lanescope::older_driver
