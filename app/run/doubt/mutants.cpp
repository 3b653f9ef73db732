// The changes are those of known miscompilations: another sign, comparison or operand, an
// instruction that is left out, a condition that is ignored or inverted, a constant off by one.
#include "app/run/doubt/mutants.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

using OperandKind = ptx::Operand::Kind;
using Words = std::vector<std::string>;

constexpr std::size_t max_instructions = 600;
constexpr std::chrono::seconds max_time{8};
constexpr double max_launch_s = 1;

// An instruction's text in parts.
struct Parts {
    std::string guard; // "@%p1 " or empty
    Words opcode;      // "add", "s32"
    Words operands;
    std::string text() const
    {
        return fmt::format("{}{}{}{};", guard, fmt::join(opcode, "."), operands.empty() ? "" : " ",
                           fmt::join(operands, ", "));
    }
};

std::string trimmed(std::string text)
{
    constexpr const char* blanks = " \t\r\n";
    text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
    text.erase(text.find_last_not_of(blanks) + 1);
    return text;
}

// Splits at a separator outside brackets and braces.
Words split(const std::string& text, char separator)
{
    Words words;
    std::string word;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' || c == '(';
        depth -= c == ']' || c == '}' || c == ')';
        if (c == separator && depth == 0) {
            words.push_back(trimmed(word));
            word.clear();
        } else {
            word += c;
        }
    }
    if (!trimmed(word).empty()) words.push_back(trimmed(word));
    return words;
}

Parts parts_of(std::string text)
{
    Parts parts;
    if (text.ends_with(';')) text.pop_back();
    text = trimmed(text);
    const auto take_word = [&] {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
        std::string word = text.substr(0, end);
        text = trimmed(text.substr(end));
        return word;
    };
    if (text.starts_with('@')) parts.guard = take_word() + " ";
    parts.opcode = split(take_word(), '.');
    parts.operands = split(text, ',');
    return parts;
}

// Words that a faulty assembler may confuse.
const std::multimap<std::string, std::string>& confused_words()
{
    static const std::multimap<std::string, std::string> all = [] {
        std::multimap<std::string, std::string> made;
        const auto both = [&](const char* one, const char* other) {
            made.emplace(one, other);
            made.emplace(other, one);
        };
        for (const auto& [one, other] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"add", "sub"},    {"min", "max"}, {"and", "or"},  {"and", "xor"}, {"or", "xor"},
                 {"lo", "hi"},      {"s8", "u8"},   {"s16", "u16"}, {"s32", "u32"}, {"s64", "u64"},
                 {"lt", "le"},      {"lt", "ge"},   {"le", "gt"},   {"gt", "ge"},   {"eq", "ne"},
                 {"ltu", "leu"},    {"ltu", "geu"}, {"gtu", "geu"}, {"leu", "gtu"}, {"lt", "ltu"},
                 {"gt", "gtu"},     {"le", "leu"},  {"ge", "geu"},  {"equ", "neu"}, {"rn", "rz"},
                 {"rzi", "rni"},    {"rmi", "rpi"}, {"div", "rem"}, {"l", "r"},     {"up", "down"},
                 {"wrap", "clamp"}, {"any", "all"}})
            both(one, other);
        return made;
    }();
    return all;
}

std::string move_type(ptx::Type type)
{
    if (type == ptx::Type::pred) return "pred";
    return fmt::format("b{}", 8 * std::max(2, ptx::size_bytes(type)));
}

class Changes {
public:
    Changes(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& in)
        : function_(function), in_(in),
          parts_(parts_of(module.text.substr(in.text_begin, in.text_end - in.text_begin)))
    {
    }

    std::vector<std::string> texts()
    {
        if (parts_.opcode.empty()) return {};
        change_words();
        change_operands();
        change_constants();
        change_guard();
        return std::move(texts_);
    }

private:
    void add(const Parts& parts)
    {
        std::string text = parts.text();
        if (text != parts_.text()) texts_.push_back(std::move(text));
    }

    void change_words()
    {
        for (std::size_t i = 0; i < parts_.opcode.size(); ++i) {
            const auto [begin, end] = confused_words().equal_range(parts_.opcode[i]);
            for (auto word = begin; word != end; ++word) {
                Parts other = parts_;
                other.opcode[i] = word->second;
                add(other);
            }
            const std::string& word = parts_.opcode[i];
            if (i > 0 && (word == "ftz" || word == "sat" || word == "relu" || word == "cc")) {
                Parts other = parts_;
                other.opcode.erase(other.opcode.begin() + static_cast<std::ptrdiff_t>(i));
                add(other);
            }
        }
        const std::string& name = parts_.opcode.front();
        const std::string& type = parts_.opcode.back();
        if (name == "shl" || name == "shr") {
            const char letter = name == "shl" ? 'u' : 'b';
            Parts other = parts_;
            other.opcode = {name == "shl" ? "shr" : "shl", letter + type.substr(1)};
            add(other);
        }
        if (name == "mad" && parts_.operands.size() == 4) {
            Parts other = parts_;
            other.opcode.front() = "mul";
            other.operands.pop_back();
            add(other);
        }
        const bool lacks_ftz = std::ranges::find(parts_.opcode, "ftz") == parts_.opcode.end();
        if (type == "f32" && lacks_ftz &&
            (name == "add" || name == "sub" || name == "mul" || name == "fma" || name == "setp")) {
            Parts other = parts_;
            other.opcode.insert(other.opcode.end() - 1, "ftz");
            add(other);
        }
    }

    ptx::Type type_of(std::size_t operand) const
    {
        if (operand >= in_.operands.size()) return ptx::Type::none;
        const ptx::Operand& one = in_.operands[operand];
        if (one.kind != OperandKind::reg || one.reg < 0) return ptx::Type::none;
        return function_.registers[static_cast<std::size_t>(one.reg)].type;
    }

    // Swapped operands, and the instruction left out: its result is one of its operands.
    void change_operands()
    {
        const std::size_t count = parts_.operands.size();
        if (count != in_.operands.size() || ptx::form_of(in_.op).destinations != 1) return;
        for (std::size_t i = 1; i + 1 < count; ++i) {
            Parts other = parts_;
            std::swap(other.operands[i], other.operands[i + 1]);
            add(other);
        }
        const ptx::Type result = type_of(0);
        if (result == ptx::Type::none) return;
        for (std::size_t i = 1; i < count; ++i) {
            const ptx::Type type = type_of(i);
            const bool constant = in_.operands[i].kind == OperandKind::immediate &&
                                  in_.operands[i].immediate_type == ptx::Type::s64 &&
                                  result != ptx::Type::pred;
            const bool same = type != ptx::Type::none &&
                              (type == ptx::Type::pred) == (result == ptx::Type::pred) &&
                              ptx::size_bytes(type) == ptx::size_bytes(result);
            if ((!same && !constant) || in_.operands[i].negated) continue;
            Parts other = parts_;
            other.opcode = {"mov", move_type(result)};
            other.operands = {parts_.operands[0], parts_.operands[i]};
            add(other);
        }
        if (result == ptx::Type::pred) {
            for (const char* const fixed : {"0", "1"}) {
                Parts other = parts_;
                other.opcode = {"mov", "pred"};
                other.operands = {parts_.operands[0], fixed};
                add(other);
            }
        }
    }

    void change_constants()
    {
        for (std::size_t i = 0; i < parts_.operands.size(); ++i) {
            std::int64_t value = 0;
            const std::string& text = parts_.operands[i];
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size()) continue;
            if (value == std::numeric_limits<std::int64_t>::max() ||
                value == std::numeric_limits<std::int64_t>::min())
                continue;
            for (const std::int64_t other_value : {value - 1, value + 1, std::int64_t{0}}) {
                Parts other = parts_;
                other.operands[i] = std::to_string(other_value);
                add(other);
            }
        }
    }

    void change_guard()
    {
        if (parts_.guard.empty()) return;
        Parts other = parts_;
        other.guard.clear();
        add(other);
        const std::string name = parts_.guard.substr(parts_.guard.find('%'));
        other.guard = (parts_.guard.find('!') == std::string::npos ? "@!" : "@") + name;
        add(other);
    }

    const ptx::Function& function_;
    const ptx::Instruction& in_;
    const Parts parts_;
    std::vector<std::string> texts_;
};

// The results of the launch without anything recorded; empty if it is refused or faults.
std::vector<ResultMemory> results_of(const KernelLaunch& launch)
{
    simt::Options options;
    options.threads = 1;
    options.step_budget = std::uint64_t{1} << 20;
    options.time_limit_s = max_launch_s;
    try {
        const auto device = simt::make_device(options);
        device->set_printer([](std::string_view) {});
        KernelRun run(*device, launch);
        run.launch(nullptr);
        std::vector<ResultMemory> memory = result_memory(launch, ptx::parse(launch.ptx));
        for (ResultMemory& one : memory)
            one.bytes = one.is_variable ? run.variable(one.id) : run.contents(one.id);
        return memory;
    } catch (const Error&) {
        return {};
    }
}

} // namespace

std::vector<Mutant> explaining_mutants(const KernelLaunch& launch,
                                       const std::vector<ResultMemory>& values, double tolerance)
{
    std::vector<Mutant> found;
    const ptx::Module module = ptx::parse(launch.ptx);
    std::size_t instructions = 0;
    for (const ptx::Function& function : module.functions)
        instructions += function.instructions.size();
    if (instructions > max_instructions || values.empty()) return found;
    const auto end = std::chrono::steady_clock::now() + max_time;
    KernelLaunch changed = launch;
    for (const ptx::Function& function : module.functions)
        for (const ptx::Instruction& in : function.instructions)
            for (const std::string& text : Changes(module, function, in).texts()) {
                if (std::chrono::steady_clock::now() > end) return found;
                changed.ptx =
                    module.text.substr(0, in.text_begin) + text + module.text.substr(in.text_end);
                const std::vector<ResultMemory> results = results_of(changed);
                if (results.empty() || differences(results, values, tolerance).different > 0)
                    continue;
                found.push_back({in.ptx_line,
                                 module.text.substr(in.text_begin, in.text_end - in.text_begin),
                                 text});
                break; // one per instruction
            }
    return found;
}

} // namespace lanescope::app
