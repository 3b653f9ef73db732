// Work in several queues: copies between host and device that are still under way when the call
// returns, beside kernels. An engine that has them implements Streams beside Device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::device {

// Memory of the host. Pinned, it is never paged out: only from there can a GPU copy while the host
// goes on.
class HostMemory {
public:
    virtual ~HostMemory() = default;
    virtual std::span<std::byte> bytes() = 0;
};

// Moments of the streams, for a picture of what ran beside what.
class Marks {
public:
    virtual ~Marks() = default;
    virtual void mark() = 0; // when all that is queued on the current stream so far is done
    // Waits for all of them, gives each in milliseconds since the first one, and forgets them.
    virtual std::vector<double> read_ms() = 0;
};

class Streams {
public:
    virtual ~Streams() = default;
    virtual std::unique_ptr<HostMemory> allocate_host(std::size_t bytes, bool pinned) = 0;
    // Queued: the host's memory must stay, and what is copied out is there after synchronize().
    virtual void copy_in(Address to, std::span<const std::byte> from) = 0;
    virtual void copy_out(std::span<std::byte> to, Address from) = 0;
    // These copies and launches go to this stream from now on; 0 is that of everything else. One
    // that is used for the first time since join_streams() waits for what is queued on 0 by then.
    virtual void use_stream(int number) = 0;
    // 0 waits for all others, and is used again.
    virtual void join_streams() = 0;
    // What is queued on the current stream from now on waits for all that is queued on that stream
    // of `other` by now: streams of this device, or of another one of the same engine.
    virtual void wait_for(Streams& other, int number) = 0;
    // Queued on the current stream: from memory of this device to that of another one of the same
    // engine.
    virtual void copy_to(Device& other, Address to, Address from, std::size_t bytes) = 0;
    // Null where the engine has no clock worth showing.
    virtual std::unique_ptr<Marks> marks() = 0;
};

// Those of the device or, where it has none, ones that do everything in order. The device must
// outlive them.
std::shared_ptr<Streams> streams_of(Device& device);

// As std::malloc gives it.
std::unique_ptr<HostMemory> pageable_memory(std::size_t bytes);

} // namespace lanescope::device
