// What kernels print while the window is open. Both engines print to standard output: it still gets
// everything, and the last of it is kept here, to be read in the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "compute/threads.h"

namespace lanescope::app {

class KernelOutput {
public:
    static constexpr std::size_t max_kept = std::size_t{64} << 10; // bytes

    struct Text {
        std::string kept;        // the last of it, from the beginning of a line
        std::uint64_t bytes = 0; // that were printed in all
        bool whole() const { return kept.size() == bytes; }
    };

    // From now on; one at a time. Without descriptors left, nothing is kept.
    KernelOutput();
    ~KernelOutput(); // what is still on its way arrives first
    KernelOutput(const KernelOutput&) = delete;
    KernelOutput& operator=(const KernelOutput&) = delete;

    void clear();
    // Never null. What is printed reaches standard output's buffer first: a line at a time.
    std::shared_ptr<const Text> text();

private:
    void read();
    void forward(std::string_view text);

    int standard_ = -1; // what standard output was
    int reading_ = -1;
    std::uint64_t forwarded_ = 0; // to a terminal, in bytes
    std::mutex mutex_;
    std::string kept_; // under the mutex, as all below
    std::uint64_t bytes_ = 0;
    std::shared_ptr<const Text> text_ = std::make_shared<Text>();
    LoopThread thread_;
};

} // namespace lanescope::app
