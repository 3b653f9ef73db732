// Time is counted in requests: in a round, every multiprocessor makes the same number of them, from
// one warp after another. A block that has ended makes room for the next one of the grid.
#include "compute/caches/replay.h"

#include <algorithm>
#include <utility>

#include "compute/counting/caches.h"
#include "compute/counting/occupancy.h"

namespace lanescope::caches {

Machine machine_for(const counting::Gpu& gpu, const Recording& launch)
{
    const counting::Occupancy fits = counting::occupancy(
        gpu.limits(), static_cast<int>(launch.block.count()),
        std::min(launch.registers_per_thread, gpu.limits().registers_per_thread),
        launch.shared_bytes_per_block);
    Machine machine;
    machine.resident_blocks = std::max(fits.blocks, 1);
    const int shared_bytes = machine.resident_blocks * fits.shared_bytes_per_block;
    machine.sizes = {.multiprocessors = gpu.multiprocessors,
                     .l1_bytes = static_cast<std::size_t>(counting::l1_bytes(gpu, shared_bytes)),
                     .l2_bytes = static_cast<std::size_t>(gpu.l2_bytes),
                     .l2_partitions = counting::caches_of(gpu).l2_partitions};
    return machine;
}

namespace {

// Requests of a multiprocessor per round. Hardware makes about one per cycle; turns of several are
// simulated faster, since one L1 cache is in use at a time.
constexpr int requests_per_round = 8;

class Replay {
public:
    Replay(const Recording& launch, const Machine& machine)
        : launch_(launch), resident_(static_cast<std::size_t>(machine.resident_blocks)),
          caches_(machine.sizes),
          multiprocessors_(static_cast<std::size_t>(machine.sizes.multiprocessors))
    {
    }

    void run()
    {
        caches_.begin_launch();
        sites_.assign(launch_.sites.size(), {});
        next_block_ = 0;
        for (Multiprocessor& each : multiprocessors_) each = Multiprocessor(resident_);
        for (std::size_t slot = 0; slot < resident_; ++slot)
            for (Multiprocessor& each : multiprocessors_) start_block(each, slot);
        for (bool any = true; any;) {
            any = false;
            for (std::size_t i = 0; i < multiprocessors_.size(); ++i)
                any = round(multiprocessors_[i], static_cast<int>(i)) || any;
        }
    }
    Result result() const { return {caches_.traffic(), sites_}; }

private:
    struct Warp {
        const Word* at;
        const Word* end;
        std::size_t slot;
    };
    struct Slot {                  // a resident block
        std::size_t warps = 0;     // that have not ended
        std::vector<Warp> waiting; // at the block's barrier
    };
    struct Multiprocessor {
        explicit Multiprocessor(std::size_t resident = 0) : slots(resident) {}
        std::vector<Slot> slots;
        std::vector<Warp> ready;
        std::size_t turn = 0; // index of the warp whose request is next
    };

    // Starts the grid's next block that makes any request, if there is one.
    void start_block(Multiprocessor& on, std::size_t slot)
    {
        while (next_block_ < launch_.blocks.size()) {
            const RecordedBlock& block = launch_.blocks[next_block_++];
            std::uint32_t begin = 0;
            for (const std::uint32_t end : block.ends) {
                if (end > begin)
                    on.ready.push_back(
                        {block.words.data() + begin, block.words.data() + end, slot});
                on.slots[slot].warps += end > begin;
                begin = end;
            }
            if (on.slots[slot].warps != 0) return;
        }
    }
    void leave_turn(Multiprocessor& on) // the warp whose turn it is
    {
        on.ready[on.turn] = on.ready.back();
        on.ready.pop_back();
    }
    // Lets the block's warps pass the barrier if all of them wait for it.
    static void open_barrier(Multiprocessor& on, Slot& block)
    {
        if (block.waiting.size() != block.warps) return;
        on.ready.insert(on.ready.end(), block.waiting.begin(), block.waiting.end());
        block.waiting.clear();
    }
    // Returns false if no block is left.
    bool round(Multiprocessor& on, int number)
    {
        for (int made = 0; made < requests_per_round;) {
            if (on.ready.empty()) return false;
            if (on.turn >= on.ready.size()) on.turn = 0;
            Warp& warp = on.ready[on.turn];
            const std::size_t slot = warp.slot;
            if (warp.at == warp.end) {
                leave_turn(on);
                if (--on.slots[slot].warps == 0) {
                    start_block(on, slot);
                    return true; // the next block starts with the next round
                }
                open_barrier(on, on.slots[slot]);
            } else if (warp.at->is_barrier()) {
                ++warp.at;
                on.slots[slot].waiting.push_back(warp);
                leave_turn(on);
                open_barrier(on, on.slots[slot]);
            } else {
                request(warp, number);
                ++on.turn;
                ++made;
            }
        }
        return true;
    }
    void request(Warp& warp, int multiprocessor)
    {
        bool continues = true;
        while (continues) {
            const Word word = *warp.at++;
            sites_[word.site()] += caches_.access(multiprocessor, launch_.sites[word.site()],
                                                  word.line(), word.sectors());
            continues = word.continues();
        }
    }

    const Recording& launch_;
    std::size_t resident_;
    Hierarchy caches_;
    std::vector<Multiprocessor> multiprocessors_;
    std::vector<Served> sites_;
    std::size_t next_block_ = 0;
};

} // namespace

Result replay(const Recording& launch, const Machine& machine, Before before)
{
    Replay run(launch, machine);
    if (before == Before::warm) run.run();
    run.run();
    return run.result();
}

} // namespace lanescope::caches
