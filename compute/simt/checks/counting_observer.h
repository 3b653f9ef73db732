// Fills a trace: one observer for each core, merged when the grid has run.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "compute/counting/counting.h"
#include "compute/simt/machine/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct LaunchState;

// What the table of counts has of one access to global or to shared memory.
void add_cost(trace::Counts& to, const counting::GlobalCost& cost);
void add_cost(trace::Counts& to, const counting::SharedCost& cost);

class CountingObserver : public Observer {
public:
    // Writes per-warp counts and the watched request straight into `trace` (each warp runs on one
    // core); the rest is merged by merge_into().
    CountingObserver(trace::Trace& trace, const LaunchState& launch);

    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;
    bool remember(Executor& executor, std::uint32_t number) override;
    void remembered(Executor& executor, std::uint32_t number) override;
    void again(Executor& executor, std::uint32_t number) override;
    bool round_begins(Executor& executor) override;
    bool round_repeats(Executor& executor) override;
    void rounds(Executor& executor, std::uint64_t times) override;
    void image(Executor& executor, const ImageEvent& event) override;
    void surface_store(Executor& executor, const SurfaceStore& store) override;
    void branch(Executor& executor, const Instruction& instruction, std::uint32_t active,
                bool divergent) override;
    void branches(Executor& executor, std::uint64_t number) override;
    // Executor::branch_counts.
    std::uint64_t* branch_counts() { return branch_counts_.data(); }

    // Adds what this core has seen. Call for one observer after the other.
    void merge_into(trace::Trace& trace) const;

private:
    struct SectorWarps { // of the block that touched the sector last
        std::uint64_t block = ~std::uint64_t{0};
        std::uint32_t warps = 0;
    };

    // Accesses that were told of together: what they have added, and how often they came again.
    struct Remembered {
        std::vector<std::pair<std::uint32_t, trace::Counts>> counts; // by site
        trace::WarpCounts warp;
        std::uint64_t again = 0;
    };
    static void add(const Remembered& remembered, std::vector<trace::Counts>& counts);
    // What has been added between the two.
    void begin_to_remember(const Executor& executor);
    void note_added(const Executor& executor, Remembered& to);
    trace::WarpCounts& warp_counts(const Executor& executor);

    std::uint64_t warp_index(const Executor& executor) const;
    void touch(const Executor& executor, const AccessEvent& event);
    void own(const Executor& executor, const AccessEvent& event);
    void note(const Executor& executor, const AccessEvent& event);
    void watch(const Executor& executor, const AccessEvent& event);
    // The access once more, as the assembler made it.
    void count_assembled(const AccessEvent& event);

    // Whether what one load of the batch costs, all of them do, as they are whole lines apart.
    bool is_alike(const BatchEvent& event);

    trace::Trace& trace_;
    const Program& program_;
    std::vector<std::uint8_t> site_kinds_;  // by site: `loads`, `generic`
    std::array<bool, 5> covered_{};         // by trace::Op: summed by warp
    bool needs_each_access_ = false;        // more is wanted of an access than its cost
    bool needs_each_shared_access_ = false; // the same of one to shared memory
    // By LoadBatch::number: whether its loads in global memory are whole lines apart.
    enum class Apart : std::uint8_t { unknown, lines, other };
    std::vector<Apart> apart_;
    std::size_t warps_per_block_;
    std::vector<trace::Counts> counts_;
    std::vector<std::uint64_t> branch_counts_; // by site: of full warps, taken alike by all lanes
    std::vector<trace::Counts> assembled_counts_; // empty where they are not wanted
    // By LoadBatch::number: what each of its loads costs, where that is the same for all.
    std::vector<trace::Counts> batch_counts_;
    std::vector<Remembered> remembered_; // by number
    Remembered round_;
    std::vector<trace::Counts> remembering_; // by site, when remember() was called
    trace::WarpCounts warp_remembering_;
    trace::WarpCounts unwanted_; // where counts go when they are not kept by warp
    std::vector<std::uint32_t> touches_;
    std::vector<std::uint32_t> distinct_warps_;
    std::vector<SectorWarps> sector_warps_;
    std::vector<std::uint32_t> owners_;
    std::vector<std::uint64_t> loads_;       // of the watched block's arrays, by all blocks
    std::vector<std::uint32_t> block_loads_; // by warp of the watched block, then site
    std::uint32_t request_site_;             // of the watched request; no_index without one
    std::uint64_t ended_ = 0;                // the number + 1 of the block that was counted last
    std::uint64_t warp_instructions_ = 0;
    std::uint64_t thread_instructions_ = 0;
};

// Sizes the trace's tables for a launch.
void begin_trace(trace::Trace& trace, const LaunchState& launch);

} // namespace lanescope::simt
