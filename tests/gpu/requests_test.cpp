// Single warp requests recorded by probes on the GPU equal those of the lockstep machine: the same
// lanes at the same positions of the same buffers.
#include <algorithm>
#include <functional>
#include <optional>

#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/probed.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::size_t max_sites = 4; // per kernel, because each site needs its own build
constexpr std::uint32_t max_parts = 6;

using Launch = std::function<trace::Trace(const trace::WatchedRequest&)>;

trace::WatchedRequest request_of(int site, std::uint32_t warp, std::uint32_t occurrence)
{
    trace::WatchedRequest request;
    request.site = site;
    request.warp = warp;
    request.occurrence = occurrence;
    return request;
}

// The offset of the lowest active lane in its sector or in the banks, then the other lanes'
// distances from it: engines place buffers at different addresses, but with the same alignment.
std::string text(const trace::WatchedRequest& request)
{
    const bool shared = request.space == trace::Space::shared;
    std::string text = std::to_string(request.active) + ":";
    std::optional<std::uint64_t> first;
    for (std::size_t lane = 0; lane < request.addresses.size(); ++lane) {
        if ((request.active >> lane & 1) == 0) continue;
        const std::uint64_t address = request.addresses[lane];
        if (!first) {
            first = address;
            text += " " + std::to_string(address % (shared ? 128 : 32));
        } else {
            text += " " + std::to_string(static_cast<std::int64_t>(address - *first));
        }
    }
    return text;
}

// Up to max_sites memory sites that made requests, evenly spread over the kernel.
std::vector<int> sampled_sites(const trace::Trace& counted)
{
    std::vector<int> busy;
    for (std::size_t i = 0; i < counted.sites.size(); ++i)
        if (counted.counts[i].requests != 0) busy.push_back(static_cast<int>(i));
    const std::size_t stride = (busy.size() + max_sites - 1) / max_sites;
    std::vector<int> sampled;
    for (std::size_t i = 0; i < busy.size(); i += stride) sampled.push_back(busy[i]);
    return sampled;
}

// The hardware decides which part of a diverged warp runs first. So the requests of such a warp are
// compared in any order, and only if there are at most max_parts.
void expect_equal_requests(const Launch& gpu, const Launch& simt)
{
    const trace::Trace counted = simt({});
    const auto last = static_cast<std::uint32_t>(counted.warps.size() - 1);
    for (const int site : sampled_sites(counted)) {
        const trace::Site& place = counted.sites[static_cast<std::size_t>(site)];
        for (const std::uint32_t warp : {0u, last / 2, last}) {
            SCOPED_TRACE(place.ptx + " at line " + std::to_string(place.line) + ", warp " +
                         std::to_string(warp));
            const std::uint32_t seen = simt(request_of(site, warp, 0)).request.seen;
            ASSERT_EQ(gpu(request_of(site, warp, 0)).request.seen, seen);
            const bool together = counted.warps[warp].divergent_branches == 0;
            if (!together && seen > max_parts) continue;
            std::vector<std::string> got;
            std::vector<std::string> want;
            for (std::uint32_t i = 0; i <= std::min(seen, max_parts); ++i) { // and a missing one
                got.push_back(text(gpu(request_of(site, warp, i)).request));
                want.push_back(text(simt(request_of(site, warp, i)).request));
            }
            if (!together) {
                std::ranges::sort(got);
                std::ranges::sort(want);
            }
            EXPECT_EQ(got, want);
        }
    }
}

// A kernel loaded on a device, with its buffers. Addresses never depend on the output buffer.
class Loaded {
public:
    Loaded(device::Device& device, const Shape& shape)
        : device_(device), shape_(shape),
          module_(device.load(assets::find("tests/gpu/probed_kernels.ptx").value())),
          in_(uploaded(device, random_words())),
          out_(uploaded(device, std::vector<unsigned>(words, 0)))
    {
    }
    trace::Trace launch(const trace::WatchedRequest& request, bool keep_on_device = false)
    {
        trace::Trace trace;
        trace.request = request;
        trace.keep_on_device = keep_on_device;
        device_.launch(module_->kernel(shape_.kernel), {.grid = shape_.grid,
                                                        .block = shape_.block,
                                                        .dynamic_shared_bytes = shape_.shared_bytes,
                                                        .arguments = {*out_, *in_, argument},
                                                        .trace = &trace});
        return trace;
    }
    std::uint64_t in() const { return in_->address(); }

private:
    device::Device& device_;
    Shape shape_;
    std::unique_ptr<device::Module> module_;
    std::unique_ptr<device::Buffer> in_;
    std::unique_ptr<device::Buffer> out_;
};

class RequestsOfKernel : public OnGpu, public testing::WithParamInterface<Shape> {};

TEST_P(RequestsOfKernel, MatchLockstepMachine)
{
    const auto machine = simt::make_device();
    Loaded on_gpu(*gpu, GetParam());
    Loaded on_simt(*machine, GetParam());
    expect_equal_requests([&](const auto& request) { return on_gpu.launch(request); },
                          [&](const auto& request) { return on_simt.launch(request); });
}

// Without recursion, where lanes of different depths reconverge at other places on a GPU.
std::vector<Shape> compared_shapes()
{
    std::vector<Shape> all = shapes();
    std::erase_if(all, [](const Shape& shape) { return shape.kernel == "recursion"; });
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, RequestsOfKernel, testing::ValuesIn(compared_shapes()),
                         [](const auto& info) {
                             return info.param.kernel + "_" + std::to_string(info.index);
                         });

class RequestsOfLab : public OnGpu, public testing::WithParamInterface<LabCase> {};

// A lab at its first test size that makes steps on one device.
class Stepped {
public:
    Stepped(device::Device& device, const LabCase& wanted) : memory_(device)
    {
        labs::Values values(*wanted.lab);
        for (const auto& [parameter, value] : wanted.lab->test_sizes.front())
            values.set(parameter, value);
        experiment_ =
            wanted.lab->start({device, memory_, *wanted.lab, *wanted.variant, values, 1, {}});
    }
    trace::Trace step(const trace::WatchedRequest& request)
    {
        trace::Trace trace;
        trace.request = request;
        experiment_->step(&trace);
        return trace;
    }

private:
    device::PlainAllocator memory_;
    std::unique_ptr<labs::Experiment> experiment_;
};

TEST_P(RequestsOfLab, MatchLockstepMachine)
{
    if (!GetParam().variant->varies.empty()) GTEST_SKIP() << GetParam().variant->varies;
    const auto machine = simt::make_device();
    Stepped on_gpu(*gpu, GetParam());
    Stepped on_simt(*machine, GetParam());
    on_gpu.step({}); // keeps both at the same step: simt makes one to count
    expect_equal_requests([&](const auto& request) { return on_gpu.step(request); },
                          [&](const auto& request) { return on_simt.step(request); });
}

INSTANTIATE_TEST_SUITE_P(Every, RequestsOfLab, testing::ValuesIn(lab_cases()),
                         [](const auto& info) {
                             return info.param.lab->id + "_" + info.param.variant->id;
                         });

TEST_F(OnGpu, RequestIsAvailableWhileCountsStayOnDevice)
{
    Loaded kernel(*gpu, {"copy_offset"});
    const trace::Trace kept = kernel.launch(request_of(0, 9, 0), true);
    EXPECT_TRUE(kept.counts.empty());
    EXPECT_NE(kept.device_counts.warps, 0u);
    EXPECT_EQ(kept.request.seen, 1u);
    EXPECT_EQ(kept.request.active, 0xffffffffu);
    for (std::size_t lane = 0; lane < 32; ++lane)
        EXPECT_EQ(kept.request.addresses[lane], kernel.in() + 4 * (9 * 32 + lane + 3));
}

// Probed builds for earlier sites are dropped, even while the device still uses them.
TEST_F(OnGpu, RequestMaySwitchSites)
{
    Loaded kernel(*gpu, {"vector_widths"});
    for (int round = 0; round < 3; ++round)
        for (int site = 0; site < 4; ++site) {
            kernel.launch({}, true);
            const trace::Trace trace = kernel.launch(request_of(site, 1, 0));
            EXPECT_EQ(trace.request.seen, 1u) << trace.sites[static_cast<std::size_t>(site)].ptx;
            EXPECT_EQ(trace.request.active, 0xffffffffu);
        }
}

} // namespace
} // namespace lanescope::gpu_tests
