// Initial values of variables: numbers, nested lists, and addresses of other symbols as
// relocations.
#include "compute/ptx/text/parser.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

// Bytes of a number as stored in a variable of `type`. Floats may be given as 0f…, 0d… or decimals.
std::uint64_t stored_bits(const Number& number, Type type)
{
    if (number.type == Type::s64) {
        const double value = static_cast<double>(static_cast<std::int64_t>(number.bits));
        if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
        if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        return number.bits;
    }
    if (number.type == Type::f64 && type == Type::f32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.bits)));
    if (number.type == Type::f32 && type == Type::f64)
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number.bits))));
    return number.bits;
}

} // namespace

void Parser::initialiser(Variable& variable)
{
    const int line = lexer_.peek().line;
    const bool open_ended = !variable.dimensions.empty() && variable.dimensions[0] == 0;
    // A vector is one more nesting level.
    if (variable.vector > 1) variable.dimensions.push_back(variable.vector);
    const int vector = std::exchange(variable.vector, 1);
    if (open_ended) variable.dimensions[0] = module_.text.size();
    initialiser_level(variable, 0, 0);
    if (open_ended) {
        std::size_t row = size_bytes(variable.type);
        for (std::size_t i = 1; i < variable.dimensions.size(); ++i) row *= variable.dimensions[i];
        if (row == 0) throw ParseError(line, "an array without a size cannot be initialised");
        variable.dimensions[0] = (variable.initial.size() + row - 1) / row;
    }
    variable.vector = vector;
    if (vector > 1) variable.dimensions.pop_back();
}

// `begin` is the byte offset of this level. Lists may be nested by dimension or flat.
void Parser::initialiser_level(Variable& variable, std::size_t level, std::size_t begin)
{
    if (!accept('{')) return initialiser_value(variable, begin);
    if (level == variable.dimensions.size())
        fail_at(lexer_.peek(), "a number: the variable has no further dimension");
    std::size_t nested = size_bytes(variable.type);
    for (std::size_t i = level + 1; i < variable.dimensions.size(); ++i)
        nested *= variable.dimensions[i];
    const std::size_t end = begin + nested * variable.dimensions[level];
    std::size_t offset = begin;
    if (accept('}')) return;
    do {
        offset = plain_values(variable, offset, end);
        const bool list = lexer_.peek().is('{');
        const std::size_t step = list ? nested : size_bytes(variable.type);
        if (offset + step > end)
            throw ParseError(lexer_.peek().line, "there are more initial values than elements");
        if (list)
            initialiser_level(variable, level + 1, offset);
        else
            initialiser_value(variable, offset);
        offset += step;
    } while (accept(','));
    expect('}', "the initial values");
}

namespace {

void store(Variable& variable, std::size_t offset, std::uint64_t bits)
{
    const std::size_t bytes = size_bytes(variable.type);
    if (variable.initial.size() < offset + bytes) variable.initial.resize(offset + bytes);
    std::memcpy(variable.initial.data() + offset, &bits, std::min(bytes, sizeof bits));
}

// Limit for the end of initial values in a text of this size.
std::size_t max_initialiser_bytes(const Module& module)
{
    constexpr std::size_t spare = std::size_t{16} << 20;
    return spare + 16 * module.text.size();
}

} // namespace

// The leading values of a list, while they are plain numbers; returns the offset after them.
std::size_t Parser::plain_values(Variable& variable, std::size_t offset, std::size_t end)
{
    const std::size_t bytes = size_bytes(variable.type);
    const std::size_t last = std::min(end, max_initialiser_bytes(module_));
    lexer_.take_decimals([&](std::uint64_t value) {
        if (offset + bytes > last) return false;
        store(variable, offset, stored_bits({Type::s64, value}, variable.type));
        offset += bytes;
        return true;
    });
    return offset;
}

void Parser::initialiser_value(Variable& variable, std::size_t offset)
{
    const std::size_t bytes = size_bytes(variable.type);
    const Token token = lexer_.peek();
    if (offset + bytes > max_initialiser_bytes(module_))
        throw ParseError(token.line, "initial values are too far into a large variable");
    if (variable.initial.size() < offset + bytes) variable.initial.resize(offset + bytes);
    if (token.kind == Token::Kind::word && token.text != "WARP_SZ")
        return address_value(variable, offset, 0, false);

    const Number number = constant(0, 0).number;
    if (lexer_.peek().is('(')) {
        lexer_.take();
        address_value(variable, offset, number.bits, true);
        return expect(')', "a masked address");
    }
    store(variable, offset, stored_bits(number, variable.type));
}

// symbol+8, generic(symbol)+8, and one byte of the address with a mask as in
// 0xFF00(generic(symbol)).
void Parser::address_value(Variable& variable, std::size_t offset, std::uint64_t mask, bool masked)
{
    Relocation relocation;
    relocation.offset = offset;
    relocation.size_bytes = size_bytes(variable.type);
    Token name = expect_word("a symbol");
    if (name.text == "generic" && accept('(')) {
        relocation.generic = true;
        name = expect_word("a symbol");
        relocation.addend = signed_offset();
        expect(')', "generic(symbol");
    }
    relocation.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(relocation.addend) +
                                                  static_cast<std::uint64_t>(signed_offset()));
    const Meaning* inner = scopes_ ? scopes_->find(name.text) : nullptr;
    relocation.symbol = inner != nullptr ? inner->unique : refer(name);
    if (masked) {
        relocation.shift_bits = mask == 0 ? 0 : std::countr_zero(mask);
        if (relocation.size_bytes != 1 || mask == 0 || relocation.shift_bits % 8 != 0 ||
            mask >> relocation.shift_bits != 0xff)
            throw ParseError(name.line, "a mask must select one byte for a one-byte element");
    } else if (relocation.size_bytes != 8 && relocation.size_bytes != 4) {
        throw ParseError(name.line, "an address needs an element of 4 or 8 bytes");
    }
    variable.relocations.push_back(std::move(relocation));
}

} // namespace lanescope::ptx
