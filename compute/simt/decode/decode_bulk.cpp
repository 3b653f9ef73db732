// cp.async.bulk, cp.reduce.async.bulk, st.async, red.async and st.bulk.
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
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

// Decodes one instruction that starts bulk copies.
class BulkDecoder {
public:
    BulkDecoder(FunctionDecoder& decoder, const ptx::Instruction& in) : decoder_(decoder), in_(in)
    {
    }
    // The handlers that start the copy; empty for other instructions. A cache policy has no effect.
    std::optional<Handlers> decode();

    BulkWork work;

private:
    void address(std::size_t number, Space space, trace::Op op, Access& access);
    void reduction(bool on_global);
    void tensor_place(std::size_t number);
    void tensor_copy();
    void map_field();
    void object(std::size_t number);
    void load();
    void store();
    void within();
    void async_store();
    void fill();
    void map_copy();
    [[noreturn]] void refuse(std::string_view why) const { decoder_.refuse(in_, why); }
    RowRef source_row(const ptx::Operand& operand, ptx::Type type)
    {
        return decoder_.source_row(in_, operand, type);
    }

    FunctionDecoder& decoder_;
    const ptx::Instruction& in_;
};

void BulkDecoder::address(std::size_t number, Space space, trace::Op op, Access& access)
{
    const ptx::Operand& operand = in_.operands[number];
    if (operand.kind != ptx::Operand::Kind::address)
        refuse("one of its addresses is not in brackets");
    access.space = space;
    access.op = op;
    access.element_bytes = access.width_bytes = 16;
    decoder_.address(in_, operand, access);
}

void BulkDecoder::reduction(bool on_global)
{
    const ptx::Type type = in_.modifiers.type();
    const auto kind = reduction_of(in_);
    const bool half = type == ptx::Type::f16 || type == ptx::Type::bf16;
    const bool noftz = in_.has(Word::noftz);
    if (noftz != (half && kind == AtomicKind::add))
        refuse("additions of .f16 and .bf16 need .noftz, others must not have it");
    if (kind) work.reduce = find_bulk_reduction(*kind, type, on_global);
    if (work.reduce == nullptr) refuse("PTX has no such operation on this type");
    work.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    if (on_global) decoder_.require_block_order();
}

// [tensor map, {coordinates}]
void BulkDecoder::tensor_place(std::size_t number)
{
    work.rank = in_.has(Word::d1)   ? 1
                : in_.has(Word::d2) ? 2
                : in_.has(Word::d3) ? 3
                : in_.has(Word::d4) ? 4
                                    : 5;
    address(number, Space::none, trace::Op::load, work.map);
    const std::vector<ptx::Operand>& coordinates = in_.operands[number].elements;
    if (coordinates.size() != static_cast<std::size_t>(work.rank))
        refuse("the number of coordinates does not match");
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        work.coordinates[i] = source_row(coordinates[i], ptx::Type::s32);
}

// Loads: [to], [map, coordinates], [mbarrier] {, mask of blocks}; stores: [map, coordinates],
// [from]; prefetches: [map, coordinates].
void BulkDecoder::tensor_copy()
{
    const bool prefetches = in_.op == Op::tensor_prefetch;
    const bool stores = !prefetches && in_.has(Word::bulk_group);
    const bool multicast = in_.has(Word::multicast);
    const std::size_t expected = (prefetches ? 1u
                                  : stores   ? 2u
                                             : 3u) +
                                 (multicast ? 1u : 0u) + (in_.has(Word::cache_hint) ? 1u : 0u);
    if (in_.operands.size() != expected) refuse("its operands do not match its modifiers");
    const Space source = stores ? Space::shared : Space::global; // the last space of the opcode
    if (in_.modifiers.space != source || (stores && multicast))
        refuse("its state spaces do not match its completion mechanism");
    if (prefetches) {
        work.kind = BulkKind::tensor_prefetch;
        return tensor_place(0);
    }
    if (stores) {
        work.kind = BulkKind::tensor_store;
        tensor_place(0);
        address(1, Space::shared, trace::Op::load, work.from);
        if (in_.op != Op::tensor_reduce) return;
        work.reduction = static_cast<int>(*reduction_of(in_));
        return decoder_.require_block_order();
    }
    work.kind = BulkKind::tensor_load;
    address(0, Space::shared, trace::Op::store, work.to);
    tensor_place(1);
    object(2);
    if (multicast) work.blocks = source_row(in_.operands[3], ptx::Type::b16);
}

// tensormap.replace.tile.FIELD.shared::cta.b1024 [map] {, dimension}, value
void BulkDecoder::map_field()
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
        if (in_.has(word)) work.field = field;
    work.kind = BulkKind::map_field;
    address(0, Space::shared, trace::Op::store, work.to);
    const bool has_dimension = work.field == MapField::box || work.field == MapField::size ||
                               work.field == MapField::stride || work.field == MapField::step;
    const bool wide = work.field == MapField::address || work.field == MapField::stride;
    if (in_.operands.size() != (has_dimension ? 3u : 2u) ||
        in_.modifiers.type() != (wide ? ptx::Type::b64 : ptx::Type::b32))
        refuse("its operands or its type do not match the field");
    if (has_dimension) {
        const ptx::Operand& dimension = in_.operands[1];
        if (dimension.kind != ptx::Operand::Kind::immediate || dimension.bits > 4)
            refuse("its dimension is not a number from 0 to 4");
        work.dimension = static_cast<int>(dimension.bits);
    }
    work.values[0] = source_row(in_.operands.back(), in_.modifiers.type());
}

// [mbarrier], on which the copy completes.
void BulkDecoder::object(std::size_t number)
{
    address(number, Space::shared, trace::Op::atomic, work.object);
    work.object.element_bytes = work.object.width_bytes = 8;
}

// [to], [from], bytes, [mbarrier] {, mask of blocks}
void BulkDecoder::load()
{
    address(0, Space::shared, trace::Op::store, work.to);
    address(1, Space::global, trace::Op::load, work.from);
    work.size = source_row(in_.operands[2], ptx::Type::u32);
    object(3);
    const std::size_t expected =
        4u + (in_.has(Word::multicast) ? 1u : 0u) + (in_.has(Word::cache_hint) ? 1u : 0u);
    if (in_.operands.size() != expected) refuse("its operands do not match its modifiers");
    if (in_.has(Word::multicast)) work.blocks = source_row(in_.operands[4], ptx::Type::b16);
}

// [to], [from], bytes {, byte mask}
void BulkDecoder::store()
{
    const bool reduces = in_.op == Op::bulk_reduce;
    work.kind = BulkKind::store;
    address(0, Space::global, reduces ? trace::Op::reduction : trace::Op::store, work.to);
    address(1, Space::shared, trace::Op::load, work.from);
    work.size = source_row(in_.operands[2], ptx::Type::u32);
    const std::size_t expected =
        3u + (in_.has(Word::cache_hint) ? 1u : 0u) + (in_.has(Word::cp_mask) ? 1u : 0u);
    if (in_.operands.size() != expected) refuse("its operands do not match its modifiers");
    if (in_.has(Word::cp_mask)) work.byte_mask = source_row(in_.operands.back(), ptx::Type::b16);
    if (reduces) reduction(true);
}

// Between the blocks of a cluster: [to], [from], bytes, [mbarrier]
void BulkDecoder::within()
{
    const bool reduces = in_.op == Op::bulk_reduce_within;
    work.kind = BulkKind::within;
    address(0, Space::shared, reduces ? trace::Op::reduction : trace::Op::store, work.to);
    address(1, Space::shared, trace::Op::load, work.from);
    work.size = source_row(in_.operands[2], ptx::Type::u32);
    object(3);
    if (reduces) reduction(false);
}

// st.async, red.async: [to], value or {values}, [mbarrier]
void BulkDecoder::async_store()
{
    const bool reduces = in_.op == Op::reduce_async;
    work.kind = reduces ? BulkKind::reduce_async : BulkKind::store_async;
    address(0, Space::shared, reduces ? trace::Op::reduction : trace::Op::store, work.to);
    object(2);
    const ptx::Type type = in_.modifiers.type();
    const ptx::Operand& value = in_.operands[1];
    const bool vector = value.kind == ptx::Operand::Kind::vector;
    const std::span<const ptx::Operand> elements =
        vector ? std::span(value.elements) : std::span(&value, 1);
    work.elements = in_.modifiers.elements;
    if (elements.size() != work.elements)
        refuse("the number of values does not match the instruction");
    work.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    if (work.elements * work.element_bytes > 16) refuse("a lane can store at most 16 bytes");
    for (std::size_t i = 0; i < elements.size(); ++i)
        work.values[i] = source_row(elements[i], type);
    if (reduces) reduction(false);
}

// st.bulk: [to], bytes, 0
void BulkDecoder::fill()
{
    work.kind = BulkKind::fill;
    address(0, in_.modifiers.space == Space::shared ? Space::shared : Space::none, trace::Op::store,
            work.to);
    work.size = source_row(in_.operands[1], ptx::Type::u64);
    const ptx::Operand& value = in_.operands[2];
    if (value.kind != ptx::Operand::Kind::immediate || value.bits != 0)
        refuse("PTX allows no initial value but 0");
}

// tensormap.cp_fenceproxy: [to], [from], 128
void BulkDecoder::map_copy()
{
    work.kind = BulkKind::map_copy;
    address(0, Space::global, trace::Op::store, work.to);
    address(1, Space::shared, trace::Op::load, work.from);
    if (in_.operands[2].bits != 128) refuse("a tensor map has 128 bytes");
}

std::optional<Handlers> BulkDecoder::decode()
{
    switch (in_.op) {
    case Op::tensormap_replace: map_field(); return map_field_handlers();
    case Op::tensormap_copy: map_copy(); return map_copy_handlers();
    case Op::tensor_copy:
    case Op::tensor_reduce:
    case Op::tensor_prefetch: tensor_copy(); return tensor_copy_handlers();
    case Op::bulk_load: load(); break;
    case Op::bulk_store:
    case Op::bulk_reduce: store(); break;
    case Op::bulk_within:
    case Op::bulk_reduce_within: within(); break;
    case Op::bulk_prefetch:
        work.kind = BulkKind::prefetch;
        address(0, Space::global, trace::Op::load, work.from);
        work.size = source_row(in_.operands[1], ptx::Type::u32);
        break;
    case Op::store_async:
    case Op::reduce_async: async_store(); break;
    case Op::store_bulk: fill(); return bulk_fill_handlers();
    default: return std::nullopt;
    }
    return bulk_copy_handlers();
}

} // namespace

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
    BulkDecoder decoder(*this, in);
    const std::optional<Handlers> handlers = decoder.decode();
    if (!handlers) return false;
    out.use(*handlers);
    out.extra = static_cast<std::uint32_t>(function.bulk.size());
    function.bulk.push_back(decoder.work);
    return true;
}

} // namespace lanescope::simt
