// Formats register and variable values according to their types.
#include "compute/simt/debug/values.h"

#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

using Kind = ptx::SourceType::Kind;

template <class T>
T as(std::span<const std::byte> bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof(T), bytes.size()));
    return value;
}

std::uint64_t unsigned_of(std::span<const std::byte> bytes)
{
    return as<std::uint64_t>(bytes.first(std::min<std::size_t>(bytes.size(), 8)));
}

std::int64_t signed_of(std::span<const std::byte> bytes)
{
    const auto bits = static_cast<int>(8 * std::min<std::size_t>(bytes.size(), 8));
    const std::uint64_t value = unsigned_of(bytes);
    if (bits == 0 || bits == 64) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

std::string real_text(double value, bool single)
{
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text =
        single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
    return text;
}

} // namespace

std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> whole,
                                                  std::uint64_t offset, std::uint64_t bytes)
{
    if (offset > whole.size() || bytes > whole.size() - offset) return std::nullopt;
    return whole.subspan(offset, bytes);
}

namespace {

// Limits on the text: untrusted debug information may describe a record that contains itself, even
// twice.
struct TextBudget {
    int values = 1000;
    int depth = 32;
};

std::string text_of(const ptx::SourceType& type, std::span<const std::byte> bytes, TextBudget& room)
{
    if (bytes.empty()) return {};
    if (room.depth == 0 || room.values == 0) return "…";
    --room.values;
    const auto inner = [&](const ptx::SourceType& of, std::span<const std::byte> part) {
        --room.depth;
        std::string text = text_of(of, part, room);
        ++room.depth;
        return text;
    };
    switch (type.kind) {
    case Kind::boolean: return unsigned_of(bytes) != 0 ? "true" : "false";
    case Kind::character: {
        const std::int64_t value =
            type.is_signed ? signed_of(bytes) : static_cast<std::int64_t>(unsigned_of(bytes));
        return fmt::format("{}", value);
    }
    case Kind::integer:
        return type.is_signed ? fmt::format("{}", signed_of(bytes))
                              : fmt::format("{}", unsigned_of(bytes));
    case Kind::real:
        if (type.bytes == 4) return real_text(static_cast<double>(as<float>(bytes)), true);
        if (type.bytes == 8) return real_text(as<double>(bytes), false);
        return fmt::format("{:#x}", unsigned_of(bytes));
    case Kind::pointer: return fmt::format("{:#x}", unsigned_of(bytes));
    case Kind::array: {
        if (!type.element || type.element->bytes == 0) return "{}";
        constexpr std::size_t max_shown = 4;
        std::string text;
        const std::size_t count = bytes.size() / type.element->bytes;
        for (std::size_t i = 0; i < std::min(count, max_shown); ++i)
            text +=
                (i == 0 ? "" : ", ") +
                inner(*type.element, bytes.subspan(i * type.element->bytes, type.element->bytes));
        return fmt::format("{{{}{}}}", text, count > max_shown ? ", …" : "");
    }
    case Kind::record: {
        std::string text;
        for (const auto& member : type.members) {
            const auto part = part_of(bytes, member.offset, member.type->bytes);
            if (!part) continue;
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.name,
                                inner(*member.type, *part));
        }
        return fmt::format("{{{}}}", text);
    }
    case Kind::none: break;
    }
    return fmt::format("{:#x}", unsigned_of(bytes));
}

} // namespace

std::string text_of(const ptx::SourceType& type, std::span<const std::byte> bytes)
{
    TextBudget room;
    return text_of(type, bytes, room);
}

TypePointer shown_as(ptx::Type type)
{
    const auto made = [](Kind kind, const char* name, bool is_signed, std::size_t bytes) {
        auto shown = std::make_shared<ptx::SourceType>();
        shown->kind = kind;
        shown->name = name;
        shown->is_signed = is_signed;
        shown->bytes = bytes;
        return TypePointer(std::move(shown));
    };
    static const TypePointer predicate = made(Kind::boolean, "pred", false, 4);
    static const TypePointer words = made(Kind::integer, "b32", true, 4);
    static const TypePointer halves = made(Kind::integer, "b16", true, 2);
    static const TypePointer doubles = made(Kind::real, "f64", true, 8);
    static const TypePointer singles = made(Kind::real, "f32", true, 4);
    static const TypePointer longs = made(Kind::integer, "b64", false, 8);
    switch (type) {
    case ptx::Type::pred: return predicate;
    case ptx::Type::f32: return singles;
    case ptx::Type::f64: return doubles;
    case ptx::Type::b8:
    case ptx::Type::u8:
    case ptx::Type::s8:
    case ptx::Type::b16:
    case ptx::Type::u16:
    case ptx::Type::s16:
    case ptx::Type::f16:
    case ptx::Type::bf16: return halves;
    case ptx::Type::b64:
    case ptx::Type::u64:
    case ptx::Type::s64: return longs;
    default: return words;
    }
}

std::string text_of(ptx::Type type, std::uint64_t bits)
{
    std::array<std::byte, 8> bytes;
    std::memcpy(bytes.data(), &bits, 8);
    const TypePointer shown = shown_as(type);
    if (shown->bytes == 8 && shown->kind == Kind::integer)
        return bits < 1u << 20 || ~bits < 1u << 20
                   ? fmt::format("{}", static_cast<std::int64_t>(bits))
                   : fmt::format("{:#x}", bits);
    return text_of(*shown, std::span(bytes).first(shown->bytes));
}

std::string LaneValues::text(int lane) const
{
    const auto& bytes = lanes[static_cast<std::size_t>(lane)];
    if ((lanes_with >> lane & 1u) == 0 || !type) return {};
    return text_of(*type, bytes);
}

std::optional<double> LaneValues::number(int lane) const
{
    const auto& bytes = lanes[static_cast<std::size_t>(lane)];
    if ((lanes_with >> lane & 1u) == 0 || !type || bytes.empty()) return std::nullopt;
    switch (type->kind) {
    case Kind::boolean: return unsigned_of(bytes) != 0 ? 1 : 0;
    case Kind::character:
    case Kind::integer:
        return type->is_signed ? static_cast<double>(signed_of(bytes))
                               : static_cast<double>(unsigned_of(bytes));
    case Kind::real:
        return type->bytes == 4 ? static_cast<double>(as<float>(bytes)) : as<double>(bytes);
    default: return std::nullopt;
    }
}

} // namespace lanescope::simt
