// Source locations of instructions: .file, .loc with its inlining, and the strings that name
// inlined functions. Other debug sections are parsed but not used.
#include "compute/ptx/text/parser.h"

#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

// Decodes non-ASCII bytes of a path, which nvcc writes as "\303\244".
std::string unescaped(std::string_view text)
{
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view digits = text.substr(i + 1, 3);
        const bool octal = text[i] == '\\' && digits.size() == 3 && digits[0] <= '3' &&
                           digits.find_first_not_of("01234567") == std::string_view::npos;
        if (!octal) {
            bytes += text[i];
            continue;
        }
        int value = 0;
        for (const char digit : digits) value = 8 * value + (digit - '0');
        bytes += static_cast<char>(value);
        i += 3;
    }
    return bytes;
}

} // namespace

// .file 1 "path"[, timestamp, size]
void Parser::file_entry()
{
    const int number = static_cast<int>(expect_unsigned("a file number", 0x7fffffff));
    const Token path = lexer_.take();
    if (path.kind != Token::Kind::string) fail_at(path, "a path in quotes");
    module_.files[number] = unescaped(path.text);
    while (accept(',')) expect_unsigned("a timestamp or size", ~std::uint64_t{0});
}

// .loc file line column[, function_name label[+offset], inlined_at file line column]
void Parser::location()
{
    const auto position = [this](SourceLocation& location) {
        location.file = static_cast<int>(expect_unsigned("a file number", 0x7fffffff));
        location.line = static_cast<int>(expect_unsigned("a line", 0x7fffffff));
        location.column = static_cast<int>(expect_unsigned("a column", 0x7fffffff));
        return std::array{location.file, location.line, location.column};
    };
    SourceLocation here;
    const auto key = position(here);
    while (accept(',')) {
        const Token word = expect_word("function_name or inlined_at");
        if (word.text == "function_name") {
            here.function = expect_word("a label").text;
            if (accept('+')) expect_unsigned("an offset", ~std::uint64_t{0});
        } else if (word.text == "inlined_at") {
            SourceLocation caller;
            const auto caller_key = position(caller);
            const auto found = latest_location_.find(caller_key);
            if (found != latest_location_.end()) {
                here.inlined_at = found->second;
            } else {
                here.inlined_at = static_cast<int>(module_.locations.size());
                latest_location_[caller_key] = here.inlined_at;
                module_.locations.push_back(std::move(caller));
            }
        } else {
            fail_at(word, "function_name or inlined_at");
        }
    }
    location_ = static_cast<int>(module_.locations.size());
    latest_location_[key] = location_;
    module_.locations.push_back(std::move(here));
}

// .section .debug_x { label: .b8 1,2,3 .b32 label+4 … }
void Parser::section()
{
    const Token name = lexer_.take();
    if (name.kind != Token::Kind::dotted || !name.text.starts_with("debug_"))
        throw ParseError(name.line, fmt::format("section {} is not recognised", name.quoted()));
    expect('{', "the section's name");
    const bool is_strings = name.text == "debug_str";
    std::string label;
    while (!accept('}')) {
        if (lexer_.peek().kind == Token::Kind::end)
            throw ParseError(name.line, fmt::format("section {} is not closed", name.quoted()));
        section_item(is_strings, label);
    }
}

void Parser::section_item(bool is_strings, std::string& label)
{
    const Token token = lexer_.take();
    if (token.kind == Token::Kind::word) {
        label = token.text;
        return expect(':', "a label");
    }
    if (token.kind != Token::Kind::dotted || !type_of(token.text))
        fail_at(token, "data in a debug section");
    std::string* text = is_strings && !label.empty() ? &debug_strings_[label] : nullptr;
    const auto note = [&](std::uint64_t bits) {
        if (text != nullptr && bits != 0) text->push_back(static_cast<char>(bits));
        return true;
    };
    do {
        lexer_.take_decimals(note);
        const Token value = lexer_.take();
        if (value.kind == Token::Kind::number) {
            note(number_of(value).bits);
        } else if (value.kind != Token::Kind::word && value.kind != Token::Kind::dotted &&
                   !value.is('-')) {
            fail_at(value, "a number or label in a debug section");
        } else if (value.is('-')) {
            number_of(lexer_.take());
        }
        while (accept('+') || accept('-')) {
            const Token term = lexer_.take();
            if (term.kind != Token::Kind::number && term.kind != Token::Kind::word)
                fail_at(term, "a number or label");
        }
    } while (accept(','));
}

// .loc names an inlined function with a label in .debug_str, which is the last section of the text.
void Parser::name_inlined_functions()
{
    for (SourceLocation& location : module_.locations)
        if (const auto found = debug_strings_.find(location.function);
            found != debug_strings_.end())
            location.function = found->second;
}

} // namespace lanescope::ptx
