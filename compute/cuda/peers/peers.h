// NVIDIA's own libraries applied to a lab's task and input, measured in the same run as the lab's
// variants. A lab's record lists its peers and their inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// A library routine that does the same work, with its own output buffer on the device.
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string title() const = 0;   // "cub::DeviceHistogram"
    virtual std::string library() const = 0; // with its version, "CUB 3.0.1"
    virtual void queue() = 0;                // one run, on the device's stream
    // Same size and layout as the result that the lab checks. Available before the first run, so
    // that it can be filled with garbage, which reveals elements that a peer does not write.
    virtual const device::Buffer& result() const = 0;
};

// A lab's buffers and numbers under the peer's names ("takes" in the record). Missing ones throw
// LaunchError.
class Task {
public:
    using Buffers = std::function<const device::Buffer*(std::string_view name)>; // null if missing
    using Numbers = std::function<double(std::string_view name)>; // throws std::out_of_range
    Task(Buffers buffers, Numbers numbers)
        : buffers_(std::move(buffers)), numbers_(std::move(numbers))
    {
    }

    const device::Buffer& buffer(std::string_view name) const;
    double number(std::string_view name) const;
    // For sizes: throws if the number is not an integer or does not fit in T.
    std::int64_t whole(std::string_view name) const;
    int whole_int(std::string_view name) const;
    // All names requested so far.
    const std::set<std::string, std::less<>>& asked() const { return requested_; }

private:
    Buffers buffers_;
    Numbers numbers_;
    mutable std::set<std::string, std::less<>> requested_;
};

// Creates the peer of this name; the task's memory must outlive it. Throws Error (no_such_thing)
// for unknown names and DeviceError, with a suggested fix, if the peer's library is missing.
std::unique_ptr<Peer> make_peer(std::string_view name, CudaDevice& device, const Task& task);

std::vector<std::string_view> peer_names();

} // namespace lanescope::cuda
