// Follows .loc through inlined_at to the line in the kernel's own file. A kernel that was generated
// around a function of the user's belongs to the function's file.
#include "compute/ptx/text/lines.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "compute/trace/demangled.h"

namespace lanescope::ptx {
namespace {

std::string readable_name(const std::string& mangled)
{
    if (mangled.empty()) return {};
    std::string readable = demangled_name(mangled).value_or(mangled);
    // The compiler puts file-static declarations into a generated namespace.
    constexpr std::string_view internal = "_INTERNAL_";
    for (std::size_t at; (at = readable.find(internal)) != std::string::npos;) {
        const std::size_t end = readable.find("::", at);
        if (end == std::string::npos) break;
        readable.erase(at, end + 2 - at);
    }
    return readable;
}

// True if the path is already normalised, as most paths are.
bool is_normal(std::string_view path)
{
    return !path.starts_with('.') && path.find("/.") == path.npos && path.find("//") == path.npos;
}

// True if the source is not in a file, but comes from a program such as
// Numba, which calls it <string>.
bool is_generated(std::string_view file)
{
    return file.ends_with('>') && file.substr(file.rfind('/') + 1).starts_with('<');
}

} // namespace

std::string normalised_path(std::string_view path)
{
    constexpr std::array<std::string_view, 3> own_folders{"/compute/labs/", "/tests/unit/",
                                                          "/tests/conformance/"};
    for (std::string_view folder : own_folders)
        if (const std::size_t at = path.rfind(folder); at != std::string_view::npos)
            return std::string(path.substr(at + 1));
    if (is_normal(path)) return std::string(path);
    return std::filesystem::path(path).lexically_normal().generic_string();
}

SourceLine source_line(const Module& module, const Instruction& instruction)
{
    SourceLine result;
    for (int at = instruction.location; at >= 0; at = module.locations[at].inlined_at) {
        const SourceLocation& location = module.locations[at];
        const auto file = module.files.find(location.file);
        result.chain.push_back(
            {file == module.files.end() ? std::string() : normalised_path(file->second),
             location.line, location.column, readable_name(location.function)});
    }
    if (result.chain.empty()) return result;
    const auto own =
        std::ranges::find_if(result.chain.rbegin(), result.chain.rend(),
                             [](const auto& frame) { return !is_generated(frame.file); });
    result.file = own == result.chain.rend() ? result.chain.back().file : own->file;
    result.line =
        std::ranges::find(result.chain, result.file, &SourceFrame::file)->line; // innermost first
    return result;
}

} // namespace lanescope::ptx
