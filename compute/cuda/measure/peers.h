// What NVIDIA's own libraries reach at a lab's task, on the lab's own input, to be measured in the
// same run as the lab's variants. A lab's record names its peers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// A library's way to do the same work, with output of its own on the device.
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string title() const = 0;            // "cub::DeviceHistogram"
    virtual void queue() = 0;                         // one run, on the device's stream
    virtual const device::Buffer& result() const = 0; // laid out as the lab's result
};

// A lab's memory and numbers by the names of its record. Both must outlive the peer.
struct Task {
    std::function<const device::Buffer*(std::string_view name)> buffer; // null: no such
    std::function<double(std::string_view name)> number; // std::out_of_range: no such
};

// `cub_histogram` reads "samples", "size" and "bins"; `cublas_geam` reads "from", "size" (columns)
// and "rows". Throws Error (no_such_thing) for other names, DeviceError with the cure where the
// peer's library is not on the machine.
std::unique_ptr<Peer> make_peer(std::string_view name, CudaDevice& device, const Task& task);

std::vector<std::string_view> peer_names();

} // namespace lanescope::cuda
