// The instruction table: one form a line of table.def, with its operands, the modifiers that it may
// carry, who runs it and what it does beside computing. Words that the table does not have are
// refused here and nowhere else.
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
    // mov with a vector as its source or destination.
    pack,
    unpack,
    move_vector, // both
};

enum class Word : std::uint8_t {
#define WORD(id, text) id,
#include "compute/ptx/instructions/table.def"
    count,
};

// Who runs a form: families of arithmetic first, then parts of the decoder.
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
    video,          // on bytes and halves of registers
    refused,        // nobody: Form::reason says why
};

// True for the families whose operands are vector registers and nothing else.
constexpr bool is_arithmetic(Unit unit)
{
    return unit <= Unit::move;
}

enum class Effect : std::uint8_t {
    none,
    reads,        // memory
    writes,       // memory
    updates,      // memory, and returns what was there
    reduces,      // updates memory and returns nothing
    copies,       // from global to shared memory
    branches,     // to labels
    calls,        // a function
    leaves,       // the function, for every lane that executes it
    synchronises, // lanes wait for each other
};

struct Form {
    Op op{};
    std::string_view name;      // `|` between names of the same form
    std::string_view operands;  // as table.def describes them
    std::string_view modifiers; // as table.def has them
    Unit unit = Unit::refused;
    Effect effect = Effect::none;
    std::string_view reason; // of a refused one

    int fewest = 0; // operands
    int most = 0;
    int destinations = 0;
    int address = -1; // the operand that must be an address; -1: none
    int label = -1;   // the operand that is a label; -1: none
};

std::span<const Form> forms();
const Form& form_of(Op op);
// The modifiers of a form with the words of lists in place of their names.
std::string written_out(const Form& form);

// An opcode and the words behind it. `form` is null when the table does not have them; then
// `problem` completes a sentence that begins with the instruction: "is not known", "cannot have
// .sideways", "lacks one of .up, .down".
struct Reading {
    const Form* form = nullptr;
    Modifiers modifiers;
    std::string problem;
};
Reading read_words(std::string_view opcode, std::span<const std::string_view> words);

// What else the lockstep machine refuses: functions of the device runtime, by how their names
// begin, and directives of kernels.
struct Refused {
    std::string_view name;
    std::string_view reason;
};
std::span<const Refused> refused_functions();
std::span<const Refused> refused_directives();

// Why a function that PTX declares and nobody defines cannot be called here; empty when there is no
// particular reason.
std::string_view reason_of_function(std::string_view name);

} // namespace lanescope::ptx
