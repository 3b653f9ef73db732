// Parses a tensor map: "@0:f32[64x32]:box=32x8,swizzle=128".
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/run/kernel/value.h"
#include "compute/simt/operations/memory/tensor_map.h"

namespace lanescope::app {
namespace {

using simt::TensorMap;

constexpr std::string_view type_names[] = {"u8",  "u16", "u32",  "i32",    "u64",  "i64",    "f16",
                                           "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
static_assert(std::size(type_names) == static_cast<std::size_t>(simt::TensorType::count));

// Parses "64x32x8". Returns the number of entries.
template <class Number>
std::size_t parse_extents(std::string_view text, Number* to, std::size_t max)
{
    for (std::size_t i = 0; i < max; ++i) {
        const std::size_t by = text.find('x');
        to[i] = static_cast<Number>(parse_count(text.substr(0, by)));
        if (by == text.npos) return i + 1;
        text.remove_prefix(by + 1);
    }
    throw ValueProblem{"has more than five dimensions"};
}

// "f32[64x32]"
void parse_shape(std::string_view text, TensorMap& map)
{
    const std::size_t open = text.find('[');
    const auto* const type = std::ranges::find(type_names, text.substr(0, open));
    if (open == text.npos || !text.ends_with(']') || type == std::end(type_names))
        throw ValueProblem{"needs a type and sizes: tensor_map:@0:f32[64x32]:box=32x8"};
    map.type = static_cast<simt::TensorType>(type - std::begin(type_names));
    map.rank = static_cast<int>(parse_extents(text.substr(open + 1, text.size() - open - 2),
                                              map.sizes.data(), map.sizes.size()));
    std::uint64_t bytes = map.element_bytes();
    for (std::size_t i = 1; i < static_cast<std::size_t>(map.rank); ++i) {
        bytes *= map.sizes[i - 1];
        map.strides[i] = bytes;
    }
}

void take_option(std::string_view word, TensorMap& map)
{
    const auto rank = static_cast<std::size_t>(map.rank);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == word.npos ? "" : word.substr(equals + 1);
    std::size_t count = rank;
    if (name == "box")
        count = parse_extents(value, map.box.data(), rank);
    else if (name == "steps")
        count = parse_extents(value, map.steps.data(), rank);
    else if (name == "strides" && rank > 1)
        count = 1 + parse_extents(value, map.strides.data() + 1, rank - 1);
    else if (word == "swizzle=32")
        map.swizzle = simt::TensorSwizzle::of_32;
    else if (word == "swizzle=64")
        map.swizzle = simt::TensorSwizzle::of_64;
    else if (word == "swizzle=128")
        map.swizzle = simt::TensorSwizzle::of_128;
    else if (word == "nan")
        map.fills_nan = true;
    else
        throw ValueProblem{fmt::format("has the unknown option \"{}\"", word)};
    if (count != rank)
        throw ValueProblem{
            fmt::format("has {} numbers in \"{}\" for {} dimensions", count, word, rank)};
}

} // namespace

Value parse_tensor_map(std::string_view text)
{
    const std::size_t first = text.find(':'), second = text.find(':', first + 1);
    if (!text.starts_with('@') || first == text.npos || second == text.npos)
        throw ValueProblem{
            "needs a buffer, its shape and a box: tensor_map:@0:f32[64x32]:box=32x8"};
    Value value = parse_literal(text.substr(0, first));
    TensorMap map;
    parse_shape(text.substr(first + 1, second - first - 1), map);
    for (std::string_view rest = text.substr(second + 1);;) {
        const std::size_t comma = rest.find(',');
        take_option(rest.substr(0, comma), map);
        if (comma == rest.npos) break;
        rest.remove_prefix(comma + 1);
    }
    map.address = value.references.empty() ? 0 : value.references.front().addend;
    if (const std::string problem = simt::problem_of(map); !problem.empty())
        throw ValueProblem{"is not a valid tensor map: " + problem};
    value.is_tensor_map = true;
    value.bytes.resize(simt::tensor_map_bytes);
    simt::encode(map, std::span<std::byte, simt::tensor_map_bytes>(value.bytes.data(),
                                                                   simt::tensor_map_bytes));
    for (Reference& reference : value.references)
        reference.offset = simt::tensor_map_address_offset;
    return value;
}

} // namespace lanescope::app
