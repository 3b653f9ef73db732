// Per-lane sums are safe under divergence: whichever lane counts, the warp's sum is the sum over
// its lanes.
#include "compute/ptx/probes/probe_counters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "compute/ptx/probes/probe_template.h"
#include "compute/ptx/probes/probe_text.h"
#include "compute/ptx/probes/rewrite.h"

namespace lanescope::ptx {
namespace {

// Index of each count in counts.def.
struct Place {
    enum : std::size_t {
#define COUNT(field, ...) field,
#include "compute/trace/counts.def"
    };
};

std::string register_of(const trace::WarpCountRow& row)
{
    return fmt::format("&sum_{}", row.name);
}

// Per field of trace::Counts: the amount that an execution adds, in PTX.
constexpr std::array in_probe{
#define COUNT(field, unit, of, value, column) std::string_view(value),
#include "compute/trace/counts.def"
};

// A per-warp count: the executions over which it is summed, and the amount that each adds.
enum class WarpOf { instructions, global, shared, branch, texel, model, every };
struct WarpRow {
    std::string_view name;
    WarpOf of;
    std::string_view value;

    bool counts(WarpPart part) const
    {
        switch (part) {
        case WarpPart::instructions: return of == WarpOf::instructions;
        case WarpPart::texel: return of == WarpOf::texel;
        case WarpPart::global: return of == WarpOf::global || of == WarpOf::every;
        case WarpPart::shared: return of == WarpOf::shared || of == WarpOf::every;
        case WarpPart::branch: return of == WarpOf::branch || of == WarpOf::every;
        }
        return false;
    }

    // True if every access of a row adds the same amount.
    bool is_same_in_row() const { return value == "1" || value == "&lanes"; }
};
constexpr std::array warp_rows{
#define WARP_COUNT(field, of, count) WarpRow{#field, WarpOf::of, in_probe[Place::count]},
#include "compute/trace/counts.def"
};

bool records(RecordKind kind, trace::CountOf of)
{
    using trace::CountOf;
    if (kind == RecordKind::branch) return of == CountOf::every || of == CountOf::branch;
    return of == CountOf::every || of == CountOf::access || of == CountOf::cost ||
           of == (kind == RecordKind::global ? CountOf::global : CountOf::shared);
}

bool is_counted(const RecordField& field, Counted counted)
{
    const bool presence = field.of == trace::CountOf::every;
    switch (counted) {
    case Counted::presence: return presence;
    case Counted::requests: return presence || field.of == trace::CountOf::access;
    case Counted::cost: return !presence;
    case Counted::lanes_and_cost: return !presence || field.field == &trace::Counts::lanes;
    case Counted::all: break;
    }
    return true;
}

// Fields [begin, end) of the record.
struct Range {
    std::size_t begin, end;
};

Range counted_range(RecordKind kind, Counted counted)
{
    const std::vector<RecordField>& fields = record_fields(kind);
    std::size_t begin = 0, end = fields.size();
    while (!is_counted(fields[begin], counted)) ++begin;
    while (!is_counted(fields[end - 1], counted)) --end;
    return {begin, end};
}

// Cost of contiguous accesses by consecutive lanes: the size of their range, extended by
// the first address's offset within a unit, in whole units of 1 << shift bytes. For
// wavefronts, a unit is 4 lines.
struct UnitsOfBytes {
    std::string_view value;
    std::uint8_t within, shift;
};
constexpr std::array in_order{UnitsOfBytes{"&sectors", 31, 5}, UnitsOfBytes{"&ideal", 0, 5},
                              UnitsOfBytes{"&waves", 127, 9}, UnitsOfBytes{"&lines", 127, 7}};

// One byte per rank, in two words.
using Bytes = std::array<std::uint32_t, 2>;

void set_byte(Bytes& bytes, std::size_t rank, std::uint32_t value)
{
    bytes.at(rank / 4) |= value << 8 * (rank % 4);
}

} // namespace

const std::vector<RecordField>& record_fields(RecordKind kind)
{
    static const auto all = [] {
        std::array<std::vector<RecordField>, 3> kinds;
        for (std::size_t which = 0; which < kinds.size(); ++which)
            for (std::size_t i = 0; i < trace::count_rows.size(); ++i)
                if (records(static_cast<RecordKind>(which), trace::count_rows[i].of))
                    kinds[which].push_back(
                        {trace::count_rows[i].of, trace::count_rows[i].field, in_probe[i]});
        return kinds;
    }();
    return all[static_cast<std::size_t>(kind)];
}

// A multiple of the sector size, so that one request of a probe touches few sectors.
std::size_t site_record_bytes()
{
    std::size_t max_fields = 0;
    for (const RecordKind kind : {RecordKind::global, RecordKind::shared, RecordKind::branch})
        max_fields = std::max(max_fields, record_fields(kind).size());
    return (max_fields * sizeof(std::uint64_t) + 31) / 32 * 32;
}

std::string setting_address(Setting setting)
{
    return fmt::format("lsprobe_setting+{}", 8 * static_cast<int>(setting));
}

std::string setup_text()
{
    std::string parameters;
    std::string stores;
    constexpr int count = static_cast<int>(setting_count);
    for (int i = 0; i < count; ++i) {
        parameters += fmt::format("{}.param .u64 lsprobe_value{}", i == 0 ? "" : ", ", i);
        stores += fmt::format("ld.param.u64 %rd, [lsprobe_value{}];\n"
                              "st.global.u64 [lsprobe_setting+{}], %rd;\n",
                              i, 8 * i);
    }
    return fmt::format("\n.visible .global .align 8 .u64 lsprobe_setting[{}];\n"
                       ".visible .entry {}({})\n{{\n.reg .b64 %rd;\n{}ret;\n}}\n",
                       count, setup_kernel, parameters, stores);
}

std::string function_prologue(int records, int copies)
{
    std::string text(probe_registers);
    const std::set<std::string_view> values(in_probe.begin(), in_probe.end());
    for (std::string_view value : values)
        if (value.starts_with('&')) text += fmt::format(".reg .b32 {};\n", value);
    for (const trace::WarpCountRow& row : trace::warp_count_rows)
        text += fmt::format(".reg .b32 &row_{1};\n.reg .b64 {0};\nmov.u64 {0}, 0;\n",
                            register_of(row), row.name);
    text += "{\n.reg .b32 &block, &size, &more;\n.reg .b64 &copy;\n"
            "mov.u32 &block, %ctaid.z;\nmov.u32 &size, %nctaid.y;\nmov.u32 &more, %ctaid.y;\n"
            "mad.lo.u32 &block, &block, &size, &more;\n"
            "mov.u32 &size, %nctaid.x;\nmov.u32 &more, %ctaid.x;\n"
            "mad.lo.u32 &block, &block, &size, &more;\n"
            "and.b32 &block, &block, #mask#;\nmul.wide.u32 &copy, &block, #stride#;\n"
            "ld.global.u64 &sites, [#setting#];\nadd.s64 &sites, &sites, &copy;\n}\n";
    return expand(text, {{"mask", copies - 1},
                         {"stride", static_cast<long long>(records * site_record_bytes())},
                         {"setting", setting_address(Setting::sites)}});
}

std::string lanes_here()
{
    return "activemask.b32 &mask;\n" + std::string(lanes_of_mask);
}

std::string add_to_warp(WarpPart part, int times, InRow in_row)
{
    const bool begins = in_row == InRow::first, ends = in_row == InRow::last;
    const bool in_sums = ends || in_row == InRow::alone;
    // Multiplies by 1 in the leader and 0 elsewhere: ptxas would turn a predicated addition into an
    // addition plus one select per half of the sum.
    std::string text;
    if (in_sums)
        text = fmt::format("selp.b32 &once, 1, 0, &leader;\nselp.b32 &weight, {}, 0, &leader;\n",
                           times);
    for (const auto& row : warp_rows) {
        const std::string_view sum = row.name, value = row.value;
        if (!row.counts(part)) continue;
        if (row.is_same_in_row()) {
            if (in_sums)
                text += fmt::format("mad.wide.u32 &sum_{0}, {1}, &weight, &sum_{0};\n", sum, value);
        } else if (part == WarpPart::global) {
            continue;
        } else if (in_row == InRow::alone) {
            text += fmt::format("mad.wide.u32 &sum_{0}, {1}, &once, &sum_{0};\n", sum, value);
        } else {
            text += begins ? fmt::format("mov.u32 &row_{}, {};\n", sum, value)
                           : fmt::format("add.u32 &row_{0}, &row_{0}, {1};\n", sum, value);
            if (ends)
                text += fmt::format("mad.wide.u32 &sum_{0}, &row_{0}, &once, &sum_{0};\n", sum);
        }
    }
    return text;
}

std::string add_scattered_to_warp()
{
    std::string text = "selp.b32 &once, 1, 0, &leader;\n";
    for (const WarpRow& row : warp_rows)
        if (row.counts(WarpPart::global) && !row.is_same_in_row())
            text +=
                fmt::format("mad.wide.u32 &sum_{0}, {1}, &once, &sum_{0};\n", row.name, row.value);
    return text;
}

std::string fields_of_lanes(int width, Counted counted)
{
    const auto [begin, end] = counted_range(RecordKind::global, counted);
    Bytes within{}, shift{};
    std::size_t lanes = end - begin;
    for (std::size_t i = begin; i < end; ++i) {
        if (record_fields(RecordKind::global)[i].value == "&lanes") lanes = i - begin;
        for (const UnitsOfBytes& units : in_order)
            if (record_fields(RecordKind::global)[i].value == units.value) {
                set_byte(within, i - begin, units.within);
                set_byte(shift, i - begin, units.shift);
            }
    }
    return expand(R"(
add.u32 &t, &rank, 0x7770;
mov.u32 &low, #shift_low#;
mov.u32 &high, #shift_high#;
prmt.b32 &shift, &low, &high, &t;
mov.u32 &low, #within_low#;
mov.u32 &high, #within_high#;
prmt.b32 &within, &low, &high, &t;
mov.u32 &fixed, 1;
shl.b32 &fixed, &fixed, &shift;
mad.lo.u32 &fixed, &lanes, #width#, &fixed;
sub.u32 &fixed, &fixed, 1;
setp.eq.u32 &p, &rank, #lanes#;
selp.b32 &t, &lanes, 1, &p;
setp.eq.u32 &p, &shift, 0;
selp.b32 &fixed, &t, &fixed, &p;
setp.lt.u32 &has_field, &rank, #count#;
setp.ge.u32 &many, &lanes, #count#;
mul.wide.u32 &mine, &rank, 8;
add.s64 &mine, &mine, &sites;
)",
                  {{"shift_low", static_cast<long long>(shift[0])},
                   {"shift_high", static_cast<long long>(shift[1])},
                   {"within_low", static_cast<long long>(within[0])},
                   {"within_high", static_cast<long long>(within[1])},
                   {"width", width},
                   {"lanes", static_cast<long long>(lanes)},
                   {"count", static_cast<long long>(end - begin)}});
}

std::string add_in_order(int record, Counted counted, std::string_view first)
{
    const std::size_t begin = counted_range(RecordKind::global, counted).begin;
    return expand(R"(
and.b32 &t, #first#, &within;
add.u32 &t, &t, &fixed;
shr.u32 &value, &t, &shift;
cvt.u64.u32 &wide, &value;
@&has_field red.global.add.u64 [&mine+#offset#], &wide;
)",
                  {{"first", first},
                   {"offset", static_cast<long long>(record * site_record_bytes() + 8 * begin)}});
}

std::string add_row_to_warp(Counted counted, InRow in_row)
{
    if (in_row == InRow::first || in_row == InRow::between) return "";
    const auto [begin, end] = counted_range(RecordKind::global, counted);
    std::string text;
    for (const WarpRow& row : warp_rows)
        for (std::size_t i = begin; i < end; ++i)
            if (row.counts(WarpPart::global) && !row.is_same_in_row() &&
                record_fields(RecordKind::global)[i].value == row.value)
                text += fmt::format("setp.eq.u32 &p, &rank, {0};\nselp.b32 &once, 1, 0, &p;\n"
                                    "mad.wide.u32 &sum_{1}, &row, &once, &sum_{1};\n",
                                    i - begin, row.name);
    return text;
}

// All values fit a byte, so seven fit in two registers with a zero byte: a lane extracts its own
// byte, and takes its upper three bytes from the zero. All lanes execute as many iterations as the
// fields need, since a loop with individual exits would cost every execution a reconvergence.
std::string add_to_site(int record, RecordKind kind, Counted counted)
{
    constexpr std::size_t max_parts = 7;
    const std::vector<RecordField>& fields = record_fields(kind);
    auto [begin, end] = counted_range(kind, counted);
    std::string text;
    for (; begin < end; begin += max_parts) {
        const std::size_t count = std::min(max_parts, end - begin);
        Bytes ones{};
        std::string shifted;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view value = fields[begin + i].value;
            const std::uint32_t unit = 1U << 8 * (i % 4);
            if (value == "1")
                ones[i / 4] += unit;
            else
                shifted += fmt::format("mad.lo.u32 {0}, {1}, {2}, {0};\n", i < 4 ? "&low" : "&high",
                                       value, unit);
        }
        text += scoped(
            expand(R"(
mov.u32 &low, #ones_low#;
mov.u32 &high, #ones_high#;
#shifted#
mov.u32 &field, &rank;
mov.u32 &which, &lanes;
lsprobe_record:
setp.lt.u32 &p, &field, #count#;
add.u32 &value, &field, 0x7770;
prmt.b32 &value, &low, &high, &value;
cvt.u64.u32 &wide, &value;
mul.wide.u32 &record, &field, 8;
add.s64 &record, &record, &sites;
@&p red.global.add.u64 [&record+#offset#], &wide;
add.u32 &field, &field, &lanes;
setp.lt.u32 &p, &which, #count#;
add.u32 &which, &which, &lanes;
@&p bra lsprobe_record;
)",
                   {{"ones_low", static_cast<long long>(ones[0])},
                    {"ones_high", static_cast<long long>(ones[1])},
                    {"shifted", shifted},
                    {"count", static_cast<long long>(count)},
                    {"offset", static_cast<long long>(record * site_record_bytes() + 8 * begin)}}));
    }
    return text;
}

std::string warp_index(bool launches)
{
    std::string text = "mov.u32 &x, %tid.z;\nmov.u32 &y, %ntid.y;\nmov.u32 &z, %tid.y;\n"
                       "mad.lo.u32 &warp, &x, &y, &z;\n"
                       "mov.u32 &z, %ntid.x;\nmov.u32 &x, %tid.x;\n"
                       "mad.lo.u32 &warp, &warp, &z, &x;\nshr.u32 &warp, &warp, 5;\n"
                       "mul.lo.u32 &y, &y, &z;\nmov.u32 &z, %ntid.z;\nmul.lo.u32 &y, &y, &z;\n"
                       "add.u32 &y, &y, 31;\nshr.u32 &y, &y, 5;\n" // warps per block
                       "mov.u32 &x, %ctaid.z;\nmov.u32 &z, %nctaid.y;\nmov.u32 &u, %ctaid.y;\n"
                       "mad.lo.u32 &x, &x, &z, &u;\nmov.u32 &z, %nctaid.x;\nmov.u32 &u, %ctaid.x;\n"
                       "mad.lo.u32 &x, &x, &z, &u;\nmad.lo.u32 &warp, &x, &y, &warp;\n";
    if (launches)
        text += fmt::format("add.u32 &warp, &warp, &first_warp;\nld.global.u32 &x, [{}];\n"
                            "min.u32 &warp, &warp, &x;\n",
                            setting_address(Setting::last_warp));
    return text;
}

namespace {

// One of the active lanes looks up the launch; the lane that inserts it also assigns its first warp
// index, and the others wait for that index.
constexpr std::string_view launch_registers = R"(
.reg .b32 &first_warp;
{
.reg .b64 &grid, &table, &slot_at, &warps;
activemask.b32 &mask;
)";
constexpr std::string_view find_launch = R"(
mov.u32 &first_warp, 0x40000000;
@!&leader bra lsprobe_found;
mov.u64 &grid, %gridid;
add.u64 &grid, &grid, 1;
ld.global.u64 &table, [#grids#];
cvt.u32.u64 &t, &grid;
mul.lo.u32 &t, &t, 0x9E3779B1;
shr.u32 &t, &t, 16;
mov.u32 &tries, 0;
lsprobe_search:
and.b32 &t, &t, #mask#;
mul.wide.u32 &offset, &t, 16;
add.s64 &slot_at, &table, &offset;
atom.global.cas.b64 &old, [&slot_at+16], 0, &grid;
setp.eq.s64 &p, &old, 0;
@&p bra lsprobe_new;
setp.eq.s64 &p, &old, &grid;
@&p bra lsprobe_wait;
add.u32 &t, &t, 1;
add.u32 &tries, &tries, 1;
setp.lt.u32 &p, &tries, #slots#;
@&p bra lsprobe_search;
bra lsprobe_found;
lsprobe_new:
mov.u32 &x, %nctaid.x;
mov.u32 &y, %nctaid.y;
mul.wide.u32 &wide, &x, &y;
mov.u32 &z, %nctaid.z;
cvt.u64.u32 &warps, &z;
mul.lo.u64 &wide, &wide, &warps;
mov.u32 &x, %ntid.x;
mov.u32 &y, %ntid.y;
mul.lo.u32 &x, &x, &y;
mov.u32 &y, %ntid.z;
mul.lo.u32 &x, &x, &y;
add.u32 &x, &x, 31;
shr.u32 &x, &x, 5;
cvt.u64.u32 &warps, &x;
mul.lo.u64 &wide, &wide, &warps;
atom.global.add.u64 &old, [&table], &wide;
min.u64 &old, &old, 0x40000000;
add.u64 &old, &old, 1;
membar.gl;
st.volatile.global.u64 [&slot_at+24], &old;
lsprobe_wait:
ld.volatile.global.u64 &old, [&slot_at+24];
setp.eq.s64 &p, &old, 0;
@&p bra lsprobe_wait;
cvt.u32.u64 &first_warp, &old;
sub.u32 &first_warp, &first_warp, 1;
lsprobe_found:
bar.warp.sync &mask;
shfl.sync.idx.b32 &first_warp, &first_warp, &first, 31, &mask;
)";

// The first thread of the first block counts the launch.
constexpr std::string_view count_launch = R"(
mov.u32 &x, %tid.x;
mov.u32 &y, %tid.y;
or.b32 &x, &x, &y;
mov.u32 &y, %tid.z;
or.b32 &x, &x, &y;
mov.u32 &y, %ctaid.x;
or.b32 &x, &x, &y;
mov.u32 &y, %ctaid.y;
or.b32 &x, &x, &y;
mov.u32 &y, %ctaid.z;
or.b32 &x, &x, &y;
setp.eq.u32 &p, &x, 0;
ld.global.u64 &table, [#grids#];
@&p red.global.add.u64 [&table+8], 1;
)";

} // namespace

std::string launch_prologue(bool is_kernel)
{
    std::string text(launch_registers);
    text += lanes_of_mask;
    text += find_launch;
    if (is_kernel) text += count_launch;
    text += "}\n";
    return expand(text, {{"grids", setting_address(Setting::grids)},
                         {"mask", static_cast<long long>(GridTable::slots - 1)},
                         {"slots", static_cast<long long>(GridTable::slots)}});
}

std::string flush_text(bool launches)
{
    std::string text = warp_index(launches);
    text += fmt::format("ld.global.u64 &base, [{}];\nmul.wide.u32 &offset, &warp, {};\n"
                        "add.s64 &base, &base, &offset;\n",
                        setting_address(Setting::warps), sizeof(trace::WarpCounts));
    for (std::size_t i = 0; i < trace::warp_count_rows.size(); ++i)
        text += fmt::format("mov.b64 {{&low, &high}}, {0};\nor.b32 &low, &low, &high;\n"
                            "setp.ne.u32 &p, &low, 0;\n"
                            "@&p red.global.add.u64 [&base+{1}], {0};\n"
                            "mov.u64 {0}, 0;\n",
                            register_of(trace::warp_count_rows[i]), 8 * i);
    return scoped(text);
}

} // namespace lanescope::ptx
