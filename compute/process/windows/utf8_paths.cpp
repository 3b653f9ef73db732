// Makes std::filesystem::path convert to and from UTF-8. The C++ library converts with this facet,
// whose own version asks the C library, which knows only the encodings of old Windows programs. The
// linker takes the functions defined here instead; they replace invalid sequences by U+FFFD.
#include <cwchar>
#include <locale>

namespace {

constexpr unsigned replacement = 0xfffd;

bool is_high(unsigned unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

bool is_low(unsigned unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

// Number of bytes of a sequence, by its first byte; 1 for an invalid one.
int sequence_bytes(unsigned char first)
{
    return first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
}

struct Decoded {
    unsigned point = replacement;
    int bytes = 1; // 0: the sequence is incomplete
};

Decoded decode(const char* from, const char* end)
{
    const auto first = static_cast<unsigned char>(*from);
    if (first < 0x80) return {first, 1};
    const int bytes = first >= 0xf8 ? 1 : sequence_bytes(first);
    if (bytes == 1) return {};
    unsigned point = first & (0x7fu >> bytes);
    for (int i = 1; i < bytes; ++i) {
        if (from + i == end) return {replacement, 0};
        const auto next = static_cast<unsigned char>(from[i]);
        if ((next & 0xc0) != 0x80) return {};
        point = point << 6 | (next & 0x3f);
    }
    constexpr unsigned min_point[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < min_point[bytes] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return {};
    return {point, bytes};
}

} // namespace

namespace std {

using Wide = codecvt<wchar_t, char, mbstate_t>;

codecvt_base::result Wide::do_out(state_type&, const intern_type* from, const intern_type* end,
                                  const intern_type*& next, extern_type* to, extern_type* to_end,
                                  extern_type*& to_next) const
{
    next = from;
    to_next = to;
    while (next != end) {
        unsigned point = *next;
        int units = 1;
        if (is_high(point)) {
            if (next + 1 == end) return partial;
            if (is_low(next[1])) {
                point = 0x10000 + ((point - 0xd800) << 10) + (unsigned{next[1]} - 0xdc00);
                units = 2;
            }
        }
        if (units == 1 && (is_high(point) || is_low(point))) point = replacement;
        const int bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        if (to_end - to_next < bytes) return partial;
        constexpr unsigned char first_bits[] = {0, 0, 0xc0, 0xe0, 0xf0};
        for (int i = bytes - 1; i > 0; --i, point >>= 6)
            to_next[i] = static_cast<char>(0x80 | (point & 0x3f));
        *to_next = static_cast<char>(first_bits[bytes] | point);
        to_next += bytes;
        next += units;
    }
    return ok;
}

codecvt_base::result Wide::do_in(state_type&, const extern_type* from, const extern_type* end,
                                 const extern_type*& next, intern_type* to, intern_type* to_end,
                                 intern_type*& to_next) const
{
    next = from;
    to_next = to;
    while (next != end) {
        Decoded found = decode(next, end);
        if (found.bytes == 0) found.bytes = static_cast<int>(end - next); // nothing follows a name
        const int units = found.point < 0x10000 ? 1 : 2;
        if (to_end - to_next < units) return partial;
        if (units == 1) {
            *to_next++ = static_cast<wchar_t>(found.point);
        } else {
            *to_next++ = static_cast<wchar_t>(0xd800 + ((found.point - 0x10000) >> 10));
            *to_next++ = static_cast<wchar_t>(0xdc00 + ((found.point - 0x10000) & 0x3ff));
        }
        next += found.bytes;
    }
    return ok;
}

int Wide::do_encoding() const noexcept
{
    return 0; // sequences differ in length
}

int Wide::do_max_length() const noexcept
{
    return 4;
}

int Wide::do_length(state_type&, const extern_type* from, const extern_type* end,
                    size_t max_units) const
{
    const extern_type* at = from;
    for (size_t units = 0; at != end;) {
        Decoded found = decode(at, end);
        if (found.bytes == 0) found.bytes = static_cast<int>(end - at);
        units += found.point < 0x10000 ? 1 : 2;
        if (units > max_units) break;
        at += found.bytes;
    }
    return static_cast<int>(at - from);
}

} // namespace std
