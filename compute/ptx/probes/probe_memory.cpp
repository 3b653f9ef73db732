// Probe of one memory access: the computation of counting/ on 32 addresses, performed by the lanes
// themselves. Lanes with equal keys find each other with match.any; the lowest of them represents
// the key. Accesses are aligned to their width, as the hardware requires, so addresses are equal or
// disjoint, and distinct bytes are distinct addresses × width.
#include <algorithm>
#include <bit>
#include <vector>

#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_maps.h"
#include "compute/ptx/probes/probe_request.h"
#include "compute/ptx/probes/probe_template.h"
#include "compute/ptx/probes/probe_text.h"

namespace lanescope::ptx {
namespace {

// Counts the lanes that have no lower lane with the same #key#: &result, and this lane's predicate
// &fresh.
constexpr std::string_view count_distinct = R"(
match.any.sync.#type# &same, #key#, &mask;
and.b32 &t, &same, &below;
setp.eq.u32 &fresh, &t, 0;
vote.sync.ballot.b32 &firsts, &fresh, &mask;
popc.b32 #result#, &firsts;
)";

std::string distinct(std::string_view type, std::string_view key, std::string_view result)
{
    return expand(count_distinct, {{"type", type}, {"key", key}, {"result", result}});
}

// Contiguous accesses by consecutive lanes, the most common pattern, need no matching: their cost
// follows from the first address. Each lane computes where the first one would be. Addresses that
// cross a multiple of 2^32 are matched like any other pattern.
constexpr std::string_view are_in_order = R"(
mov.b64 {&low, &high}, &address;
mul.lo.u32 &t, &rank, #width#;
sub.u32 &t, &low, &t;
shfl.sync.idx.b32 &low, &t, &first, 31, &mask;
shfl.sync.idx.b32 &u, &high, &first, 31, &mask;
setp.eq.and.u32 &regular, &t, &low, &many;
setp.eq.and.u32 &regular, &high, &u, &regular;
vote.sync.all.pred &regular, &regular, &mask;
@&regular bra lsprobe_in_order;
)";

// &fresh: the lanes that are the first in their sector.
constexpr std::string_view fresh_in_order = R"(
sub.s64 &offset, &address, #width#;
xor.b64 &offset, &offset, &address;
setp.gt.u64 &fresh, &offset, 31;
or.pred &fresh, &fresh, &leader;
)";

// Computes &sectors, &ideal, &lines, &waves and &fresh of the lanes in &mask.
std::string scattered_cost(bool atomic, int width)
{
    std::string text = distinct("b64", "&address", "&ideal");
    text += expand("popc.b32 &turn, &t;\nmul.lo.u32 &ideal, &ideal, #width#;\n"
                   "add.u32 &ideal, &ideal, 31;\nshr.u32 &ideal, &ideal, 5;\n"
                   "shr.u64 &key, &address, 7;\n",
                   {{"width", width}});
    text += distinct("b64", "&key", "&lines");
    text += "add.u32 &waves, &lines, 3;\nshr.u32 &waves, &waves, 2;\n";
    if (atomic) {
        // A sector is charged once per lane at its busiest address, i.e. once per distinct turn.
        text += "and.b64 &key, &address, -32;\ncvt.u64.u32 &wide, &turn;\n"
                "or.b64 &key, &key, &wide;\n";
        text += distinct("b64", "&key", "&sectors");
    }
    text += "shr.u64 &key, &address, 5;\n";
    return text + distinct("b64", "&key", atomic ? "&unit" : "&sectors");
}

// Determines whether neighbouring groups of a wide load merge: if all active pairs (n, n^1), or all
// (n, n^2), have equal addresses. &same holds the lanes at this lane's address.
constexpr std::string_view merge = R"(
not.b32 &t, &same;
and.b32 &t, &t, &mask;
xor.b32 &u, &lane, 1;
shr.u32 &u, &t, &u;
and.b32 &u, &u, 1;
setp.eq.u32 &p, &u, 0;
vote.sync.all.pred &p, &p, &mask;
xor.b32 &u, &lane, 2;
shr.u32 &u, &t, &u;
and.b32 &u, &u, 1;
setp.eq.u32 &q, &u, 0;
vote.sync.all.pred &q, &q, &mask;
or.pred &merged, &p, &q;
)";

// Computes &group, the lanes served together with this one; the first of them is lane &at.
constexpr std::string_view group = R"(
selp.b32 &at, #merged_bits#, #bits#, &merged;
and.b32 &at, &lane, &at;
selp.b32 &group, #merged_lanes#, #lanes#, &merged;
shl.b32 &group, &group, &at;
and.b32 &t, &group, &below;
setp.eq.u32 &p, &t, 0;
vote.sync.ballot.b32 &t, &p, &mask;
popc.b32 &ideal, &t;
)";

// Consecutive lanes at contiguous words have no bank conflicts.
constexpr std::string_view shared_regular = R"(
shfl.sync.idx.b32 &base32, &slot, &first, 31, &mask;
sub.u32 &t, &slot, &base32;
mul.lo.u32 &u, &rank, #width#;
setp.eq.u32 &regular, &t, &u;
vote.sync.all.pred &regular, &regular, &mask;
@!&regular bra lsprobe_scattered;
mov.u32 &waves, &ideal;
bra lsprobe_counted;
lsprobe_scattered:
)";

// A bank serves its words one after another. Each distinct word gets a turn in its bank,
// and a group's wavefronts are its distinct turns. Lanes outside the group share one extra
// key, which &u subtracts again.
constexpr std::string_view shared_turns = R"(
and.b32 &bank, &unit, #bank_mask#;
match.any.sync.b32 &t, &bank, &mask;
and.b32 &t, &t, &group;
and.b32 &t, &t, &firsts;
and.b32 &t, &t, &below;
popc.b32 &turn, &t;
shl.b32 &t, &at, 8;
or.b32 &turn, &turn, &t;
setp.ne.u32 &q, &firsts, &mask;
selp.b32 &u, 1, 0, &q;
selp.b32 &turn, &turn, -1, &fresh;
)";

std::string shared_cost(trace::Op op, int width)
{
    const bool atomic = op == trace::Op::atomic || op == trace::Op::reduction;
    const int unit = std::max(width, 4);
    const int lanes = 128 / unit; // per group
    const bool may_merge = op == trace::Op::load && unit > 4;
    const int merged = may_merge ? 2 * lanes : lanes;
    const auto ones = [](int count) {
        return static_cast<long long>(count == 32 ? 0xffffffffLL : (1LL << count) - 1);
    };
    const std::string match =
        expand("shr.u32 &unit, &slot, #shift#;\nmatch.any.sync.b32 &same, &unit, &mask;\n",
               {{"shift", std::countr_zero(static_cast<unsigned>(unit))}});
    std::string text = "mov.u32 &lane, %laneid;\n";
    text += may_merge ? match + std::string(merge) : "setp.ne.u32 &merged, &mask, &mask;\n";
    text += expand(group, {{"bits", 32 - lanes},
                           {"lanes", ones(lanes)},
                           {"merged_bits", 32 - merged},
                           {"merged_lanes", ones(merged)}});
    if (width >= 4) text += expand(shared_regular, {{"width", width}});
    if (!may_merge) text += match;
    if (atomic)
        text += "mov.u32 &firsts, &mask;\nsetp.eq.u32 &fresh, &mask, &mask;\n";
    else
        text += "and.b32 &t, &same, &below;\nand.b32 &t, &t, &group;\n"
                "setp.eq.u32 &fresh, &t, 0;\nvote.sync.ballot.b32 &firsts, &fresh, &mask;\n";
    text += expand(shared_turns, {{"bank_mask", lanes - 1}});
    text += distinct("b32", "&turn", "&waves");
    return text + "sub.u32 &waves, &waves, &u;\nlsprobe_counted:\n";
}

// yes: the access has one space. no: this is the global or the shared part of a generic access,
// whose executions, lanes and watched request are handled once for both parts.
enum class Whole { yes, no };

std::string global_part(const MemoryProbe& probe, const ProbeMaps& maps, Whole whole)
{
    const trace::Op op = probe.kind.op;
    const bool atomic = op == trace::Op::atomic || op == trace::Op::reduction;
    std::string text(probe.lanes_known ? "" : lanes_of_mask);
    const Counted counted = whole == Whole::yes ? Counted::all : Counted::cost;
    const int width = probe.kind.width_bytes;
    if (!probe.fields_known) text += fields_of_lanes(width, counted);
    text += expand(are_in_order, {{"width", width}});
    text += scattered_cost(atomic, width);
    const bool begins = probe.in_row == InRow::alone || probe.in_row == InRow::first;
    if (probe.counts_for_warp)
        text += (begins ? "mov.u32 &row, 0;\n" : "") + add_scattered_to_warp();
    text += add_to_site(probe.site, RecordKind::global, counted);
    text += "bra lsprobe_counted;\nlsprobe_in_order:\n";
    text += add_in_order(probe.site, counted, "&low");
    if (probe.counts_for_warp)
        text += begins ? "mov.u32 &row, &value;\n" : "add.u32 &row, &row, &value;\n";
    text += expand(fresh_in_order, {{"width", width}}) + "lsprobe_counted:\n";
    if (probe.counts_for_warp)
        text += add_to_warp(WarpPart::global, probe.row, probe.in_row) +
                add_row_to_warp(counted, probe.in_row);
    if (probe.records_request && whole == Whole::yes) text += request_text(maps.launches);
    if (maps.touches) text += touch_text(maps);
    if (maps.footprint && op == trace::Op::store) text += footprint_text(width, maps);
    return text;
}

std::string shared_part(const MemoryProbe& probe, const ProbeMaps& maps, Whole whole)
{
    std::string text(probe.lanes_known ? "" : lanes_of_mask);
    text +=
        shared_cost(probe.matrix_rows ? trace::Op::store : probe.kind.op, probe.kind.width_bytes);
    if (probe.counts_for_warp) text += add_to_warp(WarpPart::shared, probe.row, probe.in_row);
    if (probe.shared_record < 0) {
        text += add_to_site(probe.site, RecordKind::shared);
    } else {
        if (whole == Whole::yes)
            text += add_to_site(probe.site, RecordKind::global, Counted::presence);
        text += add_to_site(probe.shared_record, RecordKind::shared, Counted::lanes_and_cost);
    }
    if (probe.records_request && whole == Whole::yes)
        text += "cvt.u64.u32 &address, &slot;\n" + request_text(maps.launches);
    return text;
}

// A word of constant memory serves all lanes that want it, and further words take further passes.
std::string constant_probe(const MemoryProbe& probe, const ProbeMaps& maps)
{
    const int words = std::max(probe.kind.width_bytes / 4, 1);
    std::string text(probe.lanes_known ? "" : lanes_of_mask);
    text += expand("shr.u64 &key, &address, #shift#;\n",
                   {{"shift", std::countr_zero(static_cast<unsigned>(4 * words))}});
    text += distinct("b64", "&key", "&waves");
    text += expand("mul.lo.u32 &waves, &waves, #words#;\nmov.u32 &ideal, #words#;\n",
                   {{"words", words}});
    text += add_to_site(probe.site, RecordKind::shared);
    if (probe.records_request) text += request_text(maps.launches);
    return text;
}

// Splits lanes by the space that their address reaches; local and constant memory make no request.
std::string generic_probe(const MemoryProbe& probe, const ProbeMaps& maps)
{
    std::string text = probe.address;
    text += R"(
mov.b64 &generic, &address;
activemask.b32 &all;
isspacep.shared &to_shared, &generic;
isspacep.local &p, &generic;
isspacep.const &q, &generic;
or.pred &p, &p, &q;
or.pred &p, &p, &to_shared;
not.pred &to_global, &p;
vote.sync.ballot.b32 &shared_lanes, &to_shared, &all;
vote.sync.ballot.b32 &global_lanes, &to_global, &all;
mov.b32 &mask, &all;
)";
    text += lanes_of_mask;
    text += add_to_site(probe.site, RecordKind::global, Counted::presence);
    if (probe.records_request) text += generic_request_text(maps.launches);
    text += "@!&to_shared bra lsprobe_not_shared;\n";
    text += scoped("cvta.to.shared.u64 &address, &generic;\ncvt.u32.u64 &slot, &address;\n"
                   "mov.u32 &mask, &shared_lanes;\n" +
                   shared_part(probe, maps, Whole::no));
    text += "lsprobe_not_shared:\n@!&to_global bra lsprobe_not_global;\n";
    text += scoped("mov.b64 &address, &generic;\nmov.u32 &mask, &global_lanes;\n" +
                   global_part(probe, maps, Whole::no));
    return scoped(text + "lsprobe_not_global:\n");
}

} // namespace

std::string memory_probe(const MemoryProbe& probe, const ProbeMaps& maps)
{
    const std::string begin = (probe.lanes_known ? "" : "activemask.b32 &mask;\n") + probe.address;
    if (probe.kind.space == trace::Space::global)
        return scoped(begin + global_part(probe, maps, Whole::yes));
    if (probe.kind.space == trace::Space::constant)
        return scoped(begin + constant_probe(probe, maps));
    if (probe.kind.space == trace::Space::shared)
        return scoped(begin + "cvt.u32.u64 &slot, &address;\n" +
                      shared_part(probe, maps, Whole::yes));
    return generic_probe(probe, maps);
}

std::string request_probe(int site, bool counts_for_warp, bool lanes_known)
{
    return scoped((lanes_known ? "" : lanes_here()) +
                  (counts_for_warp ? add_to_warp(WarpPart::texel) : "") +
                  add_to_site(site, RecordKind::global, Counted::requests));
}

} // namespace lanescope::ptx
