// Blocks that cannot see each other's work run on all cores. A kernel whose blocks communicate, or
// whose result depends on their order, runs them in order on one core; a block that waits for a
// later one lets it start.
#include "compute/simt/machine/grid.h"

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>

#include "compute/simt/checks/access_checks.h"
#include "compute/simt/checks/counting_observer.h"
#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

namespace {

constexpr std::uint64_t whole_block = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t block_slice = std::uint64_t{1} << 21;
constexpr std::size_t most_resident = 1024;

// The fault of the lowest block; later blocks need not start once there is one.
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

// One core's share of the work, with its observers.
struct Worker {
    Worker(const LaunchState& state, trace::Trace* trace) : executor(state)
    {
        if (trace != nullptr) {
            counting.emplace(*trace, static_cast<std::size_t>(state.warps()));
            executor.observers.push_back(&*counting);
        }
        if (state.options.checks.uninitialised || state.options.checks.races) {
            checks.emplace(state);
            executor.observers.push_back(&*checks);
        }
    }
    Executor executor;
    std::optional<CountingObserver> counting;
    std::optional<AccessChecks> checks;
};

void run_in_parallel(Worker& worker, std::atomic<std::uint64_t>& next, std::uint64_t count,
                     FirstFault& first)
{
    Block block;
    for (;;) {
        const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
        if (index >= count || !first.matters(index)) return;
        try {
            begin_block(worker.executor, block, index);
            while (!run_block(worker.executor, block, whole_block)) {
            }
        } catch (...) {
            first.record(index, std::current_exception());
            return;
        }
    }
}

void run_in_order(Worker& worker, std::uint64_t count)
{
    std::deque<std::unique_ptr<Block>> resident;
    std::unique_ptr<Block> idle = std::make_unique<Block>();
    std::uint64_t next = 0;
    const auto start = [&] {
        if (!idle) idle = std::make_unique<Block>();
        begin_block(worker.executor, *idle, next++);
        resident.push_front(std::move(idle));
    };
    std::uint64_t fruitless = 0; // warp instructions since a block has finished
    while (next < count || !resident.empty()) {
        if (resident.empty()) start();
        std::unique_ptr<Block> block = std::move(resident.front());
        resident.pop_front();
        const std::uint64_t before = block->steps;
        if (run_block(worker.executor, *block, block_slice)) {
            idle = std::move(block);
            fruitless = 0;
            continue;
        }
        fruitless += block->steps - before;
        if (fruitless > worker.executor.launch.options.step_budget)
            fault_endless(worker.executor, *block);
        resident.push_back(std::move(block));
        if (next < count && resident.size() < most_resident) start();
    }
}

} // namespace

void run_grid(LaunchState& state, Pool& pool, trace::Trace* trace)
{
    state.check_cancelled();
    const std::uint64_t blocks = state.grid.count();
    const auto threads = static_cast<std::uint64_t>(pool.threads());
    // With checks on, which thread is found first must not depend on chance either.
    const bool in_order = state.program.ordered || state.options.checks.any();
    const int cores = in_order ? 1 : static_cast<int>(std::min(blocks, threads));
    state.parallel = cores > 1;
    if (trace != nullptr) begin_trace(*trace, state);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < cores; ++i) workers.push_back(std::make_unique<Worker>(state, trace));

    std::exception_ptr fault;
    if (in_order) {
        try {
            run_in_order(*workers.front(), blocks);
        } catch (...) {
            fault = std::current_exception();
        }
    } else {
        std::atomic<std::uint64_t> next{0};
        FirstFault first;
        pool.run(cores, [&](int i) {
            run_in_parallel(*workers[static_cast<std::size_t>(i)], next, blocks, first);
        });
        fault = first.fault();
    }
    if (trace != nullptr)
        for (const auto& worker : workers) worker->counting->merge_into(*trace);
    if (!fault) return;
    if (trace == nullptr) std::rethrow_exception(fault);
    try {
        std::rethrow_exception(fault);
    } catch (const device::KernelFault& found) {
        trace->faults.push_back(found.fault());
        throw;
    }
}

} // namespace lanescope::simt
