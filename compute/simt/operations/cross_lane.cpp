// shfl, vote, match, redux, elect and bar.warp.sync. Each executes when all lanes in its member
// mask have arrived; until then its path waits, and the scheduler runs the warp's other paths.
#include "compute/simt/operations/cross_lane.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/checks/recording/lane_recorder.h"
#include "compute/simt/operations/barriers.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// Function::operands of all of them: rows[0] member mask, rows[1..3] sources, rows[4] d, rows[5]
// predicate |p.
constexpr int members_row = 0, a_row = 1, b_row = 2, c_row = 3, d_row = 4, p_row = 5;

void write_predicate(Executor& x, RowRef ref, std::uint32_t values, std::uint32_t mask)
{
    if (ref == no_row) return;
    auto& row = *x.row<std::uint32_t>(ref);
    row = (row & ~mask) | (values & mask);
}

void write_row(Executor& x, RowRef ref, std::uint32_t value, std::uint32_t mask)
{
    if (ref == no_row) return;
    auto* row = x.row<std::uint32_t>(ref);
    for (; mask != 0; mask &= mask - 1) row[lowest_lane(mask)] = value;
}

void report_together(Executor& x, const Instruction& in, std::uint32_t group)
{
    if (x.recorder != nullptr) x.recorder->together(x, in, group);
}

// Executes the instruction for the lanes in `group`, which share a member mask and have arrived.
using Together = void (*)(Executor&, const Instruction&, const Operands&, std::uint32_t group);

template <Together together>
Flow sync(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (split_guarded(x, in, mask)) return Flow::reload;
    const Operands& operands = x.function->operands[in.extra];
    const auto* members = x.row<const std::uint32_t>(operands.rows[members_row]);
    if (mask == full_mask) {
        std::uint32_t named = full_mask;
        for (int lane = 0; lane < warp_lanes; ++lane) named &= members[lane];
        if (named == full_mask) { // all lanes specify the full mask and have arrived
            together(x, in, operands, mask);
            return Flow::next;
        }
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if ((members[lane] >> lane & 1u) == 0)
            x.fault(in, "warp_sync", lane, 0,
                    fmt::format("executes a warp-wide instruction with the mask {:#010x}, which "
                                "does not name its own "
                                "lane {}",
                                members[lane], lane));
    }
    if (must_wait(x, in, mask)) return Flow::reload;
    while (mask != 0) {
        const std::uint32_t named = members[lowest_lane(mask)];
        std::uint32_t group = 0;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            if (members[lowest_lane(rest)] == named) group |= rest & (~rest + 1);
        together(x, in, operands, group);
        mask &= ~group;
    }
    return Flow::next;
}

// Without .sync: executes the instruction for the active lanes.
template <Together together>
Flow for_active(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (mask != 0) together(x, in, x.function->operands[in.extra], mask);
    return Flow::next;
}

template <Vote kind>
void vote(Executor& x, const Instruction& in, const Operands& operands, std::uint32_t group)
{
    report_together(x, in, group);
    std::uint32_t values = *x.row<const std::uint32_t>(operands.rows[a_row]);
    if (operands.inverted) values = ~values;
    values &= group;
    const RowRef d = operands.rows[d_row];
    if constexpr (kind == Vote::ballot) {
        write_row(x, d, values, group);
    } else {
        const bool result = kind == Vote::all   ? values == group
                            : kind == Vote::any ? values != 0
                                                : values == 0 || values == group;
        write_predicate(x, d, result ? full_mask : 0, group);
    }
}

template <Shuffle kind>
void shuffle(Executor& x, const Instruction& in, const Operands& operands, std::uint32_t group)
{
    const auto* a = x.row<const std::uint32_t>(operands.rows[a_row]);
    const auto* b = x.row<const std::uint32_t>(operands.rows[b_row]);
    const auto* c = x.row<const std::uint32_t>(operands.rows[c_row]);
    alignas(64) std::array<std::uint32_t, warp_lanes> source;
    std::copy_n(a, warp_lanes, source.begin());
    auto* d = x.row<std::uint32_t>(operands.rows[d_row]);
    std::uint32_t inside = 0;
    std::array<std::uint8_t, warp_lanes> received{};
    const auto receive = [&](int lane) {
        const int by = static_cast<int>(b[lane] & 31u);
        const int clamp = static_cast<int>(c[lane] & 31u);
        const int segment = static_cast<int>(c[lane] >> 8 & 31u);
        const int last = (lane & segment) | (clamp & ~segment);
        const int first = lane & segment;
        int from = lane;
        bool valid = false;
        if constexpr (kind == Shuffle::up) {
            from = lane - by;
            valid = from >= last;
        } else if constexpr (kind == Shuffle::down) {
            from = lane + by;
            valid = from <= last;
        } else if constexpr (kind == Shuffle::butterfly) {
            from = lane ^ by;
            valid = from <= last;
        } else {
            from = first | (by & ~segment);
            valid = from <= last;
        }
        from = valid ? from : lane;
        received[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(from);
        inside |= static_cast<std::uint32_t>(valid) << lane;
        return from;
    };
    if (group == full_mask) {
        for (int lane = 0; lane < warp_lanes; ++lane)
            d[lane] = source[static_cast<std::size_t>(receive(lane))];
    } else {
        std::uint32_t undefined = 0;
        for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
            const int lane = lowest_lane(rest);
            const int from = receive(lane);
            // Non-participating lanes yield 0, as on an H100; PTX leaves it undefined.
            const bool takes_part = (group >> from & 1u) != 0;
            d[lane] = takes_part ? source[static_cast<std::size_t>(from)] : 0;
            undefined |= static_cast<std::uint32_t>(!takes_part) << lane;
        }
        if (undefined != 0 && x.follower != nullptr)
            x.follower->shuffles_from_outside(x, in, undefined);
    }
    write_predicate(x, operands.rows[p_row], inside, group);
    if (x.recorder != nullptr) x.recorder->shuffle(x, in, group, received.data());
}

template <Shuffle kind>
Flow shuffle_in_turn(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Operands& operands = x.function->operands[in.extra];
    const auto row = [&](int which) { return x.row<std::uint32_t>(operands.rows[which]); };
    if (mask == full_mask && x.recorder == nullptr) {
        ShuffleRows rows{row(members_row), row(a_row), row(b_row), row(c_row), row(d_row)};
        if (x.launch.shuffle(kind, rows)) {
            write_predicate(x, operands.rows[p_row], rows.inside, mask);
            return Flow::next;
        }
    }
    return sync<shuffle<kind>>(x, in, mask);
}

template <bool All, class Value>
void match(Executor& x, const Instruction& in, const Operands& operands, std::uint32_t group)
{
    report_together(x, in, group);
    const auto* a = x.row<const Value>(operands.rows[a_row]);
    alignas(64) std::array<Value, warp_lanes> values;
    std::copy_n(a, warp_lanes, values.begin());
    for (std::uint32_t todo = group; todo != 0;) {
        const Value value = values[static_cast<std::size_t>(lowest_lane(todo))];
        std::uint32_t equal = 0;
        for (std::uint32_t rest = todo; rest != 0; rest &= rest - 1)
            if (values[static_cast<std::size_t>(lowest_lane(rest))] == value)
                equal |= rest & (~rest + 1);
        if constexpr (All) {
            write_row(x, operands.rows[d_row], equal == group ? group : 0, group);
            write_predicate(x, operands.rows[p_row], equal == group ? full_mask : 0, group);
            return;
        }
        write_row(x, operands.rows[d_row], equal, equal);
        todo &= ~equal;
    }
}

template <Redux kind>
void redux(Executor& x, const Instruction& in, const Operands& operands, std::uint32_t group)
{
    report_together(x, in, group);
    const auto* a = x.row<const std::uint32_t>(operands.rows[a_row]);
    std::uint32_t sum = a[lowest_lane(group)];
    for (std::uint32_t rest = group & (group - 1); rest != 0; rest &= rest - 1) {
        const std::uint32_t value = a[lowest_lane(rest)];
        const auto as_signed = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); };
        switch (kind) {
        case Redux::add: sum += value; break;
        case Redux::min_s: sum = as_signed(value) < as_signed(sum) ? value : sum; break;
        case Redux::max_s: sum = as_signed(value) > as_signed(sum) ? value : sum; break;
        case Redux::min_u: sum = std::min(sum, value); break;
        case Redux::max_u: sum = std::max(sum, value); break;
        case Redux::bit_and: sum &= value; break;
        case Redux::bit_or: sum |= value; break;
        case Redux::bit_xor: sum ^= value; break;
        }
    }
    write_row(x, operands.rows[d_row], sum, group);
}

// -0 is below +0. A NaN loses against a number, unless `nan_wins`.
float extreme(float a, float b, bool is_max, bool nan_wins)
{
    if (std::isnan(a) || std::isnan(b)) {
        if (nan_wins || (std::isnan(a) && std::isnan(b))) return std::bit_cast<float>(0x7fffffffu);
        return std::isnan(a) ? b : a;
    }
    if (a == b) return std::signbit(a) == is_max ? b : a;
    return (a < b) == is_max ? b : a;
}

void float_redux(Executor& x, const Instruction& in, const Operands& operands, std::uint32_t group)
{
    report_together(x, in, group);
    const bool is_max = operands.values[0] != 0;
    const bool absolute = operands.values[1] != 0;
    const bool nan_wins = operands.values[2] != 0;
    const auto* a = x.row<const std::uint32_t>(operands.rows[a_row]);
    const auto value = [&](int lane) {
        const float number = std::bit_cast<float>(a[lane]);
        return absolute ? std::abs(number) : number;
    };
    // Comparing the first value with itself replaces any NaN by the canonical one.
    float result = value(lowest_lane(group));
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1)
        result = extreme(result, value(lowest_lane(rest)), is_max, nan_wins);
    write_row(x, operands.rows[d_row], std::bit_cast<std::uint32_t>(result), group);
}

void elect(Executor& x, const Instruction&, const Operands& operands, std::uint32_t group)
{
    const int leader = lowest_lane(group);
    write_row(x, operands.rows[d_row], static_cast<std::uint32_t>(leader), group);
    write_predicate(x, operands.rows[p_row], 1u << leader, group);
}

void lanes_meet(Executor& x, const Instruction& in, const Operands&, std::uint32_t group)
{
    const std::uint32_t ended = lanes_named(x, in, group) & x.warp->exited;
    for (Observer* observer : x.observers) observer->lanes_meet(x, group | ended);
}

Flow activemask(Executor& x, const Instruction& in, std::uint32_t mask)
{
    write_row(x, in.d, mask, mask);
    return Flow::next;
}

template <Vote kind>
Handlers vote_handlers_of(bool members)
{
    return members ? same<sync<vote<kind>>>() : same<for_active<vote<kind>>>();
}
template <Shuffle kind>
Handlers shuffle_handlers_of(bool members)
{
    return members ? same<shuffle_in_turn<kind>>() : same<for_active<shuffle<kind>>>();
}

} // namespace

bool is_warp_sync(const Instruction& in)
{
    return in.kind == HandlerKind::warp_sync;
}

std::uint32_t lanes_named(const Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto* members =
        x.row<const std::uint32_t>(x.function->operands[in.extra].rows[members_row]);
    std::uint32_t named = 0;
    if (mask == full_mask)
        for (int lane = 0; lane < warp_lanes; ++lane) named |= members[lane];
    else
        for (; mask != 0; mask &= mask - 1) named |= members[lowest_lane(mask)];
    return named;
}

std::uint32_t lanes_needed(const Executor& x, const Instruction& in, std::uint32_t mask)
{
    return lanes_named(x, in, mask) & ~x.warp->exited;
}

bool must_wait(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (split_guarded(x, in, mask)) return true;
    if ((lanes_needed(x, in, mask) & ~mask) == 0) return false;
    x.path().pc = x.pc_of(in);
    x.path().wait = Wait::lanes;
    return true;
}

Handlers warp_sync_handlers()
{
    return same<sync<lanes_meet>>(HandlerKind::warp_sync);
}
Handlers elect_handlers()
{
    return same<sync<elect>>();
}
Handlers activemask_handlers()
{
    return same<activemask>();
}

Handlers vote_handlers(Vote kind, bool members)
{
    switch (kind) {
    case Vote::all: return vote_handlers_of<Vote::all>(members);
    case Vote::any: return vote_handlers_of<Vote::any>(members);
    case Vote::uniform: return vote_handlers_of<Vote::uniform>(members);
    default: return vote_handlers_of<Vote::ballot>(members);
    }
}

Handlers shuffle_handlers(Shuffle kind, bool members)
{
    switch (kind) {
    case Shuffle::up: return shuffle_handlers_of<Shuffle::up>(members);
    case Shuffle::down: return shuffle_handlers_of<Shuffle::down>(members);
    case Shuffle::butterfly: return shuffle_handlers_of<Shuffle::butterfly>(members);
    default: return shuffle_handlers_of<Shuffle::index>(members);
    }
}

Handlers match_handlers(bool all, bool wide)
{
    if (all)
        return wide ? same<sync<match<true, std::uint64_t>>>()
                    : same<sync<match<true, std::uint32_t>>>();
    return wide ? same<sync<match<false, std::uint64_t>>>()
                : same<sync<match<false, std::uint32_t>>>();
}

Handlers redux_handlers(Redux kind)
{
    switch (kind) {
    case Redux::add: return same<sync<redux<Redux::add>>>();
    case Redux::min_s: return same<sync<redux<Redux::min_s>>>();
    case Redux::max_s: return same<sync<redux<Redux::max_s>>>();
    case Redux::min_u: return same<sync<redux<Redux::min_u>>>();
    case Redux::max_u: return same<sync<redux<Redux::max_u>>>();
    case Redux::bit_and: return same<sync<redux<Redux::bit_and>>>();
    case Redux::bit_or: return same<sync<redux<Redux::bit_or>>>();
    default: return same<sync<redux<Redux::bit_xor>>>();
    }
}

Handlers float_redux_handlers()
{
    return same<sync<float_redux>>();
}

} // namespace lanescope::simt
