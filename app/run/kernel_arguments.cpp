// See kernel_arguments.h.
#include "app/run/kernel_arguments.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

constexpr std::size_t largest_buffer = std::size_t{1} << 34;

[[noreturn]] void refuse(std::string_view text, std::string_view problem)
{
    throw Error(ExitStatus::bad_usage, fmt::format("The argument \"{}\" {}.", text, problem),
                "Write a scalar as i32:5 or f32:0.2, a buffer as f32[1024]:zero, :ramp, :const:V, "
                ":random:SEED or :file:PATH.");
}

template <class T>
T number(std::string_view whole, std::string_view text)
{
    T value{};
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc::result_out_of_range) refuse(whole, "is out of its type's range");
    if (result.ec != std::errc{} || result.ptr != end)
        refuse(whole, fmt::format("needs a number in place of \"{}\"", text));
    return value;
}

// Steele, Lea and Flood's SplitMix64: the same numbers on every machine.
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
T random_value(Random& random)
{
    const std::uint64_t bits = random.next();
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(bits >> 40) / static_cast<T>(1 << 24);
    else
        return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
}

template <class T>
std::vector<std::byte> as_bytes(const std::vector<T>& values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<std::byte> from_file(std::string_view text, std::string_view path, std::size_t wanted)
{
    const std::string content = render::read_file(std::string(path));
    if (content.size() != wanted)
        refuse(text, fmt::format("needs a file of {} bytes, but {} has {}", wanted, path,
                                 content.size()));
    std::vector<std::byte> bytes(wanted);
    if (wanted > 0) std::memcpy(bytes.data(), content.data(), wanted);
    return bytes;
}

template <class T>
std::vector<std::byte> fill(std::string_view text, std::size_t count, std::string_view how)
{
    std::vector<T> values(count);
    if (how.starts_with("file:")) return from_file(text, how.substr(5), count * sizeof(T));
    if (how == "ramp") {
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i);
    } else if (how.starts_with("const:")) {
        values.assign(count, number<T>(text, how.substr(6)));
    } else if (how.starts_with("random:")) {
        Random random(number<std::uint64_t>(text, how.substr(7)));
        for (T& value : values) value = random_value<T>(random);
    } else if (how != "zero") {
        refuse(text, fmt::format("has the unknown filling \"{}\"", how));
    }
    return as_bytes(values);
}

template <class T>
ArgumentValue parse_as(std::string_view text, std::string_view brackets, std::string_view value)
{
    if (brackets.empty()) return {as_bytes(std::vector<T>{number<T>(text, value)}), false};
    if (!brackets.ends_with(']')) refuse(text, "lacks its closing bracket");
    const auto count = number<std::size_t>(text, brackets.substr(1, brackets.size() - 2));
    if (count == 0 || count > largest_buffer / sizeof(T))
        refuse(text, "must have from 1 element to 16 GiB");
    return {fill<T>(text, count, value), true};
}

} // namespace

ArgumentValue parse_argument(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) refuse(text, "has no value");
    const std::string_view left = text.substr(0, colon);
    const std::string_view type = left.substr(0, left.find('['));
    const std::string_view brackets = left.substr(type.size());
    const std::string_view value = text.substr(colon + 1);
    if (type == "i8") return parse_as<std::int8_t>(text, brackets, value);
    if (type == "u8") return parse_as<std::uint8_t>(text, brackets, value);
    if (type == "i16") return parse_as<std::int16_t>(text, brackets, value);
    if (type == "u16") return parse_as<std::uint16_t>(text, brackets, value);
    if (type == "i32") return parse_as<std::int32_t>(text, brackets, value);
    if (type == "u32") return parse_as<std::uint32_t>(text, brackets, value);
    if (type == "i64") return parse_as<std::int64_t>(text, brackets, value);
    if (type == "u64") return parse_as<std::uint64_t>(text, brackets, value);
    if (type == "f32") return parse_as<float>(text, brackets, value);
    if (type == "f64") return parse_as<double>(text, brackets, value);
    refuse(text, fmt::format("has the unknown type \"{}\"", type));
}

} // namespace lanescope::app
