// Changes one to three tokens; comments stay.
#include "tests/support/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace lanescope::test {
namespace {

struct Token {
    std::string text;
    bool counts = false; // neither white space nor a comment
};

bool is_word(char one)
{
    return std::isalnum(static_cast<unsigned char>(one)) || one == '_' || one == '.';
}

std::vector<Token> tokens_of(std::string_view text)
{
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        bool counts = true;
        if (std::isspace(static_cast<unsigned char>(text[at]))) {
            while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end]))) ++end;
            counts = false;
        } else if (text.substr(at, 2) == "//") {
            end = std::min(text.find('\n', at), text.size());
            counts = false;
        } else if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end])) ++end;
        } else {
            for (const std::string_view pair : {"<=", ">=", "==", "!=", "&&", "||", "<<", ">>",
                                                "++", "--", "+=", "-=", "*=", "/="})
                if (text.substr(at, 2) == pair) end = at + 2;
        }
        tokens.push_back({std::string(text.substr(at, end - at)), counts});
        at = end;
    }
    return tokens;
}

template <std::size_t count>
const char* any_of(const std::array<const char*, count>& all, std::mt19937& random)
{
    return all[random() % count];
}

void change(Token& token, std::mt19937& random)
{
    constexpr std::array numbers{"0",    "1",     "-1",         "2",    "31",   "33",
                                 "1024", "65537", "2147483647", "0.0f", "1e30f"};
    constexpr std::array operators{
        "+", "-", "*", "/", "%", "<", "<=", ">", "==", "!=", "&&", "=", "<<"};
    constexpr std::array names{"threadIdx.x", "blockIdx.x", "blockDim.x", "threadIdx.y",     "int",
                               "float",       "while",      "return",     "__syncthreads()", "i"};
    const char first = token.text.front();
    if (std::isdigit(static_cast<unsigned char>(first)))
        token.text = any_of(numbers, random);
    else if (is_word(first))
        token.text = any_of(names, random);
    else
        token.text = any_of(operators, random);
}

} // namespace

std::string mutated(std::string_view text, std::mt19937& random)
{
    std::vector<Token> tokens = tokens_of(text);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i].counts) places.push_back(i);
    if (places.empty()) return std::string(text);
    const auto any = [&]() -> Token& { return tokens[places[random() % places.size()]]; };
    const auto number = [&]() -> Token& {
        for (int tries = 0; tries < 64; ++tries)
            if (Token& one = any();
                !one.text.empty() && std::isdigit(static_cast<unsigned char>(one.text.front())))
                return one;
        return any();
    };
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) switch (random() % 6) {
        case 0: any().text.clear(); break;
        case 1: std::swap(any().text, any().text); break;
        case 2: {
            Token& one = any();
            one.text += " " + one.text;
            break;
        }
        case 3:
        case 4: {
            Token& one = number();
            if (!one.text.empty()) change(one, random);
            break;
        }
        default: {
            Token& one = any();
            if (!one.text.empty()) change(one, random);
        }
        }
    std::string result;
    for (const Token& one : tokens) result += one.text;
    return result;
}

} // namespace lanescope::test
