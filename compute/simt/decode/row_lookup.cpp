// Finds the row function of an instruction, in the instruction set asked for, and the types of its
// operands.
#include "compute/simt/decode/row_words.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
RowFunction select(const Key& key);
}
#if defined(__x86_64__)
namespace avx2 {
RowFunction select(const Key& key);
}
namespace avx512 {
RowFunction select(const Key& key);
}
#endif

} // namespace rows

namespace {

using namespace rows;
using ptx::Type;

RowFunction select(const Key& key, [[maybe_unused]] Isa isa)
{
#if defined(__x86_64__)
    if (isa == Isa::avx512) return avx512::select(key);
    if (isa == Isa::avx2) return avx2::select(key);
#endif
    return baseline::select(key);
}

Type twice_as_wide(Type type)
{
    switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return Type::none;
    }
}

// The part of a vector of `elements` that makes up `type`.
Type element_type(Type type, int elements)
{
    switch (ptx::size_bytes(type) / elements) {
    case 1: return Type::b8;
    case 2: return Type::b16;
    case 4: return Type::b32;
    default: return Type::b64;
    }
}

void destinations(RowOperation& operation, std::initializer_list<Type> types)
{
    for (const Type type : types) operation.destinations[operation.destination_count++] = type;
}
void sources(RowOperation& operation, std::initializer_list<Type> types)
{
    for (const Type type : types) operation.sources[operation.source_count++] = type;
}

// Operands of the ordinary kind: all of the instruction's type.
void describe_plain(RowOperation& operation, const Key& key, int count)
{
    const Type type = key.packed ? Type::b32 : key.type;
    destinations(operation, {type});
    for (int i = 0; i < count; ++i) sources(operation, {type});
}

void describe_product(RowOperation& operation, const Key& key)
{
    const Type result = key.part == Part::wide ? twice_as_wide(key.type) : key.type;
    destinations(operation, {result});
    sources(operation, {key.type, key.type});
    if (key.op == Op::mad) sources(operation, {result});
}

void describe_conversion(RowOperation& operation, const Key& key)
{
    if (key.op == Op::cvt_pack) {
        destinations(operation, {Type::b32});
        sources(operation, {Type::s32, Type::s32});
        if (key.with_third) sources(operation, {Type::b32});
        return;
    }
    destinations(operation, {key.tf32 ? Type::b32 : key.type});
    sources(operation, {key.source});
    if (key.type == Type::f16x2 || key.type == Type::bf16x2) sources(operation, {key.source});
}

void describe(RowOperation& operation, const Key& key)
{
    const Type type = key.type;
    switch (key.op) {
    case Op::mul:
    case Op::mad: return describe_product(operation, key);
    case Op::fma:
    case Op::sad:
    case Op::mad24:
    case Op::prmt: return describe_plain(operation, key, 3);
    case Op::abs:
    case Op::neg:
    case Op::bit_not:
    case Op::cnot:
    case Op::sqrt:
    case Op::rcp:
    case Op::rsqrt:
    case Op::ex2:
    case Op::lg2:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::brev:
    case Op::mov: return describe_plain(operation, key, 1);
    case Op::bfind:
    case Op::clz:
    case Op::popc: destinations(operation, {Type::u32}); return sources(operation, {type});
    case Op::bfe:
        destinations(operation, {type});
        return sources(operation, {type, Type::u32, Type::u32});
    case Op::bfi:
        destinations(operation, {type});
        return sources(operation, {type, type, Type::u32, Type::u32});
    case Op::shl:
    case Op::shr:
    case Op::szext: destinations(operation, {type}); return sources(operation, {type, Type::u32});
    case Op::shf:
        destinations(operation, {type});
        return sources(operation, {type, type, Type::u32});
    case Op::fns:
        destinations(operation, {Type::b32});
        return sources(operation, {Type::b32, Type::b32, Type::s32});
    case Op::vabsdiff2:
    case Op::vabsdiff4:
        destinations(operation, {type});
        return sources(operation, {key.source, key.source, type});
    case Op::dp4a:
    case Op::dp2a: {
        const Type sum = key.type == Type::s32 || key.source == Type::s32 ? Type::s32 : Type::u32;
        destinations(operation, {sum});
        return sources(operation, {key.type, key.source, sum});
    }
    case Op::lop3:
        destinations(operation, {type});
        return sources(operation, {type, type, type, Type::u32});
    case Op::testp: destinations(operation, {Type::pred}); return sources(operation, {type});
    case Op::setp:
        destinations(operation, {Type::pred, Type::pred});
        return sources(operation, {key.source, key.source, Type::pred});
    case Op::set:
        destinations(operation, {type});
        return sources(operation, {key.source, key.source, Type::pred});
    case Op::selp:
        destinations(operation, {type});
        return sources(operation, {type, type, Type::pred});
    case Op::slct:
        destinations(operation, {type});
        return sources(operation, {type, type, key.source});
    case Op::cvt:
    case Op::cvt_pack: return describe_conversion(operation, key);
    case Op::pack:
        destinations(operation, {type});
        for (int i = 0; i < key.elements; ++i)
            sources(operation, {element_type(type, key.elements)});
        return;
    case Op::unpack:
        for (int i = 0; i < key.elements; ++i)
            destinations(operation, {element_type(type, key.elements)});
        return sources(operation, {type});
    default: return describe_plain(operation, key, 2);
    }
}

} // namespace

Isa best_isa()
{
#if defined(__x86_64__)
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx512 && avx2) return Isa::avx512;
    if (avx2) return Isa::avx2;
#endif
    return Isa::baseline;
}

std::optional<RowOperation> find_row_operation(const ptx::Instruction& instruction, Isa isa)
{
    const auto key = read_row_key(instruction);
    if (!key) return std::nullopt;
    RowOperation operation;
    operation.run = select(*key, isa);
    if (operation.run == nullptr) return std::nullopt;
    operation.uses_carry = key->carry_in || key->carry_out;
    describe(operation, *key);
    return operation;
}

} // namespace lanescope::simt
