// Operands of instructions: registers, immediates, symbols, addresses, vectors and pairs.
#include "compute/ptx/text/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

constexpr int max_nesting = 4; // [a, {b, c}] and {{a, b}} are the deepest nesting in PTX

// Index of the vector register's element named by `.x` or `.r`; -1 for any other word.
int component(std::string_view word)
{
    if (word.size() != 1) return -1;
    const std::size_t axis = std::string_view("xyzw").find(word[0]);
    const std::size_t colour = std::string_view("rgba").find(word[0]);
    if (axis != std::string_view::npos) return static_cast<int>(axis);
    return colour != std::string_view::npos ? static_cast<int>(colour) : -1;
}

// The letter and digits of `.b3210` or `.h1` as bytes; 0 for any other word.
std::uint64_t parts_of(std::string_view word)
{
    const char letter = word.empty() ? ' ' : word[0];
    const char highest = letter == 'b' ? '7' : letter == 'h' ? '3' : '/';
    if (word.size() < 2 || word.size() > 5) return 0;
    std::uint64_t parts = 0;
    for (const char digit : word.substr(1)) {
        if (digit < '0' || digit > highest) return 0;
        parts = parts << 8 | static_cast<std::uint64_t>(digit);
    }
    return parts << 8 | static_cast<std::uint64_t>(letter);
}

} // namespace

Operand Parser::operand(int depth)
{
    const Token token = lexer_.peek();
    if (depth == max_nesting) throw ParseError(token.line, "operands are nested too deep");
    if (token.is('{')) return vector_operand(depth);
    if (token.is('[')) return address_operand(depth);
    Operand first = plain_operand();
    if (!accept('|')) return first;
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(plain_operand());
    return pair;
}

Operand Parser::plain_operand()
{
    const Token token = lexer_.peek();
    if (takes_parts_ && accept('-')) {
        if (lexer_.peek().kind != Token::Kind::word) {
            Operand number = immediate();
            number.bits = std::uint64_t{0} - number.bits;
            return number;
        }
        Operand negative = named_operand(expect_word("a register"));
        if (negative.kind != Operand::Kind::reg) fail_at(token, "a register after '-'");
        negative.negated = true;
        return negative;
    }
    if (token.kind == Token::Kind::number || token.is('-') || token.is('~') || token.is('(') ||
        token.text == "WARP_SZ")
        return immediate();
    if (accept('!')) {
        Operand inverted = named_operand(expect_word("a predicate"));
        if (inverted.kind != Operand::Kind::reg) fail_at(token, "a predicate after '!'");
        inverted.negated = true;
        return inverted;
    }
    return named_operand(expect_word("an operand"));
}

Operand Parser::named_operand(const Token& name)
{
    Operand result;
    if (name.text == "_") return result;
    const Meaning* meaning = scopes_->find(name.text);
    if (meaning != nullptr && meaning->kind == Meaning::Kind::registers)
        return register_operand(*meaning, name);
    result.kind = Operand::Kind::symbol;
    if (meaning != nullptr) {
        result.symbol = meaning->unique;
    } else if (name.text[0] == '%') {
        return special_register(name);
    } else {
        result.symbol = refer(name);
    }
    result.offset = signed_offset();
    return result;
}

Operand Parser::special_register(const Token& name)
{
    Operand result;
    result.kind = Operand::Kind::special;
    result.symbol = name.text.substr(1);
    if (lexer_.peek().kind == Token::Kind::dotted) {
        result.symbol += "." + std::string(lexer_.take().text);
    } else if (std::ranges::find(words_, "v4") != words_.end() &&
               is_special_register(result.symbol + ".x")) {
        // A vector: mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;
        Operand vector;
        vector.kind = Operand::Kind::vector;
        for (const char* axis : {".x", ".y", ".z", ".w"}) {
            vector.elements.push_back(result);
            vector.elements.back().symbol += axis;
        }
        return vector;
    }
    if (!is_special_register(result.symbol))
        throw ParseError(name.line, fmt::format("register '%{}' is not declared", result.symbol));
    return result;
}

Operand Parser::register_operand(const Meaning& meaning, const Token& name)
{
    Operand result;
    result.kind = Operand::Kind::reg;
    if (meaning.registers.size() == 1) {
        result.reg = meaning.registers[0];
        if (takes_parts_ && lexer_.peek().kind == Token::Kind::dotted) {
            const Token word = lexer_.take();
            result.bits = parts_of(word.text);
            if (result.bits == 0)
                throw ParseError(word.line,
                                 fmt::format("{} has no part {}", name.quoted(), word.quoted()));
        }
        return result;
    }
    if (lexer_.peek().kind == Token::Kind::dotted) {
        const Token word = lexer_.take();
        const int index = component(word.text);
        if (index < 0 || index >= static_cast<int>(meaning.registers.size()))
            throw ParseError(word.line,
                             fmt::format("{} has no element {}", name.quoted(), word.quoted()));
        result.reg = meaning.registers[index];
        return result;
    }
    Operand vector;
    vector.kind = Operand::Kind::vector;
    for (int reg : meaning.registers) {
        result.reg = reg;
        vector.elements.push_back(result);
    }
    return vector;
}

Operand Parser::immediate()
{
    Operand result;
    result.kind = Operand::Kind::immediate;
    const Number number = constant(0, 0).number;
    result.immediate_type = number.type;
    result.bits = number.bits;
    return result;
}

Operand Parser::vector_operand(int depth)
{
    Operand vector;
    vector.kind = Operand::Kind::vector;
    const Token open = lexer_.take();
    do {
        vector.elements.push_back(operand(depth + 1));
    } while (accept(','));
    expect('}', "a vector");
    if (vector.elements.size() > 512) throw ParseError(open.line, "a vector is too long");
    return vector;
}

// [%rd1+4], [symbol+4], [64], [texture, {x, y}], [tensor, {x, y}], [surface, x].
Operand Parser::address_operand(int depth)
{
    lexer_.take();
    Operand address;
    address.kind = Operand::Kind::address;
    const Token base = lexer_.peek();
    const Operand inner = plain_operand();
    switch (inner.kind) {
    case Operand::Kind::reg: address.reg = inner.reg; break;
    case Operand::Kind::symbol: address.symbol = inner.symbol; break;
    case Operand::Kind::immediate: address.bits = inner.bits; break;
    default: fail_at(base, "a register, symbol or number as an address");
    }
    if (inner.negated ||
        (inner.kind == Operand::Kind::immediate && inner.immediate_type != Type::s64))
        fail_at(base, "a register, symbol or number as an address");
    address.offset = inner.offset + signed_offset();
    if (accept(',')) {
        Operand rest = operand(depth + 1);
        if (rest.kind == Operand::Kind::vector)
            address.elements = std::move(rest.elements);
        else
            address.elements.push_back(std::move(rest));
        if (lexer_.peek().is(','))
            throw ParseError(base.line, "separate samplers ([texture, sampler, …]) are not "
                                        "supported: only unified textures are");
    }
    expect(']', "an address");
    return address;
}

// (a, b, 5): arguments or results of a call.
Operand Parser::argument_list()
{
    Operand list;
    list.kind = Operand::Kind::list;
    lexer_.take();
    if (accept(')')) return list;
    do {
        list.elements.push_back(plain_operand());
    } while (accept(','));
    expect(')', "the arguments of a call");
    return list;
}

Operand Parser::label_operand(int instruction, int index)
{
    const Token name = expect_word("a label");
    Operand result;
    result.kind = Operand::Kind::label;
    result.symbol = name.text;
    pending_labels_.push_back({name.text, name.line, false, {}, instruction, index});
    return result;
}

// A module-level name, which is checked for existence after the whole text is parsed.
std::string Parser::refer(const Token& name)
{
    note_reference(name.text, name.line);
    return std::string(name.text);
}

} // namespace lanescope::ptx
