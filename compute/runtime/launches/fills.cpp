// Finds the elements' type by the instructions that use them.
#include "compute/runtime/launches/fills.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"
#include "compute/ptx/uses/element_uses.h"
#include "compute/ptx/uses/uses.h"

namespace lanescope::runtime {

namespace {

// An access of the kernel that takes the fill for elements.
struct Reader {
    const ptx::Instruction* instruction = nullptr;
    ptx::ElementUse use = ptx::ElementUse::unknown;
};

// Looks for it before the kernel's first store, from which later loads may read.
Reader reader_of(const simt::Program& program, std::uint64_t parameters)
{
    const ptx::Function& kernel = *program.entry().source;
    Reader found;
    for (const ptx::ParameterAccess& access : ptx::parameter_accesses(*program.module, kernel)) {
        if ((access.parameters & parameters) == 0) continue;
        if (!access.reads) break;
        const ptx::ElementUse use = ptx::element_use(kernel, access.instruction);
        if (use > found.use)
            found = {&kernel.instructions[static_cast<std::size_t>(access.instruction)], use};
    }
    return found;
}

// An element whose bytes all have this value.
std::string element_text(unsigned byte, int bytes, ptx::ElementUse use)
{
    const std::uint64_t bits = byte * 0x0101010101010101u;
    if (bytes == 4)
        return use == ptx::ElementUse::real
                   ? fmt::format("each float is {:.3g}",
                                 std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                   : fmt::format("each integer of 4 bytes is {}", bits & 0xffffffffu);
    return use == ptx::ElementUse::real
               ? fmt::format("each double is {:.3g}", std::bit_cast<double>(bits))
               : fmt::format("each integer of 8 bytes is {}", bits);
}

} // namespace

FillsOfLaunch::FillsOfLaunch(Machine& machine, const device::Launch& launch) : machine_(machine)
{
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const auto& argument = launch.arguments[i];
        std::uint64_t address = 0;
        if (argument.bytes().size() != sizeof address) continue;
        std::memcpy(&address, argument.bytes().data(), sizeof address);
        Memory* const memory = machine.find(address);
        if (memory == nullptr || memory->fill.begin == memory->fill.end) continue;
        const Memory::Fill& fill = memory->fill;
        const std::byte* const bytes =
            machine.bytes_of(reinterpret_cast<const void*>(fill.begin), fill.end - fill.begin);
        const bool is_unchanged =
            std::all_of(bytes, bytes + (fill.end - fill.begin), [&](std::byte one) {
                return std::to_integer<unsigned>(one) == fill.value;
            });
        if (is_unchanged)
            arguments_.push_back({i, memory->address});
        else
            memory->fill = {};
    }
}

void FillsOfLaunch::report(const simt::Program& program, const trace::Trace& trace,
                           const LaunchRecord& record) const
{
    for (const Argument& argument : arguments_) {
        Memory* const memory = machine_.find(argument.allocation);
        if (memory == nullptr || memory->fill.begin == memory->fill.end) continue;
        const Memory::Fill fill = memory->fill;
        const bool is_read = std::ranges::any_of(trace.touched, [&](const auto& touched) {
            const auto overlaps = [&](const trace::Touched::Range& range) {
                return range.any() && range.begin < fill.end && range.end > fill.begin;
            };
            return touched.allocation == argument.allocation &&
                   (overlaps(touched.read) || overlaps(touched.updated));
        });
        if (!is_read || argument.index >= 64) continue;
        const Reader reader = reader_of(program, std::uint64_t{1} << argument.index);
        if (reader.use == ptx::ElementUse::unknown) continue;
        memory->fill = {};
        const int bytes = size_bytes(reader.instruction->modifiers.type());
        const ptx::SourceLine line = ptx::source_line(*program.module, *reader.instruction);
        Finding finding{.kind = "fill_by_byte"};
        finding.call = fill.call;
        finding.site = fill.site;
        finding.other_site = memory->site;
        finding.message = fmt::format(
            "{} sets every byte to {}, so {}. Kernel {} reads them as {}{}. To set elements to {}, "
            "write them in a kernel, or copy them from the host.",
            fill.call, fill.value, element_text(fill.value, bytes, reader.use), record.kernel,
            reader.use == ptx::ElementUse::real ? "floating-point numbers" : "integers",
            line.line == 0 ? std::string() : fmt::format(" in line {}", line.line), fill.value);
        machine_.find(std::move(finding));
    }
}

} // namespace lanescope::runtime
