// Types by a table, titles and ids by their letters.
#include "compute/labs/guess/words.h"

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
