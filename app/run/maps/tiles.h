// Which elements of its arrays one block loads and stores, where OpenGL can draw it: what the
// record's view of tiles shows. Counted element by element, so by the lockstep machine alone.
#pragma once

#include <memory>
#include <string>

#include "app/document/look.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

class Tiles {
public:
    explicit Tiles(device::Device& device) : device_(device) {}

    // Asks `trace` for what the chosen warp's block does in the launch that comes next. The view is
    // one of tiles: others may launch something to be drawn. While mapped, because memory has no
    // address before.
    void ask(labs::Experiment& experiment, const std::string& view, const RequestChoice& choice,
             trace::Trace& trace);
    // Takes the counts of that launch over, if it made any, into memory from `shown`. While mapped.
    void take(const trace::Trace& trace, device::Allocator& shown);
    void clear() { taken_.reset(); }
    // The picture with what was taken, if it is of the same arrays.
    void complete(labs::Picture& picture) const;

private:
    device::Device& device_;
    std::shared_ptr<device::Buffer> counts_;
    labs::Tiles asked_;
    std::shared_ptr<const labs::Tiles> taken_; // null: nothing
};

} // namespace lanescope::app
