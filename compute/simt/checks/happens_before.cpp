// Vector clocks, two levels deep: within the block a row of ticks, of other blocks a shared map
// that is copied only when something new is learnt.
#include "compute/simt/checks/happens_before.h"

#include <algorithm>

namespace lanescope::simt {

namespace {

void take_later(std::vector<std::uint32_t>& mine, const std::vector<std::uint32_t>& theirs)
{
    if (mine.size() < theirs.size()) mine.resize(theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b)
{
    if (!a || a == b) return b;
    if (!b) return a;
    auto both = std::make_shared<Knowledge>(*a);
    for (const auto& [block, ticks] : *b) take_later((*both)[block], ticks);
    return both;
}

} // namespace

void HappensBefore::block_begins(const Block& block)
{
    BlockClock& clock = blocks_[block.linear];
    clock = {};
    clock.warps.resize(block.warps.size());
    for (WarpClock& warp : clock.warps) warp.known.assign(block.warps.size(), 0);
}

void HappensBefore::block_ends(const Block& block)
{
    blocks_.erase(block.linear);
}

void HappensBefore::barrier(const Block& block, const Barrier& barrier)
{
    BlockClock& clock = blocks_.at(block.linear);
    std::vector<std::uint32_t> known(clock.warps.size(), 0);
    SharedKnowledge foreign;
    bool whole = true;
    std::vector<bool> takes_part(clock.warps.size());
    for (const Warp& warp : block.warps) {
        const auto i = static_cast<std::size_t>(warp.index);
        // Warps that have left the kernel are done: whatever they did came before.
        takes_part[i] = barrier.arrived[i] != 0 || warp.finished();
        whole = whole && (barrier.arrived[i] | warp.exited) == full_mask;
        if (barrier.arrived[i] != 0) meet(block, warp.index, barrier.arrived[i] | warp.exited);
        if (!takes_part[i]) continue;
        take_later(known, clock.warps[i].known);
        known[i] = std::max(known[i], clock.warps[i].tick);
        foreign = joined(foreign, clock.warps[i].foreign);
    }
    for (std::size_t i = 0; i < clock.warps.size(); ++i) {
        if (!takes_part[i]) continue;
        clock.warps[i].known = known;
        clock.warps[i].foreign = foreign;
        ++clock.warps[i].tick;
    }
    if (whole) ++clock.rounds;
}

void HappensBefore::fence(const Block& block, int index, bool everywhere)
{
    WarpClock& warp = blocks_.at(block.linear).warps[static_cast<std::size_t>(index)];
    auto told =
        warp.foreign ? std::make_shared<Knowledge>(*warp.foreign) : std::make_shared<Knowledge>();
    std::vector<std::uint32_t>& own = (*told)[block.linear];
    own = warp.known;
    own[static_cast<std::size_t>(index)] = warp.tick++;
    warp.to_block = told;
    if (everywhere) warp.to_all = told;
}

Released HappensBefore::released(const Block& block, int index) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    return {block.linear, warp.to_block, warp.to_all};
}

Released HappensBefore::both(const Released& flag, const Released& update)
{
    const bool same = flag.block == update.block;
    return {update.block, joined(same ? flag.to_block : flag.to_all, update.to_block),
            joined(flag.to_all, update.to_all)};
}

void HappensBefore::acquire(const Block& block, int index, const Released& released)
{
    const SharedKnowledge& news =
        released.block == block.linear && released.to_block ? released.to_block : released.to_all;
    if (!news) return;
    WarpClock& warp = blocks_.at(block.linear).warps[static_cast<std::size_t>(index)];
    if (news == warp.foreign) return;
    if (const auto own = news->find(block.linear); own != news->end())
        take_later(warp.known, own->second);
    const auto is_new = [&](const auto& entry) {
        if (entry.first == block.linear) return false;
        if (!warp.foreign) return true;
        const auto known = warp.foreign->find(entry.first);
        if (known == warp.foreign->end()) return true;
        for (std::size_t i = 0; i < entry.second.size(); ++i)
            if (entry.second[i] > known->second[i]) return true;
        return false;
    };
    if (std::ranges::any_of(*news, is_new)) warp.foreign = joined(warp.foreign, news);
}

void HappensBefore::meet(const Block& block, int index, std::uint32_t lanes)
{
    WarpClock& warp = blocks_.at(block.linear).warps[static_cast<std::size_t>(index)];
    ++warp.meetings;
    if (lanes == full_mask) {
        warp.all_met = warp.meetings;
        warp.some_met.clear();
    } else {
        std::erase_if(warp.some_met, [&](const auto& one) { return (one.second & ~lanes) == 0; });
        warp.some_met.emplace_back(warp.meetings, lanes);
    }
}

std::uint32_t HappensBefore::meetings(const Block& block, int warp) const
{
    return clock(block).warps[static_cast<std::size_t>(warp)].meetings;
}

bool HappensBefore::met(const Block& block, int index, std::uint32_t since,
                        std::uint32_t lanes) const
{
    const WarpClock& warp = clock(block).warps[static_cast<std::size_t>(index)];
    return warp.all_met > since || std::ranges::any_of(warp.some_met, [&](const auto& one) {
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
    if (other_block == block.linear) return other_warp == index || warp.known[other] >= tick;
    if (!warp.foreign) return false;
    const auto found = warp.foreign->find(other_block);
    return found != warp.foreign->end() && found->second[other] >= tick;
}

std::uint64_t HappensBefore::rounds(const Block& block) const
{
    return clock(block).rounds;
}

} // namespace lanescope::simt
