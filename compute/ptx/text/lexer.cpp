// Character classes and numbers of PTX (PTX ISA, "Syntax").
#include "compute/ptx/text/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "compute/ptx/text/parse_error.h"
#include "compute/read_number.h"

namespace lanescope::ptx {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
// Roles of a character; 0: not valid in PTX.
enum : std::uint8_t { starts_word = 1, continues_word = 2, is_blank = 4, is_symbol = 8 };

constexpr std::array<std::uint8_t, 256> classes = [] {
    std::array<std::uint8_t, 256> table{};
    const auto mark = [&](std::string_view characters, int what) {
        for (const char c : characters) table[static_cast<unsigned char>(c)] |= what;
    };
    mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", starts_word | continues_word);
    mark("%", starts_word);
    mark("0123456789", continues_word);
    mark(" \t\r\f\v", is_blank);
    mark("{}()[]<>,;:=+-*/~!|@&^?", is_symbol);
    return table;
}();

bool is(char c, std::uint8_t what)
{
    return (classes[static_cast<unsigned char>(c)] & what) != 0;
}

template <class Value>
Value parse_all(const Token& token, std::string_view digits, int base)
{
    Value value{};
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
        throw ParseError(token.line, fmt::format("{} is not a number", token.quoted()));
    return value;
}

} // namespace

std::string Token::quoted() const
{
    if (kind == Kind::end) return "the end of the text";
    constexpr std::size_t longest = 60;
    std::string shown = kind == Kind::dotted ? "." : "";
    for (char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
    return "'" + shown + (text.size() > longest ? "…'" : "'");
}

Number number_of(const Token& token)
{
    std::string_view text = token.text;
    if (token.kind != Token::Kind::number)
        throw ParseError(token.line, fmt::format("expected a number, found {}", token.quoted()));
    const char marker = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
    if ((marker == 'f' || marker == 'F') && text.size() == 10)
        return {Type::f32, parse_all<std::uint32_t>(token, text.substr(2), 16)};
    if ((marker == 'd' || marker == 'D') && text.size() == 18)
        return {Type::f64, parse_all<std::uint64_t>(token, text.substr(2), 16)};

    const bool hexadecimal = marker == 'x' || marker == 'X';
    if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
        double value = 0;
        const auto result = read_number(text.data(), text.data() + text.size(), value);
        if (result.ec != std::errc{} || result.ptr != text.data() + text.size())
            throw ParseError(token.line, fmt::format("{} is not a number", token.quoted()));
        return {Type::f64, std::bit_cast<std::uint64_t>(value)};
    }
    if (text.back() == 'U') text.remove_suffix(1);
    if (hexadecimal) return {Type::s64, parse_all<std::uint64_t>(token, text.substr(2), 16)};
    if (marker == 'b' || marker == 'B')
        return {Type::s64, parse_all<std::uint64_t>(token, text.substr(2), 2)};
    return {Type::s64, parse_all<std::uint64_t>(token, text, is_digit(marker) ? 8 : 10)};
}

Lexer::Lexer(std::string_view text) : text_(text)
{
    scan();
}

Token Lexer::take()
{
    Token taken = next_;
    if (taken.kind != Token::Kind::end) scan();
    return taken;
}

std::size_t Lexer::leave_braces(std::size_t begin, int line)
{
    at_ = begin;
    line_ = line;
    const auto skip_to = [&](std::size_t end) {
        for (end = std::min(end, text_.size()); at_ < end; ++at_) line_ += text_[at_] == '\n';
    };
    for (int depth = 1; at_ < text_.size();) {
        const char c = text_[at_];
        if (text_.substr(at_, 2) == "//") {
            skip_to(text_.find('\n', at_));
        } else if (text_.substr(at_, 2) == "/*") {
            skip_to(text_.find("*/", at_ + 2));
        } else if (c == '"') {
            skip_to(text_.find_first_of("\"\n", at_ + 1));
            skip_to(at_ + 1);
        } else {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            skip_to(at_ + 1);
            if (depth > 0) continue;
            const std::size_t closing = at_ - 1;
            scan();
            return closing;
        }
    }
    return std::string_view::npos;
}

void Lexer::skip_blanks()
{
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (is(c, is_blank)) {
            ++at_;
        } else if (c != '/') {
            return;
        } else if (text_.substr(at_, 2) == "//") {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (text_.substr(at_, 2) == "/*") {
            const std::size_t close = text_.find("*/", at_ + 2);
            if (close == std::string_view::npos) throw ParseError(line_, "a comment is not closed");
            for (; at_ < close + 2; ++at_) line_ += text_[at_] == '\n';
        } else {
            return;
        }
    }
}

void Lexer::make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t quotes)
{
    at_ = end;
    next_ = {kind, text_.substr(begin + quotes, end - begin - 2 * quotes), line_, begin, end};
}

void Lexer::scan()
{
    skip_blanks();
    const std::size_t begin = at_;
    if (begin == text_.size()) return make(Token::Kind::end, begin, begin);
    const auto at = [&](std::size_t place) { return place < text_.size() ? text_[place] : '\0'; };
    const auto continues = [&](std::size_t place) { return is(at(place), continues_word); };
    const char first = at(begin);
    std::size_t end = begin + 1;

    if (is(first, starts_word)) {
        while (continues(end)) ++end;
        return make(Token::Kind::word, begin, end);
    }
    if (first == '.' && continues(end)) {
        while (continues(end) || (at(end) == ':' && at(end + 1) == ':' && continues(end + 2)))
            end += at(end) == ':' ? 2 : 1;
        make(Token::Kind::dotted, begin, end);
        next_.text.remove_prefix(1);
        return;
    }
    if (is_digit(first)) {
        const bool plain = first != '0' || is_digit(at(end)) || at(end) == '.';
        while (continues(end) || (plain && at(end) == '.') ||
               (plain && (at(end) == '+' || at(end) == '-') &&
                (at(end - 1) == 'e' || at(end - 1) == 'E')))
            ++end;
        return make(Token::Kind::number, begin, end);
    }
    if (first == '"') {
        while (at(end) != '"') {
            if (end >= text_.size() || at(end) == '\n')
                throw ParseError(line_, "a string is not closed");
            ++end;
        }
        return make(Token::Kind::string, begin, end + 1, 1);
    }
    if (!is(first, is_symbol))
        throw ParseError(line_, fmt::format("character {:#04x} is not valid in PTX",
                                            static_cast<unsigned char>(first)));
    return make(Token::Kind::symbol, begin, end);
}

} // namespace lanescope::ptx
