// Nodes of graphs under the driver API's names: their parameters, attributes and edges.
#include "compute/runtime/driver/graph_parameters.h"

namespace lanescope::runtime {

namespace {

CUDA_KERNEL_NODE_PARAMS_v2 with_newer_fields(const CUDA_KERNEL_NODE_PARAMS_v1& is)
{
    CUDA_KERNEL_NODE_PARAMS_v2 made{};
    made.func = is.func;
    made.gridDimX = is.gridDimX;
    made.gridDimY = is.gridDimY;
    made.gridDimZ = is.gridDimZ;
    made.blockDimX = is.blockDimX;
    made.blockDimY = is.blockDimY;
    made.blockDimZ = is.blockDimZ;
    made.sharedMemBytes = is.sharedMemBytes;
    made.kernelParams = is.kernelParams;
    made.extra = is.extra;
    return made;
}

// Fills the fields that both versions of the structure have.
template <class Parameters>
void fill_kernel_fields(const cudaKernelNodeParams& node, const LaunchRequest& launch,
                        Parameters& into)
{
    into.func = reinterpret_cast<CUfunction>(launch.function);
    into.gridDimX = node.gridDim.x;
    into.gridDimY = node.gridDim.y;
    into.gridDimZ = node.gridDim.z;
    into.blockDimX = node.blockDim.x;
    into.blockDimY = node.blockDim.y;
    into.blockDimZ = node.blockDim.z;
    into.sharedMemBytes = node.sharedMemBytes;
    into.kernelParams = node.kernelParams;
    into.extra = nullptr;
}

template <class Parameters>
CUresult kernel_parameters(CUgraphNode node, Parameters* into)
{
    return driver("cuGraphKernelNodeGetParams", [&](Machine&) {
        if (node == nullptr || into == nullptr) return cudaErrorInvalidValue;
        cudaKernelNodeParams parameters{};
        const cudaError_t result = cudaGraphKernelNodeGetParams(node, &parameters);
        if (result != cudaSuccess) return result;
        const auto& known = *reinterpret_cast<const Node*>(node);
        *into = {};
        fill_kernel_fields(parameters, std::get<LaunchRequest>(known.work), *into);
        return cudaSuccess;
    });
}

CUDA_MEMCPY3D driver_copy(Machine& machine, const cudaMemcpy3DParms& is)
{
    CUDA_MEMCPY3D copy{};
    ArrayInfo info;
    std::size_t element = 1;
    for (const cudaArray_t array : {is.srcArray, is.dstArray})
        if (array != nullptr && array_info(array, info)) element = info.element_bytes;
    const auto type_of = [&](cudaArray_t array, const void* pointer) {
        if (array != nullptr) return CU_MEMORYTYPE_ARRAY;
        return machine.find(pointer) == nullptr ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    };
    copy.srcMemoryType = type_of(is.srcArray, is.srcPtr.ptr);
    copy.srcXInBytes = is.srcPos.x * (is.srcArray != nullptr ? element : 1);
    copy.srcY = is.srcPos.y;
    copy.srcZ = is.srcPos.z;
    copy.srcHost = is.srcPtr.ptr;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(is.srcPtr.ptr);
    copy.srcArray = reinterpret_cast<CUarray>(is.srcArray);
    copy.srcPitch = is.srcPtr.pitch;
    copy.srcHeight = is.srcPtr.ysize;
    copy.dstMemoryType = type_of(is.dstArray, is.dstPtr.ptr);
    copy.dstXInBytes = is.dstPos.x * (is.dstArray != nullptr ? element : 1);
    copy.dstY = is.dstPos.y;
    copy.dstZ = is.dstPos.z;
    copy.dstHost = is.dstPtr.ptr;
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(is.dstPtr.ptr);
    copy.dstArray = reinterpret_cast<CUarray>(is.dstArray);
    copy.dstPitch = is.dstPtr.pitch;
    copy.dstHeight = is.dstPtr.ysize;
    copy.WidthInBytes = is.extent.width * element;
    copy.Height = is.extent.height;
    copy.Depth = is.extent.depth;
    return copy;
}

cudaMemsetParams fill_node(const CUDA_MEMSET_NODE_PARAMS& is)
{
    return {pointer_of(is.dst), is.pitch, is.value, is.elementSize, is.width, is.height};
}

cudaLaunchAttributeID runtime_attribute(CUkernelNodeAttrID id)
{
    return static_cast<cudaLaunchAttributeID>(id);
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Kernels ---

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* is)
{
    if (is == nullptr) return cuGraphAddKernelNode_v2(node, graph, before, count, nullptr);
    const CUDA_KERNEL_NODE_PARAMS_v2 parameters = with_newer_fields(*is);
    return cuGraphAddKernelNode_v2(node, graph, before, count, &parameters);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* parameters)
{
    return kernel_parameters(node, parameters);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* parameters)
{
    return kernel_parameters(node, parameters);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* is)
{
    if (is == nullptr) return cuGraphKernelNodeSetParams_v2(node, nullptr);
    const CUDA_KERNEL_NODE_PARAMS_v2 parameters = with_newer_fields(*is);
    return cuGraphKernelNodeSetParams_v2(node, &parameters);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* is)
{
    if (is == nullptr) return cuGraphExecKernelNodeSetParams_v2(executable, node, nullptr);
    const CUDA_KERNEL_NODE_PARAMS_v2 parameters = with_newer_fields(*is);
    return cuGraphExecKernelNodeSetParams_v2(executable, node, &parameters);
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue* value)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphKernelNodeGetAttribute(node, runtime_attribute(id),
                                               reinterpret_cast<cudaKernelNodeAttrValue*>(value));
    });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue* value)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphKernelNodeSetAttribute(
            node, runtime_attribute(id), reinterpret_cast<const cudaKernelNodeAttrValue*>(value));
    });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    return driver(__func__, [&](Machine&) { return cudaGraphKernelNodeCopyAttributes(to, from); });
}

// --- Copies, fills, host functions ---

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* parameters)
{
    return driver(__func__, [&](Machine& machine) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        cudaMemcpy3DParms copy{};
        const cudaError_t result = cudaGraphMemcpyNodeGetParams(node, &copy);
        if (result == cudaSuccess) *parameters = driver_copy(machine, copy);
        return result;
    });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaMemcpy3DParms copy = copy_node(*is);
        return cudaGraphMemcpyNodeSetParams(node, &copy);
    });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMCPY3D* is, CUcontext)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaMemcpy3DParms copy = copy_node(*is);
        return cudaGraphExecMemcpyNodeSetParams(executable, node, &copy);
    });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* parameters)
{
    return driver(__func__, [&](Machine&) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        cudaMemsetParams fill{};
        const cudaError_t result = cudaGraphMemsetNodeGetParams(node, &fill);
        if (result == cudaSuccess)
            *parameters = {reinterpret_cast<CUdeviceptr>(fill.dst),
                           fill.pitch,
                           fill.value,
                           fill.elementSize,
                           fill.width,
                           fill.height};
        return result;
    });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaMemsetParams fill = fill_node(*is);
        return cudaGraphMemsetNodeSetParams(node, &fill);
    });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* is, CUcontext)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaMemsetParams fill = fill_node(*is);
        return cudaGraphExecMemsetNodeSetParams(executable, node, &fill);
    });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* parameters)
{
    return driver(__func__, [&](Machine&) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        cudaHostNodeParams host{};
        const cudaError_t result = cudaGraphHostNodeGetParams(node, &host);
        if (result == cudaSuccess) *parameters = {host.fn, host.userData};
        return result;
    });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaHostNodeParams host{is->fn, is->userData};
        return cudaGraphHostNodeSetParams(node, &host);
    });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaHostNodeParams host{is->fn, is->userData};
        return cudaGraphExecHostNodeSetParams(executable, node, &host);
    });
}

// --- Memory ---

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        cudaMemAllocNodeParams parameters{};
        parameters.bytesize = is->bytesize;
        const cudaError_t result =
            cudaGraphAddMemAllocNode(node, graph, before, count, &parameters);
        is->dptr = reinterpret_cast<CUdeviceptr>(parameters.dptr);
        return result;
    });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* parameters)
{
    return driver(__func__, [&](Machine&) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        cudaMemAllocNodeParams made{};
        const cudaError_t result = cudaGraphMemAllocNodeGetParams(node, &made);
        if (result != cudaSuccess) return result;
        *parameters = {};
        parameters->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters->poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, made.poolProps.location.id};
        parameters->bytesize = made.bytesize;
        parameters->dptr = reinterpret_cast<CUdeviceptr>(made.dptr);
        return cudaSuccess;
    });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                               std::size_t count, CUdeviceptr address)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphAddMemFreeNode(node, graph, before, count, pointer_of(address));
    });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address)
{
    return driver(__func__, [&](Machine&) { return cudaGraphMemFreeNodeGetParams(node, address); });
}

// --- Child graphs, events, conditions ---

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph)
{
    return driver(__func__, [&](Machine&) { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphExecChildGraphNodeSetParams(executable, node, child);
    });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGraphEventRecordNodeGetEvent(node, event); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGraphEventRecordNodeSetEvent(node, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event)
{
    return driver(__func__, [&](Machine&) { return cudaGraphEventWaitNodeGetEvent(node, event); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    return driver(__func__, [&](Machine&) { return cudaGraphEventWaitNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphExecEventRecordNodeSetEvent(executable, node, event);
    });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphExecEventWaitNodeSetEvent(executable, node, event);
    });
}
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* created, CUgraph graph, CUcontext,
                                        unsigned default_value, unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        cudaGraphConditionalHandle made = 0;
        const cudaError_t result =
            created == nullptr
                ? cudaErrorInvalidValue
                : cudaGraphConditionalHandleCreate(&made, graph, default_value, flags);
        if (result == cudaSuccess) *created = made;
        return result;
    });
}

// --- Edges ---

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* data, std::size_t* count)
{
    return driver("cuGraphGetEdges", [&](Machine&) {
        return cudaGraphGetEdges(graph, from, to, reinterpret_cast<cudaGraphEdgeData*>(data),
                                 count);
    });
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count)
{
    return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* before, CUgraphEdgeData*,
                                       std::size_t* count)
{
    return driver("cuGraphNodeGetDependencies", [&](Machine&) {
        return cudaGraphNodeGetDependencies(node, before, nullptr, count);
    });
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* before, std::size_t* count)
{
    return cuGraphNodeGetDependencies_v2(node, before, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* after, CUgraphEdgeData*,
                                         std::size_t* count)
{
    return driver("cuGraphNodeGetDependentNodes", [&](Machine&) {
        return cudaGraphNodeGetDependentNodes(node, after, nullptr, count);
    });
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* after, std::size_t* count)
{
    return cuGraphNodeGetDependentNodes_v2(node, after, nullptr, count);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, std::size_t count)
{
    return driver("cuGraphRemoveDependencies", [&](Machine&) {
        return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
    });
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   std::size_t count)
{
    return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

// --- Executable graphs ---

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* wrong, char* log,
                            std::size_t bytes)
{
    return cuGraphInstantiate_v2(executable, graph, wrong, log, bytes);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters)
{
    return driver(__func__, [&](Machine&) {
        if (parameters == nullptr) return cudaErrorInvalidValue;
        cudaGraphInstantiateParams made{};
        made.flags = parameters->flags;
        const cudaError_t result = cudaGraphInstantiateWithParams(executable, graph, &made);
        parameters->hErrNode_out = nullptr;
        parameters->result_out = static_cast<CUgraphInstantiateResult>(made.result_out);
        return result;
    });
}
CUresult cuGraphExecGetFlags(CUgraphExec executable, cuuint64_t* flags)
{
    return driver(__func__, [&](Machine&) {
        unsigned long long value = 0;
        const cudaError_t result =
            flags == nullptr ? cudaErrorInvalidValue : cudaGraphExecGetFlags(executable, &value);
        if (result == cudaSuccess) *flags = value;
        return result;
    });
}
CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                              CUgraphExecUpdateResultInfo* info)
{
    return driver("cuGraphExecUpdate", [&](Machine&) {
        if (info == nullptr) return cudaErrorInvalidValue;
        cudaGraphExecUpdateResultInfo made{};
        const cudaError_t result = cudaGraphExecUpdate(executable, graph, &made);
        *info = {static_cast<CUgraphExecUpdateResult>(made.result), made.errorNode,
                 made.errorFromNode};
        return result;
    });
}
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* wrong,
                           CUgraphExecUpdateResult* outcome)
{
    CUgraphExecUpdateResultInfo info{};
    const CUresult result = cuGraphExecUpdate_v2(executable, graph, &info);
    if (wrong != nullptr) *wrong = info.errorNode;
    if (outcome != nullptr) *outcome = info.result;
    return result;
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags)
{
    return driver(__func__, [&](Machine&) { return cudaGraphDebugDotPrint(graph, path, flags); });
}

// --- Objects of the program ---

CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned references,
                            unsigned flags)
{
    return driver(
        __func__,
        [&](Machine&) { return cudaUserObjectCreate(object, data, destroy, references, flags); },
        Needs::driver);
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    return driver(
        __func__, [&](Machine&) { return cudaUserObjectRetain(object, count); }, Needs::driver);
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    return driver(
        __func__, [&](Machine&) { return cudaUserObjectRelease(object, count); }, Needs::driver);
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphRetainUserObject(graph, object, count, flags); },
        Needs::driver);
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphReleaseUserObject(graph, object, count); },
        Needs::driver);
}

} // extern "C"
