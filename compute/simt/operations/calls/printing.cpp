// printf as defined by CUDA: arguments are in a buffer, each aligned to its size and promoted as in
// C.
#include "compute/simt/operations/calls/printing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/calls/call_values.h"
#include "compute/simt/operations/memory/addressing.h"
#include "compute/text.h"

namespace lanescope::simt {

namespace {

// Maximum number of bytes that a thread prints in one printf, and maximum field width: a format may
// specify any number of wide fields, and a string may lack a terminator.
constexpr std::size_t max_text_bytes = std::size_t{64} << 10;

// Reads a lane's memory at generic addresses, with the same checks as any load.
class Reader {
public:
    Reader(Executor& x, const Instruction& in, int lane) : x_(x), in_(in), lane_(lane) {}

    void read(Address address, void* to, std::size_t bytes)
    {
        auto* next = static_cast<std::byte*>(to);
        while (bytes > 0) {
            const auto found = bytes_from(address).first(bytes);
            next = std::copy(found.begin(), found.end(), next);
            address += found.size();
            bytes -= found.size();
        }
    }

    // Reads a string up to its terminator, or up to `max_bytes` bytes.
    std::string string(Address address, std::size_t max_bytes)
    {
        std::string text;
        while (text.size() < max_bytes) {
            const auto found = bytes_from(address + text.size()).first(max_bytes - text.size());
            const auto end = std::ranges::find(found, std::byte{0});
            text.append(reinterpret_cast<const char*>(found.data()),
                        static_cast<std::size_t>(end - found.begin()));
            if (end != found.end()) break;
        }
        return text;
    }

private:
    // A std::span whose first() accepts counts beyond the end.
    class Bytes : public std::span<const std::byte> {
    public:
        using std::span<const std::byte>::span;
        Bytes first(std::size_t max_bytes) const { return {data(), std::min(size(), max_bytes)}; }
    };

    // Bytes from an address to the end of the memory that contains it; at least one.
    Bytes bytes_from(Address address)
    {
        Access access;
        access.width_bytes = 1;
        access.cache = static_cast<std::uint32_t>(x_.hits.size() - 1);
        Addresses at;
        at.lane.fill(address);
        at.low = at.all_bits = address;
        at.high = address + 1;
        ptx::Space space = ptx::Space::none;
        resolve_lowest_lane_space(x_, at, 1u << lane_, 1, space);
        const Reach found = reach(x_, in_, access, space, at, 1u << lane_);
        const Address end =
            space == ptx::Space::global ? found.allocation->end : space_extent(x_, space).end;
        return {reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(found.base) +
                                                   found.offsets[lane_]),
                static_cast<std::size_t>(end - at.lane[static_cast<std::size_t>(lane_)])};
    }

    Executor& x_;
    const Instruction& in_;
    int lane_;
};

// One conversion specification, "%-8.3f", and its argument in the buffer.
struct Conversion {
    std::string text; // without its length and kind
    std::size_t precision = max_text_bytes;
    char kind = 0;
    bool wide = false;       // takes a 64-bit integer
    std::string_view narrow; // "h" or "hh": the integer is truncated
    bool understood = true;
};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// A width or precision: a number, or `*` for the next argument, which `take_number` reads.
template <class TakeNumber>
int take_extent(const std::string& format, std::size_t& at, TakeNumber take_number)
{
    constexpr int widest = max_text_bytes;
    if (at < format.size() && format[at] == '*') {
        ++at;
        return std::clamp(take_number(), -widest, widest);
    }
    int number = 0;
    for (; at < format.size() && is_digit(format[at]); ++at)
        number = std::min(10 * number + (format[at] - '0'), widest);
    return number;
}

// %[flags][width][.precision][length]kind; a `*` in any other position is invalid.
template <class TakeNumber>
Conversion take_conversion(const std::string& format, std::size_t& at, TakeNumber take_number)
{
    Conversion conversion;
    std::string& text = conversion.text;
    const auto is_one_of = [&](const char* letters) {
        return at < format.size() && format[at] != 0 && std::strchr(letters, format[at]) != nullptr;
    };
    text = format[at++];
    for (; is_one_of("-+ #0"); ++at)
        if (text.find(format[at]) == std::string::npos) text += format[at];
    if (const int width = take_extent(format, at, take_number); width != 0)
        text += std::to_string(width);
    if (is_one_of(".")) {
        ++at;
        // A negative precision counts as none.
        if (const int precision = take_extent(format, at, take_number); precision >= 0) {
            text += '.' + std::to_string(precision);
            conversion.precision = static_cast<std::size_t>(precision);
        }
    }
    conversion.understood = !is_one_of("*");
    int longs = 0;
    std::size_t shorts = 0;
    for (; is_one_of("hlzjtL"); ++at) {
        longs += format[at] != 'h';
        shorts += format[at] == 'h';
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

// Formats the text that a lane prints in one call.
class Formatter {
public:
    Formatter(Executor& x, const Instruction& in, int lane)
        : x_(x), in_(in), lane_(lane), reader_(x, in, lane)
    {
    }

    Printed print(Address format_at, Address arguments)
    {
        next_ = arguments;
        const std::string format = reader_.string(format_at, max_text_bytes);
        std::string& out = printed_.text;
        for (std::size_t at = 0; at < format.size() && out.size() <= max_text_bytes;) {
            if (format[at] != '%') {
                out += format[at++];
                continue;
            }
            const std::size_t begin = at;
            if (++conversions_ % 64 == 0) stop_when_due(x_, in_, lane_);
            const Conversion one = take_conversion(format, at, [this] { return take<int>(); });
            if (one.understood) {
                out += converted(one);
                continue;
            }
            cut(fmt::format("\"{}\" is not a conversion that printf has",
                            printable(format.substr(begin, at - begin))));
            return std::move(printed_);
        }
        if (format.size() == max_text_bytes || out.size() > max_text_bytes) {
            out.resize(std::min(out.size(), max_text_bytes));
            cut(fmt::format("one printf can print at most {} bytes", max_text_bytes));
        }
        return std::move(printed_);
    }

private:
    template <class T>
    T take()
    {
        T value{};
        next_ = (next_ + sizeof value - 1) / sizeof value * sizeof value;
        reader_.read(next_, &value, sizeof value);
        next_ += sizeof value;
        ++printed_.arguments;
        return value;
    }

    std::string converted(const Conversion& one)
    {
        switch (one.kind) {
        case '%': return "%";
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (one.wide) return formatted(one.text + "ll" + one.kind, take<long long>());
            return formatted(one.text + std::string(one.narrow) + one.kind, take<int>());
        case 'c': return formatted(one.text + 'c', take<int>());
        case 'p': return fmt::format("{:#x}", take<Address>());
        case 's': {
            const auto from = take<Address>();
            const std::size_t max_bytes = std::min(one.precision, max_text_bytes + 1);
            return formatted(one.text + 's', reader_.string(from, max_bytes).c_str());
        }
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': return formatted(one.text + one.kind, take<double>());
        default: return one.text + one.kind; // not supported by CUDA: printed as is
        }
    }

    void cut(const std::string& why) { printed_.text += fmt::format("… (cut: {})\n", why); }

    Executor& x_;
    const Instruction& in_;
    int lane_;
    Reader reader_;
    Address next_ = 0;
    unsigned conversions_ = 0;
    Printed printed_;
};

} // namespace

void print(Executor& x, const Instruction& in, const Call& call, std::uint32_t mask)
{
    std::string all;
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        stop_when_due(x, in, lane);
        const Printed printed = Formatter(x, in, lane)
                                    .print(call_argument<Address>(x, call, 0, lane),
                                           call_argument<Address>(x, call, 1, lane));
        all += printed.text;
        write_result(x, call, lane, printed.arguments);
    }
    if (x.launch.print) x.launch.print(all);
}

void throw_assertion(Executor& x, const Instruction& in, const Call& call, int lane)
{
    Reader reader(x, in, lane);
    constexpr std::size_t longest = 1000;
    const std::string condition = reader.string(call_argument<Address>(x, call, 0, lane), longest);
    x.fault(in, "assertion", lane, 0, fmt::format("fails the assertion '{}'", condition));
}

} // namespace lanescope::simt
