// One function per kind of statement. Statements are usually valid and occasionally wrong in one
// place, so that most kernels run for a while before they fault.
#include "tests/unit/launches/drawn_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

template <class T, std::size_t count>
const T& one_of(Random& random, const std::array<T, count>& list)
{
    return list[below(random, count)];
}

using Names = std::array<std::string_view, 3>;

constexpr std::string_view header = R"(.version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 n);
)";

constexpr std::string_view registers = R"(    .reg .pred %p<8>;
    .reg .b16 %h<4>;
    .reg .b32 %r<20>, %t<3>;
    .reg .f32 %f<12>;
    .reg .f64 %d<4>;
    .reg .b64 %rd<12>, %g<3>, %s<3>, %l<3>, %c<3>, %y<3>;
)";

class Drawer {
public:
    explicit Drawer(Random& random) : random_(random) {}

    std::string draw()
    {
        shared_bytes_ = size_of({256, 1536, 2048, 4096});
        local_bytes_ = size_of({48, 128, 256});
        constant_bytes_ = size_of({64, 256, 1536});
        argument_bytes_ = size_of({4, 8, 24, 40});
        std::string text(header);
        text += module_variables();
        text += device_function();
        text += fmt::format(
            ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 o, .param "
            ".u64 surface, .param .u64 texture, .param .u32 n{}){}\n{{\n{}",
            one_in(8) ? fmt::format(", .param .align 8 .b8 more[{}]", size_of({4, 8, 32})) : "",
            directives(), registers);
        add(".shared .align {} .b8 tile[{}];", alignment(), shared_bytes_);
        add(".local .align {} .b8 own[{}];", alignment(), local_bytes_);
        begin();
        statements(4 + number_below(10), 0);
        end();
        return text + body_ + "    ret;\n}\n";
    }

private:
    // --- Probabilities and numbers ---

    std::uint64_t number_below(std::uint64_t limit) { return below(random_, limit); }
    bool one_in(std::uint64_t chances) { return number_below(chances) == 0; }

    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        body_ += "    " + fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
    }

    std::uint64_t size_of(std::initializer_list<std::uint64_t> usual)
    {
        if (one_in(200)) return border(random_);
        return *(usual.begin() + number_below(usual.size()));
    }

    std::string alignment()
    {
        static constexpr std::array<std::string_view, 6> wild{"1",     "2",       "512",
                                                              "65536", "1048576", "2147483648"};
        return std::string(one_in(120) ? one_of(random_, wild) : "16");
    }

    std::string text_of(std::uint64_t bits)
    {
        if (one_in(4)) return fmt::format("{:#x}", bits);
        return fmt::format("{}", static_cast<std::int64_t>(bits));
    }

    // Offset that follows a register or name, such as "+8" or "+-8".
    std::string offset(std::uint64_t width, std::uint64_t reach = 64)
    {
        std::uint64_t bits = number_below(reach / width + 1) * width;
        if (one_in(100)) bits = std::uint64_t{0} - bits;
        if (one_in(200)) bits += 1 + number_below(8);
        if (one_in(80)) bits = border(random_);
        return "+" + text_of(bits);
    }

    // Offset of a word in a call argument. The parser rejects offsets past the argument's end.
    std::string argument_offset()
    {
        if (one_in(60)) return offset(4, 64);
        const std::uint64_t words = std::clamp<std::uint64_t>(argument_bytes_ / 4, 1, 8);
        return fmt::format("+{}", 4 * number_below(words));
    }

    std::string wide_number()
    {
        return text_of(one_in(5) ? border(random_) : number_below(256) * 4);
    }
    std::string word_number()
    {
        return fmt::format(
            "{}", static_cast<std::uint32_t>(one_in(4) ? border(random_) : number_below(128)));
    }

    // --- Registers ---

    std::string word() { return fmt::format("%r{}", number_below(16)); }
    std::string set_word() { return fmt::format("%r{}", 4 + number_below(12)); }
    std::string wide() { return fmt::format("%rd{}", number_below(10)); }
    std::string real() { return fmt::format("%f{}", number_below(8)); }
    std::string predicate() { return fmt::format("%p{}", number_below(6)); }
    std::string guard()
    {
        if (!one_in(5)) return "";
        return fmt::format("@{}{} ", one_in(2) ? "!" : "", predicate());
    }

    struct Place {
        std::string_view space; // ".global" for example; empty: generic
        std::string address;
    };
    Place place()
    {
        switch (number_below(16)) {
        case 0:
        case 1:
        case 2:
        case 3: return {".shared", fmt::format("%s{}", number_below(3))};
        case 4: return {".shared", fmt::format("%t{}", number_below(3))};
        case 5:
        case 6: return {".local", fmt::format("%l{}", number_below(3))};
        case 7: return {".const", fmt::format("%c{}", number_below(3))};
        case 8:
        case 9: return {"", fmt::format("%y{}", number_below(3))};
        default: return {".global", fmt::format("%g{}", number_below(3))};
        }
    }
    std::string any_address()
    {
        static constexpr std::array<std::string_view, 5> kinds{"g", "s", "l", "c", "y"};
        return fmt::format("%{}{}", one_of(random_, kinds), number_below(3));
    }

    // --- Declarations and calls around the statements ---

    std::string module_variables()
    {
        std::string text;
        for (int i = 0; i < 3; ++i)
            text += fmt::format(".global .align 1 .b8 format{}[] = {{{}}};\n", i, format());
        text += fmt::format(".const .align {} .b8 fixed[{}] = {{1, 2, 3, 4, 5, 6, 7, 8}};\n",
                            alignment(), constant_bytes_);
        text += fmt::format(".global .align 8 .u64 table[4] = {{fixed{}, generic(fixed){}, "
                            "generic(space){}, space{}}};\n",
                            offset(8), offset(8), offset(8), offset(8));
        text =
            fmt::format(".global .align {} .b8 space[{}];\n", alignment(), size_of({16, 64, 256})) +
            text;
        if (one_in(3)) text += ".extern .shared .align 16 .b8 dynamic[];\n", has_dynamic_ = true;
        return text;
    }

    // Bytes of a printf format, usually with a terminator.
    std::string format()
    {
        static constexpr std::array<std::string_view, 9> usual{
            "%d %s\n",   "%s%s%s",   "%.3s|%5s\n", "%8.3f",      "%.0s%.0s",
            "%hhd %lld", "%#-+ 08x", "%%%c%p",     "%lu %lu %lu"};
        // Invalid formats, and formats with fields that are thousands of bytes wide.
        static constexpr std::array<std::string_view, 8> wild{
            "%***d",   "%*d|%.*f", "%99999999d", "%*.*lld",
            "%1.2.3d", "%.99999f", "%-*s|%*s|",  "%2147483648d%s"};
        const auto some = [&] {
            return one_in(8) ? one_of(random_, wild) : one_of(random_, usual);
        };
        std::string text(some());
        while (one_in(3)) text += some();
        std::string bytes;
        for (const char c : text) bytes += fmt::format("{}, ", int{c});
        return bytes + (one_in(6) ? "65" : "0");
    }

    std::string directives()
    {
        std::string text;
        if (one_in(40)) text += fmt::format(" .maxntid {}, {}", word_number(), word_number());
        if (one_in(60)) text += fmt::format(" .reqntid {}", word_number());
        if (one_in(20)) text += " .minnctapersm 1";
        return text;
    }

    std::string device_function()
    {
        return fmt::format(R"(.func (.param .b32 back) f(.param .align 8 .b8 a[{0}], .param .b64 w)
{{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .local .align 8 .b8 mine[{1}];
    ld.param.b32 %r1, [a{2}];
    ld.param.b64 %rd1, [w];
    mov.u64 %rd2, mine;
    st.local.b32 [%rd2{3}], %r1;
    ld.local.b32 %r2, [%rd2{3}];
    add.u32 %r1, %r1, %r2;
    st.param.b32 [back], %r1;
    ret;
}}
)",
                           argument_bytes_, size_of({16, 32}), argument_offset(), offset(4, 12));
    }

    void begin()
    {
        body_ += R"(    ld.param.u64 %g0, [p];
    ld.param.u64 %g1, [q];
    ld.param.u64 %g2, [o];
    ld.param.u64 %rd8, [surface];
    ld.param.u64 %rd9, [texture];
    ld.param.u32 %r3, [n];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %laneid;
    mov.u64 %s0, tile;
    mov.u64 %l0, own;
    mov.u64 %c0, fixed;
)";
        add("and.b32 %r4, %r0, 63;");
        const int stride = one_in(3) ? 4 : 16;
        add("mul.wide.u32 %rd0, %r4, {};", one_in(30) ? word_number() : fmt::format("{}", stride));
        add("mul.wide.u32 %rd1, %r4, {};", one_in(2) ? 0 : stride);
        for (const std::string_view name : {"g0", "g1", "g2", "s0"})
            add("add.u64 %{}, %{}, %rd{};", name, name, one_in(3) ? 1 : 0);
        add("mov.u64 %s1, {};", has_dynamic_ ? "dynamic" : "tile");
        add("add.u64 %s2, %s0, {};", number_below(8) * 16);
        add("add.u64 %l1, %l0, {};", number_below(2) * 16);
        add("mov.u64 %l2, %l0;");
        add("add.u64 %c1, %c0, {};", number_below(2) * 16);
        add("add.u64 %c2, %c0, %rd1;");
        add("cvta.shared.u64 %y0, %s0;");
        const bool own = one_in(2);
        add("cvta.{} %y1, {};", own ? "local.u64" : "const.u64", own ? "%l0" : "%c0");

        for (int i = 0; i < 3; ++i) add("cvt.u32.u64 %t{}, %s{};", i, i);
        add("setp.eq.u32 %p0, %r2, {};", number_below(32));
        add("selp.b64 %y2, %g0, %y0, %p0;");
        add("setp.lt.u32 %p1, %r0, {};", number_below(64));
        add("setp.eq.u32 %p2, %r1, {};", number_below(3));
        add("and.b32 %r5, %r0, 1;");
        add("setp.ne.u32 %p3, %r5, 0;");
        add("setp.gt.u32 %p4, %r0, {};", 1000);
        add("setp.lt.u32 %p5, %r0, {};", 1000);
        add("cvt.rn.f32.u32 %f1, %r0;");
        for (int i = 6; i < 16; ++i)
            if (!one_in(50)) add("mov.u32 %r{}, {};", i, word_number());
        for (int i = 2; i < 8; ++i)
            if (!one_in(50)) add("mov.u64 %rd{}, {};", i, wide_number());
        for (const int i : {0, 2, 3, 4, 5, 6, 7})
            if (!one_in(50)) add("mov.f32 %f{}, 0f3F800000;", i);
        // Initialises shared memory; the contents do not matter.
        if (!one_in(4)) {
            add("mov.u64 %rd10, tile;");
            for (std::uint64_t at = 0; at + 16 <= std::min<std::uint64_t>(shared_bytes_, 2048);
                 at += 16)
                if (at < 256) add("st.shared.v4.u32 [%rd10+{}], {{%r6, %r6, %r7, %r7}};", at);
            add("bar.sync 0;");
        }
    }

    // Stores the registers' values to the output.
    void end()
    {
        add("ld.param.u64 %g2, [o];");
        add("mad.lo.u32 %r5, %r1, 64, %r4;");
        add("mul.wide.u32 %rd0, %r5, 8;");
        add("add.u64 %g2, %g2, %rd0;");
        add("xor.b32 %r6, {}, {};", word(), word());
        add("add.u32 %r6, %r6, {};", word());
        add("st.global.u32 [%g2], %r6;");
        add("st.global.f32 [%g2+4], {};", real());
    }

    // --- Statements ---

    void statements(std::uint64_t count, int depth)
    {
        for (; count > 0; --count) statement(depth);
    }

    void statement(int depth)
    {
        switch (number_below(34)) {
        case 0:
        case 1:
        case 2: return arithmetic();
        case 3:
        case 4:
        case 5:
        case 6: return load();
        case 7:
        case 8:
        case 9: return store();
        case 10:
        case 11:
        case 12: return loads_together();
        case 13: return atomic();
        case 14:
        case 15: return move_address();
        case 16: return part_addresses();
        case 17: return far_and_back();
        case 18:
        case 19:
        case 20:
            if (depth < 2) return loop(depth);
            return load();
        case 21:
        case 22:
            if (depth < 3) return branch(depth);
            return store();
        case 23: return lanes();
        case 24: return wait(depth);
        case 25: return copy();
        case 26: return matrix();
        case 27: return image();
        case 28: return print();
        case 29: return call();
        case 30: return heap();
        case 31: return barrier_object();
        case 32: return parameters();
        default: return rare();
        }
    }

    void arithmetic()
    {
        static constexpr std::array<std::string_view, 12> words{
            "add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32",  "xor.b32",
            "min.s32", "max.u32", "shl.b32",    "shr.s32", "div.u32", "rem.s32"};
        static constexpr std::array<std::string_view, 7> wides{
            "add.s64", "sub.u64", "mul.lo.u64", "and.b64", "xor.b64", "shl.b64", "shr.u64"};
        switch (number_below(6)) {
        case 0:
        case 1:
            return add("{}{} {}, {}, {};", guard(), one_of(random_, words), set_word(), word(),
                       one_in(2) ? word() : word_number());
        case 2: {
            const std::string_view operation = one_of(random_, wides);
            const bool shifts = operation.starts_with("sh");
            return add("{}{} {}, {}, {};", guard(), operation, wide(), wide(),
                       shifts      ? word()
                       : one_in(2) ? wide()
                                   : wide_number());
        }
        case 3:
            return add("setp.{}.{} {}, {}, {};", one_in(2) ? "lt" : "ne", one_in(2) ? "s32" : "u32",
                       predicate(), word(), word());
        case 4: return add("{}fma.rn.f32 {}, {}, {}, {};", guard(), real(), real(), real(), real());
        default: return add("cvt.{} {}, {};", one_in(2) ? "u64.u32" : "s64.s32", wide(), word());
        }
    }

    struct Width {
        std::string_view type;
        int bytes;
        int elements;
        char file; // kind of its registers: r, d (rd) or f
    };
    // Number of bytes from a place's address to the end of its memory.
    static std::uint64_t reach(const Place& place)
    {
        const char kind = place.address[1];
        return kind == 'l' || kind == 'c' ? 16 : kind == 'y' ? 32 : 64;
    }
    std::string offset(const Place& place, const Width& width)
    {
        const auto bytes = static_cast<std::uint64_t>(width.bytes);
        return offset(bytes, reach(place) - std::min(bytes, reach(place)));
    }
    const Width& width()
    {
        static constexpr std::array<Width, 12> widths{{{".u32", 4, 1, 'r'},
                                                       {".u32", 4, 1, 'r'},
                                                       {".f32", 4, 1, 'f'},
                                                       {".u64", 8, 1, 'd'},
                                                       {".v2.u32", 8, 2, 'r'},
                                                       {".v4.u32", 16, 4, 'r'},
                                                       {".u8", 1, 1, 'r'},
                                                       {".s16", 2, 1, 'r'},
                                                       {".v2.u64", 16, 2, 'd'},
                                                       {".v4.f32", 16, 4, 'f'},
                                                       {".v4.u64", 32, 4, 'd'},
                                                       {".v8.b32", 32, 8, 'r'}}};
        return widths[number_below(one_in(6) ? 12 : one_in(3) ? 8 : 3)];
    }
    std::string values(const Width& width)
    {
        const auto one = [&] {
            return width.file == 'r'   ? set_word()
                   : width.file == 'f' ? real()
                                       : fmt::format("%rd{}", number_below(8));
        };
        if (width.elements == 1) return one();
        std::string list = "{" + one();
        for (int i = 1; i < width.elements; ++i) list += ", " + one();
        return list + "}";
    }

    void load()
    {
        const Width& of = width();
        const Place from = place();
        const bool ordered = one_in(20) && of.elements == 1;
        add("{}ld{}{}{} {}, [{}{}];", guard(), ordered ? ".volatile" : "", from.space, of.type,
            values(of), from.address, offset(from, of));
    }

    void store()
    {
        const Width& of = width();
        Place to = place();
        if (to.space == ".const" && !one_in(20)) to = {".global", "%g2"};
        add("{}st{}{} [{}{}], {};", guard(), to.space, of.type, to.address, offset(to, of),
            values(of));
    }

    // Several loads relative to one register, which the machine checks as a batch.
    void loads_together()
    {
        const Width& of = width();
        const Place from = place();
        const std::uint64_t count = 2 + number_below(4);
        const bool far = one_in(16);
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool at_border = far && one_in(2);
            add("ld{}{} {}, [{}{}];", from.space, of.type, values(of), from.address,
                at_border ? "+" + text_of(border(random_)) : offset(from, of));
            if (one_in(3)) arithmetic();
        }
    }

    // Loads whose base is far outside the buffer and whose offsets lead back into it.
    void far_and_back()
    {
        const Width& of = width();
        const Place from = place();
        // An offset that needs more than 32 bits faults, so most bases are closer than that.
        static constexpr std::array<std::uint64_t, 3> corners{
            std::uint64_t{1} << 32, std::uint64_t{1} << 63, std::uint64_t{1} << 63};
        const bool far = one_in(6);
        const std::uint64_t bytes = static_cast<std::uint64_t>(of.bytes);
        const std::uint64_t before = (1 + number_below(3)) * bytes; // distance from the corner
        const std::uint64_t away = far ? one_of(random_, corners) + before
                                       : (std::uint64_t{1} << 31) - 16 * number_below(64);
        const bool narrow = from.address.starts_with("%t");
        add("add.{} {}, {}, {};", narrow ? "u32" : "u64", from.address, from.address,
            narrow ? fmt::format("{}", static_cast<std::uint32_t>(away)) : text_of(away));
        for (std::uint64_t i = 0, count = 2 + number_below(4); i < count; ++i) {
            std::uint64_t on = number_below((reach(from) - 1) / bytes + 1) * bytes;
            if (far) on = before - number_below(2) * bytes; // at the corner or just before it
            if (one_in(far ? 4 : 40)) on = border(random_);
            const auto back = static_cast<std::int64_t>(on - away);
            if (one_in(8))
                add("st{}{} [{}+{}], {};", from.space, of.type, from.address, back, values(of));
            else
                add("ld{}{} {}, [{}+{}];", from.space, of.type, values(of), from.address, back);
        }
        add("sub.{} {}, {}, {};", narrow ? "u32" : "u64", from.address, from.address,
            narrow ? fmt::format("{}", static_cast<std::uint32_t>(away)) : text_of(away));
    }

    void move_address()
    {
        const std::string address = any_address();
        const std::uint64_t by = one_in(16) ? border(random_) : number_below(4) * 16;
        add("{}add.u64 {}, {}, {};", guard(), address, address, text_of(by));
    }

    // Lanes that access unrelated addresses, all of which are shifted in some blocks.
    void part_addresses()
    {
        const Place at = place();
        if (at.address.starts_with("%t")) return move_address();
        const Width& of = width();
        // Addresses on both sides of a corner, where sums overflow, or shifted from it to 0.
        static constexpr std::array<std::uint64_t, 6> corners{
            std::uint64_t{1} << 63, std::uint64_t{1} << 63, std::uint64_t{1} << 63,
            std::uint64_t{1} << 47, std::uint64_t{1} << 32, std::uint64_t{1} << 31};
        const std::uint64_t corner = one_in(4) ? one_of(random_, corners) : 0;
        const auto near = [&] {
            if (one_in(16)) return text_of(border(random_));
            if (corner == 0) return text_of(16 * number_below(4));
            return text_of(corner + (number_below(3) - 1) * static_cast<std::uint64_t>(of.bytes));
        };
        const std::string to_zero = text_of(std::uint64_t{0} - corner);
        const bool first = one_in(2);
        add("selp.b64 %rd10, {}, {}, {};", near(), near(), one_in(2) ? "%p0" : predicate());
        add("selp.b64 %rd11, {}, {}, %p2;", first ? "0" : to_zero, first ? to_zero : "0");
        add("add.u64 %rd10, %rd10, %rd11;");
        if (at.space != ".shared" || one_in(4)) add("add.u64 %rd10, %rd10, {};", at.address);
        const auto offset_text = [&] { return corner != 0 && !one_in(4) ? "" : offset(at, of); };
        add("{}ld{}{} {}, [%rd10{}];", guard(), at.space, of.type, values(of), offset_text());
        if (one_in(2) && at.space != ".const")
            add("st{}{} [%rd10{}], {};", at.space, of.type, offset_text(), values(of));
    }

    void atomic()
    {
        static constexpr std::array<std::string_view, 8> operations{
            "add.u32", "max.s32", "and.b32", "exch.b32",
            "inc.u32", "add.f32", "min.u64", "cas.b32"};
        const std::string_view operation = one_of(random_, operations);
        Place at = place();
        if (at.space == ".local" || at.space == ".const") at = {".global", "%g2"};
        if (at.address == "%y1" && !one_in(20)) at.address = "%y0";
        const bool long_one = operation.ends_with("64");
        const bool f = operation == "add.f32";
        const std::string value = long_one ? wide() : f ? real() : word();
        const std::string address = fmt::format("[{}{}]", at.address, offset(long_one ? 8 : 4));
        if (one_in(2) && operation != "exch.b32" && operation != "cas.b32")
            return add("{}red{}.{} {}, {};", guard(), at.space, operation, address, value);
        add("{}atom{}.{} {}, {}, {}{};", guard(), at.space, operation,
            long_one ? fmt::format("%rd{}", number_below(8))
            : f      ? real()
                     : set_word(),
            address, value, operation == "cas.b32" ? ", " + word() : "");
    }

    void loop(int depth)
    {
        const int number = label_++;
        const std::string counter = fmt::format("%r{}", 16 + depth);
        const std::string again = fmt::format("%p{}", 6 + depth);
        add("mov.u32 {}, 0;", counter);
        body_ += fmt::format("loop{}:\n", number);
        statements(1 + number_below(4), depth + 1);
        const std::string address = any_address();
        if (one_in(2))
            add("add.u64 {}, {}, {};", address, address,
                text_of(one_in(20) ? border(random_) : number_below(3) * 16));
        add("add.u32 {}, {}, 1;", counter, counter);
        add("setp.lt.u32 {}, {}, {};", again, counter,
            one_in(40) ? fmt::format("{}", word()) : fmt::format("{}", 2 + number_below(12)));
        add("@{} bra loop{};", again, number);
    }

    void branch(int depth)
    {
        const int number = label_++;
        if (one_in(5)) {
            add("and.b32 %r18, {}, 1;", word());
            if (one_in(40)) add("mov.u32 %r18, {};", word_number());
            add("cases{}: .branchtargets one{}, other{};", number, number, number);
            add("brx.idx %r18, cases{};", number);
            body_ += fmt::format("one{}:\n", number);
            statements(1 + number_below(3), depth + 1);
            body_ += fmt::format("other{}:\n", number);
            return;
        }
        add("@{}{} bra past{};", one_in(2) ? "!" : "", predicate(), number);
        statements(1 + number_below(3), depth + 1);
        if (one_in(3)) {
            add("bra end{};", number);
            body_ += fmt::format("past{}:\n", number);
            statements(1 + number_below(2), depth + 1);
            body_ += fmt::format("end{}:\n", number);
        } else {
            body_ += fmt::format("past{}:\n", number);
        }
    }

    void lanes()
    {
        const std::string mask = one_in(20) ? word_number() : "0xffffffff";
        switch (number_below(5)) {
        case 0:
            return add("shfl.sync.{}.b32 {}, {}, {}, {}, {};", one_in(2) ? "idx" : "up", set_word(),
                       word(), one_in(2) ? "1" : word(), one_in(2) ? "31" : word(), mask);
        case 1: return add("vote.sync.ballot.b32 {}, {}, {};", set_word(), predicate(), mask);
        case 2: return add("match.any.sync.b32 {}, {}, {};", set_word(), word(), mask);
        case 3: return add("redux.sync.add.u32 {}, {}, {};", set_word(), word(), mask);
        default: return add("{}bar.warp.sync {};", guard(), mask);
        }
    }

    void wait(int depth)
    {
        if (one_in(3)) return add("membar.{};", one_in(2) ? "cta" : "gl");
        if (depth > 0 && !one_in(4)) return arithmetic();
        if (one_in(20)) return add("{}bar.sync {};", guard(), one_in(2) ? word() : word_number());
        add("bar.sync 0;");
    }

    void copy()
    {
        static constexpr std::array<int, 3> sizes{4, 8, 16};
        const auto bytes = static_cast<std::uint64_t>(one_of(random_, sizes));
        add("{}cp.async.{}.shared.global [%s{}{}], [%g{}{}], {}{};", guard(), "ca", number_below(3),
            offset(bytes), number_below(3), offset(bytes), bytes, one_in(4) ? ", " + word() : "");
        if (one_in(2)) add("cp.async.commit_group;");
        if (one_in(2)) add("cp.async.wait_all;");
        if (one_in(4)) add("cp.async.wait_group {};", one_in(4) ? word_number() : "0");
    }

    std::string stride()
    {
        if (one_in(12)) return word_number();
        return one_in(12) ? word() : fmt::format("{}", 8 * (1 + number_below(4)));
    }

    void matrix()
    {
        const Place at = one_in(2) ? Place{".shared", fmt::format("%s{}", number_below(3))}
                                   : Place{".global", fmt::format("%g{}", number_below(3))};
        const std::string where = fmt::format("[{}{}]", at.address, offset(16));
        switch (number_below(5)) {
        case 0:
            return add("ldmatrix.sync.aligned.m8n8.x4{}.shared.b16 {{%r8, %r9, %r10, %r11}}, "
                       "[%s0{}];",
                       one_in(2) ? ".trans" : "", offset(16));
        case 1:
            return add("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s0{}], {{%r8, %r9}};",
                       offset(16));
        case 2:
            return add("wmma.load.a.sync.aligned.{}.m16n16k16{}.f16 {{%r4, %r5, %r6, %r7, %r8, "
                       "%r9, %r10, %r11}}, {}, {};",
                       one_in(2) ? "row" : "col", at.space, where, stride());
        case 3:
            return add("wmma.store.d.sync.aligned.{}.m16n16k16{}.f32 {}, {{%f0, %f1, %f2, %f3, "
                       "%f4, %f5, %f6, %f7}}, {};",
                       one_in(2) ? "row" : "col", at.space, where, stride());
        default:
            return add("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f0, %f1, %f2, %f3}}, "
                       "{{%r4, %r5}}, {{%r6}}, {{%f4, %f5, %f6, %f7}};");
        }
    }

    std::string coordinate()
    {
        if (one_in(3)) return word_number();
        return one_in(3) ? word() : fmt::format("{}", number_below(20));
    }

    void image()
    {
        static constexpr Names edges{"trap", "clamp", "zero"};
        const std::string_view edge = one_in(12) ? edges[0] : edges[1 + number_below(2)];
        const std::string at = fmt::format("{{{}, {}}}", coordinate(), coordinate());
        switch (number_below(7)) {
        case 0: return add("{}suld.b.2d.b32.{} {{{}}}, [%rd8, {}];", guard(), edge, set_word(), at);
        case 1: return add("suld.b.2d.v4.b32.{} {{%r8, %r9, %r10, %r11}}, [%rd8, {}];", edge, at);
        case 2:
            if (one_in(10))
                return add("suld.b.2d.v4.b64.{} {{%rd0, %rd1, %rd2, %rd3}}, [%rd8, {}];", edge, at);
            return add("suld.b.2d.v2.b64.{} {{%rd0, %rd1}}, [%rd8, {}];", edge, at);
        case 3: return add("sust.b.2d.b32.{} [%rd8, {}], {{{}}};", edge, at, word());
        case 4: return add("tex.2d.v4.f32.s32 {{%f0, %f1, %f2, %f3}}, [%rd9, {}];", at);
        case 5:
            return add("tex.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%rd9, {{{}, {}}}];", real(),
                       real());
        default:
            return add("suld.b.3d.b32.{} {{{}}}, [%rd8, {{{}, {}, {}, {}}}];", edge, set_word(),
                       coordinate(), coordinate(), coordinate(), coordinate());
        }
    }

    void print()
    {
        static constexpr Names sizes{"b64", "b32", "b8"};
        const std::string_view size = one_in(12) ? one_of(random_, sizes) : sizes[0];
        add("st.local.u32 [%l0], {};", word());
        add("st.local.u64 [%l0+8], {};", one_in(2) ? "%rd7" : "%g0");
        add("mov.u64 %rd10, format{};", number_below(3));
        if (one_in(10)) add("mov.u64 %rd10, {};", any_address());
        add("cvta.local.u64 %rd11, %l0;");
        if (one_in(10)) add("add.u64 %rd11, %rd11, {};", wide_number());
        add("{{ .param .{} a; .param .b64 b; .param .{} r;", size, one_in(6) ? "b8" : "b32");
        add("st.param.{} [a], {};", size, size == "b64" ? "%rd10" : "%r4");
        add("st.param.b64 [b], %rd11;");
        add("{}call (r), vprintf, (a, b); }}", guard());
    }

    void call()
    {
        add("{{ .param .align 8 .b8 a[{}]; .param .b64 w; .param .b32 back;",
            one_in(20) ? size_of({4, 8, 64}) : argument_bytes_);
        add("st.param.b32 [a{}], {};", argument_offset(), word());
        add("st.param.b64 [w], {};", wide());
        if (one_in(3)) {
            add("mov.u64 %rd10, f;");
            if (one_in(16)) add("add.u64 %rd10, %rd10, {};", wide_number());
            add("way{}: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[{}], .param .b64 "
                "_);",
                label_, argument_bytes_);
            add("{}call (back), %rd10, (a, w), way{};", guard(), label_++);
        } else {
            add("{}call (back), f, (a, w);", guard());
        }
        add("ld.param.b32 {}, [back]; }}", set_word());
    }

    void heap()
    {
        const std::string_view size = one_in(10) ? "b8" : "b64";
        add("{{ .param .b64 a; .param .{} b;", size);
        add("st.param.b64 [a], {};", text_of(one_in(4) ? border(random_) : 4 + number_below(64)));
        add("{}call (b), malloc, (a);", guard());
        if (size == "b64") add("ld.param.b64 %y2, [b];");
        add("}}");
        if (one_in(2)) add("st.u32 [%y2{}], {};", offset(4, 12), word());
        if (one_in(2)) {
            add("{{ .param .b64 a;");
            add("st.param.b64 [a], {};", one_in(16) ? any_address() : "%y2");
            add("{}call free, (a); }}", guard());
            if (one_in(10)) add("ld.u32 {}, [%y2{}];", set_word(), offset(4, 16));
            add("cvta.shared.u64 %y2, %s0;");
        }
    }

    void barrier_object()
    {
        const std::string at = fmt::format("[%s1{}]", offset(8));
        add("@%p0 mbarrier.init.shared.b64 {}, {};", at, one_in(10) ? word_number() : "128");
        if (one_in(2)) add("bar.sync 0;");
        add("{}mbarrier.arrive.shared.b64 %rd7, {};", guard(), at);
        if (one_in(2)) add("mbarrier.test_wait.shared.b64 %p3, {}, %rd7;", at);
    }

    void parameters()
    {
        switch (number_below(4)) {
        case 0:
            return add("ld.param.u32 {}, [{}{}];", set_word(), one_in(2) ? "q" : "n",
                       one_in(2) ? "" : offset(4, 1));
        case 1: return add("ld.param.v2.u32 {{%r8, %r9}}, [p{}];", offset(8, 32));
        case 2: return add("ld.param.v4.u32 {{%r8, %r9, %r10, %r11}}, [p{}];", offset(16, 16));
        default:
            add("mov.u64 %rd7, p;");
            return add("ld.param.u32 {}, [%rd7{}];", set_word(), offset(4, 40));
        }
    }

    void rare()
    {
        switch (number_below(9)) {
        case 0: return add("{}exit;", guard());
        case 1: return add("{}ret;", guard());
        case 2: return add("mov.u64 %y1, table; ld.global.u64 %y1, [%y1{}];", offset(8, 24));
        case 3: return add("ld.global.u32 {}, [space{}];", set_word(), offset(4));
        case 4: return add("st.shared.u32 [tile{}], {};", offset(4), word());
        case 5: return add("ld.local.u32 {}, [own{}];", set_word(), offset(4, 16));
        case 6:
            return add("ld.{}.u32 {}, [{}];", one_in(2) ? "shared" : "local", set_word(),
                       text_of(one_in(8) ? border(random_) : 4 * number_below(10)));
        case 7: return add("mov.u64 %s1, tile{};", offset(4));
        default:
            return add("vadd4.s32.s32.s32 %r8{}, %r9, %r10, %r11;",
                       one_in(4) ? fmt::format(".b{}", number_below(8000)) : "");
        }
    }

    Random& random_;
    std::string body_;
    int label_ = 0;
    bool has_dynamic_ = false;
    std::uint64_t shared_bytes_ = 0, local_bytes_ = 0, constant_bytes_ = 0, argument_bytes_ = 0;
};

} // namespace

std::uint64_t border(Random& random)
{
    static constexpr std::array<std::uint64_t, 30> bases{0,
                                                         4,
                                                         16,
                                                         32,
                                                         64,
                                                         128,
                                                         256,
                                                         512,
                                                         1024,
                                                         4096,
                                                         65536,
                                                         0x100100,
                                                         0x100400,
                                                         0x101000,
                                                         1u << 24,
                                                         1u << 28,
                                                         1u << 30,
                                                         1u << 31,
                                                         1u << 31,
                                                         1u << 31,
                                                         std::uint64_t{1} << 32,
                                                         std::uint64_t{1} << 32,
                                                         std::uint64_t{3} << 32,
                                                         std::uint64_t{1} << 33,
                                                         std::uint64_t{1} << 40,
                                                         std::uint64_t{1} << 47,
                                                         std::uint64_t{0x70} << 40,
                                                         std::uint64_t{1} << 62,
                                                         std::uint64_t{1} << 63,
                                                         std::uint64_t{1} << 63};
    std::uint64_t number = bases[below(random, bases.size())];
    if (below(random, 3) == 0) number = std::uint64_t{0} - number;
    const std::uint64_t near = below(random, 8) == 0 ? below(random, 9) : 4 * below(random, 5);
    return below(random, 2) == 0 ? number + near : number - near;
}

DrawnLaunch draw_shape(Random& random)
{
    static constexpr std::array<std::uint32_t, 10> blocks{1, 31, 32, 32, 32, 33, 64, 64, 96, 128};
    static constexpr std::array<std::uint32_t, 5> dynamic{0, 0, 64, 1024, 16384};
    DrawnLaunch launch;
    launch.grid.x = 1 + static_cast<std::uint32_t>(below(random, 4));
    launch.block.x = one_of(random, blocks);
    if (below(random, 8) == 0) launch.block = {8, 8, 1};
    launch.dynamic_shared_bytes = one_of(random, dynamic);
    launch.keep_going = below(random, 2) == 0 ? 8 : 0;
    launch.checked = below(random, 3) == 0;
    launch.counted = launch.keep_going > 0 || below(random, 4) != 0;
    return launch;
}

std::string draw_text(Random& random)
{
    return Drawer(random).draw();
}

namespace {

struct Part {
    std::size_t begin = 0, bytes = 0;
};

// Returns the first word or number after a position in the text.
Part part_after(std::string_view text, std::size_t at, bool number)
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_%$.";
    constexpr std::string_view digits = "0123456789";
    const std::size_t begin = text.find_first_of(number ? digits : letters, at);
    if (begin == std::string_view::npos) return {};
    const std::size_t end = text.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%$.", begin);
    return {begin, std::min(end, text.size()) - begin};
}

Part line_at(std::string_view text, std::size_t at)
{
    const std::size_t before = text.rfind('\n', at);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', begin);
    return {begin, std::min(end, text.size() - 1) + 1 - begin};
}

} // namespace

std::string mutated(std::string text, Random& random)
{
    for (std::uint64_t changes = 1 + below(random, 4); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = below(random, text.size());
        const std::size_t from = below(random, text.size());
        switch (below(random, 6)) {
        case 0:
        case 1: {
            const Part part = part_after(text, at, true);
            const std::uint64_t bits = border(random);
            text.replace(part.begin, part.bytes,
                         below(random, 2) == 0
                             ? fmt::format("{}", bits)
                             : fmt::format("{}", static_cast<std::uint32_t>(bits)));
            break;
        }
        case 2:
        case 3: {
            const Part to = part_after(text, at, false), source = part_after(text, from, false);
            const std::string word = text.substr(source.begin, source.bytes);
            text.replace(to.begin, to.bytes, word);
            break;
        }
        case 4: {
            const Part line = line_at(text, at);
            text.erase(line.begin, line.bytes);
            break;
        }
        default: {
            const Part line = line_at(text, from);
            const std::string copy = text.substr(line.begin, line.bytes);
            text.insert(line_at(text, at).begin, copy);
            break;
        }
        }
    }
    return text;
}

} // namespace lanescope::simt
