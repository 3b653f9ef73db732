// Sends recorded launches through the caches: blocks are assigned to multiprocessors as on
// hardware, and the warps of the resident blocks take turns.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/caches/hierarchy.h"
#include "compute/caches/recording.h"
#include "compute/counting/gpus.h"

namespace lanescope::caches {

// Registers and shared memory left on each multiprocessor while a launch runs.
struct Fit {
    int resident_blocks = 1;
    std::size_t l1_bytes = 0;
    friend bool operator==(const Fit&, const Fit&) = default;
};
Fit fit_of(const counting::Gpu& gpu, const Recording& launch);
Sizes sizes_of(const counting::Gpu& gpu);

// The caches of a GPU, and launches that run on it one after another.
class Replay {
public:
    explicit Replay(const Sizes& sizes);

    // Returns the sectors by site of the recording. L1 starts empty, L2 as the last launch left it.
    // `by_warp`, unless null, receives them by warp of the launch: blocks with x fastest.
    std::vector<Served> run(const Recording& launch, const Fit& fit,
                            std::vector<Served>* by_warp = nullptr);
    // Sums over all launches since the last forget().
    const Traffic& traffic() const { return caches_.traffic(); }
    void forget() { caches_.forget_traffic(); }

private:
    struct Warp {
        const Word* at;
        const Word* end;
        std::uint32_t slot;
        std::uint32_t index; // in the launch
    };
    struct Slot {                  // a resident block
        std::size_t warps = 0;     // not yet ended
        std::vector<Warp> waiting; // at the block's barrier
    };
    struct Multiprocessor {
        std::vector<Slot> slots;
        std::vector<Warp> ready;
        std::size_t turn = 0; // index of the warp whose request is next
    };

    void start_block(Multiprocessor& on, std::size_t slot);
    bool round(Multiprocessor& on, int number);
    void request(Warp& warp, int multiprocessor);
    void serve_by_l2();
    void add(const Served& served, std::uint32_t site, std::uint32_t warp);

    Hierarchy caches_;
    std::vector<Multiprocessor> multiprocessors_;
    const Recording* launch_ = nullptr; // the running launch
    std::size_t next_block_ = 0;
    std::vector<Served> sites_;
    std::vector<Served>* warps_ = nullptr; // null: not requested
    struct ToL2 {
        Hierarchy::Request request;
        std::uint32_t site;
        std::uint32_t warp;
    };
    // Requests from L1 to L2 in this round. L2 is looked up once per round, so
    // that lines can be prefetched while earlier ones are processed.
    std::vector<ToL2> to_l2_;
};

// Contents of the caches before the launches: empty, or with L2 as the same launches leave it.
enum class Before : std::uint8_t { cold, warm };

struct Result {
    Traffic traffic;
    Fit fit;                                     // of the first launch
    std::vector<std::vector<Served>> launches{}; // by site of each recording
    std::vector<std::vector<Served>> warps{};    // by warp of each, if requested
    std::vector<Traffic> traffics{};             // of each
};
Result replay(const Recordings& launches, const counting::Gpu& gpu, Before before,
              bool by_warp = false);
// The same with L2 as `run` has it.
Result replay_after(Replay& run, const Recordings& launches, const counting::Gpu& gpu,
                    bool by_warp = false);

} // namespace lanescope::caches
