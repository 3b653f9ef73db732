// Rewrites PTX line by line: random kernels have one instruction per line.
#include "tests/random_kernels/explain.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace lanescope::random_kernels {

namespace {

struct Line {
    std::string_view guard;
    std::string_view opcode;
    std::vector<std::string_view> operands;
};

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Returns an empty optional if the line is not an instruction.
std::optional<Line> instruction(std::string_view text)
{
    text = trimmed(text);
    if (!text.ends_with(';')) return std::nullopt;
    text.remove_suffix(1);
    Line line;
    if (text.starts_with('@')) {
        const std::size_t end = text.find(' ');
        if (end == std::string_view::npos) return std::nullopt;
        line.guard = text.substr(0, end);
        text = trimmed(text.substr(end));
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    line.opcode = text.substr(0, end);
    text = trimmed(text.substr(end));
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at < text.size() && text[at] == '{') ++depth;
        if (at < text.size() && text[at] == '}') --depth;
        if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
        if (at > begin) line.operands.push_back(trimmed(text.substr(begin, at - begin)));
        begin = at + 1;
    }
    return line;
}

// Replaces each line for which `instead` returns a text by that text.
std::string with(std::string_view ptx,
                 const std::function<std::optional<std::string>(std::string_view)>& instead)
{
    std::string out;
    while (!ptx.empty()) {
        const std::size_t end = std::min(ptx.find('\n'), ptx.size());
        const std::string_view line = ptx.substr(0, end);
        out += instead(line).value_or(std::string(line));
        if (end == ptx.size()) break;
        out += '\n';
        ptx.remove_prefix(end + 1);
    }
    return out;
}

// A variable in constant memory that is always 0; the assembler cannot know that.
constexpr std::string_view zero = "nobody_knows_zero";

std::string with_zero(std::string text)
{
    constexpr std::string_view before = ".address_size 64\n";
    const std::string variable = fmt::format(".const .align 4 .b32 {}[1] = {{0}};\n", zero);
    const std::size_t at = text.find(before);
    const bool wanted = text.find(zero) != std::string::npos;
    if (wanted && at != std::string::npos && text.find(variable) == std::string::npos)
        text.insert(at + before.size(), variable);
    return text;
}

// Opens a scope and copies 32-bit operands to its registers k0, k1 and so on. The assembler knows
// neither their values nor that they are copies. The caller closes the scope.
std::string hidden(std::span<const std::string_view> operands)
{
    std::string text =
        fmt::format("{{\n.reg .b32 kz, k<{}>;\nld.const.u32 kz, [{}];\n", operands.size(), zero);
    for (std::size_t i = 0; i < operands.size(); ++i)
        text += fmt::format("xor.b32 k{}, {}, kz;\n", i, operands[i]);
    return text;
}

std::string without_tables(std::string_view ptx)
{
    std::vector<std::string_view> targets;
    return with(ptx, [&](std::string_view text) -> std::optional<std::string> {
        if (const std::size_t at = text.find(": .branchtargets "); at != std::string_view::npos) {
            const auto listed = instruction(text.substr(at + 2));
            targets = listed ? listed->operands : std::vector<std::string_view>{};
            return "";
        }
        const auto line = instruction(text);
        if (!line || line->opcode != "brx.idx" || targets.empty()) return std::nullopt;
        std::string chain = "{\n.reg .pred kp;\n";
        for (std::size_t i = 0; i + 1 < targets.size(); ++i)
            chain += fmt::format("setp.eq.u32 kp, {}, {};\n@kp bra {};\n", line->operands[0], i,
                                 targets[i]);
        return chain + fmt::format("bra {};\n}}", targets.back());
    });
}

std::string without_bit_fields_of_numbers(std::string_view ptx)
{
    return with_zero(with(ptx, [](std::string_view text) -> std::optional<std::string> {
        const auto line = instruction(text);
        if (!line || !(line->opcode == "bfi.b32" || line->opcode.starts_with("bfe.")))
            return std::nullopt;
        std::string made = hidden(std::span(line->operands).subspan(1));
        made += fmt::format("{} {} {}", line->guard, line->opcode, line->operands[0]);
        for (std::size_t i = 0; i + 1 < line->operands.size(); ++i) made += fmt::format(", k{}", i);
        return made + ";\n}";
    }));
}

// Adds zero to a register such that the assembler no longer considers it warp-uniform.
std::string varied(std::string_view name, bool wide)
{
    return fmt::format("\n{{\n.reg .b32 kl, kz;\n.reg .b64 kw;\nmov.u32 kl, %laneid;\n"
                       "ld.const.u32 kz, [{}];\nmul.lo.u32 kz, kl, kz;\ncvt.u64.u32 kw, kz;\n"
                       "add.{} {}, {}, {};\n}}",
                       zero, wide ? "u64" : "u32", name, name, wide ? "kw" : "kz");
}

// Hides uniform values: block and launch parameters, and addresses of variables.
std::string without_uniform_registers(std::string_view ptx)
{
    return with_zero(with(ptx, [](std::string_view text) -> std::optional<std::string> {
        const auto line = instruction(text);
        if (!line || !line->guard.empty() || line->operands.size() != 2) return std::nullopt;
        const std::string_view to = line->operands[0], from = line->operands[1];
        const bool is_parameter = line->opcode.starts_with("ld.param.") && from != "[back]";
        const bool is_move = line->opcode == "mov.u32" || line->opcode == "mov.u64";
        const bool is_variable = std::isalpha(static_cast<unsigned char>(from[0])) != 0 &&
                                 !(from.size() == 2 && from[0] == 'f'); // f0, f1, … are functions
        const bool is_place =
            from.starts_with("%ntid") || from.starts_with("%nctaid") || from.starts_with("%ctaid");
        if (!is_parameter && !(is_move && (is_variable || is_place))) return std::nullopt;
        return std::string(text) + varied(to, line->opcode.ends_with("64"));
    }));
}

// Makes the lanes that call a function together reconverge after the call.
std::string without_diverged_calls(std::string_view ptx)
{
    return with(ptx, [](std::string_view text) -> std::optional<std::string> {
        const auto line = instruction(text);
        if (!line || line->opcode != "call" || !line->guard.empty()) return std::nullopt;
        return fmt::format(".reg .b32 kc;\nactivemask.b32 kc;\n{}\nbar.warp.sync kc;", text);
    });
}

// Separates mad.hi in loops and in functions, since a function may be called in a loop.
std::string without_high_sums(std::string_view ptx)
{
    int loops = 0;
    bool in_function = false;
    return with_zero(with(ptx, [&](std::string_view text) -> std::optional<std::string> {
        if (text.starts_with(".func") || text.starts_with(".visible .entry"))
            in_function = text.starts_with(".func");
        if (text.starts_with("loop_")) ++loops;
        if (text.starts_with("next_")) --loops;
        const auto line = instruction(text);
        if (!line || !line->opcode.starts_with("mad.hi.") || loops + in_function == 0)
            return std::nullopt;
        const auto& by = line->operands;
        // Without a hidden zero in between, ptxas would fuse the two instructions again.
        return fmt::format("{{\n.reg .b32 kh, kz;\nld.const.u32 kz, [{}];\nmul.hi.{} kh, {}, {};\n"
                           "xor.b32 kh, kh, kz;\n{} add.u32 {}, kh, {};\n}}",
                           zero, line->opcode.substr(7), by[1], by[2], line->guard, by[0], by[3]);
    }));
}

// True for the pairs that every kernel makes at its start.
bool is_beginning(const Line& line)
{
    for (int i = 0; i < 4; ++i)
        if (line.operands[0] == fmt::format("%q{}", i) &&
            line.operands[1] == fmt::format("{{%r{}, %r{}}}", i, i + 4))
            return true;
    return false;
}

std::string without_pairs(std::string_view ptx, bool at_beginning)
{
    return with_zero(with(ptx, [&](std::string_view text) -> std::optional<std::string> {
        const auto line = instruction(text);
        if (!line || line->opcode != "mov.b64" || line->operands.size() != 2 ||
            !line->operands[1].starts_with('{') || is_beginning(*line) != at_beginning)
            return std::nullopt;
        const std::string_view pair = line->operands[1];
        const std::size_t comma = pair.find(',');
        const std::string_view halves[] = {
            trimmed(pair.substr(1, comma - 1)),
            trimmed(pair.substr(comma + 1, pair.size() - comma - 2))};
        return hidden(halves) +
               fmt::format("{} mov.b64 {}, {{k0, k1}};\n}}", line->guard, line->operands[0]);
    }));
}

std::string without_later_pairs(std::string_view ptx)
{
    return without_pairs(ptx, false);
}

// Pairs at the kernel's start: the operands are set just before or, with probes, in another block.
std::string without_first_pairs(std::string_view ptx)
{
    return without_pairs(ptx, true);
}

std::string without_extremes_of_nans(std::string_view ptx)
{
    return with(ptx, [](std::string_view text) -> std::optional<std::string> {
        const auto line = instruction(text);
        if (!line || !(line->opcode == "min.f32" || line->opcode == "max.f32")) return std::nullopt;
        return fmt::format("{0}\n{{\n.reg .pred kp;\ntestp.notanumber.f32 kp, {1};\n"
                           "selp.f32 {1}, 0f7FFFFFFF, {1}, kp;\n}}",
                           text, line->operands[0]);
    });
}

constexpr Explanation known[] = {
    {"a uniform register where lanes part", without_uniform_registers},
    {"brx.idx on which lanes part", without_tables},
    {"lanes that part in a function", without_diverged_calls},
    {"bfi or bfe by numbers", without_bit_fields_of_numbers},
    {"mad.hi in an unrolled loop", without_high_sums},
    {"mov.b64 of what another block sets", without_later_pairs},
    {"mov.b64 at the kernel's beginning, with probes", without_first_pairs},
    {"min or max of a NaN and its copy", without_extremes_of_nans},
};

} // namespace

std::span<const Explanation> explanations()
{
    return known;
}

} // namespace lanescope::random_kernels
