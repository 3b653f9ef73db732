// The host's part of a probed launch: buffer, setup kernel, launch, reading back.
#include "tests/unit/probes/runs.h"

#include <random>

#include "compute/ptx/probe_buffer.h"
#include "compute/simt/simt_device.h"

namespace lanescope::probes {
namespace {

constexpr int n = 4096;

std::vector<std::uint32_t> random_numbers()
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> numbers(n);
    for (auto& number : numbers) number = random() % 1000;
    return numbers;
}

} // namespace

Pair run_both(std::string_view ptx, const std::string& kernel, const Shape& shape, bool maps)
{
    simt::Options options;
    options.threads = 1;
    const auto device = simt::make_device(options);
    const auto out = device->allocate(4 * n * sizeof(std::uint32_t));
    const auto in = device->allocate(n * sizeof(std::uint32_t));
    device::upload<std::uint32_t>(*device, in->address(), random_numbers());

    trace::Trace wanted;
    if (maps) {
        wanted.footprint = {out->address(), out->bytes(), 4, {}};
        wanted.watched = {in->address(), in->bytes(), {}, {}};
    }
    const device::Launch launch{shape.grid, shape.block, 0, {*out, *in, n}, nullptr};
    const auto run = [&](const device::Module& module, trace::Trace* trace) {
        device->fill(out->address(), 0, out->bytes());
        device::Launch with_trace = launch;
        with_trace.trace = trace;
        device->launch(module.kernel(kernel), with_trace);
        return device::download<std::uint32_t>(*device, out->address(), 4 * n);
    };

    Pair pair;
    pair.plain.trace = pair.probed.trace = wanted;
    const auto plain = device->load(ptx);
    pair.plain.out = run(*plain, &pair.plain.trace);

    const ptx::Probed probed = ptx::probe(ptx::parse(ptx), {kernel, maps, 4, maps});
    const auto module = device->load(probed.text);
    const ptx::ProbeBuffer layout(probed, shape.grid, shape.block, wanted);
    const auto buffer = device->allocate(layout.bytes());
    device->fill(buffer->address(), 0, buffer->bytes());
    device::Launch setup;
    for (std::uint64_t value : layout.setup_arguments(buffer->address()))
        setup.arguments.emplace_back(value);
    device->launch(module->kernel(ptx::setup_kernel), setup);
    pair.probed.out = run(*module, nullptr);
    const auto bytes = device::download<std::byte>(*device, buffer->address(), layout.bytes());
    layout.read(bytes, pair.probed.trace);
    return pair;
}

} // namespace lanescope::probes
