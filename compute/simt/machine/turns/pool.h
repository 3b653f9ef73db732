// Thread pool that runs blocks. Threads are created when first needed, live as long as the device
// and sleep between launches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "compute/simt/machine/turns/kept_blocks.h"

namespace lanescope::simt {

class Pool {
public:
    explicit Pool(int threads) : threads_(threads), blocks_(threads) {} // includes the caller
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return threads_; }
    // Runs work(0) … work(count - 1), each on its own thread (count <= threads()), and waits for
    // all. `work` must not throw.
    void run(int count, const std::function<void(int)>& work);
    // As run(), but if no threads exist yet, work(0) runs alone until it calls wake_helpers(),
    // since creating threads takes longer than many launches.
    void run_with_late_helpers(int count, const std::function<void(int)>& work);
    // Wakes the other threads; work(0) may call it more than once.
    void wake_helpers();
    // Indexed by the number passed to `work`.
    KeptBlocks& blocks() { return blocks_; }

private:
    void begin(int count, const std::function<void(int)>& work);
    void finish();
    void wait_for_work(int index);

    int threads_;
    KeptBlocks blocks_;
    std::mutex mutex_; // guards sleeping and waking
    std::condition_variable start_;
    std::condition_variable done_;
    // Number of rounds so far, and of threads in the latest one. A single atomic word, so that a
    // thread that reads it late still gets a consistent pair.
    struct Round {
        std::uint32_t number = 0;
        int count = 0;
    };
    alignas(64) std::atomic<Round> round_;
    std::atomic<bool> stop_ = false;
    const std::function<void(int)>* work_ = nullptr; // work of the current round
    int count_ = 1;                                  // threads in the current round
    bool called_ = false;                            // the other threads have been woken
    alignas(64) std::atomic<int> running_ = 0;
    std::vector<std::thread> workers_;
};

} // namespace lanescope::simt
