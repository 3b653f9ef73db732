// What NVIDIA's own libraries reach at a lab's task, to be measured in the same run as the lab's
// variants.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

// A library's way to do the same work, with input and output of its own on the device.
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string name() const = 0;             // "cub::DeviceHistogram"
    virtual void queue() = 0;                         // one run, on the device's stream
    virtual const device::Buffer& result() const = 0; // counts (u32), or the transposed floats
};

// cub::DeviceHistogram over samples of 1 or 4 bytes: `bins` equal bins over values in [0, upper).
// Throws LaunchError for other sample sizes.
std::unique_ptr<Peer> make_histogram_peer(CudaDevice& device, std::span<const std::byte> samples,
                                          int sample_bytes, int bins, unsigned upper);

// cublasSgeam as a transpose of rows × columns floats (contents are random, they do not matter to
// its time). Throws DeviceError with the cure where cuBLAS is not on the machine.
std::unique_ptr<Peer> make_transpose_peer(CudaDevice& device, int columns, int rows);

} // namespace lanescope::cuda
