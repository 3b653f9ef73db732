// printf as defined by CUDA: arguments are in a buffer, each aligned to its size and promoted as in
// C.
#include "compute/simt/operations/calls/printing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

template <class T>
T argument(Executor& x, const Call& call, std::size_t index, int lane)
{
    T value{};
    if (index < call.arguments.size())
        std::memcpy(&value, x.parameter(call.arguments[index], lane), sizeof value);
    return value;
}

// Reads a lane's memory at generic addresses, with the same checks as any load.
class Reader {
public:
    Reader(Executor& x, const Instruction& in, int lane) : x_(x), in_(in), lane_(lane) {}

    void read(Address address, void* to, std::size_t bytes)
    {
        Access access;
        access.width_bytes = 1;
        access.cache = static_cast<std::uint32_t>(x_.hits.size() - 1);
        for (std::size_t i = 0; i < bytes; ++i) {
            Addresses at;
            at.lane.fill(address + i);
            at.low = at.all_bits = address + i;
            at.high = address + i + 1;
            ptx::Space space = ptx::Space::none;
            take_space(x_, at, 1u << lane_, 1, space);
            const Reach found = reach(x_, in_, access, space, at, 1u << lane_);
            const auto* from = reinterpret_cast<const std::byte*>(
                reinterpret_cast<std::uintptr_t>(found.base) + found.offsets[lane_]);
            static_cast<std::byte*>(to)[i] = *from;
        }
    }

    std::string string(Address address)
    {
        std::string text;
        for (char c = 0;; text += c) {
            read(address + text.size(), &c, 1);
            if (c == 0) return text;
        }
    }

private:
    Executor& x_;
    const Instruction& in_;
    int lane_;
};

// One conversion specification, "%-8.3f", and its argument in the buffer.
struct Conversion {
    std::string text;
    char kind = 0;
    bool wide = false;       // takes a 64-bit integer
    std::string_view narrow; // "h" or "hh": the integer is truncated
};

constexpr int widest = 9999;

// Parses a conversion. `take_number` returns the next argument, for a width or precision of `*`.
template <class TakeNumber>
Conversion take_conversion(const std::string& format, std::size_t& at, TakeNumber take_number)
{
    Conversion conversion;
    conversion.text = format[at++];
    int digits = 0; // length of the current number: widths and precisions go up to 9999
    while (at < format.size() && std::strchr("-+ #0123456789.*", format[at]) != nullptr) {
        if (format[at] == '*') {
            const int number = std::clamp(take_number(), -widest, widest);
            const bool precision = conversion.text.back() == '.';
            if (precision && number < 0)
                conversion.text.pop_back(); // treat the precision as absent
            else
                conversion.text += std::to_string(number);
            ++at;
            continue;
        }
        digits = format[at] >= '0' && format[at] <= '9' ? digits + 1 : 0;
        if (digits <= 4) conversion.text += format[at];
        ++at;
    }
    int longs = 0;
    std::size_t shorts = 0;
    while (at < format.size() && std::strchr("hlzjtL", format[at]) != nullptr) {
        longs += format[at] != 'h';
        shorts += format[at] == 'h';
        ++at;
    }
    conversion.narrow =
        std::string_view("hh").substr(0, longs > 0 ? 0 : std::min<std::size_t>(shorts, 2));
    conversion.kind = at < format.size() ? format[at++] : '%';
    conversion.wide = longs > 0;
    return conversion;
}

template <class T>
std::string formatted(const std::string& specification, T value)
{
    const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
    std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
    std::snprintf(text.data(), text.size(), specification.c_str(), value);
    text.pop_back();
    return text;
}

struct Printed {
    std::string text;
    std::int32_t arguments = 0; // the call's return value
};

Printed format_lane(Executor& x, const Instruction& in, const Call& call, int lane)
{
    Reader reader(x, in, lane);
    const std::string format = reader.string(argument<Address>(x, call, 0, lane));
    Address next = argument<Address>(x, call, 1, lane);
    Printed printed;
    const auto take = [&](auto& value) {
        next = (next + sizeof value - 1) / sizeof value * sizeof value;
        reader.read(next, &value, sizeof value);
        next += sizeof value;
        ++printed.arguments;
    };
    const auto take_number = [&] {
        int value = 0;
        take(value);
        return value;
    };
    std::string& out = printed.text;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        const Conversion conversion = take_conversion(format, at, take_number);
        switch (conversion.kind) {
        case '%': out += '%'; break;
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
        case 'c': {
            if (conversion.wide) {
                long long value = 0;
                take(value);
                out += formatted(conversion.text + "ll" + conversion.kind, value);
            } else {
                const bool letter = conversion.kind == 'c';
                const std::string_view narrow = letter ? std::string_view{} : conversion.narrow;
                out += formatted(conversion.text + std::string(narrow) + conversion.kind,
                                 take_number());
            }
            break;
        }
        case 'p': {
            Address value = 0;
            take(value);
            out += fmt::format("{:#x}", value);
            break;
        }
        case 's': {
            Address value = 0;
            take(value);
            out += formatted(conversion.text + 's', reader.string(value).c_str());
            break;
        }
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': {
            double value = 0;
            take(value);
            out += formatted(conversion.text + conversion.kind, value);
            break;
        }
        default: out += conversion.text + conversion.kind; // not supported by CUDA: print as is
        }
    }
    return printed;
}

} // namespace

void print(Executor& x, const Instruction& in, const Call& call, std::uint32_t mask)
{
    std::string all;
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const Printed printed = format_lane(x, in, call, lane);
        all += printed.text;
        if (!call.results.empty())
            std::memcpy(x.parameter(call.results[0], lane), &printed.arguments,
                        sizeof printed.arguments);
    }
    if (x.launch.print) x.launch.print(all);
}

void throw_assertion(Executor& x, const Instruction& in, const Call& call, int lane)
{
    Reader reader(x, in, lane);
    const std::string condition = reader.string(argument<Address>(x, call, 0, lane));
    x.fault(in, "assertion", lane, 0, fmt::format("fails the assertion '{}'", condition));
}

} // namespace lanescope::simt
