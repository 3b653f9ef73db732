// A demangled name can be spelled with or without its result type, parameters, template arguments
// and scopes.
#include "compute/device/kernel_names.h"

#include <algorithm>
#include <regex>
#include <string_view>

#include "compute/trace/demangled.h"

namespace lanescope::device {
namespace {

// Position of the bracket that closes the one at `open`.
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

// All spellings of a demangled name: full, without result type, parameters, template arguments,
// scopes.
std::vector<std::string> spellings(const std::string& name)
{
    const std::string whole = demangled(name);
    std::vector<std::string> all{name, without_spaces(whole)};
    std::string_view rest = whole;
    if (rest.starts_with("void ")) rest.remove_prefix(5);
    all.push_back(without_spaces(rest));
    // The parameter list starts at the first bracket outside template arguments and "(anonymous
    // …)".
    std::size_t end = 0;
    std::size_t base = 0;      // start of the last component of the name
    std::size_t arguments = 0; // start of its template arguments; 0: none
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

} // namespace

std::string demangled(const std::string& name)
{
    if (!name.starts_with("_Z")) return name;
    std::string whole = demangled_name(name).value_or(name);
    // Removes the tags with which Numba's compiler distinguishes versions of a function.
    for (std::size_t at = 0; (at = whole.find("[abi:")) != whole.npos;)
        whole.erase(at, closing(whole, at, '[', ']') + 1 - at);
    return whole;
}

bool is_numba_name(std::string_view name)
{
    // A tag such as B2v1. No std::regex, since an interpreter may still launch kernels after static
    // objects have been destroyed.
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] != 'B') continue;
        std::size_t at = i + 1;
        while (at < name.size() && is_digit(name[at])) ++at;
        if (at > i + 1 && at + 1 < name.size() && name[at] == 'v' && is_digit(name[at + 1]))
            return true;
    }
    return false;
}

std::string short_name(const std::string& name)
{
    if (!name.starts_with("_Z")) return name;
    const auto all = spellings(name);
    // 3: no spaces, result type and parameters. 4: no scopes either, which for Numba are the
    // Python module and the functions that enclose the kernel.
    return all.at(is_numba_name(name) ? 4 : 3);
}

std::vector<std::string> meant(const std::vector<std::string>& names, const std::string& wanted)
{
    if (std::ranges::find(names, wanted) != names.end()) return {wanted};
    // Demangled names have "float const*" where sources have "const float*".
    static const auto& const_first = *new std::regex( // never destroyed, for the same reason
        R"(\bconst\s+((?:(?:unsigned|signed|long|short)\s+)*[A-Za-z_][\w:]*))");
    const std::string spelled = without_spaces(std::regex_replace(wanted, const_first, "$1 const"));
    std::vector<std::string> found;
    for (const std::string& name : names) {
        const auto all = spellings(name);
        if (std::ranges::find(all, spelled) != all.end()) found.push_back(name);
    }
    return found;
}

std::string base_name(const std::string& name)
{
    std::string base = short_name(name);
    base.resize(std::min(base.find('<'), base.size()));
    if (const auto scope = base.rfind("::"); scope != std::string::npos) base.erase(0, scope + 2);
    return base;
}

} // namespace lanescope::device
