// Builds one kernel per pattern: lane offsets are in constant memory, so that only the access
// itself contributes to the counts (a load's value is stored, and stores are another metric).
#include "tests/conformance/patterns.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::conformance {

namespace {

using Offsets = std::array<std::uint32_t, 32>;

struct Shape {
    std::string name;
    std::function<std::uint32_t(std::uint32_t lane)> element; // in units of the access width
    std::uint32_t shift_bytes = 0;
};

std::uint32_t scattered(std::uint32_t lane)
{
    return (lane * 2654435761u >> 20) % 512;
}

const std::vector<Shape>& shapes()
{
    static const std::vector<Shape> all = {
        {"unit", [](std::uint32_t n) { return n; }},
        {"stride2", [](std::uint32_t n) { return 2 * n; }},
        {"stride3", [](std::uint32_t n) { return 3 * n; }},
        {"stride4", [](std::uint32_t n) { return 4 * n; }},
        {"stride8", [](std::uint32_t n) { return 8 * n; }},
        {"stride17", [](std::uint32_t n) { return 17 * n; }},
        {"stride32", [](std::uint32_t n) { return 32 * n; }},
        {"same", [](std::uint32_t) { return 0u; }},
        {"half", [](std::uint32_t n) { return n / 2; }},
        {"quarter", [](std::uint32_t n) { return n / 4; }},
        {"low4", [](std::uint32_t n) { return n & 15; }},
        {"low3", [](std::uint32_t n) { return n & 7; }},
        {"reversed", [](std::uint32_t n) { return 31 - n; }},
        {"skip1", [](std::uint32_t n) { return n & ~2u; }},
        {"pairs_apart", [](std::uint32_t n) { return (n / 2) * 32; }},
        {"twos_apart", [](std::uint32_t n) { return (n & ~2u) * 16; }},
        {"scattered", scattered},
        {"shifted", [](std::uint32_t n) { return n; }, 16},
    };
    return all;
}

struct Mask {
    std::string name;
    std::uint32_t lanes;
};
const Mask masks[] = {{"all", 0xffffffffu},  {"low", 0x0000ffffu}, {"odd", 0xaaaaaaaau},
                      {"some", 0x10204081u}, {"one", 0x00000080u}, {"middle", 0x00ffff00u}};

std::string vector_of(int width, std::string_view prefix)
{
    if (width == 8) return fmt::format("{{%{0}0, %{0}1}}", prefix);
    if (width == 16) return fmt::format("{{%{0}0, %{0}1, %{0}2, %{0}3}}", prefix);
    return fmt::format("%{}0", prefix);
}
std::string type_of(int width)
{
    switch (width) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    case 8: return "v2.u32";
    default: return "v4.u32";
    }
}

// `access` is PTX that uses the address %place, the values %v0… and, for a load, the results %r0….
Pattern pattern(const std::string& name, bool shared, const std::string& access, bool has_result,
                const Offsets& offsets, std::uint32_t lanes)
{
    Pattern made;
    Case& test = made.test;
    test.group = "patterns";
    test.name = name;
    test.kernel = name;
    test.grid = {1, 1, 1};
    test.block = {32, 1, 1};
    test.outputs.push_back({65536, Element::bits, {}});
    test.outputs.push_back({128, Element::bits, {}});
    const std::string result = has_result ? "    @%on st.global.u32 [%sink], %r0;\n" : "";
    const std::string place =
        shared ? "    mov.u32 %place, memory;\n    add.u32 %place, %place, %offset;\n"
               : "    ld.param.u64 %place, [data];\n    cvta.to.global.u64 %place, %place;\n"
                 "    cvt.u64.u32 %wide, %offset;\n    add.u64 %place, %place, %wide;\n";
    test.ptx = fmt::format(".version 8.0\n.target sm_90\n.address_size 64\n\n.const .align 4 .u32 "
                           "offsets[32] = {{{}}};\n"
                           ".visible .entry {}(.param .u64 data, .param .u64 results)\n{{\n{}"
                           "    .reg .b64 %sink, %wide, %table;\n    .reg .b{} %place;\n    .reg "
                           ".b32 %lane, %offset, %bit, %v<4>, %r<4>;\n"
                           "    .reg .pred %on;\n"
                           "    mov.u32 %lane, %tid.x;\n    mov.u64 %table, offsets;\n    "
                           "mad.wide.u32 %table, %lane, 4, %table;\n"
                           "    ld.const.u32 %offset, [%table];\n{}"
                           "    ld.param.u64 %sink, [results];\n    cvta.to.global.u64 %sink, "
                           "%sink;\n    mad.wide.u32 %sink, %lane, 4, %sink;\n"
                           "    mov.u32 %v0, %lane;\n    mov.u32 %v1, %lane;\n    mov.u32 %v2, "
                           "%lane;\n    mov.u32 %v3, %lane;\n"
                           "    shr.u32 %bit, {:#x}, %lane;\n    and.b32 %bit, %bit, 1;\n    "
                           "setp.ne.u32 %on, %bit, 0;\n"
                           "    @%on {};\n{}    ret;\n}}\n",
                           fmt::join(offsets, ", "), name,
                           shared ? "    .shared .align 16 .b8 memory[32768];\n" : "",
                           shared ? 32 : 64, place, lanes, access, result);
    return made;
}

Offsets offsets_of(const Shape& shape, int width)
{
    Offsets offsets{};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        offsets[lane] = shape.element(lane) * static_cast<std::uint32_t>(width) + shape.shift_bytes;
    return offsets;
}

std::vector<Check> global_checks(std::string_view op, trace::Counts trace::Totals::*counts)
{
    return {
        {fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", op),
         [=](const trace::Totals& t) { return (t.*counts).requests; }},
        {fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", op),
         [=](const trace::Totals& t) { return (t.*counts).sectors; }},
    };
}

std::vector<Check> shared_checks(std::string_view op, trace::Counts trace::Totals::*counts)
{
    return {{fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", op),
             [=](const trace::Totals& t) { return (t.*counts).wavefronts; }}};
}

// Nsight Compute's ideal is based on the bytes that active lanes move, ours on distinct bytes and,
// for shared memory, on groups of lanes. They agree if all lanes access distinct addresses.
bool ideals_agree(const Shape& shape, const Mask& mask)
{
    std::set<std::uint32_t> elements;
    for (std::uint32_t lane = 0; lane < 32; ++lane) elements.insert(shape.element(lane));
    return elements.size() == 32 && mask.name == "all";
}

std::uint64_t ideal_sectors(const trace::Totals& totals)
{
    return totals.global_load.ideal_sectors + totals.global_store.ideal_sectors;
}

// True if no lanes collide in the sets of the tag stage. Collisions cannot be derived from
// addresses, so tag-stage wavefronts are compared only without them.
bool tags_are_regular(const Shape& shape)
{
    return shape.name != "stride17" && shape.name != "scattered";
}

void add_load_and_store(std::vector<Pattern>& patterns, const Shape& shape, int width,
                        const Mask& mask)
{
    const Offsets offsets = offsets_of(shape, width);
    const std::string suffix = fmt::format("{}_{}_{}", width, shape.name, mask.name);
    const std::string type = type_of(width);
    for (const bool shared : {false, true}) {
        const char* space = shared ? "shared" : "global";
        Pattern load =
            pattern(fmt::format("ld_{}_{}", space, suffix), shared,
                    fmt::format("ld.{}.{} {}, [%place]", space, type, vector_of(width, "r")), true,
                    offsets, mask.lanes);
        // All elements of a vector must be used, or the compiler narrows the load.
        const std::size_t use = load.test.ptx.find("    @%on st.global");
        if (width == 8) load.test.ptx.insert(use, "    xor.b32 %r0, %r0, %r1;\n");
        if (width == 16)
            load.test.ptx.insert(use, "    xor.b32 %r0, %r0, %r1;\n    xor.b32 %r2, %r2, %r3;\n    "
                                      "xor.b32 %r0, %r0, %r2;\n");
        load.checks = shared ? shared_checks("ld", &trace::Totals::shared_load)
                             : global_checks("ld", &trace::Totals::global_load);
        if (!shared && tags_are_regular(shape))
            load.checks.push_back(
                {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
                 [](const trace::Totals& t) { return t.global_load.wavefronts; }});
        if (ideals_agree(shape, mask))
            load.checks.push_back(
                shared
                    ? Check{"memory_l1_wavefronts_shared_ideal",
                            [](const trace::Totals& t) { return t.shared_load.ideal_wavefronts; }}
                    : Check{"memory_l2_theoretical_sectors_global_ideal", ideal_sectors});
        patterns.push_back(std::move(load));
        // ptxas removes shared stores that are never read, so they are volatile.
        Pattern store = pattern(fmt::format("st_{}_{}", space, suffix), shared,
                                fmt::format("st{}.{}.{} [%place], {}", shared ? ".volatile" : "",
                                            space, type, vector_of(width, "v")),
                                false, offsets, mask.lanes);
        store.checks = shared ? shared_checks("st", &trace::Totals::shared_store)
                              : global_checks("st", &trace::Totals::global_store);
        if (ideals_agree(shape, mask))
            store.checks.push_back(
                shared
                    ? Check{"memory_l1_wavefronts_shared_ideal",
                            [](const trace::Totals& t) { return t.shared_store.ideal_wavefronts; }}
                    : Check{"memory_l2_theoretical_sectors_global_ideal", ideal_sectors});
        patterns.push_back(std::move(store));
    }
}

void add_atomics(std::vector<Pattern>& patterns, const Shape& shape, const Mask& mask)
{
    const Offsets offsets = offsets_of(shape, 4);
    const std::string suffix = fmt::format("{}_{}", shape.name, mask.name);
    Pattern returning =
        pattern("atom_global_" + suffix, false, "atom.global.add.u32 %r0, [%place], %v0", true,
                offsets, mask.lanes);
    returning.checks = global_checks("atom", &trace::Totals::global_atomic);
    patterns.push_back(std::move(returning));
    Pattern reducing = pattern("red_global_" + suffix, false, "red.global.add.u32 [%place], %v0",
                               false, offsets, mask.lanes);
    reducing.checks = global_checks("red", &trace::Totals::global_atomic);
    patterns.push_back(std::move(reducing));
    Pattern shared = pattern("atom_shared_" + suffix, true,
                             "atom.shared.exch.b32 %r0, [%place], %v0", true, offsets, mask.lanes);
    shared.checks = shared_checks("atom", &trace::Totals::shared_atomic);
    patterns.push_back(std::move(shared));
}

// ldmatrix and stmatrix: lanes 8 i to 8 i + 7 hold the row addresses of matrix i. The whole warp
// takes part, so there are no masks.
void add_matrix_rows(std::vector<Pattern>& patterns, const Shape& shape)
{
    const Offsets offsets = offsets_of(shape, 16);
    const auto add = [&](bool loads, int matrices, std::string_view trans) {
        std::string registers;
        for (int i = 0; i < matrices; ++i)
            registers += fmt::format("{}%{}{}", i == 0 ? "" : ", ", loads ? "r" : "v", i);
        const std::string words =
            fmt::format("sync.aligned.m8n8.x{}{}.shared.b16", matrices, trans);
        Pattern made =
            pattern(fmt::format("{}_rows_x{}{}_{}", loads ? "ld" : "st", matrices,
                                trans.empty() ? "" : "_trans", shape.name),
                    true,
                    loads ? fmt::format("ldmatrix.{} {{{}}}, [%place]", words, registers)
                          : fmt::format("stmatrix.{} [%place], {{{}}}", words, registers),
                    true, offsets, 0xffffffffu);
        std::string use;
        for (int i = 1; loads && i < matrices; ++i)
            use += fmt::format("    xor.b32 %r0, %r0, %r{};\n", i);
        if (!loads) use = "    ld.volatile.shared.u32 %r0, [%place];\n"; // or the store is removed
        made.test.ptx.insert(made.test.ptx.find("    @%on st.global"), use);
        made.checks = loads ? shared_checks("ld", &trace::Totals::shared_load)
                            : shared_checks("st", &trace::Totals::shared_store);
        patterns.push_back(std::move(made));
    };
    for (const int matrices : {1, 2, 4}) {
        add(true, matrices, "");
        add(false, matrices, "");
    }
    add(true, 4, ".trans");
}

} // namespace

void add_access_patterns(std::vector<Pattern>& patterns)
{
    for (const Shape& shape : shapes())
        for (const int width : {4, 8, 16}) {
            const std::uint32_t reach = offsets_of(shape, width)[31];
            if (reach + 16 <= 32768) add_load_and_store(patterns, shape, width, masks[0]);
        }
    for (const int width : {1, 2})
        for (const int index : {0, 1, 7, 12})
            add_load_and_store(patterns, shapes()[static_cast<std::size_t>(index)], width,
                               masks[0]);
    for (const Mask& mask : masks) {
        if (mask.name == "all") continue;
        for (const int index : {1, 8})
            for (const int width : {4, 8, 16})
                add_load_and_store(patterns, shapes()[static_cast<std::size_t>(index)], width,
                                   mask);
    }
    for (const int index : {0, 1, 4, 6, 8, 9, 10, 12})
        add_atomics(patterns, shapes()[static_cast<std::size_t>(index)], masks[0]);
    for (const Mask& mask : masks)
        if (mask.name != "all") add_atomics(patterns, shapes()[1], mask);
    for (const Shape& shape : shapes()) add_matrix_rows(patterns, shape);
}

const std::vector<Pattern>& all_patterns()
{
    static const std::vector<Pattern> patterns = [] {
        std::vector<Pattern> made;
        add_access_patterns(made);
        add_compiled_patterns(made);
        return made;
    }();
    return patterns;
}

} // namespace lanescope::conformance
