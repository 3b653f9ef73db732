// What NVIDIA's own libraries reach at a lab's task, on the lab's own input, to be measured in the
// same run as the lab's variants. Which peers a lab has, and what they take, stands in its record.
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

// A library's way to do the same work, with output of its own on the device.
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string title() const = 0;   // "cub::DeviceHistogram"
    virtual std::string library() const = 0; // with its version, "CUB 3.0.1"
    virtual void queue() = 0;                // one run, on the device's stream
    // Exactly as long as what the lab checks, and laid out like it. There before the first run: it
    // is overwritten with nonsense then, so that what a peer leaves alone is found.
    virtual const device::Buffer& result() const = 0;
};

// A lab's memory and numbers by the names that the peer gives them ("takes" of the record). What is
// missing throws LaunchError.
class Task {
public:
    using Buffers = std::function<const device::Buffer*(std::string_view name)>; // null: no such
    using Numbers = std::function<double(std::string_view name)>; // std::out_of_range: no such
    Task(Buffers buffers, Numbers numbers)
        : buffers_(std::move(buffers)), numbers_(std::move(numbers))
    {
    }

    const device::Buffer& buffer(std::string_view name) const;
    double number(std::string_view name) const;
    // For sizes: throws for numbers that are not whole or have no place in T.
    std::int64_t whole(std::string_view name) const;
    int whole_int(std::string_view name) const;
    // All names that were asked for so far.
    const std::set<std::string, std::less<>>& asked() const { return asked_; }

private:
    Buffers buffers_;
    Numbers numbers_;
    mutable std::set<std::string, std::less<>> asked_;
};

// The peer of this name; the task's memory must outlive it. Throws Error (no_such_thing) for other
// names, DeviceError with the cure where the peer's library is not on the machine.
std::unique_ptr<Peer> make_peer(std::string_view name, CudaDevice& device, const Task& task);

std::vector<std::string_view> peer_names();

} // namespace lanescope::cuda
