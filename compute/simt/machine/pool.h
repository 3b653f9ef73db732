// The cores that blocks run on: threads that stay, from when they are first needed, for the life of
// the device and wait between launches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "compute/simt/machine/kept_blocks.h"

namespace lanescope::simt {

class Pool {
public:
    explicit Pool(int threads) : threads_(threads), blocks_(threads) {} // the calling one of them
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return threads_; }
    // Runs work(0) … work(count - 1), each on a thread of its own (count <= threads()), and waits
    // for all. `work` must not throw.
    void run(int count, const std::function<void(int)>& work);
    // The same, but where nothing has needed other threads yet, work(0) runs alone until it calls
    // for them, if it does: to make threads takes longer than many a launch.
    void run_with_late_helpers(int count, const std::function<void(int)>& work);
    // By work(0), once or more often.
    void wake_helpers();
    // By the number that `work` is given.
    KeptBlocks& blocks() { return blocks_; }

private:
    void begin(int count, const std::function<void(int)>& work);
    void finish();
    void wait_for_work(int index);

    int threads_;
    KeptBlocks blocks_;
    std::mutex mutex_; // for those who sleep
    std::condition_variable start_;
    std::condition_variable done_;
    // Of rounds so far, and how many threads the last one is for: one word, as a thread that is not
    // needed may look late.
    struct Round {
        std::uint32_t number = 0;
        int count = 0;
    };
    alignas(64) std::atomic<Round> round_;
    std::atomic<bool> stop_ = false;
    const std::function<void(int)>* work_ = nullptr; // of the round, for its threads
    int count_ = 1;                                  // of them
    bool called_ = false;                            // whether they have been
    alignas(64) std::atomic<int> running_ = 0;
    std::vector<std::thread> workers_;
};

} // namespace lanescope::simt
