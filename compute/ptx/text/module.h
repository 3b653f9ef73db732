// Parsed PTX text as plain data: variables, functions, instructions and their
// positions. The parser does not interpret it: the machine decodes it, and the rewriter
// inserts text at the stored offsets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

// One `.loc`. `inlined_at` is an index into Module::locations, or -1 if the line was not inlined.
struct SourceLocation {
    int file = 0; // key into Module::files
    int line = 0;
    int column = 0;
    std::string function; // name of the inlined function; empty at the outermost level
    int inlined_at = -1;
};

struct Register {
    std::string name; // including the '%'
    Type type = Type::none;
};

struct Operand {
    enum class Kind : std::uint8_t {
        reg,       // `reg` (and `negated` for !%p); in video instructions also -%r, with the letter
                   // and digits of %r.b3210 in `bits`, one per byte, 0: the whole register
        immediate, // `bits`; `immediate_type` s64 for integers, f32 for 0f…, otherwise f64
        symbol,    // a named variable or function (+ `offset`)
        label,     // a branch target
        special,   // %tid.x and others; `symbol` holds the name without '%'
        address,   // [reg + offset], [symbol + offset], [bits]; [name, {coordinates}] uses
                   // `elements`
        vector,    // {a, b, …}
        pair,      // %p|%q, two destinations
        list,      // (a, b, …) in a call
        sink,      // _
    };
    // A call always has three or four operands, even if its text omits some: list of results,
    // symbol or register called, list of arguments, and for an indirect call the symbol of its
    // prototype. Vector registers (.reg .v2) are expanded to vectors.
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
    Op op{};             // row of the instruction table
    Modifiers modifiers; // parsed modifiers of the opcode
    std::vector<Operand> operands;
    std::optional<Guard> guard;
    int location = -1;          // index into Module::locations
    int ptx_line = 0;           // 1-based line in the PTX text
    std::size_t text_begin = 0; // byte range in Module::text, from the guard to the ';' inclusive
    std::size_t text_end = 0;

    bool has(Word word) const { return modifiers.has(word); }
};

// A relocation: the address of `symbol` (+ addend), shifted right by `shift_bits`, is stored at
// `offset` in size_bytes bytes (packed structs store addresses byte by byte); `generic` requests
// its generic address.
struct Relocation {
    std::size_t offset = 0;
    int size_bytes = 8;
    int shift_bits = 0;
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;
};

// Which other texts see a name at module scope when texts are linked.
enum class Linkage : std::uint8_t {
    local,   // no other text
    visible, // all texts; one of them defines it
    weak,    // all texts; several may define it (.weak, .common)
};

// A variable or parameter. size_bytes() covers all elements; it is 0 for `extern __shared__ x[]`.
struct Variable {
    std::string name; // unique within its function: a redeclared name becomes name@2, …
    Space space = Space::none;
    Type type = Type::none;
    int vector = 1;    // .v2 / .v4
    int alignment = 0; // in bytes; natural alignment if the text specifies none
    std::vector<std::uint64_t> dimensions;
    std::vector<std::uint8_t> initial; // leading bytes; the rest is zero
    std::vector<Relocation> relocations;
    bool is_extern = false;
    Linkage linkage = Linkage::local;

    std::size_t size_bytes() const;
};

struct Function {
    std::string name;
    bool is_kernel = false;
    bool is_declaration = false;
    Linkage linkage = Linkage::local;
    std::vector<Variable> results;
    std::vector<Variable> parameters;
    std::vector<Register> registers; // registers used in the body
    std::vector<Variable> variables; // .local, .shared and .param variables declared in the body
    std::vector<Instruction> instructions;
    // Label → index of the following instruction (may be one past the end).
    std::map<std::string, int> labels;
    std::map<std::string, std::vector<std::string>>
        branch_targets;                    // .branchtargets → labels, .calltargets → functions
    std::map<std::string, int> prototypes; // .callprototype → index into Function::prototype_list
    struct Prototype {
        std::vector<Variable> results;
        std::vector<Variable> parameters;
    };
    std::vector<Prototype> prototype_list;
    // "maxntid" → {256, 1, 1}, "minnctapersm" → {2}.
    std::map<std::string, std::vector<int>> directives;
    // Reconvergence points of branches as read from the SASS (compute/assembled), innermost first;
    // keyed by the branch's instruction. For other branches the control-flow graph decides.
    std::map<int, std::vector<int>> meetings;
    // Why the body could not be parsed: it is then empty, and kernels that need the function are
    // refused.
    struct Refusal {
        int line = 0;
        std::string what; // completes "PTX line N: …"
    };
    std::optional<Refusal> refusal;
    std::size_t text_begin = 0; // byte range in Module::text, including linkage and closing brace
    std::size_t text_end = 0;
    std::size_t body_begin = 0; // offset just after '{'
    std::size_t body_end = 0;   // offset of '}'
};

// Index of the register that holds a parameter or result passed in a register (.reg).
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
    std::map<std::string, std::string> aliases; // .alias: new name → aliased function
    std::string meetings_of; // architecture that Function::meetings are from; empty: none

    // Follows aliases; prefers a definition to a declaration. Null if the name is unknown.
    const Function* find_function(std::string_view name) const;
    // 75 for "sm_75" and "sm_75a"; 0 if the text names no such target.
    int architecture() const;
    std::vector<std::string> kernel_names() const;
};

// Opcode and modifiers as in the text: "ld.global.nc.f32".
std::string written(const Module& module, const Instruction& instruction);

// Parses a whole PTX text. Anything not understood in the body of a function makes that function
// unusable (Function::refusal); anywhere else it throws a ParseError with the line.
Module parse(std::string_view text);

} // namespace lanescope::ptx
