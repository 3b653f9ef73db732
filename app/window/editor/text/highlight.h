// Syntax highlighting for CUDA C++, Python and PTX, word by word. Text that does not compile is
// coloured as far as it can be read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::app {

enum class TokenKind : std::uint8_t { plain, comment, keyword, type, cuda, number, string };

// A range of bytes in one line; bytes in no span are plain.
struct TokenSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenKind ink = TokenKind::plain;
    friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

// Spans per line, in order; comments may span several lines.
std::vector<std::vector<TokenSpan>> highlight_cuda(std::string_view text);
// The same for Python; strings may span several lines.
std::vector<std::vector<TokenSpan>> highlight_python(std::string_view text);
// Spans of one instruction.
std::vector<TokenSpan> highlight_ptx(std::string_view line);

} // namespace lanescope::app
