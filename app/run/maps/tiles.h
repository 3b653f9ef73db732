// The array elements that one block loads and stores, in memory that OpenGL can draw, for the tile
// view. Counted by element, which only the lockstep machine does.
#pragma once

#include <memory>
#include <string>

#include "app/document/look/look.h"
#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

class Tiles {
public:
    explicit Tiles(device::Device& device) : device_(device) {}

    // Configures `trace` to record the chosen warp's block in the next launch. Only if `view` shows
    // tiles: drawing other views may launch kernels. Call while the shared memory is mapped;
    // otherwise it has no address.
    void ask(labs::Experiment& experiment, const std::string& view, const RequestChoice& choice,
             trace::Trace& trace);
    // Copies the counts of that launch, if any, into memory from `shown`. Call while mapped.
    void take(const trace::Trace& trace, device::Allocator& shown);
    void clear() { taken_.reset(); }
    // Adds the counts to the picture, if it shows the same arrays.
    void complete(labs::Picture& picture) const;

private:
    device::Device& device_;
    std::shared_ptr<device::Buffer> counts_;
    labs::Tiles requested_;
    std::shared_ptr<const labs::Tiles> taken_; // null: nothing was counted
};

} // namespace lanescope::app
