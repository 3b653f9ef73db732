// Variables, parameters, registers, prototypes and branch tables.
#include "compute/ptx/text/parser.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {
constexpr std::uint64_t max_variable_bytes_declared = std::uint64_t{1} << 40; // bytes
} // namespace

Parser::LinkageWords Parser::linkage()
{
    LinkageWords linked;
    for (;; linked.present = true) {
        if (accept("extern"))
            linked.is_extern = true;
        else if (accept("common"))
            linked.is_common = true;
        else if (accept("weak"))
            linked.is_weak = true;
        else if (!accept("visible"))
            return linked;
    }
}

// .attribute(.managed, .unified(1, 2)): the variable's location doesn't change the meaning of the
// code.
void Parser::attributes()
{
    while (accept("attribute")) {
        expect('(', ".attribute");
        do {
            const Token word = lexer_.take();
            if (word.is_dotted("unified")) {
                expect('(', ".unified");
                expect_unsigned("a number", ~std::uint64_t{0});
                expect(',', "a number");
                expect_unsigned("a number", ~std::uint64_t{0});
                expect(')', ".unified");
            } else if (!word.is_dotted("managed")) {
                fail_at(word, ".managed or .unified");
            }
        } while (accept(','));
        expect(')', ".attribute");
    }
}

// Everything between the space and the name: alignment, vector width, type, pointer attributes.
Variable Parser::declarator_head(Space space)
{
    Variable variable;
    variable.space = space;
    for (;;) {
        attributes();
        const Token token = lexer_.peek();
        if (token.kind != Token::Kind::dotted) break;
        lexer_.take();
        if (token.text == "align") {
            const std::uint64_t bytes = expect_unsigned("an alignment", 1 << 20);
            if (!std::has_single_bit(bytes))
                throw ParseError(token.line, "an alignment must be a power of two");
            variable.alignment = static_cast<int>(bytes);
        } else if (token.text == "v2" || token.text == "v4") {
            variable.vector = token.text[1] - '0';
        } else if (token.text == "ptr") {
            if (!accept("global") && !accept("shared") && !accept("const")) accept("local");
            if (accept("align")) expect_unsigned("an alignment", 1 << 20);
        } else if (const auto type = type_of(token.text); type && variable.type == Type::none) {
            variable.type = *type;
        } else {
            throw ParseError(token.line,
                             fmt::format("{} is not recognised in a declaration", token.quoted()));
        }
    }
    if (variable.type == Type::none) fail_at(lexer_.peek(), "a type");
    if (variable.alignment == 0) variable.alignment = size_bytes(variable.type) * variable.vector;
    return variable;
}

void Parser::dimensions(Variable& variable)
{
    std::size_t size = variable.size_bytes();
    while (lexer_.peek().is('[')) {
        const int line = lexer_.take().line;
        if (accept(']')) {
            variable.dimensions.push_back(0);
            continue;
        }
        const Constant extent = constant(0, 0);
        const std::uint64_t count = extent.number.bits;
        if (extent.number.type != Type::s64 || count > max_variable_bytes_declared)
            throw ParseError(line, fmt::format("{} is out of range as an array size", count));
        if (count != 0 && size > max_variable_bytes_declared / count)
            throw ParseError(line, "an array is larger than 1 TiB");
        size *= std::max<std::uint64_t>(count, 1); // 0: an initialiser may determine it
        variable.dimensions.push_back(count);
        expect(']', "an array size");
    }
}

Variable Parser::parameter(Token& name)
{
    const bool in_register = accept("reg");
    if (!in_register && !accept("param")) fail_at(lexer_.peek(), ".param");
    Variable variable = declarator_head(in_register ? Space::reg : Space::param);
    name = expect_word("a parameter's name");
    variable.name = name.text;
    dimensions(variable);
    return variable;
}

// (.param .b64 a, .param .b32 b[4]). If `named`, the names enter the function's scope.
std::vector<Variable> Parser::parameter_list(bool named)
{
    std::vector<Variable> list;
    expect('(', "the function");
    if (accept(')')) return list;
    do {
        Token name;
        list.push_back(parameter(name));
        if (!named) continue;
        if (list.back().space == Space::reg)
            scopes_->declare_register(name.text, list.back().type, 1, name.line);
        else
            scopes_->declare_variable(name.text, name.line);
    } while (accept(','));
    expect(')', "the parameters");
    return list;
}

void Parser::registers()
{
    const Variable head = declarator_head(Space::reg);
    do {
        const Token name = expect_word("a register's name");
        if (accept('<')) {
            const std::uint64_t count = expect_unsigned("a number of registers", 0x7fffffff);
            expect('>', "the number of registers");
            scopes_->declare_range(name.text, head.type, head.vector, count, name.line);
        } else {
            scopes_->declare_register(name.text, head.type, head.vector, name.line);
        }
    } while (accept(','));
    expect(';', "the registers");
}

void Parser::variables(Space space, const LinkageWords& linkage)
{
    const Variable head = declarator_head(space);
    do {
        Variable variable = head;
        const Token name = expect_word("a variable's name");
        variable.is_extern = linkage.is_extern;
        variable.linkage = linkage.linkage();
        dimensions(variable);
        if (accept('=')) initialiser(variable);
        if (function_ == nullptr) {
            variable.name = name.text;
            module_variable(std::move(variable), linkage, name.line);
        } else if (space == Space::global || space == Space::constant) {
            // A single variable for all threads, as at module level; only its name belongs to the
            // function.
            variable.name = scopes_->declare_variable(name.text, name.line, "@" + function_->name);
            module_variable(std::move(variable), linkage, name.line);
        } else {
            variable.name = scopes_->declare_variable(name.text, name.line);
            function_->variables.push_back(std::move(variable));
        }
    } while (accept(','));
    expect(';', "the variable");
}

// A definition replaces a declaration; two definitions are an error unless they are .common.
void Parser::module_variable(Variable variable, const LinkageWords& linkage, int line)
{
    known_names_.insert(variable.name);
    const auto [place, fresh] =
        variable_index_.try_emplace(variable.name, module_.variables.size());
    if (fresh) {
        module_.variables.push_back(std::move(variable));
        return;
    }
    Variable& before = module_.variables[place->second];
    if (!before.is_extern && !variable.is_extern && !linkage.is_common)
        throw ParseError(line, fmt::format("'{}' is defined twice", variable.name));
    if (before.is_extern) before = std::move(variable);
}

void Parser::prototype(const std::string& name)
{
    Function::Prototype parsed;
    if (lexer_.peek().is('(')) parsed.results = parameter_list(false);
    expect_word("the prototype's name");
    if (lexer_.peek().is('(')) parsed.parameters = parameter_list(false);
    accept("noreturn");
    expect(';', ".callprototype");
    function_->prototypes[name] = static_cast<int>(function_->prototype_list.size());
    function_->prototype_list.push_back(std::move(parsed));
}

void Parser::target_table(const std::string& name, bool are_functions)
{
    std::vector<std::string>& targets = function_->branch_targets[name];
    do {
        const Token target = expect_word("a target");
        targets.emplace_back(target.text);
        if (are_functions)
            note_reference(target.text, target.line);
        else
            scopes_->use_label(
                {target.text, target.line, true, name, 0, static_cast<int>(targets.size()) - 1});
    } while (accept(','));
    expect(';', "the targets");
}

} // namespace lanescope::ptx
