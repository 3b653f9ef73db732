// Names the first step at which a half is rounded down.
#include "compute/runtime/launches/halving.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"
#include "compute/ptx/uses/halving_sums.h"

namespace lanescope::runtime {

namespace {

// The number that the kernel halves; 0: not known, or it is not about the launch's threads.
std::uint32_t halved_number(const ptx::HalvingSum& sum, const device::Launch& launch)
{
    const std::array sizes{launch.block.x, launch.block.y, launch.block.z};
    if (sum.parameter < 0) return sizes[static_cast<std::size_t>(sum.axis)];
    if (launch.block.y != 1 || launch.block.z != 1) return 0;
    const auto index = static_cast<std::size_t>(sum.parameter);
    std::uint32_t number = 0;
    if (index >= launch.arguments.size()) return 0;
    const auto bytes = launch.arguments[index].bytes();
    if (bytes.size() != sizeof number) return 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number <= launch.block.x ? number : 0;
}

} // namespace

std::optional<Finding> halving_finding(Machine& machine, const simt::SimtKernel& launched,
                                       const device::Launch& launch, const LaunchRecord& record)
{
    const simt::Program& program = launched.program();
    const ptx::Function& kernel = *program.entry().source;
    const auto [known, is_new] = machine.halving_sums.try_emplace(&launched);
    if (is_new) known->second = ptx::halving_sum(*program.module, kernel);
    const auto& sum = known->second;
    if (!sum) return {};
    const std::uint32_t number = halved_number(*sum, launch);
    if (number < 2 || std::has_single_bit(number)) return {};
    std::uint32_t odd = number;
    while (odd % 2 == 0) odd /= 2;
    const ptx::SourceLine line = ptx::source_line(
        *program.module, kernel.instructions[static_cast<std::size_t>(sum->instruction)]);
    Finding finding{.kind = "halving_sum"};
    finding.kernel = record.kernel;
    finding.file = line.file;
    finding.line = line.line;
    finding.launch = record.index;
    finding.site = record.site;
    finding.message = fmt::format(
        "Kernel {} adds the upper half of its shared array to the lower half, starting with {} {}. "
        "{} is odd, so that half of it is {} and element {} is never added. Halve as (n + 1) / 2 "
        "and add "
        "only what i + half < n has, or start from a power of two and fill the rest with zeros.",
        record.kernel, number, sum->parameter < 0 ? "threads" : "elements",
        odd == number ? fmt::format("{}", odd) : fmt::format("A later number, {},", odd), odd / 2,
        odd - 1);
    return finding;
}

} // namespace lanescope::runtime
