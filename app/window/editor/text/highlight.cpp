// Words are looked up in short sorted lists; the only state carried from line to line is the
// comment or string that is open.
#include "app/window/editor/text/highlight.h"

#include <algorithm>
#include <array>

#include "app/document/values/text_lines.h"

namespace lanescope::app {
namespace {

constexpr auto keywords = std::to_array<std::string_view>({"alignas",
                                                           "alignof",
                                                           "auto",
                                                           "break",
                                                           "case",
                                                           "class",
                                                           "const",
                                                           "const_cast",
                                                           "constexpr",
                                                           "continue",
                                                           "decltype",
                                                           "default",
                                                           "delete",
                                                           "do",
                                                           "else",
                                                           "enum",
                                                           "explicit",
                                                           "extern",
                                                           "false",
                                                           "for",
                                                           "friend",
                                                           "goto",
                                                           "if",
                                                           "inline",
                                                           "namespace",
                                                           "new",
                                                           "noexcept",
                                                           "nullptr",
                                                           "operator",
                                                           "private",
                                                           "protected",
                                                           "public",
                                                           "register",
                                                           "reinterpret_cast",
                                                           "restrict",
                                                           "return",
                                                           "sizeof",
                                                           "static",
                                                           "static_assert",
                                                           "static_cast",
                                                           "struct",
                                                           "switch",
                                                           "template",
                                                           "this",
                                                           "true",
                                                           "typedef",
                                                           "typename",
                                                           "union",
                                                           "using",
                                                           "virtual",
                                                           "volatile",
                                                           "while"});

constexpr auto types = std::to_array<std::string_view>({"bool",
                                                        "char",
                                                        "char2",
                                                        "char4",
                                                        "cudaSurfaceObject_t",
                                                        "cudaTextureObject_t",
                                                        "dim3",
                                                        "double",
                                                        "double2",
                                                        "float",
                                                        "float2",
                                                        "float3",
                                                        "float4",
                                                        "half",
                                                        "half2",
                                                        "int",
                                                        "int16_t",
                                                        "int2",
                                                        "int3",
                                                        "int32_t",
                                                        "int4",
                                                        "int64_t",
                                                        "int8_t",
                                                        "long",
                                                        "nv_bfloat16",
                                                        "short",
                                                        "short2",
                                                        "short4",
                                                        "signed",
                                                        "size_t",
                                                        "uchar2",
                                                        "uchar3",
                                                        "uchar4",
                                                        "uint16_t",
                                                        "uint2",
                                                        "uint3",
                                                        "uint32_t",
                                                        "uint4",
                                                        "uint64_t",
                                                        "uint8_t",
                                                        "uintptr_t",
                                                        "unsigned",
                                                        "ushort2",
                                                        "ushort4",
                                                        "void",
                                                        "wchar_t"});

constexpr auto cuda_names =
    std::to_array<std::string_view>({"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"});

static_assert(std::ranges::is_sorted(keywords));
static_assert(std::ranges::is_sorted(types));
static_assert(std::ranges::is_sorted(cuda_names));

bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool in_identifier(char c)
{
    return begins_word(c) || is_digit(c);
}

TokenKind ink_of(std::string_view word)
{
    if (std::ranges::binary_search(keywords, word)) return TokenKind::keyword;
    if (std::ranges::binary_search(types, word)) return TokenKind::type;
    // __global__, __shared__, __syncthreads, __shfl_down_sync, __ldg, …; atomics and fences alike.
    if (word.starts_with("__") || std::ranges::binary_search(cuda_names, word))
        return TokenKind::cuda;
    if (word.starts_with("atomic") && word.size() > 6) return TokenKind::cuda;
    return TokenKind::plain;
}

class Line {
public:
    explicit Line(std::string_view text) : text_(text) {}

    std::vector<TokenSpan> read(bool& in_comment)
    {
        if (in_comment) finish_comment(0, in_comment);
        const std::size_t first = text_.find_first_not_of(" \t");
        if (at_ == 0 && first != std::string_view::npos && text_[first] == '#') {
            at_ = std::min(text_.find_first_not_of(" \t", first + 1), text_.size());
            while (at_ < text_.size() && in_identifier(text_[at_])) ++at_;
            add(first, at_, TokenKind::keyword); // #pragma, #define, …
        }
        while (at_ < text_.size()) next(in_comment);
        return std::move(spans_);
    }

private:
    void next(bool& in_comment)
    {
        const std::size_t begin = at_;
        const char c = text_[at_];
        if (text_.substr(at_, 2) == "//") {
            add(begin, at_ = text_.size(), TokenKind::comment);
        } else if (text_.substr(at_, 2) == "/*") {
            at_ += 2;
            finish_comment(begin, in_comment);
        } else if (c == '"' || c == '\'') {
            for (++at_; at_ < text_.size() && text_[at_] != c; ++at_)
                if (text_[at_] == '\\') ++at_;
            at_ = std::min(at_ + 1, text_.size());
            add(begin, at_, TokenKind::string);
        } else if (is_digit(c) ||
                   (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            for (++at_; at_ < text_.size(); ++at_) {
                const char last = text_[at_ - 1];
                const bool sign = (text_[at_] == '+' || text_[at_] == '-') &&
                                  (last == 'e' || last == 'E') && text_[begin + 1] != 'x';
                if (!in_identifier(text_[at_]) && text_[at_] != '.' && text_[at_] != '\'' && !sign)
                    break;
            }
            add(begin, at_, TokenKind::number);
        } else if (begins_word(c)) {
            while (at_ < text_.size() && in_identifier(text_[at_])) ++at_;
            const TokenKind ink = ink_of(text_.substr(begin, at_ - begin));
            if (ink != TokenKind::plain) add(begin, at_, ink);
        } else {
            ++at_;
        }
    }

    void finish_comment(std::size_t begin, bool& in_comment)
    {
        const std::size_t end = text_.find("*/", at_);
        in_comment = end == std::string_view::npos;
        at_ = in_comment ? text_.size() : end + 2;
        add(begin, at_, TokenKind::comment);
    }

    void add(std::size_t begin, std::size_t end, TokenKind ink)
    {
        if (begin == end) return;
        spans_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), ink});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<TokenSpan> spans_;
};

} // namespace

std::vector<std::vector<TokenSpan>> highlight_cuda(std::string_view text)
{
    std::vector<std::vector<TokenSpan>> lines;
    bool in_comment = false;
    for (const std::string_view line : lines_of(text)) lines.push_back(Line(line).read(in_comment));
    return lines;
}

namespace {

constexpr auto python_keywords = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

constexpr auto python_types =
    std::to_array<std::string_view>({"bool", "bytes", "complex", "dict", "float", "int", "list",
                                     "object", "range", "set", "str", "tuple"});

static_assert(std::ranges::is_sorted(python_keywords));
static_assert(std::ranges::is_sorted(python_types));

class PythonLine {
public:
    // `quotes`: the three quotes of a string that is open at the start of the line, and at its end.
    PythonLine(std::string_view text, std::string_view& quotes) : text_(text), quotes_(quotes) {}

    std::vector<TokenSpan> read()
    {
        if (!quotes_.empty()) finish_string(0);
        while (at_ < text_.size()) next();
        return std::move(spans_);
    }

private:
    void next()
    {
        const std::size_t begin = at_;
        const char c = text_[at_];
        if (c == '#') {
            add(begin, at_ = text_.size(), TokenKind::comment);
        } else if (c == '"' || c == '\'') {
            for (const std::string_view triple : {R"(""")", "'''"})
                if (text_.substr(at_, 3) == triple) quotes_ = triple;
            if (quotes_.empty()) return finish_line_string(begin, c);
            at_ += quotes_.size();
            finish_string(begin);
        } else if (is_digit(c) ||
                   (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            while (at_ < text_.size() && (in_identifier(text_[at_]) || text_[at_] == '.')) ++at_;
            add(begin, at_, TokenKind::number);
        } else if (begins_word(c)) {
            while (at_ < text_.size() && in_identifier(text_[at_])) ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            if (std::ranges::binary_search(python_keywords, word))
                add(begin, at_, TokenKind::keyword);
            else if (std::ranges::binary_search(python_types, word))
                add(begin, at_, TokenKind::type);
            else if (word == "cuda" || std::ranges::binary_search(cuda_names, word))
                add(begin, at_, TokenKind::cuda);
        } else {
            ++at_;
        }
    }

    void finish_line_string(std::size_t begin, char quote)
    {
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
            if (text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, text_.size());
        add(begin, at_, TokenKind::string);
    }

    void finish_string(std::size_t begin)
    {
        const std::size_t end = text_.find(quotes_, at_);
        at_ = end == std::string_view::npos ? text_.size() : end + quotes_.size();
        if (end != std::string_view::npos) quotes_ = {};
        add(begin, at_, TokenKind::string);
    }

    void add(std::size_t begin, std::size_t end, TokenKind ink)
    {
        if (begin == end) return;
        spans_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), ink});
    }

    std::string_view text_;
    std::string_view& quotes_;
    std::size_t at_ = 0;
    std::vector<TokenSpan> spans_;
};

} // namespace

std::vector<std::vector<TokenSpan>> highlight_python(std::string_view text)
{
    std::vector<std::vector<TokenSpan>> lines;
    std::string_view quotes;
    for (const std::string_view line : lines_of(text))
        lines.push_back(PythonLine(line, quotes).read());
    return lines;
}

std::vector<TokenSpan> highlight_ptx(std::string_view line)
{
    std::vector<TokenSpan> spans;
    const auto add = [&](std::size_t begin, std::size_t end, TokenKind ink) {
        spans.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), ink});
    };
    const auto in_name = [](char c) {
        return in_identifier(c) || c == '.' || c == ':' || c == '$';
    };
    bool opcode_seen = false;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = at;
        const char c = line[at];
        if (line.substr(at, 2) == "//") return add(at, line.size(), TokenKind::comment), spans;
        if (c == '%') { // a register
            for (++at; at < line.size() && in_name(line[at]);) ++at;
            add(begin, at, TokenKind::type);
        } else if (is_digit(c)) {
            while (at < line.size() && in_identifier(line[at])) ++at;
            add(begin, at, TokenKind::number);
        } else if (begins_word(c)) {
            while (at < line.size() && in_name(line[at])) ++at;
            if (!opcode_seen) add(begin, at, TokenKind::keyword);
            opcode_seen = true;
        } else {
            ++at;
        }
    }
    return spans;
}

} // namespace lanescope::app
