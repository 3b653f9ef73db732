// The recursive-descent parser behind parse(), with one member function per construct, spread over
// parser.cpp (module), declarations.cpp, initialisers.cpp, expressions.cpp, instructions.cpp,
// operands.cpp and debug_info.cpp.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compute/ptx/text/lexer.h"
#include "compute/ptx/text/module.h"
#include "compute/ptx/text/parse_error.h"
#include "compute/ptx/text/scopes.h"

namespace lanescope::ptx {

struct Form;

class Parser {
public:
    explicit Parser(Module& module); // parses module.text

    void run();

private:
    // Prefixes of a variable or function: .extern, .visible, .weak, .common.
    struct LinkageWords {
        bool is_extern = false;
        bool is_common = false;
        bool is_weak = false;
        bool present = false;
        Linkage linkage() const
        {
            if (!present) return Linkage::local;
            return is_common || is_weak ? Linkage::weak : Linkage::visible;
        }
    };

    // parser.cpp: tokens, module level, functions.
    bool accept(char symbol);
    bool accept(std::string_view dotted);
    void expect(char symbol, std::string_view after);
    Token expect_word(std::string_view what);
    std::uint64_t expect_unsigned(std::string_view what, std::uint64_t max);
    [[noreturn]] void fail_at(const Token& token, std::string_view wanted) const;
    void module_statement();
    void header_statement(std::string_view directive);
    void alias();
    void function(bool is_kernel, const LinkageWords& linkage);
    void check_parameters(const Function& kernel, int line) const;
    void check_block(const Token& directive, const std::vector<int>& extents) const;
    void function_directives();
    void body();
    void body_statements();
    void body_statement();
    void abandon_body(const ParseError& error, std::size_t begin, int line);
    void labelled(const Token& name);
    void check_references();

    // declarations.cpp
    LinkageWords linkage();
    void attributes();
    Variable declarator_head(Space space);
    void dimensions(Variable& variable);
    Variable parameter(Token& name);
    std::vector<Variable> parameter_list(bool named);
    void registers();
    void variables(Space space, const LinkageWords& linkage);
    void module_variable(Variable variable, const LinkageWords& linkage, int line);
    void prototype(const std::string& name);
    void target_table(const std::string& name, bool are_functions);

    // initialisers.cpp
    void initialiser(Variable& variable);
    void initialiser_level(Variable& variable, std::size_t level, std::size_t begin);
    void initialiser_value(Variable& variable, std::size_t offset);
    std::size_t plain_values(Variable& variable, std::size_t offset, std::size_t end);
    void address_value(Variable& variable, std::size_t offset, std::uint64_t mask, bool masked);

    // expressions.cpp
    struct Constant {
        Number number;
        bool is_unsigned = false;
    };
    Constant constant(int level, int depth);
    Constant constant_term(int depth);
    Constant constant_result(const Token& at, std::string_view symbol, const Constant& left,
                             const Constant& right) const;
    std::int64_t signed_offset();

    // instructions.cpp
    void instruction();
    void call_operands(Instruction& instruction);
    void check_operands(const Instruction& instruction, const Form& form,
                        const Token& opcode) const;
    std::string shown(const Token& opcode) const;

    // operands.cpp
    Operand operand(int depth);
    Operand plain_operand();
    Operand named_operand(const Token& name);
    Operand special_register(const Token& name);
    Operand immediate();
    Operand vector_operand(int depth);
    Operand address_operand(int depth);
    Operand register_operand(const Meaning& meaning, const Token& name);
    Operand argument_list();
    Operand label_operand(int instruction, int index);
    std::string refer(const Token& name);

    // debug_info.cpp
    void file_entry();
    void location();
    void section();
    void section_item(bool is_strings, std::string& label);
    void name_inlined_functions();

    Module& module_;
    Lexer lexer_;
    Function* function_ = nullptr; // function being parsed
    std::optional<Scopes> scopes_;
    std::size_t statement_start_ = 0; // start of the module-level statement
    int location_ = -1;
    // State of the instruction being parsed: whether registers may have part suffixes, the words
    // after its opcode, and its operands.
    bool takes_parts_ = false;
    std::vector<std::string_view> words_;
    std::vector<Operand> operands_;
    std::vector<LabelUse> pending_labels_; // for the instruction being parsed
    std::map<std::array<int, 3>, int>
        latest_location_; // file, line and column → index, within the function
    std::unordered_map<std::string, std::string> debug_strings_; // label in .debug_str → text
    std::unordered_set<std::string> known_names_;                // module-level names
    std::unordered_set<std::string> defined_functions_;
    std::unordered_map<std::string, std::size_t> variable_index_; // module-level name → index
    using References = std::unordered_map<std::string, int>; // module-level names → first line
    void note_reference(std::string_view name, int line);
    References references_;                       // outside functions
    std::vector<References> function_references_; // indexed like Module::functions
};

} // namespace lanescope::ptx
