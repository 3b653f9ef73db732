// Looks up each instruction in versions.def by its name and modifiers as written.
#include "compute/ptx/text/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/text/parse_error.h"
#include "compute/text.h"

namespace lanescope::ptx {
namespace {

struct Row {
    int version = 0;
    std::string_view text;
};
constexpr Row targets[] = {
#define TARGET(number, version) {version, #number},
#include "compute/ptx/instructions/versions.def"
};
constexpr Row instructions[] = {
#define SINCE(version, words) {version, words},
#include "compute/ptx/instructions/versions.def"
};
constexpr Row specials[] = {
#define SPECIAL(version, name) {version, name},
#include "compute/ptx/instructions/versions.def"
};
constexpr Row directives[] = {
#define DIRECTIVE(version, text) {version, text},
#include "compute/ptx/instructions/versions.def"
};

// "ld.global.f32" for "@%p1 ld.global.f32 %f1, [%rd4];".
std::string_view opcode(const Module& module, const Instruction& instruction)
{
    constexpr std::string_view space = " \t\r\n";
    std::string_view text =
        std::string_view(module.text)
            .substr(instruction.text_begin, instruction.text_end - instruction.text_begin);
    if (text.starts_with('@')) {
        text.remove_prefix(std::min(text.find_first_of(space), text.size()));
        text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    }
    return text.substr(0, text.find_first_of(" \t\r\n;"));
}

bool fits(std::string_view row, std::string_view opcode)
{
    const auto wanted = parts(row, ' ');
    if (wanted.front() != "*") {
        if (!opcode.starts_with(wanted.front())) return false;
        const std::string_view rest = opcode.substr(wanted.front().size());
        if (!rest.empty() && rest.front() != '.') return false;
    }
    const auto words = parts(opcode, '.');
    return std::all_of(wanted.begin() + 1, wanted.end(), [&](std::string_view word) {
        return std::ranges::find(words, word) != words.end();
    });
}

int version_of(const Operand& operand)
{
    int version = 0;
    if (operand.kind == Operand::Kind::special)
        for (const Row& row : specials)
            if (operand.symbol.starts_with(row.text)) version = std::max(version, row.version);
    for (const Operand& element : operand.elements)
        version = std::max(version, version_of(element));
    return version;
}

// 0 if the architecture is unknown.
int version_of_target(std::string_view target)
{
    int number = 0;
    const std::string_view digits =
        target.substr(std::min<std::size_t>(target.find('_') + 1, target.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // A letter after the number selects architecture-specific features.
    if (error != std::errc{} || end != digits.data() + digits.size()) return 0;
    if (number <= 75) return 63;
    for (const Row& row : targets)
        if (row.text == digits.substr(0, static_cast<std::size_t>(end - digits.data())))
            return row.version;
    return 0;
}

} // namespace

int lowest_version(const Module& module)
{
    const int own = module.version_major * 10 + module.version_minor;
    int lowest = version_of_target(module.target);
    if (lowest == 0) return own;
    for (const Row& row : directives)
        if (module.text.find(row.text) != std::string::npos) lowest = std::max(lowest, row.version);
    for (const Function& function : module.functions) {
        if (function.refusal) return own;
        std::size_t bytes = 0;
        for (const Variable& parameter : function.parameters) bytes += parameter.size_bytes();
        if (bytes > 4352) lowest = std::max(lowest, 81);
        for (const Instruction& instruction : function.instructions) {
            const std::string_view words = opcode(module, instruction);
            for (const Row& row : instructions)
                if (row.version > lowest && fits(row.text, words)) lowest = row.version;
            const bool extreme = instruction.op == Op::min || instruction.op == Op::max;
            if (extreme && instruction.operands.size() == 4) lowest = std::max(lowest, 88);
            for (const Operand& operand : instruction.operands)
                lowest = std::max(lowest, version_of(operand));
        }
    }
    return lowest;
}

std::string at_lowest_version(std::string_view text)
{
    std::string written(text);
    try {
        const Module module = parse(text);
        const int own = module.version_major * 10 + module.version_minor;
        const int lowest = lowest_version(module);
        if (lowest >= own) return written;
        const std::size_t begin = written.find_first_of("0123456789", written.find(".version"));
        const std::size_t end = written.find_first_not_of("0123456789.", begin);
        written.replace(begin, end - begin, fmt::format("{}.{}", lowest / 10, lowest % 10));
    } catch (const ParseError&) {
        // Leave the text unchanged: the driver may accept it, or reports the error itself.
    }
    return written;
}

} // namespace lanescope::ptx
