// PTX text as tokens: words, dotted words, numbers, strings and single characters, with their
// places.
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
    // The token as it is named in an error message.
    std::string quoted() const;
};

// A number's value as PTX defines it: integers are s64 bits, 0f… f32, 0d… and decimals f64.
struct Number {
    Type type = Type::s64;
    std::uint64_t bits = 0;
};

// Throws ParseError when the token is no well-formed number.
Number number_of(const Token& token);

// Reads tokens one at a time, with the next one in view. Throws ParseError on a character that PTX
// does not have.
class Lexer {
public:
    explicit Lexer(std::string_view text);

    const Token& peek() const { return next_; }
    Token take();

    // Takes the numbers of a list with the commas behind them, as long as each is a short decimal
    // with another number behind its comma, and `use` does not refuse it: large tables are little
    // else.
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

    // Goes on behind the '}' that closes the braces opened before offset `begin`, whatever stands
    // between, and returns the offset of that '}'; npos when there is none.
    std::size_t leave_braces(std::size_t begin, int line);

private:
    // Where the number behind the one at `begin` begins; `begin` when this is no such list.
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
    void scan(); // the next token
    void make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t quotes = 0);

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    Token next_;
};

} // namespace lanescope::ptx
