// What the parts of a kernel's text are, for their colours: CUDA C++ and PTX, read word by word. A
// text that does not compile is coloured as far as it can be read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::app {

enum class TokenKind : std::uint8_t { plain, comment, keyword, type, cuda, number, string };

// Bytes of one line; what no span covers is plain.
struct TokenSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenKind ink = TokenKind::plain;
    friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

// Of each line, in order; comments may go over several.
std::vector<std::vector<TokenSpan>> highlight_cuda(std::string_view text);
// Of one instruction.
std::vector<TokenSpan> highlight_ptx(std::string_view line);

} // namespace lanescope::app
