// Refuses an ambiguous name, listing the matching kernels.
#include "app/run/kernel/kernel_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "compute/error.h"

namespace lanescope::app {
namespace {

using device::meant;

std::string list_of(const std::vector<std::string>& names)
{
    constexpr std::size_t max_shown = 20;
    std::vector<std::string> shown;
    for (const std::string& name : names)
        if (shown.size() < max_shown) shown.push_back(demangled(name));
    const std::string more =
        names.size() > max_shown ? fmt::format(" and {} more", names.size() - max_shown) : "";
    return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

} // namespace

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name)
{
    const std::vector<std::string> names = module.kernel_names();
    if (names.empty())
        throw Error(ExitStatus::no_such_thing, "The file contains no kernel.",
                    "A kernel is a function with __global__; a template of one must be "
                    "instantiated in the file.");
    const std::vector<std::string> found = name.empty() ? names : meant(names, name);
    if (found.size() == 1) return *module.find_function(found.front());
    if (found.empty())
        throw Error(ExitStatus::no_such_thing, fmt::format("The file contains no kernel {}.", name),
                    fmt::format("Choose one with --kernel: {}.", list_of(names)));
    throw Error(ExitStatus::bad_usage,
                name.empty() ? std::string("The file contains several kernels.")
                             : fmt::format("The file contains several kernels named {}.", name),
                fmt::format("Choose one with --kernel: {}.", list_of(found)));
}

const ptx::Variable& find_variable(const ptx::Module& module, const std::string& name)
{
    std::vector<std::string> names;
    for (const ptx::Variable& variable : module.variables)
        if ((variable.space == ptx::Space::global || variable.space == ptx::Space::constant) &&
            !variable.name.starts_with('$'))
            names.push_back(variable.name);
    const std::vector<std::string> found = meant(names, name);
    if (found.size() == 1)
        return *std::ranges::find(module.variables, found.front(), &ptx::Variable::name);
    if (found.empty())
        throw Error(
            ExitStatus::no_such_thing,
            fmt::format("The file contains no __device__ or __constant__ variable {}.", name),
            names.empty()
                ? std::string("It contains none; the compiler omits those that no kernel uses.")
                : fmt::format("It contains {}.", list_of(names)));
    throw Error(ExitStatus::bad_usage,
                fmt::format("The file contains several variables named {}.", name),
                fmt::format("Choose one: {}.", list_of(found)));
}

} // namespace lanescope::app
