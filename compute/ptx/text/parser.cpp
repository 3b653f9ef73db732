// Module level: header, linkage, functions and the statements of a body.
#include "compute/ptx/text/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

// Performance directives of a function, with the maximum number of values.
struct FunctionDirective {
    std::string_view name;
    int min_operands;
    int max_operands;
};
constexpr std::array function_directives_known{
    FunctionDirective{"maxntid", 1, 3},         FunctionDirective{"reqntid", 1, 3},
    FunctionDirective{"minnctapersm", 1, 1},    FunctionDirective{"maxnctapersm", 1, 1},
    FunctionDirective{"maxnreg", 1, 1},         FunctionDirective{"noreturn", 0, 0},
    FunctionDirective{"explicitcluster", 0, 0}, FunctionDirective{"reqnctapercluster", 1, 3},
    FunctionDirective{"maxclusterrank", 1, 1},  FunctionDirective{"blocksareclusters", 0, 0},
    FunctionDirective{"abi_preserve", 1, 1},    FunctionDirective{"abi_preserve_control", 1, 1},
};

} // namespace

Module parse(std::string_view text)
{
    constexpr std::size_t longest = std::size_t{1} << 30;
    if (text.size() > longest) throw ParseError(1, "the text is longer than 1 GiB");
    Module module;
    module.text = text;
    Parser(module).run();
    return module;
}

Parser::Parser(Module& module) : module_(module), lexer_(module.text) {}

void Parser::run()
{
    while (lexer_.peek().kind != Token::Kind::end) module_statement();
    if (module_.version_major == 0) throw ParseError(lexer_.peek().line, "there is no .version");
    check_references();
    name_inlined_functions();
}

bool Parser::accept(char symbol)
{
    if (!lexer_.peek().is(symbol)) return false;
    lexer_.take();
    return true;
}

bool Parser::accept(std::string_view dotted)
{
    if (!lexer_.peek().is_dotted(dotted)) return false;
    lexer_.take();
    return true;
}

void Parser::fail_at(const Token& token, std::string_view wanted) const
{
    throw ParseError(token.line, fmt::format("expected {}, found {}", wanted, token.quoted()));
}

void Parser::expect(char symbol, std::string_view after)
{
    if (!accept(symbol)) fail_at(lexer_.peek(), fmt::format("'{}' after {}", symbol, after));
}

Token Parser::expect_word(std::string_view what)
{
    if (lexer_.peek().kind != Token::Kind::word) fail_at(lexer_.peek(), what);
    return lexer_.take();
}

std::uint64_t Parser::expect_unsigned(std::string_view what, std::uint64_t max)
{
    const Token token = lexer_.take();
    if (token.kind != Token::Kind::number) fail_at(token, what);
    const Number number = number_of(token);
    if (number.type != Type::s64 || number.bits > max)
        throw ParseError(token.line, fmt::format("{} is out of range as {}", token.quoted(), what));
    return number.bits;
}

void Parser::header_statement(std::string_view directive)
{
    if (directive == "version") {
        const Token token = lexer_.take();
        const std::size_t dot = token.text.find('.');
        if (token.kind != Token::Kind::number || dot == std::string_view::npos)
            fail_at(token, "a version such as 8.0");
        Token part = token;
        part.text = token.text.substr(0, dot);
        module_.version_major = static_cast<int>(number_of(part).bits % 1000);
        part.text = token.text.substr(dot + 1);
        if (part.text.empty()) fail_at(token, "a version such as 8.0");
        module_.version_minor = static_cast<int>(number_of(part).bits % 1000);
    } else if (directive == "target") {
        module_.target = expect_word("a target such as sm_75").text;
        while (accept(',')) expect_word("a target option");
    } else {
        module_.address_size = static_cast<int>(expect_unsigned("an address size", 64));
        if (module_.address_size != 64)
            throw ParseError(lexer_.peek().line,
                             "kernels with 32-bit addresses (.address_size 32) are not "
                             "supported; compile them for 64 bits");
    }
}

void Parser::module_statement()
{
    statement_start_ = lexer_.peek().begin;
    const LinkageWords linked = linkage();
    const Token token = lexer_.take();
    if (token.kind != Token::Kind::dotted) fail_at(token, "a directive");
    const std::string_view word = token.text;
    if (word == "func" || word == "entry") return function(word == "entry", linked);
    if (word == "global") return variables(Space::global, linked);
    if (word == "const") return variables(Space::constant, linked);
    if (word == "shared") return variables(Space::shared, linked);
    if (word == "local") return variables(Space::local, linked);
    if (linked.present) fail_at(token, "a function or variable after its linkage");
    if (word == "version" || word == "target" || word == "address_size")
        return header_statement(word);
    if (word == "file") return file_entry();
    if (word == "section") return section();
    if (word == "alias") return alias();
    if (word == "pragma") {
        if (const Token text = lexer_.take(); text.kind != Token::Kind::string)
            fail_at(text, "a string after .pragma");
        return expect(';', ".pragma");
    }
    throw ParseError(token.line, fmt::format("directive {} is not recognised", token.quoted()));
}

void Parser::alias()
{
    const Token alias = expect_word("the alias's name");
    expect(',', "the alias's name");
    const Token original = expect_word("the name of a function");
    expect(';', ".alias");
    if (!defined_functions_.contains(std::string(original.text)))
        throw ParseError(original.line,
                         fmt::format("{} is not a function defined above", original.quoted()));
    known_names_.emplace(alias.text);
    module_.aliases[std::string(alias.text)] = original.text;
}

void Parser::function(bool is_kernel, const LinkageWords& linkage)
{
    Function parsed;
    function_ = &parsed;
    parsed.is_kernel = is_kernel;
    parsed.text_begin = statement_start_;
    attributes();
    scopes_.emplace(parsed);
    if (!is_kernel && lexer_.peek().is('(')) parsed.results = parameter_list(true);
    const Token name = expect_word("the function's name");
    parsed.name = name.text;
    known_names_.insert(parsed.name);
    if (lexer_.peek().is('(')) parsed.parameters = parameter_list(true);
    if (is_kernel) check_parameters(parsed, name.line);
    function_directives();
    if (const std::size_t end = lexer_.peek().end; accept(';')) {
        parsed.is_declaration = true;
        parsed.text_end = end;
    } else {
        if (linkage.is_extern || !lexer_.peek().is('{'))
            fail_at(lexer_.peek(), linkage.is_extern ? "';' after a declaration" : "'{' or ';'");
        if (!defined_functions_.insert(parsed.name).second)
            throw ParseError(name.line, fmt::format("function '{}' is defined twice", parsed.name));
        body();
    }
    scopes_.reset();
    function_ = nullptr;
    parsed.linkage = linkage.linkage();
    module_.functions.push_back(std::move(parsed));
}

// The maximum size of all parameters: since PTX 8.1 as documented under "Kernel Function Parameter
// Attributes", before that as enforced by ptxas.
void Parser::check_parameters(const Function& kernel, int line) const
{
    const std::uint64_t max_bytes =
        module_.version_major * 10 + module_.version_minor >= 81 ? 32764 : 4352;
    std::uint64_t bytes = 0;
    for (const Variable& parameter : kernel.parameters) {
        const auto alignment = static_cast<std::uint64_t>(parameter.alignment);
        bytes = (bytes + alignment - 1) / alignment * alignment + parameter.size_bytes();
        if (bytes > max_bytes)
            throw ParseError(
                line,
                fmt::format(
                    "the parameters of kernel '{}' take more than {} bytes, the limit of PTX {}.{}",
                    kernel.name, max_bytes, module_.version_major, module_.version_minor));
    }
}

// Checks the block dimensions of a .maxntid or .reqntid directive.
void Parser::check_block(const Token& directive, const std::vector<int>& extents) const
{
    std::uint64_t threads = 1;
    for (const int extent : extents) {
        threads *= static_cast<std::uint64_t>(extent);
        if (threads < 1 || threads > 0x7fffffff)
            throw ParseError(
                directive.line,
                fmt::format("{} of '{}' asks for {}: the largest block has 1024 threads",
                            directive.quoted(), function_->name,
                            threads < 1 ? "no threads" : "at least 2147483648 threads"));
    }
}

void Parser::function_directives()
{
    while (lexer_.peek().kind == Token::Kind::dotted) {
        const Token token = lexer_.take();
        if (token.text == "pragma") {
            if (lexer_.take().kind != Token::Kind::string) fail_at(token, "a string after .pragma");
            accept(';');
            continue;
        }
        const FunctionDirective* known = nullptr;
        for (const FunctionDirective& candidate : function_directives_known)
            if (candidate.name == token.text) known = &candidate;
        if (known == nullptr)
            throw ParseError(token.line, fmt::format("directive {} of '{}' is not recognised",
                                                     token.quoted(), function_->name));
        std::vector<int> values;
        while (static_cast<int>(values.size()) < known->max_operands &&
               (values.empty() ? lexer_.peek().kind == Token::Kind::number : accept(',')))
            values.push_back(static_cast<int>(expect_unsigned("a number", 0x7fffffff)));
        if (static_cast<int>(values.size()) < known->min_operands)
            fail_at(lexer_.peek(), fmt::format("a number after {}", token.quoted()));
        if (token.text == "maxntid" || token.text == "reqntid") check_block(token, values);
        function_->directives[std::string(token.text)] = std::move(values);
    }
}

// Anything not understood in the body makes this function unusable; parsing continues after it.
void Parser::body()
{
    const std::size_t begin = lexer_.peek().end;
    const int line = lexer_.peek().line;
    try {
        body_statements();
    } catch (const ParseError& error) {
        abandon_body(error, begin, line);
    }
}

void Parser::abandon_body(const ParseError& error, std::size_t begin, int line)
{
    Function left;
    left.name = std::move(function_->name);
    left.is_kernel = function_->is_kernel;
    left.results = std::move(function_->results);
    left.parameters = std::move(function_->parameters);
    left.directives = std::move(function_->directives);
    left.text_begin = function_->text_begin;
    left.refusal = Function::Refusal{error.line(), error.cause()};
    left.body_begin = begin;
    left.body_end = lexer_.leave_braces(begin, line);
    if (left.body_end == std::string_view::npos) throw error;
    left.text_end = left.body_end + 1;
    *function_ = std::move(left);
    pending_labels_.clear();
    function_references_.resize(module_.functions.size());
}

void Parser::body_statements()
{
    function_->body_begin = lexer_.take().end;
    location_ = -1;
    latest_location_ = {};
    for (;;) {
        const Token token = lexer_.peek();
        if (token.kind == Token::Kind::end)
            throw ParseError(token.line, fmt::format("'{}' is not closed", function_->name));
        if (token.is('{')) {
            lexer_.take();
            scopes_->open(token.line);
        } else if (token.is('}')) {
            const bool outermost = scopes_->depth() == 1;
            if (outermost) {
                function_->body_end = token.begin;
                function_->text_end = token.end;
            }
            scopes_->close();
            lexer_.take();
            if (outermost) return;
        } else {
            body_statement();
        }
    }
}

void Parser::body_statement()
{
    const Token token = lexer_.peek();
    if (token.kind != Token::Kind::dotted) return instruction();
    const LinkageWords linked = linkage();
    const Token directive = lexer_.take();
    const std::string_view word = directive.text;
    if (word == "shared") return variables(Space::shared, linked);
    if (word == "global") return variables(Space::global, linked);
    if (word == "const") return variables(Space::constant, linked);
    if (linked.present) fail_at(directive, "a variable after its linkage");
    if (word == "loc") return location();
    if (word == "reg") return registers();
    if (word == "local") return variables(Space::local, linked);
    if (word == "param") return variables(Space::param, linked);
    if (word == "pragma") {
        if (const Token text = lexer_.take(); text.kind != Token::Kind::string)
            fail_at(text, "a string after .pragma");
        return expect(';', ".pragma");
    }
    throw ParseError(directive.line, fmt::format("directive {} in '{}' is not recognised",
                                                 directive.quoted(), function_->name));
}

// `name:` — a label of code, or of the following table or prototype.
void Parser::labelled(const Token& name)
{
    std::string unique = scopes_->declare_label(name.text, name.line);
    if (accept("branchtargets")) return target_table(unique, false);
    if (accept("calltargets")) return target_table(unique, true);
    if (accept("callprototype")) return prototype(unique);
    function_->labels[std::move(unique)] = static_cast<int>(function_->instructions.size());
}

void Parser::note_reference(std::string_view name, int line)
{
    const std::size_t index = module_.functions.size();
    if (function_ == nullptr) {
        references_.try_emplace(std::string(name), line);
        return;
    }
    function_references_.resize(std::max(function_references_.size(), index + 1));
    function_references_[index].try_emplace(std::string(name), line);
}

// Reports the first name, by line, that is not declared: at module level, then in each function.
void Parser::check_references()
{
    const auto undeclared = [&](const References& references) {
        const std::pair<const std::string, int>* first = nullptr;
        for (const auto& reference : references)
            if (!known_names_.contains(reference.first) &&
                (first == nullptr || reference.second < first->second))
                first = &reference;
        return first;
    };
    const auto what = [](const auto& reference) {
        return fmt::format("'{}' is not declared", reference.first);
    };
    if (const auto* missing = undeclared(references_))
        throw ParseError(missing->second, what(*missing));
    for (std::size_t i = 0; i < function_references_.size(); ++i)
        if (const auto* missing = undeclared(function_references_[i])) {
            Function& function = module_.functions[i];
            function.refusal = Function::Refusal{missing->second, what(*missing)};
            function.instructions.clear();
            function.labels.clear();
        }
}

} // namespace lanescope::ptx
