// The cores that blocks run on: threads that stay for the life of the device and wait between
// launches.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lanescope::simt {

class Pool {
public:
    explicit Pool(int threads); // the calling thread is one of them
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }
    // Runs work(0) … work(count - 1), each on a thread of its own (count <= threads()), and waits
    // for all. `work` must not throw.
    void run(int count, const std::function<void(int)>& work);

private:
    void wait_for_work(int index);

    std::mutex mutex_;
    std::condition_variable start_;
    std::condition_variable done_;
    const std::function<void(int)>* work_ = nullptr;
    int count_ = 0;
    int running_ = 0;
    std::uint64_t round_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace lanescope::simt
