// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async and st.bulk.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/memory/bulk_reductions.h"

namespace lanescope::simt {

namespace {

using ptx::Op;
using ptx::Space;
using ptx::Word;

std::optional<AtomicKind> reduction_of(const ptx::Instruction& in)
{
    constexpr std::pair<Word, AtomicKind> kinds[] = {
        {Word::add, AtomicKind::add},       {Word::min, AtomicKind::min},
        {Word::max, AtomicKind::max},       {Word::inc, AtomicKind::increment},
        {Word::dec, AtomicKind::decrement}, {Word::bit_and, AtomicKind::bit_and},
        {Word::bit_or, AtomicKind::bit_or}, {Word::bit_xor, AtomicKind::bit_xor},
    };
    for (const auto& [word, kind] : kinds)
        if (in.has(word)) return kind;
    return std::nullopt;
}

} // namespace

void FunctionDecoder::bulk_address(const ptx::Instruction& in, std::size_t number, Space space,
                                   trace::Op op, Access& access)
{
    const ptx::Operand& operand = in.operands[number];
    if (operand.kind != ptx::Operand::Kind::address)
        refuse(in, "one of its addresses is not in brackets");
    access.space = space;
    access.op = op;
    access.element_bytes = access.width_bytes = 16;
    address(in, operand, access);
}

void FunctionDecoder::bulk_reduction(const ptx::Instruction& in, bool on_global, BulkWork& work)
{
    const ptx::Type type = in.modifiers.type();
    const auto kind = reduction_of(in);
    const bool half = type == ptx::Type::f16 || type == ptx::Type::bf16;
    const bool noftz = in.has(Word::noftz);
    if (noftz != (half && kind == AtomicKind::add))
        refuse(in, "additions of .f16 and .bf16 need .noftz, others must not have it");
    if (kind) work.reduce = find_bulk_reduction(*kind, type, on_global);
    if (work.reduce == nullptr) refuse(in, "PTX has no such operation on this type");
    work.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    if (on_global) require_block_order();
}

// [tensor map, {coordinates}]
void FunctionDecoder::tensor_place(const ptx::Instruction& in, std::size_t number, BulkWork& work)
{
    work.rank = in.has(Word::d1)   ? 1
                : in.has(Word::d2) ? 2
                : in.has(Word::d3) ? 3
                : in.has(Word::d4) ? 4
                                   : 5;
    bulk_address(in, number, Space::none, trace::Op::load, work.map);
    const std::vector<ptx::Operand>& coordinates = in.operands[number].elements;
    if (coordinates.size() != static_cast<std::size_t>(work.rank))
        refuse(in, "the number of coordinates does not match");
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        work.coordinates[i] = source_row(in, coordinates[i], ptx::Type::s32);
}

// Loads: [to], [map, coordinates], [mbarrier] {, mask of blocks}; stores: [map, coordinates],
// [from]; prefetches: [map, coordinates].
void FunctionDecoder::tensor_copy(const ptx::Instruction& in, BulkWork& work)
{
    const bool prefetches = in.op == Op::tensor_prefetch;
    const bool stores = !prefetches && in.has(Word::bulk_group);
    const bool multicast = in.has(Word::multicast);
    const std::size_t expected = (prefetches ? 1u
                                  : stores   ? 2u
                                             : 3u) +
                                 (multicast ? 1u : 0u) + (in.has(Word::cache_hint) ? 1u : 0u);
    if (in.operands.size() != expected) refuse(in, "its operands do not match its modifiers");
    const Space source = stores ? Space::shared : Space::global; // the last space of the opcode
    if (in.modifiers.space != source || (stores && multicast))
        refuse(in, "its state spaces do not match its completion mechanism");
    if (prefetches) {
        work.kind = BulkKind::tensor_prefetch;
        return tensor_place(in, 0, work);
    }
    if (stores) {
        work.kind = BulkKind::tensor_store;
        tensor_place(in, 0, work);
        bulk_address(in, 1, Space::shared, trace::Op::load, work.from);
        if (in.op != Op::tensor_reduce) return;
        work.reduction = static_cast<int>(*reduction_of(in));
        return require_block_order();
    }
    work.kind = BulkKind::tensor_load;
    bulk_address(in, 0, Space::shared, trace::Op::store, work.to);
    tensor_place(in, 1, work);
    bulk_address(in, 2, Space::shared, trace::Op::atomic, work.object);
    work.object.element_bytes = work.object.width_bytes = 8;
    if (multicast) work.blocks = source_row(in, in.operands[3], ptx::Type::b16);
}

// tensormap.replace.tile.FIELD.shared::cta.b1024 [map] {, dimension}, value
void FunctionDecoder::tensor_map_field(const ptx::Instruction& in, BulkWork& work)
{
    constexpr std::pair<Word, MapField> fields[] = {
        {Word::global_address, MapField::address},
        {Word::rank, MapField::rank},
        {Word::box_dim, MapField::box},
        {Word::global_dim, MapField::size},
        {Word::global_stride, MapField::stride},
        {Word::element_stride, MapField::step},
        {Word::elemtype, MapField::type},
        {Word::interleave_layout, MapField::interleave},
        {Word::swizzle_mode, MapField::swizzle},
        {Word::fill_mode, MapField::fill},
    };
    for (const auto& [word, field] : fields)
        if (in.has(word)) work.field = field;
    work.kind = BulkKind::map_field;
    bulk_address(in, 0, Space::shared, trace::Op::store, work.to);
    const bool has_dimension = work.field == MapField::box || work.field == MapField::size ||
                               work.field == MapField::stride || work.field == MapField::step;
    const bool wide = work.field == MapField::address || work.field == MapField::stride;
    if (in.operands.size() != (has_dimension ? 3u : 2u) ||
        in.modifiers.type() != (wide ? ptx::Type::b64 : ptx::Type::b32))
        refuse(in, "its operands or its type do not match the field");
    if (has_dimension) {
        const ptx::Operand& dimension = in.operands[1];
        if (dimension.kind != ptx::Operand::Kind::immediate || dimension.bits > 4)
            refuse(in, "its dimension is not a number from 0 to 4");
        work.dimension = static_cast<int>(dimension.bits);
    }
    work.values[0] = source_row(in, in.operands.back(), in.modifiers.type());
}

// cp.async.bulk…: [to], [from], bytes, then [mbarrier] and the mask of blocks, or the byte mask.
// A cache policy has no effect.
bool FunctionDecoder::bulk_copy(const ptx::Instruction& in, Instruction& out)
{
    shared.program.bulk_copies = true;
    if (in.op == Op::bulk_commit) {
        out.use(bulk_commit_handlers());
        return true;
    }
    if (in.op == Op::bulk_wait) {
        Operands operands;
        operands.values[0] = static_cast<std::int64_t>(in.operands[0].bits);
        out.use(bulk_wait_handlers(in.has(Word::read)));
        out.extra = add_operands(operands);
        return true;
    }
    BulkWork work;
    const auto place = [&](std::size_t number, Space space, trace::Op op, Access& access) {
        bulk_address(in, number, space, op, access);
    };
    const auto object = [&](std::size_t number) {
        place(number, Space::shared, trace::Op::atomic, work.object);
        work.object.element_bytes = work.object.width_bytes = 8;
    };
    const auto size = [&](std::size_t number) {
        work.size = source_row(in, in.operands[number], ptx::Type::u32);
    };
    switch (in.op) {
    case Op::tensormap_replace:
        tensor_map_field(in, work);
        out.use(map_field_handlers());
        out.extra = static_cast<std::uint32_t>(function.bulk.size());
        function.bulk.push_back(work);
        return true;
    case Op::tensormap_copy:
        work.kind = BulkKind::map_copy;
        place(0, Space::global, trace::Op::store, work.to);
        place(1, Space::shared, trace::Op::load, work.from);
        if (in.operands[2].bits != 128) refuse(in, "a tensor map has 128 bytes");
        out.use(map_copy_handlers());
        out.extra = static_cast<std::uint32_t>(function.bulk.size());
        function.bulk.push_back(work);
        return true;
    case Op::tensor_copy:
    case Op::tensor_reduce:
    case Op::tensor_prefetch:
        tensor_copy(in, work);
        out.use(tensor_copy_handlers());
        out.extra = static_cast<std::uint32_t>(function.bulk.size());
        function.bulk.push_back(work);
        return true;
    case Op::bulk_load: {
        place(0, Space::shared, trace::Op::store, work.to);
        place(1, Space::global, trace::Op::load, work.from);
        size(2);
        object(3);
        const std::size_t expected =
            4u + (in.has(Word::multicast) ? 1u : 0u) + (in.has(Word::cache_hint) ? 1u : 0u);
        if (in.operands.size() != expected) refuse(in, "its operands do not match its modifiers");
        if (in.has(Word::multicast)) work.blocks = source_row(in, in.operands[4], ptx::Type::b16);
        break;
    }
    case Op::bulk_store:
    case Op::bulk_reduce: {
        work.kind = BulkKind::store;
        const bool reduces = in.op == Op::bulk_reduce;
        place(0, Space::global, reduces ? trace::Op::reduction : trace::Op::store, work.to);
        place(1, Space::shared, trace::Op::load, work.from);
        size(2);
        const std::size_t expected =
            3u + (in.has(Word::cache_hint) ? 1u : 0u) + (in.has(Word::cp_mask) ? 1u : 0u);
        if (in.operands.size() != expected) refuse(in, "its operands do not match its modifiers");
        if (in.has(Word::cp_mask))
            work.byte_mask = source_row(in, in.operands.back(), ptx::Type::b16);
        if (reduces) bulk_reduction(in, true, work);
        break;
    }
    case Op::bulk_within:
    case Op::bulk_reduce_within:
        work.kind = BulkKind::within;
        place(0, Space::shared, in.op == Op::bulk_within ? trace::Op::store : trace::Op::reduction,
              work.to);
        place(1, Space::shared, trace::Op::load, work.from);
        size(2);
        object(3);
        if (in.op == Op::bulk_reduce_within) bulk_reduction(in, false, work);
        break;
    case Op::bulk_prefetch:
        work.kind = BulkKind::prefetch;
        place(0, Space::global, trace::Op::load, work.from);
        size(1);
        break;
    case Op::store_async:
    case Op::reduce_async: {
        const bool reduces = in.op == Op::reduce_async;
        work.kind = reduces ? BulkKind::reduce_async : BulkKind::store_async;
        place(0, Space::shared, reduces ? trace::Op::reduction : trace::Op::store, work.to);
        object(2);
        const ptx::Type type = in.modifiers.type();
        const ptx::Operand& value = in.operands[1];
        const bool vector = value.kind == ptx::Operand::Kind::vector;
        const std::span<const ptx::Operand> elements =
            vector ? std::span(value.elements) : std::span(&value, 1);
        work.elements = in.modifiers.elements;
        if (elements.size() != work.elements) refuse(in, "the number of values does not match");
        work.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
        if (work.elements * work.element_bytes > 16)
            refuse(in, "a lane can store at most 16 bytes");
        for (std::size_t i = 0; i < elements.size(); ++i)
            work.values[i] = source_row(in, elements[i], type);
        if (reduces) bulk_reduction(in, false, work);
        break;
    }
    case Op::store_bulk: {
        work.kind = BulkKind::fill;
        place(0, in.modifiers.space == Space::shared ? Space::shared : Space::none,
              trace::Op::store, work.to);
        work.size = source_row(in, in.operands[1], ptx::Type::u64);
        const ptx::Operand& value = in.operands[2];
        if (value.kind != ptx::Operand::Kind::immediate || value.bits != 0)
            refuse(in, "PTX allows no initial value but 0");
        out.use(bulk_fill_handlers());
        out.extra = static_cast<std::uint32_t>(function.bulk.size());
        function.bulk.push_back(work);
        return true;
    }
    default: return false;
    }
    out.use(bulk_copy_handlers());
    out.extra = static_cast<std::uint32_t>(function.bulk.size());
    function.bulk.push_back(work);
    return true;
}

} // namespace lanescope::simt
