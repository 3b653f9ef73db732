// Steps through every lab: the final result equals that of a launch, and the state at a position
// does not depend on how that position was reached. LANESCOPE_PLACES sets the number of positions
// visited per launch.
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "compute/simt/debug/launches.h"
#include "compute/simt/operations/images/images.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using simt::SteppedDevice;
using simt::Timeline;

std::vector<Case> cases_of_first_size()
{
    std::vector<Case> cases = every_case();
    std::erase_if(cases, [](const Case& one) {
        return one.size != &one.lab->test_sizes.front() ||
               !one.variant->runs_on(device::Engine::simt) || is_in_clusters(one);
    });
    return cases;
}

struct Running {
    Running(device::Device& device, const Case& one) : shown(device)
    {
        experiment = one.lab->start({.device = device,
                                     .shown = shown,
                                     .lab = *one.lab,
                                     .variant = *one.variant,
                                     .values = values_of(*one.lab, *one.size),
                                     .seed = 7,
                                     .image = {}});
    }
    device::PlainAllocator shown;
    std::unique_ptr<Experiment> experiment;
};

std::vector<std::byte> memory_of(device::Device& device, const Experiment& experiment)
{
    std::vector<std::byte> all;
    for (const Experiment::Memory& one : experiment.memory()) {
        const auto bytes = device::download<std::byte>(device, one.buffer->address(), one.bytes);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

// Compares kind and location, not the message: it contains an address, and those of host memory
// differ from run to run.
void expect_same_fault(const trace::Fault& one, const trace::Fault& other)
{
    EXPECT_EQ(one.kind, other.kind);
    EXPECT_EQ(one.kernel, other.kernel);
    EXPECT_EQ(one.file, other.file);
    EXPECT_EQ(one.line, other.line);
    EXPECT_EQ(one.block, other.block);
    EXPECT_EQ(one.thread, other.thread);
    EXPECT_EQ(one.parameter, other.parameter);
    const auto without_address = [](const trace::Fault& fault) {
        std::string text = fault.message;
        const std::string address = fmt::format("{:#x}", fault.address);
        if (const std::size_t at = text.find(address); at != std::string::npos)
            text.replace(at, address.size(), "ADDRESS");
        return text;
    };
    EXPECT_EQ(without_address(one), without_address(other));
    if (one.message.find("address of the host") == std::string::npos) {
        EXPECT_EQ(one.address, other.address);
    }
}

class SteppedLab : public testing::TestWithParam<Case> {};

TEST_P(SteppedLab, SteppingToEndEqualsLaunch)
{
    const Case& one = GetParam();
    const simt::Options options{.threads = 1};
    const auto launched = simt::make_device(options);
    Running plain(*launched, one);
    trace::Trace counted;
    std::optional<trace::Fault> fault;
    try {
        plain.experiment->step(&counted);
    } catch (const device::KernelFault& found) {
        fault = found.fault();
    }

    SteppedDevice device(options);
    Running stepped(device, one);
    std::uint64_t instructions = 0;
    device.set_launch_hook([&](const device::Kernel& kernel, const device::Launch& launch) {
        trace::Trace own; // for launches that prepare a step: they are not counted by it
        Timeline timeline(device, kernel, launch,
                          {.trace = launch.trace != nullptr ? launch.trace : &own});
        timeline.go_to(~std::uint64_t{0});
        if (timeline.fault() != nullptr) throw device::KernelFault(*timeline.fault());
        if (launch.trace != nullptr)
            instructions += timeline.position();
        else
            EXPECT_EQ(timeline.position(), own.warp_instructions);
        return timeline.launch().launched;
    });
    trace::Trace trace;
    std::optional<trace::Fault> stepped_fault;
    try {
        stepped.experiment->step(&trace);
    } catch (const device::KernelFault& found) {
        stepped_fault = found.fault();
    }
    ASSERT_EQ(stepped_fault.has_value(), fault.has_value());
    if (fault) {
        expect_same_fault(*stepped_fault, *fault);
        return; // unchecked, other blocks stop anywhere, so counts differ
    }
    EXPECT_EQ(trace.counts, counted.counts);
    EXPECT_EQ(trace.warps, counted.warps);
    EXPECT_EQ(trace.warp_instructions, counted.warp_instructions);
    EXPECT_EQ(trace.thread_instructions, counted.thread_instructions);
    EXPECT_EQ(instructions, trace.warp_instructions);
    EXPECT_TRUE(memory_of(device, *stepped.experiment) == memory_of(*launched, *plain.experiment));
}

// Hash of registers, paths, barriers and memory.
std::uint64_t fingerprint(const Timeline& timeline)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto mix = [&](const void* data, std::size_t bytes) {
        const auto* at = static_cast<const unsigned char*>(data);
        for (; bytes >= 8; bytes -= 8, at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, 8);
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        for (; bytes > 0; --bytes, ++at) hash = (hash ^ *at) * 0x100000001b3u;
    };
    const auto number = [&](std::uint64_t value) { mix(&value, sizeof value); };
    number(timeline.position());
    const simt::WalkState& state = timeline.walk().state();
    if (state.running) {
        const simt::Block& block = *state.running;
        number(block.linear);
        number(block.steps);
        number(block.barrier_rounds);
        number(static_cast<std::uint64_t>(state.warp));
        mix(block.shared.data(), block.shared.size());
        for (const simt::Barrier& barrier : block.barriers)
            mix(barrier.arrived.data(), sizeof barrier.arrived);
        for (const simt::Warp& warp : block.warps) {
            number(warp.exited);
            number(warp.warp_instructions);
            mix(warp.rows.data(), warp.rows.size());
            mix(warp.local.data(), warp.local.size());
            for (const simt::Path& path : warp.paths) {
                number(static_cast<std::uint64_t>(path.pc));
                number(path.live ? path.mask : 0);
                number(path.arrived);
                number(path.node);
            }
        }
    }
    for (const simt::Allocation* allocation : timeline.launch().memory.allocations())
        mix(allocation->host, allocation->bytes());
    for (const simt::ImageData& image : timeline.launch().images.surfaces())
        mix(image.texels.data(), image.texels.size());
    return hash;
}

TEST_P(SteppedLab, StateDependsOnlyOnPosition)
{
    const Case& one = GetParam();
    const char* wanted = std::getenv("LANESCOPE_PLACES");
    const int places = wanted != nullptr ? std::atoi(wanted) : 6;
    SteppedDevice device({.threads = 1});
    Running stepped(device, one);
    std::mt19937_64 random(11);
    device.set_launch_hook([&](const device::Kernel& kernel, const device::Launch& launch) {
        Timeline there(device, kernel, launch);
        there.go_to(~std::uint64_t{0});
        const std::uint64_t end = there.position();
        const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
        for (int i = 0; i < places; ++i) {
            const std::uint64_t at = up_to(end);
            const std::uint64_t n = up_to(i % 3 == 0 ? 3 : 3000);
            there.go_to(at);
            const std::uint64_t here = fingerprint(there);
            there.go_to(at + n);
            const std::uint64_t ahead = fingerprint(there);
            const std::uint64_t reached = there.position();
            for (int k = 0; k < 3; ++k) there.back();
            there.go_to(at);
            EXPECT_EQ(fingerprint(there), here) << "at " << at << " of " << end;
            // If the distance is short, goes one instruction at a time.
            if (reached - at < 200) {
                while (there.position() < reached) there.step();
            } else {
                there.go_to(reached);
            }
            EXPECT_EQ(fingerprint(there), ahead) << "at " << reached << " of " << end;
        }
        EXPECT_LE(there.held_bytes(), std::size_t{256} << 20);
        there.go_to(end);
        if (there.fault() != nullptr) throw device::KernelFault(*there.fault());
        return there.launch().launched;
    });
    try {
        stepped.experiment->step();
    } catch (const device::KernelFault&) {
        EXPECT_FALSE(one.variant->fault.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Labs, SteppedLab, testing::ValuesIn(cases_of_first_size()), case_name);

// Adds 1 to a number; the text that replaces it adds 100.
std::string adding_kernel(const std::string& variables)
{
    return ".version 7.0\n.target sm_75\n.address_size 64\n" + variables +
           R"(.visible .entry add(.param .u64 to)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    ld.global.u32 %r1, [%rd1];
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd1], %r2;
    ret;
})";
}

// Values of the number after a launch, a recorded one, and another.
std::vector<int> sums(const std::string& text)
{
    SteppedDevice device({.threads = 1}, [](std::string_view ptx) {
        std::string replaced(ptx);
        replaced.replace(replaced.find("%r1, 1;"), 7, "%r1, 100;");
        return replaced;
    });
    const auto module = device.load(text);
    const auto number = device.allocate(sizeof(int));
    device::upload(device, number->address(), std::span<const int>(std::vector{0}));
    std::vector<int> values;
    for (const bool recorded : {false, true, false}) {
        device.note(recorded);
        device.launch(module->kernel("add"),
                      {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = {*number}});
        values.push_back(device::download<int>(device, number->address(), 1).front());
    }
    return values;
}

// A launch to step through may be compiled without optimising; those before it run faster as they
// are.
TEST(SteppedDevice, OnlyRecordedLaunchesRunReplacedText)
{
    EXPECT_EQ(sums(adding_kernel("")), (std::vector{1, 101, 102}));
}

// Each text has variables of its own, so kernels that share some must all be of one text.
TEST(SteppedDevice, TextWithVariablesIsReplacedThroughout)
{
    EXPECT_EQ(sums(adding_kernel(".visible .global .align 4 .u32 shared_by_launches;\n")),
              (std::vector{100, 200, 300}));
}

} // namespace
} // namespace lanescope::labs
