// The changes are those of known miscompilations: another sign, comparison, rounding or operand,
// vector elements mixed up, an instruction that is left out, a condition that is ignored or
// inverted, a wrong constant. Changes of an instruction's form come first, wrong constants last.
#include "app/run/doubt/mutants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <utility>

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
                 {"add", "sub"},  {"min", "max"},   {"and", "or"},     {"and", "xor"},
                 {"or", "xor"},   {"lo", "hi"},     {"s8", "u8"},      {"s16", "u16"},
                 {"s32", "u32"},  {"s64", "u64"},   {"lt", "le"},      {"lt", "ge"},
                 {"le", "gt"},    {"gt", "ge"},     {"eq", "ne"},      {"ltu", "leu"},
                 {"ltu", "geu"},  {"gtu", "geu"},   {"leu", "gtu"},    {"lt", "ltu"},
                 {"gt", "gtu"},   {"le", "leu"},    {"ge", "geu"},     {"equ", "neu"},
                 {"div", "rem"},  {"l", "r"},       {"up", "down"},    {"addc", "add"},
                 {"subc", "sub"}, {"addc", "subc"}, {"wrap", "clamp"}, {"any", "all"}})
            both(one, other);
        for (const auto& ways :
             {std::array{"rn", "rz", "rm", "rp"}, std::array{"rni", "rzi", "rmi", "rpi"}})
            for (std::size_t i = 0; i < ways.size(); ++i)
                for (std::size_t k = 0; k < i; ++k) both(ways[i], ways[k]);
        return made;
    }();
    return all;
}

// A comparison and its opposite, which is an inverted condition rather than a wrong comparison.
bool are_opposite(const std::string& one, const std::string& other)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> all{
        {{"lt", "ge"}, {"le", "gt"}, {"eq", "ne"}, {"ltu", "geu"}, {"leu", "gtu"}, {"equ", "neu"}}};
    return std::ranges::any_of(all, [&](const auto& pair) {
        return (pair.first == one && pair.second == other) ||
               (pair.first == other && pair.second == one);
    });
}

// From the most likely to the least.
enum class Likelihood : unsigned char { form, opposite, near_constant, left_out, far_constant };
constexpr std::size_t likelihoods = 5;

struct LikelyChange {
    Likelihood likelihood = Likelihood::form;
    std::string text;
};

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

    std::vector<LikelyChange> all()
    {
        if (parts_.opcode.empty()) return {};
        change_words();
        change_operands();
        change_vectors();
        change_constants();
        change_guard();
        return std::move(all_);
    }

private:
    void add(const Parts& parts, Likelihood likelihood = Likelihood::form)
    {
        std::string text = parts.text();
        if (text != parts_.text()) all_.push_back({likelihood, std::move(text)});
    }

    void change_words()
    {
        for (std::size_t i = 0; i < parts_.opcode.size(); ++i) {
            const auto [begin, end] = confused_words().equal_range(parts_.opcode[i]);
            for (auto word = begin; word != end; ++word) {
                Parts other = parts_;
                other.opcode[i] = word->second;
                add(other, are_opposite(word->first, word->second) ? Likelihood::opposite
                                                                   : Likelihood::form);
            }
            const std::string& word = parts_.opcode[i];
            if (i > 0 && (word == "ftz" || word == "sat" || word == "relu" || word == "cc" ||
                          word == "NaN" || word == "shiftamt")) {
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
        if (name == "not" || name == "neg") {
            Parts other = parts_;
            other.opcode = {name == "not" ? "neg" : "not",
                            (name == "not" ? "s" : "b") + type.substr(1)};
            if (type.starts_with('b') || type.starts_with('s')) add(other);
        }
        if ((name == "min" || name == "max") && type.starts_with('f')) {
            Parts other = parts_;
            other.opcode.insert(other.opcode.end() - 1, "NaN");
            add(other);
        }
        if (name == "mad" && parts_.operands.size() == 4) {
            Parts other = parts_;
            other.opcode.front() = "mul";
            other.operands.pop_back();
            add(other, Likelihood::left_out);
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
            add(other, in_.op == ptx::Op::setp ? Likelihood::opposite : Likelihood::form);
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
            add(other, Likelihood::left_out);
        }
        if (result == ptx::Type::pred) {
            for (const char* const fixed : {"0", "1"}) {
                Parts other = parts_;
                other.opcode = {"mov", "pred"};
                other.operands = {parts_.operands[0], fixed};
                add(other, Likelihood::left_out);
            }
        }
    }

    // Two elements of a vector, exchanged.
    void change_vectors()
    {
        for (std::size_t i = 0; i < parts_.operands.size(); ++i) {
            const std::string& text = parts_.operands[i];
            if (!text.starts_with('{') || !text.ends_with('}')) continue;
            const Words elements = split(text.substr(1, text.size() - 2), ',');
            for (std::size_t one = 0; one < elements.size(); ++one)
                for (std::size_t other = 0; other < one; ++other) {
                    Words exchanged = elements;
                    std::swap(exchanged[one], exchanged[other]);
                    Parts changed = parts_;
                    changed.operands[i] = fmt::format("{{{}}}", fmt::join(exchanged, ", "));
                    add(changed);
                }
        }
    }

    void change_constants()
    {
        for (std::size_t i = 0; i < parts_.operands.size(); ++i) {
            const std::string& text = parts_.operands[i];
            if (text.starts_with("0f") || text.starts_with("0d")) {
                change_float(i);
                continue;
            }
            std::int64_t value = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            constexpr std::int64_t max_value = std::int64_t{1} << 62;
            if (error != std::errc() || end != text.data() + text.size() || value >= max_value ||
                value <= -max_value)
                continue;
            const auto with = [&](std::int64_t other_value, Likelihood likelihood) {
                Parts other = parts_;
                other.operands[i] = std::to_string(other_value);
                add(other, likelihood);
            };
            with(value - 1, Likelihood::near_constant);
            with(value + 1, Likelihood::near_constant);
            with(0, Likelihood::near_constant);
            with(-value, Likelihood::near_constant);
            constexpr int bits = 31;
            for (int bit = 1; bit < bits; ++bit) {
                with(value + (std::int64_t{1} << bit), Likelihood::far_constant);
                with(value - (std::int64_t{1} << bit), Likelihood::far_constant);
            }
        }
    }

    // The other sign, the double and the half.
    void change_float(std::size_t operand)
    {
        const std::string digits = parts_.operands[operand].substr(2);
        std::uint64_t value = 0;
        constexpr int hexadecimal = 16;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal);
        if (error != std::errc() || end != digits.data() + digits.size()) return;
        const bool is_double = parts_.operands[operand].starts_with("0d");
        constexpr int fraction_f32 = 23, fraction_f64 = 52;
        const std::uint64_t exponent = std::uint64_t{1}
                                       << (is_double ? fraction_f64 : fraction_f32);
        const std::uint64_t sign = std::uint64_t{1} << (is_double ? 63 : 31);
        for (const std::uint64_t other_value : {value ^ sign, value + exponent, value - exponent}) {
            Parts other = parts_;
            other.operands[operand] = is_double ? fmt::format("0d{:016X}", other_value)
                                                : fmt::format("0f{:08X}", other_value & 0xffffffff);
            add(other, Likelihood::near_constant);
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
    std::vector<LikelyChange> all_;
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
    struct Candidate {
        const ptx::Instruction* instruction;
        std::string text;
    };
    std::array<std::vector<Candidate>, likelihoods> candidates;
    for (const ptx::Function& function : module.functions)
        for (const ptx::Instruction& in : function.instructions)
            for (LikelyChange& change : Changes(module, function, in).all())
                candidates[static_cast<std::size_t>(change.likelihood)].push_back(
                    {&in, std::move(change.text)});
    const auto end = std::chrono::steady_clock::now() + max_time;
    std::set<const ptx::Instruction*> explained;
    KernelLaunch changed = launch;
    for (const auto& equally_likely : candidates) {
        for (const auto& [in, text] : equally_likely) {
            if (std::chrono::steady_clock::now() > end) return found;
            if (explained.contains(in)) continue; // one per instruction
            changed.ptx =
                module.text.substr(0, in->text_begin) + text + module.text.substr(in->text_end);
            const std::vector<ResultMemory> results = results_of(changed);
            if (results.empty() || differences(results, values, tolerance).different > 0) continue;
            explained.insert(in);
            found.push_back({in->ptx_line,
                             module.text.substr(in->text_begin, in->text_end - in->text_begin),
                             text});
        }
        if (!found.empty()) break; // less likely changes explain results by chance
    }
    return found;
}

} // namespace lanescope::app
