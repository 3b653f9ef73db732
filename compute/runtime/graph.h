// A graph of work: nodes with what must be done before each. An executable graph is a copy that no
// longer follows the one it was made of.
#pragma once

#include <list>

#include "compute/runtime/work.h"

namespace lanescope::runtime {

struct Node {
    Graph* graph = nullptr;
    Work work;
    std::vector<Node*> before; // in the order in which they were named
    bool enabled = true;
    const Node* original = nullptr; // in a copy: what it is of
    std::vector<std::byte> host_parameters{};
    // A kernel's parameters as the program named them, for cudaGraphKernelNodeGetParams.
    std::vector<void*> argument_pointers{};
};

struct Graph {
    std::list<std::unique_ptr<Node>> nodes; // as they were added
    unsigned long long flags = 0;

    Node* add(Work work, std::vector<Node*> before);
    std::shared_ptr<Graph> clone() const;
    Node* copy_of(const Node* original) const;
    // Each after all that must be done before it; empty when there is a cycle.
    std::vector<const Node*> in_order() const;
};

// The work of several streams on its way into a graph.
struct Capture {
    Graph* graph = nullptr;
    Stream* origin = nullptr;
    std::map<Stream*, std::vector<Node*>> last; // what the next work of each stream comes after
    unsigned long long id = 0;
    bool invalid = false;
};

} // namespace lanescope::runtime
