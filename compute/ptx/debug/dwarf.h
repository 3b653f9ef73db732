// Variables described by a text compiled with -G: names, types, scopes and locations, from the
// DWARF sections of the PTX itself (.debug_info, .debug_abbrev, .debug_loc).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// The properties of a type that are needed to display its values.
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
    std::size_t bytes = 0;  // total size; 0: unknown ("extern __shared__ int x[]")
    std::shared_ptr<const SourceType> element{}; // array or pointer: element type; null: void
    std::vector<std::uint64_t> extents{};        // array dimensions; 0: unknown
    struct Member;
    std::vector<Member> members{};
};
struct SourceType::Member {
    std::string name;
    std::size_t offset = 0;
    std::shared_ptr<const SourceType> type;
};

// Location of a variable.
struct VariablePlace {
    enum class Kind : std::uint8_t { none, reg, memory };
    Kind kind = Kind::none;
    std::string name{};      // a register ("%f3") or a PTX variable ("__local_depot0", "tile")
    std::int64_t offset = 0; // within that variable
};

// A location that is valid for instructions [begin, end), as indices into Function::instructions.
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
    int scope_begin = 0; // first instruction of its scope
    int scope_end = 0;
    int depth = 0; // nesting depth of its scope: inner ones hide outer ones
    std::vector<PlacedVariable> places;

    // Null if it has no location at that instruction.
    const VariablePlace* place_at(int instruction) const;
    bool in_scope(int instruction) const
    {
        return instruction >= scope_begin && instruction < scope_end;
    }
};

struct DebugFunction {
    std::string name;     // mangled, as in the PTX
    std::string readable; // name in the source
    std::vector<SourceVariable> variables;
};

struct DebugInfo {
    std::vector<DebugFunction> functions;
    std::vector<SourceVariable> globals; // module variables, in scope everywhere
    std::vector<SourceVariable> shared;  // arrays in the source; their location is unknown

    const DebugFunction* find(std::string_view function) const;
};

// True if the text was compiled for debugging (".target sm_75, debug").
bool is_debug_text(std::string_view ptx);

// Empty for a text without these sections. Unknown parts are skipped.
DebugInfo read_debug_info(const Module& module);

} // namespace lanescope::ptx
