// Two-level vector clocks: an array of ticks within the block, and a shared tree for other blocks,
// where an update copies only the path to the changed node.
#include "compute/simt/checks/precise/happens_before.h"

#include <algorithm>
#include <utility>

namespace lanescope::simt {

namespace {

void join(std::vector<std::uint32_t>& mine, const std::vector<std::uint32_t>& theirs)
{
    if (mine.size() < theirs.size()) mine.resize(theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

void join(LaneTimes& mine, const LaneTimes& theirs)
{
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

// Child on the path to a block: four bits of its number per level.
std::size_t child_of(std::uint64_t block, int level)
{
    return block >> (4 * (level - 1)) & (Knowledge::children - 1);
}

bool holds(const Knowledge& known, std::uint64_t block)
{
    return known.level >= 16 || block >> (4 * known.level) == 0;
}

const std::vector<std::uint32_t>* find(const SharedKnowledge& known, std::uint64_t block)
{
    if (!known || !holds(*known, block)) return nullptr;
    const Knowledge* node = known.get();
    while (node->level > 0) {
        node = node->below[child_of(block, node->level)].get();
        if (node == nullptr) return nullptr;
    }
    return &node->ticks;
}

SharedKnowledge raised(SharedKnowledge known, int level)
{
    while (known->level < level) {
        auto above = std::make_shared<Knowledge>();
        above->level = known->level + 1;
        above->below[0] = std::move(known);
        known = std::move(above);
    }
    return known;
}

SharedKnowledge with(const SharedKnowledge& known, int level, std::uint64_t block,
                     const std::vector<std::uint32_t>& ticks)
{
    auto made = known ? std::make_shared<Knowledge>(*known) : std::make_shared<Knowledge>();
    made->level = level;
    if (level == 0) {
        made->ticks = ticks;
    } else {
        SharedKnowledge& child = made->below[child_of(block, level)];
        child = with(child, level - 1, block, ticks);
    }
    return made;
}

// Returns a copy with the block's ticks replaced.
SharedKnowledge with(SharedKnowledge known, std::uint64_t block,
                     const std::vector<std::uint32_t>& ticks)
{
    int level = known ? known->level : 0;
    while (level < 16 && block >> (4 * level) != 0) ++level;
    if (known) known = raised(std::move(known), level);
    return with(known, level, block, ticks);
}

// Merges both; nodes that one side already contains are shared.
SharedKnowledge joined(SharedKnowledge a, SharedKnowledge b)
{
    if (!a || a == b) return b;
    if (!b) return a;
    a = raised(std::move(a), b->level);
    b = raised(std::move(b), a->level);
    Knowledge both;
    both.level = a->level;
    bool only_a = true, only_b = true;
    if (both.level == 0) {
        both.ticks = a->ticks;
        join(both.ticks, b->ticks);
        only_a = both.ticks == a->ticks;
        only_b = both.ticks == b->ticks;
    }
    for (std::size_t i = 0; i < Knowledge::children; ++i) {
        both.below[i] = joined(a->below[i], b->below[i]);
        only_a = only_a && both.below[i] == a->below[i];
        only_b = only_b && both.below[i] == b->below[i];
    }
    if (only_a) return a;
    return only_b ? b : std::make_shared<const Knowledge>(std::move(both));
}

} // namespace

void HappensBefore::block_begins(const Block& block)
{
    BlockClock& clock = blocks_[block.linear];
    recent_ = &clock;
    recent_block_ = block.linear;
    clock = {};
    clock.warps.resize(block.warps.size());
    for (WarpClock& warp : clock.warps) warp.known.assign(block.warps.size(), 0);
}

void HappensBefore::block_ends(const Block& block)
{
    blocks_.erase(block.linear);
    recent_ = nullptr;
}

void HappensBefore::barrier(const Block& block, const Barrier& barrier)
{
    BlockClock& clock = this->clock(block);
    std::vector<std::uint32_t> known(clock.warps.size(), 0);
    SharedKnowledge foreign, reads, to_block, to_device;
    bool whole = true;
    std::vector<bool> takes_part(clock.warps.size());
    for (const Warp& warp : block.warps) {
        const auto i = static_cast<std::size_t>(warp.index);
        // All accesses of exited warps happened before the barrier.
        takes_part[i] = barrier.arrived[i] != 0 || warp.finished();
        whole = whole && (barrier.arrived[i] | warp.exited) == full_mask;
        if (barrier.arrived[i] != 0) meet(block, warp.index, barrier.arrived[i] | warp.exited);
        if (!takes_part[i]) continue;
        join(known, clock.warps[i].known);
        known[i] = std::max(known[i], clock.warps[i].tick);
        foreign = joined(foreign, clock.warps[i].foreign);
        reads = joined(reads, clock.warps[i].reads);
        to_block = joined(to_block, clock.warps[i].sequential_to_block);
        to_device = joined(to_device, clock.warps[i].sequential_to_all);
    }
    for (std::size_t i = 0; i < clock.warps.size(); ++i) {
        if (!takes_part[i]) continue;
        clock.warps[i].known = known;
        clock.warps[i].foreign = foreign;
        clock.warps[i].reads = reads;
        clock.warps[i].sequential_to_block = to_block;
        clock.warps[i].sequential_to_all = to_device;
        clock.warps[i].to_block = joined(clock.warps[i].to_block, to_block);
        clock.warps[i].to_device = joined(clock.warps[i].to_device, to_device);
        ++clock.warps[i].tick;
    }
    if (whole) ++clock.rounds;
}

SharedKnowledge HappensBefore::reported(const Block& block, int index)
{
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    std::vector<std::uint32_t> own = warp.known;
    own[static_cast<std::size_t>(index)] = warp.tick++;
    return with(warp.foreign, block.linear, own);
}

SharedKnowledge HappensBefore::together(SharedKnowledge a, SharedKnowledge b)
{
    return joined(std::move(a), std::move(b));
}

void HappensBefore::fence(const Block& block, int index, Fence fence)
{
    const SharedKnowledge reported = this->reported(block, index);
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    warp.to_block = reported;
    if (fence.everywhere) warp.to_device = reported;
    if (!fence.sequential) return;
    warp.sequential_to_block = reported;
    if (fence.everywhere) warp.sequential_to_all = reported;
}

void HappensBefore::proxy_fence(const Block& block, int index)
{
    BlockClock& clock = this->clock(block);
    WarpClock& warp = clock.warps[static_cast<std::size_t>(index)];
    join(clock.proxy_fenced, warp.known);
    const auto own = static_cast<std::size_t>(index);
    if (clock.proxy_fenced.size() <= own) clock.proxy_fenced.resize(own + 1);
    clock.proxy_fenced[own] = warp.tick++;
}

bool HappensBefore::is_proxy_fenced(const Block& block, int index, std::uint32_t tick) const
{
    const std::vector<std::uint32_t>& fenced = clock(block).proxy_fenced;
    const auto own = static_cast<std::size_t>(index);
    return own < fenced.size() && fenced[own] >= tick;
}

void HappensBefore::learn(const Block& block, int index, int copier, std::uint32_t tick)
{
    std::vector<std::uint32_t>& known = clock(block).warps[static_cast<std::size_t>(index)].known;
    const auto number = static_cast<std::size_t>(copier);
    if (known.size() <= number) known.resize(number + 1);
    known[number] = std::max(known[number], tick);
}

Released HappensBefore::released(const Block& block, int index) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    return {block.linear, warp.to_block, warp.to_device, nullptr};
}

bool HappensBefore::has_fenced(const Block& block, int index) const
{
    return clock(block).warps[static_cast<std::size_t>(index)].to_block != nullptr;
}

Released HappensBefore::both(const Released& flag, const Released& update)
{
    const bool same = flag.block == update.block;
    return {update.block, joined(same ? flag.to_block : flag.to_device, update.to_block),
            joined(flag.to_device, update.to_device), joined(flag.reads, update.reads)};
}

void HappensBefore::acquire(const Block& block, int index, const Released& released)
{
    const SharedKnowledge& news = released.block == block.linear && released.to_block
                                      ? released.to_block
                                      : released.to_device;
    learn(block, index, news);
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (!released.reads || released.reads == warp.acquired_reads) return;
    warp.reads = joined(warp.reads, released.reads);
    warp.acquired_reads = released.reads;
}

SharedKnowledge HappensBefore::completed_reads(const Block& block, int index)
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    return with(joined(warp.foreign, warp.reads), block.linear, warp.known);
}

void HappensBefore::learn(const Block& block, int index, const SharedKnowledge& news)
{
    if (!news) return;
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (news == warp.foreign || news == warp.acquired) return;
    if (const auto* own = find(news, block.linear)) join(warp.known, *own);
    warp.foreign = joined(warp.foreign, news);
    warp.acquired = news;
}

void HappensBefore::meet(const Block& block, int index, std::uint32_t lanes)
{
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    ++warp.meetings;
    if (lanes == full_mask) {
        warp.last_full_meeting = warp.meetings;
        warp.later_meetings.clear();
    } else {
        std::erase_if(warp.later_meetings,
                      [&](const auto& one) { return (one.second & ~lanes) == 0; });
        warp.later_meetings.emplace_back(warp.meetings, lanes);
    }
    if (warp.lanes_know.empty()) return;
    LaneTimes together{};
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        join(together, warp.lanes_know[static_cast<std::size_t>(lowest_lane(rest))]);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        together[static_cast<std::size_t>(lowest_lane(rest))] = warp.meetings;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        warp.lanes_know[static_cast<std::size_t>(lowest_lane(rest))] = together;
}

void HappensBefore::lanes_fence(const Block& block, int index, std::uint32_t lanes)
{
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (warp.lanes_know.empty()) {
        warp.lanes_know.resize(warp_lanes);
        warp.lanes_release.resize(warp_lanes);
    }
    ++warp.meetings; // tells accesses before the fence from those after it
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(lowest_lane(rest));
        warp.lanes_know[lane][lane] = warp.meetings;
        warp.lanes_release[lane] = warp.lanes_know[lane];
    }
}

bool HappensBefore::any_lane_fenced(const Block& block, int index) const
{
    return !clock(block).warps[static_cast<std::size_t>(index)].lanes_know.empty();
}

const LaneTimes* HappensBefore::released_by_lane(const Block& block, int index, int lane) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (warp.lanes_release.empty()) return nullptr;
    const LaneTimes& released = warp.lanes_release[static_cast<std::size_t>(lane)];
    return released[static_cast<std::size_t>(lane)] == 0 ? nullptr : &released;
}

void HappensBefore::acquire_by_lane(const Block& block, int index, int lane,
                                    const LaneTimes& released)
{
    WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (!warp.lanes_know.empty()) join(warp.lanes_know[static_cast<std::size_t>(lane)], released);
}

bool HappensBefore::handed_over(const Block& block, int index, std::uint32_t since,
                                std::uint32_t others, std::uint32_t lanes) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    if (warp.lanes_know.empty()) return false;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const LaneTimes& known = warp.lanes_know[static_cast<std::size_t>(lane)];
        for (std::uint32_t from = others & ~(1u << lane); from != 0; from &= from - 1)
            if (known[static_cast<std::size_t>(lowest_lane(from))] <= since) return false;
    }
    return true;
}

std::uint32_t HappensBefore::meetings(const Block& block, int warp) const
{
    return clock(block).warps[static_cast<std::size_t>(warp)].meetings;
}

bool HappensBefore::met(const Block& block, int index, std::uint32_t since,
                        std::uint32_t lanes) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    return warp.last_full_meeting > since ||
           std::ranges::any_of(warp.later_meetings, [&](const auto& one) {
               return one.first > since && (lanes & ~one.second) == 0;
           });
}

std::uint32_t HappensBefore::tick(const Block& block, int warp) const
{
    return clock(block).warps[static_cast<std::size_t>(warp)].tick;
}

bool HappensBefore::knows(const Block& block, int index, std::uint64_t other_block, int other_warp,
                          std::uint32_t tick) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    const auto other = static_cast<std::size_t>(other_warp);
    if (other_block == block.linear)
        return other_warp == index || (other < warp.known.size() && warp.known[other] >= tick);
    const std::vector<std::uint32_t>* found = find(warp.foreign, other_block);
    return found != nullptr && other < found->size() && (*found)[other] >= tick;
}

bool HappensBefore::knows_read(const Block& block, int index, std::uint64_t other_block,
                               int other_warp, std::uint32_t tick) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    const auto other = static_cast<std::size_t>(other_warp);
    const std::vector<std::uint32_t>* found = find(warp.reads, other_block);
    return found != nullptr && other < found->size() && (*found)[other] >= tick;
}

std::uint64_t HappensBefore::rounds(const Block& block) const
{
    return clock(block).rounds;
}

} // namespace lanescope::simt
