// A/B in numbers: where the fields of both sides differ.
#pragma once

#include <memory>
#include <optional>

#include "app/run/frame.h"
#include "app/run/shared_device.h"
#include "compute/labs/picture.h"

namespace lanescope::app {

class Difference {
public:
    explicit Difference(SharedDevice& shared) : shared_(shared) {}

    // While the shared memory is mapped: reads both fields back, and waits for the device. Nothing
    // unless both pictures are fields of one size, of at most 4 Mi elements.
    std::optional<DifferenceFrame> between(const labs::Picture& a, const labs::Picture& b);

private:
    SharedDevice& shared_;
    std::shared_ptr<device::Buffer> values_;
};

} // namespace lanescope::app
