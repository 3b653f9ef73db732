// Small questions that the parsed records answer themselves.
#include "compute/ptx/text/module.h"

#include <algorithm>

namespace lanescope::ptx {

bool Instruction::has(std::string_view modifier) const
{
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::size_t Variable::size_bytes() const
{
    std::size_t size = static_cast<std::size_t>(ptx::size_bytes(type)) * vector;
    for (std::uint64_t dimension : dimensions) size *= dimension;
    return size;
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

std::vector<std::string> Module::kernel_names() const
{
    std::vector<std::string> names;
    for (const Function& function : functions)
        if (function.is_kernel && !function.is_declaration) names.push_back(function.name);
    return names;
}

} // namespace lanescope::ptx
