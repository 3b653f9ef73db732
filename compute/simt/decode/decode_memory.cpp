// ld, st and other instructions with memory operands: spaces, widths, qualifiers and addresses.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/lanes/movers.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

constexpr int max_access_bytes = 32; // per lane: ld.v4.b64, ld.v8.b32

bool is_signed(ptx::Type type)
{
    return type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32 ||
           type == ptx::Type::s64;
}

// True if other threads may observe the access.
bool is_synchronising(const ptx::Instruction& in)
{
    using ptx::Word;
    return in.has(Word::is_volatile) || in.has(Word::relaxed) || in.has(Word::acquire) ||
           in.has(Word::release) || in.has(Word::mmio);
}

} // namespace

void FunctionDecoder::address(const ptx::Instruction& in, const ptx::Operand& operand,
                              Access& access)
{
    access.offset = operand.offset;
    // Wraps around, as sums in registers do.
    const auto add = [&](std::uint64_t distance) {
        access.offset =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(access.offset) + distance);
    };
    if (operand.reg >= 0) {
        const int bytes = register_bytes(operand.reg);
        if (bytes != 4 && bytes != 8)
            refuse(in, "its address is in a register of a different size");
        access.kind = bytes == 8 ? AddressKind::row64 : AddressKind::row32;
        access.address = register_row(operand.reg);
        return;
    }
    access.kind = AddressKind::fixed;
    if (operand.symbol.empty()) return add(operand.bits);
    if (const auto local = locals.find(operand.symbol); local != locals.end()) {
        access.kind = AddressKind::frame_local;
        return add(local->second);
    }
    if (const auto param = params.find(operand.symbol); param != params.end()) {
        access.kind = AddressKind::frame_param;
        return add(param->second.offset);
    }
    if (const auto found = shared.shared.find(operand.symbol); found != shared.shared.end())
        return add(found->second);
    if (const Symbols::Place* place = shared.symbols.find(operand.symbol)) {
        add(place->address);
        if (access.space == ptx::Space::none) add(window(place->space));
        return;
    }
    for (std::size_t i = 0; source.is_kernel && i < source.parameters.size(); ++i)
        if (source.parameters[i].name == operand.symbol)
            return add(shared.program.parameter_offsets[i]);
    refuse_symbol(in, operand.symbol);
}

// Call parameters are in the frame, whose other contents the kernel must not access.
void FunctionDecoder::check_param(const ptx::Instruction& in, const ptx::Operand& place,
                                  const Access& access) const
{
    const ParamSlot& slot = params.at(place.symbol);
    const auto within = static_cast<std::uint64_t>(place.offset);
    if (within > slot.bytes || slot.bytes - within < access.width_bytes)
        refuse(in, fmt::format("it extends past {}, which has {} bytes", place.symbol, slot.bytes));
}

namespace {

// The value of a load or store by element.
std::span<const ptx::Operand> elements_of(const ptx::Operand& value)
{
    return value.kind == Kind::vector ? std::span(value.elements) : std::span(&value, 1);
}

} // namespace

// The access that the instruction's modifiers describe, without its address and rows.
Access FunctionDecoder::plain_access(const ptx::Instruction& in, bool loads)
{
    Access access;
    access.space = in.modifiers.space;
    access.elements = in.modifiers.elements;
    const ptx::Type type = in.modifiers.type();
    const bool watched = is_synchronising(in);
    access.op = loads ? trace::Op::load : trace::Op::store;
    access.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    access.width_bytes = static_cast<std::uint8_t>(access.element_bytes * access.elements);
    access.synchronising = watched;
    access.block_scope = watched && in.has(ptx::Word::cta);
    access.cluster_scope = watched && in.has(ptx::Word::cluster);
    access.read_only = in.has(ptx::Word::nc);
    if (watched && (access.space == ptx::Space::global || access.space == ptx::Space::none))
        require_block_order();
    if (in.has(ptx::Word::shared_cluster)) reach_cluster(access);
    return access;
}

// A kernel parameter is the same in every lane: its row is filled once per launch, and copied.
void FunctionDecoder::copy_parameter(const ptx::Instruction& in, const Access& access,
                                     int row_bytes, Instruction& out)
{
    LaunchRow row;
    row.row_bytes = row_bytes;
    const auto at = static_cast<std::uint64_t>(access.offset);
    const std::size_t bytes = shared.program.parameter_bytes;
    if (at > bytes || bytes - at < access.element_bytes)
        refuse(in, "it reads past the kernel's parameters");
    row.offset = static_cast<std::uint32_t>(at);
    row.bytes = access.element_bytes;
    row.sign_extend = is_signed(in.modifiers.type());
    ptx::Instruction move = in;
    move.op = ptx::Op::mov;
    move.modifiers = {};
    move.modifiers.add(row_bytes == 8 ? ptx::Type::b64 : ptx::Type::b32);
    move.operands[1] = move.operands[0];
    if (!arithmetic(move, out)) refuse(in);
    out.d = access.values[0];
    out.a = shared.launch_row(row);
}

bool FunctionDecoder::memory(const ptx::Instruction& in, Instruction& out)
{
    const bool loads = ptx::form_of(in.op).effect == ptx::Effect::reads;
    Access access = plain_access(in, loads);
    const ptx::Type type = in.modifiers.type();
    const ptx::Operand& place = in.operands[loads ? 1 : 0];
    const std::span<const ptx::Operand> elements = elements_of(in.operands[loads ? 0 : 1]);
    if (elements.size() != access.elements)
        refuse(in, "the number of values does not match the instruction");
    if (access.element_bytes * access.elements > max_access_bytes)
        refuse(in, "a lane can access at most 32 bytes");
    address(in, place, access);
    if (access.kind == AddressKind::frame_param) check_param(in, place, access);

    int row_bytes = std::max<int>(access.element_bytes, 4);
    for (const ptx::Operand& element : elements)
        if (element.kind == Kind::reg) row_bytes = std::max(row_bytes, register_bytes(element.reg));
    const ptx::Type row_type = row_bytes == 16  ? ptx::Type::b128
                               : row_bytes == 8 ? ptx::Type::b64
                                                : ptx::Type::b32;
    const bool real = type == ptx::Type::f32 || type == ptx::Type::f64;
    const ptx::Type source_type = real && lane_bytes(type) == row_bytes ? type : row_type;
    for (std::size_t i = 0; i < elements.size(); ++i)
        access.values[i] = loads ? destination_row(in, elements[i], row_type)
                                 : source_row(in, elements[i], source_type);
    access.mover = mover(access.element_bytes, is_signed(type), row_bytes);

    if (loads && access.space == ptx::Space::param && access.kind == AddressKind::fixed &&
        elements.size() == 1 && access.element_bytes <= 8) {
        copy_parameter(in, access, row_bytes, out);
        return true;
    }
    if (access.kind == AddressKind::frame_param) {
        out.use(loads ? load_param_handlers() : store_param_handlers());
    } else {
        if (access.space == ptx::Space::global || access.space == ptx::Space::none)
            access.cache = shared.program.cache_slots++;
        out.use(loads ? load_handlers() : store_handlers());
    }
    out.extra = static_cast<std::uint32_t>(function.accesses.size());
    function.accesses.push_back(access);
    return true;
}

void FunctionDecoder::reach_cluster(Access& access)
{
    access.space = ptx::Space::none;
    access.in_cluster = true;
}

// A no-op, but a fence wider than a block shows that blocks communicate.
bool FunctionDecoder::fence(const ptx::Instruction& in, Instruction& out)
{
    const bool within_block = in.has(ptx::Word::cta) || in.has(ptx::Word::mbarrier_init) ||
                              in.op == ptx::Op::fence_proxy_async;
    if (!within_block) require_block_order();
    out.use(fence_handlers());
    return true;
}

} // namespace lanescope::simt
