// The instruction table: one form per row of table.def, with its operands, permitted modifiers, the
// unit that executes it and its side effects. Only this table refuses unknown words.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

enum class Op : std::uint16_t {
#define FORM(op, name, operands, modifiers, unit, effect) op,
#define REFUSED(op, name, operands, reason) op,
#include "compute/ptx/instructions/table.def"
    // Forms of mov with vectors: `pack` has a vector source, `unpack` a vector destination.
    pack,
    unpack,
    move_vector, // both are vectors
};

enum class Word : std::uint8_t {
#define WORD(id, text) id,
#include "compute/ptx/instructions/table.def"
    count,
};

// The unit that executes a form: families of arithmetic first, then parts of the decoder.
enum class Unit : std::uint8_t {
    arithmetic,
    bitfield,
    logic,
    comparison,
    conversion,
    move,
    address,
    memory,
    atomic,
    copy,
    fence,
    nothing,
    control,
    barrier,
    warp,
    image,
    matrix,
    barrier_object, // mbarrier
    bulk_copy,      // cp.async.bulk, st.async and the like
    video,          // on bytes and halves of registers
    refused,        // unsupported: see Form::reason
};

// True for the families whose operands are vector registers only.
constexpr bool is_arithmetic(Unit unit)
{
    return unit <= Unit::move;
}

enum class Effect : std::uint8_t {
    none,
    reads,        // loads from memory
    writes,       // stores to memory
    updates,      // atomic operations that return the old value
    reduces,      // atomic operations that return nothing
    copies,       // asynchronous copies from global to shared memory
    branches,     // jumps to labels
    calls,        // calls of functions
    leaves,       // all lanes that execute it leave the function
    synchronises, // lanes wait for each other
};

struct Form {
    Op op{};
    std::string_view name;      // `|` between names of the same form
    std::string_view operands;  // format described in table.def
    std::string_view modifiers; // as written in table.def
    Unit unit = Unit::refused;
    Effect effect = Effect::none;
    std::string_view reason; // unsupported forms only

    int min_operands = 0; // minimum number of operands
    int max_operands = 0;
    int destinations = 0;
    int address = -1; // index of the operand that must be an address; -1: none
    int label = -1;   // index of the operand that is a label; -1: none
};

std::span<const Form> forms();
const Form& form_of(Op op);
// The modifiers of a form, with list names expanded.
std::string written_out(const Form& form);

// Result of parsing an opcode and its modifiers. `form` is null if the table doesn't have them;
// `problem` then completes a sentence that starts with the instruction: "is not known", "cannot
// have .sideways", "lacks one of .up, .down".
struct Reading {
    const Form* form = nullptr;
    Modifiers modifiers;
    std::string problem;
};
Reading read_words(std::string_view opcode, std::span<const std::string_view> words);

// Other PTX features that the lockstep machine refuses: device runtime functions, by name
// prefix, and kernel directives.
struct Refused {
    std::string_view name;
    std::string_view reason;
};
std::span<const Refused> refused_functions();
std::span<const Refused> refused_directives();

// Why a declared but undefined function can't be called here; empty if there is no particular
// reason.
std::string_view reason_of_function(std::string_view name);

} // namespace lanescope::ptx
