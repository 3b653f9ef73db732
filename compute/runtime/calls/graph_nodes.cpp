// Nodes of graphs: their parameters as the program reads and replaces them, their attributes, the
// objects that graphs keep alive, and graphs as pictures.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "compute/runtime/calls/graph_calls.h"
#include "compute/runtime/graphs/conditions.h"

using namespace lanescope::runtime;
using lanescope::Dim3;

namespace {

// --- Parameters of a copy, from the copy as it runs ---

cudaMemcpy3DParms parameters_of(const CopyWork& copy)
{
    std::size_t element = 1;
    ArrayInfo info;
    for (const cudaArray_t array : {copy.from.array, copy.to.array})
        if (array != nullptr && array_info(array, info)) element = info.element_bytes;
    cudaMemcpy3DParms made{};
    const auto set_end = [&](const CopyEnd& end, cudaArray_t& array, cudaPitchedPtr& pointer,
                             cudaPos& at) {
        array = end.array;
        if (array != nullptr)
            at = {end.x_bytes / element, end.y, end.z};
        else
            pointer = {end.pointer, end.pitch, copy.width_bytes, end.rows};
    };
    set_end(copy.from, made.srcArray, made.srcPtr, made.srcPos);
    set_end(copy.to, made.dstArray, made.dstPtr, made.dstPos);
    made.extent = {copy.width_bytes / element, copy.height, copy.depth};
    made.kind = copy.kind;
    return made;
}

// The work of a copy with these parameters, once they are valid.
cudaError_t copy_work(Machine& machine, const cudaMemcpy3DParms* parameters, const char* name,
                      Work& work)
{
    if (parameters == nullptr) return cudaErrorInvalidValue;
    work = copy_work_of(*parameters);
    return check(machine, std::get<CopyWork>(work), name);
}
cudaError_t flat_copy_work(Machine& machine, const CopyWork& copy, const char* name, Work& work)
{
    work = copy;
    return check(machine, copy, name);
}

// --- Attributes of kernels ---

// Applies an attribute to the launch; others have no effect on the lockstep machine.
void apply(const cudaLaunchAttributeID id, const cudaLaunchAttributeValue& value,
           LaunchRequest& launch)
{
    if (id == cudaLaunchAttributeCooperative) launch.cooperative = value.cooperative != 0;
    if (id == cudaLaunchAttributeClusterDimension)
        launch.cluster = Dim3{value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

// The attribute's value: as the program set it, or as the launch has it.
cudaLaunchAttributeValue attribute_of(const Node& node, const LaunchRequest& launch,
                                      cudaLaunchAttributeID id)
{
    if (const auto set = node.attributes.find(id); set != node.attributes.end()) return set->second;
    cudaLaunchAttributeValue value{};
    if (id == cudaLaunchAttributeCooperative) value.cooperative = launch.cooperative;
    if (id == cudaLaunchAttributeClusterDimension && launch.cluster)
        value.clusterDim = {launch.cluster->x, launch.cluster->y, launch.cluster->z};
    return value;
}

// --- Pictures ---

std::string label_of(const Node& node)
{
    constexpr std::array kinds{"empty",     "kernel",       "memcpy",     "memset",
                               "host",      "event record", "event wait", "child graph",
                               "mem alloc", "mem free",     "conditional"};
    if (const auto* const launch = std::get_if<LaunchRequest>(&node.work))
        return fmt::format("{}\\n({}, {}, {}) x ({}, {}, {})", launch->function->name,
                           launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x,
                           launch->block.y, launch->block.z);
    return kinds[node.work.index()];
}

// Writes the nodes and edges; each body and child graph becomes a cluster of its own.
void draw(std::FILE* file, const Graph& graph, int& clusters)
{
    const int cluster = clusters++;
    std::fprintf(file, "subgraph cluster_%d {\nlabel=\"graph_%d\"\n", cluster, cluster);
    for (const auto& node : graph.nodes)
        std::fprintf(file, "\"node_%p\" [label=\"%s\"];\n", static_cast<const void*>(node.get()),
                     label_of(*node).c_str());
    for (const auto& node : graph.nodes)
        for (const Node* before : node->before)
            std::fprintf(file, "\"node_%p\" -> \"node_%p\";\n", static_cast<const void*>(before),
                         static_cast<const void*>(node.get()));
    std::fprintf(file, "}\n");
    for (const auto& node : graph.nodes) {
        if (const auto* const child = std::get_if<GraphWork>(&node->work))
            draw(file, *child->graph, clusters);
        if (const auto* const some = std::get_if<ConditionalWork>(&node->work))
            for (const auto& body : some->conditional->bodies) draw(file, *body, clusters);
    }
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

extern "C" {

// --- Copies ---

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters)
{
    return with_work<CopyWork>(__func__, node, [&](const CopyWork& copy) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        *parameters = parameters_of(copy);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters)
{
    const char* const name = __func__;
    return with_node(name, node, [&](Machine& machine, Node& known) {
        return replace_work(machine, known, [&](Machine& on, Work& work) {
            return copy_work(on, parameters, name, work);
        });
    });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind)
{
    const char* const name = __func__;
    return with_node(name, node, [&](Machine& machine, Node& known) {
        return replace_work(machine, known, [&](Machine& on, Work& work) {
            return flat_copy_work(on, flat_copy(to, from, bytes, kind), name, work);
        });
    });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind kind)
{
    return with_node(__func__, node, [&](Machine& machine, Node& known) {
        return replace_work(machine, known, [&](Machine& on, Work& work) {
            return to_symbol_work(on, symbol, offset, from, bytes, kind, work);
        });
    });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, std::size_t bytes,
                                                   std::size_t offset, cudaMemcpyKind kind)
{
    return with_node(__func__, node, [&](Machine& machine, Node& known) {
        return replace_work(machine, known, [&](Machine& on, Work& work) {
            return from_symbol_work(on, to, symbol, offset, bytes, kind, work);
        });
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters)
{
    const char* const name = __func__;
    return change(name, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy, [&](Machine& on, Work& work) {
            return copy_work(on, parameters, name, work);
        });
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                     cudaGraphNode_t node, const void* symbol,
                                                     const void* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy, [&](Machine& on, Work& work) {
            return to_symbol_work(on, symbol, offset, from, bytes, kind, work);
        });
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node, void* to,
                                                       const void* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy, [&](Machine& on, Work& work) {
            return from_symbol_work(on, to, symbol, offset, bytes, kind, work);
        });
    });
}

// --- Fills, host functions, memory ---

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters)
{
    return with_work<FillWork>(__func__, node, [&](const FillWork& fill) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        *parameters = {fill.pointer,       fill.pitch, fill.value,
                       fill.element_bytes, fill.width, fill.height};
        return cudaSuccess;
    });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters)
{
    return with_work<HostWork>(__func__, node, [&](const HostWork& host) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        *parameters = {host.function, host.data};
        return cudaSuccess;
    });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters)
{
    return with_work<HostWork>(__func__, node, [&](HostWork& host) {
        if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
        host = HostWork{};
        host.function = parameters->fn;
        host.data = parameters->userData;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters)
{
    return with_node(__func__, node, [&](Machine& machine, Node& known) {
        const auto* const work = std::get_if<AllocateWork>(&known.work);
        if (work == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
        const Memory* const memory = machine.find(work->address);
        *parameters = {};
        parameters->poolProps.allocType = cudaMemAllocationTypePinned;
        parameters->poolProps.location = {cudaMemLocationTypeDevice,
                                          memory == nullptr ? 0 : memory->device};
        parameters->bytesize = work->bytes;
        parameters->dptr = reinterpret_cast<void*>(work->address);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer)
{
    return with_work<FreeWork>(__func__, node, [&](const FreeWork& work) {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        *static_cast<std::uint64_t*>(pointer) = work.address;
        return cudaSuccess;
    });
}

// --- Child graphs and events ---

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph)
{
    return with_work<GraphWork>(__func__, node, [&](const GraphWork& child) {
        if (graph == nullptr) return cudaErrorInvalidValue;
        *graph = keep(child.graph);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy,
                            [&](Machine&, Work& work) { return child_work(child, work); });
    });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return with_work<RecordWork>(__func__, node, [&](const RecordWork& work) {
        if (event == nullptr) return cudaErrorInvalidValue;
        *event = work.event;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return with_work<RecordWork>(__func__, node, [&](RecordWork& work) {
        work.event = event;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return with_work<WaitWork>(__func__, node, [&](const WaitWork& work) {
        if (event == nullptr) return cudaErrorInvalidValue;
        *event = work.event;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return with_work<WaitWork>(__func__, node, [&](WaitWork& work) {
        work.event = event;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy, [&](Machine&, Work& work) {
            work = RecordWork{event};
            return cudaSuccess;
        });
    });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    return change(__func__, executable, node, [&](Machine& machine, Node& copy) {
        return replace_work(machine, copy, [&](Machine&, Work& work) {
            work = WaitWork{event};
            return cudaSuccess;
        });
    });
}

// --- Attributes ---

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            cudaKernelNodeAttrValue* value)
{
    return with_node(__func__, node, [&](Machine&, Node& known) {
        const auto* const launch = std::get_if<LaunchRequest>(&known.work);
        if (launch == nullptr || value == nullptr) return cudaErrorInvalidValue;
        *value = attribute_of(known, *launch, id);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            const cudaKernelNodeAttrValue* value)
{
    return with_node(__func__, node, [&](Machine&, Node& known) {
        auto* const launch = std::get_if<LaunchRequest>(&known.work);
        if (launch == nullptr || value == nullptr) return cudaErrorInvalidValue;
        known.attributes[id] = *value;
        apply(id, *value, *launch);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    return with_node(__func__, to, [&](Machine&, Node& target) {
        if (from == nullptr) return cudaErrorInvalidValue;
        auto* const launch = std::get_if<LaunchRequest>(&target.work);
        const auto* const source = std::get_if<LaunchRequest>(&own(from)->work);
        if (launch == nullptr || source == nullptr) return cudaErrorInvalidValue;
        target.attributes = own(from)->attributes;
        launch->cooperative = source->cooperative;
        launch->cluster = source->cluster;
        return cudaSuccess;
    });
}

// --- Objects of the program ---

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (object == nullptr || destroy == nullptr || references == 0 ||
            flags != cudaUserObjectNoDestructorSync)
            return cudaErrorInvalidValue;
        *object = make_user_object({data, destroy, references});
        return cudaSuccess;
    });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count)
{
    return call(Call::plain, __func__, [&](Machine&) {
        UserObject* const object = user_object(handle);
        if (object == nullptr || count == 0) return cudaErrorInvalidValue;
        retain(*object, count);
        return cudaSuccess;
    });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count)
{
    return call(Call::plain, __func__, [&](Machine&) {
        UserObject* const object = user_object(handle);
        if (object == nullptr || count == 0 || count > object->references)
            return cudaErrorInvalidValue;
        release(*object, count);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count,
                                      unsigned flags)
{
    return call(Call::plain, __func__, [&](Machine&) {
        Graph* const into = own(graph);
        UserObject* const object = user_object(handle);
        if (into == nullptr || object == nullptr || count == 0 ||
            (flags & ~unsigned{cudaGraphUserObjectMove}) != 0)
            return cudaErrorInvalidValue;
        if (flags != cudaGraphUserObjectMove) retain(*object, count);
        into->objects.take(*object, count);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count)
{
    return call(Call::plain, __func__, [&](Machine&) {
        Graph* const from = own(graph);
        UserObject* const object = user_object(handle);
        return from != nullptr && object != nullptr && count > 0 &&
                       from->objects.drop(*object, count)
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

// --- Pictures ---

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Graph* const known = own(graph);
        if (known == nullptr || path == nullptr) return cudaErrorInvalidValue;
        const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path, "w"));
        if (file == nullptr) return cudaErrorOperatingSystem;
        int clusters = 0;
        std::fprintf(file.get(), "digraph dot {\n");
        draw(file.get(), *known, clusters);
        std::fprintf(file.get(), "}\n");
        return cudaSuccess;
    });
}

} // extern "C"
