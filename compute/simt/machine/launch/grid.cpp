// Runs blocks that cannot observe each other on all cores. A kernel whose text lets blocks
// communicate (fences, volatile accesses, atomics whose order matters) runs in order on one core; a
// block that waits for a later one lets it start. Under checks, all other kernels run
// optimistically on all cores: if a block touches what another has written, or speculation fails
// for a different reason, the launch is undone and run again in order, so results, counts and
// reports are identical on every run and for any number of cores. If only a predicted use of a
// buffer was wrong, it is undone and tried once more without predictions. Without checks, races
// between blocks go unnoticed and the result depends on the order. The blocks of a cluster stay on
// one core.
#include "compute/simt/machine/launch/grid.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "compute/simt/checks/fast/optimistic_checks.h"
#include "compute/simt/checks/fast/predicted_uses.h"
#include "compute/simt/checks/fast/undo.h"
#include "compute/simt/checks/faults/barrier_warnings.h"
#include "compute/simt/checks/faults/division_warnings.h"
#include "compute/simt/checks/faults/texture_warnings.h"
#include "compute/simt/checks/faults/wrapped_indices.h"
#include "compute/simt/checks/precise/access_checks.h"
#include "compute/simt/checks/recording/counting_observer.h"
#include "compute/simt/checks/recording/lane_recorder.h"
#include "compute/simt/checks/recording/touch_observer.h"
#include "compute/simt/checks/shadow/stored_bytes.h"
#include "compute/simt/machine/launch/other_order.h"
#include "compute/simt/machine/launch/repeats.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/machine/turns/exact.h"
#include "compute/simt/machine/turns/running_cluster.h"
#include "compute/trace/findings.h"

namespace lanescope::simt {

namespace {

// Records the fault of the lowest block; blocks above it need not start any more.
class FirstFault {
public:
    bool matters(std::uint64_t block) const
    {
        return block < block_.load(std::memory_order_relaxed);
    }
    void record(std::uint64_t block, std::exception_ptr fault)
    {
        const std::lock_guard lock(mutex_);
        if (!matters(block)) return;
        block_.store(block, std::memory_order_relaxed);
        fault_ = std::move(fault);
    }
    std::exception_ptr fault() const { return fault_; }

private:
    std::atomic<std::uint64_t> block_{~std::uint64_t{0}};
    std::mutex mutex_;
    std::exception_ptr fault_;
};

// An attempt to run a launch under the fast checks.
struct Speculation {
    Undo& undo;
    const PredictedUses& predicted;
    const ThreadWatch& since; // the launch's clock, running on the calling thread
    double earlier_s;         // time of a preceding attempt
};

// Executor of one core, with its observers.
struct Worker {
    std::uint64_t blocks_ended = 0;
    // `trace` is null if the launch is not traced.
    Worker(const LaunchState& state, trace::Trace* trace, const Speculation* speculation)
        : executor(state)
    {
        if (trace != nullptr) {
            counting.emplace(*trace, state);
            executor.observers.push_back(&*counting);
            executor.accesses = counting->access_recorder();
            if (trace->records_touches) executor.observers.push_back(&touched.emplace());
            if (trace->lanes.wanted())
                executor.observers.push_back(executor.recorder = &recorder.emplace(trace->lanes));
        }
        if (state.marks_stores) executor.observers.push_back(&stored.emplace());
        // Stored and touched memory don't depend on branches.
        if (counting && !recorder && !watches_memory(state))
            executor.branch_counts = counting->branch_counts();
        executor.inspects_registers = false;
        if (trace != nullptr && state.options.survives_doubtful_results &&
            state.options.checks.divergent_barriers)
            executor.barrier_warnings = &barrier_warnings.emplace();
        if (!watches_memory(state)) return;
        if (trace != nullptr && state.options.survives_doubtful_results) {
            executor.division_warnings = &division_warnings.emplace();
            executor.texture_warnings = &texture_warnings.emplace();
            if (WrappedIndices::may_stay_inside(state))
                executor.observers.push_back(&wrapped.emplace(state));
        }
        // The recorders need each load as a separate event, in program order.
        executor.whole_batches =
            speculation != nullptr && !recorder && !wrapped && executor.accesses == nullptr;
        if (speculation != nullptr) {
            executor.observers.push_back(
                &optimistic.emplace(state, speculation->undo, speculation->predicted));
            if (executor.whole_batches) executor.fast_checks = &*optimistic;
            // Checks and touched memory don't depend on branches.
            if (counting && !recorder) executor.branch_counts = counting->branch_counts();
            if (state.options.checks.uninitialised && state.program.may_read_unset)
                executor.follower = &*optimistic;
        } else {
            executor.observers.push_back(
                executor.follower = &precise.emplace(
                    state, trace != nullptr && state.options.survives_doubtful_results));
        }
    }
    static bool watches_memory(const LaunchState& state)
    {
        return state.options.checks.uninitialised || state.options.checks.races;
    }
    Executor executor;
    std::optional<CountingObserver> counting;
    std::optional<TouchObserver> touched;
    std::optional<StoredBytes> stored;
    std::optional<LaneRecorder> recorder;
    std::optional<BarrierWarnings> barrier_warnings;
    std::optional<DivisionWarnings> division_warnings;
    std::optional<TextureWarnings> texture_warnings;
    std::optional<WrappedIndices> wrapped;
    void merge_warnings_into(std::vector<trace::Fault>& faults) const
    {
        if (barrier_warnings) barrier_warnings->merge_into(faults);
        if (division_warnings) division_warnings->merge_into(faults);
        if (wrapped) wrapped->merge_into(faults);
    }
    std::optional<OptimisticChecks> optimistic;
    std::optional<AccessChecks> precise;
};
using Workers = std::vector<std::unique_ptr<Worker>>;

// Adds the warnings that take the fetches of all cores.
void report_textures(const Workers& workers, trace::Trace& trace)
{
    TextureWarnings all;
    for (const auto& worker : workers)
        if (worker && worker->texture_warnings) all.add(*worker->texture_warnings);
    all.report_into(trace.faults);
}

void count_ended(Worker& worker)
{
    ++worker.blocks_ended;
    if (Progress* const progress = worker.executor.launch.options.progress)
        progress->ended.fetch_add(1, std::memory_order_relaxed);
}

void begin_progress(const LaunchState& state)
{
    if (state.options.progress == nullptr) return;
    ++state.options.progress->attempts;
    state.options.progress->ended = 0;
    state.options.progress->blocks = state.blocks_to_run();
}

struct EndOfProgress {
    Progress* progress;
    ~EndOfProgress()
    {
        if (progress != nullptr) progress->blocks = 0;
    }
};

// Counts the instructions of a block that will not finish. A slice that ended in a fault is not yet
// included in its warp's count.
void count_unfinished_block(Worker& worker, Block& block)
{
    Executor& x = worker.executor;
    if (x.slice_steps != 0) {
        x.warp->warp_instructions += x.slice_steps;
        x.warp->thread_instructions += x.slice_steps * std::uint64_t{lane_count(x.path().mask)};
        x.block->steps += x.slice_steps;
        x.slice_steps = 0;
    }
    x.block = &block;
    if (worker.counting) worker.counting->block_ends(x);
}

// Distributes blocks over the cores and tracks how many cores are active. Each core owns the same
// contiguous range in every launch: data of the last launch is still in its cache, and the counter
// is not contended. Idle cores steal blocks from the others.
class Share {
public:
    // `fault_ends_launch`: after any fault, no further block needs to start.
    Share(std::uint64_t count, int cores, bool fault_ends_launch)
        : count_(count), fault_ends_launch_(fault_ends_launch), cores_(cores)
    {
        const auto n = static_cast<std::uint64_t>(cores);
        stretches_ = std::vector<Stretch>(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            stretches_[i].next = i * (count / n) + std::min(i, count % n);
            stretches_[i].end = (i + 1) * (count / n) + std::min(i + 1, count % n);
        }
    }
    // Returns a block for this core, or nothing if no relevant block is left.
    std::optional<std::uint64_t> take(int core)
    {
        for (std::size_t i = 0; i < stretches_.size(); ++i) {
            Stretch& from = stretches_[(static_cast<std::size_t>(core) + i) % stretches_.size()];
            if (from.next.load(std::memory_order_relaxed) >= from.end) continue;
            const std::uint64_t block = from.next.fetch_add(1, std::memory_order_relaxed);
            if (block < from.end && first_.matters(block)) return block;
        }
        return std::nullopt;
    }
    void leave() { --cores_; }
    bool is_alone() const { return cores_.load() == 1; }
    std::uint64_t count() const { return count_; }
    std::uint64_t not_started() const
    {
        std::uint64_t left = 0;
        for (const Stretch& each : stretches_)
            left += each.end - std::min(each.next.load(), each.end);
        return left;
    }
    void record(std::uint64_t block, std::exception_ptr fault)
    {
        first_.record(fault_ends_launch_ ? 0 : block, std::move(fault));
    }
    std::exception_ptr fault() const { return first_.fault(); }

private:
    struct alignas(64) Stretch {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t end = 0;
    };
    std::vector<Stretch> stretches_;
    std::uint64_t count_;
    bool fault_ends_launch_;
    std::atomic<int> cores_;
    alignas(64) FirstFault first_;
};

// Runs the block to completion, or detects that it never completes. Under the fast checks other
// cores may still change memory that the block waits for, so the ordered run decides.
void run_to_end(Worker& worker, Block& block, const Share& share)
{
    Executor& x = worker.executor;
    std::optional<Repeats> repeats;
    while (!run_block(x, block, block_slice)) {
        if (block.steps < x.launch.options.patience) continue;
        if (!repeats) repeats.emplace(x.launch);
        const Block* const running = &block;
        if (worker.optimistic && repeats->blocks_repeat({&running, 1})) throw SpeculationFailed();
        if (worker.optimistic || !share.is_alone()) continue;
        if (repeats->all_repeats({&running, 1}))
            fault_repeating(x, block,
                            fmt::format("of {} blocks, this one is running and {} have not started",
                                        share.count(), share.not_started()));
    }
}

void run_in_parallel(Worker& worker, Share& share, KeptBlocks& blocks, int core)
{
    std::unique_ptr<Block> kept = blocks.take(core);
    Block& block = *kept;
    bool cut_off = false;
    std::uint64_t& wake_helpers_at = worker.executor.wake_helpers_at;
    while (const std::optional<std::uint64_t> index = share.take(core)) {
        try {
            begin_block(worker.executor, block, worker.executor.launch.block_to_run(*index));
            run_to_end(worker, block, share);
            count_ended(worker);
            if (wake_helpers_at != Executor::never)
                wake_helpers_at -= std::min(wake_helpers_at, block.steps);
        } catch (...) {
            count_unfinished_block(worker, block);
            share.record(*index, std::current_exception());
            cut_off = true;
            break;
        }
    }
    if (!cut_off) blocks.keep(core, std::move(kept));
    share.leave();
}

// Counts the instructions of a cluster that will not finish. The block that has stopped comes
// first, with its unfinished slice.
void count_unfinished_cluster(Worker& worker, const RunningCluster& cluster)
{
    Block* const stopped = worker.executor.block;
    if (stopped != nullptr) count_unfinished_block(worker, *stopped);
    for (Block* block : cluster.unfinished())
        if (block != stopped) count_unfinished_block(worker, *block);
}

// Same as for a block, without the fast checks, which do not run clusters.
void run_to_end(Worker& worker, RunningCluster& cluster, const Share& share)
{
    Executor& x = worker.executor;
    std::optional<Repeats> repeats;
    while (!cluster.run(x, block_slice, [&] { count_ended(worker); })) {
        if (cluster.steps() < x.launch.options.patience || !share.is_alone()) continue;
        if (!repeats) repeats.emplace(x.launch);
        const std::vector<Block*> all = cluster.unfinished();
        const std::vector<const Block*> running(all.begin(), all.end());
        if (repeats->all_repeats(running))
            fault_repeating(
                x, cluster.shown(),
                fmt::format("of {} clusters, this one is running and {} have not started",
                            share.count(), share.not_started()));
    }
}

// `share` distributes clusters.
void run_clusters_in_parallel(Worker& worker, Share& share, int core)
{
    RunningCluster cluster;
    while (const std::optional<std::uint64_t> index = share.take(core)) {
        try {
            cluster.begin(worker.executor, *index);
            run_to_end(worker, cluster, share);
        } catch (...) {
            count_unfinished_cluster(worker, cluster);
            share.record(*index, std::current_exception());
            break;
        }
    }
    share.leave();
}

// Runs blocks in order on one core: each for a slice, then those that wait for others take turns.
class BlocksInOrder {
public:
    // `survived` receives faults that do not end the launch; null if every fault does.
    BlocksInOrder(Worker& worker, std::uint64_t count, KeptBlocks& blocks,
                  std::vector<trace::Fault>* survived)
        : worker_(worker), launch_(worker.executor.launch), count_(count), blocks_(blocks),
          survived_(survived), idle_(blocks.take(0))
    {
    }

    void run()
    {
        while (next_ < count_ || !resident_.empty()) {
            if (resident_.empty()) start();
            std::unique_ptr<Block> block = std::move(resident_.front());
            resident_.pop_front();
            const std::uint64_t before = block->steps;
            if (run_slice(*block)) {
                count_ended(worker_);
                idle_ = std::move(block);
                steps_without_progress_ = turns_ = looked_ = 0;
                repeats_.reset();
                continue;
            }
            steps_without_progress_ += block->steps - before;
            check_budget(*block);
            resident_.push_back(std::move(block));
            ++turns_;
            if (next_ < count_ && (cooperative_ || resident_.size() < max_running_)) {
                start();
                turns_ = 0;
            }
            check_repetition();
        }
        if (idle_) blocks_.keep(0, std::move(idle_));
    }

private:
    void start()
    {
        if (!idle_) idle_ = std::make_unique<Block>();
        begin_block(worker_.executor, *idle_, launch_.block_to_run(next_++));
        resident_.push_front(std::move(idle_));
    }

    void cut_off(Block& running)
    {
        count_unfinished_block(worker_, running);
        for (const auto& waiting : resident_) count_unfinished_block(worker_, *waiting);
    }

    // Returns true if the block has ended, by itself or by a fault that the launch survives.
    bool run_slice(Block& block)
    {
        try {
            return run_block(worker_.executor, block, turn_of_block(launch_, resident_.size()));
        } catch (const device::KernelFault& found) {
            // Other blocks of a cooperative launch may wait for this one.
            if (survived_ == nullptr || cooperative_ ||
                survived_->size() >= static_cast<std::size_t>(launch_.options.keep_going) ||
                trace::is_stop(found.fault().kind)) {
                cut_off(block);
                throw;
            }
            survived_->push_back(found.fault());
            count_unfinished_block(worker_, block);
            for (Observer* observer : worker_.executor.observers)
                if (observer != &*worker_.counting) observer->block_ends(worker_.executor);
            return true;
        } catch (const device::Cancelled&) {
            cut_off(block);
            throw;
        }
    }

    void check_budget(Block& block)
    {
        // Cooperative blocks finish together, so each has its own budget.
        const std::uint64_t sharing = cooperative_ ? count_ : 1;
        if (steps_without_progress_ / sharing <= launch_.options.step_budget) return;
        cut_off(block);
        fault_endless(worker_.executor, block);
    }

    void check_repetition()
    {
        // Check only when all blocks have had the same number of turns.
        if (turns_ == 0 || turns_ % resident_.size() != 0 ||
            steps_without_progress_ < looked_ + block_slice ||
            steps_without_progress_ < launch_.options.patience)
            return;
        looked_ = steps_without_progress_;
        if (!repeats_) repeats_.emplace(launch_);
        std::vector<const Block*> running;
        for (const auto& each : resident_) running.push_back(each.get());
        if (!repeats_->all_repeats(running)) return;
        const std::unique_ptr<Block> shown = std::move(resident_.front());
        resident_.pop_front();
        cut_off(*shown);
        const std::uint64_t left = count_ - next_;
        fault_repeating(
            worker_.executor, *shown,
            fmt::format("of {} blocks, {} running, {} ended and {} not started", count_,
                        running.size(), next_ - running.size(), left) +
                (left == 0 || running.size() < max_running_
                     ? std::string()
                     : fmt::format(
                           "; more do not fit on {} at once, and the others start only when "
                           "these end: let no block wait for a later one, or launch only "
                           "as many as fit, with cudaLaunchCooperativeKernel",
                           launch_.options.gpu->with_article())));
    }

    Worker& worker_;
    const LaunchState& launch_;
    const std::uint64_t count_;
    KeptBlocks& blocks_;
    std::vector<trace::Fault>* const survived_;
    std::unique_ptr<Block> idle_;
    std::deque<std::unique_ptr<Block>> resident_;
    const bool cooperative_ = launch_.program.cooperative;
    // A chosen block that waits for another one soon shows that a sample will not do.
    const std::size_t max_running_ = launch_.chosen.empty() ? blocks_at_once(launch_) : 1;
    std::uint64_t next_ = 0;
    std::uint64_t steps_without_progress_ = 0; // warp instructions since a block last finished
    std::uint64_t turns_ = 0;                  // turns since a block last started or finished
    std::uint64_t looked_ = 0; // `steps_without_progress_` when repetition was last checked
    std::optional<Repeats> repeats_;
};

// A cluster starts when the one before it has used its turn without finishing, as blocks do. Any
// fault ends the launch, because other blocks of the cluster may wait for the faulting one.
class ClustersInOrder {
public:
    explicit ClustersInOrder(Worker& worker)
        : worker_(worker), launch_(worker.executor.launch),
          count_(launch_.grid.count() / launch_.cluster.count())
    {
    }
    void run()
    {
        while (next_ < count_ || !resident_.empty()) {
            if (resident_.empty()) start();
            std::unique_ptr<RunningCluster> cluster = std::move(resident_.front());
            resident_.pop_front();
            const std::uint64_t before = cluster->steps();
            bool ended = false;
            try {
                ended = cluster->run(worker_.executor, block_slice, [&] {
                    count_ended(worker_);
                    steps_without_progress_ = looked_ = 0;
                    repeats_.reset();
                });
            } catch (...) {
                cut_off(*cluster);
                throw;
            }
            if (ended) {
                idle_ = std::move(cluster);
                continue;
            }
            steps_without_progress_ += cluster->steps() - before;
            check_budget(*cluster);
            resident_.push_back(std::move(cluster));
            if (next_ < count_ && resident_.size() < max_resident)
                start();
            else
                check_repetition();
        }
    }

private:
    void start()
    {
        if (!idle_) idle_ = std::make_unique<RunningCluster>();
        idle_->begin(worker_.executor, next_++);
        resident_.push_front(std::move(idle_));
    }
    void cut_off(const RunningCluster& running)
    {
        count_unfinished_cluster(worker_, running);
        for (const auto& waiting : resident_)
            for (Block* block : waiting->unfinished()) count_unfinished_block(worker_, *block);
    }
    void check_budget(RunningCluster& cluster)
    {
        if (steps_without_progress_ / launch_.cluster.count() <= launch_.options.step_budget)
            return;
        Block& shown = cluster.shown();
        worker_.executor.block = &shown;
        cut_off(cluster);
        fault_endless(worker_.executor, shown);
    }
    // Called when all resident clusters have had the same number of turns.
    void check_repetition()
    {
        if (resident_.size() > 1 && ++turns_ % resident_.size() != 0) return;
        if (steps_without_progress_ < looked_ + block_slice ||
            steps_without_progress_ < launch_.options.patience)
            return;
        looked_ = steps_without_progress_;
        if (!repeats_) repeats_.emplace(launch_);
        std::vector<const Block*> running;
        for (const auto& each : resident_)
            for (const Block* block : each->unfinished()) running.push_back(block);
        if (!repeats_->all_repeats(running)) return;
        const std::string which =
            fmt::format("of {} clusters, {} running, {} ended and {} not started", count_,
                        resident_.size(), next_ - resident_.size(), count_ - next_);
        const std::unique_ptr<RunningCluster> cluster = std::move(resident_.front());
        resident_.pop_front();
        Block& shown = cluster->shown();
        worker_.executor.block = &shown;
        cut_off(*cluster);
        fault_repeating(worker_.executor, shown, which);
    }

    Worker& worker_;
    const LaunchState& launch_;
    std::uint64_t count_; // clusters of the grid
    std::uint64_t next_ = 0;
    std::deque<std::unique_ptr<RunningCluster>> resident_;
    std::unique_ptr<RunningCluster> idle_;
    std::uint64_t steps_without_progress_ = 0; // warp instructions since a block last finished
    std::uint64_t looked_ = 0; // `steps_without_progress_` when repetition was last checked
    std::uint64_t turns_ = 0;
    std::optional<Repeats> repeats_;
};

// Runs all blocks on `cores` cores; `fault` receives the exception that ended the run, if any. Each
// core allocates its own worker to avoid false sharing.
Workers run_workers(const LaunchState& state, Pool& pool, int cores, trace::Trace* trace,
                    const Speculation* speculation, std::exception_ptr& fault)
{
    Workers workers(static_cast<std::size_t>(cores));
    Share share(state.blocks_to_run() / state.cluster.count(), cores, speculation != nullptr);
    // An explicit core count is honoured. Unchecked launches are too
    // short for helpers that start late.
    const bool late = state.options.threads == 0 && speculation != nullptr && cores > 1;
    const auto work = [&](int i) {
        std::unique_ptr<Worker>& worker = workers[static_cast<std::size_t>(i)];
        try {
            worker = std::make_unique<Worker>(state, trace, speculation);
            if (speculation != nullptr && i == 0)
                worker->executor.since = speculation->since;
            else if (speculation != nullptr)
                worker->executor.earlier_s = speculation->earlier_s;
            if (late && i == 0) {
                worker->executor.wake_helpers_at = 0; // the executor sets the real step when it
                                                      // first checks the time
                worker->executor.others = &pool;
            }
        } catch (...) {
            share.record(0, std::current_exception());
            share.leave();
            return;
        }
        if (state.clustered())
            run_clusters_in_parallel(*worker, share, i);
        else
            run_in_parallel(*worker, share, pool.blocks(), i);
    };
    late ? pool.run_with_late_helpers(cores, work) : pool.run(cores, work);
    fault = share.fault();
    return workers;
}

// True if the launch was stopped for a reason that a second run would not change. Other faults are
// left to the precise checks to report, even if the time limit has passed.
bool is_conclusive(const LaunchState& state, const std::exception_ptr& fault)
{
    if (!fault) return false;
    const bool cancelled = state.cancelled->load(std::memory_order_relaxed);
    try {
        std::rethrow_exception(fault);
    } catch (const SpeculationFailed&) {
        return false;
    } catch (const device::KernelFault& found) {
        return cancelled || found.fault().kind == trace::kind::time_limit;
    } catch (...) {
        return cancelled;
    }
}

// Calls use(page) for each page, on all cores if there are enough pages to be worth waking them.
// `use` must not throw.
template <class Use>
void share_pages(Pool& pool, int cores, std::size_t pages, const Use& use)
{
    constexpr std::size_t few = 64; // pages per core
    const auto n = static_cast<std::size_t>(cores);
    const int helpers = pages < few * n ? 1 : cores;
    pool.run(helpers, [&](int i) {
        const auto at = static_cast<std::size_t>(i), all = static_cast<std::size_t>(helpers);
        for (std::size_t page = pages * at / all; page < pages * (at + 1) / all; ++page) use(page);
    });
}

bool is_wrong_prediction(const std::exception_ptr& found)
{
    if (!found) return false;
    try {
        std::rethrow_exception(found);
    } catch (const PredictionFailed&) {
        return true;
    } catch (...) {
        return false;
    }
}

enum class Attempt : std::uint8_t {
    succeeded,
    failed,      // the checks found something; the launch is undone
    mispredicted // only a predicted use was wrong; the launch is undone
};

// Runs all blocks on all cores under the fast checks. `abandoned` receives the reason if the launch
// was stopped; its counts up to that point are kept.
Attempt run_optimistically(LaunchState& state, Pool& pool, int cores, trace::Trace* trace,
                           const PredictedUses& predicted, const ThreadWatch& since,
                           std::exception_ptr& abandoned)
{
    Undo undo(state);
    std::exception_ptr found;
    const Speculation speculation{undo, predicted, since, since.seconds()};
    begin_progress(state);
    const Workers workers = run_workers(state, pool, cores, trace, &speculation, found);
    if (is_conclusive(state, found)) abandoned = found;
    std::optional<Agreement> agreement;
    bool fine = !found || abandoned;
    if (fine) {
        std::vector<const OptimisticChecks*> all;
        for (const auto& worker : workers)
            if (worker) all.push_back(&*worker->optimistic);
        agreement.emplace(all);
    }
    if (fine && !abandoned && cores > 1) {
        std::atomic<bool> clash = false;
        share_pages(pool, cores, agreement->pages(), [&](std::size_t page) {
            if (!clash.load(std::memory_order_relaxed) && agreement->clash(page)) clash = true;
        });
        fine = !clash;
    }
    if (!fine) {
        undo.restore();
        return is_wrong_prediction(found) ? Attempt::mispredicted : Attempt::failed;
    }
    if (!state.chosen.empty() && !abandoned)
        undo.restore();
    else
        share_pages(pool, cores, agreement->pages(),
                    [&](std::size_t page) { agreement->commit(state.memory, page); });
    for (const auto& worker : workers) {
        if (!worker) continue; // the worker's allocation failed
        if (trace != nullptr) {
            worker->counting->merge_into(*trace);
            trace->blocks_ended += worker->blocks_ended;
        }
        if (worker->touched) worker->touched->merge_into(*trace);
        if (trace != nullptr) worker->merge_warnings_into(trace->faults);
    }
    if (trace != nullptr) report_textures(workers, *trace);
    return Attempt::succeeded;
}

// Returns false, with the launch undone, if it must run under the precise checks.
bool run_without_precise_checks(LaunchState& state, Pool& pool, int cores, trace::Trace* trace,
                                const ThreadWatch& since, std::exception_ptr& abandoned)
{
    PredictedUses predicted(state);
    for (;;) {
        const Attempt attempt =
            run_optimistically(state, pool, cores, trace, predicted, since, abandoned);
        if (attempt == Attempt::succeeded) return true;
        if (trace != nullptr) begin_trace(*trace, state);
        if (attempt == Attempt::failed) return false;
        state.program.uses->add_mistake();
        predicted = {};
    }
}

// Rethrows the exception that ended the launch; a fault is also added to the trace.
[[noreturn]] void report(const std::exception_ptr& fault, trace::Trace* trace)
{
    try {
        std::rethrow_exception(fault);
    } catch (const device::KernelFault& found) {
        if (trace != nullptr) trace->faults.push_back(found.fault());
        throw;
    }
}

void run_grid_in_other_order(LaunchState& state, trace::Trace* trace)
{
    if (state.clustered())
        throw device::LaunchError(
            fmt::format("Kernel {} runs in clusters of {} blocks, and other orders are not "
                        "supported for such launches.",
                        state.program.kernel, state.cluster.count()),
            "Look for races with the checks instead.");
    if (trace != nullptr) begin_trace(*trace, state);
    Worker worker(state, trace, nullptr);
    worker.executor.inspects_registers = true; // no straight-line code
    std::exception_ptr fault;
    try {
        run_in_other_order(worker.executor, worker.blocks_ended);
    } catch (...) {
        fault = std::current_exception();
    }
    if (trace != nullptr) {
        worker.counting->merge_into(*trace);
        trace->blocks_ended += worker.blocks_ended;
    }
    if (fault) report(fault, trace);
}

} // namespace

void run_grid(LaunchState& state, Pool& pool, trace::Trace* trace)
{
    state.check_cancelled();
    state.limit_s = state.options.time_limit_s;
    if (state.options.order != 0) return run_grid_in_other_order(state, trace);
    const bool keeps_going = trace != nullptr && state.options.keep_going > 0;
    const std::uint64_t shares = state.blocks_to_run() / state.cluster.count();
    const auto threads = static_cast<std::uint64_t>(pool.threads());
    const int max_cores = static_cast<int>(std::min(shares, threads));
    const bool checked = Worker::watches_memory(state);
    const bool ordered = state.program.ordered;
    if (trace != nullptr) begin_trace(*trace, state);
    const EndOfProgress at_end{state.options.progress};
    // Excludes begin_trace(), whose call to the assembler may take arbitrarily long.
    const ThreadWatch since;
    // The fast checks only handle the block's own shared memory, written by its threads.
    if (checked && !ordered && !state.clustered() && !state.program.bulk_copies &&
        !state.program.group_products && !state.options.precise_checks) {
        state.parallel = max_cores > 1;
        std::exception_ptr abandoned;
        if (run_without_precise_checks(state, pool, max_cores, trace, since, abandoned)) {
            if (abandoned) report(abandoned, trace);
            return;
        }
    }
    begin_progress(state);
    const bool in_order = ordered || checked || keeps_going;
    const int cores = in_order ? 1 : max_cores;
    state.parallel = cores > 1;
    std::exception_ptr fault;
    Workers workers;
    if (in_order && checked && state.before_precise_checks) state.before_precise_checks();
    if (in_order) {
        workers.push_back(std::make_unique<Worker>(state, trace, nullptr));
        workers.front()->executor.since = since; // the time of the fast checks is included
        try {
            if (state.clustered())
                ClustersInOrder(*workers.front()).run();
            else
                BlocksInOrder(*workers.front(), state.blocks_to_run(), pool.blocks(),
                              keeps_going ? &trace->faults : nullptr)
                    .run();
        } catch (...) {
            fault = std::current_exception();
        }
    } else {
        workers = run_workers(state, pool, cores, trace, nullptr, fault);
    }
    if (trace != nullptr) {
        for (const auto& worker : workers) {
            if (!worker) continue; // the worker's allocation failed
            worker->counting->merge_into(*trace);
            trace->blocks_ended += worker->blocks_ended;
            if (worker->touched) worker->touched->merge_into(*trace);
            worker->merge_warnings_into(trace->faults);
            if (!worker->precise) continue;
            for (trace::Fault& result : worker->precise->doubtful_results())
                trace->faults.push_back(std::move(result));
        }
        report_textures(workers, *trace);
    }
    if (fault) report(fault, trace);
}

} // namespace lanescope::simt
