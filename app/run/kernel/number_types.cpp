// Halves are rounded to nearest even from doubles, as a compiler rounds constants.
#include "app/run/kernel/number_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compute/read_number.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

// A 16-bit float with `Mantissa` mantissa bits.
template <int Mantissa>
struct Half {
    static constexpr int bias = (1 << (14 - Mantissa)) - 1;
    static constexpr unsigned infinity = 0x7FFFu >> Mantissa << Mantissa;
    std::uint16_t bits = 0;

    Half() = default;
    explicit Half(double value)
    {
        const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
        unsigned magnitude = infinity;
        if (std::isnan(value)) {
            magnitude = 0x7FFF;
        } else if (std::isfinite(value)) {
            int exponent = 0;
            std::frexp(value, &exponent);
            // Zero and subnormals share the lowest exponent.
            exponent = value == 0 ? 2 - bias : std::max(exponent, 2 - bias);
            // In units of the last place; overflow carries into the next exponent.
            const double steps =
                std::nearbyint(std::ldexp(std::abs(value), Mantissa + 1 - exponent));
            const double whole =
                std::ldexp(static_cast<double>(exponent - 2 + bias), Mantissa) + steps;
            magnitude = static_cast<unsigned>(std::min<double>(whole, infinity));
        }
        bits = static_cast<std::uint16_t>(sign | magnitude);
    }
    explicit operator double() const
    {
        const int exponent = bits >> Mantissa & (infinity >> Mantissa);
        const int mantissa = bits & ((1 << Mantissa) - 1);
        const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
        if (exponent == static_cast<int>(infinity >> Mantissa))
            return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : sign * std::numeric_limits<double>::infinity();
        const int whole = exponent == 0 ? mantissa : mantissa + (1 << Mantissa);
        return sign * std::ldexp(whole, std::max(exponent, 1) - bias - Mantissa);
    }
};

template <class T>
constexpr bool is_half = std::is_class_v<T>;

template <class T>
T number(std::string_view text)
{
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    int base = 10;
    if (std::is_integral_v<T> && digits.starts_with("0x")) {
        digits.remove_prefix(2);
        base = 16;
    }
    T value{};
    const char* const end = digits.data() + digits.size();
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<T>)
        result = std::from_chars(digits.data(), end, value, base);
    else
        result = read_number(digits.data(), end, value);
    if (result.ec == std::errc::result_out_of_range)
        throw ValueProblem{fmt::format("has \"{}\", which is out of its type's range", text)};
    if (result.ec != std::errc{} || result.ptr != end)
        throw ValueProblem{fmt::format("needs a number in place of \"{}\"", text)};
    return value;
}

template <class T>
void put(const T& value, std::byte* to)
{
    std::memcpy(to, &value, sizeof value);
}

template <class T>
void parse_to(std::string_view text, std::byte* to)
{
    if constexpr (is_half<T>)
        put(T(number<double>(text)), to);
    else
        put(number<T>(text), to);
}

// Sets each element i to value(i).
template <class T, class Value>
void fill(Bytes& bytes, const Value& value)
{
    const std::size_t count = bytes.size() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) put<T>(value(i), bytes.data() + i * sizeof(T));
}

template <class T>
void ramp(Bytes& bytes)
{
    fill<T>(bytes, [](std::size_t index) {
        if constexpr (is_half<T>)
            return T(static_cast<double>(index));
        else
            return static_cast<T>(index);
    });
}

// SplitMix64 by Steele, Lea and Flood: the same numbers on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }

private:
    std::uint64_t state_;
};

template <class T>
T random_number(std::uint64_t bits)
{
    if constexpr (is_half<T>)
        return T(static_cast<double>(bits >> 53) / (1 << 11));
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(bits >> 40) / static_cast<T>(1 << 24);
    else
        return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
}

template <class T>
void random(std::uint64_t seed, Bytes& bytes)
{
    Random numbers(seed);
    fill<T>(bytes, [&](std::size_t) { return random_number<T>(numbers.next()); });
}

template <class T>
std::string text_of(const std::byte* from)
{
    T value{};
    std::memcpy(&value, from, sizeof value);
    if constexpr (is_half<T>)
        return fmt::format("{}", static_cast<float>(static_cast<double>(value)));
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else
        return fmt::format("{}", value);
}

template <class T>
constexpr NumberType described(std::string_view name)
{
    return {name, sizeof(T), !std::is_integral_v<T>, parse_to<T>, ramp<T>, random<T>, text_of<T>};
}

constexpr std::array types{
    described<std::int8_t>("i8"),    described<std::int16_t>("i16"),
    described<std::int32_t>("i32"),  described<std::int64_t>("i64"),
    described<std::uint8_t>("u8"),   described<std::uint16_t>("u16"),
    described<std::uint32_t>("u32"), described<std::uint64_t>("u64"),
    described<Half<10>>("f16"),      described<Half<7>>("bf16"),
    described<float>("f32"),         described<double>("f64"),
};

bool begins_number(std::string_view text)
{
    return !text.empty() && (std::string_view("+-.0123456789").find(text[0]) != text.npos ||
                             text.starts_with("inf") || text.starts_with("nan"));
}

void put_list(const NumberType& type, std::string_view list, Bytes& bytes)
{
    const auto given = static_cast<std::size_t>(std::ranges::count(list, ',')) + 1;
    const std::size_t wanted = bytes.size() / type.bytes;
    if (given != wanted)
        throw ValueProblem{
            fmt::format("gives {} numbers for {} elements (const:V repeats one)", given, wanted)};
    for (std::byte* to = bytes.data();; to += type.bytes) {
        const std::size_t comma = list.find(',');
        type.parse(list.substr(0, comma), to);
        if (comma == list.npos) return;
        list.remove_prefix(comma + 1);
    }
}

} // namespace

std::span<const NumberType> number_types()
{
    return types;
}

const NumberType* number_type(std::string_view name)
{
    const auto found = std::ranges::find(types, name, &NumberType::name);
    return found == types.end() ? nullptr : &*found;
}

std::string number_type_names()
{
    std::vector<std::string_view> names;
    for (const NumberType& type : types) names.push_back(type.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t parse_count(std::string_view text)
{
    return number<std::size_t>(text);
}

bool is_fill(std::string_view text)
{
    return text == "zero" || text == "ramp" || text.starts_with("const:") ||
           text.starts_with("random:") || text.starts_with("file:");
}

Bytes filled(const NumberType& type, std::size_t count, std::string_view fill)
{
    if (fill.starts_with("file:")) return read_bytes(fill.substr(5), count * type.bytes);
    Bytes bytes(count * type.bytes);
    if (fill == "ramp") {
        type.ramp(bytes);
    } else if (fill.starts_with("const:")) {
        Bytes one(type.bytes);
        type.parse(fill.substr(6), one.data());
        for (std::size_t i = 0; i < count; ++i)
            std::ranges::copy(one, bytes.data() + i * type.bytes);
    } else if (fill.starts_with("random:")) {
        type.random(parse_count(fill.substr(7)), bytes);
    } else if (begins_number(fill)) {
        put_list(type, fill, bytes);
    } else if (fill != "zero") {
        throw ValueProblem{fmt::format("has the unknown fill \"{}\"", fill)};
    }
    return bytes;
}

Bytes read_bytes(std::string_view path, std::size_t wanted)
{
    const std::string content = render::read_file(std::string(path));
    if (content.size() != wanted)
        throw ValueProblem{
            fmt::format("needs a file of {} bytes, but {} has {}", wanted, path, content.size())};
    Bytes bytes(wanted);
    std::ranges::copy(std::as_bytes(std::span(content)), bytes.begin());
    return bytes;
}

} // namespace lanescope::app
