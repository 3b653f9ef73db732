// Parses declarations word by word: __shared__ float tile[height + 2][width + 2];
#include "app/run/debug/shared_declarations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/experiment/source/source_text.h"

namespace lanescope::app {
namespace {

using ptx::SourceType;

bool is_letter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Words before the first bracket: the type and the name.
std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    bool inside = false;
    for (const char c : text.substr(0, text.find('['))) {
        if (!is_letter(c)) {
            inside = false;
            continue;
        }
        if (!inside) words.emplace_back();
        words.back() += c;
        inside = true;
    }
    return words;
}

std::shared_ptr<const SourceType> number_type(std::vector<std::string> words)
{
    constexpr std::array silent{"static", "extern", "volatile", "const", "__restrict__"};
    std::erase_if(words, [&](const std::string& word) {
        return std::ranges::find(silent, word) != silent.end();
    });
    using Kind = SourceType::Kind;
    struct Number {
        Kind kind;
        bool is_signed;
        std::size_t bytes;
    };
    static const std::map<std::string, Number> numbers{
        {"float", {Kind::real, true, 4}},
        {"double", {Kind::real, true, 8}},
        {"int", {Kind::integer, true, 4}},
        {"unsigned", {Kind::integer, false, 4}},
        {"unsigned int", {Kind::integer, false, 4}},
        {"uint", {Kind::integer, false, 4}},
        {"int32_t", {Kind::integer, true, 4}},
        {"uint32_t", {Kind::integer, false, 4}},
        {"short", {Kind::integer, true, 2}},
        {"unsigned short", {Kind::integer, false, 2}},
        {"char", {Kind::character, true, 1}},
        {"unsigned char", {Kind::integer, false, 1}},
        {"uchar", {Kind::integer, false, 1}},
        {"uint8_t", {Kind::integer, false, 1}},
        {"bool", {Kind::boolean, false, 1}},
        {"long long", {Kind::integer, true, 8}},
        {"unsigned long long", {Kind::integer, false, 8}}};
    const auto found = numbers.find(fmt::format("{}", fmt::join(words, " ")));
    if (found == numbers.end()) return nullptr;
    const auto& [name, number] = *found;
    return std::make_shared<SourceType>(SourceType{
        .kind = number.kind, .name = name, .is_signed = number.is_signed, .bytes = number.bytes});
}

// Parses [A][B]; empty if an extent is not constant.
std::optional<std::vector<std::uint64_t>> extents_of(std::string_view text,
                                                     const std::map<std::string, double>& constants)
{
    std::vector<std::uint64_t> extents;
    for (std::size_t open = text.find('['); open != std::string_view::npos;
         open = text.find('[', open + 1)) {
        const std::size_t close = text.find(']', open);
        if (close == std::string_view::npos) return {};
        const auto extent = labs::constant(text.substr(open + 1, close - open - 1), constants);
        if (!extent || *extent < 1 || *extent > 1 << 20) return {};
        extents.push_back(static_cast<std::uint64_t>(*extent));
    }
    if (extents.empty()) return {};
    return extents;
}

std::optional<ptx::SourceVariable> declared(std::string_view text,
                                            const std::map<std::string, double>& constants)
{
    std::vector<std::string> words = words_of(text);
    if (words.size() < 2) return {};
    const std::string name = words.back();
    words.pop_back();
    const auto element = number_type(std::move(words));
    const auto extents = extents_of(text, constants);
    if (!element || !extents) return {};
    auto type = std::make_shared<SourceType>(
        SourceType{.kind = SourceType::Kind::array, .bytes = element->bytes, .element = element});
    type->extents = *extents;
    type->name = element->name + " ";
    for (const std::uint64_t extent : *extents) {
        type->bytes *= extent;
        type->name += fmt::format("[{}]", extent);
    }
    ptx::SourceVariable made;
    made.name = name;
    made.type = std::move(type);
    return made;
}

} // namespace

std::vector<ptx::SourceVariable> shared_declarations(std::string_view source)
{
    constexpr std::string_view keyword = "__shared__";
    const std::map<std::string, double> constants = labs::read_source(source).constants;
    const std::string text = labs::without_comments(source);
    std::vector<ptx::SourceVariable> all;
    for (std::size_t at = text.find(keyword); at != std::string::npos;
         at = text.find(keyword, at + 1)) {
        const std::size_t begin = at + keyword.size();
        const std::string_view rest =
            std::string_view(text).substr(begin, text.find(';', begin) - begin);
        // Reads only the first declarator of `float a[4], b[4]`.
        if (auto one = declared(rest.substr(0, rest.find(',')), constants))
            all.push_back(std::move(*one));
    }
    return all;
}

} // namespace lanescope::app
