// Entry to and exit from native code: exceptions thrown by handlers are caught in the helpers and
// rethrown here.
#include "compute/simt/native/native.h"

#include <algorithm>
#include <cstdlib>

#include "compute/counting/counting.h"
#include "compute/simt/checks/fast/optimistic_checks.h"
#include "compute/simt/checks/faults/division_warnings.h"
#include "compute/simt/checks/recording/access_recorder.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/options.h"
#include "compute/simt/native/emit.h"
#include "compute/simt/native/plan.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt::native {

namespace {

// Catches all exceptions: native code has no unwind tables.
template <bool Observed>
std::uint32_t run_handler(Activation* activation, const Instruction* in, std::uint32_t mask)
{
    Executor& x = *activation->executor;
    try {
        const Flow flow = in->handler[Observed ? 1 : 0](x, *in, mask);
        if constexpr (Observed)
            if (x.follower_just_started) {
                x.follower_just_started = false;
                if (flow == Flow::next) x.path().pc = x.pc_of(*in) + 1;
                return static_cast<std::uint32_t>(Leave::blocked);
            }
        return static_cast<std::uint32_t>(flow);
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}
static_assert(static_cast<int>(Flow::next) == static_cast<int>(Leave::next) &&
              static_cast<int>(Flow::jump) == static_cast<int>(Leave::jump) &&
              static_cast<int>(Flow::reload) == static_cast<int>(Leave::blocked));

std::uint32_t report_branch(Activation* activation, const Instruction* in)
{
    Executor& x = *activation->executor;
    try {
        for (Observer* observer : x.observers) observer->branch(x, *in, activation->active, false);
        return static_cast<std::uint32_t>(Leave::next);
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}

// Fills the load's slot with the addresses of its group. Returns false if these are unknown or not
// contiguous words.
bool fill_slot(Executor& x, Activation& activation, const LoadRegion::Load& load)
{
    const Access& access = x.function->accesses[load.instruction->extra];
    AddressGroup& group = x.groups[access.group & ~joins];
    if (access.batch != no_index) {
        begin_batch(x, access, full_mask);
        if (!batch_in_bounds(x, group)) return false;
    } else {
        GroupReach found;
        if (!reach_group(x, access, full_mask, found)) return false;
        group.base = found.base;
        group.allocation = found.allocation;
    }
    LoadSlot& slot = activation.slots[load.slot];
    auto& one_word = activation.one_word[load.slot];
    if (!group.at.contiguous) ensure_octets(group, x.launch.addresses);
    for (std::size_t i = 0; i < slot.at.size(); ++i) {
        const Octet kind = group.at.contiguous ? Octet::neighbours : group.octets[i];
        if (kind == Octet::scattered) return false;
        one_word[i] = kind == Octet::same ? 1 : 0;
        slot.at[i] = reinterpret_cast<const std::byte*>(
            reinterpret_cast<std::uintptr_t>(group.base) + group.at.lane[8 * i] - group.offset);
    }
    return true;
}

bool watches_memory(const Executor& x)
{
    const Checks& checks = x.launch.options.checks;
    return checks.uninitialised || checks.races;
}

// True if no observer depends on the order of a batch's loads and other events.
bool supports_batches(const Executor& x)
{
    const bool in_any_order = x.branch_counts != nullptr && !watches_memory(x);
    return (x.observers.size() == 1 || in_any_order) && x.accesses == nullptr;
}

void observe_loads(Executor& x, const LoadRegion& region, std::uint64_t steps)
{
    // Nothing can stop the region before its end, so an observer that supports batches may receive
    // each batch at once.
    const bool by_batch = supports_batches(x);
    for (const LoadRegion::Load& load :
         x.whole_batches || by_batch ? region.batch_reports : region.loads) {
        const Access& access = x.function->accesses[load.instruction->extra];
        AddressGroup& group = x.groups[access.group & ~joins];
        x.slice_steps = steps + load.steps;
        if (access.batch != no_index && (x.whole_batches || (load.whole_batch && by_batch))) {
            if (load.leads) observe_batch(x, access, full_mask);
            continue;
        }
        const std::uint64_t shift = static_cast<std::uint64_t>(access.offset) - group.offset;
        observe_group(x, *load.instruction, access, full_mask,
                      {&group, shift, group.base, group.allocation});
    }
}

template <bool Observed>
std::uint32_t check_loads(Activation* activation, const LoadRegion* region, std::uint64_t steps)
{
    constexpr auto usual = static_cast<std::uint32_t>(Leave::next);
    constexpr auto otherwise = static_cast<std::uint32_t>(Leave::jump);
    Executor& x = *activation->executor;
    try {
        // An observer that tracks undefined values must start at the load that reads one; under the
        // fast checks, the speculation fails there.
        if (Observed && x.follower != nullptr && !x.whole_batches) return otherwise;
        bool fine = true;
        for (std::uint32_t slot : region->relied) fine = fine && activation->valid[slot];
        for (const LoadRegion::Load& load : region->leaders) {
            fine = fine && fill_slot(x, *activation, load);
            activation->valid[load.slot] = fine;
        }
        if (!fine) return otherwise;
        if constexpr (Observed) observe_loads(x, *region, steps);
        return usual;
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}

using LaneAddresses = std::array<std::uint64_t, warp_lanes>;

// Returns true if no two lanes share a byte. Octet i starts at first[i]; inside it, lanes are
// `apart` bytes apart.
bool are_disjoint(const Activation::Octet& first, std::int64_t apart, std::int64_t width)
{
    if (std::abs(apart) < width) return false;
    for (std::size_t i = 1; i < first.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (std::int64_t lanes = -7; lanes <= 7; ++lanes) {
                const auto distance = static_cast<std::int64_t>(first[i] - first[j]);
                if (std::abs(distance + lanes * apart) < width) return false;
            }
    return true;
}

// Same, for lanes at any addresses that are multiples of their width.
bool are_disjoint(LaneAddresses lanes)
{
    std::ranges::sort(lanes);
    return std::ranges::adjacent_find(lanes) == lanes.end();
}

std::uint64_t from_lead(const OctetAccess& made)
{
    return static_cast<std::uint64_t>(std::int64_t{made.from_lead});
}

// The address of each octet's first lane. Only those of leads are kept.
Activation::Octet first_lanes(const Activation& activation, const OctetRegion& region,
                              std::size_t number)
{
    const OctetAccess& made = region.accesses[number];
    Activation::Octet first = activation.addresses[made.lead];
    for (std::uint64_t& at : first) at += from_lead(made);
    return first;
}

// The allocation that the access hit last, which its lead has checked.
const Region& hit_of(const Executor& x, const OctetRegion& region, const OctetAccess& made)
{
    return x.hits[region.accesses[made.lead].access->cache];
}

// Cached address properties of an access, valid while the distances between its octets stay the
// same.
AddressGroup& group_of(Executor& x, const OctetAccess& made, const Activation::Octet& first)
{
    OctetGroup& known = x.octet_groups[made.number];
    AddressGroup& group = known.group;
    auto& lane = group.at.lane;
    bool same = known.instruction == made.instruction;
    for (std::size_t i = 1; i < first.size(); ++i)
        same = same && first[i] - first[0] == lane[8 * i] - lane[0];
    if (same) return group;
    known.instruction = made.instruction;
    const std::uint64_t width = made.access->width_bytes;
    const auto spacing = static_cast<std::uint64_t>(std::int64_t{made.address.apart});
    bool contiguous = spacing == width;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t k = 0; k < 8; ++k) {
            const std::uint64_t address = first[i] + k * spacing;
            lane[8 * i + k] = address;
            low = std::min(low, address);
            high = std::max(high, address + width);
        }
        contiguous = contiguous && first[i] == first[0] + 8 * i * width;
    }
    group.mask = full_mask;
    group.width = static_cast<std::uint32_t>(width);
    group.octets_known = group.runs_known = group.wavefronts_known = false;
    group.costs_known = 0;
    group.at.low = low;
    group.at.high = high;
    group.at.contiguous = contiguous;
    group.disjoint = made.instruction->kind == HandlerKind::store &&
                     are_disjoint(first, made.address.apart, made.access->width_bytes);
    return group;
}

// Same, for an access by lanes.
AddressGroup& group_of_lanes(Executor& x, const OctetAccess& made, const LaneAddresses& lanes)
{
    OctetGroup& known = x.octet_groups[made.number];
    AddressGroup& group = known.group;
    std::uint64_t by = 0;
    if (known.instruction == made.instruction &&
        x.launch.addresses.moved64(lanes.data(), 0, group.at, by))
        return group;
    known.instruction = made.instruction;
    group.mask = full_mask;
    group.width = made.access->width_bytes;
    group.octets_known = group.runs_known = group.wavefronts_known = false;
    group.costs_known = 0;
    x.launch.addresses.from64(lanes.data(), 0, full_mask, group.width, group.at);
    group.disjoint = made.instruction->kind == HandlerKind::store && are_disjoint(lanes);
    return group;
}

// Maximum consecutive misses before memoising is abandoned.
constexpr std::uint32_t max_missed = 16;

// Returns true if all lanes moved by the same distance, with none of `bits` set in it.
bool lanes_moved(const LaneAddresses& then, const LaneAddresses& now, std::uint64_t bits)
{
    const std::uint64_t by = now[0] - then[0];
    std::uint64_t differences = by & bits;
    for (std::size_t k = 1; k < now.size(); ++k) differences |= (now[k] - then[k]) ^ by;
    return differences == 0;
}

// Only batch leaders are compared: other loads of a batch keep their distance from the first.
template <RegionForm Form>
bool has_same_cost(const OctetMemo& memo, const OctetRegion& region, const Activation& activation)
{
    std::uint64_t differences = 0;
    const OctetMemo::Access* then = memo.accesses.data();
    for (const std::uint32_t i : region.batch_reports) {
        const std::uint32_t lanes = region.accesses[i].lanes;
        if (lanes != no_index) {
            if (!lanes_moved(memo.lanes[lanes], activation.lane_addresses[lanes], then->bits))
                return false;
        } else {
            const OctetAccess& made = region.accesses[i];
            const Activation::Octet& now = activation.addresses[made.lead];
            const std::uint64_t by = now[0] - then->at[0];
            differences |= (by + from_lead(made)) & then->bits;
            if constexpr (Form == RegionForm::eights)
                for (std::size_t k = 1; k < now.size(); ++k)
                    differences |= (now[k] - then->at[k]) ^ by;
        }
        ++then;
    }
    return differences == 0;
}

// Computes the addresses of each octet from the first one.
void spread_addresses(Activation& activation, const OctetRegion& region)
{
    for (std::size_t i = 0; i < region.accesses.size(); ++i) {
        if (region.accesses[i].lead != i) continue;
        const auto apart = static_cast<std::uint64_t>(
            std::int64_t{region.accesses[i].address.apart} * std::int64_t{8});
        Activation::Octet& at = activation.addresses[i];
        for (std::size_t k = 1; k < at.size(); ++k) at[k] = at[k - 1] + apart;
    }
}

bool all_are_equal(const LaneAddresses& lanes)
{
    return std::ranges::all_of(lanes, [&](std::uint64_t at) { return at == lanes[0]; });
}

void note_places(OctetMemo& memo, const OctetRegion& region, const Activation& activation)
{
    for (const std::uint32_t i : region.batch_reports) {
        const OctetAccess& made = region.accesses[i];
        const Activation::Octet at = first_lanes(activation, region, i);
        // A uniform word costs the same at any address, and shared-memory accesses cost the same
        // after any shift.
        const bool anywhere =
            made.access->space == ptx::Space::shared ||
            (made.lanes != no_index
                 ? all_are_equal(activation.lane_addresses[made.lanes])
                 : made.address.apart == 0 && at[0] == at[1] && at[0] == at[2] && at[0] == at[3]);
        memo.accesses.push_back({at, anywhere ? 0 : counting::line_bytes - std::uint64_t{1}});
    }
    const auto lanes = activation.lane_addresses.begin();
    memo.lanes.assign(lanes, lanes + region.lane_accesses);
}

// The address of the first lane of the access with this index in the region.
std::uint64_t first_address(const Activation& activation, const OctetRegion& region,
                            std::size_t number)
{
    const OctetAccess& made = region.accesses[number];
    if (made.lanes != no_index) return activation.lane_addresses[made.lanes][0];
    return activation.addresses[made.lead][0] + from_lead(made);
}

AddressGroup& group_of_access(Executor& x, const Activation& activation, const OctetRegion& region,
                              std::size_t number)
{
    const OctetAccess& made = region.accesses[number];
    return made.lanes != no_index ? group_of_lanes(x, made, activation.lane_addresses[made.lanes])
                                  : group_of(x, made, first_lanes(activation, region, number));
}

bool is_shared(const OctetAccess& made)
{
    return made.access->space == ptx::Space::shared;
}

// The region's accesses to shared memory, if they are the warp's next events in a known round.
struct SharedRepeats {
    bool all = false;
    std::size_t events = 0;
};

SharedRepeats shared_repeats(Executor& x, const Activation& activation, const OctetRegion& region)
{
    if (x.fast_checks == nullptr) return {};
    const auto [begin, end] =
        x.fast_checks->known_rounds().next_events(static_cast<std::size_t>(x.warp->index));
    const KnownRounds::Event* next = begin;
    for (const std::uint32_t i : region.shared_reports) {
        const OctetAccess& made = region.accesses[i];
        const Access& access = *made.access;
        if (next == end || !next->disjoint_or_loads()) return {};
        const bool batch = made.whole_batch;
        if (next->what() != (batch ? static_cast<const void*>(&x.function->batches[access.batch])
                                   : made.instruction))
            return {};
        const std::uint64_t offset = batch ? static_cast<std::uint64_t>(access.offset) : 0;
        if (made.lanes != no_index
                ? !next->has_lanes(activation.lane_addresses[made.lanes].data(), 0 - offset)
                : !next->by_octets || next->apart != made.address.apart ||
                      !next->starts_at(activation.addresses[made.lead], offset - from_lead(made)))
            return {};
        ++next;
    }
    return {true, static_cast<std::size_t>(next - begin)};
}

// Fast checks compare the values of lanes that store to one location, which
// the region has not computed yet. `but_shared`: ignores shared memory.
template <RegionForm Form>
bool stores_meet(Executor& x, const Activation& activation, const OctetRegion& region,
                 bool but_shared)
{
    for (const std::uint32_t i : region.stores) {
        const OctetAccess& made = region.accesses[i];
        if (but_shared && is_shared(made)) continue;
        if (Form == RegionForm::whole_warps && made.lanes == no_index &&
            std::abs(made.address.apart) >= made.access->width_bytes)
            continue;
        if (!group_of_access(x, activation, region, i).disjoint) return true;
    }
    return false;
}

using Observers = std::span<Observer* const>;

// True if all loads of the whole batch are in the same allocation.
bool is_in_one_allocation(const Executor& x, const OctetRegion& region, const OctetAccess& first)
{
    if (is_shared(first)) return true;
    const std::uint32_t batch = first.access->batch & ~joins;
    const Allocation* const allocation = hit_of(x, region, first).allocation;
    return std::ranges::all_of(region.accesses, [&](const OctetAccess& other) {
        return other.lead == first.lead || other.access->batch == no_index ||
               (other.access->batch & ~joins) != batch ||
               hit_of(x, region, other).allocation == allocation;
    });
}

// Reports the access with this index in the region, alone or with its whole batch.
void report_access(Executor& x, const Activation& activation, const OctetRegion& region,
                   std::size_t number, Observers to, bool by_batch)
{
    const OctetAccess& made = region.accesses[number];
    const Access& access = *made.access;
    AddressGroup& group = group_of_access(x, activation, region, number);
    const std::uint64_t shift = first_address(activation, region, number) - group.at.lane[0];
    const Region& hit = hit_of(x, region, made);
    const bool shared = is_shared(made);
    group.base = shared ? activation.shared : reinterpret_cast<std::byte*>(hit.host - hit.begin);
    group.allocation = shared ? nullptr : hit.allocation;
    if (made.whole_batch && by_batch && !is_in_one_allocation(x, region, made)) {
        for (std::size_t i = 0; i < region.accesses.size(); ++i)
            if (region.accesses[i].access->batch != no_index &&
                (region.accesses[i].access->batch & ~joins) == (access.batch & ~joins))
                report_access(x, activation, region, i, to, false);
        return;
    }
    if (made.whole_batch && by_batch) {
        group.offset = static_cast<std::uint64_t>(access.offset) - shift;
        const BatchEvent event{*x.function, x.function->batches[access.batch], access.space,
                               full_mask, group};
        for (Observer* observer : to) observer->loads(x, event);
        return;
    }
    const AccessEvent event = group_event(*made.instruction, access, full_mask,
                                          {&group, shift, group.base, group.allocation});
    for (Observer* observer : to) observer->access(x, event);
}

void report_each(Executor& x, const Activation& activation, const OctetRegion& region,
                 std::uint64_t steps, Observers to, bool by_batch)
{
    for (const OctetBranch& branch : region.branches) {
        if (branch.instruction->site == no_index) continue;
        x.slice_steps = steps + branch.steps;
        for (Observer* observer : to) observer->branch(x, *branch.instruction, full_mask, false);
    }
    const auto report = [&](std::size_t i) {
        x.slice_steps = steps + region.accesses[i].steps;
        if (x.accesses != nullptr)
            x.accesses->next_of_group(i, first_address(activation, region, i));
        report_access(x, activation, region, i, to, by_batch);
    };
    if (by_batch)
        for (std::uint32_t i : region.batch_reports) report(i);
    else
        for (std::size_t i = 0; i < region.accesses.size(); ++i) report(i);
}

void report_forms(Executor& x, Activation& activation, const OctetRegion& region,
                  std::uint64_t steps, std::uint32_t number)
{
    OctetMemo& memo = x.octet_memos[number];
    const Observers all = x.observers;
    Observer& first = *all.front();
    // Nothing can stop the region before its end, so an observer that supports batches may receive
    // each batch at once.
    const bool by_batch = supports_batches(x) || x.whole_batches;
    const bool remembers =
        (all.size() == 1 || by_batch) && memo.missed < max_missed && first.remember(x, number);
    memo.accesses.clear();
    if (!remembers) return report_each(x, activation, region, steps, all, by_batch);
    ++memo.missed;
    if (x.accesses != nullptr) x.accesses->begin_group(number);
    report_each(x, activation, region, steps, all.first(1), false);
    first.remembered(x, number);
    if (x.accesses != nullptr) x.accesses->end_group();
    note_places(memo, region, activation);
    if (all.size() > 1) report_each(x, activation, region, steps, all.subspan(1), by_batch);
}

// True if the fast checks can handle the access without examining each lane.
template <RegionForm Form>
bool is_checked_at_once(Executor& x, const Activation& activation, const OctetRegion& region,
                        std::size_t number)
{
    const OctetAccess& made = region.accesses[number];
    const Access& access = *made.access;
    if (access.space != ptx::Space::global) return false;
    const Allocation& allocation = *hit_of(x, region, made).allocation;
    if (access.op == trace::Op::load)
        return x.fast_checks->loads_freely(access.cache, allocation) &&
               (!made.whole_batch || is_in_one_allocation(x, region, made));
    return Form == RegionForm::whole_warps && made.lanes == no_index &&
           made.address.apart == access.width_bytes &&
           x.fast_checks->stores_row(access.cache, allocation,
                                     first_address(activation, region, number),
                                     std::uint64_t{access.width_bytes} * warp_lanes);
}

// Reports to all observers but the first, which has memoised the region's costs. `but_shared`: the
// fast checks need no accesses to shared memory.
template <RegionForm Form>
void report_rest(Executor& x, const Activation& activation, const OctetRegion& region,
                 std::uint64_t steps, bool but_shared)
{
    const Observers rest = Observers(x.observers).subspan(1);
    if (x.fast_checks == nullptr)
        return report_each(x, activation, region, steps, rest,
                           supports_batches(x) || x.whole_batches);
    const bool only_fast_checks = rest.size() == 1;
    const auto& reports =
        but_shared && only_fast_checks ? region.global_reports : region.batch_reports;
    for (const std::uint32_t i : reports) {
        const bool at_once = (but_shared && is_shared(region.accesses[i])) ||
                             is_checked_at_once<Form>(x, activation, region, i);
        const Observers to = at_once ? rest.first(rest.size() - 1) : rest;
        if (to.empty()) continue;
        x.slice_steps = steps + region.accesses[i].steps;
        report_access(x, activation, region, i, to, true);
    }
}

// Distinguishes alignments of accesses to global memory, by sectors of their cache lines.
std::uint32_t memo_place(const Activation& activation, const OctetRegion& region)
{
    std::uint64_t sectors = 0;
    for (const std::uint32_t i : region.global_reports)
        sectors ^= first_address(activation, region, i) / counting::sector_bytes;
    return static_cast<std::uint32_t>(sectors % memo_places);
}

template <RegionForm Form>
std::uint32_t report_region(Activation* activation, const OctetRegion* region, std::uint64_t steps)
{
    Executor& x = *activation->executor;
    try {
        const bool checked = x.follower != nullptr || watches_memory(x);
        const bool several = checked || x.observers.size() > 1; // need addresses in any case
        if (checked && !x.whole_batches) return static_cast<std::uint32_t>(Leave::jump);
        const std::uint32_t number =
            memo_number(form_number(region->number, Form), memo_place(*activation, *region));
        if (x.octet_memos.size() <= number) x.octet_memos.resize(number + std::size_t{1});
        const std::size_t needed = region->accesses.back().number + std::size_t{1};
        if (x.octet_groups.size() < needed) x.octet_groups.resize(needed);
        if (several && Form != RegionForm::eights) spread_addresses(*activation, *region);
        const SharedRepeats repeats = shared_repeats(x, *activation, *region);
        if (checked && stores_meet<Form>(x, *activation, *region, repeats.all))
            return static_cast<std::uint32_t>(Leave::jump);
        OctetMemo& memo = x.octet_memos[number];
        if (!memo.accesses.empty() && has_same_cost<Form>(memo, *region, *activation)) {
            memo.missed = 0;
            x.observers.front()->again(x, number);
            if (x.accesses != nullptr)
                x.accesses->again(x, number, [&](std::size_t i) {
                    return first_address(*activation, *region, i);
                });
            if (repeats.all)
                x.fast_checks->known_rounds().advance(static_cast<std::size_t>(x.warp->index),
                                                      repeats.events);
            if (x.observers.size() > 1)
                report_rest<Form>(x, *activation, *region, steps, repeats.all);
            return static_cast<std::uint32_t>(Leave::next);
        }
        if (!several && Form != RegionForm::eights) spread_addresses(*activation, *region);
        report_forms(x, *activation, *region, steps, number);
        return static_cast<std::uint32_t>(Leave::next);
    } catch (...) {
        *activation->fault = std::current_exception();
        return static_cast<std::uint32_t>(Leave::fault);
    }
}

#if !defined(LANESCOPE_NATIVE)
// The x86-64 emitter initialises the lanes itself, in the chunks in which they are read.
void set_lanes(Activation& activation, std::uint32_t active)
{
    for (int lane = 0; lane < warp_lanes; ++lane)
        activation.lanes[lane] = (active >> lane & 1u) != 0 ? ~0u : 0u;
}
#endif

} // namespace

bool is_possible()
{
#if defined(LANESCOPE_NATIVE)
    return is_available(Isa::avx2) || is_available(Isa::avx512);
#elif defined(__wasm__)
    return true;
#else
    return false;
#endif
}

std::string why_not()
{
#if defined(LANESCOPE_NATIVE)
    if (!is_possible()) return "This processor lacks AVX2: the interpreter runs all kernels.";
    if (usual_native_code() == NativeCode::never)
        return "It is disabled (--interpret, LANESCOPE_NATIVE): the interpreter runs all "
               "kernels.";
    constexpr std::array<std::byte, 1> anything{};
    if (CodeMemory(anything).data() == nullptr)
        return "The system does not allow executable memory: the interpreter runs all kernels.";
    return {};
#elif defined(__wasm__)
    return usual_native_code() == NativeCode::never
               ? "It is disabled (--interpret): the interpreter runs all kernels."
               : "";
#else
    return "This program was built without it (Xbyak, x86-64): the interpreter runs all kernels.";
#endif
}

FunctionCode::FunctionCode(std::span<const std::byte> bytes, std::vector<std::uint32_t> entry,
                           Plan plan, std::uint32_t generic_entry)
    : memory_(bytes), entry_(std::move(entry)), plan_(std::move(plan)),
      generic_entry_(generic_entry)
{
    if (!plan_.octets.empty()) octet_forms_ = region_forms * (plan_.octets.back()->number + 1u);
}

Enter FunctionCode::enter() const
{
    return reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(memory_.data()));
}

ProgramCode::ProgramCode(const Program& program) : slots_(program.functions.size() * 4) {}

const FunctionCode* ProgramCode::make(const Program& program, const Function& function,
                                      bool observed, bool masked, Slot& slot)
{
    // If another thread is compiling, continue without native code.
    const std::unique_lock lock(making_, std::try_to_lock);
    if (!lock.owns_lock()) return nullptr;
    if (slot.abandoned.load(std::memory_order_relaxed)) return nullptr;
    if (const FunctionCode* made = slot.code.load(std::memory_order_acquire)) return made;
    const Helpers helpers{observed ? run_handler<true> : run_handler<false>,
                          report_branch,
                          observed ? check_loads<true> : check_loads<false>,
                          {report_region<RegionForm::eights>,
                           report_region<RegionForm::whole_warps>,
                           report_region<RegionForm::by_lanes>}};
    Plan plan = make_plan(program, function);
    for (const auto& region : plan.octets) {
        region->number = octet_regions_++;
        if (region->by_lanes) region->by_lanes->number = region->number;
    }
    Code code = emit(plan, {observed, masked}, helpers);
    if (!code.straight) plan.straight_steps = 0;
    if (!code.bytes.empty()) {
        auto made = std::make_unique<FunctionCode>(code.bytes, std::move(code.entry),
                                                   std::move(plan), code.generic_entry);
        if (made->usable()) {
            slot.owned = std::move(made);
            slot.code.store(slot.owned.get(), std::memory_order_release);
            return slot.owned.get();
        }
    }
    slot.abandoned.store(true, std::memory_order_relaxed);
    return nullptr;
}

const FunctionCode* code_of(const Executor& x, const Function& function, bool observed, bool masked)
{
    const Program& program = x.launch.program;
    const NativeCode use = x.launch.options.native;
    if (program.native == nullptr || use == NativeCode::never) return nullptr;
    // Native code supports one reconvergence point per branch, not nested ones.
    if (!program.module->meetings_of.empty()) return nullptr;
    return program.native->code(program, function, observed, masked, use != NativeCode::warm);
}

bool interpret_this_time(const Executor& x, std::uint64_t steps)
{
    if (x.launch.options.native != NativeCode::sometimes) return false;
    return ((x.entered + steps) * 0x9e3779b97f4a7c15u >> 62 & 1u) != 0;
}

std::uint32_t* misses_of(Executor& x, const FunctionCode& code)
{
    if (x.octet_failures.size() < code.octet_forms()) x.octet_failures.resize(code.octet_forms());
    return x.octet_failures.data();
}

std::uint32_t* zero_divisor_lanes_of(Executor& x, const Function& function)
{
    if (x.zero_divisor_lanes.size() < function.code.size())
        x.zero_divisor_lanes.resize(function.code.size());
    return x.zero_divisor_lanes.data();
}

Leave run(Executor& x, const FunctionCode& code, const void* entry, std::uint64_t slice,
          std::uint64_t& steps)
{
    Path& path = x.path();
    Activation activation;
    std::exception_ptr fault;
    const auto base = [&](RowBase which) {
        return reinterpret_cast<std::byte*>(x.base[static_cast<std::size_t>(which)] +
                                            static_cast<std::uintptr_t>(which));
    };
    activation.executor = &x;
    activation.frame = base(RowBase::frame);
    activation.constants = base(RowBase::constants);
    activation.specials = base(RowBase::specials);
    activation.steps = steps;
    activation.slice = slice;
    activation.slice_steps = &x.slice_steps;
    activation.fault = &fault;
    activation.hits = x.hits.data();
    activation.groups = x.groups.data();
    activation.shared = x.block->shared.data();
    activation.shared_bytes = x.launch.shared_bytes;
    activation.misses = misses_of(x, code);
    activation.zero_divisor_lanes = zero_divisor_lanes_of(x, *x.function);
    activation.affine_threads = x.warp->affine_threads;
    activation.branch_counts = x.branch_counts;
    activation.active = path.mask;
    activation.reconvergence = path.reconvergence;
#if !defined(LANESCOPE_NATIVE)
    if (path.mask != full_mask) set_lanes(activation, path.mask);
#endif
    const Function& function = *x.function;
    const auto leave = static_cast<Leave>(code.enter()(&activation, entry));
    if (activation.divided_by_zero) take_zero_divisors(x, function, x.zero_divisor_lanes);
    if (activation.branches != 0) x.observers.front()->branches(x, activation.branches);
    if (leave == Leave::fault) std::rethrow_exception(fault);
    steps = activation.steps;
    if (leave == Leave::slice_over) x.path().pc = activation.pc;
    return leave;
}

} // namespace lanescope::simt::native
