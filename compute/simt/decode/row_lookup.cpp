// Finds an instruction's row function in the requested instruction set, and its operand types.
#include <fmt/format.h>

#include "compute/device/device.h"
#include "compute/process/processor.h"
#include "compute/simt/decode/row_words.h"
#include "compute/simt/operations/rows/built.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
RowFunction select(const Key& key);
}
namespace avx2 {
RowFunction select(const Key& key);
}
namespace avx512 {
RowFunction select(const Key& key);
}

} // namespace rows

namespace {

using namespace rows;
using ptx::Type;

RowFunction select(const Key& key, Isa isa)
{
    if constexpr (is_built(Isa::avx512))
        if (isa == Isa::avx512) return avx512::select(key);
    if constexpr (is_built(Isa::avx2))
        if (isa == Isa::avx2) return avx2::select(key);
    if constexpr (is_built(Isa::baseline))
        if (isa == Isa::baseline) return baseline::select(key);
    refuse_instruction_set(isa);
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

// Type of one of the `elements` parts of a vector of `type`.
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

// Type of an operand, by its letter in the instruction table.
Type type_of_operand(char letter, const Key& key)
{
    switch (letter) {
    case 't': return key.packed ? Type::b32 : key.type;
    case 's': return key.source;
    case 'w':
        if (key.part == Part::wide) return twice_as_wide(key.type);
        return key.type;
    case 'd': return key.type == Type::s32 || key.source == Type::s32 ? Type::s32 : Type::u32;
    case 'b': return Type::b32;
    case 'u': return Type::u32;
    case 'i': return Type::s32;
    case 'l': return Type::b64;
    case 'p':
    case 'P': return Type::pred;
    default: return Type::none;
    }
}

void describe(RowOperation& operation, const Key& key, std::string_view operands)
{
    bool past_destinations = false;
    for (const char letter : operands) {
        if (letter == '?') continue;
        if (letter == ':') {
            past_destinations = true;
            continue;
        }
        const Type type = type_of_operand(letter, key);
        if (past_destinations)
            sources(operation, {type});
        else
            destinations(operation, {type});
        if (letter == 'P') destinations(operation, {type});
    }
    const bool extreme = key.op == Op::min || key.op == Op::max;
    const bool comparison = key.op == Op::setp || key.op == Op::set;
    if ((key.op == Op::cvt_pack && key.third == Type::none) || (extreme && !key.three) ||
        (comparison && key.boolean == Boolean::none))
        --operation.source_count;
}

// True for the destination types of conversions from two registers.
bool makes_two(Type type)
{
    switch (type) {
    case Type::f16x2:
    case Type::bf16x2:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::e2m1x2:
    case Type::e2m3x2:
    case Type::e3m2x2:
    case Type::ue8m0x2: return true;
    default: return false;
    }
}

// A conversion of two values fills a register's two halves; tf32 is not a separate type.
void describe_conversion(RowOperation& operation, const Key& key)
{
    destinations(operation, {key.tf32 ? Type::b32 : key.type});
    sources(operation, {key.source});
    if (key.source == Type::f32 && makes_two(key.type)) sources(operation, {key.source});
    if (key.rounding == Rounding::rs) sources(operation, {Type::b32}); // the random bits
}

void describe_elements(RowOperation& operation, const Key& key)
{
    if (key.op == Op::move_vector) {
        for (int i = 0; i < key.elements; ++i) {
            destinations(operation, {key.type});
            sources(operation, {key.type});
        }
        return;
    }
    const Type element = element_type(key.type, key.elements);
    if (key.op == Op::pack) destinations(operation, {key.type});
    for (int i = 0; i < key.elements; ++i)
        key.op == Op::pack ? sources(operation, {element}) : destinations(operation, {element});
    if (key.op == Op::unpack) sources(operation, {key.type});
}

} // namespace

namespace {

bool is_executed_here(Isa isa)
{
    if (isa == Isa::baseline) return true;
    return processor_has_avx2() && (isa == Isa::avx2 || processor_has_avx512());
}

} // namespace

bool is_available(Isa isa)
{
    return is_built(isa) && is_executed_here(isa);
}

void refuse_instruction_set(Isa isa)
{
    constexpr const char* names[] = {"SSE2", "AVX2", "AVX-512"};
    throw device::DeviceError(
        fmt::format("This build of the lockstep machine has no row functions for {}.",
                    names[static_cast<int>(isa)]),
        "Configure it with -D LANESCOPE_ROWS=all.");
}

Isa best_isa()
{
    for (Isa isa : {Isa::avx512, Isa::avx2, Isa::baseline})
        if (is_available(isa)) return isa;
    throw device::DeviceError(
        "The lockstep machine was built for vector instructions that this processor lacks.",
        "Build it on this machine, or with -D LANESCOPE_ROWS=all.");
}

std::optional<RowOperation> find_row_operation(const ptx::Instruction& instruction, Isa isa)
{
    const auto key = read_row_key(instruction);
    if (!key) return std::nullopt;
    RowOperation operation;
    operation.run = select(*key, isa);
    if (operation.run == nullptr) return std::nullopt;
    operation.uses_carry = key->carry_in || key->carry_out;
    if (key->op == Op::cvt)
        describe_conversion(operation, *key);
    else if (key->op >= Op::pack)
        describe_elements(operation, *key);
    else
        describe(operation, *key, ptx::form_of(instruction.op).operands);
    return operation;
}

} // namespace lanescope::simt
