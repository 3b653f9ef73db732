// atom, red and cp.async. Atomics whose results depend on the order force blocks to run in order.
#include <optional>
#include <string_view>
#include <utility>

#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/memory/atomic_operations.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

// The operation that the modifiers name; nullopt if they name none.
std::optional<AtomicKind> kind_of(const ptx::Modifiers& modifiers)
{
    using ptx::Word;
    constexpr std::pair<Word, AtomicKind> kinds[] = {
        {Word::add, AtomicKind::add},       {Word::min, AtomicKind::min},
        {Word::max, AtomicKind::max},       {Word::bit_and, AtomicKind::bit_and},
        {Word::bit_or, AtomicKind::bit_or}, {Word::bit_xor, AtomicKind::bit_xor},
        {Word::exch, AtomicKind::exchange}, {Word::inc, AtomicKind::increment},
        {Word::dec, AtomicKind::decrement}, {Word::cas, AtomicKind::compare_and_swap},
    };
    for (const auto& [word, kind] : kinds)
        if (modifiers.has(word)) return kind;
    return std::nullopt;
}

// Why an atomic on a vector, or on halves that PTX updates only in vectors, is not valid; empty if
// it is.
std::string_view unsupported_vector(const ptx::Instruction& in, AtomicKind kind)
{
    using ptx::Type;
    const Type type = in.modifiers.type();
    const std::size_t elements = in.modifiers.elements;
    const bool half = type == Type::f16 || type == Type::bf16;
    const bool pair = type == Type::f16x2 || type == Type::bf16x2;
    const bool extreme = kind == AtomicKind::min || kind == AtomicKind::max;
    if (elements == 1)
        return extreme && (half || pair) ? "PTX has it only for vectors" : std::string_view{};
    if (in.modifiers.space == ptx::Space::shared)
        return "vectors are updated in global memory only";
    const bool known = type == Type::f32 ? kind == AtomicKind::add && elements <= 4
                       : half            ? kind == AtomicKind::add || extreme
                       : pair            ? (kind == AtomicKind::add || extreme) && elements <= 4
                                         : false;
    if (!known) return "there is no such atomic operation on vectors";
    const auto fits = [&](const ptx::Operand& operand) {
        return operand.kind == Kind::vector && operand.elements.size() == elements;
    };
    const std::size_t given = in.op == ptx::Op::atom ? 2 : 1;
    const bool returns_vector =
        in.op != ptx::Op::atom || fits(in.operands[0]) || in.operands[0].kind == Kind::sink;
    return fits(in.operands[given]) && returns_vector
               ? std::string_view{}
               : "the number of values does not match the instruction";
}

// `atomicAdd(p, 0)` and the like only read: the thread may be polling for a store by another one.
bool only_reads(const ptx::Instruction& in, AtomicKind kind)
{
    if (in.op != ptx::Op::atom) return false;
    const ptx::Operand& given = in.operands[2];
    return given.kind == Kind::immediate && given.bits == 0 &&
           (kind == AtomicKind::add || kind == AtomicKind::bit_or || kind == AtomicKind::bit_xor ||
            kind == AtomicKind::max);
}

// The access without its address and rows.
Access atomic_access(const ptx::Instruction& in, AtomicKind kind, const AtomicOperation& found)
{
    Access access;
    access.space = in.modifiers.space;
    access.elements = in.modifiers.elements;
    access.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(in.modifiers.type()));
    access.width_bytes = static_cast<std::uint8_t>(access.element_bytes * access.elements);
    access.op = in.op == ptx::Op::atom ? trace::Op::atomic : trace::Op::reduction;
    access.atomic = found.on_shared;
    access.atomic_global = found.on_global;
    access.atomic_parallel = found.on_global_parallel;
    access.synchronising = kind == AtomicKind::compare_and_swap || kind == AtomicKind::exchange ||
                           only_reads(in, kind);
    access.block_scope = in.has(ptx::Word::cta);
    access.cluster_scope = in.has(ptx::Word::cluster);
    return access;
}

// Sets the rows of the operands. Returns true if the program uses an old value. Those of a vector
// have an access of their own, before this one.
bool set_atomic_rows(FunctionDecoder& decoder, const ptx::Instruction& in, bool has_two_operands,
                     Access& access)
{
    const ptx::Type type = in.modifiers.type();
    const ptx::Type row = lane_bytes(type) == 16  ? ptx::Type::b128
                          : lane_bytes(type) == 8 ? ptx::Type::b64
                                                  : ptx::Type::b32;
    const auto source = [&](const ptx::Operand& value) {
        return decoder.source_row(
            in, value,
            value.kind == Kind::immediate && lane_bytes(type) == lane_bytes(row) ? type : row);
    };
    bool wanted = false;
    const auto destination = [&](const ptx::Operand& value) {
        if (value.kind == Kind::sink) return no_row;
        const RowRef to = decoder.destination_row(in, value, row);
        wanted = wanted || decoder.uses[static_cast<std::size_t>(value.reg)] > 1;
        return to;
    };
    const bool returns = in.op == ptx::Op::atom;
    const std::size_t first = returns ? 1 : 0; // index of the address operand
    const ptx::Operand& given = in.operands[first + 1];
    const ptx::Operand& result = in.operands[0];
    if (access.elements > 1) {
        Access old;
        for (std::size_t i = 0; i < access.elements; ++i) {
            access.values[i] = source(given.elements[i]);
            if (returns && result.kind == Kind::vector)
                old.values[i] = destination(result.elements[i]);
        }
        decoder.function.accesses.push_back(old);
        return wanted;
    }
    if (returns && (result.kind == Kind::reg || result.kind == Kind::sink))
        access.values[0] = destination(result);
    access.values[1] = source(given);
    if (has_two_operands) access.values[2] = source(in.operands[first + 2]);
    return wanted;
}

} // namespace

bool FunctionDecoder::atomic(const ptx::Instruction& in, Instruction& out)
{
    const auto kind = kind_of(in.modifiers);
    const ptx::Type type = in.modifiers.type();
    if (!kind) refuse(in);
    const AtomicOperation found = find_atomic(*kind, type);
    const std::size_t first = in.op == ptx::Op::atom ? 1 : 0; // index of the address operand
    if (found.on_shared == nullptr ||
        in.operands.size() < first + 1 + static_cast<std::size_t>(found.operands))
        refuse(in);
    if (const std::string_view why = unsupported_vector(in, *kind); !why.empty()) refuse(in, why);
    Access access = atomic_access(in, *kind, found);
    address(in, in.operands[first], access);
    const bool wanted = set_atomic_rows(*this, in, found.operands == 2, access);
    if (access.space != ptx::Space::shared) {
        access.cache = shared.program.cache_slots++;
        // Only the precise checks compare the scopes of two blocks' updates.
        if (wanted || found.on_global_parallel == nullptr || access.block_scope)
            require_block_order();
        // An operation commutes with itself. Signed and unsigned min or max, or updates of
        // different widths, don't commute with each other.
        const bool extreme = *kind == AtomicKind::min || *kind == AtomicKind::max;
        const bool is_signed = type == ptx::Type::s32 || type == ptx::Type::s64;
        shared.global_reductions.insert({*kind, access.element_bytes, extreme && is_signed});
    }
    if (in.has(ptx::Word::shared_cluster)) reach_cluster(access);
    out.use(access.elements > 1 ? vector_atomic_handlers() : atomic_handlers());
    out.extra = static_cast<std::uint32_t>(function.accesses.size());
    function.accesses.push_back(access);
    return true;
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes {, source bytes} {, ignore}; commit_group;
// wait_group; wait_all.
bool FunctionDecoder::async_copy(const ptx::Instruction& in, Instruction& out)
{
    Operands operands;
    switch (in.op) {
    case ptx::Op::cp_async: break;
    case ptx::Op::cp_async_commit: out.use(async_commit_handlers()); return true;
    case ptx::Op::cp_async_wait:
    case ptx::Op::cp_async_wait_all:
        if (in.op == ptx::Op::cp_async_wait)
            operands.values[0] = static_cast<std::int64_t>(in.operands[0].bits);
        out.use(async_wait_handlers(in.op == ptx::Op::cp_async_wait_all));
        out.extra = add_operands(operands);
        return true;
    default: return false;
    }
    const auto add = [&](ptx::Space space, const ptx::Operand& operand, trace::Op op) {
        Access access;
        access.space = space;
        access.op = op;
        access.width_bytes = access.element_bytes = static_cast<std::uint8_t>(in.operands[2].bits);
        address(in, operand, access);
        if (space == ptx::Space::global) access.cache = shared.program.cache_slots++;
        function.accesses.push_back(access);
        return static_cast<std::int64_t>(function.accesses.size() - 1);
    };
    operands.values[0] = add(ptx::Space::shared, in.operands[0], trace::Op::store);
    operands.values[1] = add(ptx::Space::global, in.operands[1], trace::Op::load);
    // A cache hint adds the policy as the last operand.
    const std::size_t count = in.operands.size() - (in.has(ptx::Word::cache_hint) ? 1 : 0);
    if (count > 4) refuse(in, "it has more operands than expected");
    if (count > 3) {
        const ptx::Operand& extra = in.operands[3];
        const bool is_predicate = extra.kind == Kind::reg && register_bytes(extra.reg) == 0;
        if (is_predicate)
            operands.rows[1] = source_row(in, extra, ptx::Type::pred);
        else
            operands.rows[0] = source_row(in, extra, ptx::Type::u32);
    }
    out.use(async_copy_handlers());
    out.extra = add_operands(operands);
    return true;
}

} // namespace lanescope::simt
