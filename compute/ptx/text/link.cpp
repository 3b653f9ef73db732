// Shifts each part's positions and indices past those of the preceding parts.
#include "compute/ptx/text/link.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope::ptx {

namespace {

using Renamed = std::unordered_map<std::string, std::string>;

void rename(std::string& name, const Renamed& renamed)
{
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
}

void rename(Operand& operand, const Renamed& renamed)
{
    if (operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::address)
        rename(operand.symbol, renamed);
    for (Operand& element : operand.elements) rename(element, renamed);
}

// Renames symbols that the function uses, except those hidden by its own variables or parameters.
void rename_uses(Function& function, Renamed renamed)
{
    for (const auto* own : {&function.variables, &function.parameters, &function.results})
        for (const Variable& variable : *own) renamed.erase(variable.name);
    if (renamed.empty()) return;
    for (Instruction& instruction : function.instructions)
        for (Operand& operand : instruction.operands) rename(operand, renamed);
    for (auto& [name, targets] : function.branch_targets)
        for (std::string& target : targets) rename(target, renamed);
    for (Variable& variable : function.variables)
        for (Relocation& relocation : variable.relocations) rename(relocation.symbol, renamed);
}

void rename_all(Module& module, const Renamed& renamed)
{
    if (renamed.empty()) return;
    for (Variable& variable : module.variables) {
        rename(variable.name, renamed);
        for (Relocation& relocation : variable.relocations) rename(relocation.symbol, renamed);
    }
    for (Function& function : module.functions) {
        rename(function.name, renamed);
        rename_uses(function, renamed);
    }
    std::map<std::string, std::string> aliases;
    for (const auto& [name, original] : module.aliases) {
        std::string new_name = name, new_original = original;
        rename(new_name, renamed);
        rename(new_original, renamed);
        aliases.emplace(std::move(new_name), std::move(new_original));
    }
    module.aliases = std::move(aliases);
}

std::set<std::string> names_of(const Module& module)
{
    std::set<std::string> names;
    for (const Variable& variable : module.variables) names.insert(variable.name);
    for (const Function& function : module.functions) names.insert(function.name);
    for (const auto& [name, original] : module.aliases) names.insert(name);
    return names;
}

// New names for the part's variables and functions of local linkage that clash with other parts.
Renamed clashes(const Module& part, const std::vector<std::set<std::string>>& names,
                std::size_t index)
{
    Renamed renamed;
    const auto consider = [&](const std::string& name) {
        for (std::size_t other = 0; other < names.size(); ++other)
            if (other != index && names[other].contains(name))
                renamed[name] = fmt::format("{}@{}", name, index + 1);
    };
    for (const Variable& variable : part.variables)
        if (!variable.is_extern && variable.linkage == Linkage::local) consider(variable.name);
    for (const Function& function : part.functions)
        if (!function.is_declaration && function.linkage == Linkage::local && !function.is_kernel)
            consider(function.name);
    return renamed;
}

// Amounts to add to the positions in a part.
struct Offsets {
    std::size_t text = 0;
    int lines = 0, files = 0, locations = 0;
};

void move_positions(Module& part, const Offsets& by)
{
    for (SourceLocation& location : part.locations) {
        location.file += by.files;
        if (location.inlined_at >= 0) location.inlined_at += by.locations;
    }
    for (Function& function : part.functions) {
        for (std::size_t* position :
             {&function.text_begin, &function.text_end, &function.body_begin, &function.body_end})
            *position += by.text;
        if (function.refusal) function.refusal->line += by.lines;
        for (Instruction& instruction : function.instructions) {
            instruction.text_begin += by.text;
            instruction.text_end += by.text;
            instruction.ptx_line += by.lines;
            if (instruction.location >= 0) instruction.location += by.locations;
        }
    }
}

// Adds a definition or declaration; of several weak definitions the first one stays.
template <class Entity, class IsDeclaration>
void add(std::vector<Entity>& all, std::unordered_map<std::string, std::size_t>& index,
         Entity entity, const IsDeclaration& is_declaration)
{
    const auto [known, fresh] = index.try_emplace(entity.name, all.size());
    if (fresh) {
        all.push_back(std::move(entity));
        return;
    }
    Entity& before = all[known->second];
    if (is_declaration(entity)) return;
    if (is_declaration(before) || before.linkage == Linkage::weak) {
        if (is_declaration(before) || entity.linkage != Linkage::weak) before = std::move(entity);
        return;
    }
    if (entity.linkage != Linkage::weak)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is defined in two of the linked files.", entity.name),
                    "Define it in one of them, and declare it extern in the others.");
}

} // namespace

Module link(std::vector<Module> parts)
{
    std::vector<std::set<std::string>> names;
    for (const Module& part : parts) names.push_back(names_of(part));
    Module linked;
    Offsets offsets;
    std::unordered_map<std::string, std::size_t> functions, variables;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Module& part = parts[i];
        rename_all(part, clashes(part, names, i));
        move_positions(part, offsets);
        if (part.architecture() > linked.architecture()) linked.target = part.target;
        if (std::pair(part.version_major, part.version_minor) >
            std::pair(linked.version_major, linked.version_minor)) {
            linked.version_major = part.version_major;
            linked.version_minor = part.version_minor;
        }
        int last_file = 0;
        for (auto& [number, path] : part.files) {
            last_file = std::max(last_file, number);
            linked.files.emplace(number + offsets.files, std::move(path));
        }
        std::ranges::move(part.locations, std::back_inserter(linked.locations));
        for (Variable& variable : part.variables)
            add(linked.variables, variables, std::move(variable),
                [](const Variable& each) { return each.is_extern; });
        for (Function& function : part.functions)
            add(linked.functions, functions, std::move(function),
                [](const Function& each) { return each.is_declaration; });
        linked.aliases.merge(part.aliases);
        linked.text += part.text;
        linked.text += '\n';
        offsets.text = linked.text.size();
        offsets.lines = static_cast<int>(std::ranges::count(linked.text, '\n'));
        offsets.files += last_file;
        offsets.locations = static_cast<int>(linked.locations.size());
    }
    return linked;
}

} // namespace lanescope::ptx
