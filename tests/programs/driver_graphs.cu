// The driver API's graphs whose nodes are read and changed, conditional nodes, and mipmapped arrays.
#include "programs.h"
#include "driver.h"

static void CUDA_CB adds_one(void* count)
{
    ++*static_cast<int*>(count);
}

static CUresult launch_and_wait(CUgraphExec executable)
{
    const CUresult result = cuGraphLaunch(executable, nullptr);
    return result != CUDA_SUCCESS ? result : cuCtxSynchronize();
}

// Parameters, attributes and edges as they were given, and changed in the graph and in its executable form.
PROGRAM(driver_graph_changes)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void add(int* values, int by) { values[threadIdx.x] += by; }
)")),
                        "add");
    OK(loaded.status);
    CUgraph graph;
    CUgraphNode fill, add, copy, call;
    CUdeviceptr values;
    std::vector<int> host(16, 0), second(16, 0);
    OK(cuMemAlloc(&values, 16 * sizeof(int)));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS filled{}, read_fill{};
    filled.dst = values;
    filled.value = 5;
    filled.elementSize = 4;
    filled.width = 16;
    filled.height = 1;
    OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled, loaded.context));
    int by = 10;
    void* arguments[] = {&values, &by};
    CUDA_KERNEL_NODE_PARAMS launch{}, read_launch{};
    launch.func = loaded.kernel;
    launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
    launch.blockDimX = 16;
    launch.blockDimY = launch.blockDimZ = 1;
    launch.kernelParams = arguments;
    OK(cuGraphAddKernelNode(&add, graph, &fill, 1, &launch));
    CUDA_MEMCPY3D out{}, read_copy{};
    out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    out.srcDevice = values;
    out.srcPitch = out.dstPitch = 16 * sizeof(int);
    out.srcHeight = out.dstHeight = 1;
    out.dstMemoryType = CU_MEMORYTYPE_HOST;
    out.dstHost = host.data();
    out.WidthInBytes = 16 * sizeof(int);
    out.Height = out.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &add, 1, &out, loaded.context));
    int calls = 0;
    CUDA_HOST_NODE_PARAMS function{adds_one, &calls}, read_function{};
    OK(cuGraphAddHostNode(&call, graph, &copy, 1, &function));

    OK(cuGraphMemsetNodeGetParams(fill, &read_fill));
    OK(cuGraphKernelNodeGetParams(add, &read_launch));
    OK(cuGraphMemcpyNodeGetParams(copy, &read_copy));
    OK(cuGraphHostNodeGetParams(call, &read_function));
    std::printf("%d %d %d %d\n", read_fill.value == 5 && read_fill.dst == values,
                read_launch.blockDimX == 16 && *static_cast<int*>(read_launch.kernelParams[1]) == 10,
                read_copy.WidthInBytes == 64 && read_copy.dstHost == host.data(), read_function.userData == &calls);
    CUgraphNode from[4], to[4];
    std::size_t edges = 4, before = 1, after = 1;
    OK(cuGraphGetEdges(graph, from, to, nullptr, &edges));
    OK(cuGraphNodeGetDependencies(add, from, nullptr, &before));
    OK(cuGraphNodeGetDependentNodes(add, to, nullptr, &after));
    std::printf("%d %d %d\n", static_cast<int>(edges), from[0] == fill, to[0] == copy);
    CUkernelNodeAttrValue value{};
    value.priority = -1;
    OK(cuGraphKernelNodeSetAttribute(add, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    value = {};
    OK(cuGraphKernelNodeGetAttribute(add, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    CUgraphExec executable;
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiation{};
    OK(cuGraphInstantiateWithParams(&executable, graph, &instantiation));
    OK(launch_and_wait(executable));
    std::printf("%d %d %d %d\n", value.priority, instantiation.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS, host[15], calls);

    filled.value = 100;
    OK(cuGraphExecMemsetNodeSetParams(executable, fill, &filled, loaded.context));
    read_copy.dstHost = second.data();
    OK(cuGraphExecMemcpyNodeSetParams(executable, copy, &read_copy, loaded.context));
    OK(launch_and_wait(executable));
    std::printf("%d %d\n", host[15], second[15]);
    filled.value = 1000;
    OK(cuGraphMemsetNodeSetParams(fill, &filled));
    OK(cuGraphMemcpyNodeSetParams(copy, &read_copy));
    CUgraphExecUpdateResultInfo update{};
    OK(cuGraphExecUpdate(executable, graph, &update));
    OK(launch_and_wait(executable));
    std::printf("%d %d %d\n", update.result == CU_GRAPH_EXEC_UPDATE_SUCCESS, second[15], calls);
    OK(cuGraphRemoveDependencies(graph, &copy, &call, nullptr, 1));
    std::printf("%s\n", error_name(cuGraphExecUpdate(executable, graph, &update)));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(values));
    return 0;
}

// A body that runs by its condition's default, and one of three by its number.
PROGRAM(driver_graph_condition)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void add(int* values, int by) { values[threadIdx.x] += by; }
)")),
                        "add");
    OK(loaded.status);
    CUdeviceptr sum;
    OK(cuMemAlloc(&sum, sizeof(int)));
    OK(cuMemsetD32(sum, 0, 1));
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode previous = nullptr, node;
    for (const CUgraphConditionalNodeType type : {CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_SWITCH}) {
        CUgraphConditionalHandle handle;
        OK(cuGraphConditionalHandleCreate(&handle, graph, loaded.context, 2, CU_GRAPH_COND_ASSIGN_DEFAULT));
        CUgraphNodeParams parameters{};
        parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        parameters.conditional.handle = handle;
        parameters.conditional.type = type;
        parameters.conditional.size = type == CU_GRAPH_COND_TYPE_IF ? 1 : 3;
        parameters.conditional.ctx = loaded.context;
        OK(cuGraphAddNode(&node, graph, &previous, nullptr, previous != nullptr, &parameters));
        previous = node;
        for (unsigned i = 0; i < parameters.conditional.size; ++i) {
            int by = type == CU_GRAPH_COND_TYPE_IF ? 1 : 10 << i;
            void* arguments[] = {&sum, &by};
            CUgraphNodeParams launch{};
            launch.type = CU_GRAPH_NODE_TYPE_KERNEL;
            launch.kernel.func = loaded.kernel;
            launch.kernel.gridDimX = launch.kernel.gridDimY = launch.kernel.gridDimZ = 1;
            launch.kernel.blockDimX = launch.kernel.blockDimY = launch.kernel.blockDimZ = 1;
            launch.kernel.kernelParams = arguments;
            OK(cuGraphAddNode(&node, parameters.conditional.phGraph_out[i], nullptr, nullptr, 0, &launch));
        }
    }
    CUgraphExec executable;
    OK(cuGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) OK(launch_and_wait(executable));
    std::printf("%d\n", values_at<int>(sum, 1)[0]);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(sum));
    return 0;
}

// Levels that are filled by copies, and a texture that blends two of them.
PROGRAM(driver_mipmaps)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void sample(cudaTextureObject_t pyramid, float* out, int n)
{
    for (int i = 0; i < n; ++i) out[i] = tex2DLod<float>(pyramid, 0.5f, 0.5f, 0.5f * i);
}
)")),
                        "sample");
    OK(loaded.status);
    const std::size_t size = 8;
    const unsigned levels = 3;
    CUDA_ARRAY3D_DESCRIPTOR description{};
    description.Width = description.Height = size;
    description.Format = CU_AD_FORMAT_FLOAT;
    description.NumChannels = 1;
    CUmipmappedArray pyramid;
    OK(cuMipmappedArrayCreate(&pyramid, &description, levels));
    for (unsigned i = 0; i < levels; ++i) {
        CUarray level;
        OK(cuMipmappedArrayGetLevel(&level, pyramid, i));
        const std::size_t side = size >> i;
        const std::vector<float> texels(side * side, 10.0f * (i + 1));
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = texels.data();
        copy.srcPitch = copy.WidthInBytes = side * sizeof(float);
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = level;
        copy.Height = side;
        OK(cuMemcpy2D(&copy));
    }
    CUarray none;
    std::printf("%s\n", error_name(cuMipmappedArrayGetLevel(&none, pyramid, levels)));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = pyramid;
    CUDA_TEXTURE_DESC sampling{};
    sampling.addressMode[0] = sampling.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    sampling.filterMode = sampling.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sampling.maxMipmapLevelClamp = 2;
    CUtexObject texture;
    OK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    CUdeviceptr out;
    int n = 6;
    OK(cuMemAlloc(&out, n * sizeof(float)));
    void* arguments[] = {&texture, &out, &n};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    for (const float value : values_at<float>(out, n)) std::printf("%g ", value);
    std::printf("\n");
    OK(cuMemFree(out));
    OK(cuTexObjectDestroy(texture));
    OK(cuMipmappedArrayDestroy(pyramid));
    return 0;
}
