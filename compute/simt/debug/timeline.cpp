// The first execution of each part is observed: checked, counted, printed, and its page writes
// recorded. Later executions are faster because they are not observed; the first one has recorded
// the pages that they may write.
#include "compute/simt/debug/timeline.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/images/images.h"
#include "compute/simt/simt_module.h"

namespace lanescope::simt {

namespace {

// Short enough that stepping back re-executes the gap in a few milliseconds.
constexpr std::uint64_t near = std::uint64_t{1} << 11;
constexpr std::uint64_t near_interval = std::uint64_t{1} << 16;
constexpr std::size_t max_near = 24;
constexpr std::size_t max_permanent = 224;
// Segments are no longer than this, so that finding the writer of a location re-executes few
// instructions.
constexpr std::uint64_t max_segment = std::uint64_t{1} << 14;

bool writes(trace::Op op)
{
    return op == trace::Op::store || op == trace::Op::atomic || op == trace::Op::reduction;
}

// Position of the instruction that an observer event belongs to.
std::uint64_t position_of(const Walk& walk, const Executor& x)
{
    return walk.position() + (x.slice_steps > 0 ? x.slice_steps - 1 : 0);
}

} // namespace

// Observes the first execution: records written pages, and marks for the timeline bar.
class Timeline::Recorder : public Observer {
public:
    explicit Recorder(Timeline& timeline) : timeline_(timeline) {}

    void block_begins(Executor& x) override
    {
        begin_segment(started_ ? timeline_.walk_.position() : 0, x.block->linear);
        mark(started_ ? timeline_.walk_.position() : 0).block = true;
        started_ = true;
    }
    void access(Executor&, const AccessEvent& event) override
    {
        if (event.space != ptx::Space::global || !writes(event.op)) return;
        const std::uint64_t first = event.low / kept_page_bytes;
        const std::uint64_t last = (event.high - 1) / kept_page_bytes;
        if (event.allocation != nullptr && last - first < 2) {
            for (std::uint64_t page = first; page <= last; ++page)
                write(event.allocation, page * kept_page_bytes < event.allocation->begin
                                            ? event.allocation->begin
                                            : page * kept_page_bytes);
            write(event.allocation, event.high - 1);
            return;
        }
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const Address address = event.address(lowest_lane(rest));
            const Allocation* allocation = event.allocation != nullptr
                                               ? event.allocation
                                               : timeline_.launch_.memory.find(address);
            if (allocation == nullptr) continue;
            write(allocation, address);
            write(allocation, address + static_cast<Address>(event.width_bytes) - 1);
        }
    }
    void bulk(Executor&, const BulkEvent& event) override
    {
        if (event.stage != BulkEvent::Stage::writes || event.copy.route != BulkRoute::to_global)
            return;
        for (const BulkPiece& piece : event.copy.pieces) {
            const Allocation* const allocation = timeline_.launch_.memory.find(piece.global);
            if (allocation == nullptr || piece.bytes == 0) continue;
            for (Address at = piece.global; at < piece.global + piece.bytes; at += kept_page_bytes)
                write(allocation, at);
            write(allocation, piece.global + piece.bytes - 1);
        }
    }
    void surface_store(Executor&, const SurfaceStore& store) override
    {
        const auto [found, is_new] = images_.try_emplace(store.handle, 0);
        if (is_new) found->second = timeline_.paged_.image_region(store.handle);
        if (found->second == 0) return;
        write_page(found->second, store.offset / kept_page_bytes);
        write_page(found->second,
                   (store.offset + static_cast<std::uint64_t>(store.width_bytes) - 1) /
                       kept_page_bytes);
    }
    void branch(Executor& x, const Instruction&, std::uint32_t, bool divergent) override
    {
        if (divergent) mark(position_of(timeline_.walk_, x)).divergence = true;
    }
    void barrier_opens(Executor& x, const Barrier&) override
    {
        mark(position_of(timeline_.walk_, x)).barrier = true;
    }

    void begin_segment(std::uint64_t position, std::uint64_t block)
    {
        close_segment();
        timeline_.segments_.push_back({position, block, {}});
        ++stamp_;
    }
    // Stores the pages of the open segment so far.
    void note_open_segment()
    {
        if (!timeline_.segments_.empty() && !written_.empty())
            timeline_.segments_.back().pages.assign(written_.begin(), written_.end());
    }
    void close_segment()
    {
        note_open_segment();
        written_.clear();
    }
    // Pages written since clear_dirty().
    std::vector<PageId> dirty() const
    {
        std::vector<PageId> pages;
        for (const std::uint32_t page : dirty_) pages.push_back(timeline_.page_ids_[page]);
        return pages;
    }
    void clear_dirty()
    {
        dirty_.clear();
        ++dirty_stamp_;
    }

private:
    struct PageNumber {
        std::uint32_t number = no_index;
        std::uint32_t stamp = 0;       // stamp of the last segment that wrote it
        std::uint32_t dirty_stamp = 0; // checkpoint interval in which it was last written
    };

    TimelineBin& mark(std::uint64_t position)
    {
        TimelineMarks& marks = timeline_.marks_;
        while (position / marks.width >= TimelineMarks::max_bins) {
            for (std::size_t i = 0; 2 * i < marks.bins.size(); ++i) {
                TimelineBin both = marks.bins[2 * i];
                if (2 * i + 1 < marks.bins.size()) {
                    const TimelineBin& other = marks.bins[2 * i + 1];
                    both.barrier |= other.barrier;
                    both.divergence |= other.divergence;
                    both.block |= other.block;
                }
                marks.bins[i] = both;
            }
            marks.bins.resize((marks.bins.size() + 1) / 2);
            marks.width *= 2;
        }
        const std::size_t bin = position / marks.width;
        if (bin >= marks.bins.size()) marks.bins.resize(bin + 1);
        return marks.bins[bin];
    }
    void write(const Allocation* allocation, Address address)
    {
        write_page(allocation->begin, (address - allocation->begin) / kept_page_bytes);
    }
    void write_page(Address region, std::uint64_t page)
    {
        if (region != last_region_) {
            last_region_ = region;
            last_pages_ = &pages_[region];
        }
        std::vector<PageNumber>& pages = *last_pages_;
        if (page >= pages.size()) pages.resize(page + 1);
        PageNumber& known = pages[page];
        if (known.number == no_index) {
            known.number = static_cast<std::uint32_t>(timeline_.page_ids_.size());
            timeline_.page_ids_.push_back({region, static_cast<std::uint32_t>(page)});
        }
        if (known.stamp != stamp_) {
            known.stamp = stamp_;
            written_.push_back(known.number);
        }
        if (known.dirty_stamp != dirty_stamp_) {
            known.dirty_stamp = dirty_stamp_;
            dirty_.push_back(known.number);
        }
    }

    Timeline& timeline_;
    bool started_ = false;
    std::unordered_map<Address, std::vector<PageNumber>> pages_; // keyed by region
    Address last_region_ = ~Address{0};
    std::vector<PageNumber>* last_pages_ = nullptr;
    std::unordered_map<std::uint64_t, Address> images_; // regions, keyed by handle
    std::uint32_t stamp_ = 1;
    std::uint32_t dirty_stamp_ = 1;
    std::vector<std::uint32_t> written_; // pages written by the open segment
    std::vector<std::uint32_t> dirty_;
};

// Searches for writes to one place.
class Timeline::Watch : public Observer {
public:
    Watch(const Walk& walk, const Place& place) : walk_(walk), place_(place) {}

    void access(Executor& x, const AccessEvent& event) override
    {
        if (place_.surface != 0 || event.space != place_.space || !writes(event.op)) return;
        if (place_.space == ptx::Space::shared && x.block->linear != place_.block) return;
        const Address end = place_.address + static_cast<Address>(place_.bytes);
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = lowest_lane(rest);
            const Address address = event.address(lane);
            if (address < end && address + static_cast<Address>(event.width_bytes) > place_.address)
                found = {position_of(walk_, x), x.block->linear, x.warp->index, lane};
        }
    }
    void bulk(Executor& x, const BulkEvent& event) override
    {
        const bool writes =
            event.stage == BulkEvent::Stage::writes || event.stage == BulkEvent::Stage::fills;
        const bool to_global = event.copy.route == BulkRoute::to_global;
        const ptx::Space space = to_global ? ptx::Space::global : ptx::Space::shared;
        if (place_.surface != 0 || !writes || place_.space != space) return;
        if (!to_global && x.block->linear != place_.block) return;
        const Address end = place_.address + static_cast<Address>(place_.bytes);
        for (const BulkPiece& piece : event.copy.pieces) {
            const Address address = to_global ? piece.global : piece.shared;
            if (address < end && address + piece.bytes > place_.address)
                found = {position_of(walk_, x), x.block->linear, event.copy.warp, event.copy.lane};
        }
    }
    void surface_store(Executor& x, const SurfaceStore& store) override
    {
        if (store.handle != place_.surface) return;
        if (store.offset >= place_.address + static_cast<Address>(place_.bytes) ||
            store.offset + static_cast<std::uint64_t>(store.width_bytes) <= place_.address)
            return;
        // surface_lane() determines the lane later, from the coordinates.
        found = {position_of(walk_, x), x.block->linear, x.warp->index, -1};
    }

    std::optional<WriteFound> found;

private:
    const Walk& walk_;
    const Place& place_;
};

// Collects the bytes of one block's shared memory that are written.
class Timeline::SharedWrites : public Observer {
public:
    SharedWrites(std::uint64_t block, std::size_t bytes) : block_(block), written(bytes) {}

    void access(Executor& x, const AccessEvent& event) override
    {
        if (event.space != ptx::Space::shared || !writes(event.op)) return;
        if (x.shared_block().linear != block_) return;
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1)
            add(event.address(lowest_lane(rest)), static_cast<std::uint64_t>(event.width_bytes));
    }
    void bulk(Executor& x, const BulkEvent& event) override
    {
        const bool writes =
            event.stage == BulkEvent::Stage::writes || event.stage == BulkEvent::Stage::fills;
        if (!writes || event.copy.route == BulkRoute::to_global || x.block->linear != block_)
            return;
        for (const BulkPiece& piece : event.copy.pieces) add(piece.shared, piece.bytes);
    }

private:
    void add(Address begin, std::uint64_t bytes)
    {
        for (Address at = begin; at < begin + bytes && at < written.size(); ++at)
            written[static_cast<std::size_t>(at)] = true;
    }
    const std::uint64_t block_;

public:
    std::vector<bool> written;
};

namespace {

LaunchState prepared(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch)
{
    LaunchState state = device.prepare(kernel, launch);
    if (state.clustered())
        throw device::LaunchError(
            fmt::format("Kernel {} runs in clusters of {} blocks, and such launches cannot be "
                        "stepped through.",
                        kernel.name(), state.cluster.count()),
            "Step through a launch without clusters, or look at its counts and checks with "
            "emulate.");
    return state;
}

} // namespace

Timeline::Timeline(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch,
                   const TimelineOptions& options)
    : kernel_(kernel), launch_(prepared(device, kernel, launch)), print_(launch_.print),
      options_(options), paged_(launch_), recorder_(std::make_unique<Recorder>(*this)),
      observers_(prepare_observers()), walk_(launch_, observers_.all, observers_.follower)
{
    launch_.print = [this](std::string_view text) {
        if (printing_ && print_) print_(text);
    };
    if (paged_.bytes() > options_.max_bytes / 4 * 3)
        throw device::LaunchError(fmt::format("Stepping keeps a copy of the device's memory: {} "
                                              "MB, which exceed the limit of {} MB.",
                                              paged_.bytes() >> 20,
                                              options_.max_bytes / 4 * 3 >> 20),
                                  "Choose a smaller size.");
    keep(true);
    if (walk_.finished()) complete_ = true;
}

Timeline::~Timeline() = default;

Timeline::Observers Timeline::prepare_observers()
{
    Observers made;
    if (options_.trace != nullptr) {
        begin_trace(*options_.trace, launch_);
        counting_ = std::make_unique<CountingObserver>(*options_.trace, launch_);
        made.all.push_back(counting_.get());
    }
    if (options_.checks && (launch_.options.checks.uninitialised || launch_.options.checks.races)) {
        checks_ = std::make_unique<AccessChecks>(launch_);
        made.all.push_back(made.follower = checks_.get());
    }
    made.all.push_back(recorder_.get());
    return made;
}

// --- Checkpoints ---

Timeline::Kept Timeline::permanent_checkpoint_before(std::uint64_t position) const
{
    auto after = checkpoints_.upper_bound(position);
    while (after != checkpoints_.begin()) {
        --after;
        if (after->second->lasting) return after->second;
    }
    return nullptr;
}

Timeline::Kept Timeline::at_or_before(std::uint64_t position) const
{
    const auto after = checkpoints_.upper_bound(position);
    return after == checkpoints_.begin() ? nullptr : std::prev(after)->second;
}

std::vector<PageId> Timeline::changed() const
{
    // Pages that are the same in two lasting checkpoints were not written between them.
    auto next = checkpoints_.upper_bound(base_->position);
    while (next != checkpoints_.end() && !next->second->lasting) ++next;
    if (next == checkpoints_.end()) return recorder_->dirty();
    const Kept before = permanent_checkpoint_before(base_->position);
    return PagedMemory::difference(before->memory, next->second->memory);
}

void Timeline::keep(bool lasting)
{
    const std::uint64_t at = position();
    if (const auto found = checkpoints_.find(at); found != checkpoints_.end()) {
        Checkpoint& kept = *found->second;
        kept.used = ++clock_;
        if (!lasting || kept.lasting) return;
        held_bytes_ -= kept.bytes;
        checkpoints_.erase(found);
    }
    auto made = std::make_shared<Checkpoint>();
    made->position = at;
    made->walk = walk_.state().copy();
    made->lasting = lasting;
    made->used = ++clock_;
    if (base_) {
        // A lasting checkpoint is created during the first execution: pages written since the last
        // lasting one are copied, even if their contents are the same again.
        const std::vector<PageId> pages = changed();
        made->memory = paged_.capture(
            lasting ? &permanent_checkpoint_before(at)->memory : &base_->memory, &pages, !lasting);
        made->bytes = PagedMemory::own_bytes(made->memory, &base_->memory);
    } else {
        made->memory = paged_.capture(nullptr, nullptr, false);
        made->bytes = PagedMemory::own_bytes(made->memory, nullptr);
    }
    made->bytes += made->walk.bytes();
    held_bytes_ += made->bytes;
    checkpoints_[at] = made;
    base_ = made;
    if (lasting) {
        recorder_->clear_dirty();
        // If the frontier was left often, drops some of the checkpoints created there.
        const Kept before = at > 0 ? permanent_checkpoint_before(at - 1) : nullptr;
        const Kept earlier = before && before->position > 0
                                 ? permanent_checkpoint_before(before->position - 1)
                                 : nullptr;
        if (earlier && at - earlier->position < interval_) {
            held_bytes_ -= before->bytes;
            checkpoints_.erase(before->position);
        }
    }
    forget();
}

// Evicts nearby checkpoints first, least recently used; then every other lasting one.
void Timeline::forget()
{
    for (;;) {
        std::size_t near_count = 0;
        std::size_t permanent_count = 0;
        auto oldest = checkpoints_.end();
        for (auto it = checkpoints_.begin(); it != checkpoints_.end(); ++it) {
            if (it->second->lasting) {
                ++permanent_count;
                continue;
            }
            ++near_count;
            if (it->second != base_ &&
                (oldest == checkpoints_.end() || it->second->used < oldest->second->used))
                oldest = it;
        }
        const bool full = held_bytes_ > options_.max_bytes / 8 * 7;
        if (oldest != checkpoints_.end() && (near_count > max_near || full)) {
            held_bytes_ -= oldest->second->bytes;
            checkpoints_.erase(oldest);
            continue;
        }
        if ((!full && permanent_count <= max_permanent) || permanent_count <= 3) return;
        interval_ *= 2;
        bool every_other = false;
        Kept before = checkpoints_.begin()->second;
        const Kept last = checkpoints_.rbegin()->second;
        for (auto it = std::next(checkpoints_.begin()); it != checkpoints_.end();) {
            const Kept& kept = it->second;
            if (!kept->lasting || kept == last || kept == base_) {
                ++it;
                continue;
            }
            every_other = !every_other;
            if (every_other)
                it = checkpoints_.erase(it);
            else
                ++it;
        }
        held_bytes_ = 0;
        const MemoryState* shared = nullptr;
        for (auto& [at, kept] : checkpoints_) {
            kept->bytes = PagedMemory::own_bytes(kept->memory, shared) + kept->walk.bytes();
            held_bytes_ += kept->bytes;
            if (kept->lasting) shared = &kept->memory;
        }
    }
}

void Timeline::restore(const Kept& checkpoint)
{
    const std::vector<PageId> pages = changed();
    paged_.restore(checkpoint->memory, &base_->memory, &pages);
    observe(false);
    base_ = checkpoint;
    checkpoint->used = ++clock_;
    restore_walk(checkpoint->walk);
}

void Timeline::restore_walk(const WalkState& state)
{
    try {
        walk_.restore(state);
    } catch (const device::KernelFault&) {
        // Expected at the end of the launch, where settle() throws
        // again because no warp can progress.
        if (!complete_ || position() != known_) throw;
    }
}

// --- Moving ---

void Timeline::observe(bool on)
{
    if (on == observed_) return;
    observed_ = on;
    walk_.observe_with(on ? observers_.all : std::vector<Observer*>{},
                       on ? observers_.follower : nullptr);
}

void Timeline::note_fault(const trace::Fault& fault)
{
    fault_ = fault;
    complete_ = true;
    known_ = position();
    if (options_.trace != nullptr) options_.trace->faults.push_back(fault);
}

void Timeline::finish_trace(bool cut_off)
{
    recorder_->close_segment();
    if (counting_ == nullptr) return;
    Executor& x = walk_.executor();
    if (cut_off) {
        if (x.slice_steps != 0) {
            x.warp->warp_instructions += x.slice_steps;
            x.warp->thread_instructions += x.slice_steps * std::uint64_t{lane_count(x.path().mask)};
            x.block->steps += x.slice_steps;
            x.slice_steps = 0;
        }
        std::vector<Block> all{*walk_.state().running};
        for (const auto& waiting : walk_.state().waiting) all.push_back(*waiting);
        for (Block& block : all) {
            x.block = &block;
            counting_->block_ends(x);
        }
    }
    counting_->merge_into(*options_.trace);
}

void Timeline::go_to_frontier()
{
    // When the frontier was left, a checkpoint was kept there.
    if (position() != known_) return restore(permanent_checkpoint_before(known_));
    if (const auto here = checkpoints_.find(known_);
        here != checkpoints_.end() && here->second->lasting)
        base_ = here->second;
}

// Executes for the first time. On every exit, known_ equals the position.
void Timeline::extend_frontier(std::uint64_t target)
{
    observe(true);
    printing_ = true;
    struct Silent {
        Timeline& timeline;
        ~Silent()
        {
            timeline.printing_ = false;
            timeline.known_ = timeline.walk_.position();
        }
    };
    std::optional<trace::Fault> fault;
    {
        const Silent silent{*this};
        try {
            while (!walk_.finished() && position() < target) {
                const std::uint64_t next =
                    permanent_checkpoint_before(position())->position + interval_;
                if (position() >= next) {
                    keep(true);
                    continue;
                }
                const Segment& segment = segments_.back();
                if (position() >= segment.begin + max_segment)
                    recorder_->begin_segment(position(), block().linear);
                walk_.run_to(std::min({target, next, segments_.back().begin + max_segment}));
            }
        } catch (const device::KernelFault& found) {
            fault = found.fault();
        }
    }
    if (walk_.finished()) {
        complete_ = true;
        finish_trace(false);
    }
    if (fault) {
        finish_trace(true);
        note_fault(*fault);
        // The instruction may be half executed: goes back to the position before it.
        const std::uint64_t at = known_;
        const Kept from = permanent_checkpoint_before(at);
        restore(from);
        run_known(at);
        keep(true);
    }
}

void Timeline::run_known(std::uint64_t target)
{
    try {
        walk_.run_to(target);
    } catch (const device::KernelFault&) {
        // Expected at the end of the launch, where settle() throws
        // again because no warp can progress.
        if (!complete_ || position() != known_) throw;
    }
}

void Timeline::go_to(std::uint64_t target)
{
    if (complete_) target = std::min(target, known_);
    if (target == position()) return;
    if (target > known_) {
        go_to_frontier();
        extend_frontier(target);
        return;
    }
    // Leaving the frontier: keep a checkpoint to return to.
    if (position() == known_) keep(true);
    const Kept best = at_or_before(target);
    if (target < position() || best->position > position()) restore(best);
    observe(false);
    for (const std::uint64_t before : {near_interval, near}) {
        if (target < before || target - before <= position()) continue;
        run_known(target - before);
        keep(false);
    }
    run_known(target);
    if (position() - at_or_before(position())->position > 2 * near) keep(false);
}

bool Timeline::explore(std::uint64_t instructions)
{
    if (complete_) return false;
    const std::uint64_t here = position();
    go_to_frontier();
    extend_frontier(known_ + instructions);
    go_to(here);
    return !complete_;
}

void Timeline::release()
{
    if (position() == known_) keep(true);
}

void Timeline::reclaim()
{
    const std::uint64_t here = position();
    const Kept kept = at_or_before(here);
    paged_.restore(kept->memory, nullptr, nullptr);
    observe(false);
    base_ = kept;
    restore_walk(kept->walk);
    run_known(here);
}

// --- Searching ---

void Timeline::replay(std::uint64_t from, std::uint64_t below,
                      const std::function<void(Timeline&)>& visit)
{
    go_to(from);
    while (!at_end() && position() < below) {
        visit(*this);
        advance();
    }
}

// Executes one instruction, without creating checkpoints.
void Timeline::advance()
{
    if (position() == known_) {
        go_to_frontier();
        extend_frontier(known_ + 1);
    } else {
        observe(false);
        run_known(position() + 1);
    }
}

bool Timeline::first(std::uint64_t from, std::uint64_t below, const Probe& probe)
{
    go_to(from);
    std::uint64_t kept = position();
    while (!at_end() && position() < below) {
        if (probe(*this)) return true;
        advance();
        if (position() >= kept + near_interval / 2 && position() < known_) {
            kept = position();
            keep(false);
        }
    }
    return false;
}

bool Timeline::last(std::uint64_t from, std::uint64_t below, const Probe& probe)
{
    const std::uint64_t here = position();
    if (position() == known_) keep(true);
    std::uint64_t end = std::min(below, known_);
    while (end > from) {
        const Kept start = at_or_before(end - 1);
        const std::uint64_t begin = std::max(start->position, from);
        go_to(begin);
        std::optional<std::uint64_t> found;
        while (position() < end && !at_end()) {
            if (probe(*this)) found = position();
            if (position() + 1 >= end) break;
            advance();
        }
        if (found) {
            go_to(*found);
            return true;
        }
        end = begin;
    }
    go_to(here);
    return false;
}

std::optional<WriteFound> Timeline::last_write(const Place& place, std::uint64_t below)
{
    const std::uint64_t here = position();
    below = std::min(below, known_);
    Watch watch(walk_, place);
    const auto watch_stretch = [&](std::uint64_t from, std::uint64_t to) {
        go_to(from);
        observe(false);
        walk_.observe_with({&watch}, nullptr);
        run_known(to);
        walk_.observe_with({}, nullptr);
    };
    const bool in_block = place.space == ptx::Space::shared && place.surface == 0;
    const Address region = place.surface != 0 ? paged_.image_region(place.surface) : 0;
    const auto touches = [&](const Segment& segment) {
        if (in_block) return segment.block == place.block;
        return std::ranges::any_of(segment.pages, [&](std::uint32_t page) {
            const PageId& id = page_ids_[page];
            if (region != 0 && id.region != region) return false;
            if (region == 0 && place.address < id.region) return false;
            const Address offset = region != 0 ? place.address : place.address - id.region;
            return id.page >= offset / kept_page_bytes &&
                   id.page <= (offset + static_cast<Address>(place.bytes) - 1) / kept_page_bytes;
        });
    };
    if (position() == known_) keep(true);
    recorder_->note_open_segment();
    // Newest segment first; segments that start after the same checkpoint are executed in one pass.
    auto newest = static_cast<std::ptrdiff_t>(segments_.size()) - 1;
    std::optional<WriteFound> found;
    while (newest >= 0 && !found) {
        if (segments_[static_cast<std::size_t>(newest)].begin >= below ||
            !touches(segments_[static_cast<std::size_t>(newest)])) {
            --newest;
            continue;
        }
        const std::uint64_t start =
            permanent_checkpoint_before(segments_[static_cast<std::size_t>(newest)].begin)
                ->position;
        std::vector<std::size_t> together;
        for (; newest >= 0 && segments_[static_cast<std::size_t>(newest)].begin >= start;
             --newest) {
            const Segment& segment = segments_[static_cast<std::size_t>(newest)];
            if (segment.begin < below && touches(segment))
                together.push_back(static_cast<std::size_t>(newest));
        }
        for (auto it = together.rbegin(); it != together.rend(); ++it) {
            const std::uint64_t end =
                *it + 1 < segments_.size() ? segments_[*it + 1].begin : known_;
            watch_stretch(segments_[*it].begin, std::min(end, below));
        }
        found = watch.found;
    }
    if (found && found->lane < 0) {
        go_to(found->position);
        found->lane = surface_lane(place);
    }
    go_to(here);
    return found;
}

std::vector<bool> Timeline::written_shared()
{
    const std::uint64_t here = position();
    const std::uint64_t own = block().linear;
    SharedWrites found(own, block().shared.size());
    if (here == known_) keep(true);
    recorder_->note_open_segment();
    for (std::size_t i = 0; i < segments_.size() && segments_[i].begin < here; ++i) {
        if (segments_[i].block != own) continue;
        go_to(segments_[i].begin);
        observe(false);
        walk_.observe_with({&found}, nullptr);
        run_known(std::min(i + 1 < segments_.size() ? segments_[i + 1].begin : known_, here));
        walk_.observe_with({}, nullptr);
    }
    go_to(here);
    return std::move(found.written);
}

// Last lane of the next instruction, a surface store, that stores to the place.
int Timeline::surface_lane(const Place& place)
{
    Executor& x = walk_.executor();
    const ImageAccess& access = x.function->images[walk_.next_instruction().extra];
    const ImageData* image = launch_.images.surface(place.surface);
    const int width = access.element_bytes * access.elements;
    int found = 0;
    for (std::uint32_t rest = walk_.next_mask(); image != nullptr && rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (x.row<const std::uint64_t>(access.handle)[lane] != place.surface) continue;
        const auto offset = surface_access_offset(x, access, *image, lane);
        if (offset && *offset < place.address + static_cast<Address>(place.bytes) &&
            *offset + static_cast<std::size_t>(width) > place.address)
            found = lane;
    }
    return found;
}

std::uint64_t Timeline::block_start(std::uint64_t position) const
{
    auto after = std::ranges::upper_bound(segments_, position, {}, &Segment::begin);
    if (after == segments_.begin()) return 0;
    const std::uint64_t block = std::prev(after)->block;
    std::uint64_t begin = std::prev(after)->begin;
    while (after != segments_.begin() && std::prev(after)->block == block) begin = (--after)->begin;
    return begin;
}

std::optional<std::uint64_t> Timeline::block_end(std::uint64_t position) const
{
    auto after = std::ranges::upper_bound(segments_, position, {}, &Segment::begin);
    if (after == segments_.begin()) return std::nullopt;
    const std::uint64_t block = std::prev(after)->block;
    while (after != segments_.end() && after->block == block) ++after;
    if (after != segments_.end()) return after->begin;
    return complete_ ? std::optional(known_) : std::nullopt;
}

std::optional<std::uint64_t> Timeline::find_block(std::uint64_t linear)
{
    if (linear >= launch_.grid.count()) return std::nullopt;
    std::size_t looked = 0;
    for (;;) {
        for (; looked < segments_.size(); ++looked)
            if (segments_[looked].block == linear) return segments_[looked].begin;
        if (!explore(std::uint64_t{1} << 16) && looked == segments_.size()) return std::nullopt;
    }
}

// --- Memory ---

std::optional<Address> Timeline::symbol(const std::string& name) const
{
    const auto& kernel = dynamic_cast<const SimtKernel&>(kernel_);
    const Symbols::Place* place = kernel.module().symbols().find(name);
    if (place == nullptr || place->space == ptx::Space::none) return std::nullopt;
    return window(place->space) + place->address;
}

bool Timeline::read_initial(const Place& place, std::span<std::byte> to) const
{
    const MemoryState& first = checkpoints_.begin()->second->memory;
    if (place.surface == 0) return PagedMemory::read(first, place.address, to);
    const Address region = paged_.image_region(place.surface);
    return region != 0 && PagedMemory::read(first, region, place.address, to);
}

bool Timeline::read(const Place& place, std::span<std::byte> to) const
{
    std::span<const std::byte> bytes;
    Address begin = 0;
    if (place.surface != 0) {
        const ImageData* image = launch_.images.surface(place.surface);
        if (image != nullptr) bytes = image->texels;
    } else if (place.space == ptx::Space::shared) {
        if (walk_.state().running) bytes = walk_.state().running->shared;
    } else if (const Allocation* allocation = launch_.memory.find(place.address)) {
        bytes = {allocation->host, allocation->bytes()};
        begin = allocation->begin;
    }
    if (place.address < begin || place.address - begin > bytes.size() ||
        to.size() > bytes.size() - (place.address - begin))
        return false;
    std::memcpy(to.data(), bytes.data() + (place.address - begin), to.size());
    return true;
}

} // namespace lanescope::simt
