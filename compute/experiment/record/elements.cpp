// Converts numbers to bytes and back, for every type that a kernel may use.
#include "compute/experiment/record/elements.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "compute/device/formats.h"

namespace lanescope::labs {
namespace {

constexpr std::pair<std::string_view, ElementType> types[] = {
    {"u8", {Element::u8, 1}},   {"i8", {Element::i8, 1}},   {"u16", {Element::u16, 2}},
    {"i16", {Element::i16, 2}}, {"f16", {Element::f16, 2}}, {"u32", {Element::u32, 4}},
    {"i32", {Element::i32, 4}}, {"f32", {Element::f32, 4}}, {"u64", {Element::u64, 8}},
    {"i64", {Element::i64, 8}}, {"f64", {Element::f64, 8}}};

constexpr std::size_t max_structure_bytes = std::size_t{1} << 20;

double half_to_double(std::uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    double value = 0;
    if (exponent == 31)
        value = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
        value = std::ldexp(fraction, -24);
    else
        value = std::ldexp(1024 + fraction, exponent - 25);
    return half >> 15 ? -value : value;
}

// Rounded to nearest, ties to even.
std::uint16_t double_to_half(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(value);
    if (std::isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return sign | static_cast<std::uint16_t>(((exponent + 14) << 10) + steps);
}

template <class T>
double read(std::span<const std::byte> bytes, std::size_t i)
{
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return static_cast<double>(value);
}

template <class T>
void write(std::byte* to, double value)
{
    if constexpr (std::is_integral_v<T>) {
        // Also false for NaN. A 64-bit maximum is not exact in double, so the bound is the next
        // power of two, exclusive.
        const bool fits = value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                          value < std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!fits || value != std::floor(value))
            throw std::out_of_range(fmt::format("{} does not fit", value));
    }
    const T typed = static_cast<T>(value);
    std::memcpy(to, &typed, sizeof(T));
}

void write_as(ElementType type, std::byte* to, double value)
{
    switch (type.element) {
    case Element::u8: return write<std::uint8_t>(to, value);
    case Element::i8: return write<std::int8_t>(to, value);
    case Element::u16: return write<std::uint16_t>(to, value);
    case Element::i16: return write<std::int16_t>(to, value);
    case Element::f16: return write<std::uint16_t>(to, double_to_half(value));
    case Element::u32: return write<std::uint32_t>(to, value);
    case Element::i32: return write<std::int32_t>(to, value);
    case Element::f32: return write<float>(to, value);
    case Element::u64: return write<std::uint64_t>(to, value);
    case Element::i64: return write<std::int64_t>(to, value);
    case Element::f64: return write<double>(to, value);
    case Element::bytes: break;
    }
    throw std::out_of_range("a structure is not a number");
}

template <class Pairs>
std::string names(const Pairs& pairs)
{
    std::string all;
    for (const auto& [name, value] : pairs) {
        if (!all.empty()) all += ", ";
        all += name;
    }
    return all;
}

} // namespace

std::pair<double, double> range_of(ElementType type)
{
    // For 64 bits, the integers that double represents exactly.
    const double bits = static_cast<double>(8 * std::min<std::size_t>(type.bytes, 8));
    switch (type.element) {
    case Element::u8:
    case Element::u16:
    case Element::u32: return {0, std::ldexp(1, static_cast<int>(bits)) - 1};
    case Element::u64: return {0, std::ldexp(1, 53)};
    case Element::i8:
    case Element::i16:
    case Element::i32: {
        const double half = std::ldexp(1, static_cast<int>(bits) - 1);
        return {-half, half - 1};
    }
    case Element::i64: return {-std::ldexp(1, 53), std::ldexp(1, 53)};
    default:
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
}

bool ElementType::is_real() const
{
    return element == Element::f16 || element == Element::f32 || element == Element::f64;
}

std::optional<ElementType> find_element(std::string_view name)
{
    for (const auto& [known, type] : types)
        if (known == name) return type;
    constexpr std::string_view prefix = "bytes";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::size_t bytes = 0;
    const char* const end = name.data() + name.size();
    const auto result = std::from_chars(name.data() + prefix.size(), end, bytes);
    if (result.ec != std::errc{} || result.ptr != end || bytes == 0 || bytes > max_structure_bytes)
        return std::nullopt;
    return ElementType{Element::bytes, bytes};
}

std::string element_names()
{
    return names(types) + ", bytesN for a structure of N bytes";
}

double element_at(ElementType type, std::span<const std::byte> bytes, std::size_t i)
{
    switch (type.element) {
    case Element::u8: return read<std::uint8_t>(bytes, i);
    case Element::i8: return read<std::int8_t>(bytes, i);
    case Element::u16: return read<std::uint16_t>(bytes, i);
    case Element::i16: return read<std::int16_t>(bytes, i);
    case Element::f16:
        return half_to_double(static_cast<std::uint16_t>(read<std::uint16_t>(bytes, i)));
    case Element::u32: return read<std::uint32_t>(bytes, i);
    case Element::i32: return read<std::int32_t>(bytes, i);
    case Element::f32: return read<float>(bytes, i);
    case Element::u64: return read<std::uint64_t>(bytes, i);
    case Element::i64: return read<std::int64_t>(bytes, i);
    case Element::f64: return read<double>(bytes, i);
    case Element::bytes: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::string element_text(ElementType type, double value)
{
    return type.element == Element::f32 ? fmt::format("{}", static_cast<float>(value))
                                        : fmt::format("{}", value);
}

std::vector<std::byte> bytes_of(ElementType type, double value)
{
    if (type.element == Element::bytes) throw std::out_of_range("a structure is not a number");
    std::vector<std::byte> bytes(type.bytes);
    write_as(type, bytes.data(), value);
    return bytes;
}

std::vector<std::byte> bytes_of(ElementType type, std::span<const double> values)
{
    std::vector<std::byte> bytes(type.bytes * values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        write_as(type, bytes.data() + i * type.bytes, values[i]);
    return bytes;
}

std::string format_names()
{
    std::string all;
    for (const device::FormatRow& row : device::format_rows)
        all += fmt::format("{}{}", all.empty() ? "" : ", ", row.name);
    return all;
}

} // namespace lanescope::labs
