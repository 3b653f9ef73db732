// What a PTX text says, as plain data: variables, functions, instructions and where each came from.
// Nothing is interpreted here; the machine decodes it, the rewriter inserts text at the offsets
// kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

// One `.loc`. `inlined_at` is an index into Module::locations, or -1 when the line was not inlined.
struct SourceLocation {
    int file = 0; // key into Module::files
    int line = 0;
    int column = 0;
    std::string function; // name of the inlined function, empty at the outermost level
    int inlined_at = -1;
};

struct Register {
    std::string name; // with its '%', as written
    Type type = Type::none;
};

struct Operand {
    enum class Kind : std::uint8_t {
        reg,       // `reg` (and `negated` for !%p); of video instructions also -%r, and in `bits`
                   // the letter and the digits of %r.b3210, one a byte, 0: all of it
        immediate, // `bits`, `immediate_type` s64 for integers, f32 for 0f…, f64 for 0d… and
                   // decimals
        symbol,    // a variable or function by name (+ `offset`)
        label,     // a branch target
        special,   // %tid.x and friends; `symbol` holds the name without '%'
        address,   // [reg + offset], [symbol + offset], [bits]; [name, {coordinates}] keeps
                   // `elements`
        vector,    // {a, b, …}
        pair,      // %p|%q, two destinations
        list,      // (a, b, …) of a call
        sink,      // _
    };
    // A call has three or four operands, whatever its text leaves out: list of results, symbol or
    // reg called, list of arguments, and for an indirect call the symbol of its prototype. Vector
    // registers (.reg .v2) appear as vectors.
    Kind kind = Kind::sink;
    int reg = -1; // index into Function::registers
    bool negated = false;
    Type immediate_type = Type::none;
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::string symbol;
    std::vector<Operand> elements;
};

struct Guard {
    int reg = -1;
    bool negated = false;
};

struct Instruction {
    Op op{};             // its form in the instruction table
    Modifiers modifiers; // the words behind the opcode, as fields
    std::vector<Operand> operands;
    std::optional<Guard> guard;
    int location = -1;          // index into Module::locations
    int ptx_line = 0;           // 1-based line of the PTX text
    std::size_t text_begin = 0; // byte range in Module::text, from the guard to the ';' inclusive
    std::size_t text_end = 0;

    bool has(Word word) const { return modifiers.has(word); }
};

// A relocation: the address of `symbol` (+ addend), shifted right by `shift_bits`, is stored at
// `offset` in size_bytes bytes (packed structs store addresses byte by byte); `generic` asks for
// its generic address.
struct Relocation {
    std::size_t offset = 0;
    int size_bytes = 8;
    int shift_bits = 0;
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;
};

// A variable or a parameter. size_bytes() covers all elements; an `extern __shared__ x[]` has 0.
struct Variable {
    std::string name; // unique within its function: a name declared again in a nested scope becomes
                      // name@2, …
    Space space = Space::none;
    Type type = Type::none;
    int vector = 1;    // .v2 / .v4
    int alignment = 0; // bytes; natural alignment when the text gives none
    std::vector<std::uint64_t> dimensions;
    std::vector<std::uint8_t> initial; // leading bytes; the rest is zero
    std::vector<Relocation> relocations;
    bool is_extern = false;

    std::size_t size_bytes() const;
};

struct Function {
    std::string name;
    bool is_kernel = false;
    bool is_declaration = false;
    std::vector<Variable> results;
    std::vector<Variable> parameters;
    std::vector<Register> registers; // those that the body uses
    std::vector<Variable> variables; // .local, .shared, .param declared inside
    std::vector<Instruction> instructions;
    std::map<std::string, int>
        labels; // label → index of the instruction that follows (may be one past the end)
    std::map<std::string, std::vector<std::string>>
        branch_targets;                    // .branchtargets → labels, .calltargets → functions
    std::map<std::string, int> prototypes; // .callprototype → index into Function::prototype_list
    struct Prototype {
        std::vector<Variable> results;
        std::vector<Variable> parameters;
    };
    std::vector<Prototype> prototype_list;
    std::map<std::string, std::vector<int>>
        directives; // "maxntid" → {256, 1, 1}, "minnctapersm" → {2}
    // Where the lanes that a branch parts meet again, innermost first, for branches of which more
    // is known than the control flow says (compute/assembled); by the branch's instruction.
    std::map<int, std::vector<int>> meetings;
    // Why the body was not understood: it is then empty, and whoever needs the function is refused.
    struct Refusal {
        int line = 0;
        std::string what; // completes "PTX line N: …"
    };
    std::optional<Refusal> refusal;
    std::size_t text_begin = 0; // byte range in Module::text, with linkage and closing brace
    std::size_t text_end = 0;
    std::size_t body_begin = 0; // offset just behind '{'
    std::size_t body_end = 0;   // offset of '}'
};

// The register that a parameter or result in a register (.reg) is.
int register_index(const Function& function, std::string_view parameter);

struct Module {
    std::string text;
    int version_major = 0;
    int version_minor = 0;
    std::string target; // "sm_75"
    int address_size = 64;
    std::map<int, std::string> files; // .file number → path as written
    std::vector<SourceLocation> locations;
    std::vector<Variable> variables; // module scope: .global, .const, .shared
    std::vector<Function> functions;
    std::map<std::string, std::string> aliases; // .alias: new name → function defined
    std::string
        meetings_of; // whose code Function::meetings are read from: "sm_90"; empty: nobody's

    // Follows aliases; a definition comes before a declaration. Null when there is none of the
    // name.
    const Function* find_function(std::string_view name) const;
    std::vector<std::string> kernel_names() const;
};

// Opcode and modifiers as the text has them: "ld.global.nc.f32".
std::string written(const Module& module, const Instruction& instruction);

// Parses a whole PTX text. What is not understood in the body of a function makes that function
// unusable (Function::refusal); anywhere else it throws a ParseError that names its line.
Module parse(std::string_view text);

} // namespace lanescope::ptx
