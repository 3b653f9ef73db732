// Graphs: built node by node, captured from streams, instantiated and launched.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/runtime/calls/graph_calls.h"
#include "compute/runtime/graphs/conditions.h"

namespace lanescope::runtime {

namespace {

std::unordered_map<const Graph*, std::shared_ptr<Graph>>& graphs()
{
    static auto* const all = new std::unordered_map<const Graph*, std::shared_ptr<Graph>>;
    return *all;
}
std::unordered_map<const Graph*, std::shared_ptr<Graph>>& executables()
{
    static auto* const all = new std::unordered_map<const Graph*, std::shared_ptr<Graph>>;
    return *all;
}

} // namespace

Graph* own(cudaGraph_t graph)
{
    const auto found = graphs().find(reinterpret_cast<Graph*>(graph));
    return found == graphs().end() ? nullptr : found->second.get();
}
Graph* own(cudaGraphExec_t graph)
{
    const auto found = executables().find(reinterpret_cast<Graph*>(graph));
    return found == executables().end() ? nullptr : found->second.get();
}

cudaGraph_t keep(std::shared_ptr<Graph> graph)
{
    Graph* const known = graph.get();
    graphs()[known] = std::move(graph);
    return reinterpret_cast<cudaGraph_t>(known);
}

namespace {

// The program can no longer name the bodies of a graph that is gone.
void forget_bodies(const Graph& graph)
{
    for (const auto& node : graph.nodes)
        if (const auto* const some = std::get_if<ConditionalWork>(&node->work))
            for (const auto& body : some->conditional->bodies) {
                forget_bodies(*body);
                graphs().erase(body.get());
            }
}

// Adds a node with the work that `make` returns, or returns its error.
template <class Make>
cudaError_t add(const char* name, cudaGraphNode_t* node, cudaGraph_t graph,
                const cudaGraphNode_t* before, std::size_t count, Make make)
{
    return call(Call::queues, name, [&](Machine& machine) {
        Graph* const into = own(graph);
        if (into == nullptr || node == nullptr || (count > 0 && before == nullptr))
            return cudaErrorInvalidValue;
        std::vector<Node*> dependencies;
        for (std::size_t i = 0; i < count; ++i) {
            if (before[i] == nullptr || own(before[i])->graph != into) return cudaErrorInvalidValue;
            dependencies.push_back(own(before[i]));
        }
        Work work;
        cudaError_t failed = cudaSuccess;
        if constexpr (std::is_invocable_v<Make, Machine&, Graph&, Work&>)
            failed = make(machine, *into, work);
        else
            failed = make(machine, work);
        if (failed != cudaSuccess) return failed;
        *node = handle(into->add(std::move(work), std::move(dependencies)));
        return cudaSuccess;
    });
}

cudaError_t kernel_work(Machine& machine, const cudaKernelNodeParams& parameters, Work& work)
{
    const auto found = machine.functions.find(parameters.func);
    Function* function = found == machine.functions.end() ? nullptr : found->second;
    if (function == nullptr &&
        machine.handles.contains(static_cast<const Function*>(parameters.func)))
        function = static_cast<Function*>(parameters.func);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (parameters.extra != nullptr) return cudaErrorNotSupported;
    LaunchRequest request;
    request.function = function;
    request.grid = {parameters.gridDim.x, parameters.gridDim.y, parameters.gridDim.z};
    request.block = {parameters.blockDim.x, parameters.blockDim.y, parameters.blockDim.z};
    request.shared_bytes = parameters.sharedMemBytes;
    const auto sizes = machine.kernel(*function, this_thread().device).parameter_sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (parameters.kernelParams == nullptr || parameters.kernelParams[i] == nullptr)
            return cudaErrorInvalidValue;
        const auto* from = static_cast<const std::byte*>(parameters.kernelParams[i]);
        request.arguments.emplace_back(from, from + sizes[i]);
    }
    work = std::move(request);
    return cudaSuccess;
}

} // namespace

cudaError_t fill_work(Machine& machine, const cudaMemsetParams& parameters, Work& work)
{
    FillWork fill;
    fill.pointer = static_cast<std::byte*>(parameters.dst);
    fill.pitch = parameters.pitch;
    fill.value = parameters.value;
    fill.element_bytes = parameters.elementSize;
    fill.width = parameters.width;
    fill.height = parameters.height;
    if (fill.element_bytes != 1 && fill.element_bytes != 2 && fill.element_bytes != 4)
        return cudaErrorInvalidValue;
    work = fill;
    return check(machine, fill, "cudaGraphAddMemsetNode");
}

CopyWork flat_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    CopyWork copy;
    copy.to.pointer = static_cast<std::byte*>(to);
    copy.from.pointer = static_cast<std::byte*>(const_cast<void*>(from));
    copy.to.pitch = copy.from.pitch = copy.width_bytes = bytes;
    copy.kind = kind;
    return copy;
}

CopyWork copy_work_of(const cudaMemcpy3DParms& from)
{
    CopyWork copy;
    ArrayInfo info;
    std::size_t element = 1;
    for (cudaArray_t array : {from.srcArray, from.dstArray})
        if (array != nullptr && array_info(array, info)) element = info.element_bytes;
    const auto end = [&](cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at) {
        CopyEnd made;
        made.array = array;
        if (array != nullptr) {
            made.x_bytes = at.x * element;
            made.y = at.y;
            made.z = at.z;
        } else {
            made.pointer = static_cast<std::byte*>(pointer.ptr) + at.x +
                           (at.z * pointer.ysize + at.y) * pointer.pitch;
            made.pitch = pointer.pitch;
            made.rows = pointer.ysize;
        }
        return made;
    };
    copy.from = end(from.srcArray, from.srcPtr, from.srcPos);
    copy.to = end(from.dstArray, from.dstPtr, from.dstPos);
    copy.width_bytes = from.extent.width * (from.srcArray || from.dstArray ? element : 1);
    copy.height = from.extent.height;
    copy.depth = from.extent.depth;
    copy.kind = from.kind;
    return copy;
}

namespace {

cudaError_t host_work(cudaHostFn_t function, void* data, Work& work)
{
    if (function == nullptr) return cudaErrorInvalidValue;
    HostWork host;
    host.function = function;
    host.data = data;
    work = host;
    return cudaSuccess;
}

} // namespace

cudaError_t child_work(cudaGraph_t child, Work& work)
{
    const Graph* const from = own(child);
    if (from == nullptr) return cudaErrorInvalidValue;
    work = GraphWork{from->clone()};
    return cudaSuccess;
}

cudaError_t to_symbol_work(Machine& machine, const void* symbol, std::size_t offset,
                           const void* from, std::size_t bytes, cudaMemcpyKind kind, Work& work)
{
    std::uint64_t size = 0;
    const std::uint64_t address = machine.symbol_address(symbol, this_thread().device, &size);
    if (address == 0) return cudaErrorInvalidSymbol;
    if (offset + bytes > size) return cudaErrorInvalidValue;
    work = flat_copy(reinterpret_cast<std::byte*>(address) + offset, from, bytes, kind);
    return cudaSuccess;
}

cudaError_t from_symbol_work(Machine& machine, void* to, const void* symbol, std::size_t offset,
                             std::size_t bytes, cudaMemcpyKind kind, Work& work)
{
    std::uint64_t size = 0;
    const std::uint64_t address = machine.symbol_address(symbol, this_thread().device, &size);
    if (address == 0) return cudaErrorInvalidSymbol;
    if (offset + bytes > size) return cudaErrorInvalidValue;
    work = flat_copy(to, reinterpret_cast<std::byte*>(address) + offset, bytes, kind);
    return cudaSuccess;
}

cudaError_t conditional_work(Graph& into, cudaConditionalNodeParams& parameters, Work& work)
{
    const auto condition = std::ranges::find(into.conditions, parameters.handle,
                                             [](const auto& each) { return each->address; });
    const unsigned max_size = parameters.type == cudaGraphCondTypeIf      ? 2
                              : parameters.type == cudaGraphCondTypeWhile ? 1
                                                                          : ~0u;
    if (condition == into.conditions.end() || parameters.type < cudaGraphCondTypeIf ||
        parameters.type > cudaGraphCondTypeSwitch || parameters.size == 0 ||
        parameters.size > max_size)
        return cudaErrorInvalidValue;
    auto made = std::make_shared<Conditional>();
    made->condition = *condition;
    made->type = parameters.type;
    for (unsigned i = 0; i < parameters.size; ++i) {
        made->bodies.push_back(std::make_shared<Graph>());
        made->handles.push_back(keep(made->bodies.back()));
    }
    parameters.phGraph_out = made->handles.data();
    work = ConditionalWork{std::move(made)};
    return cudaSuccess;
}

namespace {

cudaError_t allocate_work(Machine& machine, std::size_t bytes, void*& pointer, const char* name,
                          Work& work)
{
    if (bytes == 0) return cudaErrorInvalidValue;
    Memory* const made = machine.allocate(bytes, MemoryKind::device, this_thread().device, name);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    pointer = reinterpret_cast<void*>(made->address);
    work = AllocateWork{bytes, made->address};
    return cudaSuccess;
}

cudaError_t free_work(Machine& machine, void* pointer, Work& work)
{
    if (machine.find(pointer) == nullptr) return cudaErrorInvalidValue;
    work = FreeWork{reinterpret_cast<std::uint64_t>(pointer)};
    return cudaSuccess;
}

// Sets `work` to the work of a node of any type but a conditional one; stores an allocation's
// address in the parameters.
cudaError_t work_of(Machine& machine, cudaGraphNodeParams& is, const char* name, Work& work)
{
    switch (is.type) {
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    case cudaGraphNodeTypeKernel: {
        cudaKernelNodeParams kernel{};
        kernel.func = is.kernel.func;
        kernel.gridDim = is.kernel.gridDim;
        kernel.blockDim = is.kernel.blockDim;
        kernel.sharedMemBytes = is.kernel.sharedMemBytes;
        kernel.kernelParams = is.kernel.kernelParams;
        kernel.extra = is.kernel.extra;
        return kernel_work(machine, kernel, work);
    }
    case cudaGraphNodeTypeMemcpy: {
        const CopyWork copy = copy_work_of(is.memcpy.copyParams);
        work = copy;
        return check(machine, copy, name);
    }
    case cudaGraphNodeTypeMemset: {
        cudaMemsetParams fill{};
        fill.dst = is.memset.dst;
        fill.pitch = is.memset.pitch;
        fill.value = is.memset.value;
        fill.elementSize = is.memset.elementSize;
        fill.width = is.memset.width;
        fill.height = is.memset.height;
        return fill_work(machine, fill, work);
    }
    case cudaGraphNodeTypeHost: return host_work(is.host.fn, is.host.userData, work);
    case cudaGraphNodeTypeGraph: return child_work(is.graph.graph, work);
    case cudaGraphNodeTypeWaitEvent: work = WaitWork{is.eventWait.event}; return cudaSuccess;
    case cudaGraphNodeTypeEventRecord: work = RecordWork{is.eventRecord.event}; return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
        return allocate_work(machine, is.alloc.bytesize, is.alloc.dptr, name, work);
    case cudaGraphNodeTypeMemFree: return free_work(machine, is.free.dptr, work);
    default:
        Report::instance().missing(
            "nodes of a graph",
            "Batches of memory operations and external semaphores are not supported in graphs: "
            "cudaGraphAddNode returns cudaErrorNotSupported.");
        return cudaErrorNotSupported;
    }
}

// Gives a node new parameters; its type cannot change.
cudaError_t set_work(Machine& machine, cudaGraphNodeParams* is, const char* name, Node& node)
{
    if (is == nullptr || is->type == cudaGraphNodeTypeMemAlloc ||
        is->type == cudaGraphNodeTypeMemFree || is->type == cudaGraphNodeTypeConditional)
        return cudaErrorInvalidValue;
    return replace_work(machine, node,
                        [&](Machine& on, Work& work) { return work_of(on, *is, name, work); });
}

cudaError_t list(const std::vector<const Node*>& nodes, cudaGraphNode_t* into, std::size_t* count)
{
    if (count == nullptr) return cudaErrorInvalidValue;
    if (into == nullptr) {
        *count = nodes.size();
        return cudaSuccess;
    }
    for (std::size_t i = 0; i < *count; ++i)
        into[i] = i < nodes.size() ? handle(nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
    return cudaSuccess;
}

// Checks that conditional bodies only have nodes that they may have, and reports others.
bool bodies_are_allowed(const Graph& graph, bool is_body = false)
{
    for (const auto& node : graph.nodes) {
        const Work& work = node->work;
        const char* wrong = std::holds_alternative<HostWork>(work)       ? "a host function"
                            : std::holds_alternative<RecordWork>(work)   ? "the record of an event"
                            : std::holds_alternative<WaitWork>(work)     ? "a wait for an event"
                            : std::holds_alternative<AllocateWork>(work) ? "an allocation"
                            : std::holds_alternative<FreeWork>(work)     ? "a free"
                                                                         : nullptr;
        if (is_body && wrong != nullptr) {
            Finding finding{.kind = "launch"};
            finding.call = called_as("cudaGraphInstantiate");
            finding.site = node->site;
            finding.message = fmt::format(
                "The body of a conditional node has {}. Bodies may have kernels, copies, fills, "
                "child graphs, conditional and empty nodes.",
                wrong);
            Machine::instance().find(finding);
            return false;
        }
        if (const auto* const child = std::get_if<GraphWork>(&work))
            if (!bodies_are_allowed(*child->graph, is_body)) return false;
        if (const auto* const some = std::get_if<ConditionalWork>(&work))
            for (const auto& body : some->conditional->bodies)
                if (body->in_order().size() != body->nodes.size() ||
                    !bodies_are_allowed(*body, true))
                    return false;
    }
    return true;
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags,
                        const char* name)
{
    return call(Call::queues, name, [&](Machine&) {
        const Graph* const from = own(graph);
        if (from == nullptr || executable == nullptr) return cudaErrorInvalidValue;
        if (from->in_order().size() != from->nodes.size() || !bodies_are_allowed(*from))
            return cudaErrorInvalidValue;
        auto made = from->clone();
        made->flags = flags;
        Graph* const known = made.get();
        executables()[known] = std::move(made);
        *executable = reinterpret_cast<cudaGraphExec_t>(known);
        return cudaSuccess;
    });
}

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode,
                          std::shared_ptr<Graph> graph, std::vector<Node*> before, const char* name)
{
    return call(Call::queues, name, [&](Machine& machine) {
        if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        const int device = this_thread().device;
        Stream* const stream = machine.stream(handle, device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream == machine.stream(cudaStreamLegacy, device))
            return cudaErrorStreamCaptureUnsupported;
        if (stream->capture != nullptr) return cudaErrorIllegalState;
        auto* const made = new Capture;
        made->into_existing = graph != nullptr;
        if (!graph) graph = std::make_shared<Graph>();
        made->graph = graph.get();
        graphs()[graph.get()] = graph;
        made->origin = stream;
        made->mode = mode;
        made->thread = std::this_thread::get_id();
        made->last[stream] = std::move(before);
        static unsigned long long ids = 0;
        made->id = ++ids;
        stream->capture = made;
        return cudaSuccess;
    });
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;
using lanescope::Dim3;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
        *graph = keep(std::make_shared<Graph>());
        return cudaSuccess;
    });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const gone = own(graph);
        if (gone == nullptr) return cudaErrorInvalidValue;
        forget_bodies(*gone);
        graphs().erase(gone);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const from = own(graph);
        if (from == nullptr || clone == nullptr) return cudaErrorInvalidValue;
        *clone = keep(from->clone());
        return cudaSuccess;
    });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const in = own(clone);
        if (in == nullptr || found == nullptr || original == nullptr) return cudaErrorInvalidValue;
        const Node* const copy = in->copy_of(own(original));
        if (copy == nullptr) return cudaErrorInvalidValue;
        *found = handle(copy);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaKernelNodeParams* parameters)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        return parameters == nullptr ? cudaErrorInvalidValue
                                     : kernel_work(machine, *parameters, work);
    });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemsetParams* parameters)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        return parameters == nullptr ? cudaErrorInvalidValue
                                     : fill_work(machine, *parameters, work);
    });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        work = flat_copy(to, from, bytes, kind);
        return check(machine, std::get<CopyWork>(work), "cudaGraphAddMemcpyNode1D");
    });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemcpy3DParms* parameters)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        work = copy_work_of(*parameters);
        return check(machine, std::get<CopyWork>(work), "cudaGraphAddMemcpyNode");
    });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        return to_symbol_work(machine, symbol, offset, from, bytes, kind, work);
    });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        return from_symbol_work(machine, to, symbol, offset, bytes, kind, work);
    });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, std::size_t count,
                                 const cudaHostNodeParams* parameters)
{
    return add(__func__, node, graph, before, count, [&](Machine&, Work& work) {
        return parameters == nullptr ? cudaErrorInvalidValue
                                     : host_work(parameters->fn, parameters->userData, work);
    });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, std::size_t count)
{
    return add(__func__, node, graph, before, count, [&](Machine&, Work&) { return cudaSuccess; });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, std::size_t count,
                                        cudaEvent_t event)
{
    return add(__func__, node, graph, before, count, [&](Machine&, Work& work) {
        work = RecordWork{event};
        return cudaSuccess;
    });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* before, std::size_t count,
                                      cudaEvent_t event)
{
    return add(__func__, node, graph, before, count, [&](Machine&, Work& work) {
        work = WaitWork{event};
        return cudaSuccess;
    });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, std::size_t count,
                                       cudaGraph_t child)
{
    return add(__func__, node, graph, before, count,
               [&](Machine&, Work& work) { return child_work(child, work); });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, std::size_t count,
                                     cudaMemAllocNodeParams* parameters)
{
    return add(__func__, node, graph, before, count, [&](Machine& machine, Work& work) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        return allocate_work(machine, parameters->bytesize, parameters->dptr,
                             "cudaGraphAddMemAllocNode", work);
    });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* before, std::size_t count, void* pointer)
{
    return add(__func__, node, graph, before, count,
               [&](Machine& machine, Work& work) { return free_work(machine, pointer, work); });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                             std::size_t count, cudaGraphNodeParams* parameters)
{
    const auto work_in = [&](Machine& machine, Graph& into, Work& work) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        return parameters->type == cudaGraphNodeTypeConditional
                   ? conditional_work(into, parameters->conditional, work)
                   : work_of(machine, *parameters, "cudaGraphAddNode", work);
    };
    return add("cudaGraphAddNode", node, graph, before, count, work_in);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count)
{
    return call(Call::queues, "cudaGraphAddDependencies", [&](Machine&) {
        if (own(graph) == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
            return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            auto& before = own(to[i])->before;
            if (std::ranges::find(before, own(from[i])) != before.end())
                return cudaErrorInvalidValue;
            before.push_back(own(from[i]));
        }
        return cudaSuccess;
    });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count)
{
    return call(Call::queues, "cudaGraphRemoveDependencies", [&](Machine&) {
        if (own(graph) == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
            return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i)
            if (std::erase(own(to[i])->before, own(from[i])) == 0) return cudaErrorInvalidValue;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (node == nullptr) return cudaErrorInvalidValue;
        Graph* const graph = own(node)->graph;
        for (const auto& other : graph->nodes) std::erase(other->before, own(node));
        graph->nodes.remove_if([&](const auto& each) { return each.get() == own(node); });
        return cudaSuccess;
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const known = own(graph);
        if (known == nullptr) return cudaErrorInvalidValue;
        std::vector<const Node*> all;
        for (const auto& node : known->nodes) all.push_back(node.get());
        return list(all, nodes, count);
    });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const known = own(graph);
        if (known == nullptr) return cudaErrorInvalidValue;
        std::vector<const Node*> all;
        for (const auto& node : known->nodes)
            if (node->before.empty()) all.push_back(node.get());
        return list(all, nodes, count);
    });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count)
{
    return call(Call::queues, "cudaGraphGetEdges", [&](Machine&) {
        const Graph* const known = own(graph);
        if (known == nullptr || count == nullptr) return cudaErrorInvalidValue;
        std::vector<const Node*> firsts, seconds;
        for (const auto& node : known->nodes)
            for (const Node* before : node->before) {
                firsts.push_back(before);
                seconds.push_back(node.get());
            }
        if (data != nullptr) std::memset(data, 0, std::min(*count, firsts.size()) * sizeof *data);
        std::size_t second_count = *count;
        if (to != nullptr) list(seconds, to, &second_count);
        return list(firsts, from, count);
    });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* before,
                                         cudaGraphEdgeData*, std::size_t* count)
{
    return call(Call::queues, "cudaGraphNodeGetDependencies", [&](Machine&) {
        if (node == nullptr) return cudaErrorInvalidValue;
        return list({own(node)->before.begin(), own(node)->before.end()}, before, count);
    });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* after,
                                           cudaGraphEdgeData*, std::size_t* count)
{
    return call(Call::queues, "cudaGraphNodeGetDependentNodes", [&](Machine&) {
        if (node == nullptr) return cudaErrorInvalidValue;
        std::vector<const Node*> all;
        for (const auto& other : own(node)->graph->nodes)
            if (std::ranges::find(other->before, own(node)) != other->before.end())
                all.push_back(other.get());
        return list(all, after, count);
    });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
        constexpr cudaGraphNodeType types[] = {
            cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,     cudaGraphNodeTypeMemcpy,
            cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,       cudaGraphNodeTypeEventRecord,
            cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,      cudaGraphNodeTypeMemAlloc,
            cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeConditional};
        *type = types[own(node)->work.index()];
        return cudaSuccess;
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (node == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
        return kernel_work(machine, *parameters, own(node)->work);
    });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (node == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
        auto* const request = std::get_if<LaunchRequest>(&own(node)->work);
        if (request == nullptr) return cudaErrorInvalidValue;
        *parameters = {};
        for (const auto& [host, function] : machine.functions)
            if (function == request->function) parameters->func = const_cast<void*>(host);
        parameters->gridDim = dim3(request->grid.x, request->grid.y, request->grid.z);
        parameters->blockDim = dim3(request->block.x, request->block.y, request->block.z);
        parameters->sharedMemBytes = request->shared_bytes;
        own(node)->argument_pointers.clear();
        for (auto& argument : request->arguments)
            own(node)->argument_pointers.push_back(argument.data());
        parameters->kernelParams = own(node)->argument_pointers.data();
        return cudaSuccess;
    });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (node == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
        return fill_work(machine, *parameters, own(node)->work);
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return parameters == nullptr ? cudaErrorInvalidValue
                                     : kernel_work(machine, *parameters, copy.work);
    });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return parameters == nullptr ? cudaErrorInvalidValue
                                     : fill_work(machine, *parameters, copy.work);
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        const CopyWork work = flat_copy(to, from, bytes, kind);
        const cudaError_t wrong = check(machine, work, "cudaGraphExecMemcpyNodeSetParams1D");
        if (wrong == cudaSuccess) copy.work = work;
        return wrong;
    });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters)
{
    return change(__func__, executable, node, [&](Machine&, Node& copy) {
        if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
        HostWork host;
        host.function = parameters->fn;
        host.data = parameters->userData;
        copy.work = host;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return node == nullptr
                   ? cudaErrorInvalidValue
                   : set_work(machine, parameters, "cudaGraphNodeSetParams", *own(node));
    });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return set_work(machine, parameters, "cudaGraphExecNodeSetParams", copy);
    });
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned enabled)
{
    return change(__func__, executable, node, [&](Machine&, Node& copy) {
        copy.enabled = enabled != 0;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned* enabled)
{
    return change(__func__, executable, node, [&](Machine&, Node& copy) {
        if (enabled == nullptr) return cudaErrorInvalidValue;
        *enabled = copy.enabled;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result)
{
    return call(Call::queues, __func__, [&](Machine&) {
        Graph* const to = own(executable);
        const Graph* const from = own(graph);
        if (to == nullptr || from == nullptr || result == nullptr) return cudaErrorInvalidValue;
        *result = {};
        const bool alike =
            to->nodes.size() == from->nodes.size() &&
            std::ranges::equal(to->nodes, from->nodes, [](const auto& one, const auto& other) {
                return one->work.index() == other->work.index() &&
                       one->before.size() == other->before.size();
            });
        if (!alike) {
            result->result = cudaGraphExecUpdateErrorTopologyChanged;
            return cudaErrorGraphExecUpdateFailure;
        }
        auto at = from->nodes.begin();
        for (const auto& node : to->nodes) {
            const Node& from_node = **at++;
            if (!std::holds_alternative<ConditionalWork>(node->work))
                node->work = from_node.work;
            else
                node->work = ConditionalWork{
                    copy_of_conditional(*std::get<ConditionalWork>(from_node.work).conditional)};
        }
        result->result = cudaGraphExecUpdateSuccess;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* created, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        Graph* const into = own(graph);
        if (into == nullptr || created == nullptr ||
            (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0)
            return cudaErrorInvalidValue;
        auto made = make_condition(machine, default_value, flags == cudaGraphCondAssignDefault);
        if (made == nullptr) return cudaErrorMemoryAllocation;
        *created = made->address;
        into->conditions.push_back(std::move(made));
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags)
{
    return instantiate(executable, graph, flags, __func__);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return instantiate(executable, graph, flags, __func__);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters)
{
    if (parameters == nullptr)
        return call(Call::queues, __func__, [](Machine&) { return cudaErrorInvalidValue; });
    parameters->errNode_out = nullptr;
    const cudaError_t result = instantiate(executable, graph, parameters->flags, __func__);
    parameters->result_out =
        result == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    return result;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (own(executable) == nullptr || flags == nullptr) return cudaErrorInvalidValue;
        *flags = own(executable)->flags;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return executables().erase(reinterpret_cast<Graph*>(executable)) == 1
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return own(executable) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
    });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (own(executable) == nullptr) return cudaErrorInvalidValue;
        Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return queue(machine, *stream, GraphWork{executables().at(own(executable))},
                     "cudaGraphLaunch");
    });
}

// Allocations of graphs use the device's ordinary memory: nothing is reserved for graphs.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType, void* value)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size())
            return cudaErrorInvalidDevice;
        if (value == nullptr) return cudaErrorInvalidValue;
        std::uint64_t bytes = 0;
        for (const auto& [address, memory] : machine.memory)
            if (memory.device == device && memory.call.find("GraphAdd") != std::string::npos)
                bytes += memory.bytes;
        std::memcpy(value, &bytes, sizeof bytes);
        return cudaSuccess;
    });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size())
            return cudaErrorInvalidDevice;
        // Only the high-water marks can be set, and only to zero.
        const bool mark = attribute == cudaGraphMemAttrUsedMemHigh ||
                          attribute == cudaGraphMemAttrReservedMemHigh;
        return value != nullptr && mark ? cudaSuccess : cudaErrorInvalidValue;
    });
}
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return device < 0 || static_cast<std::size_t>(device) >= machine.devices.size()
                   ? cudaErrorInvalidDevice
                   : cudaSuccess;
    });
}

// --- Capture ---

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    return begin_capture(stream, mode, nullptr, {}, __func__);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode)
{
    const auto found = graphs().find(reinterpret_cast<Graph*>(graph));
    std::vector<Node*> dependencies;
    for (std::size_t i = 0; i < count; ++i) dependencies.push_back(own(before[i]));
    return begin_capture(stream, mode, found == graphs().end() ? nullptr : found->second,
                         dependencies, __func__);
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        Capture* const capture = stream->capture;
        if (graph == nullptr && (capture == nullptr || !capture->into_existing))
            return cudaErrorInvalidValue;
        if (capture == nullptr) return cudaErrorIllegalState;
        if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
        bool joined = true; // all forked streams have joined again
        for (const auto& [other, last] : capture->last)
            for (const Node* node : last) {
                if (other == stream) continue;
                const bool followed =
                    std::ranges::any_of(capture->graph->nodes, [&](const auto& each) {
                        return std::ranges::find(each->before, node) != each->before.end();
                    });
                const auto& own_last = capture->last[stream];
                joined =
                    joined && (followed || std::ranges::find(own_last, node) != own_last.end());
            }
        for (Stream* other : machine.streams)
            if (other->capture == capture) other->capture = nullptr;
        for (Event* event : machine.events)
            if (event->capture == capture) event->capture = nullptr;
        const bool invalid = capture->invalid;
        const bool failed = invalid || !joined;
        if (graph != nullptr)
            *graph = failed ? nullptr : reinterpret_cast<cudaGraph_t>(capture->graph);
        if (failed && !capture->into_existing) graphs().erase(capture->graph);
        delete capture;
        return invalid  ? cudaErrorStreamCaptureInvalidated
               : joined ? cudaSuccess
                        : cudaErrorStreamCaptureUnjoined;
    });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        const Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (status == nullptr) return cudaErrorInvalidValue;
        *status = stream->capture == nullptr ? cudaStreamCaptureStatusNone
                  : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                             : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** before, const cudaGraphEdgeData** data,
                                     std::size_t* count)
{
    return call(Call::queues, "cudaStreamGetCaptureInfo", [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (status == nullptr) return cudaErrorInvalidValue;
        *status = stream->capture == nullptr ? cudaStreamCaptureStatusNone
                                             : cudaStreamCaptureStatusActive;
        if (stream->capture == nullptr) return cudaSuccess;
        const auto& last = stream->capture->last[stream];
        if (id != nullptr) *id = stream->capture->id;
        if (graph != nullptr) *graph = reinterpret_cast<cudaGraph_t>(stream->capture->graph);
        if (before != nullptr) *before = reinterpret_cast<const cudaGraphNode_t*>(last.data());
        if (data != nullptr) *data = nullptr;
        if (count != nullptr) *count = last.size();
        return cudaSuccess;
    });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
            *mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        std::swap(*mode, this_thread().capture_mode);
        return cudaSuccess;
    });
}

} // extern "C"
