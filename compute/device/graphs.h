// Work that is captured once and then launched again and again with a single call. Implemented in
// addition to Device by engines that have graphs; elsewhere the work is queued each time.
#pragma once

#include <functional>
#include <memory>

#include "compute/device/device.h"

namespace lanescope::device {

class Graph {
public:
    virtual ~Graph() = default;
    virtual void launch() = 0; // queues all of its work, with the arguments that were captured
};

class Graphs {
public:
    virtual ~Graphs() = default;
    // Captures what `work` queues, without running it. The device must outlive the graph.
    virtual std::unique_ptr<Graph> capture(const std::function<void()>& work) = 0;
    virtual bool has_graphs() const { return true; }
};

// Null if the device has no graphs.
inline Graphs* graphs_of(Device& device)
{
    auto* const graphs = dynamic_cast<Graphs*>(&device);
    return graphs && graphs->has_graphs() ? graphs : nullptr;
}

} // namespace lanescope::device
