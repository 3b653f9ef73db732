// Captures what kernels print while the window is open. Both engines print to standard output,
// which still receives everything; the last part is kept here for the window.
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
        std::string kept;        // the last part, from the start of a line
        std::uint64_t bytes = 0; // total number printed
        bool whole() const { return kept.size() == bytes; }
    };

    // Starts capturing; at most one object may exist. Without free descriptors nothing is kept.
    KernelOutput();
    ~KernelOutput(); // receives pending output first
    KernelOutput(const KernelOutput&) = delete;
    KernelOutput& operator=(const KernelOutput&) = delete;

    void clear();
    // Never null. Output arrives line by line, since it passes through standard output's buffer.
    std::shared_ptr<const Text> text();

private:
    void read();
    void forward(std::string_view text);

    int standard_ = -1; // the original standard output
    int reading_ = -1;
    std::uint64_t forwarded_ = 0; // bytes sent to a terminal
    std::mutex mutex_;
    std::string kept_; // guarded by the mutex, like all below
    std::uint64_t bytes_ = 0;
    std::shared_ptr<const Text> text_ = std::make_shared<Text>();
    LoopThread thread_;
};

} // namespace lanescope::app
