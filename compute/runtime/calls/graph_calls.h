// Handles of graphs and the parameters of their nodes, shared by the functions that build, change
// and query graphs.
#pragma once

#include "compute/runtime/graphs/graph.h"

namespace lanescope::runtime {

// --- Handles: pointers to the objects they name; null if invalid ---
Graph* own(cudaGraph_t graph);
Graph* own(cudaGraphExec_t graph);
inline Node* own(cudaGraphNode_t node)
{
    return reinterpret_cast<Node*>(node);
}
inline cudaGraphNode_t handle(const Node* node)
{
    return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
}
// Makes the graph known to the program.
cudaGraph_t keep(std::shared_ptr<Graph> graph);

// --- Work of a node from the parameters that the program passes ---
cudaError_t fill_work(Machine& machine, const cudaMemsetParams& parameters, Work& work);
CopyWork flat_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyWork copy_work_of(const cudaMemcpy3DParms& from);
cudaError_t child_work(cudaGraph_t child, Work& work);
// A copy between memory and a variable of the program; `offset` is within the variable.
cudaError_t to_symbol_work(Machine& machine, const void* symbol, std::size_t offset,
                           const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work);
cudaError_t from_symbol_work(Machine& machine, void* to, const void* symbol, std::size_t offset,
                             std::size_t bytes, cudaMemcpyKind kind, Work& work);

// Work with the parameters of any node (cudaGraphAddNode), added to the graph `into`.
cudaError_t conditional_work(Graph& into, cudaConditionalNodeParams& parameters, Work& work);

// Gives the node new work of the same kind.
template <class Make>
cudaError_t replace_work(Machine& machine, Node& node, Make make)
{
    Work work;
    const cudaError_t result = make(machine, work);
    if (result != cudaSuccess) return result;
    if (work.index() != node.work.index()) return cudaErrorInvalidValue;
    node.work = std::move(work);
    return cudaSuccess;
}

// Calls `body` with the node.
template <class Body>
cudaError_t with_node(const char* name, cudaGraphNode_t node, Body body)
{
    return call(Call::queues, name, [&](Machine& machine) {
        return node == nullptr ? cudaErrorInvalidValue : body(machine, *own(node));
    });
}
// Calls `body` with the node's work if it is of that kind.
template <class Kind, class Body>
cudaError_t with_work(const char* name, cudaGraphNode_t node, Body body)
{
    return with_node(name, node, [&](Machine&, Node& known) {
        auto* const work = std::get_if<Kind>(&known.work);
        return work == nullptr ? cudaErrorInvalidValue : body(*work);
    });
}
// Calls `change` with the node of an executable graph that was instantiated from `node`.
template <class Change>
cudaError_t change(const char* name, cudaGraphExec_t executable, cudaGraphNode_t node,
                   Change change)
{
    return call(Call::queues, name, [&](Machine& machine) {
        Graph* const graph = own(executable);
        if (graph == nullptr || node == nullptr) return cudaErrorInvalidValue;
        Node* const copy = graph->copy_of(own(node));
        return copy == nullptr ? cudaErrorInvalidValue : change(machine, *copy);
    });
}

} // namespace lanescope::runtime
