// The disassembler prints destinations first: predicates, then a register, then carries. Wide
// values occupy consecutive registers, of which the first is printed.
#include "compute/predicted/operands.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "compute/predicted/names.h"

namespace lanescope::predicted {

using assembled::SassFunction;
using assembled::SassInstruction;

namespace {

enum File : std::uint8_t { vector_file, uniform_file, predicate_file, uniform_predicate_file };

struct Named {
    File file = vector_file;
    int number = 0;
    std::size_t end = 0; // offset in the text, one past the name
};

bool is_name(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The next register named in a text, from an offset.
std::optional<Named> next_register(std::string_view text, std::size_t from)
{
    for (std::size_t at = from; at < text.size(); ++at) {
        if (at > 0 && is_name(text[at - 1])) continue;
        std::size_t digits = at;
        const bool uniform = text[digits] == 'U';
        if (uniform) ++digits;
        if (digits >= text.size() || (text[digits] != 'R' && text[digits] != 'P')) continue;
        const bool predicate = text[digits] == 'P';
        int number = 0;
        std::size_t end = ++digits;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) &&
               number < 256)
            number = 10 * number + (text[end++] - '0');
        if (end == digits || number > 255 || (end < text.size() && is_name(text[end]))) continue;
        const File file = predicate ? (uniform ? uniform_predicate_file : predicate_file)
                                    : (uniform ? uniform_file : vector_file);
        return Named{file, number, end};
    }
    return {};
}

void add(std::vector<Register>& to, const Named& named, int count)
{
    const bool single = named.file >= predicate_file;
    for (int i = 0; i < (single ? 1 : count) && named.number + i < 256; ++i)
        to.push_back(static_cast<Register>(named.file * 256 + named.number + i));
}

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            const std::size_t first = std::min(text.find_first_not_of(' ', begin), i);
            if (first < i) parts.push_back(text.substr(first, i - first));
            begin = i + 1;
        } else {
            depth += text[i] == '[' || text[i] == '(' || text[i] == '{';
            depth -= text[i] == ']' || text[i] == ')' || text[i] == '}';
        }
    }
    return parts;
}

bool has_no_result(std::string_view name)
{
    return is_one_of(name, {"STG",           "STS",       "STL",    "ST",     "RED",    "REDG",
                            "REDS",          "BAR",       "BRA",    "EXIT",   "MEMBAR", "BSSY",
                            "BSYNC",         "WARPSYNC",  "DEPBAR", "CCTL",   "NOP",    "RET",
                            "CALL",          "SUST",      "LDGSTS", "BREAK",  "YIELD",  "LDGDEPBAR",
                            "ERRBAR",        "NANOSLEEP", "JMP",    "BRX",    "STSM",   "BPT",
                            "ENDCOLLECTIVE", "CGAERRBAR", "SYNCS",  "ARRIVES"});
}

bool writes_pair(const SassInstruction& in)
{
    const std::string_view name = in.name();
    if (is_one_of(name, {"DFMA", "DADD", "DMUL", "CS2R"})) return true;
    if (is_one_of(name, {"IMAD", "UIMAD"})) return in.has("WIDE");
    return is_one_of(name, {"F2F", "I2F"}) && in.has("F64");
}

// Registers of a vector result.
int result_width(const SassInstruction& in)
{
    const std::string_view name = in.name();
    if (is_one_of(name, {"LDG", "LDS", "LDL", "LD", "LDC", "ULDC", "ATOMG", "ATOM", "ATOMS"}))
        return std::max(1, in.width_bytes() / 4);
    if (name == "LDSM") return in.has("4") ? 4 : in.has("2") ? 2 : 1;
    if (is_one_of(name, {"HMMA", "IMMA", "DMMA"})) return name == "HMMA" && !in.has("F32") ? 2 : 4;
    if (is_one_of(name, {"TEX", "TLD", "TLD4", "SULD"})) return 2;
    return writes_pair(in) ? 2 : 1;
}

bool is_predicate(std::string_view text)
{
    if (text.starts_with('!')) text.remove_prefix(1);
    if (text.starts_with('U')) text.remove_prefix(1);
    return text.size() == 2 && text[0] == 'P' &&
           (text[1] == 'T' || std::isdigit(static_cast<unsigned char>(text[1])) != 0);
}

void add_all(std::vector<Register>& to, std::string_view text, int count)
{
    for (auto named = next_register(text, 0); named; named = next_register(text, named->end))
        add(to, *named, count);
}

// An address may hold 64-bit registers ("R2.64") and a descriptor ("desc[UR4]").
void add_address(std::vector<Register>& to, std::string_view text)
{
    for (auto named = next_register(text, 0); named; named = next_register(text, named->end)) {
        const bool wide = text.substr(named->end).starts_with(".64") || named->file == uniform_file;
        add(to, *named, wide ? 2 : 1);
    }
}

int source_width(const SassInstruction& in, std::size_t index, std::size_t count,
                 std::string_view text)
{
    const std::string_view name = in.name();
    if (is_one_of(name, {"HMMA", "IMMA", "DMMA"})) return index == 2 ? 2 : 4;
    if (is_one_of(name, {"DFMA", "DADD", "DMUL", "DSETP"})) return 2;
    if (writes_pair(in) && is_one_of(name, {"IMAD"}) && index + 1 == count) return 2;
    return text.find(".64") != text.npos ? 2 : 1;
}

} // namespace

Operands operands_of(const SassInstruction& in)
{
    Operands operands;
    if (const auto guard = next_register(in.guard, 0)) add(operands.read, *guard, 1);
    const std::vector<std::string_view> parts = split(in.operands);
    const std::string_view name = in.name();
    if (has_no_result(name)) {
        const int width = name.starts_with("ST") ? std::max(1, in.width_bytes() / 4) : 1;
        for (const std::string_view part : parts)
            if (part.find('[') != part.npos)
                add_address(operands.read, part);
            else
                add_all(operands.read, part, width);
        return operands;
    }
    const bool compares = name.ends_with("SETP") || is_one_of(name, {"PLOP3", "FCHK"});
    const bool carries = is_one_of(name, {"IADD3", "LEA", "LOP3", "SHFL", "ATOMG", "UIADD3", "ULEA",
                                          "VIADDMNMX", "VIMNMX", "R2P"});
    bool done = false; // all destinations are read
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool predicate = is_predicate(parts[i]);
        const bool leads = i == 0 || (i == 1 && is_predicate(parts[0]));
        if (!done && leads) {
            add_all(operands.written, parts[i], predicate ? 1 : result_width(in));
            done = !predicate || (compares && i == 1);
            const bool carry = !predicate && carries && i + 1 < parts.size() &&
                               is_predicate(parts[i + 1]) && !parts[i + 1].starts_with('!');
            if (carry) add_all(operands.written, parts[++i], 1);
        } else if (parts[i].find('[') != parts[i].npos) {
            add_address(operands.read, parts[i]);
        } else {
            add_all(operands.read, parts[i], source_width(in, i, parts.size(), parts[i]));
        }
    }
    return operands;
}

int registers_of(const SassFunction& function)
{
    // Two more than the highest one used, as observed for all of 64 kernels.
    constexpr int hidden = 2;
    constexpr int least = 16;
    int highest = 0;
    for (const SassInstruction& in : function.instructions) {
        const Operands operands = operands_of(in);
        for (const auto* some : {&operands.read, &operands.written})
            for (const Register each : *some)
                if (each < 256) highest = std::max(highest, static_cast<int>(each));
    }
    return std::max(least, highest + 1 + hidden);
}

} // namespace lanescope::predicted
