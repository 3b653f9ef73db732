// Name lookup while a function is parsed: nested `{ }` scopes, shadowing, and unique names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Meaning of a name. `registers` holds one index for a scalar and 2 or 4 for a vector register.
struct Meaning {
    enum class Kind : std::uint8_t { registers, variable };
    Kind kind = Kind::variable;
    std::vector<int> registers;
    std::string unique;
};

// A use of a label, .branchtargets table or prototype, possibly before its definition. `entry` is
// the position in the table's list, or the operand's index.
struct LabelUse {
    std::string_view name;
    int line = 0;
    bool in_table = false;
    std::string table;
    int instruction = 0;
    int entry = 0;
};

class Scopes {
public:
    explicit Scopes(Function& function);

    void open(int line);
    void close(); // resolves labels defined in this scope; throws ParseError at the outermost one
                  // if any are left
    int depth() const { return static_cast<int>(scopes_.size()); }

    void declare_register(std::string_view name, Type type, int vector, int line);
    // %r<12>: %r0 … %r11, added to Function::registers only when used.
    void declare_range(std::string_view prefix, Type type, int vector, std::uint64_t count,
                       int line);
    // Returns the name used in operands: with `suffix`, unique among all functions.
    std::string declare_variable(std::string_view name, int line, std::string_view suffix = {});
    std::string declare_label(std::string_view name, int line);

    // Null if the function declares no such name. Valid until the next call.
    const Meaning* find(std::string_view name);
    void use_label(LabelUse use);

private:
    struct Range {
        Type type;
        int vector;
        std::uint64_t count;
    };
    struct Scope {
        std::unordered_map<std::string_view, Meaning> names;
        std::unordered_map<std::string_view, Range> ranges;
        std::unordered_map<std::string_view, std::string> labels;
        std::vector<LabelUse> uses;
    };

    std::string unique(std::string_view name);
    Meaning make_registers(std::string_view name, Type type, int vector);
    const Meaning* find_in_ranges(Scope& scope, std::string_view name);
    void resolve(const LabelUse& use, const std::string& label);

    Function& function_;
    std::vector<Scope> scopes_;
    std::unordered_map<std::string_view, int> copies_; // number of declarations per name
};

} // namespace lanescope::ptx
