// See kernel_names.h.
#include "app/run/kernel/kernel_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include <cxxabi.h>

#include "compute/error.h"

namespace lanescope::app {
namespace {

// The position of the bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open, char opens, char closes)
{
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == opens;
        depth -= text[i] == closes;
        if (depth == 0) return i;
    }
    return text.size();
}

std::string without_spaces(std::string_view text)
{
    std::string out;
    for (char c : text)
        if (c != ' ') out += c;
    return out;
}

// All that a demangled name may be called: whole, without the result type, the parameters, the
// template arguments, the scopes.
std::vector<std::string> spellings(const std::string& name)
{
    const std::string whole = demangled(name);
    std::vector<std::string> all{name, without_spaces(whole)};
    std::string_view rest = whole;
    if (rest.starts_with("void ")) rest.remove_prefix(5);
    all.push_back(without_spaces(rest));
    // The parameters' bracket is the first outside of template arguments and "(anonymous …)".
    std::size_t end = 0;
    std::size_t base = 0;      // where the last part of the name begins
    std::size_t arguments = 0; // where its template arguments begin; 0: it has none
    while (end < rest.size()) {
        if (rest.substr(end).starts_with("(anonymous namespace)")) {
            end += std::string_view("(anonymous namespace)").size();
        } else if (rest[end] == '(') {
            break;
        } else if (rest[end] == '<') {
            arguments = end;
            end = closing(rest, end, '<', '>') + 1;
        } else if (rest.substr(end).starts_with("::")) {
            base = end += 2;
            arguments = 0;
        } else {
            ++end;
        }
    }
    end = std::min(end, rest.size());
    all.push_back(without_spaces(rest.substr(0, end)));
    all.push_back(without_spaces(rest.substr(base, end - base)));
    if (arguments > base) {
        all.push_back(without_spaces(rest.substr(0, arguments)));
        all.push_back(without_spaces(rest.substr(base, arguments - base)));
    }
    return all;
}

std::string list_of(const std::vector<std::string>& names)
{
    constexpr std::size_t most = 20;
    std::vector<std::string> shown;
    for (const std::string& name : names)
        if (shown.size() < most) shown.push_back(demangled(name));
    const std::string more =
        names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
    return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

// The names that are meant; one that is spelled exactly so is meant alone.
std::vector<std::string> meant(const std::vector<std::string>& names, const std::string& wanted)
{
    if (std::ranges::find(names, wanted) != names.end()) return {wanted};
    const std::string spelled = without_spaces(wanted);
    std::vector<std::string> found;
    for (const std::string& name : names) {
        const auto all = spellings(name);
        if (std::ranges::find(all, spelled) != all.end()) found.push_back(name);
    }
    return found;
}

} // namespace

std::string demangled(const std::string& name)
{
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name)
{
    const std::vector<std::string> names = module.kernel_names();
    if (names.empty())
        throw Error(ExitStatus::no_such_thing, "The file holds no kernel.",
                    "A kernel is a function with __global__; a template of one must be "
                    "instantiated in the file.");
    const std::vector<std::string> found = name.empty() ? names : meant(names, name);
    if (found.size() == 1) return *module.find_function(found.front());
    if (found.empty())
        throw Error(ExitStatus::no_such_thing, fmt::format("The file holds no kernel {}.", name),
                    fmt::format("Choose one by --kernel: {}.", list_of(names)));
    throw Error(ExitStatus::bad_usage,
                name.empty() ? std::string("The file holds several kernels.")
                             : fmt::format("The file holds several kernels {}.", name),
                fmt::format("Choose one by --kernel: {}.", list_of(found)));
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
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The file holds no __device__ or __constant__ variable {}.", name),
                    names.empty() ? std::string("It holds none; the compiler leaves out those that "
                                                "no kernel uses.")
                                  : fmt::format("It holds {}.", list_of(names)));
    throw Error(ExitStatus::bad_usage, fmt::format("The file holds several variables {}.", name),
                fmt::format("Choose one: {}.", list_of(found)));
}

} // namespace lanescope::app
