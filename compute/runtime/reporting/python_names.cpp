// Reads the argument list where the kernel is defined: at the last "def NAME(" before the kernel's
// first line number.
#include "compute/runtime/reporting/python_names.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"

namespace lanescope::runtime {

namespace {

struct PythonPlace {
    std::string file;
    int line = 0;
};

// The kernel's first source location in the PTX.
PythonPlace first_place(const std::string& text, const std::string& symbol)
{
    PythonPlace place;
    const std::size_t entry = text.find(".entry " + symbol + "(");
    const std::size_t at = entry == text.npos ? entry : text.find(".loc", entry);
    int file = 0;
    if (at == text.npos ||
        std::sscanf(text.c_str() + at, ".loc %d %d", &file, &place.line) != 2) // NOLINT
        return {};
    const std::string words = fmt::format(".file\t{} \"", file);
    const std::size_t named = text.find(words);
    if (named == text.npos) return {};
    const std::size_t begin = named + words.size();
    place.file = text.substr(begin, text.find('"', begin) - begin);
    return place;
}

// Splits at commas outside brackets.
std::vector<std::string> parts_of(std::string_view list)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char each : list) {
        depth += each == '<' || each == '(' || each == '[';
        depth -= each == '>' || each == ')' || each == ']';
        if (each == ',' && depth == 0)
            parts.emplace_back();
        else if (each != ' ' || !parts.back().empty())
            parts.back() += each;
    }
    if (parts.back().empty()) parts.pop_back();
    return parts;
}

// Arguments in the last definition of the function up to that line.
std::vector<std::string> arguments_before(const PythonPlace& place, const std::string& function)
{
    std::ifstream stream(place.file);
    std::string definition, line;
    const std::string words = fmt::format("def {}(", function);
    for (int number = 1; number <= place.line && std::getline(stream, line); ++number) {
        if (line.find(words) != line.npos) definition.clear();
        line.resize(std::min(line.find('#'), line.size()));
        definition += line + ' ';
    }
    const std::size_t begin = definition.find(words);
    if (begin == definition.npos) return {};
    std::string list;
    int depth = 0;
    for (std::size_t at = begin + words.size(); at < definition.size(); ++at) {
        if (definition[at] == ')' && depth == 0) break;
        depth += definition[at] == '(' || definition[at] == '[';
        depth -= definition[at] == ')' || definition[at] == ']';
        list += definition[at];
    }
    std::vector<std::string> names = parts_of(list);
    for (std::string& name : names) {
        const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
        name.erase(std::ranges::find_if_not(name, is_letter), name.end());
    }
    return names;
}

// Number of parameters for a value of this type; 0: unknown.
std::size_t parameters_of(const std::string& type)
{
    if (type.starts_with("Array<")) {
        const auto words = parts_of(std::string_view(type).substr(6));
        const std::size_t dimensions =
            words.size() < 2 ? 0 : std::strtoul(words[1].c_str(), nullptr, 10);
        return 5 + 2 * dimensions; // five for the allocation, then shape and strides
    }
    return type.find_first_of("<({") == type.npos ? 1 : 0;
}

} // namespace

std::vector<std::string> python_parameter_names(const std::vector<std::string>& texts,
                                                const std::string& symbol, std::size_t count)
{
    const std::string whole = device::demangled(symbol);
    const std::size_t open = whole.find('(');
    if (open == whole.npos || whole.back() != ')' || !device::is_numba_name(symbol)) return {};
    const auto types = parts_of(std::string_view(whole).substr(open + 1, whole.size() - open - 2));
    PythonPlace place;
    for (const std::string& text : texts)
        if (place.line == 0) place = first_place(text, symbol);
    if (!place.file.ends_with(".py")) return {};
    const auto arguments = arguments_before(place, device::short_name(symbol));
    if (arguments.size() != types.size()) return {};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::size_t parameters = parameters_of(types[i]);
        if (parameters == 0) return {};
        names.insert(names.end(), parameters, arguments[i]);
    }
    return names.size() == count ? names : std::vector<std::string>();
}

} // namespace lanescope::runtime
