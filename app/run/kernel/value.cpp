// Structs are in struct_value.cpp, images in image_value.cpp.
#include "app/run/kernel/value.h"

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope::app {
namespace {

constexpr std::uint64_t max_buffer_bytes = std::uint64_t{1} << 34;

std::size_t elements_of(std::string_view brackets, std::size_t element_bytes,
                        std::string_view content)
{
    if (!brackets.ends_with(']')) throw ValueProblem{"lacks its closing bracket"};
    const std::string_view inside = brackets.substr(1, brackets.size() - 2);
    std::size_t count = 1;
    if (inside.empty()) {
        if (is_fill(content)) throw ValueProblem{"needs a count in its brackets"};
        for (char c : content) count += c == ',';
    } else {
        count = parse_count(inside);
    }
    if (count == 0 || count > max_buffer_bytes / element_bytes)
        throw ValueProblem{"must have at least 1 element and at most 16 GiB"};
    return count;
}

Value parse_buffer(const NumberType& type, std::string_view brackets, std::string_view content)
{
    Value value;
    value.kind = Value::Kind::buffer;
    value.type = &type;
    value.elements = elements_of(brackets, type.bytes, content);
    value.bytes = filled(type, value.elements, content);
    return value;
}

Value parse_structs(std::string_view brackets, std::string_view content)
{
    const Value one = parse_struct(content);
    Value value;
    value.kind = Value::Kind::buffer;
    value.elements = brackets == "[]" ? 1 : elements_of(brackets, one.bytes.size(), content);
    for (std::size_t i = 0; i < value.elements; ++i) {
        for (Reference reference : one.references) {
            reference.offset += value.bytes.size();
            value.references.push_back(std::move(reference));
        }
        value.bytes.insert(value.bytes.end(), one.bytes.begin(), one.bytes.end());
    }
    return value;
}

Bytes hex_bytes(std::string_view digits)
{
    const auto digit = [](char c) {
        constexpr std::string_view all = "0123456789abcdef";
        const std::size_t found = all.find(c >= 'A' && c <= 'F' ? static_cast<char>(c | 32) : c);
        if (found == all.npos)
            throw ValueProblem{fmt::format("has '{}' where a hexadecimal digit is expected", c)};
        return static_cast<unsigned>(found);
    };
    if (digits.size() % 2 != 0) throw ValueProblem{"has an odd number of digits"};
    Bytes bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(digit(digits[i]) * 16 + digit(digits[i + 1])));
    return bytes;
}

Value parse_typed(const NumberType& type, std::string_view content,
                  const std::optional<Place>& place)
{
    Value value;
    value.type = &type;
    if (place && place->is_variable) {
        if (place->bytes % type.bytes != 0)
            throw ValueProblem{fmt::format(
                "has a type whose size does not divide the variable's {} bytes", place->bytes)};
        value.bytes = filled(type, place->bytes / type.bytes, content);
    } else {
        value.bytes.resize(type.bytes);
        type.parse(content, value.bytes.data());
    }
    return value;
}

Value parse(std::string_view text, const std::optional<Place>& place)
{
    const std::size_t colon = text.find(':');
    if (text.starts_with('@') || colon == std::string_view::npos) return parse_literal(text);
    const std::string_view head = text.substr(0, colon);
    const std::string_view content = text.substr(colon + 1);
    const std::string_view type = head.substr(0, head.find('['));
    const std::string_view brackets = head.substr(type.size());
    if (type == "struct")
        return brackets.empty() ? parse_struct(content) : parse_structs(brackets, content);
    if (const NumberType* found = number_type(type))
        return brackets.empty() ? parse_typed(*found, content, place)
                                : parse_buffer(*found, brackets, content);
    if (is_image_kind(head)) return parse_image(head, content);
    if (head == "tensor_map") return parse_tensor_map(content);
    Value value;
    if (head == "hex") {
        value.bytes = hex_bytes(content);
        return value;
    }
    if (head == "file") {
        if (!place) throw ValueProblem{"needs a type: u8[BYTES]:file:PATH"};
        value.bytes = read_bytes(content, place->bytes);
        return value;
    }
    throw ValueProblem{fmt::format("has the unknown type \"{}\"", type)};
}

void fit(Value& value, const Place& place)
{
    const char* const what = place.is_variable ? "variable" : "parameter";
    if (value.kind == Value::Kind::buffer && place.is_variable) value.kind = Value::Kind::bytes;
    if (value.kind != Value::Kind::bytes) {
        if (place.bytes == sizeof(device::Address)) return;
        throw ValueProblem{
            fmt::format("is an address of 8 bytes, but the {} has {}", what, place.bytes)};
    }
    // A struct may have a larger alignment than its members.
    const std::size_t padded =
        (value.bytes.size() + place.alignment - 1) / place.alignment * place.alignment;
    if (value.is_struct && padded == place.bytes) value.bytes.resize(padded);
    if (value.bytes.size() != place.bytes)
        throw ValueProblem{
            fmt::format("has {} bytes, but the {} has {}", value.bytes.size(), what, place.bytes)};
}

std::string cure(std::string_view text, const std::optional<Place>& place)
{
    if (text.starts_with("tex") || text.starts_with("surf"))
        return "Write it as tex2d:SOURCE:OPTIONS or surf2d:SOURCE:OPTIONS with SOURCE an image "
               "file, @INDEX, or zero[WxH], ramp[WxH], const=V[WxH], random=SEED[WxH], "
               "file=PATH[WxH], and OPTIONS of r8, rg8, rgba8, r16, r16f, r32f, … (s: "
               "signed, f: floats), linear, "
               "normalized, unorm, clamp, wrap, mirror, border, levels=N, trilinear; also "
               "texlayered2d:zero[WxHxLAYERS] and texcube:zero[WxWx6].";
    if (text.starts_with("tensor_map"))
        return "Write it as tensor_map:@INDEX:TYPE[WxH]:box=WxH with the options "
               "swizzle=32|64|128, strides=BYTES (between rows, then planes), steps=1xN and nan.";
    if (text.starts_with("struct") || (place && place->bytes > 8))
        return "Write a struct as struct:1.0f,2,3u8,@0,{4.0,5l} (f32, i32, u8, an address, a "
               "nested struct) or as hex:BYTES or file:PATH; --param-sizes shows the sizes.";
    return "Write a scalar as i32:5 or f32:0.2, a buffer as f32[1024]:zero, :ramp, :const:V, "
           ":random:SEED, :file:PATH or f32[]:1,2,3, a struct as struct:1.0f,2, another "
           "argument's address as @INDEX.";
}

} // namespace

Value parse_value(std::string_view option, std::string_view text, const std::optional<Place>& place)
{
    try {
        Value value = parse(text, place);
        if (place) fit(value, *place);
        return value;
    } catch (const ValueProblem& problem) {
        throw Error(ExitStatus::bad_usage, fmt::format("{} \"{}\" {}.", option, text, problem.text),
                    cure(text, place));
    }
}

} // namespace lanescope::app
