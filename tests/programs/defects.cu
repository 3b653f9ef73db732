// Programs with one defect each, and the same without it (second argument: mended). The line that a
// finding must name ends with a comment that has the program's name and the finding's kind.
#include "programs.h"

#include <cooperative_groups.h>

// --- Memory of kernels ---

__global__ void past_end_kernel(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) values[i] = i; // past_end: out_of_bounds
}
__global__ void within(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i;
}
PROGRAM(past_end)
{
    int* values;
    cudaMalloc(&values, 100 * sizeof(int));
    if (mended)
        within<<<1, 128>>>(values, 100);
    else
        past_end_kernel<<<1, 128>>>(values, 100);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(values);
    return status != cudaSuccess;
}

// The host waits, so its later reads are not a race, although waiting fails.
__global__ void managed_past_end_kernel(int* values, int n)
{
    const int i = threadIdx.x;
    if (i <= n) values[i] = i; // managed_past_end: out_of_bounds
}
PROGRAM(managed_past_end)
{
    int* values;
    cudaMallocManaged(&values, 100 * sizeof(int));
    managed_past_end_kernel<<<1, 128>>>(values, mended ? 99 : 100);
    const cudaError_t status = cudaDeviceSynchronize();
    const bool right = values[0] == 0;
    cudaFree(values);
    return status != cudaSuccess || !right;
}

__global__ void before_begin_kernel(const int* from, int* to, int n, int first)
{
    const int i = threadIdx.x;
    if (i >= first && i < n) to[i] = from[i - 1]; // before_begin: out_of_bounds
}
PROGRAM(before_begin)
{
    int* from = device_copy(std::vector<int>(32, 1));
    int* to = device_copy(std::vector<int>(32, 0));
    before_begin_kernel<<<1, 32>>>(from, to, 32, mended ? 1 : 0);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
    return status != cudaSuccess;
}

__global__ void plain_grid_sync_kernel(int* out)
{
    out[blockIdx.x] = blockIdx.x;
    cooperative_groups::this_grid().sync(); // plain_grid_sync: trap
    if (blockIdx.x == 0) out[0] = out[gridDim.x - 1];
}
PROGRAM(plain_grid_sync)
{
    int* out;
    cudaMalloc(&out, 4 * sizeof(int));
    void* arguments[] = {&out};
    if (mended)
        cudaLaunchCooperativeKernel((const void*)plain_grid_sync_kernel, 4, 1, arguments, 0, 0);
    else
        plain_grid_sync_kernel<<<4, 1>>>(out);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

__global__ void shared_past_end_kernel(int* out, int count)
{
    __shared__ int room[64];
    if (threadIdx.x < count) room[threadIdx.x] = threadIdx.x; // shared_past_end: out_of_bounds
    __syncthreads();
    out[threadIdx.x] = room[threadIdx.x % 64];
}
PROGRAM(shared_past_end)
{
    int* out;
    cudaMalloc(&out, 65 * sizeof(int));
    shared_past_end_kernel<<<1, 65>>>(out, mended ? 64 : 65);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

__global__ void freed_kernel(int* values) { values[threadIdx.x] = 1; } // use_after_free: out_of_bounds
PROGRAM(use_after_free)
{
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    if (!mended) cudaFree(values);
    freed_kernel<<<1, 32>>>(values);
    const cudaError_t status = cudaDeviceSynchronize();
    if (mended) cudaFree(values);
    return status != cudaSuccess;
}

__global__ void host_pointer_kernel(int* values) { values[threadIdx.x] += 1; } // host_pointer: out_of_bounds
PROGRAM(host_pointer)
{
    std::vector<int> host(32, 1);
    int* device = device_copy(host);
    host_pointer_kernel<<<1, 32>>>(mended ? device : host.data());
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(device);
    return status != cudaSuccess;
}

__global__ void misaligned_kernel(char* bytes, int offset)
{
    *reinterpret_cast<int*>(bytes + offset) = 7; // misaligned: misaligned
}
PROGRAM(misaligned)
{
    char* bytes;
    cudaMalloc(&bytes, 64);
    misaligned_kernel<<<1, 1>>>(bytes, mended ? 4 : 2);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(bytes);
    return status != cudaSuccess;
}

__global__ void sum_of(const int* values, int* sum, int n)
{
    int total = 0;
    for (int i = 0; i < n; ++i) total += values[i];
    *sum = total; // uninitialised: undefined_result
}
PROGRAM(uninitialised)
{
    int *values, *sum;
    cudaMalloc(&values, 16 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(values, 0, (mended ? 16 : 8) * sizeof(int));
    sum_of<<<1, 1>>>(values, sum, 16);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sum);
    return 0;
}

__global__ void shared_uninitialised_kernel(int* out, bool clears)
{
    __shared__ int counts[32];
    if (clears) counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x % 4], 1); // shared_uninitialised: uninitialised
    __syncthreads();
    if (threadIdx.x < 4) out[threadIdx.x] = counts[threadIdx.x];
}
PROGRAM(shared_uninitialised)
{
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    shared_uninitialised_kernel<<<1, 32>>>(out, mended);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}

// --- What a GPU does as intended, although no manual promises it ---

__global__ void early_return_kernel(int* values, int n)
{
    __shared__ int room[128];
    if (threadIdx.x >= n) return;
    room[threadIdx.x] = values[threadIdx.x];
    __syncthreads(); // early_return: partial_barrier
    values[threadIdx.x] = room[n - 1 - threadIdx.x];
}
PROGRAM(early_return)
{
    int* values = device_copy(std::vector<int>(128, 1));
    early_return_kernel<<<1, 128>>>(values, mended ? 128 : 100);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(values);
    return status != cudaSuccess;
}

__global__ void divide_by_zero_kernel(int* values, const int* by, bool checks)
{
    const int i = threadIdx.x;
    if (!checks || by[i] != 0) values[i] /= by[i]; // divide_by_zero: zero_division
}
PROGRAM(divide_by_zero)
{
    std::vector<int> divisors(64, 3);
    divisors[40] = 0;
    int* values = device_copy(std::vector<int>(64, 12));
    int* by = device_copy(divisors);
    divide_by_zero_kernel<<<1, 64>>>(values, by, mended);
    std::printf("%d %d\n", host_copy(values, 64)[39], host_copy(values, 64)[40]);
    cudaFree(values);
    cudaFree(by);
    return 0;
}

// The same in many rounds, which run as native code; only one lane of a part of the warp divides.
__global__ void remainder_by_zero_kernel(unsigned* values, unsigned n, int rounds)
{
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) {
        sum += threadIdx.x + i;
        if (threadIdx.x % 2 == 1)
            sum ^= sum % (threadIdx.x == 77 ? n : 5); // remainder_by_zero: zero_division
    }
    values[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
PROGRAM(remainder_by_zero)
{
    unsigned* values = device_copy(std::vector<unsigned>(16 * 256, 12));
    remainder_by_zero_kernel<<<16, 256>>>(values, mended ? 7 : 0, 2000);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(values);
    return status != cudaSuccess;
}

__global__ void outside_lane_kernel(int* values, int lane)
{
    if (threadIdx.x >= 16) return;
    const int mine = values[threadIdx.x];
    values[threadIdx.x] = __shfl_sync(0xffff, mine, lane); // outside_lane: undefined_shuffle
}
PROGRAM(outside_lane)
{
    int* values = device_copy(std::vector<int>(32, 1));
    outside_lane_kernel<<<1, 32>>>(values, mended ? 5 : 20);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(values);
    return status != cudaSuccess;
}

__global__ void stale_read_kernel(int* data, int* out, bool mended)
{
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int i = 31 - threadIdx.x;
    out[threadIdx.x] = mended ? data[i] : __ldg(data + i); // stale_read: read_only_cache
}
PROGRAM(stale_read)
{
    int* data = device_copy(std::vector<int>(32, 0));
    int* out = device_copy(std::vector<int>(32, 0));
    stale_read_kernel<<<1, 32>>>(data, out, mended);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(data);
    cudaFree(out);
    return status != cudaSuccess;
}

// --- Races ---

__global__ void scope_kernel(int* count, bool mended)
{
    if (mended)
        atomicAdd(count, 1);
    else
        atomicAdd_block(count, 1); // block_scope: race
}
PROGRAM(block_scope)
{
    int* count = device_copy(std::vector<int>(1, 0));
    scope_kernel<<<4, 32>>>(count, mended);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(count);
    return status != cudaSuccess;
}

__global__ void reverse_kernel(int* values, bool waits)
{
    __shared__ int room[128];
    room[threadIdx.x] = values[threadIdx.x]; // shared_race: race
    if (waits) __syncthreads();
    values[threadIdx.x] = room[127 - threadIdx.x];
}
PROGRAM(shared_race)
{
    int* values = device_copy(std::vector<int>(128, 3));
    reverse_kernel<<<1, 128>>>(values, mended);
    cudaDeviceSynchronize();
    cudaFree(values);
    return 0;
}

__global__ void blocks_add_kernel(int* sum)
{
    *sum += 1; // global_race: race
}
__global__ void blocks_add_atomically(int* sum) { atomicAdd(sum, 1); }
PROGRAM(global_race)
{
    int* sum = device_copy(std::vector<int>{0});
    if (mended)
        blocks_add_atomically<<<8, 1>>>(sum);
    else
        blocks_add_kernel<<<8, 1>>>(sum);
    cudaDeviceSynchronize();
    cudaFree(sum);
    return 0;
}

__global__ void in_place_kernel(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 64 < n) values[i] = values[i + 64]; // blocks_race: race
}
__global__ void out_of_place(const int* from, int* to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 64 < n) to[i] = from[i + 64];
}
PROGRAM(blocks_race)
{
    int* values = device_copy(std::vector<int>(256, 1));
    int* to = device_copy(std::vector<int>(256, 1));
    if (mended)
        out_of_place<<<4, 64>>>(values, to, 256);
    else
        in_place_kernel<<<4, 64>>>(values, 256);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(to);
    return 0;
}

__global__ void warp_sum_kernel(int* out, bool waits)
{
    __shared__ int room[64];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) room[threadIdx.x] = room[threadIdx.x] + room[threadIdx.x + stride]; // warp_race: race
        if (waits) __syncthreads();
    }
    if (threadIdx.x == 0) *out = room[0];
}
PROGRAM(warp_race)
{
    int* out;
    cudaMalloc(&out, sizeof(int));
    warp_sum_kernel<<<1, 64>>>(out, mended);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}

// --- Barriers and endless loops ---

__global__ void divergent_barrier_kernel(int* values, int n)
{
    const int i = threadIdx.x;
    if (i < n) {
        values[i] = i;
        __syncthreads(); // divergent_barrier: barrier
    } else {
        values[i] = 2 * i;
    }
    __syncthreads();
    if (i < n) values[64 + i] = values[i] + 1;
}
__global__ void barrier_for_all(int* values, int n)
{
    const int i = threadIdx.x;
    values[i] = i < n ? i : 2 * i;
    __syncthreads();
    if (i < n) values[64 + i] = values[i] + 1;
}
PROGRAM(divergent_barrier)
{
    int* values;
    cudaMalloc(&values, 128 * sizeof(int));
    if (mended)
        barrier_for_all<<<1, 64>>>(values, 40);
    else
        divergent_barrier_kernel<<<1, 64>>>(values, 40);
    cudaDeviceSynchronize();
    cudaFree(values);
    return 0;
}

__global__ void spins_kernel(volatile int* flag)
{
    while (*flag == 0) {} // endless: endless
}
PROGRAM(endless)
{
    int* flag = device_copy(std::vector<int>{mended ? 1 : 0});
    spins_kernel<<<1, 1>>>(flag);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(flag);
    return status != cudaSuccess;
}

// The GPU holds fewer blocks of 1,024 threads than these, and the first wait for the last.
__global__ void waits_for_last_block(int* arrived)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == gridDim.x - 1) atomicExch(arrived, 1);
    while (atomicAdd(arrived, 0) == 0) {} // later_block: endless
}
PROGRAM(later_block)
{
    int* arrived;
    cudaMalloc(&arrived, sizeof(int));
    cudaMemset(arrived, 0, sizeof(int));
    waits_for_last_block<<<mended ? 4 : 300, 1024>>>(arrived);
    cudaDeviceSynchronize();
    cudaFree(arrived);
    return 0;
}

__global__ void asserts_kernel(int n)
{
    if (threadIdx.x >= n) __trap(); // trap: trap
}
PROGRAM(trap)
{
    asserts_kernel<<<1, 32>>>(mended ? 32 : 31);
    return cudaDeviceSynchronize() != cudaSuccess;
}

__global__ void recursion_kernel(int* out, int depth)
{
    int* mine = static_cast<int*>(malloc(16));
    *mine = depth;
    *out = *mine;
    free(mine);
    if (depth > 1) free(mine); // heap_double_free: bad_free
}
PROGRAM(heap_double_free)
{
    int* out;
    cudaMalloc(&out, sizeof(int));
    recursion_kernel<<<1, 1>>>(out, mended ? 1 : 2);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

// --- The host's calls ---

PROGRAM(double_free)
{
    int* values;
    cudaMalloc(&values, 64);
    cudaFree(values);
    if (!mended) cudaFree(values); // double_free: double_free
    cudaGetLastError();
    return 0;
}

PROGRAM(invalid_free)
{
    int* values;
    cudaMalloc(&values, 64);
    if (!mended) cudaFree(values + 4); // invalid_free: invalid_free
    cudaGetLastError();
    cudaFree(values);
    return 0;
}

PROGRAM(wrong_free)
{
    int* values;
    cudaMallocHost(&values, 64);
    if (!mended) cudaFree(values); // wrong_free: invalid_free
    cudaGetLastError();
    cudaFreeHost(values);
    return 0;
}

PROGRAM(leak)
{
    int *kept, *lost;
    cudaMalloc(&kept, 64);
    cudaMalloc(&lost, 640); // leak: leak
    cudaFree(kept);
    if (mended) cudaFree(lost);
    return 0;
}

PROGRAM(copy_too_long)
{
    std::vector<int> host(64, 1);
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemcpy(values, host.data(), (mended ? 32 : 64) * sizeof(int), cudaMemcpyHostToDevice); // copy_too_long: out_of_bounds
    cudaGetLastError();
    cudaFree(values);
    return 0;
}

PROGRAM(copy_direction)
{
    std::vector<int> host(32, 1);
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemcpy(values, host.data(), 128, mended ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost); // copy_direction: copy_direction
    cudaGetLastError();
    cudaFree(values);
    return 0;
}

PROGRAM(fill_too_long)
{
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemset(values, 0, mended ? 128 : 129); // fill_too_long: out_of_bounds
    cudaGetLastError();
    cudaFree(values);
    return 0;
}

PROGRAM(too_many_threads)
{
    int* values;
    cudaMalloc(&values, 4096 * sizeof(int));
    within<<<1, mended ? 1024 : 2048>>>(values, 1024); // too_many_threads: launch
    const cudaError_t status = cudaGetLastError();
    cudaFree(values);
    return status != cudaSuccess;
}

PROGRAM(too_much_shared)
{
    int* values;
    cudaMalloc(&values, 4096 * sizeof(int));
    within<<<1, 32, mended ? 49152 : 65536>>>(values, 32); // too_much_shared: launch
    const cudaError_t status = cudaGetLastError();
    cudaFree(values);
    return status != cudaSuccess;
}

PROGRAM(unchecked_launch)
{
    int* values = device_copy(std::vector<int>(32, 0));
    within<<<mended ? 1 : 0, 32>>>(values, 32); // unchecked_launch: unchecked_error
    std::vector<int> host = host_copy(values, 32);
    cudaFree(values);
    return host[31] > 100;
}

PROGRAM(unchecked_call)
{
    int* values = nullptr;
    cudaMalloc(&values, mended ? std::size_t{256} : std::size_t{1} << 50); // unchecked_call: unchecked_error
    cudaMemset(values, 0, 16);
    cudaGetLastError();
    cudaFree(values);
    return 0;
}

// (n + threads - 1 / threads) blocks, which is one per element.
PROGRAM(misplaced_bracket)
{
    const int n = 4096, threads = 128;
    int* values;
    cudaMalloc(&values, n * sizeof(int));
    const int blocks = mended ? (n + threads - 1) / threads : n + (threads - 1) / threads;
    within<<<blocks, threads>>>(values, n); // misplaced_bracket: idle_blocks
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(values);
    return status != cudaSuccess;
}

PROGRAM(managed_race)
{
    int* values;
    cudaMallocManaged(&values, 32 * sizeof(int));
    within<<<1, 32>>>(values, 32);
    if (mended) cudaDeviceSynchronize();
    const int last = values[31]; // managed_race: host_race
    cudaDeviceSynchronize();
    cudaFree(values);
    return last < 0;
}

PROGRAM(pinned_race)
{
    int *host, *values;
    cudaMallocHost(&host, 32 * sizeof(int));
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemset(values, 0, 32 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(host, values, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (mended) cudaStreamSynchronize(stream);
    const int first = host[0]; // pinned_race: host_race
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFree(values);
    return first != 0;
}

PROGRAM(streams_unordered)
{
    int* values;
    int* host;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t done;
    cudaEventCreate(&done);
    within<<<1, 64, 0, first>>>(values, 64);
    cudaEventRecord(done, first);
    if (mended) cudaStreamWaitEvent(second, done, 0);
    cudaMemcpyAsync(host, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, second); // streams_unordered: unordered
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(values);
    cudaFreeHost(host);
    return 0;
}

PROGRAM(kernels_unordered)
{
    int* values;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    within<<<1, 64, 0, first>>>(values, 64);
    if (mended) cudaStreamSynchronize(first);
    within<<<1, 64, 0, second>>>(values, 32); // kernels_unordered: unordered
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(values);
    return 0;
}

PROGRAM(pool_freed_early)
{
    int* values;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync(&values, 64 * sizeof(int), stream);
    within<<<1, 64, 0, stream>>>(values, 64);
    if (mended) cudaStreamSynchronize(stream);
    cudaFree(values); // pool_freed_early: unordered
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    return 0;
}

PROGRAM(host_dereference)
{
    int* values;
    cudaMalloc(&values, 64 * sizeof(int));
    int* managed;
    cudaMallocManaged(&managed, 64 * sizeof(int));
    volatile int* target = mended ? managed : values;
    target[3] = 1; // host_dereference: host_access
    cudaFree(values);
    cudaFree(managed);
    return 0;
}

// --- Copies ---

__constant__ float weights[16];
PROGRAM(copy_past_symbol)
{
    float host[32] = {1};
    const size_t bytes = mended ? 64 : sizeof host;
    const auto status = cudaMemcpyToSymbol(weights, host, bytes); // copy_past_symbol: out_of_bounds
    return status != cudaSuccess;
}

PROGRAM(read_past_symbol)
{
    float host[32] = {};
    const int offset = mended ? 32 : 48;
    const auto status = cudaMemcpyFromSymbol(host, weights, 32, offset); // read_past_symbol: out_of_bounds
    return status != cudaSuccess;
}

PROGRAM(grid_rounded_down)
{
    static int host[1000];
    int* values;
    cudaMalloc(&values, sizeof host);
    within<<<(1000 + (mended ? 255 : 0)) / 256, 256>>>(values, 1000);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost); // grid_rounded_down: unwritten_copy
    cudaFree(values);
    return 0;
}

struct Padded {
    char tag;
    int value;
};
__global__ void fill_padded(Padded* all, int n)
{
    if (threadIdx.x >= n) return;
    all[threadIdx.x].tag = 'x';
    all[threadIdx.x].value = threadIdx.x;
}
// Padding of structs is not written, which is not a mistake.
PROGRAM(row_not_written)
{
    Padded host[64];
    Padded* all;
    cudaMalloc(&all, sizeof host);
    fill_padded<<<1, 64>>>(all, mended ? 64 : 60);
    cudaMemcpy(host, all, sizeof host, cudaMemcpyDeviceToHost); // row_not_written: unwritten_copy
    cudaFree(all);
    return 0;
}

// The last column of rows is missing, which recurs like padding does.
__global__ void fill_columns(float* rows, int width)
{
    if (threadIdx.x < width) rows[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
PROGRAM(column_not_written)
{
    constexpr int width = 128, height = 8;
    std::vector<float> host(width * height);
    float* rows;
    cudaMalloc(&rows, host.size() * sizeof(float));
    fill_columns<<<height, width>>>(rows, mended ? width : width - 1);
    cudaMemcpy(host.data(), rows, host.size() * sizeof(float), cudaMemcpyDeviceToHost); // column_not_written: unwritten_copy
    cudaFree(rows);
    return 0;
}

__global__ void sum_two(const int* in, int* out)
{
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) out[0] = part[0] + part[63]; // unset_through_shared: undefined_result
}
PROGRAM(unset_through_shared)
{
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    within<<<1, 64>>>(in, mended ? 64 : 32);
    sum_two<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}

// --- Limits ---

__device__ int deep(int n)
{
    volatile int pad[32];
    pad[n & 31] = n;
    return n == 0 ? 0 : deep(n - 1) + pad[n & 31]; // deep_recursion: stack_overflow
}
__global__ void call_deep(int* out, int n)
{
    out[threadIdx.x] = deep(n);
}
PROGRAM(deep_recursion)
{
    if (mended) cudaDeviceSetLimit(cudaLimitStackSize, 32768);
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    call_deep<<<1, 32>>>(out, 100);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

PROGRAM(time_too_early)
{
    int* values;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    within<<<1, 64>>>(values, 64);
    cudaEventRecord(end);
    if (mended) cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end); // time_too_early: not_ready
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(values);
    return 0;
}
