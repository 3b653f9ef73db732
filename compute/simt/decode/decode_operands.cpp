// Maps operands to rows: registers in the frame; immediates and launch values among the constants.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"
#include "compute/simt/machine/state/specials.h"

namespace lanescope::simt {

RowRef ProgramDecoder::constant(int bytes, std::uint64_t value)
{
    const auto [found, fresh] = constants.try_emplace({bytes, value}, no_row);
    if (!fresh) return found->second;
    const int row_bytes = std::max(bytes, 1) * warp_lanes;
    std::size_t offset = program.constants.size();
    program.constants.resize(offset + static_cast<std::size_t>((row_bytes + 63) / 64 * 64));
    found->second = row_ref(offset, RowBase::constants);
    std::byte* row = program.constants.data() + offset;
    if (bytes == 0) {
        const std::uint32_t lanes = value != 0 ? full_mask : 0;
        std::memcpy(row, &lanes, sizeof lanes);
        return found->second;
    }
    for (int lane = 0; lane < warp_lanes; ++lane)
        std::memcpy(row + lane * bytes, &value, static_cast<std::size_t>(std::min(bytes, 8)));
    return found->second;
}

RowRef ProgramDecoder::constant32(std::uint32_t value)
{
    return constant(4, value);
}
RowRef ProgramDecoder::constant64(std::uint64_t value)
{
    return constant(8, value);
}
RowRef ProgramDecoder::constant128(std::uint64_t low)
{
    return constant(16, low);
}
RowRef ProgramDecoder::constant_predicate(bool value)
{
    return constant(0, value ? 1 : 0);
}

RowRef ProgramDecoder::launch_row(const LaunchRow& wanted)
{
    for (const LaunchRow& row : program.launch_rows)
        if (row.offset == wanted.offset && row.row_bytes == wanted.row_bytes &&
            row.bytes == wanted.bytes && row.sign_extend == wanted.sign_extend)
            return row.row;
    LaunchRow row = wanted;
    const std::size_t offset = program.constants.size();
    program.constants.resize(offset + static_cast<std::size_t>(row.row_bytes * warp_lanes));
    row.row = row_ref(offset, RowBase::constants);
    program.launch_rows.push_back(row);
    return row.row;
}

RowRef FunctionDecoder::register_row(int reg) const
{
    return function.registers[static_cast<std::size_t>(reg)];
}

int FunctionDecoder::register_bytes(int reg) const
{
    return lane_bytes(source.registers[static_cast<std::size_t>(reg)].type);
}

ParamSlot FunctionDecoder::register_slot(int reg) const
{
    return {.bytes = static_cast<std::uint32_t>(register_bytes(reg)), .row = register_row(reg)};
}

std::uint64_t FunctionDecoder::immediate_bits(const ptx::Operand& operand, ptx::Type type) const
{
    const bool single = operand.immediate_type == ptx::Type::f32;
    const bool real = single || operand.immediate_type == ptx::Type::f64;
    if (!real || lane_bytes(type) == 0) return operand.bits;
    if (type == ptx::Type::f32 && !single)
        return std::bit_cast<std::uint32_t>(
            static_cast<float>(std::bit_cast<double>(operand.bits)));
    if (type == ptx::Type::f64 && single)
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
    return operand.bits;
}

void FunctionDecoder::refuse_symbol(const ptx::Instruction& in, const std::string& symbol) const
{
    const auto& variables = shared.module.variables;
    const auto found = std::ranges::find(variables, symbol, &ptx::Variable::name);
    if (found != variables.end() && found->is_extern)
        refuse(in, fmt::format("the PTX declares {} as extern, but nothing defines it", symbol));
    refuse(in, fmt::format("{} is not known", symbol));
}

RowRef FunctionDecoder::symbol_row(const ptx::Instruction& in, const ptx::Operand& operand,
                                   int bytes)
{
    const auto offset = static_cast<std::uint64_t>(operand.offset);
    std::uint64_t value = 0;
    if (const auto found = shared.shared.find(operand.symbol); found != shared.shared.end())
        value = found->second;
    else if (const Symbols::Place* place = shared.symbols.find(operand.symbol))
        value = place->address;
    else if (source.is_kernel) {
        std::size_t i = 0;
        while (i < source.parameters.size() && source.parameters[i].name != operand.symbol) ++i;
        if (i == source.parameters.size()) refuse_symbol(in, operand.symbol);
        value = shared.program.parameter_offsets[i];
    } else {
        refuse(in, fmt::format("the address of {} cannot be taken", operand.symbol));
    }
    value += offset;
    return bytes == 8 ? shared.constant64(value)
                      : shared.constant32(static_cast<std::uint32_t>(value));
}

RowRef FunctionDecoder::source_row(const ptx::Instruction& in, const ptx::Operand& operand,
                                   ptx::Type type)
{
    const int bytes = lane_bytes(type);
    switch (operand.kind) {
    case ptx::Operand::Kind::reg:
        if (register_bytes(operand.reg) != bytes)
            refuse(in, fmt::format("register {} does not match the instruction's type",
                                   source.registers[static_cast<std::size_t>(operand.reg)].name));
        return register_row(operand.reg);
    case ptx::Operand::Kind::immediate: {
        const std::uint64_t bits = immediate_bits(operand, type);
        if (bytes == 0) return shared.constant_predicate(bits != 0);
        if (bytes == 16) return shared.constant128(bits);
        return bytes == 8 ? shared.constant64(bits)
                          : shared.constant32(static_cast<std::uint32_t>(bits));
    }
    case ptx::Operand::Kind::special: {
        if (const auto value = constant_special(operand.symbol))
            return shared.constant(bytes, *value);
        const auto special = find_special(operand.symbol);
        const int special_bytes = special == Special::is_explicit_cluster ? 0 : 4;
        if (!special || bytes != special_bytes)
            refuse(in, fmt::format("special register %{} is not supported", operand.symbol));
        if (*special == Special::grid_sync_high || *special == Special::grid_sync_low) {
            shared.program.cooperative = true;
            require_block_order();
        }
        if (is_cluster_register(*special)) shared.program.cluster_specials = true;
        return special_row(*special);
    }
    case ptx::Operand::Kind::symbol: return symbol_row(in, operand, bytes);
    default: refuse(in, "it does not accept this kind of operand");
    }
}

RowRef FunctionDecoder::destination_row(const ptx::Instruction& in, const ptx::Operand& operand,
                                        ptx::Type type)
{
    if (operand.kind == ptx::Operand::Kind::sink) return scratch();
    if (operand.kind != ptx::Operand::Kind::reg) refuse(in, "its destination is not a register");
    if (register_bytes(operand.reg) != lane_bytes(type))
        refuse(in, fmt::format("register {} does not match the instruction's type",
                               source.registers[static_cast<std::size_t>(operand.reg)].name));
    return register_row(operand.reg);
}

} // namespace lanescope::simt
