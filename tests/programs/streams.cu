// Streams, events, callbacks, graphs, cooperative launches.
#include <future>

#include "programs.h"

#include <cooperative_groups.h>

__global__ void fill_with(int* values, int n, int value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = value;
}
__global__ void double_all(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;
}
__global__ void add_both(const int* a, const int* b, int* sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

PROGRAM(simple_streams)
{
    const int streams = 4, part = 256, n = streams * part;
    int *host, *device;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    cudaStream_t stream[streams];
    for (auto& each : stream) CHECK(cudaStreamCreate(&each));
    for (int i = 0; i < n; ++i) host[i] = i;
    for (int s = 0; s < streams; ++s) {
        CHECK(cudaMemcpyAsync(device + s * part, host + s * part, part * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
        double_all<<<2, 128, 0, stream[s]>>>(device + s * part, part);
        CHECK(cudaMemcpyAsync(host + s * part, device + s * part, part * sizeof(int), cudaMemcpyDeviceToHost, stream[s]));
    }
    CHECK(cudaDeviceSynchronize());
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && host[i] == 2 * i;
    for (auto& each : stream) CHECK(cudaStreamDestroy(each));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return passed(right);
}

PROGRAM(event_order)
{
    int *a, *b, *sum;
    for (int** each : {&a, &b, &sum}) CHECK(cudaMalloc(each, 128 * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t ready;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    fill_with<<<1, 128, 0, first>>>(a, 128, 3);
    CHECK(cudaEventRecord(ready, first));
    fill_with<<<1, 128, 0, second>>>(b, 128, 4);
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_both<<<1, 128, 0, second>>>(a, b, sum, 128);
    CHECK(cudaStreamSynchronize(second));
    const auto result = host_copy(sum, 128);
    for (int* each : {a, b, sum}) CHECK(cudaFree(each));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    std::printf("%d\n", result[127]);
    return passed(result[0] == 7 && result[127] == 7);
}

PROGRAM(default_stream)
{
    int* values;
    CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    cudaStream_t other;
    CHECK(cudaStreamCreate(&other));
    fill_with<<<1, 64, 0, other>>>(values, 64, 5);
    double_all<<<1, 64>>>(values, 64); // the default stream waits for the other one
    double_all<<<1, 64, 0, other>>>(values, 64);
    CHECK(cudaStreamSynchronize(other));
    const auto result = host_copy(values, 64);
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(values));
    std::printf("%d\n", result[0]);
    return passed(result[63] == 20);
}

static void append(void* text)
{
    std::strcat(static_cast<char*>(text), "host ");
}
static void appended(cudaStream_t, cudaError_t status, void* text)
{
    std::strcat(static_cast<char*>(text), status == cudaSuccess ? "callback " : "error ");
}

PROGRAM(host_functions)
{
    char text[64] = "";
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchHostFunc(stream, append, text));
    CHECK(cudaStreamAddCallback(stream, appended, text, 0));
    CHECK(cudaLaunchHostFunc(stream, append, text));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    std::printf("%s\n", text);
    return passed(std::strcmp(text, "host callback host ") == 0);
}

static void finished(void* done)
{
    static_cast<std::promise<void>*>(done)->set_value();
}

PROGRAM(host_function_wakes)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *host, *values;
    CHECK(cudaMallocHost(&host, 64 * sizeof(int)));
    CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    fill_with<<<1, 64, 0, stream>>>(values, 64, 7);
    CHECK(cudaMemcpyAsync(host, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    std::promise<void> done;
    CHECK(cudaLaunchHostFunc(stream, finished, &done));
    done.get_future().wait();
    const int last = host[63];
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(values));
    return passed(last == 7);
}

__global__ void wait_for(const volatile int* open)
{
    while (*open == 0) {
    }
}

// Work is queued after a kernel that the host releases afterwards.
PROGRAM(host_opens_gate)
{
    volatile int* open;
    CHECK(cudaHostAlloc((void**)&open, sizeof(int), cudaHostAllocDefault));
    *open = 0;
    int* values;
    CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    cudaStream_t held, free_stream;
    CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    wait_for<<<1, 1, 0, held>>>((int*)open);
    fill_with<<<1, 64, 0, held>>>(values, 64, 3);
    CHECK(cudaEventRecord(done, held));
    CHECK(cudaStreamWaitEvent(free_stream, done, 0));
    fill_with<<<1, 64, 0, free_stream>>>(values, 32, 4);
    const bool waits = cudaStreamQuery(held) == cudaErrorNotReady;
    *open = 1;
    CHECK(cudaDeviceSynchronize());
    const auto result = host_copy(values, 64);
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(held));
    CHECK(cudaStreamDestroy(free_stream));
    CHECK(cudaFree(values));
    CHECK(cudaFreeHost((void*)open));
    return passed(waits && result[0] == 4 && result[63] == 3);
}

PROGRAM(event_timing)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    int* values;
    CHECK(cudaMalloc(&values, 4096 * sizeof(int)));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < 5; ++i) fill_with<<<32, 128>>>(values, 4096, i);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(values));
    return passed(ms >= 0);
}

PROGRAM(priorities)
{
    int least = 1, greatest = 1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    int priority = 1;
    unsigned flags = 0;
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamGetFlags(stream, &flags));
    CHECK(cudaStreamDestroy(stream));
    std::printf("%d %d %u\n", least, greatest, flags);
    return passed(priority == greatest && flags == cudaStreamNonBlocking);
}

PROGRAM(graph_captured)
{
    int *host, *device;
    CHECK(cudaMallocHost(&host, 128 * sizeof(int)));
    CHECK(cudaMalloc(&device, 128 * sizeof(int)));
    for (int i = 0; i < 128; ++i) host[i] = i;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(device, host, 128 * sizeof(int), cudaMemcpyHostToDevice, stream));
    double_all<<<1, 128, 0, stream>>>(device, 128);
    CHECK(cudaMemcpyAsync(host, device, 128 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    const int before = host[100];
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%zu nodes, %d, %d\n", nodes, before, host[100]);
    const bool right = before == 100 && host[100] == 800;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return passed(right);
}

PROGRAM(graph_forked)
{
    int *a, *b, *sum;
    for (int** each : {&a, &b, &sum}) CHECK(cudaMalloc(each, 64 * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    cudaEvent_t fork, join;
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork));
    fill_with<<<1, 64, 0, first>>>(a, 64, 20);
    fill_with<<<1, 64, 0, second>>>(b, 64, 1);
    CHECK(cudaEventRecord(join, second));
    CHECK(cudaStreamWaitEvent(first, join));
    add_both<<<1, 64, 0, first>>>(a, b, sum, 64);
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(first, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, first));
    CHECK(cudaStreamSynchronize(first));
    const auto result = host_copy(sum, 64);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    for (cudaEvent_t each : {fork, join}) CHECK(cudaEventDestroy(each));
    for (cudaStream_t each : {first, second}) CHECK(cudaStreamDestroy(each));
    for (int* each : {a, b, sum}) CHECK(cudaFree(each));
    std::printf("%d\n", result[5]);
    return passed(result[63] == 21);
}

// Nodes of every type by one function, and new parameters for one of them.
PROGRAM(graph_any_node)
{
    const int n = 256;
    int* host = nullptr;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t made, filled, added, copied, freed;
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeMemAlloc};
    parameters.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
    parameters.alloc.bytesize = n * sizeof(int);
    CHECK(cudaGraphAddNode(&made, graph, nullptr, nullptr, 0, &parameters));
    int* device = static_cast<int*>(parameters.alloc.dptr);
    parameters = {cudaGraphNodeTypeMemset};
    parameters.memset = {device, 0, 0, 4, n, 1};
    CHECK(cudaGraphAddNode(&filled, graph, &made, nullptr, 1, &parameters));
    int count = n, what = 5;
    void* arguments[] = {&device, &count, &what};
    cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
    kernel.kernel.func = reinterpret_cast<void*>(fill_with);
    kernel.kernel.gridDim = dim3(1);
    kernel.kernel.blockDim = dim3(n);
    kernel.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&added, graph, &filled, nullptr, 1, &kernel));
    parameters = {cudaGraphNodeTypeMemcpy};
    parameters.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(device, n * 4, n * 4, 1);
    parameters.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, n * 4, n * 4, 1);
    parameters.memcpy.copyParams.extent = make_cudaExtent(n * 4, 1, 1);
    parameters.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddNode(&copied, graph, &added, nullptr, 1, &parameters));
    parameters = {cudaGraphNodeTypeMemFree};
    parameters.free.dptr = device;
    CHECK(cudaGraphAddNode(&freed, graph, &copied, nullptr, 1, &parameters));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    const int first = host[n - 1];
    what = 7;
    CHECK(cudaGraphExecNodeSetParams(executable, added, &kernel));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", first, host[n - 1]);
    const bool right = first == 5 && host[n - 1] == 7;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaFreeHost(host));
    return passed(right);
}

PROGRAM(graph_explicit)
{
    int* values;
    CHECK(cudaMalloc(&values, 100 * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t clear, fill, copy;
    cudaMemsetParams zero{};
    zero.dst = values;
    zero.elementSize = 4;
    zero.width = 100;
    zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
    int n = 50, value = 6;
    void* arguments[] = {&values, &n, &value};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(fill_with);
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(64);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&fill, graph, &clear, 1, &kernel));
    std::vector<int> host(100, -1);
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, host.data(), values, 100 * sizeof(int),
                                   cudaMemcpyDeviceToHost));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    const int first = host[49] * 100 + host[50];
    value = 8;
    n = 100;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, fill, &kernel));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", first, host[99]);
    const bool right = first == 600 && host[99] == 8;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(values));
    return passed(right);
}

__global__ void grid_sum(int* partial, int* total, int n)
{
    namespace cg = cooperative_groups;
    const cg::grid_group grid = cg::this_grid();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) partial[blockIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&partial[blockIdx.x], i);
    grid.sync();
    if (i == 0) {
        int sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) sum += partial[block];
        *total = sum;
    }
}

PROGRAM(cooperative)
{
    int *partial, *total, n = 500;
    CHECK(cudaMalloc(&partial, 8 * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    void* arguments[] = {&partial, &total, &n};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sum), dim3(8), dim3(64), arguments));
    CHECK(cudaDeviceSynchronize());
    const int sum = host_copy(total, 1)[0];
    CHECK(cudaFree(partial));
    CHECK(cudaFree(total));
    std::printf("%d\n", sum);
    return passed(sum == 500 * 499 / 2);
}

PROGRAM(launch_attributes)
{
    int* values;
    CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    CHECK(cudaLaunchKernelEx(&config, fill_with, values, 64, 9));
    const auto result = host_copy(values, 64);
    CHECK(cudaFree(values));
    std::printf("%d\n", result[63]);
    return passed(result[0] == 9 && result[63] == 9);
}

// Memory that lives inside a captured graph: each launch allocates and frees it again.
__global__ void count_up(int* values, int n)
{
    if (threadIdx.x < n) values[threadIdx.x] = threadIdx.x;
}
PROGRAM(graph_allocates)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int host[64] = {}, *inside;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&inside, sizeof host, stream));
    count_up<<<1, 64, 0, stream>>>(inside, 64);
    CHECK(cudaMemcpyAsync(host, inside, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(inside, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        sum += host[63];
        host[63] = 0;
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return passed(sum == 3 * 63);
}
