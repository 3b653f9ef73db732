// Probed kernels on the GPU compared with the lockstep machine: equal counts at every site and for
// every warp, and the same results as without probes. Covers every lab variant, and kernels with
// shapes that no lab has.
#include <utility>

#include "compute/cuda/counters/counters.h"
#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/probed.h"

namespace lanescope::gpu_tests {
namespace {

// Runs one launch and returns its output; counts the launch if `trace` is given.
std::vector<unsigned> run(device::Device& device, const Shape& shape, trace::Trace* trace)
{
    const auto module = device.load(assets::find("tests/gpu/probed_kernels.ptx").value());
    const auto in = uploaded(device, random_words());
    const auto out = uploaded(device, std::vector<unsigned>(words, 0));
    device.launch(module->kernel(shape.kernel), {.grid = shape.grid,
                                                 .block = shape.block,
                                                 .dynamic_shared_bytes = shape.shared_bytes,
                                                 .arguments = {*out, *in, argument},
                                                 .trace = trace});
    return device::download<unsigned>(device, out->address(), words);
}

std::string text(const trace::Counts& counts)
{
    return "executions " + std::to_string(counts.executions) + ", lanes " +
           std::to_string(counts.lanes) + ", requests " + std::to_string(counts.requests) +
           ", sectors " + std::to_string(counts.sectors) + " (ideal " +
           std::to_string(counts.ideal_sectors) + "), wavefronts " +
           std::to_string(counts.wavefronts) + " (ideal " +
           std::to_string(counts.ideal_wavefronts) + "), divergent " +
           std::to_string(counts.divergent);
}

std::string text(const trace::WarpCounts& counts)
{
    return "warp instructions " + std::to_string(counts.warp_instructions) +
           ", thread instructions " + std::to_string(counts.thread_instructions) + ", global " +
           std::to_string(counts.global_requests) + " / " + std::to_string(counts.global_sectors) +
           " / " + std::to_string(counts.global_ideal_sectors) + ", shared " +
           std::to_string(counts.shared_requests) + " / " +
           std::to_string(counts.shared_wavefronts) + " / " +
           std::to_string(counts.shared_ideal_wavefronts) + ", branches " +
           std::to_string(counts.branches) + " / " + std::to_string(counts.divergent_branches) +
           ", lanes " + std::to_string(counts.memory_lanes);
}

// True if the counts of a warp agree. If lanes return early, each group of them exits at once and
// its `ret` counts separately. The driver's compiler may merge such returns with the kernel's last
// block, since the instructions are the same: then the groups reconverge there, and `ret` counts
// once. So the number of warp instructions of a diverged warp may differ by the number of such
// groups. In warps that stay converged it must be equal, as must all other counts in every warp.
bool same_work(trace::WarpCounts probes, trace::WarpCounts simt)
{
    simt.texel_sectors = 0;
    if (std::max(probes.warp_instructions, simt.warp_instructions) -
            std::min(probes.warp_instructions, simt.warp_instructions) >
        simt.divergent_branches)
        return false;
    probes.warp_instructions = simt.warp_instructions;
    return probes == simt;
}

// Sectors of textures, surfaces and local memory come from a model, which probes lack.
void expect_equal(const trace::Trace& probes, const trace::Trace& simt)
{
    EXPECT_EQ(probes.kernel, simt.kernel);
    EXPECT_EQ(probes.grid, simt.grid);
    EXPECT_EQ(probes.block, simt.block);
    ASSERT_EQ(probes.sites.size(), simt.sites.size());
    ASSERT_EQ(probes.counts.size(), simt.counts.size());
    std::uint64_t modelled = 0;
    bool has_modelled = false;
    for (std::size_t i = 0; i < simt.sites.size(); ++i) {
        EXPECT_EQ(probes.sites[i].ptx_line, simt.sites[i].ptx_line);
        trace::Counts expected = simt.counts[i];
        modelled += std::exchange(expected.modelled_sectors, 0);
        has_modelled |= trace::is_modelled(simt.sites[i].space) && expected.executions > 0;
        EXPECT_TRUE(probes.counts[i] == expected)
            << simt.sites[i].function << ", line " << simt.sites[i].line << ": "
            << simt.sites[i].ptx << "\n  probes: " << text(probes.counts[i])
            << "\n  simt:   " << text(simt.counts[i]);
    }
    EXPECT_EQ(modelled > 0, has_modelled);
    ASSERT_EQ(probes.warps.size(), simt.warps.size());
    std::size_t different = 0;
    std::string first;
    for (std::size_t i = 0; i < simt.warps.size(); ++i)
        if (!same_work(probes.warps[i], simt.warps[i]) && different++ == 0)
            first = "warp " + std::to_string(i) + "\n  probes: " + text(probes.warps[i]) +
                    "\n  simt:   " + text(simt.warps[i]);
    EXPECT_EQ(different, 0u) << "of " << simt.warps.size() << " warps, the first: " << first;
}

// For recursion only: lanes that return from different depths reach the same instruction, but the
// compiler does not reconverge them there, as the lockstep machine does. Warps therefore execute an
// instruction more often, each time with fewer lanes; the work per lane is the same.
void expect_same_lanes(const trace::Trace& probes, const trace::Trace& simt)
{
    ASSERT_EQ(probes.counts.size(), simt.counts.size());
    for (std::size_t i = 0; i < simt.counts.size(); ++i)
        EXPECT_EQ(probes.counts[i].lanes, simt.counts[i].lanes) << simt.sites[i].ptx;
    ASSERT_EQ(probes.warps.size(), simt.warps.size());
    for (std::size_t i = 0; i < simt.warps.size(); ++i) {
        EXPECT_EQ(probes.warps[i].thread_instructions, simt.warps[i].thread_instructions) << i;
        EXPECT_EQ(probes.warps[i].memory_lanes, simt.warps[i].memory_lanes) << i;
    }
    EXPECT_EQ(probes.thread_instructions, simt.thread_instructions);
}

class ProbedKernel : public OnGpu, public testing::WithParamInterface<Shape> {};

TEST_P(ProbedKernel, CountsMatchLockstepMachine)
{
    const auto simt = simt::make_device();
    trace::Trace probes_trace;
    trace::Trace simt_trace;
    const auto plain = run(*gpu, GetParam(), nullptr);
    const auto probed = run(*gpu, GetParam(), &probes_trace);
    const auto lockstep = run(*simt, GetParam(), &simt_trace);
    EXPECT_EQ(plain, probed);
    EXPECT_EQ(plain, lockstep);
    EXPECT_EQ(probes_trace.engine, "cuda");
    if (GetParam().kernel == "recursion") return expect_same_lanes(probes_trace, simt_trace);
    expect_equal(probes_trace, simt_trace);
}

INSTANTIATE_TEST_SUITE_P(Every, ProbedKernel, testing::ValuesIn(shapes()), [](const auto& info) {
    return info.param.kernel + "_" + std::to_string(info.index);
});

class ProbedLab : public OnGpu, public testing::WithParamInterface<LabCase> {
protected:
    trace::Trace traced(device::Device& device,
                        const std::map<std::string, std::string>& size) const
    {
        const LabCase& wanted = GetParam();
        device::PlainAllocator memory(device);
        labs::Values values(*wanted.lab);
        for (const auto& [parameter, value] : size) values.set(parameter, value);
        const auto experiment =
            wanted.lab->start({device, memory, *wanted.lab, *wanted.variant, values, 1, {}});
        trace::Trace trace;
        experiment->step();
        const labs::Experiment::Result result = experiment->next_result();
        if (result.buffer || result.image) trace.footprint = result.footprint();
        experiment->step(&trace);
        const labs::Check check = experiment->check();
        EXPECT_EQ(check.correct, !wanted.variant->wrong) << check.message;
        return trace;
    }
};

TEST_P(ProbedLab, CountsMatchLockstepMachine)
{
    if (!GetParam().variant->varies.empty()) GTEST_SKIP() << GetParam().variant->varies;
    const auto simt = simt::make_device();
    for (const auto& size : GetParam().lab->test_sizes) {
        std::string name;
        for (const auto& [parameter, value] : size) name += parameter + "=" + value + " ";
        SCOPED_TRACE(name);
        const trace::Trace probes = traced(*gpu, size);
        const trace::Trace lockstep = traced(*simt, size);
        expect_equal(probes, lockstep);
        EXPECT_TRUE(probes.footprint.owners == lockstep.footprint.owners);
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ProbedLab, testing::ValuesIn(lab_cases()), [](const auto& info) {
    return info.param.lab->id + "_" + info.param.variant->id;
});

TEST_F(OnGpu, ProbesRecordSectorsAndOwners)
{
    const auto simt = simt::make_device();
    const auto watched = [](device::Device& device) {
        const auto module = device.load(assets::find("tests/gpu/probed_kernels.ptx").value());
        const auto in = uploaded(device, random_words());
        const auto out = uploaded(device, std::vector<unsigned>(words, 0));
        trace::Trace trace;
        trace.watched.address = in->address();
        trace.watched.bytes = in->bytes();
        trace.footprint.address = out->address();
        trace.footprint.bytes = out->bytes();
        device.launch(module->kernel("copy_strided"), {.grid = {20, 1, 1},
                                                       .block = {250, 1, 1},
                                                       .arguments = {*out, *in, argument},
                                                       .trace = &trace});
        return trace;
    };
    const trace::Trace probes = watched(*gpu);
    const trace::Trace lockstep = watched(*simt);
    ASSERT_EQ(probes.watched.touches.size(), words / 8);
    EXPECT_EQ(probes.watched.touches, lockstep.watched.touches);
    EXPECT_EQ(probes.watched.warps, lockstep.watched.warps);
    ASSERT_EQ(probes.footprint.owners.size(), words);
    EXPECT_EQ(probes.footprint.owners, lockstep.footprint.owners);
}

// Logs each call, so that the log ends with the one at which the driver or CUPTI crashed.
void print_step(std::string_view function, std::string_view result)
{
    std::fprintf(stderr, "%.*s%s%.*s\n", static_cast<int>(function.size()), function.data(),
                 result.empty() ? " ..." : ": ", static_cast<int>(result.size()), result.data());
}

TEST_F(OnGpu, HardwareCountersAgreeWithProbes)
{
    for (const char* kernel :
         {"copy_unit", "copy_strided", "copy_offset", "divergent_loop", "gather_random"}) {
        SCOPED_TRACE(kernel);
        const Shape shape{kernel};
        trace::Trace probes;
        run(*gpu, shape, &probes);
        const auto module = gpu->load(assets::find("tests/gpu/probed_kernels.ptx").value());
        const auto in = uploaded(*gpu, random_words());
        const auto out = uploaded(*gpu, std::vector<unsigned>(words, 0));
        trace::HardwareCounts hardware;
        trace::Trace asked;
        try {
            hardware = cuda::count_hardware(
                *gpu,
                [&] {
                    gpu->launch(module->kernel(kernel), {.grid = shape.grid,
                                                         .block = shape.block,
                                                         .arguments = {*out, *in, argument},
                                                         .trace = &asked});
                },
                print_step);
        } catch (const device::DeviceError& error) {
            GTEST_SKIP() << error.what();
        }
        for (const trace::ComparedCount& line : trace::compared_counts()) {
            if (!line.noise.empty()) continue;
            EXPECT_EQ(trace::hardware_value(line, hardware), line.ours(probes.totals()))
                << line.title;
        }
    }
}

} // namespace
} // namespace lanescope::gpu_tests
