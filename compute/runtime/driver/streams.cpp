// Streams, events, callbacks and graphs: the runtime's functions under the driver API's names.
#include "compute/runtime/driver/graph_parameters.h"

namespace lanescope::runtime {

cudaKernelNodeParams kernel_node(const CUDA_KERNEL_NODE_PARAMS_v2& is)
{
    cudaKernelNodeParams node{};
    node.func =
        is.func != nullptr ? reinterpret_cast<void*>(is.func) : reinterpret_cast<void*>(is.kern);
    node.gridDim = {is.gridDimX, is.gridDimY, is.gridDimZ};
    node.blockDim = {is.blockDimX, is.blockDimY, is.blockDimZ};
    node.sharedMemBytes = is.sharedMemBytes;
    node.kernelParams = is.kernelParams;
    node.extra = is.extra;
    return node;
}

namespace {

struct CopySide {
    CUmemorytype type{};
    const void* host = nullptr;
    CUdeviceptr device = 0;
    CUarray array = nullptr;
    std::size_t x_bytes = 0, y = 0, z = 0, pitch = 0, rows = 0;
};

// Describes one side of a copy as the runtime does: arrays in elements, linear memory in bytes.
void set_side(const CopySide& side, std::size_t element, cudaArray_t& array,
              cudaPitchedPtr& pointer, cudaPos& place)
{
    if (side.type == CU_MEMORYTYPE_ARRAY) {
        array = reinterpret_cast<cudaArray_t>(side.array);
        place = {side.x_bytes / element, side.y, side.z};
        return;
    }
    void* const start =
        side.type == CU_MEMORYTYPE_HOST ? const_cast<void*>(side.host) : pointer_of(side.device);
    pointer = {start, side.pitch, side.pitch, side.rows};
    place = {side.x_bytes, side.y, side.z};
}

} // namespace

cudaMemcpy3DParms copy_node(const CUDA_MEMCPY3D& is)
{
    cudaMemcpy3DParms copy{};
    ArrayInfo info;
    std::size_t element = 1;
    const bool from_array = is.srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const bool to_array = is.dstMemoryType == CU_MEMORYTYPE_ARRAY;
    for (CUarray array : {from_array ? is.srcArray : nullptr, to_array ? is.dstArray : nullptr})
        if (array != nullptr && array_info(reinterpret_cast<cudaArray_t>(array), info))
            element = info.element_bytes;
    set_side({is.srcMemoryType, is.srcHost, is.srcDevice, is.srcArray, is.srcXInBytes, is.srcY,
              is.srcZ, is.srcPitch, is.srcHeight},
             element, copy.srcArray, copy.srcPtr, copy.srcPos);
    set_side({is.dstMemoryType, is.dstHost, is.dstDevice, is.dstArray, is.dstXInBytes, is.dstY,
              is.dstZ, is.dstPitch, is.dstHeight},
             element, copy.dstArray, copy.dstPtr, copy.dstPos);
    copy.extent = {is.WidthInBytes / element, is.Height, is.Depth};
    copy.kind = cudaMemcpyDefault;
    return copy;
}

namespace {

// Converts a node of any type to the runtime's description; both APIs number the types alike.
cudaGraphNodeParams any_node(const CUgraphNodeParams& is)
{
    cudaGraphNodeParams node{};
    node.type = static_cast<cudaGraphNodeType>(is.type);
    switch (is.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        node.kernel.func = is.kernel.func != nullptr ? reinterpret_cast<void*>(is.kernel.func)
                                                     : reinterpret_cast<void*>(is.kernel.kern);
        node.kernel.gridDim = {is.kernel.gridDimX, is.kernel.gridDimY, is.kernel.gridDimZ};
        node.kernel.blockDim = {is.kernel.blockDimX, is.kernel.blockDimY, is.kernel.blockDimZ};
        node.kernel.sharedMemBytes = is.kernel.sharedMemBytes;
        node.kernel.kernelParams = is.kernel.kernelParams;
        node.kernel.extra = is.kernel.extra;
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY: node.memcpy.copyParams = copy_node(is.memcpy.copyParams); break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        node.memset.dst = pointer_of(is.memset.dst);
        node.memset.pitch = is.memset.pitch;
        node.memset.value = is.memset.value;
        node.memset.elementSize = is.memset.elementSize;
        node.memset.width = is.memset.width;
        node.memset.height = is.memset.height;
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        node.host.fn = is.host.fn;
        node.host.userData = is.host.userData;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH: node.graph.graph = is.graph.graph; break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: node.eventWait.event = is.eventWait.event; break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: node.eventRecord.event = is.eventRecord.event; break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: node.alloc.bytesize = is.alloc.bytesize; break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE: node.free.dptr = pointer_of(is.free.dptr); break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        node.conditional.handle = is.conditional.handle;
        node.conditional.type = static_cast<cudaGraphConditionalNodeType>(is.conditional.type);
        node.conditional.size = is.conditional.size;
        break;
    default: break;
    }
    return node;
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Streams ---

CUresult cuStreamCreate(CUstream* stream, unsigned flags)
{
    return driver(__func__, [&](Machine&) { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority)
{
    return driver(__func__,
                  [&](Machine&) { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy_v2(CUstream stream)
{
    return driver("cuStreamDestroy", [&](Machine&) {
        return stream == nullptr ? cudaErrorInvalidResourceHandle : cudaStreamDestroy(stream);
    });
}
CUresult cuStreamDestroy(CUstream stream)
{
    return cuStreamDestroy_v2(stream);
}
CUresult cuStreamSynchronize(CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return driver(__func__, [&](Machine&) { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags)
{
    return driver(__func__, [&](Machine&) { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority)
{
    return driver(__func__, [&](Machine&) { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id)
{
    return driver(__func__, [&](Machine&) { return cudaStreamGetId(stream, id); });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device)
{
    return driver(__func__, [&](Machine&) { return cudaStreamGetDevice(stream, device); });
}
CUresult cuStreamGetCtx(CUstream handle, CUcontext* context)
{
    return driver(__func__, [&](Machine& machine) {
        if (context == nullptr) return cudaErrorInvalidValue;
        const Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        *context = handle_of(*stream->in);
        return cudaSuccess;
    });
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green)
{
    const CUresult result = cuStreamGetCtx(stream, context);
    if (result == CUDA_SUCCESS && green != nullptr) *green = nullptr;
    return result;
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    return driver(__func__, [&](Machine&) { return cudaStreamCopyAttributes(to, from); });
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value)
{
    return driver(__func__, [&](Machine&) {
        return cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                      reinterpret_cast<cudaStreamAttrValue*>(value));
    });
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value)
{
    return driver(__func__, [&](Machine&) {
        return cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                      reinterpret_cast<const cudaStreamAttrValue*>(value));
    });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        // The callback types differ only in the name of the error type.
        void* const same = reinterpret_cast<void*>(callback);
        return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(same), data,
                                     flags);
    });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data)
{
    return driver(__func__, [&](Machine&) { return cudaLaunchHostFunc(stream, function, data); });
}

// --- Events ---

CUresult cuEventCreate(CUevent* event, unsigned flags)
{
    return driver(__func__, [&](Machine&) { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return driver(__func__,
                  [&](Machine&) { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventQuery(CUevent event)
{
    return driver(__func__, [&](Machine&) { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event)
{
    return driver(__func__, [&](Machine&) { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime_v2(float* ms, CUevent begin, CUevent end)
{
    return driver("cuEventElapsedTime", [&](Machine&) {
        return ms == nullptr ? cudaErrorInvalidResourceHandle // same as NVIDIA's driver
                             : cudaEventElapsedTime(ms, begin, end);
    });
}
CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end)
{
    return cuEventElapsedTime_v2(ms, begin, end);
}
CUresult cuEventDestroy_v2(CUevent event)
{
    return driver("cuEventDestroy", [&](Machine&) { return cudaEventDestroy(event); });
}
CUresult cuEventDestroy(CUevent event)
{
    return cuEventDestroy_v2(event);
}

// --- Captures ---

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    return driver("cuStreamBeginCapture", [&](Machine&) {
        return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode));
    });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph)
{
    return driver(__func__, [&](Machine&) { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status)
{
    return driver(__func__, [&](Machine&) {
        return cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status));
    });
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before,
                                     const CUgraphEdgeData* edges, std::size_t count,
                                     CUstreamCaptureMode mode)
{
    return driver(__func__, [&](Machine&) {
        return cudaStreamBeginCaptureToGraph(stream, graph, before,
                                             reinterpret_cast<const cudaGraphEdgeData*>(edges),
                                             count, static_cast<cudaStreamCaptureMode>(mode));
    });
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** before,
                                   const CUgraphEdgeData** edges, std::size_t* count)
{
    return driver("cuStreamGetCaptureInfo", [&](Machine&) {
        unsigned long long number = 0;
        const cudaError_t result = cudaStreamGetCaptureInfo(
            stream, reinterpret_cast<cudaStreamCaptureStatus*>(status), &number, graph, before,
            reinterpret_cast<const cudaGraphEdgeData**>(edges), count);
        if (id != nullptr) *id = number;
        return result;
    });
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** before, std::size_t* count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, before, nullptr, count);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaThreadExchangeStreamCaptureMode(
                reinterpret_cast<cudaStreamCaptureMode*>(mode));
        },
        Needs::driver);
}

// --- Graphs ---

CUresult cuGraphCreate(CUgraph* graph, unsigned flags)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphCreate(graph, flags); }, Needs::driver);
}
CUresult cuGraphDestroy(CUgraph graph)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphDestroy(graph); }, Needs::driver);
}
CUresult cuGraphClone(CUgraph* clone, CUgraph graph)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphClone(clone, graph); }, Needs::driver);
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* is)
{
    return driver("cuGraphAddKernelNode", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaKernelNodeParams parameters = kernel_node(*is);
        return cudaGraphAddKernelNode(node, graph, before, count, &parameters);
    });
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_MEMCPY3D* is, CUcontext)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaMemcpy3DParms parameters = copy_node(*is);
        return cudaGraphAddMemcpyNode(node, graph, before, count, &parameters);
    });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                  std::size_t count, CUgraph child)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphAddChildGraphNode(node, graph, before, count, child);
    });
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* is)
{
    return driver("cuGraphKernelNodeSetParams", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaKernelNodeParams parameters = kernel_node(*is);
        return cudaGraphKernelNodeSetParams(node, &parameters);
    });
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* is)
{
    return driver("cuGraphExecKernelNodeSetParams", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaKernelNodeParams parameters = kernel_node(*is);
        return cudaGraphExecKernelNodeSetParams(executable, node, &parameters);
    });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGraphNodeSetEnabled(executable, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGraphNodeGetEnabled(executable, node, enabled); });
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type));
        },
        Needs::driver);
}
CUresult cuGraphDestroyNode(CUgraphNode node)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphDestroyNode(node); }, Needs::driver);
}
CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphNodeFindInClone(found, original, clone); },
        Needs::driver);
}
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              std::size_t count, const CUDA_MEMSET_NODE_PARAMS* is, CUcontext)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        cudaMemsetParams parameters{};
        parameters.dst = pointer_of(is->dst);
        parameters.pitch = is->pitch;
        parameters.value = is->value;
        parameters.elementSize = is->elementSize;
        parameters.width = is->width;
        parameters.height = is->height;
        return cudaGraphAddMemsetNode(node, graph, before, count, &parameters);
    });
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                            std::size_t count, const CUDA_HOST_NODE_PARAMS* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        const cudaHostNodeParams parameters{is->fn, is->userData};
        return cudaGraphAddHostNode(node, graph, before, count, &parameters);
    });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                             std::size_t count)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGraphAddEmptyNode(node, graph, before, count); });
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                   std::size_t count, CUevent event)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphAddEventRecordNode(node, graph, before, count, event);
    });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 std::size_t count, CUevent event)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphAddEventWaitNode(node, graph, before, count, event);
    });
}
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                           const CUgraphEdgeData*, std::size_t count, CUgraphNodeParams* is)
{
    return driver("cuGraphAddNode", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        cudaGraphNodeParams parameters = any_node(*is);
        const cudaError_t result =
            cudaGraphAddNode(node, graph, before, nullptr, count, &parameters);
        if (parameters.type == cudaGraphNodeTypeMemAlloc)
            is->alloc.dptr = reinterpret_cast<CUdeviceptr>(parameters.alloc.dptr);
        if (parameters.type == cudaGraphNodeTypeConditional)
            is->conditional.phGraph_out = parameters.conditional.phGraph_out;
        return result;
    });
}
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                        std::size_t count, CUgraphNodeParams* is)
{
    return cuGraphAddNode_v2(node, graph, before, nullptr, count, is);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        cudaGraphNodeParams parameters = any_node(*is);
        return cudaGraphNodeSetParams(node, &parameters);
    });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraphNodeParams* is)
{
    return driver(__func__, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        cudaGraphNodeParams parameters = any_node(*is);
        return cudaGraphExecNodeSetParams(executable, node, &parameters);
    });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaDeviceGetGraphMemAttribute(
                device, static_cast<cudaGraphMemAttributeType>(attribute), value);
        },
        Needs::driver);
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaDeviceSetGraphMemAttribute(
                device, static_cast<cudaGraphMemAttributeType>(attribute), value);
        },
        Needs::driver);
}
CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceGraphMemTrim(device); }, Needs::driver);
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphGetNodes(graph, nodes, count); }, Needs::driver);
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphGetRootNodes(graph, nodes, count); },
        Needs::driver);
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                std::size_t count)
{
    return driver(
        __func__,
        [&](Machine&) { return cudaGraphAddDependencies(graph, from, to, nullptr, count); },
        Needs::driver);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, std::size_t count)
{
    return cuGraphAddDependencies(graph, from, to, count);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                     unsigned long long flags)
{
    return driver("cuGraphInstantiate", [&](Machine&) {
        return cudaGraphInstantiateWithFlags(executable, graph, flags);
    });
}
CUresult cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* wrong,
                               char* log, std::size_t bytes)
{
    if (wrong != nullptr) *wrong = nullptr;
    if (log != nullptr && bytes > 0) *log = '\0';
    return cuGraphInstantiateWithFlags(executable, graph, 0);
}
CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    return driver(
        __func__, [&](Machine&) { return cudaGraphExecDestroy(executable); }, Needs::driver);
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaGraphLaunch(executable, stream); });
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaGraphUpload(executable, stream); });
}

} // extern "C"
