// What a text compiled with -G says of its variables: names, types, scopes and where each is, from
// the DWARF sections of the PTX itself (.debug_info, .debug_abbrev, .debug_loc).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// A type as far as its values can be shown.
struct SourceType {
    enum class Kind : std::uint8_t {
        none,
        boolean,
        character,
        integer,
        real,
        pointer,
        array,
        record
    };
    Kind kind = Kind::none;
    std::string name{};     // "float", "uchar4", "float [18][18]"
    bool is_signed = false; // integers and characters
    std::size_t bytes = 0;  // of all elements; 0: not known ("extern __shared__ int x[]")
    std::shared_ptr<const SourceType> element{}; // of an array or pointer; null: void
    std::vector<std::uint64_t> extents{};        // of an array; 0: not known
    struct Member;
    std::vector<Member> members{};
};
struct SourceType::Member {
    std::string name;
    std::size_t offset = 0;
    std::shared_ptr<const SourceType> type;
};

// Where a variable is.
struct VariablePlace {
    enum class Kind : std::uint8_t { none, reg, memory };
    Kind kind = Kind::none;
    std::string name{};      // of a register ("%f3") or a PTX variable ("__local_depot0", "tile")
    std::int64_t offset = 0; // in that variable
};

// Over a range of the function's instructions: [begin, end), as indices into
// Function::instructions.
struct PlacedVariable {
    int begin = 0;
    int end = 0;
    VariablePlace place;
};

struct SourceVariable {
    std::string name;
    std::shared_ptr<const SourceType> type;
    int line = 0;
    bool is_parameter = false;
    int scope_begin = 0; // where its name means it
    int scope_end = 0;
    int depth = 0; // of its scope: inner ones hide outer ones
    std::vector<PlacedVariable> places;

    // Null where it has no place at that instruction.
    const VariablePlace* place_at(int instruction) const;
    bool in_scope(int instruction) const
    {
        return instruction >= scope_begin && instruction < scope_end;
    }
};

struct DebugFunction {
    std::string name;     // as PTX has it, mangled
    std::string readable; // as the source has it
    std::vector<SourceVariable> variables;
};

struct DebugInfo {
    std::vector<DebugFunction> functions;
    std::vector<SourceVariable> globals; // of the module: scopes are everywhere
    std::vector<SourceVariable> shared; // arrays that a source declares; where they are is not told

    const DebugFunction* find(std::string_view function) const;
};

// Whether the text was compiled for debugging: .target sm_75, debug.
bool is_debug_text(std::string_view ptx);

// Empty for a text without these sections. What is not understood of them is left out.
DebugInfo read_debug_info(const Module& module);

} // namespace lanescope::ptx
