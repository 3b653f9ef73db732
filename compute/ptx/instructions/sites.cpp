// Text order means the order of functions in the module, then of instructions in the function.
#include "compute/ptx/instructions/sites.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/ptx/instructions/words.h"
#include "compute/ptx/text/lines.h"

namespace lanescope::ptx {
namespace {

// The address space of a memory instruction as trace names it; none for spaces that are no sites.
trace::Space space_of(const Instruction& instruction)
{
    for (const std::string& word : instruction.modifiers) {
        if (word == "global") return trace::Space::global;
        if (word == "shared" || word.starts_with("shared::")) return trace::Space::shared;
        if (word == "local" || word == "const" || word.starts_with("param"))
            return trace::Space::none;
    }
    return trace::Space::generic;
}

int width_of(const Instruction& instruction)
{
    int vector = 1;
    int bytes = 0;
    for (const std::string& word : instruction.modifiers) {
        if (word == "v2" || word == "v4" || word == "v8") vector = word[1] - '0';
        if (const auto type = type_of(word)) bytes = size_bytes(*type);
    }
    return vector * bytes;
}

// The text on one line, with single blanks.
std::string one_line(std::string_view text)
{
    std::string line;
    for (char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

int index_of_function(const Module& module, std::string_view name)
{
    const Function* found = module.find_function(name);
    if (found == nullptr || found->is_declaration) return -1;
    return static_cast<int>(found - module.functions.data());
}

} // namespace

std::optional<SiteKind> site_kind(const Instruction& instruction)
{
    const std::string& opcode = instruction.opcode;
    if (opcode == "bra" && !instruction.guard) return std::nullopt;
    if (opcode == "bra" || opcode == "brx") return SiteKind{trace::Op::branch};
    if (opcode == "cp") {
        const auto& operands = instruction.operands;
        const auto& words = instruction.modifiers;
        const bool copies = words.size() > 1 && words[0] == "async" &&
                            (words[1] == "ca" || words[1] == "cg") && operands.size() >= 3 &&
                            operands[1].kind == Operand::Kind::address &&
                            operands[2].kind == Operand::Kind::immediate;
        const std::uint64_t bytes = copies ? operands[2].bits : 0;
        if (bytes != 4 && bytes != 8 && bytes != 16) return std::nullopt;
        return SiteKind{trace::Op::load, trace::Space::global, static_cast<int>(bytes)};
    }
    SiteKind kind;
    if (opcode == "ld" || opcode == "ldu")
        kind.op = trace::Op::load;
    else if (opcode == "st")
        kind.op = trace::Op::store;
    else if (opcode == "atom")
        kind.op = trace::Op::atomic;
    else if (opcode == "red")
        kind.op = trace::Op::reduction;
    else
        return std::nullopt;
    kind.space = space_of(instruction);
    kind.width_bytes = width_of(instruction);
    if (kind.space == trace::Space::none || kind.width_bytes == 0 || instruction.has("async") ||
        instruction.has("bulk"))
        return std::nullopt;
    return kind;
}

std::vector<int> reachable_functions(const Module& module, std::string_view kernel)
{
    const int first = index_of_function(module, kernel);
    if (first < 0 || !module.functions[first].is_kernel) {
        std::string names;
        for (const std::string& name : module.kernel_names())
            names += (names.empty() ? "" : ", ") + name;
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no kernel '{}'.", kernel),
                    fmt::format("The PTX holds: {}.", names.empty() ? "none" : names));
    }
    std::vector<bool> seen(module.functions.size());
    std::vector<int> waiting;
    const auto visit = [&](int index) {
        if (index < 0 || seen[index]) return;
        seen[index] = true;
        waiting.push_back(index);
    };
    bool any_function = false;
    for (visit(first); !waiting.empty();) {
        const Function& function = module.functions[waiting.back()];
        waiting.pop_back();
        for (const Instruction& instruction : function.instructions) {
            if (instruction.opcode != "call") continue;
            const Operand& callee = instruction.operands[1];
            if (callee.kind == Operand::Kind::symbol) {
                visit(index_of_function(module, callee.symbol));
            } else if (!any_function) {
                any_function = true;
                for (std::size_t i = 0; i < module.functions.size(); ++i)
                    if (!module.functions[i].is_kernel && !module.functions[i].is_declaration)
                        visit(static_cast<int>(i));
            }
        }
    }
    std::vector<int> reachable;
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i]) reachable.push_back(static_cast<int>(i));
    return reachable;
}

SiteList sites_of(const Module& module, std::string_view kernel)
{
    SiteList list;
    for (int index : reachable_functions(module, kernel)) {
        const Function& function = module.functions[index];
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const Instruction& instruction = function.instructions[i];
            const auto kind = site_kind(instruction);
            if (!kind) continue;
            const SourceLine source = source_line(module, instruction);
            trace::Site site;
            site.function = function.name;
            site.file = source.file;
            site.line = source.line;
            site.ptx_line = instruction.ptx_line;
            site.ptx = one_line(
                std::string_view(module.text)
                    .substr(instruction.text_begin, instruction.text_end - instruction.text_begin));
            site.space = kind->space;
            site.op = kind->op;
            site.width_bytes = kind->width_bytes;
            list.sites.push_back(std::move(site));
            list.places.push_back({index, static_cast<int>(i)});
        }
    }
    return list;
}

int SiteList::find(SitePlace place) const
{
    const auto before = [](const SitePlace& a, const SitePlace& b) {
        return std::tie(a.function, a.instruction) < std::tie(b.function, b.instruction);
    };
    const auto found = std::lower_bound(places.begin(), places.end(), place, before);
    return found != places.end() && *found == place ? static_cast<int>(found - places.begin()) : -1;
}

} // namespace lanescope::ptx
