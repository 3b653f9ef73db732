// Table of C++ types; ids and titles derived from names.
#include "compute/experiment/source/words.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include <fmt/format.h>

namespace lanescope::labs::guessing {

std::optional<Elements> elements_of(std::string_view type)
{
    static const std::map<std::string, Elements, std::less<>> known = {
        {"float", {"f32"}},
        {"double", {"f64"}},
        {"int", {"i32"}},
        {"signed int", {"i32"}},
        {"int32_t", {"i32"}},
        {"unsigned int", {"u32"}},
        {"unsigned", {"u32"}},
        {"uint", {"u32"}},
        {"uint32_t", {"u32"}},
        {"char", {"i8"}},
        {"signed char", {"i8"}},
        {"int8_t", {"i8"}},
        {"unsigned char", {"u8"}},
        {"uchar", {"u8"}},
        {"uint8_t", {"u8"}},
        {"bool", {"u8"}},
        {"short", {"i16"}},
        {"int16_t", {"i16"}},
        {"unsigned short", {"u16"}},
        {"uint16_t", {"u16"}},
        {"long", {"i64"}},
        {"long long", {"i64"}},
        {"long long int", {"i64"}},
        {"int64_t", {"i64"}},
        {"unsigned long", {"u64"}},
        {"unsigned long long", {"u64"}},
        {"size_t", {"u64"}},
        {"unsigned long long int", {"u64"}},
        {"uint64_t", {"u64"}},
        {"half", {"f16"}},
        {"__half", {"f16"}},
        {"uchar4", {"bytes4", 1, true}},
        {"uchar3", {"u8", 3, true}},
        {"float2", {"f32", 2}},
        {"float3", {"f32", 3}},
        {"float4", {"f32", 4}},
        {"double2", {"f64", 2}},
        {"int2", {"i32", 2}},
        {"int3", {"i32", 3}},
        {"int4", {"i32", 4}},
        {"uint2", {"u32", 2}},
        {"uint4", {"u32", 4}},
        {"cuComplex", {"f32", 2}},
        {"cuFloatComplex", {"f32", 2}},
        {"__nv_bfloat16", {"u16"}}};
    const auto found = known.find(type);
    if (found == known.end()) return std::nullopt;
    return found->second;
}

namespace {

// C++ layout of a struct's fields: bytes and types.
struct Layout {
    struct Part {
        std::size_t begin;
        std::string type;
    };
    std::vector<Part> parts;
    std::size_t bytes = 0;
};

std::optional<Layout> layout_of(const SourceStructure& structure)
{
    Layout layout;
    std::size_t alignment = 1;
    const auto round_up = [](std::size_t bytes, std::size_t to) {
        return (bytes + to - 1) / to * to;
    };
    for (const SourceField& field : structure.fields) {
        const auto known = elements_of(field.type);
        if (!known) return std::nullopt;
        const auto bytes = static_cast<std::size_t>(bytes_of_type(known->type));
        const bool pairs = field.type == "float2" || field.type == "int2" ||
                           field.type == "double2" || field.type == "uint2";
        const bool fours = field.type == "float4" || field.type == "int4" || field.type == "uint4";
        const std::size_t own = fours ? 16 : pairs ? 2 * bytes : bytes;
        alignment = std::max(alignment, own);
        layout.bytes = round_up(layout.bytes, own);
        for (int i = 0; i < field.count * known->each; ++i) {
            layout.parts.push_back({layout.bytes, known->type});
            layout.bytes += bytes;
        }
    }
    layout.bytes = round_up(layout.bytes, alignment);
    return layout;
}

} // namespace

std::optional<Elements> element_type_of_struct(const SourceStructure& structure)
{
    const auto layout = layout_of(structure);
    if (!layout || layout->bytes == 0 || layout->bytes > 4096) return std::nullopt;
    const bool doubles = std::ranges::all_of(
        layout->parts, [](const Layout::Part& part) { return part.type == "f64"; });
    if (doubles) return Elements{"f64", static_cast<int>(layout->bytes / 8)};
    if (layout->bytes % 4 != 0) return Elements{"u8", static_cast<int>(layout->bytes)};
    return Elements{"f32", static_cast<int>(layout->bytes / 4)};
}

std::vector<bool> real_words(const SourceStructure& structure)
{
    const auto layout = layout_of(structure);
    const auto words = element_type_of_struct(structure);
    if (!layout || !words) return {};
    std::vector<bool> real(static_cast<std::size_t>(words->each));
    for (const Layout::Part& part : layout->parts)
        if (part.type == words->type)
            real[part.begin / static_cast<std::size_t>(bytes_of_type(words->type))] = true;
    return real;
}

bool is_real(std::string_view type)
{
    return type.starts_with('f');
}

int bytes_of_type(std::string_view type)
{
    if (type == "bytes4") return 4;
    const auto bits = type.substr(1);
    return bits == "8" ? 1 : bits == "16" ? 2 : bits == "64" ? 8 : 4;
}

std::optional<int> bytes_of(std::string_view type)
{
    const auto known = elements_of(type);
    return known ? std::optional(known->each * bytes_of_type(known->type)) : std::nullopt;
}

std::string describe_fill(const nlohmann::ordered_json& fill)
{
    static const std::map<std::string, std::string> known = {{"test_card", "a test card"},
                                                             {"random", "random numbers"},
                                                             {"ramp", "a ramp"},
                                                             {"wave", "waves"},
                                                             {"permutation", "a permutation"},
                                                             {"image", "a picture"}};
    if (fill.is_number()) return fill == 0 ? "zeros" : fill.dump();
    const nlohmann::ordered_json name =
        fill.is_string() ? fill : fill.value("generator", nlohmann::ordered_json());
    if (name.is_string())
        if (const auto found = known.find(name.get<std::string>()); found != known.end())
            return found->second;
    const std::string each = fill.is_object() ? fill.value("each", "") : "";
    if (each.starts_with("1 / ")) return "equal weights";
    if (each.find("sin(i * 0.37)") != std::string::npos) return "waves";
    if (each == "4 * i") return "four elements per row";
    if (each.starts_with("mod(7 * i")) return "scattered columns";
    return each.empty() ? fill.dump() : each;
}

std::string title_of(std::string_view name)
{
    std::string title;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const auto upper = [&](std::size_t k) {
            return std::isupper(static_cast<unsigned char>(name[k])) != 0;
        };
        if (c == '_' || c == '<' || c == '>' || c == ',' || c == '-' || c == ' ') {
            if (!title.empty() && title.back() != ' ') title += ' ';
            continue;
        }
        if (i > 0 && upper(i) && !upper(i - 1) && title.back() != ' ') title += ' ';
        title += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    while (!title.empty() && title.back() == ' ') title.pop_back();
    if (title.empty()) return "Kernel";
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    return title;
}

std::string id_of(std::string_view name)
{
    std::string id;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            id += c;
        else if (!id.empty() && id.back() != '_')
            id += '_';
    while (!id.empty() && id.back() == '_') id.pop_back();
    return id.empty() ? "kernel" : id;
}

std::string times(int factor, const std::string& expression)
{
    if (factor == 1) return expression;
    const bool plain = expression.find_first_of(" +-*/") == std::string::npos;
    return plain ? fmt::format("{} * {}", factor, expression)
                 : fmt::format("{} * ({})", factor, expression);
}

} // namespace lanescope::labs::guessing
