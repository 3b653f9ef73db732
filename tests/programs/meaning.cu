// Programs whose calls and indices are valid but mean something else than intended, each with one
// mistake, and the same without it (second argument: mended). The line that a finding must name ends
// with a comment that has the program's name and the finding's kind.
#include "programs.h"

// --- Counts of elements where bytes are meant ---

__global__ void scale(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
PROGRAM(count_to_device)
{
    const int n = 1024;
    std::vector<float> host(n, 1);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    const size_t size = mended ? n * sizeof(float) : n;
    cudaMemcpy(in, host.data(), size, cudaMemcpyHostToDevice); // count_to_device: count_as_bytes
    scale<<<4, 256>>>(in, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return 0;
}

__global__ void count_values(const int* values, int* bins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i]], 1);
}
PROGRAM(count_in_memset)
{
    const int n = 512, bins = 64;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i % bins;
    int *values = device_copy(host), *counts;
    cudaMalloc(&counts, bins * sizeof(int));
    cudaMemset(counts, 0, mended ? bins * sizeof(int) : bins); // count_in_memset: count_as_bytes
    count_values<<<2, 256>>>(values, counts, n);
    cudaMemcpy(host.data(), counts, bins * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(values);
    cudaFree(counts);
    return 0;
}

__global__ void sum_of(const double* in, double* out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += in[i];
    *out = sum;
}
PROGRAM(count_of_doubles)
{
    const int n = 100;
    std::vector<double> host(n, 0.5);
    double *in, *out, sum = 0;
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&out, sizeof(double));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    const size_t size = mended ? n * sizeof(double) : n;
    cudaMemcpyAsync(in, host.data(), size, cudaMemcpyHostToDevice, stream); // count_of_doubles: count_as_bytes
    sum_of<<<1, 1, 0, stream>>>(in, out, n);
    cudaMemcpyAsync(&sum, out, sizeof(double), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(in);
    cudaFree(out);
    return mended && sum != 50;
}

PROGRAM(count_between_buffers)
{
    const int n = 256;
    std::vector<int> host(n, 3);
    int *from = device_copy(host), *to;
    cudaMalloc(&to, n * sizeof(int));
    const size_t size = mended ? n * sizeof(int) : n;
    cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice); // count_between_buffers: count_as_bytes
    cudaMemcpy(host.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    return mended && host[n - 1] != 3;
}

PROGRAM(count_to_host)
{
    const int n = 1024;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    cudaMalloc(&out, n * sizeof(float));
    scale<<<4, 256>>>(in, out, n);
    const size_t size = mended ? n * sizeof(float) : n;
    cudaMemcpy(host.data(), out, size, cudaMemcpyDeviceToHost); // count_to_host: count_as_bytes
    cudaFree(in);
    cudaFree(out);
    return mended && host[n - 1] != 2;
}

__global__ void shift_left(int* line, int n)
{
    const int i = threadIdx.x;
    const int next = line[(i + 1) % n];
    __syncthreads();
    line[i] = next;
}
PROGRAM(count_after_steps)
{
    const int n = 256;
    std::vector<int> host(n, 1);
    int* line = device_copy(host);
    for (int step = 0; step < 3; ++step) shift_left<<<1, n>>>(line, n);
    const size_t size = mended ? n * sizeof(int) : n;
    cudaMemcpyAsync(host.data(), line, size, cudaMemcpyDeviceToHost); // count_after_steps: count_as_bytes
    cudaDeviceSynchronize();
    cudaFree(line);
    return mended && host[n - 1] != 1;
}

// --- Indices of 32 bits that wrap ---

__global__ void last_of_rows(float* matrix, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    matrix[row * width + width - 1] = 1; // wraps_out_of_buffer: out_of_bounds
}
__global__ void last_of_rows_wide(float* matrix, int width)
{
    const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
    matrix[row * width + width - 1] = 1;
}
// 32 rows of 2^27 elements: row 16 begins at element 2^31.
PROGRAM(wraps_out_of_buffer)
{
    const int width = 1 << 27;
    float* matrix;
    CHECK(cudaMalloc(&matrix, sizeof(float) * 32 * width));
    if (mended)
        last_of_rows_wide<<<1, 32>>>(matrix, width);
    else
        last_of_rows<<<1, 32>>>(matrix, width);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(matrix);
    return status != cudaSuccess;
}

__global__ void mark_rows(unsigned char* image, unsigned width)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    image[row * width] = 1; // wraps_inside_buffer: wrapped_index
}
__global__ void mark_rows_wide(unsigned char* image, unsigned width)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    image[size_t{row} * width] = 1;
}
// 32 rows of 200,000,001 bytes: from row 22 on, the index exceeds 32 bits.
PROGRAM(wraps_inside_buffer)
{
    const unsigned width = 200'000'001;
    unsigned char* image;
    CHECK(cudaMalloc(&image, size_t{32} * width));
    if (mended)
        mark_rows_wide<<<1, 32>>>(image, width);
    else
        mark_rows<<<1, 32>>>(image, width);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(image);
    return status != cudaSuccess;
}

__global__ void mark_steps(char* middle, const int* steps, int step)
{
    const int i = steps[threadIdx.x] * step;
    middle[i] = 1; // wraps_before_pointer: wrapped_index
}
__global__ void mark_steps_wide(char* middle, const int* steps, int step)
{
    const long long i = static_cast<long long>(steps[threadIdx.x]) * step;
    middle[i] = 1;
}
// The pointer is to the middle of 8 GiB, so a negative index stays inside.
PROGRAM(wraps_before_pointer)
{
    std::vector<int> host(32);
    for (int i = 0; i < 32; ++i) host[i] = i;
    int* steps = device_copy(host);
    char* bytes;
    const size_t half = size_t{4} << 30;
    CHECK(cudaMalloc(&bytes, 2 * half));
    if (mended)
        mark_steps_wide<<<1, 32>>>(bytes + half, steps, 100'000'007);
    else
        mark_steps<<<1, 32>>>(bytes + half, steps, 100'000'007);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(bytes);
    cudaFree(steps);
    return status != cudaSuccess;
}

__global__ void mark_shifted(char* rows)
{
    rows[(threadIdx.x << 28) + threadIdx.x] = 1; // wraps_in_shift: wrapped_index
}
__global__ void mark_shifted_wide(char* rows)
{
    rows[(size_t{threadIdx.x} << 28) + threadIdx.x] = 1;
}
// A hash wraps on purpose.
__global__ void hash_into(char* table, unsigned mask)
{
    table[(threadIdx.x * 2654435761u) & mask] = 1;
}
PROGRAM(wraps_in_shift)
{
    char* rows;
    CHECK(cudaMalloc(&rows, size_t{32} << 28));
    if (mended) {
        mark_shifted_wide<<<1, 32>>>(rows);
        hash_into<<<1, 256>>>(rows, 0xffffffff);
    } else {
        mark_shifted<<<1, 32>>>(rows);
    }
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(rows);
    return status != cudaSuccess;
}

// Six GiB of which a kernel touches a few pages.
__global__ void touch_pages(int* far, size_t stride)
{
    far[threadIdx.x * stride] = threadIdx.x; // large_and_empty: out_of_bounds
}
PROGRAM(large_and_empty)
{
    int* far;
    int last = 0;
    const size_t bytes = size_t{6} << 30, stride = bytes / sizeof(int) / 32;
    CHECK(cudaMalloc(&far, bytes));
    touch_pages<<<1, mended ? 32 : 33>>>(far, stride);
    CHECK(cudaMemcpy(&last, far + 31 * stride, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(far));
    return last != 31;
}

// --- Graphs that use memory freed since their capture ---

__global__ void add_one(int* values)
{
    values[threadIdx.x] += 1; // graph_with_freed_buffer: out_of_bounds
}
struct Captured {
    cudaStream_t stream;
    cudaGraphExec_t executable = nullptr;
    Captured() { cudaStreamCreate(&stream); }
    void begin() { cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); }
    void end()
    {
        cudaGraph_t graph;
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphDestroy(graph);
    }
    cudaError_t finish()
    {
        const cudaError_t status = cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(executable);
        cudaStreamDestroy(stream);
        return status;
    }
};
PROGRAM(graph_with_freed_buffer)
{
    int* values = device_copy(std::vector<int>(32, 1));
    Captured captured;
    captured.begin();
    add_one<<<1, 32, 0, captured.stream>>>(values);
    captured.end();
    cudaGraphLaunch(captured.executable, captured.stream);
    cudaStreamSynchronize(captured.stream);
    if (!mended) { // a larger buffer takes its place, and the graph does not notice
        cudaFree(values);
        values = device_copy(std::vector<int>(64, 1));
    }
    cudaGraphLaunch(captured.executable, captured.stream);
    const cudaError_t status = captured.finish();
    cudaFree(values);
    return status != cudaSuccess;
}

PROGRAM(graph_with_freed_target)
{
    int *host, *values;
    cudaMallocHost(&host, 128);
    cudaMalloc(&values, 128);
    memset(host, 0, 128);
    Captured captured;
    captured.begin();
    cudaMemcpyAsync(values, host, 128, cudaMemcpyHostToDevice, captured.stream);
    captured.end();
    if (!mended) cudaFree(values);
    const auto status = cudaGraphLaunch(captured.executable, captured.stream); // graph_with_freed_target: copy_direction
    captured.finish();
    if (mended) cudaFree(values);
    cudaFreeHost(host);
    return status != cudaSuccess;
}

PROGRAM(graph_with_freed_host)
{
    int *host, *values;
    cudaMallocHost(&host, 128);
    cudaMalloc(&values, 128);
    cudaMemset(values, 0, 128);
    Captured captured;
    captured.begin();
    cudaMemcpyAsync(host, values, 128, cudaMemcpyDeviceToHost, captured.stream);
    captured.end();
    if (!mended) cudaFreeHost(host);
    const auto status = cudaGraphLaunch(captured.executable, captured.stream); // graph_with_freed_host: copy_direction
    captured.finish();
    if (mended) cudaFreeHost(host);
    cudaFree(values);
    return status != cudaSuccess;
}

PROGRAM(graph_with_freed_fill)
{
    int* values;
    cudaMalloc(&values, 128);
    Captured captured;
    captured.begin();
    cudaMemsetAsync(values, 0, 128, captured.stream);
    captured.end();
    cudaGraphLaunch(captured.executable, captured.stream);
    cudaStreamSynchronize(captured.stream);
    if (!mended) cudaFree(values);
    const auto status = cudaGraphLaunch(captured.executable, captured.stream); // graph_with_freed_fill: copy_direction
    captured.finish();
    if (mended) cudaFree(values);
    return status != cudaSuccess;
}

// --- The device heap ---

__global__ void use_heap(int* out, int bytes, bool tests)
{
    int* const mine = static_cast<int*>(malloc(bytes));
    if (tests && mine == nullptr) return;
    mine[threadIdx.x] = threadIdx.x; // heap_is_full: out_of_bounds
    out[threadIdx.x] = mine[threadIdx.x];
    free(mine);
}
PROGRAM(heap_is_full)
{
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(out, 0, 32 * sizeof(int));
    use_heap<<<1, 32>>>(out, 1 << 20, mended);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

__global__ void use_large_heap(int* out, int bytes)
{
    char* const mine = static_cast<char*>(malloc(bytes));
    mine[bytes - 1] = 1; // heap_is_small: out_of_bounds
    *out = mine[bytes - 1];
    free(mine);
}
PROGRAM(heap_is_small)
{
    if (mended) cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t{64} << 20);
    int* out;
    cudaMalloc(&out, sizeof(int));
    use_large_heap<<<1, 1>>>(out, 32 << 20);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

// --- Grids that leave out the last elements ---

__global__ void fill_plane(double* plane, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) plane[y * width + x] = x + y;
}
int run_plane(dim3 grid, int width, int height)
{
    std::vector<double> host(size_t(width) * height);
    double* plane;
    cudaMalloc(&plane, host.size() * sizeof(double));
    fill_plane<<<grid, dim3(16, 8)>>>(plane, width, height);
    cudaMemcpy(host.data(), plane, host.size() * sizeof(double), cudaMemcpyDeviceToHost); // columns_left_out: unwritten_copy
    cudaFree(plane);
    return 0;
}
PROGRAM(columns_left_out)
{
    return run_plane(dim3(mended ? 7 : 6, 4), 100, 32);
}

PROGRAM(rows_left_out)
{
    const int width = 64, height = 30;
    std::vector<double> host(width * height);
    double* plane;
    cudaMalloc(&plane, host.size() * sizeof(double));
    fill_plane<<<dim3(width / 16, mended ? (height + 7) / 8 : height / 8), dim3(16, 8)>>>(plane, width, height);
    cudaMemcpy(host.data(), plane, host.size() * sizeof(double), cudaMemcpyDeviceToHost); // rows_left_out: unwritten_copy
    cudaFree(plane);
    return 0;
}

PROGRAM(corner_left_out)
{
    const int width = 50, height = 30;
    std::vector<double> host(width * height);
    double* plane;
    cudaMalloc(&plane, host.size() * sizeof(double));
    const dim3 block(16, 8);
    const dim3 grid = mended ? dim3((width + 15) / 16, (height + 7) / 8) : dim3(width / 16, height / 8);
    fill_plane<<<grid, block>>>(plane, width, height);
    cudaMemcpy(host.data(), plane, host.size() * sizeof(double), cudaMemcpyDeviceToHost); // corner_left_out: unwritten_copy
    cudaFree(plane);
    return 0;
}

// --- Correct programs that look like these ---

// A quarter of the buffer at a time, like a program that overlaps copies and kernels.
PROGRAM(quarters)
{
    const int n = 1024;
    std::vector<float> host(n, 1);
    float *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    for (int i = 0; i < 4; ++i) {
        const int at = i * n / 4;
        CHECK(cudaMemcpy(in + at, host.data() + at, n, cudaMemcpyHostToDevice));
        scale<<<1, 256>>>(in + at, out + at, n / 4);
    }
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    std::printf("%g\n", host[n - 1]);
    return host[n - 1] != 2;
}

// Fills the first quarter of a large buffer, and uses no more.
PROGRAM(first_quarter)
{
    const int n = 1024;
    std::vector<float> host(n / 4, 1);
    float *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    CHECK(cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice));
    scale<<<1, 256>>>(in, out, n / 4);
    CHECK(cudaMemcpy(host.data(), out, n, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    std::printf("%g\n", host[n / 4 - 1]);
    return host[n / 4 - 1] != 2;
}

// The tail is computed by a second launch.
PROGRAM(tail_by_itself)
{
    const int n = 1000, whole = n / 256 * 256;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    scale<<<n / 256, 256>>>(in, out, n);
    scale<<<1, n - whole>>>(in + whole, out + whole, n - whole);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    std::printf("%g\n", host[n - 1]);
    return host[n - 1] != 2;
}

// --- Locks ---

// A lock that the lanes of a warp take one by one, in global and in shared memory. The fences hand over the count.
__global__ void count_locked(int* lock, int* count, bool fences)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) != 0) continue;
        if (fences) __threadfence();
        *count += 1; // lock_without_fences: race
        if (fences) __threadfence();
        atomicExch(lock, 0);
        done = true;
    }
}
PROGRAM(lock_without_fences)
{
    int* words;
    CHECK(cudaMallocManaged(&words, 2 * sizeof(int)));
    words[0] = words[1] = 0;
    count_locked<<<2, 48>>>(&words[0], &words[1], mended);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", words[1]);
    CHECK(cudaFree(words));
    return 0;
}

__global__ void longest_in_block(const int* values, int* longest, bool locks)
{
    __shared__ int lock, best, owner;
    if (threadIdx.x == 0) lock = best = owner = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (locks && atomicCAS(&lock, 0, 1) != 0) continue;
        __threadfence_block();
        if (values[threadIdx.x] > best) {
            best = values[threadIdx.x]; // lock_left_out: race
            owner = threadIdx.x;
        }
        __threadfence_block();
        if (locks) atomicExch(&lock, 0);
        done = true;
    }
    __syncthreads();
    if (threadIdx.x == 0) *longest = owner;
}
PROGRAM(lock_left_out)
{
    std::vector<int> host(64);
    unsigned state = 3;
    for (int& value : host) value = static_cast<int>(next_random(state) % 1000) + 1;
    int *values = device_copy(host), *longest;
    CHECK(cudaMallocManaged(&longest, sizeof(int)));
    longest_in_block<<<1, 64>>>(values, longest, mended);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", *longest);
    CHECK(cudaFree(values));
    CHECK(cudaFree(longest));
    return 0;
}

// --- Results that are written in part ---

__global__ void double_each(const float* in, float* out, int n, int stride)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = 2 * in[i];
}
PROGRAM(stride_too_long)
{
    const int n = 4096;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    double_each<<<4, 256>>>(in, out, n, mended ? 4 * 256 : 8 * 256);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost)); // stride_too_long: unwritten_copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

__global__ void second_differences(const float* in, float* out, int n, bool borders)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
    else if (borders && i < n)
        out[i] = 0;
}
PROGRAM(borders_not_written)
{
    const int n = 1000;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    second_differences<<<4, 256>>>(in, out, n, mended);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost)); // borders_not_written: unwritten_copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

__global__ void only_positive(const int* in, int* out, int n, bool zeros)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] > 0)
        out[i] = in[i];
    else if (zeros)
        out[i] = 0;
}
PROGRAM(else_is_missing)
{
    const int n = 512;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i % 7 - 3;
    int *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    only_positive<<<2, 256>>>(in, out, n, mended);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost)); // else_is_missing: unwritten_copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

// The last block of 100 threads leaves out 24 elements.
PROGRAM(divides_down)
{
    const int n = 1024, threads = 100;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    scale<<<mended ? (n + threads - 1) / threads : n / threads, threads>>>(in, out, n);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost)); // divides_down: unwritten_copy
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

// --- Grids much larger than what their threads use ---

PROGRAM(blocks_are_elements)
{
    const int n = 20000;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    const int blocks = mended ? (n + 255) / 256 : n;
    scale<<<blocks, 256>>>(in, out, n); // blocks_are_elements: idle_blocks
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

// (n + 255 / 256) in place of (n + 255) / 256.
PROGRAM(bracket_in_bytes)
{
    const int n = 30000;
    std::vector<float> host(n, 1);
    float *in = device_copy(host), *out;
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    const int blocks = mended ? (n + 255) / 256 : n + 255 / 256;
    scale<<<blocks, 256>>>(in, out, n); // bracket_in_bytes: idle_blocks
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

// One block per pixel in place of one per tile.
PROGRAM(plane_of_blocks)
{
    const int width = 192, height = 160;
    std::vector<double> host(width * height);
    double* plane;
    CHECK(cudaMalloc(&plane, host.size() * sizeof(double)));
    const dim3 block(16, 8), grid = mended ? dim3(width / 16, height / 8) : dim3(width, height);
    fill_plane<<<grid, block>>>(plane, width, height); // plane_of_blocks: idle_blocks
    CHECK(cudaMemcpy(host.data(), plane, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(plane));
    return 0;
}

// --- More counts of elements where bytes are meant ---

PROGRAM(count_in_async_memset)
{
    const int n = 4096;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i % 512;
    int *values = device_copy(host), *bins;
    CHECK(cudaMalloc(&bins, 512 * sizeof(int)));
    CHECK(cudaMemsetAsync(bins, 0, mended ? 512 * sizeof(int) : 512)); // count_in_async_memset: count_as_bytes
    count_values<<<n / 256, 256>>>(values, bins, n);
    CHECK(cudaMemcpy(host.data(), bins, 512 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(values));
    CHECK(cudaFree(bins));
    return 0;
}

// --- More indices that wrap, and null from the heap ---

__global__ void mark_cells(char* cube, const int* size)
{
    const int x = threadIdx.x, n = *size;
    cube[(x * n + 3) * n] = 1; // wraps_in_cube: wrapped_index
}
__global__ void mark_cells_wide(char* cube, const int* size)
{
    const long long x = threadIdx.x, n = *size;
    cube[(x * n + 3) * n] = 1;
}
// Planes of 20,000 × 20,000 bytes: from the eleventh on, the index exceeds 32 bits.
PROGRAM(wraps_in_cube)
{
    const int n = 20000;
    int* size = device_copy(std::vector<int>{n});
    char* cube;
    const size_t middle = size_t{6} << 30;
    CHECK(cudaMalloc(&cube, middle + 33ull * n * n));
    if (mended)
        mark_cells_wide<<<1, 32>>>(cube + middle, size);
    else
        mark_cells<<<1, 32>>>(cube + middle, size);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(cube);
    cudaFree(size);
    return status != cudaSuccess;
}

__global__ void make_nodes(int* out, int count, bool tests)
{
    int* const nodes = new int[count];
    if (tests && nodes == nullptr) return;
    nodes[0] = 1; // new_returns_null: out_of_bounds
    *out = nodes[0];
    delete[] nodes;
}
PROGRAM(new_returns_null)
{
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    make_nodes<<<1, 1>>>(out, 16 << 20, mended);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}

// Lists grow on the heap and are never freed: a later launch finds it full.
__global__ void grow_lists(int* out, int bytes, bool frees)
{
    char* const list = static_cast<char*>(malloc(bytes));
    list[bytes - 1] = 1; // heap_leaks: out_of_bounds
    *out = list[bytes - 1];
    if (frees) free(list);
}
PROGRAM(heap_leaks)
{
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < 12 && status == cudaSuccess; ++i) {
        grow_lists<<<1, 1>>>(out, 1 << 20, mended);
        status = cudaDeviceSynchronize();
    }
    cudaFree(out);
    return status != cudaSuccess;
}

// --- A graph whose kernel reads a buffer that was replaced ---

__global__ void add_into(const int* from, int* to)
{
    to[threadIdx.x] += from[threadIdx.x]; // graph_with_replaced_input: out_of_bounds
}
PROGRAM(graph_with_replaced_input)
{
    int *from = device_copy(std::vector<int>(32, 1)), *to = device_copy(std::vector<int>(32, 1));
    Captured captured;
    captured.begin();
    add_into<<<1, 32, 0, captured.stream>>>(from, to);
    captured.end();
    for (int i = 0; i < 3; ++i) {
        cudaGraphLaunch(captured.executable, captured.stream);
        cudaStreamSynchronize(captured.stream);
        if (!mended && i == 1) { // grows, as a list of particles does
            cudaFree(from);
            from = device_copy(std::vector<int>(64, 1));
        }
    }
    const cudaError_t status = captured.finish();
    cudaFree(from);
    cudaFree(to);
    return status != cudaSuccess;
}

// --- Calls that are not allowed where they are made ---

PROGRAM(default_stream_in_capture)
{
    Captured captured;
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    captured.begin();
    if (!mended) cudaMemset(values, 0, 32 * sizeof(int)); // default_stream_in_capture: unchecked_error
    cudaMemsetAsync(values, 0, 32 * sizeof(int), captured.stream);
    add_into<<<1, 32, 0, captured.stream>>>(values, values);
    captured.end();
    const bool made = cudaGraphLaunch(captured.executable, captured.stream) == cudaSuccess;
    cudaStreamSynchronize(captured.stream);
    captured.finish();
    cudaFree(values);
    cudaGetLastError();
    return mended && !made;
}

PROGRAM(allocates_in_capture)
{
    Captured captured;
    int *values = device_copy(std::vector<int>(32, 1)), *more = nullptr;
    if (mended) cudaMalloc(&more, 32 * sizeof(int));
    captured.begin();
    if (!mended) cudaMalloc(&more, 32 * sizeof(int)); // allocates_in_capture: unchecked_error
    add_into<<<1, 32, 0, captured.stream>>>(values, values);
    captured.end();
    const bool made = cudaGraphLaunch(captured.executable, captured.stream) == cudaSuccess;
    cudaStreamSynchronize(captured.stream);
    captured.finish();
    cudaFree(values);
    cudaFree(more);
    cudaGetLastError();
    return mended && !made;
}

static int* of_host_function;
static void CUDART_CB clears(void*)
{
    cudaMemset(of_host_function, 0, 32 * sizeof(int)); // calls_in_host_function: unchecked_error
}
static void CUDART_CB does_nothing(void*) {}
PROGRAM(calls_in_host_function)
{
    of_host_function = device_copy(std::vector<int>(32, 1));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, mended ? does_nothing : clears, nullptr);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(of_host_function);
    return 0;
}

PROGRAM(event_never_recorded)
{
    int* values = device_copy(std::vector<int>(32, 1));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    if (mended) cudaEventRecord(begin);
    add_into<<<1, 32>>>(values, values);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    const cudaError_t status = cudaEventElapsedTime(&ms, begin, end); // event_never_recorded: not_ready
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(values);
    return mended && status != cudaSuccess;
}

// --- The size of a pointer, an address of a kernel's heap, a constant without a value ---

PROGRAM(size_of_pointer)
{
    const int n = 100;
    std::vector<float> values(n, 1);
    const float* const host = values.data();
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host, mended ? n * sizeof(float) : sizeof(host), cudaMemcpyHostToDevice); // size_of_pointer: count_as_bytes
    scale<<<1, 128>>>(in, out, n);
    cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return 0;
}

__global__ void make_list(int** list, int* instead, bool on_heap)
{
    *list = on_heap ? static_cast<int*>(malloc(32 * sizeof(int))) : instead;
    (*list)[0] = 7;
}
PROGRAM(heap_to_host)
{
    int **list, *made, *buffer, first = 0;
    cudaMalloc(&list, sizeof *list);
    cudaMalloc(&buffer, 32 * sizeof(int));
    make_list<<<1, 1>>>(list, buffer, !mended);
    cudaMemcpy(&made, list, sizeof made, cudaMemcpyDeviceToHost);
    const auto status = cudaMemcpy(&first, made, sizeof first, cudaMemcpyDeviceToHost); // heap_to_host: copy_direction
    cudaFree(list);
    cudaFree(buffer);
    return mended && (status != cudaSuccess || first != 7);
}

__constant__ float weights[3];
__global__ void weigh(const float* in, float* out)
{
    const int i = threadIdx.x;
    out[i] = in[i] * weights[i % 3]; // constant_without_value: unwritten_copy
}
PROGRAM(constant_without_value)
{
    float *in = device_copy(std::vector<float>(32, 1)), *out;
    cudaMalloc(&out, 32 * sizeof(float));
    const float host[3] = {1, 2, 1};
    if (mended) cudaMemcpyToSymbol(weights, host, sizeof host);
    weigh<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}

// --- A column where a surface takes a byte ---

__global__ void fill_surface(cudaSurfaceObject_t surface, int element_bytes)
{
    surf2Dwrite(1.0f, surface, threadIdx.x * element_bytes, 0); // column_as_byte: misaligned
}
PROGRAM(column_as_byte)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    fill_surface<<<1, 32>>>(surface, mended ? sizeof(float) : 1);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    return mended && status != cudaSuccess;
}

// --- A copy of an owner, made for a kernel, frees what it owns ---

static bool copies_own;
struct Owner {
    int* data = nullptr;
    bool owns = true;
    Owner() { cudaMalloc(&data, 32 * sizeof(int)); }
    Owner(const Owner& other) : data(other.data), owns(copies_own) {}
    ~Owner()
    {
        if (owns) cudaFree(data); // owner_by_value: double_free
    }
};
__global__ void fill_owned(Owner owner)
{
    owner.data[threadIdx.x] = 1;
}
PROGRAM(owner_by_value)
{
    copies_own = !mended;
    Owner owner;
    fill_owned<<<1, 32>>>(owner);
    cudaDeviceSynchronize();
    return 0;
}

// --- Another block's plain flag: the compiler reads it once, before the loop ---

__device__ int is_ready;
__global__ void wait_for_flag(int* out, bool acquires)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        if (acquires)
            atomicExch(&is_ready, 1);
        else
            is_ready = 1;
        return;
    }
    while (acquires && atomicAdd(&is_ready, 0) == 0) {}
    while (!acquires && is_ready == 0) {} // plain_flag: race
    *out = 1;
}
PROGRAM(plain_flag)
{
    int* out;
    cudaMalloc(&out, sizeof *out);
    wait_for_flag<<<2, 32>>>(out, mended);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
