// Work in several queues: copies between host and device that overlap with kernels and continue
// after the call returns. Implemented in addition to Device by engines that support it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::device {

// Host memory. Pinned memory is never paged out, which asynchronous GPU copies require.
class HostMemory {
public:
    virtual ~HostMemory() = default;
    virtual std::span<std::byte> bytes() = 0;
};

// Timestamps in streams, from which timelines of overlapping work are drawn.
class Marks {
public:
    virtual ~Marks() = default;
    virtual void mark() = 0; // records when all work queued so far on the current stream completes
    // Waits for all marks, returns their times in milliseconds since the first one, and clears
    // them.
    virtual std::vector<double> read_ms() = 0;
};

class Streams {
public:
    virtual ~Streams() = default;
    virtual std::unique_ptr<HostMemory> allocate_host(std::size_t bytes, bool pinned) = 0;
    // Queues a copy: host memory must stay valid, and copied-out data is
    // available after synchronize().
    virtual void copy_in(Address to, std::span<const std::byte> from) = 0;
    virtual void copy_out(std::span<std::byte> to, Address from) = 0;
    // Directs subsequent copies and launches to this stream; stream 0 is the default for
    // all other work. A stream's first use after join_streams() waits for the work
    // queued on stream 0 at that time.
    virtual void use_stream(int number) = 0;
    // Makes stream 0 wait for all others, and selects it again.
    virtual void join_streams() = 0;
    // Makes subsequent work on the current stream wait for everything queued so far on stream
    // `number` of `other`, which may belong to another device of the same engine.
    virtual void wait_for(Streams& other, int number) = 0;
    // Queues a copy on the current stream, from this device's memory to that of another device of
    // the same engine.
    virtual void copy_to(Device& other, Address to, Address from, std::size_t bytes) = 0;
    // Null if the engine has no meaningful clock.
    virtual std::unique_ptr<Marks> marks() = 0;
};

// The device's streams, or a substitute that executes everything in order. The device must outlive
// them.
std::shared_ptr<Streams> streams_of(Device& device);

// Allocated with std::malloc.
std::unique_ptr<HostMemory> pageable_memory(std::size_t bytes);

} // namespace lanescope::device
