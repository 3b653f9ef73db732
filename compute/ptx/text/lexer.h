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

    // Goes on behind the '}' that closes the braces opened before offset `begin`, whatever stands
    // between, and returns the offset of that '}'; npos when there is none.
    std::size_t leave_braces(std::size_t begin, int line);

private:
    void skip_blanks();
    void scan(); // the next token
    void make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t quotes = 0);

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    Token next_;
};

} // namespace lanescope::ptx
