// Fills a trace. Each core has its own observer; they are merged after the grid has run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compute/counting/counting.h"
#include "compute/simt/checks/recording/access_recorder.h"
#include "compute/simt/machine/state/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct LaunchState;

// Adds the cost of one access to global or shared memory to the counts.
void add_cost(trace::Counts& to, const counting::GlobalCost& cost);
void add_cost(trace::Counts& to, const counting::SharedCost& cost);

class CountingObserver : public Observer {
public:
    // Writes per-warp counts and the watched request directly into `trace` (each warp runs on one
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
    void bulk(Executor& executor, const BulkEvent& event) override;
    void surface_store(Executor& executor, const SurfaceStore& store) override;
    void branch(Executor& executor, const Instruction& instruction, std::uint32_t active,
                bool divergent) override;
    void branches(Executor& executor, std::uint64_t number) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    // Storage for Executor::branch_counts.
    std::uint64_t* branch_counts() { return branch_counts_.data(); }

    // The recorder of accesses; null unless the launch is recorded.
    AccessRecorder* access_recorder() { return recorder_ ? &*recorder_ : nullptr; }

    // Adds this core's counts. Not thread-safe: call for one observer after another.
    void merge_into(trace::Trace& trace) const;

private:
    struct SectorWarps { // warps of the last block that touched the sector
        std::uint64_t block = ~std::uint64_t{0};
        std::uint32_t warps = 0;
    };

    // A memoised group of accesses: the counts that it added, and its number of repetitions.
    struct Remembered {
        std::vector<std::pair<std::uint32_t, trace::Counts>> counts; // pairs of site and counts
        trace::WarpCounts warp;
        std::uint64_t again = 0;
    };
    static void add(const Remembered& remembered, std::vector<trace::Counts>& counts);
    // Take a snapshot of the counts, and store the difference since the snapshot.
    void begin_snapshot(const Executor& executor);
    void record_difference(const Executor& executor, Remembered& to);
    trace::WarpCounts& warp_counts(const Executor& executor);

    std::uint64_t warp_index(const Executor& executor) const;
    void touch(const Executor& executor, const AccessEvent& event);
    void own(const Executor& executor, const AccessEvent& event);
    void note(const Executor& executor, const AccessEvent& event);
    void watch(const Executor& executor, const AccessEvent& event);
    // Also counts the access as ptxas lowered it to SASS.
    void count_assembled(const AccessEvent& event);

    // Returns true if all loads of the batch cost the same, because they are whole lines apart.
    bool has_equal_costs(const BatchEvent& event);

    trace::Trace& trace_;
    const Program& program_;
    std::vector<std::uint8_t> site_kinds_;   // flags per site: site_loads, site_generic
    std::optional<AccessRecorder> recorder_; // empty unless the launch is recorded
    std::array<bool, 5> covered_{};          // indexed by trace::Op: counted per warp
    // The cost of a global access is not enough: an observer needs its lanes.
    bool needs_each_access_ = false;
    bool needs_each_shared_access_ = false; // likewise for shared memory
    // Indexed by LoadBatch::number: whether the batch's global loads are whole lines apart.
    enum class LoadSpacing : std::uint8_t { unknown, lines, other };
    std::vector<LoadSpacing> load_spacing_;
    std::size_t warps_per_block_;
    std::vector<trace::Counts> counts_;
    std::vector<std::uint64_t> branch_counts_;    // indexed by site: uniform branches of full warps
    std::vector<trace::Counts> assembled_counts_; // empty if not requested
    // Indexed by LoadBatch::number: cost of each load, if all of them cost the same.
    std::vector<trace::Counts> batch_counts_;
    std::vector<Remembered> remembered_; // indexed by the number passed to remember()
    Remembered round_;
    std::vector<trace::Counts> remembering_; // indexed by site: snapshot taken by remember()
    trace::WarpCounts warp_remembering_;
    trace::WarpCounts unwanted_; // sink for counts that are not kept per warp
    std::vector<std::uint32_t> touches_;
    std::vector<std::uint32_t> distinct_warps_;
    std::vector<SectorWarps> sector_warps_;
    std::vector<std::uint32_t> owners_;
    std::vector<std::uint64_t> loads_;       // indexed by array of the watched block: elements
                                             // loaded by all blocks
    std::vector<std::uint32_t> block_loads_; // indexed by warp of the watched block, then site
    std::uint32_t request_site_;             // site of the watched request; no_index if none
    std::uint64_t ended_ = 0;                // number + 1 of the last block that was counted
    std::uint64_t warp_instructions_ = 0;
    std::uint64_t thread_instructions_ = 0;
};

// Sizes the trace's tables for a launch.
void begin_trace(trace::Trace& trace, const LaunchState& launch);

} // namespace lanescope::simt
