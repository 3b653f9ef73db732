// Lookups in a parsed module, and queries about one instruction.
#include "compute/ptx/text/module.h"

#include <algorithm>
#include <charconv>

namespace lanescope::ptx {

std::string written(const Module& module, const Instruction& instruction)
{
    std::string_view text =
        std::string_view(module.text)
            .substr(instruction.text_begin, instruction.text_end - instruction.text_begin);
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const auto skip = [&](std::size_t count) { text.remove_prefix(std::min(count, text.size())); };
    if (instruction.guard) {
        skip(text.find_first_not_of("@! \t\r\n\f\v"));
        skip(text.find_first_of(blanks));
        skip(text.find_first_not_of(blanks));
    }
    return std::string(text.substr(0, text.find_first_of(" \t\r\n\f\v;{[")));
}

std::size_t Variable::size_bytes() const
{
    std::size_t size = static_cast<std::size_t>(ptx::size_bytes(type)) * vector;
    for (std::uint64_t dimension : dimensions) size *= dimension;
    return size;
}

int register_index(const Function& function, std::string_view parameter)
{
    const auto found = std::ranges::find(function.registers, parameter, &Register::name);
    return static_cast<int>(found - function.registers.begin());
}

const Function* Module::find_function(std::string_view name) const
{
    if (const auto alias = aliases.find(std::string(name)); alias != aliases.end())
        name = alias->second;
    const Function* declaration = nullptr;
    for (const Function& function : functions) {
        if (function.name != name) continue;
        if (!function.is_declaration) return &function;
        declaration = &function;
    }
    return declaration;
}

int Module::architecture() const
{
    const std::size_t digits = target.find_first_of("0123456789");
    int number = 0;
    if (digits != target.npos)
        std::from_chars(target.data() + digits, target.data() + target.size(), number);
    return number;
}

std::vector<std::string> Module::kernel_names() const
{
    std::vector<std::string> names;
    for (const Function& function : functions)
        if (function.is_kernel && !function.is_declaration) names.push_back(function.name);
    return names;
}

} // namespace lanescope::ptx
