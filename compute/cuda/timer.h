// Times sections of the stream with a ring of event pairs, without ever waiting for them. The event
// clock resolves about 0.5 µs: short work is timed in batches (measure.h).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

class CudaTimer : public device::Timer {
public:
    explicit CudaTimer(const CudaDevice& device);

    // Takes a pair from the ring; if all are pending, drops the oldest section.
    void begin() override;
    void end() override;
    std::vector<double> poll_ms() override;

private:
    static constexpr std::size_t ring_size = 256;
    struct Pair {
        Event begin;
        Event end;
    };
    Pair& at(std::size_t index) { return ring_[index % ring_size]; }

    const CudaDevice& device_;
    std::array<Pair, ring_size> ring_;
    std::size_t oldest_ = 0; // sections in [oldest_, next_) are pending
    std::size_t next_ = 0;
};

// Marks are events, created once and reused.
class CudaMarks : public device::Marks {
public:
    explicit CudaMarks(const CudaDevice& device) : device_(device) {}
    void mark() override;
    std::vector<double> read_ms() override;

private:
    const CudaDevice& device_;
    std::vector<Event> events_;
    std::size_t used_ = 0;
};

} // namespace lanescope::cuda
