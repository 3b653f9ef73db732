// Built with --default-stream per-thread: a call without a stream uses the calling thread's stream.
#include <thread>

#include "programs.h"

__constant__ int offset;
__device__ int total;

__global__ void add_offset(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += offset;
}
__global__ void sum_into_total(const int* values, int n)
{
    const int i = threadIdx.x;
    if (i < n) atomicAdd(&total, values[i]);
}
__global__ void add_one(int* values)
{
    values[threadIdx.x] += 1;
}

PROGRAM(thread_copies)
{
    const int n = 100;
    int by = 5, zero = 0, sum = 0;
    std::vector<int> host(n, 2);
    int* values;
    CHECK(cudaMalloc(&values, n * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(offset, &by, sizeof by));
    CHECK(cudaMemcpyToSymbolAsync(total, &zero, sizeof zero));
    CHECK(cudaMemset(values, 0, n * sizeof(int)));
    CHECK(cudaMemcpy(values, host.data(), 50 * sizeof(int), cudaMemcpyHostToDevice));
    add_offset<<<1, 128>>>(values, n);
    sum_into_total<<<1, 128>>>(values, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    CHECK(cudaMemcpy(host.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(values));
    std::printf("%d %d %d\n", host[0], host[99], sum);
    return passed(host[0] == 7 && host[99] == 5 && sum == 600);
}

PROGRAM(thread_planes)
{
    const std::size_t width = 20, height = 6, depth = 2;
    std::size_t pitch = 0;
    char* plane;
    cudaArray_t array;
    cudaPitchedPtr box;
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    std::vector<char> host(width * height, 0), of_box(width * height * depth, 0);
    CHECK(cudaMallocPitch(&plane, &pitch, width, height));
    CHECK(cudaMallocArray(&array, &bytes, width, height));
    CHECK(cudaMalloc3D(&box, make_cudaExtent(width, height, depth)));

    CHECK(cudaMemset2D(plane, pitch, 1, width, height));
    CHECK(cudaMemset2D(plane, pitch, 2, width, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, plane, pitch, width, height, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset2D(plane, pitch, 3, width, height));
    CHECK(cudaMemcpy2DFromArray(host.data(), width, array, 0, 0, width, height, cudaMemcpyDeviceToHost));
    const int from_array = host[0] + 10 * host[width];
    CHECK(cudaMemcpy2D(host.data(), width, plane, pitch, width, height, cudaMemcpyDeviceToHost));

    CHECK(cudaMemset3D(box, 4, make_cudaExtent(width, height, depth)));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(of_box.data(), width, width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    CHECK(cudaFree(plane));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(box.ptr));
    std::printf("%d %d %d\n", from_array, host.back(), of_box.back());
    return passed(from_array == 12 && host.back() == 3 && of_box.back() == 4);
}

// Each thread waits only for its own stream; the device is synchronised once.
PROGRAM(thread_streams)
{
    const int threads = 3;
    int* values[threads];
    int results[threads] = {};
    unsigned long long ids[threads + 1] = {};
    CHECK(cudaStreamGetId(0, &ids[threads]));
    for (int t = 0; t < threads; ++t) {
        CHECK(cudaMalloc(&values[t], 32 * sizeof(int)));
        CHECK(cudaMemsetAsync(values[t], 0, 32 * sizeof(int)));
        CHECK(cudaStreamSynchronize(0));
        // Starts threads one after another, so that launches have a fixed order.
        std::thread([&, t] {
            for (int i = 0; i <= t; ++i) add_one<<<1, 32>>>(values[t]);
            cudaStreamSynchronize(0);
            cudaMemcpy(&results[t], values[t], sizeof(int), cudaMemcpyDeviceToHost);
            cudaStreamGetId(0, &ids[t]);
        }).join();
    }
    add_one<<<1, 32>>>(values[0]);
    CHECK(cudaDeviceSynchronize());
    for (int* each : values) CHECK(cudaFree(each));
    bool differ = true;
    for (int t = 0; t < threads; ++t)
        for (int other = t + 1; other <= threads; ++other) differ = differ && ids[t] != ids[other];
    std::printf("%d %d %d, %s\n", results[0], results[1], results[2], differ ? "four streams" : "fewer streams");
    return passed(results[0] == 1 && results[1] == 2 && results[2] == 3 && differ);
}

// The legacy stream has a separate handle here. It waits for the threads' streams, and they for it.
PROGRAM(thread_and_legacy)
{
    int* values;
    CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    add_one<<<1, 32>>>(values);
    add_one<<<1, 32, 0, cudaStreamLegacy>>>(values);
    add_one<<<1, 32, 0, cudaStreamPerThread>>>(values);
    const int result = host_copy(values, 32)[31];
    CHECK(cudaFree(values));
    std::printf("%d\n", result);
    return passed(result == 3);
}

// A thread's default stream can be captured into a graph, unlike the legacy one.
PROGRAM(graph_of_thread)
{
    int* values;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCaptureStatus capturing;
    CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    add_one<<<1, 32>>>(values);
    add_one<<<1, 32>>>(values);
    CHECK(cudaStreamIsCapturing(0, &capturing));
    CHECK(cudaStreamEndCapture(0, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaStreamSynchronize(0));
    const cudaError_t legacy = cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal);
    cudaGetLastError();
    const int result = host_copy(values, 32)[31];
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(values));
    std::printf("%d %d, %s\n", result, capturing == cudaStreamCaptureStatusActive, cudaGetErrorName(legacy));
    return passed(result == 6 && capturing == cudaStreamCaptureStatusActive);
}

// Streams of two threads are unordered until one is synchronised.
PROGRAM(thread_race)
{
    int* values;
    CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    add_one<<<1, 32>>>(values);
    if (mended) CHECK(cudaStreamSynchronize(0));
    std::thread([&] {
        add_one<<<1, 32>>>(values); // thread_race: unordered
        cudaStreamSynchronize(0);
    }).join();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(values));
    return 0;
}
