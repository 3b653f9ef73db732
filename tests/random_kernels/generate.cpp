// Generates programs. To avoid races, every thread has its own slots, totals are only updated by
// order-independent operations, and `exchanged` is stored between two block-wide barriers. To avoid
// undefined values, every register and array is initialised, indices are masked, and lanes read
// only from active lanes.
#include <charconv>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {

namespace {

// Threads that are known to be converged at a statement: the whole block, the whole warp, the lanes
// in a mask, or unknown.
enum class Together : std::uint8_t { block, warp, masked, none };

struct Place {
    Together together = Together::none;
    std::string mask = "%warp_mask"; // mask of the converged lanes
    bool in_function = false;
    bool totals_are_open = true; // the block's totals may be updated
    int depth = 0;
    int loops = 0;             // number of enclosing loops
    int broken = -1;           // the enclosing loop that lanes may leave early; -1: none
    std::size_t functions = 0; // number of functions that may be called
};

// Exclusive bounds: number of functions, statements beyond the minimum, nesting depth.
struct Limits {
    std::size_t functions;
    std::size_t in_function;
    std::size_t in_body;
    std::size_t in_part;
    int depth;
};
constexpr Limits usual{3, 5, 9, 4, 4};
constexpr Limits small{3, 2, 3, 2, 3};

class Drawer {
public:
    Drawer(std::uint64_t seed, Size size)
        : random_(seed), limits_(size == Size::small ? small : usual)
    {
        program_.seed = seed;
        program_.size = size;
    }

    Program draw()
    {
        draw_launch();
        program_.slots_together = one_in(2);
        const std::size_t functions = below(limits_.functions);
        for (std::size_t k = 0; k < functions; ++k) {
            Place place;
            place.in_function = true;
            place.functions = k;
            program_.functions.push_back(block(place, 2 + below(limits_.in_function)));
        }
        Place place;
        place.together = Together::block;
        place.functions = functions;
        program_.body = block(place, 3 + below(limits_.in_body));
        place.together = Together::none;
        place.totals_are_open = false;
        program_.tail = tail(place);
        program_.numbers = number_ + 1;
        return std::move(program_);
    }

private:
    std::size_t below(std::size_t limit) { return (random_() >> 11) % limit; }
    bool one_in(std::size_t n) { return below(n) == 0; }
    std::uint32_t from(std::uint32_t first, std::size_t count)
    {
        return first + static_cast<std::uint32_t>(below(count));
    }
    std::string number_text()
    {
        static constexpr std::uint32_t edges[] = {
            0, 1, 2, 3, 5, 31, 32, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
        return one_in(2) ? fmt::format("{}", edges[below(std::size(edges))])
                         : fmt::format("{}", below(100));
    }

    // Fills in a template from left to right with random choices: $r a register, $q a wide one, $v
    // a register or a number, $<N> a number below N, $(a|b) one of them; $mask and $n as given.
    std::string drawn(std::string_view text, std::string_view mask = {}, int number = 0)
    {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t next = std::min(text.find('$', at), text.size());
            out += text.substr(at, next - at);
            at = next + 1;
            if (next == text.size()) break;
            const std::string_view rest = text.substr(at);
            if (rest.starts_with("mask")) {
                out += mask;
                at += 4;
            } else if (rest[0] == '<' || rest[0] == '(') {
                const std::size_t end = rest.find(rest[0] == '<' ? '>' : ')');
                const std::string chosen = one_of(rest.substr(1, end - 1), rest[0] == '<');
                out += drawn(chosen, mask, number);
                at += end + 1;
            } else {
                switch (rest[0]) {
                case 'r': out += fmt::format("%r{}", below(16)); break;
                case 'q': out += fmt::format("%q{}", below(4)); break;
                case 'n': out += fmt::format("{}", number); break;
                default: out += one_in(5) ? number_text() : fmt::format("%r{}", below(16));
                }
                ++at;
            }
        }
        return out;
    }

    std::string one_of(std::string_view list, bool is_limit)
    {
        if (is_limit) {
            std::size_t limit = 1;
            std::from_chars(list.data(), list.data() + list.size(), limit);
            return fmt::format("{}", below(limit));
        }
        std::vector<std::string_view> words;
        while (true) {
            const std::size_t end = std::min(list.find('|'), list.size());
            words.push_back(list.substr(0, end));
            if (end == list.size()) break;
            list.remove_prefix(end + 1);
        }
        return std::string(words[below(words.size())]);
    }

    // Wraps the text in a scope with its own registers.
    std::string scope(std::string_view text, std::string_view mask = {}, int number = 0)
    {
        return "    {\n" + drawn(text, mask, number) + "    }\n";
    }

    void draw_launch()
    {
        static constexpr std::uint32_t whole[] = {32, 64, 96, 128, 256};
        static constexpr std::uint32_t odd[] = {1, 7, 31, 33, 45, 80, 127, 200};
        Dim3& block = program_.block;
        block = {1, 1, 1};
        switch (below(4)) {
        case 0: block.x = odd[below(std::size(odd))]; break;
        case 1:
            block.x = from(1, 9);
            block.y = from(1, 5);
            block.z = from(1, 4);
            break;
        case 2:
            block.x = 16;
            block.y = 2 * from(1, 4);
            block.z = from(1, 2);
            break;
        default: block.x = whole[below(std::size(whole))];
        }
        whole_warps_ = block.count() % 32 == 0;
        Dim3& grid = program_.grid;
        grid = {1, 1, 1};
        if (one_in(3)) {
            grid.x = from(1, 3);
            grid.y = from(1, 2);
            grid.z = from(1, 2);
        } else {
            grid.x = from(1, 6);
        }
    }

    // ---- statements --------------------------------------------------------------------------

    Block block(const Place& place, std::size_t count)
    {
        Block made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(statement(place));
        return made;
    }

    Block part(const Place& place)
    {
        const std::size_t count = 1 + below(place.depth < 3 ? limits_.in_part : 2);
        return block(place, count);
    }

    Statement statement(const Place& place)
    {
        if (place.depth < limits_.depth && below(100) < (place.depth == 0 ? 40u : 18u)) {
            switch (below(5)) {
            case 0:
            case 1: return choice(place);
            case 2:
            case 3: return place.loops < 2 ? loop(place) : choice(place);
            default: return cases(place);
            }
        }
        Statement made;
        made.number = ++number_;
        made.text = instructions(place, made);
        return made;
    }

    static Place within(const Place& place)
    {
        Place inner = place;
        ++inner.depth;
        return inner;
    }

    std::string comparison(const std::string& predicate)
    {
        if (one_in(6))
            return scope("        .reg .f32 a, b;\n        mov.b32 a, $r;\n        mov.b32 b, $r;\n"
                         "        setp.$(lt|ge|eq|neu|ltu|num|nan).f32 $mask, a, b;\n",
                         predicate);
        if (one_in(3)) // true for half of the values
            return scope("        .reg .b32 a;\n        and.b32 a, $r, $(1|2|4);\n"
                         "        setp.$(eq|ne).u32 $mask, a, 0;\n",
                         predicate);
        return drawn("    setp.$(lt|le|gt|ge|eq|ne).$(u32|s32) $mask, $r, $v;\n", predicate);
    }

    // Sets `to` to a value that is the same in all lanes of the place's mask.
    std::string agreed(const Place& place, const std::string& to)
    {
        return scope("        .reg .b32 leader;\n        brev.b32 leader, $mask;\n"
                     "        bfind.u32 leader, leader;\n        sub.u32 leader, 31, leader;\n"
                     "        shfl.sync.idx.b32 " +
                         to + ", $r, leader, 31, $mask;\n",
                     place.mask);
    }

    // Sets `to` to a value that is the same in the whole block.
    std::string agreed_by_block(const std::string& to)
    {
        switch (below(4)) {
        case 0: return fmt::format("    ld.param.u32 {}, [first];\n", to);
        case 1: return fmt::format("    add.u32 {}, %block, {};\n", to, below(4));
        case 2: return fmt::format("    mov.u32 {}, {};\n", to, below(7));
        default:
            return scope("        .reg .pred some;\n    " + comparison("some") +
                         "        bar.red.popc.u32 " + to + ", 0, some;\n");
        }
    }

    Statement choice(const Place& place)
    {
        Statement made;
        made.kind = Statement::Kind::choice;
        const int n = made.number = ++number_;
        const std::string condition = fmt::format("%c{}", n);
        Place first = within(place), second = first;
        const std::size_t kind = below(4);
        if (place.together == Together::block && kind == 0) {
            made.text =
                agreed_by_block(fmt::format("%n{}", n)) +
                drawn("    and.b32 %n$n, %n$n, $(1|2);\n    setp.ne.u32 %c$n, %n$n, 0;\n", {}, n);
        } else if (place.together != Together::none && kind == 1) {
            made.text = scope("        .reg .pred some;\n    " + comparison("some") +
                                  "        vote.sync.$(any|all).pred %c$n, some, $mask;\n",
                              place.mask, n);
            if (place.together == Together::block)
                first.together = second.together = Together::warp;
        } else if (place.together != Together::none && kind == 2) {
            // The lanes diverge, but the mask of each side is known.
            made.text =
                comparison(condition) +
                fmt::format("    vote.sync.ballot.b32 %m{}, {}, {};\n", n, condition, place.mask);
            first.together = second.together = Together::masked;
            first.mask = fmt::format("%m{}", n);
            second.mask = fmt::format("%m{}", ++number_);
            made.text += fmt::format("    not.b32 {0}, {1};\n    and.b32 {0}, {0}, {2};\n",
                                     second.mask, first.mask, place.mask);
            made.needs_wrapper = true;
        } else {
            made.text = comparison(condition);
            first.together = second.together = Together::none;
        }
        made.parts.push_back(part(first));
        if (one_in(2)) made.parts.push_back(part(second));
        return made;
    }

    Statement loop(const Place& place)
    {
        Statement made;
        made.kind = Statement::Kind::loop;
        const int n = made.number = ++number_;
        const std::string rounds = fmt::format("%n{}", n);
        Place inner = within(place);
        ++inner.loops;
        inner.broken = -1;
        const std::string few = drawn("    and.b32 %n$n, %n$n, $(1|3|3);\n", {}, n);
        if (place.together == Together::block && one_in(3)) {
            made.text = agreed_by_block(rounds) + few;
        } else if (place.together != Together::none && one_in(2)) {
            made.text = agreed(place, rounds) + few;
            if (place.together == Together::block) inner.together = Together::warp;
        } else {
            made.text = drawn("    and.b32 %n$n, $r, $(3|7);\n", {}, n);
            inner.together = Together::none;
            if (one_in(2)) {
                inner.broken = n;
                made.needs_wrapper = true;
            }
        }
        made.tests_first = one_in(2);
        made.parts.push_back(part(inner));
        return made;
    }

    Statement cases(const Place& place)
    {
        Statement made;
        made.kind = Statement::Kind::cases;
        const int n = made.number = ++number_;
        Place inner = within(place);
        const std::size_t count = 2 + below(4);
        const std::string index = fmt::format("%n{}", n);
        if (place.together != Together::none && one_in(3)) {
            made.text = agreed(place, index);
            if (place.together == Together::block) inner.together = Together::warp;
        } else {
            made.text = drawn("    mov.u32 %n$n, $r;\n", {}, n);
            inner.together = Together::none;
        }
        made.text += fmt::format("    rem.u32 {0}, {0}, {1};\n", index, count);
        for (std::size_t i = 0; i < count; ++i) {
            made.parts.push_back(block(inner, 1 + below(3)));
            if (inner.together == Together::none && one_in(4)) made.runs_on |= 1u << i;
        }
        return made;
    }

    Block tail(const Place& place)
    {
        Block made = block(place, below(4));
        if (!one_in(2)) return made;
        Statement& leaves = made.emplace_back();
        leaves.number = ++number_;
        leaves.text = comparison(fmt::format("%c{}", leaves.number)) +
                      drawn("    @%c$n st.global.u32 [%mine], %r3;\n    @%c$n $(ret|exit);\n", {},
                            leaves.number);
        for (Statement& one : block(place, 1 + below(4))) made.push_back(std::move(one));
        Statement& last = made.emplace_back();
        last.number = ++number_;
        last.text = "    st.global.u32 [%mine], %r7;\n";
        return made;
    }

    // ---- instructions ------------------------------------------------------------------------

    std::string instructions(const Place& place, Statement& made)
    {
        const std::string condition = fmt::format("%c{}", made.number);
        if (place.broken >= 0 && one_in(5)) {
            made.needs_wrapper = true;
            return comparison(condition) + drawn("    @%c$n bra $(end|next)_", {}, made.number) +
                   fmt::format("{};\n", place.broken);
        }
        if (place.together == Together::block && one_in(6)) return with_block();
        if (place.together != Together::none && one_in(3)) return with_lanes(place);
        if (place.functions > 0 && one_in(9)) return call(place, made.number);
        if (place.in_function && one_in(12))
            return comparison(condition) +
                   drawn("    @%c$n st.param.b32 [result], $r;\n    @%c$n ret;\n", {}, made.number);
        switch (below(10)) {
        case 0: return input();
        case 1: return own_slot();
        case 2: return shared_memory();
        case 3:
            return place.in_function || !place.totals_are_open || one_in(3) ? array()
                                                                            : add_to_totals();
        case 4: return guarded();
        case 5: return floats();
        case 6: return wide();
        default: return integers();
        }
    }

    std::string integers()
    {
        switch (below(14)) {
        case 0:
            return drawn(
                "    $(mad.lo.u32|mad.hi.s32|mad.hi.u32|sad.u32|sad.s32) $r, $r, $r, $v;\n");
        case 1:
            return drawn(
                "    $(shf.l.wrap.b32|shf.r.wrap.b32|shf.l.clamp.b32|shf.r.clamp.b32|prmt.b32)"
                " $r, $r, $r, $v;\n");
        case 2: return drawn("    lop3.b32 $r, $r, $r, $r, $<256>;\n");
        case 3:
            return drawn(
                "    $(bfe.u32|bfe.s32) $r, $r, "
                "$(%r2|%r7|%r11|0|1|8|31|32|40|255), $(%r2|%r7|%r11|0|1|8|31|32|40|255);\n");
        case 4:
            return drawn(
                "    bfi.b32 $r, $r, $r, "
                "$(%r2|%r7|%r11|0|1|8|31|32|40|255), $(%r2|%r7|%r11|0|1|8|31|32|40|255);\n");
        case 5:
            return drawn(
                "    "
                "$(popc.b32|clz.b32|brev.b32|bfind.u32|bfind.s32|not.b32|neg.s32|abs.s32|cnot.b32)"
                " $r, $r;\n");
        case 6:
            return scope("        .reg .b32 by;\n        or.b32 by, $r, 1;\n"
                         "        $(div.u32|rem.u32) $r, $r, by;\n");
        case 7: return drawn("    $(shl.b32|shr.u32|shr.s32) $r, $r, $v;\n");
        case 8: return drawn("    add.cc.u32 %r2, $r, $r;\n    addc.u32 %r5, %r5, $r;\n");
        case 9: return drawn("    sub.cc.u32 %r4, $r, $r;\n    subc.u32 %r9, %r9, $r;\n");
        case 10: return drawn("    $(dp4a.u32.u32|dp4a.s32.s32|dp4a.s32.u32) $r, $r, $r, $r;\n");
        default:
            return drawn(
                "    $(add.u32|sub.u32|mul.lo.u32|mul.hi.u32|mul.hi.s32|and.b32|or.b32|xor.b32|"
                "min.u32|max.u32|min.s32|max.s32) $r, $r, $v;\n");
        }
    }

    std::string guarded()
    {
        std::string text = "        .reg .pred some;\n    " + comparison("some");
        for (std::size_t i = 0, count = 1 + below(3); i < count; ++i)
            text += "        @$(|!)some $(add.u32|xor.b32|mul.lo.u32|max.s32) $r, $r, $v;\n";
        if (one_in(2)) text += "        selp.b32 $r, $r, $v, some;\n";
        if (one_in(3)) text += "        @some st.global.u32 [%mine], $r;\n";
        return scope(text);
    }

    std::string floats()
    {
        switch (below(10)) {
        case 0:
            return scope("        .reg .f32 a;\n        cvt.$(rn|rz|rm|rp).f32.$(u32|s32) a, $r;\n"
                         "        mov.b32 $r, a;\n");
        case 1:
            return scope("        .reg .f32 a;\n        mov.b32 a, $r;\n"
                         "        cvt.$(rni|rzi|rmi|rpi).$(u32|s32).f32 $r, a;\n");
        case 2:
            return drawn(
                "    cvt.$(u32.u8|s32.s8|u32.u16|s32.s16|sat.s8.s32|sat.u16.u32) $r, $r;\n");
        case 3:
            return scope("        .reg .f32 a;\n        .reg .b16 low, high;\n"
                         "        mov.b32 {low, high}, $r;\n        cvt.f32.f16 a, $(low|high);\n"
                         "        mov.b32 $r, a;\n");
        case 4: return drawn("    fma.rn.f16x2 $r, $r, $r, $r;\n");
        case 5: // the NaN payload of a sum is undefined
            return scope(
                "        .reg .f64 a, b, c;\n        .reg .f32 s;\n        .reg .pred none;\n"
                "        mov.b64 a, $q;\n        mov.b64 b, $q;\n"
                "        $(add.rn|mul.rn|sub.rz|min|div.rn).f64 c, a, b;\n"
                "        testp.notanumber.f64 none, c;\n"
                "        selp.f64 c, 0d3ff8000000000000, c, none;\n"
                "        mov.b64 $q, c;\n        cvt.rn.f32.f64 s, c;\n        mov.b32 $r, s;\n");
        default: break;
        }
        std::string text = "        .reg .f32 a, b, c, d;\n        mov.b32 a, $r;\n"
                           "        mov.b32 b, $r;\n        mov.b32 c, $r;\n";
        switch (below(4)) {
        case 0: text += "        fma.$(rn|rz|rn.ftz|rn.sat|rp).f32 d, a, b, c;\n"; break;
        case 1:
            text +=
                "        $(sqrt.rn|rcp.approx|ex2.approx.ftz|lg2.approx|rsqrt.approx|rcp.rn).f32 "
                "d, a;\n";
            break;
        default:
            text +=
                "        $(add.rn|sub.rn|mul.rn|mul.rm|min|max|div.rn|add.rn.ftz|mul.rn.ftz).f32 "
                "d, a, b;\n";
        }
        return scope(text + "        mov.b32 $r, d;\n");
    }

    std::string wide()
    {
        switch (below(7)) {
        case 0: return drawn("    mul.wide.$(u32|s32) $q, $r, $v;\n");
        case 1:
            return drawn("    $(add.u64|sub.u64|mul.lo.u64|mul.hi.u64|xor.b64|min.s64|max.u64) $q, "
                         "$q, $q;\n");
        case 2: return drawn("    $(shl.b64|shr.u64|shr.s64) $q, $q, $v;\n");
        case 3: return drawn("    mov.b64 $q, {$r, $r};\n");
        case 4: return drawn("    mov.b64 {%r8, %r11}, $q;\n");
        case 5: return drawn("    $(popc.b64|clz.b64) $r, $q;\n");
        default: return drawn("    mad.wide.$(u32|s32) $q, $r, $r, $q;\n");
        }
    }

    // ---- memory ------------------------------------------------------------------------------

    // Loads random words of the input or the constants, at an index that depends on a lane's value.
    std::string input()
    {
        if (one_in(5))
            return scope(
                "        .reg .b32 t;\n        .reg .b64 a, at;\n        and.b32 t, $r, 63;\n"
                "        mov.u64 a, constants;\n        mad.wide.u32 at, t, 4, a;\n"
                "        ld.const.u32 $r, [at];\n");
        struct Load {
            std::string_view text;
            std::uint32_t bytes;
        };
        static constexpr Load loads[] = {{"ld.global.u32 $r", 4},
                                         {"ld.global.nc.u32 $r", 4},
                                         {"ld.global.v2.u32 {%r1, %r12}", 8},
                                         {"ld.global.nc.v4.u32 {%r2, %r6, %r9, %r13}", 16},
                                         {"ld.global.u8 $r", 1},
                                         {"ld.global.s16 $r", 2},
                                         {"ld.global.u64 $q", 8},
                                         {"ld.global.cg.u32 $r", 4},
                                         {"ld.global.ca.s8 $r", 1},
                                         {"ld.global.v2.u64 {%q0, %q2}", 16},
                                         {"cvta.global.u64 a, a;\n        ld.u32 $r", 4}};
        const Load& load = loads[below(std::size(loads))];
        return scope(
            "        .reg .b32 t;\n        .reg .b64 a;\n"
            "        $(add.u32 t, %thread, 17|mul.lo.u32 t, %thread, 3|mul.lo.u32 t, %thread, 33|"
            "mov.u32 t, $r|mov.u32 t, %r12);\n" +
            fmt::format("        and.b32 t, t, {};\n        mad.wide.u32 a, t, {}, %in;\n"
                        "        {}, [a];\n",
                        4096 / load.bytes - 1, load.bytes, load.text));
    }

    std::string own_slot()
    {
        if (program_.slots_together && one_in(4)) // accesses several words at once
            return scope("        .reg .b32 t;\n        .reg .b64 a;\n        and.b32 t, $r, 12;\n"
                         "        mad.wide.u32 a, t, %stride, %mine;\n"
                         "        $(st.global.v4.u32 [a], {%r0, %r3, %r6, %r9}|"
                         "ld.global.v4.u32 {%r2, %r5, %r8, %r11}, [a]|"
                         "st.global.v2.u64 [a], {%q1, %q3}|ld.global.v2.u32 {%r4, %r1}, [a+8]);\n");
        static constexpr std::string_view accesses[] = {
            "st.global.u32 [a], $r;\n",
            "ld.global.u32 $r, [a];\n",
            "st.global.u16 [a+2], $r;\n        ld.global.u32 $r, [a];\n",
            "st.global.u8 [a+$<4>], $r;\n",
            "atom.global.$(add.u32|exch.b32|min.s32|max.u32|and.b32|or.b32|xor.b32|inc.u32|dec.u32)"
            " $r, [a], $r;\n",
            "atom.global.cas.b32 $r, [a], $r, $r;\n",
            "cvta.global.u64 a, a;\n        st.u32 [a], $r;\n        ld.volatile.u32 $r, [a];\n",
            "red.global.add.u32 [a], $r;\n        ld.global.u32 $r, [a];\n",
            "ld.global.u32 $r, [a];\n        st.global.u32 [a], $r;\n"};
        const std::string_view access = accesses[below(std::size(accesses))];
        return scope(
            "        .reg .b32 t;\n        .reg .b64 a;\n        and.b32 t, $($r|$r|3), 15;\n"
            "        mad.wide.u32 a, t, %stride, %mine;\n        " +
            std::string(access));
    }

    std::string shared_memory()
    {
        switch (below(4)) {
        case 0: // reads words of the previous exchange
            return scope("        .reg .b32 t, a;\n        and.b32 t, $r, 255;\n"
                         "        shl.b32 t, t, 2;\n        mov.u32 a, exchanged;\n"
                         "        add.u32 a, a, t;\n        ld.shared.u32 $r, [a];\n");
        case 1: { // copies words asynchronously
            const bool four = one_in(2);
            return scope(
                fmt::format("        .reg .b32 t, a;\n        .reg .b64 from;\n"
                            "        and.b32 t, $r, 255;\n        mad.wide.u32 from, t, 16, %in;\n"
                            "        shl.b32 t, %thread, 4;\n        mov.u32 a, copied;\n"
                            "        add.u32 a, a, t;\n"
                            "        cp.async.ca.shared.global [a], [from], {};\n"
                            "        cp.async.commit_group;\n        cp.async.wait_group 0;\n"
                            "        {}, [a];\n",
                            four ? 16 : 4,
                            four ? "ld.shared.v4.u32 {%r4, %r7, %r10, %r13}" : "ld.shared.u32 $r"));
        }
        default: break;
        }
        static constexpr std::string_view accesses[] = {
            "st.shared.u32 [a], $r;\n", "ld.shared.u32 $r, [a];\n",
            "atom.shared.$(add.u32|exch.b32|max.s32|xor.b32) $r, [a], $r;\n",
            "st.shared.u8 [a+$<4>], $r;\n        ld.shared.s16 $r, [a];\n",
            "cvt.u64.u32 g, a;\n        cvta.shared.u64 g, g;\n        ld.u32 $r, [g];\n"
            "        st.u32 [g], $r;\n"};
        const std::string_view access = accesses[below(std::size(accesses))];
        return scope("        .reg .b32 t, a;\n        .reg .b64 g;\n        and.b32 t, $r, 3;\n"
                     "        mad.lo.u32 t, t, %thread_count, %thread;\n        shl.b32 t, t, 2;\n"
                     "        mov.u32 a, slots_here;\n        add.u32 a, a, t;\n        " +
                     std::string(access));
    }

    std::string array()
    {
        return scope(
            "        .reg .b32 t;\n        .reg .b64 a, at;\n        and.b32 t, $r, $(15|12);\n"
            "        mov.u64 a, array;\n        mad.wide.u32 at, t, 4, a;\n"
            "        $(ld.local.u32 %r14, [at]|st.local.u32 [at], %r10|ld.local.u32 %r3, [at]|"
            "st.local.u32 [at], %r0|ld.local.s8 %r12, [at+2]|st.local.u8 [at+1], %r15);\n");
    }

    // Each kind of operation updates its own words of the totals.
    std::string add_to_totals()
    {
        static constexpr std::string_view operations[] = {
            "add.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.u32", "min.s32", "max.s32"};
        const std::size_t k = below(8);
        if (one_in(2))
            return scope(
                fmt::format("        .reg .b32 t, a;\n        and.b32 t, $r, 3;\n"
                            "        shl.b32 t, t, 2;\n        mov.u32 a, totals_here;\n"
                            "        add.u32 a, a, t;\n        red.shared.{} [a+{}], $r;\n",
                            operations[k], 16 * k));
        return scope(
            fmt::format("        .reg .b32 t;\n        .reg .b64 a;\n        and.b32 t, $r, 7;\n"
                        "        mad.wide.u32 a, t, 4, %totals;\n"
                        "        red.global.{} [a+{}], $r;\n",
                        operations[k], 32 * k));
    }

    // ---- together ----------------------------------------------------------------------------

    std::string with_block()
    {
        switch (below(4)) {
        case 0: return drawn("    $(bar.sync 0|barrier.sync 3);\n");
        case 1:
            return scope("        .reg .pred some, result;\n    " + comparison("some") +
                         "        bar.red.$(and|or).pred result, 0, some;\n"
                         "        selp.b32 $r, 1, 0, result;\n");
        default:
            return "    bar.sync 0;\n" +
                   scope("        .reg .b32 t, a;\n        mad.lo.u32 t, %thread, $(1|3|5|17|255), "
                         "$<256>;\n"
                         "        and.b32 t, t, 255;\n        shl.b32 t, t, 2;\n"
                         "        mov.u32 a, exchanged;\n        add.u32 a, a, t;\n"
                         "        st.shared.u32 [a], $r;\n") +
                   "    bar.sync 0;\n";
        }
    }

    std::string with_lanes(const Place& place)
    {
        const std::string& mask = place.mask;
        switch (below(8)) {
        case 0:
        case 1:
            if (whole_warps_ && place.together != Together::masked && one_in(2)) {
                const std::uint32_t segments = 32 - (1u << below(6));
                const bool up = one_in(3);
                return scope(
                    fmt::format("        .reg .pred there;\n"
                                "        shfl.sync.{}.b32 $r|there, $r, $<32>, {}, $mask;\n"
                                "        @!there add.u32 %r2, %r2, 1;\n",
                                up ? "up" : "$(down|bfly)", segments << 8 | (up ? 0 : 31)),
                    mask);
            }
            // Reads from lane t if it is active, otherwise from the lane itself.
            return scope("        .reg .b32 t, bit;\n        .reg .pred there;\n"
                         "        and.b32 t, $r, 31;\n        shr.u32 bit, $mask, t;\n"
                         "        and.b32 bit, bit, 1;\n        setp.ne.u32 there, bit, 0;\n"
                         "        selp.b32 t, t, %lane, there;\n"
                         "        shfl.sync.idx.b32 $r, $r, t, 31, $mask;\n",
                         mask);
        case 2:
            return scope("        .reg .pred some;\n    " + comparison("some") +
                             "        vote.sync.ballot.b32 $r, some, $mask;\n",
                         mask);
        case 3:
            return scope("        .reg .pred some, result;\n    " + comparison("some") +
                             "        vote.sync.$(all|any|uni).pred result, some, $mask;\n"
                             "        selp.b32 $r, $r, 0, result;\n",
                         mask);
        case 4:
            return scope("        .reg .b32 t;\n        and.b32 t, $r, $(3|255);\n"
                         "        match.any.sync.b32 $r, t, $mask;\n",
                         mask);
        case 5:
            return scope(
                "        .reg .b32 t;\n        .reg .pred same;\n        and.b32 t, $r, 1;\n"
                "        match.all.sync.b32 $r|same, t, $mask;\n"
                "        @same add.u32 %r6, %r6, 3;\n",
                mask);
        case 6:
            return drawn(
                "    redux.sync.$(add.u32|min.u32|max.s32|and.b32|or.b32|xor.b32) $r, $r, $mask;\n",
                mask);
        default: return drawn("    bar.warp.sync $mask;\n", mask);
        }
    }

    std::string call(const Place& place, int number)
    {
        std::string text =
            "        .param .b32 one;\n        .param .b32 two;\n        .param .b64 three;\n"
            "        .param .b64 four;\n        .param .b32 five;\n        .param .b32 back;\n"
            "        st.param.b32 [one], $r;\n        st.param.b32 [two], $r;\n"
            "        st.param.b64 [three], %in;\n        st.param.b64 [four], %mine;\n"
            "        st.param.b32 [five], %stride;\n";
        const std::size_t first = below(place.functions);
        const std::size_t second = below(place.functions);
        if (first != second && one_in(2)) // each lane chooses one of two functions
            text = "        .reg .b64 first, second, chosen;\n        .reg .pred some;\n    " +
                   comparison("some") +
                   fmt::format("        mov.u64 first, f{};\n        mov.u64 second, f{};\n", first,
                               second) +
                   "        selp.b64 chosen, first, second, some;\n" + text +
                   "        prototype_$n: .callprototype (.param .b32 _) _ (.param .b32 _, .param "
                   ".b32 _, "
                   ".param .b64 _, .param .b64 _, .param .b32 _);\n"
                   "        call (back), chosen, (one, two, three, four, five), prototype_$n;\n";
        else
            text +=
                fmt::format("        call (back), f{}, (one, two, three, four, five);\n", first);
        return scope(text + "        ld.param.b32 $r, [back];\n", {}, number);
    }

    std::mt19937_64 random_;
    const Limits& limits_;
    Program program_;
    int number_ = 0;
    bool whole_warps_ = false;
};

} // namespace

Program draw(std::uint64_t seed, Size size)
{
    return Drawer(seed, size).draw();
}

} // namespace lanescope::random_kernels
