// A/B in numbers: the difference of both sides' fields.
#pragma once

#include <memory>
#include <optional>

#include "app/run/engine/shared_device.h"
#include "app/run/frame/frame.h"
#include "compute/experiment/lab/picture.h"

namespace lanescope::app {

class Difference {
public:
    explicit Difference(SharedDevice& shared) : shared_(shared) {}

    // Call while the shared memory is mapped: reads both fields back, waiting for the device. Empty
    // unless both pictures are fields of one size with at most 4 Mi elements.
    std::optional<DifferenceFrame> between(const labs::Picture& a, const labs::Picture& b);

private:
    SharedDevice& shared_;
    std::shared_ptr<device::Buffer> values_;
};

} // namespace lanescope::app
