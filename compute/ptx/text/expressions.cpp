// Constant expressions as defined in the PTX manual ("Constant Expressions"): C operators on 64-bit
// integers. Floats may only have signs.
#include "compute/ptx/text/parser.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

constexpr int max_expression_depth = 64;

struct Operator {
    std::string_view text;
    int level; // precedence: higher binds tighter
};
constexpr int sum_level = 9;
constexpr int product_level = 10;
// Longer ones first, since they are matched in order.
constexpr std::array operators{
    Operator{"||", 1},
    Operator{"&&", 2},
    Operator{"==", 6},
    Operator{"!=", 6},
    Operator{"<=", 7},
    Operator{">=", 7},
    Operator{"<<", 8},
    Operator{">>", 8},
    Operator{"|", 3},
    Operator{"^", 4},
    Operator{"&", 5},
    Operator{"<", 7},
    Operator{">", 7},
    Operator{"+", sum_level},
    Operator{"-", sum_level},
    Operator{"*", product_level},
    Operator{"/", product_level},
    Operator{"%", product_level},
};

const Operator* operator_at(std::string_view text)
{
    // Fast path: most values are followed by a comma.
    constexpr std::string_view beginnings = "|&=!<>^+-*/%";
    if (text.empty() || beginnings.find(text.front()) == text.npos) return nullptr;
    for (const Operator& candidate : operators)
        if (text.starts_with(candidate.text)) return &candidate;
    return nullptr;
}

} // namespace

// One value: a number, a sign or cast before a value, or a parenthesised expression.
Parser::Constant Parser::constant_term(int depth)
{
    const Token token = lexer_.take();
    if (depth == max_expression_depth)
        throw ParseError(token.line, "an expression is nested too deep");
    if (token.is('(')) {
        const bool to_unsigned = lexer_.peek().is_dotted("u64");
        if (accept("s64") || accept("u64")) {
            expect(')', "a type");
            Constant value = constant_term(depth + 1);
            value.is_unsigned = to_unsigned;
            return value;
        }
        Constant inside = constant(0, depth + 1);
        expect(')', "an expression");
        return inside;
    }
    if (token.is('+')) return constant_term(depth + 1);
    if (token.is('-') || token.is('~') || token.is('!')) {
        Constant value = constant_term(depth + 1);
        std::uint64_t& bits = value.number.bits;
        if (value.number.type == Type::s64)
            bits = token.is('-') ? -bits : token.is('~') ? ~bits : std::uint64_t{bits == 0};
        else if (!token.is('-'))
            fail_at(token, "an integer");
        else
            bits ^= std::uint64_t{1} << (value.number.type == Type::f32 ? 31 : 63);
        if (token.is('!')) value.is_unsigned = false;
        return value;
    }
    if (token.kind == Token::Kind::word && token.text == "WARP_SZ") return {{Type::s64, 32}, false};
    if (token.kind != Token::Kind::number) fail_at(token, "a number");
    const Number number = number_of(token);
    const bool is_unsigned =
        number.type == Type::s64 && (token.text.back() == 'U' || number.bits >> 63 != 0);
    return {number, is_unsigned};
}

Parser::Constant Parser::constant_result(const Token& at, std::string_view symbol,
                                         const Constant& left, const Constant& right) const
{
    if (left.number.type != Type::s64 || right.number.type != Type::s64)
        throw ParseError(at.line, "an expression of floating-point numbers is not a constant");
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const std::uint64_t a = left.number.bits;
    const std::uint64_t b = right.number.bits;
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    const auto value = [&](std::uint64_t bits, bool has_unsigned_type) {
        return Constant{{Type::s64, bits}, has_unsigned_type};
    };
    if (symbol == "||") return value(a != 0 || b != 0, false);
    if (symbol == "&&") return value(a != 0 && b != 0, false);
    if (symbol == "==") return value(a == b, false);
    if (symbol == "!=") return value(a != b, false);
    if (symbol == "<") return value(is_unsigned ? a < b : sa < sb, false);
    if (symbol == ">") return value(is_unsigned ? a > b : sa > sb, false);
    if (symbol == "<=") return value(is_unsigned ? a <= b : sa <= sb, false);
    if (symbol == ">=") return value(is_unsigned ? a >= b : sa >= sb, false);
    if (symbol == "<<") return value(b < 64 ? a << b : 0, left.is_unsigned);
    if (symbol == ">>") {
        const std::uint64_t places = b < 64 ? b : 63;
        if (!left.is_unsigned) return value(static_cast<std::uint64_t>(sa >> places), false);
        return value(b < 64 ? a >> b : 0, true);
    }
    if (symbol == "|") return value(a | b, is_unsigned);
    if (symbol == "^") return value(a ^ b, is_unsigned);
    if (symbol == "&") return value(a & b, is_unsigned);
    if (symbol == "+") return value(a + b, is_unsigned);
    if (symbol == "-") return value(a - b, is_unsigned);
    if (symbol == "*") return value(a * b, is_unsigned);
    if (b == 0) throw ParseError(at.line, "a constant expression divides by zero");
    const bool quotient = symbol == "/";
    if (is_unsigned) return value(quotient ? a / b : a % b, true);
    // The only quotient of signed numbers that overflows.
    if (sb == -1) return value(quotient ? -a : 0, false);
    return value(static_cast<std::uint64_t>(quotient ? sa / sb : sa % sb), false);
}

// Operators of at least precedence `level`; 0 for all of them and the conditional a ? b : c.
Parser::Constant Parser::constant(int level, int depth)
{
    Constant left = constant_term(depth);
    for (;;) {
        const Token token = lexer_.peek();
        const bool percent = token.kind == Token::Kind::word && token.text == "%";
        if (token.kind != Token::Kind::symbol && !percent) return left;
        if (token.is('?') && level == 0) {
            lexer_.take();
            const bool first = left.number.bits != 0;
            const Constant yes = constant(0, depth + 1);
            expect(':', "the first of two values");
            const Constant no = constant(0, depth + 1);
            return first ? yes : no;
        }
        const Operator* found = operator_at(std::string_view(module_.text).substr(token.begin));
        if (found == nullptr || found->level < level) return left;
        for (std::size_t i = 0; i < found->text.size(); ++i) lexer_.take();
        const Constant right = constant(found->level + 1, depth + 1);
        left = constant_result(token, found->text, left, right);
    }
}

// Any number of + and - terms after a base; 0 if there are none. Sums wrap around like addresses.
std::int64_t Parser::signed_offset()
{
    std::uint64_t sum = 0;
    while (lexer_.peek().is('+') || lexer_.peek().is('-')) {
        const Token sign = lexer_.take();
        const Constant term = constant(product_level, 0);
        if (term.number.type != Type::s64) fail_at(sign, "an integer as an offset");
        sum += sign.is('-') ? -term.number.bits : term.number.bits;
    }
    return static_cast<std::int64_t>(sum);
}

} // namespace lanescope::ptx
