// A graph of work: nodes with their dependencies. An executable graph is a copy, independent of the
// graph it was instantiated from.
#pragma once

#include <list>
#include <thread>

#include "compute/runtime/graphs/user_objects.h"
#include "compute/runtime/work.h"

namespace lanescope::runtime {

struct Node {
    Graph* graph = nullptr;
    Work work;
    std::vector<Node*> before; // dependencies, in the order they were added
    CallSite site{};           // call that captured or added it
    bool enabled = true;
    const Node* original = nullptr; // in a copy: the node it was copied from
    // A kernel's parameters as the program specified them, for cudaGraphKernelNodeGetParams.
    std::vector<void*> argument_pointers{};
    // Attributes that the program has set for a kernel, keyed by cudaLaunchAttributeID.
    std::map<int, cudaLaunchAttributeValue> attributes{};
};

struct Condition;

struct Graph {
    std::list<std::unique_ptr<Node>> nodes; // in the order they were added
    unsigned long long flags = 0;
    std::vector<std::shared_ptr<Condition>> conditions{}; // shared with its copies
    HeldObjects objects{};

    Node* add(Work work, std::vector<Node*> before);
    std::shared_ptr<Graph> clone() const;
    Node* copy_of(const Node* original) const;
    // Nodes in an order that respects all dependencies; empty if there is a cycle.
    std::vector<const Node*> in_order() const;
    // True if every node depends on the node that was added before it and on no other.
    bool is_chain() const;
};

// Work of one or more streams being captured into a graph.
struct Capture {
    Graph* graph = nullptr;
    Stream* origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread{};                   // the one that began it
    std::map<Stream*, std::vector<Node*>> last; // dependencies of each stream's next node
    unsigned long long id = 0;
    bool invalid = false;
    bool into_existing = false; // the program made the graph (cudaStreamBeginCaptureToGraph)
};

} // namespace lanescope::runtime
