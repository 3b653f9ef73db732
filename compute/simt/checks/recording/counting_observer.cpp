// The counting rules are in counting/; this file computes common patterns without visiting every
// lane.
#include "compute/simt/checks/recording/counting_observer.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "compute/counting/counting.h"
#include "compute/device/device.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

// Addresses of all lanes, for patterns that are counted lane by lane.
struct AllLanes {
    explicit AllLanes(const AccessEvent& event)
    {
        for (int lane = 0; lane < warp_lanes; ++lane)
            of[static_cast<std::size_t>(lane)] = event.address(lane);
    }
    operator counting::Addresses() const { return counting::Addresses(of); }
    std::array<std::uint64_t, warp_lanes> of;
};

constexpr std::uint8_t site_loads = 1, site_generic = 2;

bool is_atomic(trace::Op op)
{
    return op == trace::Op::atomic || op == trace::Op::reduction;
}

// Cost of runs in ascending order. Returns false if they are not ascending.
bool cost_of_runs(const ByteRuns& runs, std::uint64_t shift, counting::GlobalCost& cost)
{
    std::uint64_t bytes = 0, sectors = 0, lines = 0;
    std::uint64_t end = 0;
    for (int i = 0; i < runs.count; ++i) {
        const ByteRun& run = runs.run[static_cast<std::size_t>(i)];
        const std::uint64_t first = run.begin + shift, last = run.end + shift - 1;
        if (first < end) return false;
        bytes += last + 1 - first;
        sectors += (last >> 5) - (first >> 5) + 1;
        lines += (last >> 7) - (first >> 7) + 1;
        if (end != 0) {
            sectors -= (first >> 5) == ((end - 1) >> 5);
            lines -= (first >> 7) == ((end - 1) >> 7);
        }
        end = last + 1;
    }
    cost = {static_cast<std::uint32_t>(sectors), static_cast<std::uint32_t>((bytes + 31) / 32),
            static_cast<std::uint32_t>((lines + 3) / 4), static_cast<std::uint32_t>(lines)};
    return true;
}

counting::GlobalCost cost_of_lanes(const Executor& x, const AccessEvent& event)
{
    if (event.group != nullptr) {
        ensure_runs(*event.group, x.launch.addresses);
        counting::GlobalCost cost;
        if (cost_of_runs(event.group->runs, event.shift, cost)) return cost;
    }
    return counting::global_access(AllLanes(event), event.mask, event.width_bytes);
}

// Out of line: most accesses are contiguous and don't need this function.
[[gnu::noinline]] counting::GlobalCost scattered_cost(const Executor& x, const AccessEvent& event)
{
    if (is_atomic(event.op))
        return counting::global_atomic(AllLanes(event), event.mask, event.width_bytes);
    if (event.group == nullptr || event.shift % 4 != 0) return cost_of_lanes(x, event);
    AddressGroup& group = *event.group;
    const std::size_t place = event.shift / 4 % group.costs.size();
    AddressGroup::Cost& known = group.costs[place];
    if ((group.costs_known >> place & 1u) != 0)
        return {known.sectors, known.ideal_sectors, known.wavefronts, known.lines};
    const counting::GlobalCost cost = cost_of_lanes(x, event);
    const auto narrow = [](std::uint32_t number) { return static_cast<std::uint8_t>(number); };
    known = {narrow(cost.sectors), narrow(cost.ideal_sectors), narrow(cost.wavefronts),
             narrow(cost.lines)};
    group.costs_known |= 1u << place;
    return cost;
}

[[gnu::always_inline]] inline counting::GlobalCost global_cost(const Executor& x,
                                                               const AccessEvent& event)
{
    if (!event.contiguous) return scattered_cost(x, event);
    const auto sectors = static_cast<std::uint32_t>(((event.high - 1) >> 5) - (event.low >> 5) + 1);
    const auto lines = static_cast<std::uint32_t>(((event.high - 1) >> 7) - (event.low >> 7) + 1);
    return {sectors, static_cast<std::uint32_t>(event.width_bytes), (lines + 3) / 4, lines};
}

counting::SharedCost shared_cost(const AccessEvent& event)
{
    if (is_atomic(event.op))
        return counting::shared_atomic(AllLanes(event), event.mask, event.width_bytes);
    // Up to 32 consecutive words are in different banks.
    if (event.width_bytes <= 4 && (event.high - 1) / 4 - event.low / 4 < counting::banks)
        return {1, 1};
    if (event.contiguous && event.width_bytes >= 4 && event.width_bytes <= 16) {
        const auto groups = static_cast<std::uint32_t>(event.width_bytes / 4);
        if (event.low % 4 == 0) return {groups, groups};
    }
    // Banks repeat every 128 bytes, so shifting all lanes by whole words doesn't change the cost.
    AddressGroup* group = event.group != nullptr && event.shift % 4 == 0 ? event.group : nullptr;
    // Matrix rows never merge, so ldmatrix, which has no plain destination row, counts like a
    // store.
    const bool stores = event.op == trace::Op::store || event.access.values[0] == no_row;
    if (group != nullptr && group->wavefronts_known && group->wavefronts_of_stores == stores)
        return {group->wavefronts, group->ideal_wavefronts};
    const counting::SharedCost cost =
        stores ? counting::shared_store(AllLanes(event), event.mask, event.width_bytes)
               : counting::shared_load(AllLanes(event), event.mask, event.width_bytes);
    if (group != nullptr) {
        group->wavefronts_known = true;
        group->wavefronts_of_stores = stores;
        group->wavefronts = cost.wavefronts;
        group->ideal_wavefronts = cost.ideal_wavefronts;
    }
    return cost;
}

} // namespace

void add_cost(trace::Counts& to, const counting::GlobalCost& cost)
{
#define ADD_every(field)
#define ADD_access(field)
#define ADD_cost(field) to.field += cost.field;
#define ADD_global(field) to.field += cost.field;
#define ADD_shared(field)
#define ADD_branch(field)
#define ADD_model(field)
#define COUNT(field, unit, of, ...) ADD_##of(field)
#include "compute/trace/counts.def"
#undef ADD_global
#undef ADD_shared
}

void add_cost(trace::Counts& to, const counting::SharedCost& cost)
{
#define ADD_global(field)
#define ADD_shared(field) to.field += cost.field;
#define COUNT(field, unit, of, ...) ADD_##of(field)
#include "compute/trace/counts.def"
#undef ADD_every
#undef ADD_access
#undef ADD_cost
#undef ADD_global
#undef ADD_shared
#undef ADD_branch
#undef ADD_model
}

namespace {

// Returns the number of the launch's warps. Throws DeviceError if there are too many to count each.
std::size_t counted_warps(const LaunchState& launch)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 30;
    const auto warps = static_cast<std::size_t>(launch.warps());
    const std::uint64_t blocks = launch.grid.count();
    if (blocks > max_bytes / sizeof(trace::WarpCounts) / warps)
        throw device::DeviceError(
            fmt::format("The grid has {} blocks of {} warps: counting each warp would take more "
                        "than {} GB.",
                        blocks, warps, max_bytes >> 30),
            "Choose a smaller grid.");
    return blocks * warps;
}

} // namespace

void begin_trace(trace::Trace& trace, const LaunchState& launch)
{
    trace.kernel = launch.program.kernel;
    trace.engine = "simt";
    trace.meetings_of = launch.program.module->meetings_of;
    trace.grid = launch.grid;
    trace.block = launch.block;
    trace.sites = launch.program.sites;
    const bool generic = std::ranges::find(trace.sites, trace::Space::generic,
                                           &trace::Site::space) != trace.sites.end();
    trace.counts.assign(trace.sites.size() * (generic ? 2 : 1), {});
    trace.ask_assembler(launch.program.module->text, trace.kernel);
    const bool assembled =
        trace.assembled != nullptr && trace.assembled->sites.size() == trace.sites.size();
    trace.assembled_counts.assign(assembled ? trace.counts.size() : 0, {});
    trace.warps.clear();
    if (trace.per_warp) trace.warps.resize(counted_warps(launch));
    trace.watched.touches.assign((trace.watched.bytes + 31) / 32, 0);
    trace.watched.warps.assign((trace.watched.bytes + 31) / 32, 0);
    const auto element = static_cast<std::uint64_t>(std::max(trace.footprint.element_bytes, 1));
    trace.footprint.owners.assign(trace.footprint.bytes / element, 0);
    trace.request.forget();
    trace.touched.clear();
    for (trace::WatchedBlock::Array& array : trace.watched_block.arrays) {
        array.elements.assign(
            array.bytes / static_cast<std::uint64_t>(std::max(array.element_bytes, 1)), 0);
        array.launch_loads = 0;
    }
    trace.watched_block.moments = 0;
    trace.lanes = trace.lanes.asked();
    if (launch.recording != nullptr)
        launch.recording->begin(launch.grid, launch.block, trace.sites);
    trace.warp_instructions = 0;
    trace.thread_instructions = 0;
    trace.blocks_ended = 0;
    trace.device_launches = 0;
    trace.faults.clear();
}

CountingObserver::CountingObserver(trace::Trace& trace, const LaunchState& launch)
    : trace_(trace), program_(launch.program),
      warps_per_block_(static_cast<std::size_t>(launch.warps())), counts_(trace.counts.size()),
      branch_counts_(trace.sites.size()), assembled_counts_(trace.assembled_counts.size()),
      batch_counts_(launch.program.load_batches), touches_(trace.watched.touches.size()),
      distinct_warps_(trace.watched.warps.size()), sector_warps_(trace.watched.warps.size()),
      owners_(trace.footprint.owners.size()), loads_(trace.watched_block.arrays.size()),
      request_site_(trace.request.site < 0 ? no_index
                                           : static_cast<std::uint32_t>(trace.request.site))
{
    site_kinds_.reserve(trace.sites.size());
    for (const trace::Site& site : trace.sites)
        site_kinds_.push_back(
            static_cast<std::uint8_t>((site.op == trace::Op::load ? site_loads : 0) |
                                      (site.space == trace::Space::generic ? site_generic : 0)));
    for (std::size_t op = 0; op < covered_.size(); ++op)
        covered_[op] = trace::covers(trace.warp_scope, static_cast<trace::Op>(op));
    load_spacing_.resize(batch_counts_.size());
    needs_each_shared_access_ = request_site_ != no_index || !assembled_counts_.empty();
    if (launch.recording != nullptr) recorder_.emplace(*launch.recording, warps_per_block_);
    needs_each_access_ = needs_each_shared_access_ || !touches_.empty() || !loads_.empty();
}

std::uint64_t CountingObserver::warp_index(const Executor& x) const
{
    return x.block->linear * warps_per_block_ + static_cast<std::uint64_t>(x.warp->index);
}

void CountingObserver::access(Executor& x, const AccessEvent& event)
{
    if (event.instruction.site == no_index) return;
    // The shared-memory write of cp.async is not counted: its site is the load.
    const std::uint8_t kind = site_kinds_[event.instruction.site];
    if (event.op == trace::Op::store && (kind & site_loads) != 0) return;
    const auto lanes = lane_count(event.mask);
    trace::Counts& counts = counts_[event.instruction.site];
    trace::WarpCounts& warp = trace_.warps.empty() ? unwanted_ : trace_.warps[warp_index(x)];
    counts.executions += event.first ? 1 : 0;
    counts.lanes += lanes;
    if (!assembled_counts_.empty()) count_assembled(event);
    if (event.space == ptx::Space::global) {
        const counting::GlobalCost cost = global_cost(x, event);
        ++counts.requests;
        add_cost(counts, cost);
        if (covered_[static_cast<std::size_t>(event.op)]) {
            ++warp.global_requests;
            warp.global_sectors += cost.sectors;
            warp.global_ideal_sectors += cost.ideal_sectors;
            warp.memory_lanes += lanes;
        }
        if (!owners_.empty() && event.op == trace::Op::store) own(x, event);
        if (recorder_) recorder_->access(x, event);
        if (needs_each_access_) {
            if (!touches_.empty()) touch(x, event);
            if (event.instruction.site == request_site_) note(x, event);
            if (!loads_.empty()) watch(x, event);
        }
    } else if (event.space == ptx::Space::shared) {
        const counting::SharedCost cost = shared_cost(event);
        ++counts.requests;
        add_cost(counts, cost);
        if ((kind & site_generic) != 0) {
            trace::Counts& part = counts_[trace_.sites.size() + event.instruction.site];
            part.lanes += lanes;
            ++part.requests;
            add_cost(part, cost);
        }
        if (covered_[static_cast<std::size_t>(event.op)]) {
            ++warp.shared_requests;
            warp.shared_wavefronts += cost.wavefronts;
            warp.shared_ideal_wavefronts += cost.ideal_wavefronts;
            warp.memory_lanes += lanes;
        }
        if (event.instruction.site == request_site_) note(x, event);
    } else if (event.space == ptx::Space::constant &&
               trace_.sites[event.instruction.site].space == trace::Space::constant) {
        ++counts.requests;
        add_cost(counts, counting::constant_load(AllLanes(event), event.mask, event.width_bytes));
        if (event.instruction.site == request_site_) note(x, event);
    } else if (event.space == ptx::Space::local &&
               trace_.sites[event.instruction.site].space == trace::Space::local) {
        ++counts.requests;
        counts.modelled_sectors +=
            counting::local_sectors(AllLanes(event), event.mask, event.width_bytes);
        if (event.instruction.site == request_site_ && event.width_bytes <= 4) note(x, event);
    }
}

trace::WarpCounts& CountingObserver::warp_counts(const Executor& x)
{
    return trace_.warps.empty() ? unwanted_ : trace_.warps[warp_index(x)];
}

bool CountingObserver::remember(Executor& x, std::uint32_t number)
{
    if (needs_each_access_ || !owners_.empty()) return false;
    if (remembered_.size() <= number) remembered_.resize(number + std::size_t{1});
    Remembered& before = remembered_[number];
    add(before, counts_);
    before.again = 0;
    begin_snapshot(x);
    return true;
}

void CountingObserver::remembered(Executor& x, std::uint32_t number)
{
    record_difference(x, remembered_[number]);
}

void CountingObserver::begin_snapshot(const Executor& x)
{
    remembering_ = counts_;
    warp_remembering_ = warp_counts(x);
}

void CountingObserver::record_difference(const Executor& x, Remembered& made)
{
    made.counts.clear();
    for (std::size_t site = 0; site < counts_.size(); ++site) {
        if (counts_[site] == remembering_[site]) continue;
        trace::Counts difference;
        for (const trace::CountRow& row : trace::count_rows)
            difference.*row.field = counts_[site].*row.field - remembering_[site].*row.field;
        made.counts.emplace_back(static_cast<std::uint32_t>(site), difference);
    }
    const trace::WarpCounts& now = warp_counts(x);
    for (const trace::WarpCountRow& row : trace::warp_count_rows)
        made.warp.*row.field = now.*row.field - warp_remembering_.*row.field;
}

void CountingObserver::again(Executor& x, std::uint32_t number)
{
    Remembered& remembered = remembered_[number];
    ++remembered.again;
    trace::WarpCounts& warp = warp_counts(x);
    const trace::WarpCounts& more = remembered.warp;
    warp.global_requests += more.global_requests;
    warp.global_sectors += more.global_sectors;
    warp.global_ideal_sectors += more.global_ideal_sectors;
    warp.memory_lanes += more.memory_lanes;
    warp.branches += more.branches;
    if (more.shared_requests == 0) return;
    warp.shared_requests += more.shared_requests;
    warp.shared_wavefronts += more.shared_wavefronts;
    warp.shared_ideal_wavefronts += more.shared_ideal_wavefronts;
}

void CountingObserver::add(const Remembered& remembered, std::vector<trace::Counts>& counts)
{
    if (remembered.again == 0) return;
    for (const auto& [site, difference] : remembered.counts)
        for (const trace::CountRow& row : trace::count_rows)
            counts[site].*row.field += remembered.again * difference.*row.field;
}

bool CountingObserver::round_begins(Executor& x)
{
    if (needs_each_access_ || recorder_) return false;
    begin_snapshot(x);
    return true;
}

bool CountingObserver::round_repeats(Executor& x)
{
    record_difference(x, round_);
    return true;
}

void CountingObserver::rounds(Executor& x, std::uint64_t times)
{
    round_.again = times;
    add(round_, counts_);
    trace::WarpCounts& warp = warp_counts(x);
    for (const trace::WarpCountRow& row : trace::warp_count_rows)
        warp.*row.field += times * round_.warp.*row.field;
}

void CountingObserver::image(Executor& x, const ImageEvent& event)
{
    if (event.instruction.site == no_index) return;
    trace::Counts count;
    count.executions = count.requests = 1;
    count.lanes = lane_count(event.mask);
    count.modelled_sectors = event.sectors;
    counts_[event.instruction.site] += count;
    if (!trace_.warps.empty() &&
        trace::covers(trace_.warp_scope, trace_.sites[event.instruction.site].op)) {
        trace::WarpCounts& warp = trace_.warps[warp_index(x)];
        ++warp.texel_requests;
        warp.texel_sectors += event.sectors;
    }
    if (!assembled_counts_.empty() &&
        trace_.assembled->sites[event.instruction.site].as != trace::AssembledAs::removed)
        assembled_counts_[event.instruction.site] += count;
}

namespace {

// Each sector that a copy touches in global memory costs one transfer; adjacent pieces share one.
counting::GlobalCost cost_of(const BulkCopy& copy)
{
    counting::GlobalCost cost;
    std::uint64_t bytes = 0;
    Address last = ~Address{0};
    for (const BulkPiece& piece : copy.pieces) {
        if (piece.filled || piece.bytes == 0) continue;
        const Address end = piece.global + piece.bytes - 1;
        const auto units = [&](int shift) {
            const bool again = last != ~Address{0} && last >> shift == piece.global >> shift;
            return static_cast<std::uint32_t>((end >> shift) - (piece.global >> shift) +
                                              (again ? 0 : 1));
        };
        cost.sectors += units(5);
        cost.lines += units(7);
        bytes += piece.bytes;
        last = end;
    }
    cost.ideal_sectors = static_cast<std::uint32_t>((bytes + 31) / 32);
    cost.wavefronts = (cost.lines + 3) / 4;
    return cost;
}

} // namespace

void CountingObserver::bulk(Executor& x, const BulkEvent& event)
{
    const std::uint32_t site = event.copy.instruction->site;
    if (event.stage != BulkEvent::Stage::starts || site == no_index) return;
    const counting::GlobalCost cost = cost_of(event.copy);
    trace::Counts& counts = counts_[site];
    counts.executions += event.first ? 1 : 0;
    ++counts.lanes;
    ++counts.requests;
    add_cost(counts, cost);
    if (recorder_) recorder_->bulk(x, event.copy);
    if (!covered_[static_cast<std::size_t>(trace_.sites[site].op)]) return;
    trace::WarpCounts& warp = warp_counts(x);
    ++warp.global_requests;
    warp.global_sectors += cost.sectors;
    warp.global_ideal_sectors += cost.ideal_sectors;
    ++warp.memory_lanes;
}

void CountingObserver::count_assembled(const AccessEvent& event)
{
    using trace::AssembledAs;
    const std::size_t index = event.instruction.site;
    const trace::AssembledSite& made = trace_.assembled->sites[index];
    if (made.as == AssembledAs::part || made.as == AssembledAs::removed) return;
    std::uint32_t mask = event.mask;
    if (made.as == AssembledAs::aggregated) mask &= ~(mask - 1);
    const bool shared = event.space == ptx::Space::shared;
    const bool local =
        event.space == ptx::Space::local && trace_.sites[index].space == trace::Space::local;
    const bool constant =
        event.space == ptx::Space::constant && trace_.sites[index].space == trace::Space::constant;
    if (!shared && !local && !constant && event.space != ptx::Space::global) return;
    const bool split = made.as == AssembledAs::split;
    const int pieces = split ? event.width_bytes / made.width_bytes : 1;
    const bool generic = shared && trace_.sites[index].space == trace::Space::generic;
    trace::Counts& counts = assembled_counts_[index];
    trace::Counts* const part = generic ? &assembled_counts_[trace_.sites.size() + index] : nullptr;
    for (int piece = 0; piece < pieces; ++piece) {
        AllLanes lanes(event);
        const auto shift = static_cast<std::uint64_t>(
            static_cast<std::int64_t>(made.offset + piece * made.width_bytes));
        for (std::uint64_t& address : lanes.of) address += shift;
        trace::Counts cost;
        cost.executions = cost.requests = 1;
        cost.lanes = lane_count(mask);
        if (local) {
            cost.modelled_sectors = counting::local_sectors(lanes, mask, made.width_bytes);
        } else if (constant) {
            add_cost(cost, counting::constant_load(lanes, mask, made.width_bytes));
        } else if (!shared) {
            add_cost(cost, is_atomic(event.op)
                               ? counting::global_atomic(lanes, mask, made.width_bytes)
                               : counting::global_access(lanes, mask, made.width_bytes));
        } else if (made.as == AssembledAs::summed) {
            add_cost(cost, counting::shared_store(lanes, mask, made.width_bytes));
        } else if (is_atomic(event.op)) {
            add_cost(cost, counting::shared_atomic(lanes, mask, made.width_bytes));
        } else if (event.op == trace::Op::store || event.access.values[0] == no_row) {
            add_cost(cost, counting::shared_store(lanes, mask, made.width_bytes));
        } else {
            add_cost(cost, counting::shared_load(lanes, mask, made.width_bytes));
        }
        if (part != nullptr) *part += cost;
        if (!event.first) cost.executions = 0;
        counts += cost;
    }
}

void CountingObserver::loads(Executor& x, const BatchEvent& event)
{
    const AddressGroup& group = event.group;
    const Instruction* code = event.function.code.data();
    const auto event_of = [&](std::uint32_t pc) {
        const Access& access = event.function.accesses[code[pc].extra];
        const std::uint64_t shift = static_cast<std::uint64_t>(access.offset) - group.offset;
        return AccessEvent{code[pc],
                           access,
                           event.space,
                           access.op,
                           access.width_bytes,
                           group.at.lane.data(),
                           shift,
                           event.mask,
                           group.at.low + shift,
                           group.at.high + shift,
                           group.at.contiguous,
                           true,
                           group.allocation,
                           group.base,
                           &event.group};
    };
    const bool at_each =
        event.space == ptx::Space::shared ? needs_each_shared_access_ : needs_each_access_;
    if (at_each || !has_equal_costs(event)) {
        for (std::uint32_t pc : event.batch.loads) access(x, event_of(pc));
        return;
    }
    if (recorder_ && event.space == ptx::Space::global)
        for (std::uint32_t pc : event.batch.loads) recorder_->access(x, event_of(pc));
    const AccessEvent first = event_of(event.batch.loads.front());
    const auto lanes = lane_count(event.mask);
    trace::Counts& each = batch_counts_[event.batch.number];
    ++each.executions;
    ++each.requests;
    each.lanes += lanes;
    trace::WarpCounts& warp = trace_.warps.empty() ? unwanted_ : trace_.warps[warp_index(x)];
    const std::uint64_t count =
        covered_[static_cast<std::size_t>(trace::Op::load)] ? event.batch.loads.size() : 0;
    warp.memory_lanes += count * lanes;
    if (event.space == ptx::Space::shared) {
        const counting::SharedCost cost = shared_cost(first);
        add_cost(each, cost);
        warp.shared_requests += count;
        warp.shared_wavefronts += count * cost.wavefronts;
        warp.shared_ideal_wavefronts += count * cost.ideal_wavefronts;
    } else {
        const counting::GlobalCost cost = global_cost(x, first);
        add_cost(each, cost);
        warp.global_requests += count;
        warp.global_sectors += count * cost.sectors;
        warp.global_ideal_sectors += count * cost.ideal_sectors;
    }
}

// In shared memory all loads differ by multiples of their width, which doesn't affect bank
// conflicts.
bool CountingObserver::has_equal_costs(const BatchEvent& event)
{
    if (event.space == ptx::Space::shared) return event.group.width >= counting::bank_bytes;
    LoadSpacing& apart = load_spacing_[event.batch.number];
    if (apart == LoadSpacing::unknown) {
        const std::vector<std::int64_t>& offsets = event.batch.offsets;
        apart =
            std::ranges::all_of(offsets,
                                [&](std::int64_t offset) {
                                    return (offset - offsets.front()) % counting::line_bytes == 0;
                                })
                ? LoadSpacing::lines
                : LoadSpacing::other;
    }
    return apart == LoadSpacing::lines;
}

// Each warp runs on one core, so only one observer writes here.
namespace {

// Place of a lane's byte in the warp's local memory, where the words of 32 lanes at one address are
// contiguous.
std::uint64_t interleaved(std::uint64_t address, int lane)
{
    constexpr std::uint64_t word = 4;
    return (address / word * warp_lanes + static_cast<std::uint64_t>(lane)) * word + address % word;
}

} // namespace

void CountingObserver::note(const Executor& x, const AccessEvent& event)
{
    trace::WatchedRequest& request = trace_.request;
    if (warp_index(x) != request.warp || request.seen++ != request.occurrence) return;
    request.active = event.mask;
    request.space = event.space == ptx::Space::shared     ? trace::Space::shared
                    : event.space == ptx::Space::constant ? trace::Space::constant
                    : event.space == ptx::Space::local    ? trace::Space::local
                                                          : trace::Space::global;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.address(lane);
        request.addresses[static_cast<std::size_t>(lane)] =
            event.space == ptx::Space::local ? interleaved(address, lane) : address;
    }
}

namespace {

// Number of distinct array elements that a request touches, for the most common patterns. nullopt:
// lanes must be visited one by one.
std::optional<std::uint64_t> elements_of_pattern(const AccessEvent& event,
                                                 const trace::WatchedBlock::Array& array)
{
    const auto element = static_cast<std::uint64_t>(std::max(array.element_bytes, 1));
    if (!std::has_single_bit(element) || event.low < array.address ||
        event.high > array.address + array.elements.size() * element)
        return {};
    const int shift = std::countr_zero(element);
    const auto index = [&](std::uint64_t address) { return (address - array.address) >> shift; };
    const std::uint64_t first = index(event.low);
    const std::uint64_t all = index(event.high - 1) - first + 1; // first to last element
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    if (event.contiguous || event.high - event.low == width) return all;
    std::uint64_t count = 0, next = first, last = 0;
    bool ascends = true;
    for (std::uint32_t rest = event.mask; rest != 0 && ascends; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        const std::uint64_t from = index(address), to = index(address + width - 1);
        ascends = from >= last;
        last = from;
        if (to < next) continue;
        count += to - std::max(from, next) + 1;
        next = to + 1;
    }
    if (ascends) return count;
    constexpr std::uint64_t bits = 64;
    if (all > bits) return {};
    std::uint64_t touched = 0;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        const std::uint64_t from = index(address) - first;
        const std::uint64_t lane_elements = index(address + width - 1) - first - from + 1;
        touched |= (~std::uint64_t{0} >> (bits - lane_elements)) << from;
    }
    return static_cast<std::uint64_t>(std::popcount(touched));
}

} // namespace

// A request loads an element once, no matter how many lanes do. The watched block runs on one core,
// so only one observer writes to its elements.
void CountingObserver::watch(const Executor& x, const AccessEvent& event)
{
    trace::WatchedBlock& watched = trace_.watched_block;
    const bool loads = event.op != trace::Op::store && event.op != trace::Op::reduction;
    const bool chosen = x.block->linear == watched.block;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::size_t which = 0; which < loads_.size(); ++which) {
        trace::WatchedBlock::Array& array = watched.arrays[which];
        const auto element = static_cast<std::uint64_t>(std::max(array.element_bytes, 1));
        if (event.high <= array.address || event.low >= array.address + array.bytes) continue;
        if (!chosen) {
            if (!loads) continue;
            if (const auto count = elements_of_pattern(event, array)) {
                loads_[which] += *count;
                continue;
            }
        }
        std::array<std::uint64_t, 16 * warp_lanes> touched;
        std::size_t count = 0;
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = event.address(lowest_lane(rest));
            if (address < array.address || address >= array.address + array.bytes) continue;
            const std::uint64_t first = (address - array.address) / element;
            const std::uint64_t last = (address + width - 1 - array.address) / element;
            // Usually the adjacent lane has touched the same element.
            if (count > 0 && touched[count - 1] == last) continue;
            for (std::uint64_t at = first; at <= last && at < array.elements.size(); ++at)
                if (count < touched.size()) touched[count++] = at;
        }
        auto* const end = touched.data() + count;
        if (!std::is_sorted(touched.data(), end)) std::sort(touched.data(), end);
        const auto* const unique = std::unique(touched.data(), end);
        if (loads) loads_[which] += static_cast<std::uint64_t>(unique - touched.data());
        if (!chosen) continue;
        std::uint32_t bits = event.op != trace::Op::load ? trace::WatchedBlock::stored : 0;
        if (loads) {
            if (block_loads_.empty()) block_loads_.resize(warps_per_block_ * counts_.size());
            std::uint32_t& done =
                block_loads_[static_cast<std::size_t>(x.warp->index) * counts_.size() +
                             event.instruction.site];
            if (done++ == watched.moment) bits |= trace::WatchedBlock::now;
            watched.moments = std::max(watched.moments, done);
        }
        for (const auto* at = touched.data(); at != unique; ++at)
            array.elements[*at] = (array.elements[*at] + (loads ? 1 : 0)) | bits;
    }
}

void CountingObserver::branch(Executor& x, const Instruction& in, std::uint32_t active,
                              bool divergent)
{
    if (in.site == no_index) return;
    const auto lanes = lane_count(active);
    trace::Counts& counts = counts_[in.site];
    trace::WarpCounts& warp = trace_.warps.empty() ? unwanted_ : trace_.warps[warp_index(x)];
    ++counts.executions;
    counts.lanes += lanes;
    counts.divergent += divergent ? 1 : 0;
    if (!assembled_counts_.empty() &&
        trace_.assembled->sites[in.site].as != trace::AssembledAs::removed) {
        trace::Counts& assembled = assembled_counts_[in.site];
        ++assembled.executions;
        assembled.lanes += lanes;
        assembled.divergent += divergent ? 1 : 0;
    }
    ++warp.branches;
    warp.divergent_branches += divergent ? 1 : 0;
    warp.memory_lanes += lanes;
}

void CountingObserver::barrier_opens(Executor& x, const Barrier&)
{
    if (recorder_) recorder_->barrier_opens(x);
}

void CountingObserver::branches(Executor& x, std::uint64_t number)
{
    trace::WarpCounts& warp = warp_counts(x);
    warp.branches += number;
    warp.memory_lanes += number * warp_lanes;
}

// A request touches a sector once, no matter how many lanes do.
void CountingObserver::touch(const Executor& x, const AccessEvent& event)
{
    const std::uint64_t begin = trace_.watched.address;
    const std::uint64_t end = begin + trace_.watched.bytes;
    if (event.high <= begin || event.low >= end) return;
    std::array<std::uint64_t, 2 * warp_lanes> sectors;
    std::size_t count = 0;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        if (address < begin || address >= end) continue;
        const std::uint64_t last =
            std::min(address + static_cast<std::uint64_t>(event.width_bytes), end) - 1;
        sectors[count++] = (address - begin) / 32;
        if ((last - begin) / 32 != sectors[count - 1]) sectors[count++] = (last - begin) / 32;
    }
    std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
    const auto* unique =
        std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
    const std::uint32_t bit = 1u << x.warp->index;
    for (const auto* sector = sectors.begin(); sector != unique; ++sector) {
        ++touches_[*sector];
        SectorWarps& seen = sector_warps_[*sector];
        if (seen.block != x.block->linear) seen = {x.block->linear, 0};
        if ((seen.warps & bit) == 0) ++distinct_warps_[*sector];
        seen.warps |= bit;
    }
}

void CountingObserver::own(const Executor& x, const AccessEvent& event)
{
    const std::uint64_t begin = trace_.footprint.address;
    const auto element = static_cast<std::uint64_t>(trace_.footprint.element_bytes);
    const auto owner = static_cast<std::uint32_t>(warp_index(x) + 1);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        for (std::uint64_t byte = 0; byte < static_cast<std::uint64_t>(event.width_bytes);
             byte += element) {
            if (address + byte < begin) continue;
            const std::uint64_t index = (address + byte - begin) / element;
            if (index < owners_.size()) owners_[index] = owner;
        }
    }
}

void CountingObserver::surface_store(Executor& x, const SurfaceStore& store)
{
    if (owners_.empty() || store.handle != trace_.footprint.surface) return;
    const auto element = static_cast<std::uint64_t>(trace_.footprint.element_bytes);
    const std::uint64_t end = store.offset + static_cast<std::uint64_t>(store.width_bytes);
    for (std::uint64_t index = store.offset / element; index * element < end; ++index)
        if (index < owners_.size()) owners_[index] = static_cast<std::uint32_t>(warp_index(x) + 1);
}

void CountingObserver::block_ends(Executor& x)
{
    // Checks may report a fault at the end of a block that has already been counted.
    if (ended_ == x.block->linear + 1) return;
    ended_ = x.block->linear + 1;
    if (recorder_) recorder_->block_ends(x);
    for (const Warp& warp : x.block->warps) {
        warp_instructions_ += warp.warp_instructions;
        thread_instructions_ += warp.thread_instructions;
        if (trace_.warps.empty()) continue;
        trace::WarpCounts& counts =
            trace_
                .warps[x.block->linear * warps_per_block_ + static_cast<std::uint64_t>(warp.index)];
        counts.warp_instructions = warp.warp_instructions;
        counts.thread_instructions = warp.thread_instructions;
    }
}

void CountingObserver::merge_into(trace::Trace& trace) const
{
    for (std::size_t i = 0; i < counts_.size(); ++i) trace.counts[i] += counts_[i];
    for (std::size_t site = 0; site < branch_counts_.size(); ++site) {
        trace::Counts alike;
        alike.executions = branch_counts_[site];
        alike.lanes = branch_counts_[site] * warp_lanes;
        trace.counts[site] += alike;
        if (!assembled_counts_.empty() &&
            trace.assembled->sites[site].as != trace::AssembledAs::removed)
            trace.assembled_counts[site] += alike;
    }
    for (const Remembered& each : remembered_) add(each, trace.counts);
    for (std::size_t i = 0; i < assembled_counts_.size(); ++i)
        trace.assembled_counts[i] += assembled_counts_[i];
    for (const Function& function : program_.functions)
        for (const LoadBatch& batch : function.batches) {
            if (batch.loads.size() < 2) continue;
            for (std::uint32_t pc : batch.loads)
                if (const std::uint32_t site = function.code[pc].site; site != no_index)
                    trace.counts[site] += batch_counts_[batch.number];
        }
    for (std::size_t i = 0; i < touches_.size(); ++i) trace.watched.touches[i] += touches_[i];
    for (std::size_t i = 0; i < distinct_warps_.size(); ++i)
        trace.watched.warps[i] += distinct_warps_[i];
    // Blocks run in ascending order on each core, so the highest owner is the last store in program
    // order.
    for (std::size_t i = 0; i < owners_.size(); ++i)
        trace.footprint.owners[i] = std::max(trace.footprint.owners[i], owners_[i]);
    for (std::size_t i = 0; i < loads_.size(); ++i)
        trace.watched_block.arrays[i].launch_loads += loads_[i];
    trace.warp_instructions += warp_instructions_;
    trace.thread_instructions += thread_instructions_;
}

} // namespace lanescope::simt
