// Conditional nodes of graphs: bodies that run if a condition holds, while it holds, or by its
// number. Kernels set the condition, a word of device memory whose address is its handle.
#pragma once

#include "compute/runtime/graphs/graph.h"

namespace lanescope::runtime {

// The word that cudaGraphSetConditional writes.
struct Condition {
    std::uint64_t address = 0;
    unsigned default_value = 0;
    bool assigns_default = false; // at the start of each launch of the graph
    CallSite site{};

    Condition() = default;
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;
};
// Returns null if out of memory.
std::shared_ptr<Condition> make_condition(Machine& machine, unsigned default_value,
                                          bool assigns_default);

struct Conditional {
    std::shared_ptr<Condition> condition;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<Graph>> bodies;
    std::vector<cudaGraph_t> handles{}; // of the bodies, for the program
};
std::shared_ptr<Conditional> copy_of_conditional(const Conditional& conditional);

// Gives the conditions of the graph and of its bodies their default values.
void assign_defaults(Machine& machine, Stream& stream, const Graph& graph);
// Runs a body: a chain of nodes in the stream itself, so that an endless loop has one timeline.
cudaError_t perform_body(Machine& machine, Stream& stream, const Graph& body);

} // namespace lanescope::runtime
