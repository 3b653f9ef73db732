// Time is counted in requests: in each round, every multiprocessor makes the same number of
// requests, from one warp after another. When a block ends, the grid's next block takes its slot.
#include "compute/caches/replay.h"

#include <algorithm>
#include <utility>

#include "compute/counting/caches.h"
#include "compute/counting/occupancy.h"

namespace lanescope::caches {

Fit fit_of(const counting::Gpu& gpu, const Recording& launch)
{
    const counting::Occupancy fits = counting::occupancy(
        gpu.limits(), static_cast<int>(launch.block.count()),
        std::min(launch.registers_per_thread, gpu.limits().registers_per_thread),
        launch.shared_bytes_per_block);
    const int resident = std::max(fits.blocks, 1);
    const int shared_bytes = resident * fits.shared_bytes_per_block;
    return {resident, static_cast<std::size_t>(counting::l1_bytes(gpu, shared_bytes))};
}

Sizes sizes_of(const counting::Gpu& gpu)
{
    return {.multiprocessors = gpu.multiprocessors,
            .l2_bytes = static_cast<std::size_t>(gpu.l2_bytes),
            .l2_partitions = counting::caches_of(gpu).l2_partitions};
}

Replay::Replay(const Sizes& sizes)
    : caches_(sizes), multiprocessors_(static_cast<std::size_t>(sizes.multiprocessors))
{
}

std::vector<Served> Replay::run(const Recording& launch, const Fit& fit,
                                std::vector<Served>* by_warp)
{
    launch_ = &launch;
    next_block_ = 0;
    sites_.assign(launch.uses.size(), {});
    warps_ = by_warp;
    if (by_warp != nullptr) by_warp->assign(launch.blocks.size() * launch.warps_per_block(), {});
    caches_.begin_launch(fit.l1_bytes);
    const auto resident = static_cast<std::size_t>(fit.resident_blocks);
    for (Multiprocessor& each : multiprocessors_) {
        each = {};
        each.slots.resize(resident);
    }
    for (std::size_t slot = 0; slot < resident; ++slot)
        for (Multiprocessor& each : multiprocessors_) start_block(each, slot);
    for (bool any = true; any;) {
        any = false;
        for (std::size_t i = 0; i < multiprocessors_.size(); ++i)
            any = round(multiprocessors_[i], static_cast<int>(i)) || any;
        serve_by_l2();
    }
    return std::move(sites_);
}

// Starts the grid's next block that makes any request, if one is left.
void Replay::start_block(Multiprocessor& on, std::size_t slot)
{
    while (next_block_ < launch_->blocks.size()) {
        auto index = static_cast<std::uint32_t>(next_block_ * launch_->warps_per_block());
        const RecordedBlock& block = launch_->blocks[next_block_++];
        std::uint32_t begin = 0;
        for (const std::uint32_t end : block.ends) {
            if (end > begin)
                on.ready.push_back({block.words.data() + begin, block.words.data() + end,
                                    static_cast<std::uint32_t>(slot), index});
            on.slots[slot].warps += end > begin;
            begin = end;
            ++index;
        }
        if (on.slots[slot].warps != 0) return;
    }
}

// Returns false if no block is left.
bool Replay::round(Multiprocessor& on, int number)
{
    // Hardware makes about one request per cycle. Longer turns are faster to simulate, because the
    // simulation then works on one L1 cache for longer.
    constexpr int requests_per_round = 8;
    const auto leave_turn = [&] { // Ends the turn of the current warp.
        on.ready[on.turn] = on.ready.back();
        on.ready.pop_back();
    };
    // Opens the barrier once all of the block's warps wait at it.
    const auto open_barrier = [&](Slot& block) {
        if (block.waiting.size() != block.warps) return;
        on.ready.insert(on.ready.end(), block.waiting.begin(), block.waiting.end());
        block.waiting.clear();
    };
    const std::size_t turns = std::min<std::size_t>(on.ready.size(), on.turn + requests_per_round);
    // Prefetching is harmless for the line of a barrier word.
    for (std::size_t i = on.turn; i < turns; ++i)
        if (on.ready[i].at != on.ready[i].end) caches_.prefetch_l1(number, on.ready[i].at->line());
    for (int made = 0; made < requests_per_round;) {
        if (on.ready.empty()) return false;
        if (on.turn >= on.ready.size()) on.turn = 0;
        Warp& warp = on.ready[on.turn];
        const std::size_t at = warp.slot;
        Slot& slot = on.slots[at];
        if (warp.at == warp.end) {
            leave_turn();
            if (--slot.warps == 0) {
                start_block(on, at);
                return true; // the next block starts with the next round
            }
            open_barrier(slot);
        } else if (warp.at->is_barrier()) {
            ++warp.at;
            slot.waiting.push_back(warp);
            leave_turn();
            open_barrier(slot);
        } else {
            request(warp, number);
            ++on.turn;
            ++made;
        }
    }
    return true;
}

void Replay::request(Warp& warp, int multiprocessor)
{
    bool continues = true;
    while (continues) {
        const Word word = *warp.at++;
        const std::uint32_t site = word.site();
        Served served;
        const Hierarchy::Request left = caches_.access_l1(multiprocessor, launch_->uses[site],
                                                          word.line(), word.sectors(), served);
        add(served, site, warp.index);
        if (left.sectors != 0) to_l2_.push_back({left, site, warp.index});
        continues = word.continues();
    }
}

void Replay::serve_by_l2()
{
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < to_l2_.size(); ++i) {
        if (i + ahead < to_l2_.size()) caches_.prefetch_l2(to_l2_[i + ahead].request);
        const ToL2& one = to_l2_[i];
        Served served;
        caches_.access_l2(one.request, served);
        add(served, one.site, one.warp);
    }
    to_l2_.clear();
}

void Replay::add(const Served& served, std::uint32_t site, std::uint32_t warp)
{
    sites_[site] += served;
    if (warps_ != nullptr) (*warps_)[warp] += served;
}

Result replay_after(Replay& run, const Recordings& launches, const counting::Gpu& gpu, bool by_warp)
{
    Result result;
    for (const Recording& launch : launches) {
        run.forget();
        const Fit fit = fit_of(gpu, launch);
        if (result.launches.empty()) result.fit = fit;
        std::vector<Served>* const warps = by_warp ? &result.warps.emplace_back() : nullptr;
        result.launches.push_back(run.run(launch, fit, warps));
        result.traffics.push_back(run.traffic());
        result.traffic += run.traffic();
    }
    return result;
}

Result replay(const Recordings& launches, const counting::Gpu& gpu, Before before, bool by_warp)
{
    Replay run(sizes_of(gpu));
    if (before == Before::warm)
        for (const Recording& launch : launches) run.run(launch, fit_of(gpu, launch));
    return replay_after(run, launches, gpu, by_warp);
}

} // namespace lanescope::caches
