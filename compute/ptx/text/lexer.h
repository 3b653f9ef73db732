// PTX text as tokens: words, dotted words, numbers, strings and single characters, with their
// positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

struct Token {
    enum class Kind : std::uint8_t {
        end,
        word,   // name, %r1, $L__BB0_1
        dotted, // .u32, .shared::cta; `text` is without the dot
        number, // 12, 0x1F, 0f3F800000, 1.5
        string, // `text` is without the quotes
        symbol, // one character
    };
    Kind kind = Kind::end;
    std::string_view text;
    int line = 1;
    std::size_t begin = 0; // byte range in the text
    std::size_t end = 0;

    bool is(char character) const { return kind == Kind::symbol && text[0] == character; }
    bool is_dotted(std::string_view word) const { return kind == Kind::dotted && text == word; }
    // The token, quoted for an error message.
    std::string quoted() const;
};

// A number's value as defined by PTX: integers are s64 bits, 0f… f32, 0d… and decimals f64.
struct Number {
    Type type = Type::s64;
    std::uint64_t bits = 0;
};

// Throws ParseError if the token is not a well-formed number.
Number number_of(const Token& token);

// Reads tokens one at a time, with one token of lookahead. Throws ParseError on a character that is
// not valid in PTX.
class Lexer {
public:
    explicit Lexer(std::string_view text);

    const Token& peek() const { return next_; }
    Token take();

    // Consumes the numbers of a list with their commas, as long as each is a short decimal followed
    // by another number, and `use` accepts it: the bulk of large tables.
    template <class Use>
    void take_decimals(const Use& use)
    {
        if (next_.kind != Token::Kind::number) return;
        std::size_t begin = next_.begin;
        std::size_t next = begin;
        for (std::uint64_t value = 0; (next = decimal_in_list(begin, value)) != begin;) {
            if (!use(value)) break;
            begin = next;
        }
        if (begin == next_.begin) return;
        at_ = begin;
        scan();
    }

    // Skips to the '}' that matches the braces opened before offset `begin`, and returns its
    // offset; npos if there is none.
    std::size_t leave_braces(std::size_t begin, int line);

private:
    // Offset of the next number in the list after the one at `begin`; `begin` if this is not such a
    // list.
    std::size_t decimal_in_list(std::size_t begin, std::uint64_t& value) const
    {
        constexpr std::ptrdiff_t max_digits = 10;
        const char* const first = text_.data() + begin;
        const char* const end = text_.data() + text_.size();
        const auto digit = [end](const char* at) { return at != end && *at >= '0' && *at <= '9'; };
        const char* at = first;
        for (value = 0; digit(at); ++at) value = value * 10 + static_cast<std::uint64_t>(*at - '0');
        const bool octal = at > first + 1 && *first == '0';
        if (at == first || at - first > max_digits || octal || at == end || *at != ',')
            return begin;
        for (++at; at != end && *at == ' ';) ++at;
        return digit(at) ? static_cast<std::size_t>(at - text_.data()) : begin;
    }

    void skip_blanks();
    void scan(); // scans the next token
    void make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t quotes = 0);

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    Token next_;
};

} // namespace lanescope::ptx
