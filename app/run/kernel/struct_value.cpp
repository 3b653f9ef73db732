// Parses structs as lists of literals: each member at its natural alignment, as compilers lay them
// out.
#include <fmt/format.h>

#include <algorithm>

#include "app/run/kernel/value.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20; // limit for values given as text

std::size_t aligned(std::size_t offset, std::size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

struct Member {
    Value value;
    std::size_t alignment = 1;
};

Member number(const NumberType& type, std::string_view text)
{
    Member member;
    member.value.type = &type;
    member.value.bytes.resize(type.bytes);
    type.parse(text, member.value.bytes.data());
    member.alignment = type.bytes;
    return member;
}

Member address(std::string_view text)
{
    Member member;
    member.alignment = sizeof(device::Address);
    member.value.bytes.resize(sizeof(device::Address));
    if (text == "null") return member;
    const std::size_t plus = text.find('+');
    Reference reference{0, std::string(text.substr(1, plus - 1)), 0};
    if (plus != text.npos) reference.addend = parse_count(text.substr(plus + 1));
    if (reference.name.empty()) throw ValueProblem{"has an @ without an index or name"};
    member.value.references.push_back(std::move(reference));
    return member;
}

// The type of a C++ literal with this suffix, or the type that the suffix names.
const NumberType* type_of_suffix(std::string_view digits, std::string_view written)
{
    const std::string suffix = lower_case(written);
    const bool fraction = digits.find_first_of(".eEnN") != digits.npos && !digits.starts_with("0x");
    if (suffix.empty()) return number_type(fraction ? "f64" : "i32");
    if (suffix == "f") return number_type("f32");
    if (suffix == "h") return number_type("f16");
    if (suffix == "u") return number_type("u32");
    if (suffix == "l" || suffix == "ll") return number_type("i64");
    if (suffix == "ul" || suffix == "ull" || suffix == "lu" || suffix == "llu")
        return number_type("u64");
    return number_type(suffix);
}

Member literal(std::string_view text)
{
    if (text.starts_with('@') || text == "null") return address(text);
    if (text == "true" || text == "false")
        return number(*number_type("u8"), text == "true" ? "1" : "0");
    if (const std::size_t colon = text.find(':'); colon != text.npos) {
        const NumberType* type = number_type(text.substr(0, colon));
        if (type == nullptr)
            throw ValueProblem{fmt::format("has the unknown type \"{}\"", text.substr(0, colon))};
        return number(*type, text.substr(colon + 1));
    }
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    std::size_t end = sign;
    const auto skip = [&](std::string_view characters) {
        while (end < text.size() && characters.find(text[end]) != characters.npos) ++end;
    };
    if (text.substr(sign).starts_with("0x")) {
        end += 2;
        skip("0123456789abcdefABCDEF");
    } else if (text.substr(sign).starts_with("inf") || text.substr(sign).starts_with("nan")) {
        end += 3;
    } else {
        skip("0123456789.");
        if (end < text.size() && (text[end] == 'e' || text[end] == 'E') && end > sign) {
            ++end;
            if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
            skip("0123456789");
        }
    }
    const NumberType* type =
        end == sign ? nullptr : type_of_suffix(text.substr(sign, end - sign), text.substr(end));
    if (type == nullptr)
        throw ValueProblem{
            fmt::format("needs a value such as 5, 1.0f or @0 in place of \"{}\"", text)};
    return number(*type, text.substr(0, end));
}

class StructReader {
public:
    explicit StructReader(std::string_view text) : rest_(text) {}

    Member whole()
    {
        Member all = members(0);
        if (!rest_.empty()) throw ValueProblem{fmt::format("has a stray \"{}\"", rest_)};
        return all;
    }

private:
    Member members(int depth)
    {
        if (depth > 16) throw ValueProblem{"nests structs more than 16 deep"};
        Member all;
        all.value.is_struct = true;
        for (;;) {
            const std::size_t times = repetition();
            const Member one = element(depth);
            for (std::size_t i = 0; i < times; ++i) append(all, one);
            if (!rest_.starts_with(',')) break;
            rest_.remove_prefix(1);
        }
        all.value.bytes.resize(aligned(all.value.bytes.size(), all.alignment));
        return all;
    }

    // N of "N*", else 1.
    std::size_t repetition()
    {
        const std::size_t digits = rest_.find_first_not_of("0123456789");
        if (digits == 0 || digits == rest_.npos || rest_[digits] != '*') return 1;
        const std::size_t times = parse_count(rest_.substr(0, digits));
        rest_.remove_prefix(digits + 1);
        if (times == 0 || times > max_bytes) throw ValueProblem{"repeats a member too many times"};
        return times;
    }

    Member element(int depth)
    {
        if (rest_.starts_with('{')) {
            rest_.remove_prefix(1);
            Member inner = members(depth + 1);
            if (!rest_.starts_with('}')) throw ValueProblem{"lacks a closing }"};
            rest_.remove_prefix(1);
            return inner;
        }
        const std::string_view text = rest_.substr(0, rest_.find_first_of(",}"));
        rest_.remove_prefix(text.size());
        return literal(text);
    }

    static void append(Member& all, const Member& one)
    {
        Bytes& bytes = all.value.bytes;
        bytes.resize(aligned(bytes.size(), one.alignment));
        if (bytes.size() + one.value.bytes.size() > max_bytes)
            throw ValueProblem{"is larger than 1 MiB; use a file for that"};
        for (Reference reference : one.value.references) {
            reference.offset += bytes.size();
            all.value.references.push_back(std::move(reference));
        }
        bytes.insert(bytes.end(), one.value.bytes.begin(), one.value.bytes.end());
        all.alignment = std::max(all.alignment, one.alignment);
    }

    std::string_view rest_;
};

} // namespace

Value parse_struct(std::string_view text)
{
    return StructReader(text).whole().value;
}

Value parse_literal(std::string_view text)
{
    return literal(text).value;
}

} // namespace lanescope::app
