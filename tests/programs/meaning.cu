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

// --- A fill sets bytes, not elements ---

__global__ void add_weighted(const float* values, const float* weights, float* sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sums[i] = values[i] * weights[i];
}
PROGRAM(fill_of_ones)
{
    const int n = 512;
    float* values = device_copy(std::vector<float>(n, 3)), *weights, *sums;
    cudaMalloc(&weights, n * sizeof(float));
    cudaMalloc(&sums, n * sizeof(float));
    if (mended)
        cudaMemcpy(weights, std::vector<float>(n, 1).data(), n * sizeof(float), cudaMemcpyHostToDevice);
    else
        cudaMemset(weights, 1, n * sizeof(float)); // fill_of_ones: fill_by_byte
    add_weighted<<<2, 256>>>(values, weights, sums, n);
    const bool right = host_copy(sums, n)[n - 1] == 3;
    cudaFree(values);
    cudaFree(weights);
    cudaFree(sums);
    return mended && !right;
}

__global__ void count_down(int* counters, const int* picks, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counters[picks[i]], -1);
}
PROGRAM(fill_of_counters)
{
    const int n = 256, kinds = 16;
    std::vector<int> picks(n);
    for (int i = 0; i < n; ++i) picks[i] = i % kinds;
    int *chosen = device_copy(picks), *counters;
    cudaMalloc(&counters, kinds * sizeof(int));
    cudaMemset(counters, mended ? 0 : 16, kinds * sizeof(int)); // fill_of_counters: fill_by_byte
    count_down<<<1, n>>>(counters, chosen, n);
    const int left = host_copy(counters, kinds)[0];
    cudaFree(chosen);
    cudaFree(counters);
    return mended && left != -16;
}

// Bytes, a mask of words that is only compared with zero, packed bytes, all bits set, and a large
// number: right uses of a fill.
__global__ void count_flags(const unsigned char* flags, const int* mask, const unsigned* packed,
                            const int* parents, const float* nearest, int* found)
{
    const int i = threadIdx.x;
    int sum = flags[i] + (mask[i] != 0) + (parents[i] == -1) + (nearest[i] > 1e38f);
    for (unsigned rest = packed[i]; rest != 0; rest >>= 8) sum += rest & 255;
    atomicAdd(found, sum);
}
PROGRAM(fills_of_bytes)
{
    unsigned char* flags;
    int *mask, *parents, *found;
    unsigned* packed;
    float* nearest;
    cudaMalloc(&flags, 32);
    cudaMalloc(&mask, 128);
    cudaMalloc(&packed, 128);
    cudaMalloc(&parents, 128);
    cudaMalloc(&nearest, 128);
    cudaMalloc(&found, 4);
    cudaMemset(flags, 1, 32);
    cudaMemset(mask, 1, 128);
    cudaMemset(packed, 2, 128);
    cudaMemset(parents, -1, 128);
    cudaMemset(nearest, 0x7f, 128);
    cudaMemset(found, 0, 4);
    count_flags<<<1, 32>>>(flags, mask, packed, parents, nearest, found);
    const int sum = host_copy(found, 1)[0];
    cudaFree(flags);
    cudaFree(mask);
    cudaFree(packed);
    cudaFree(parents);
    cudaFree(nearest);
    cudaFree(found);
    return passed(sum == 32 * (1 + 1 + 8 + 1 + 1));
}

// A pattern that marks memory, which the kernel sets before it reads it; a copy, whatever the bytes are.
__global__ void count_up(int* counts, const int* from, int* to)
{
    counts[threadIdx.x] = 0;
    for (int i = 0; i < 3; ++i) atomicAdd(&counts[threadIdx.x], i);
    to[threadIdx.x] = from[threadIdx.x];
}
PROGRAM(fills_of_patterns)
{
    int *counts, *from, *to;
    cudaMalloc(&counts, 4);
    cudaMalloc(&from, 4);
    cudaMalloc(&to, 4);
    cudaMemset(counts, 1, 4);
    cudaMemset(from, 1, 4);
    count_up<<<1, 1>>>(counts, from, to);
    const bool right = host_copy(to, 1)[0] == 0x01010101;
    cudaFree(counts);
    cudaFree(from);
    cudaFree(to);
    return passed(right);
}

// --- Sums by halving, of a number that is no power of two ---

__global__ void sum_of_block(const float* in, float* sums)
{
    __shared__ float partial[256];
    partial[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half]; // halves_96: halving_sum
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
PROGRAM(halves_96)
{
    const int threads = mended ? 128 : 96, n = 4 * threads;
    float* in = device_copy(std::vector<float>(n, 1)), *sums;
    cudaMalloc(&sums, 4 * sizeof(float));
    sum_of_block<<<4, threads>>>(in, sums);
    const bool right = host_copy(sums, 4)[3] == threads;
    cudaFree(in);
    cudaFree(sums);
    return mended && !right;
}

__global__ void largest_of(const int* in, int* largest, int n)
{
    extern __shared__ int found[];
    const int i = threadIdx.x;
    if (i < n) found[i] = in[i];
    __syncthreads();
    for (int half = n / 2; half > 0; half /= 2) {
        if (i < half) found[i] = max(found[i], found[i + half]); // halves_elements: halving_sum
        __syncthreads();
    }
    if (i == 0) *largest = found[0];
}
__global__ void largest_of_any(const int* in, int* largest, int n)
{
    extern __shared__ int found[];
    const int i = threadIdx.x;
    if (i < n) found[i] = in[i];
    __syncthreads();
    for (int left = n; left > 1;) {
        const int half = (left + 1) / 2;
        if (i < left / 2) found[i] = max(found[i], found[i + half]);
        __syncthreads();
        left = half;
    }
    if (i == 0) *largest = found[0];
}
PROGRAM(halves_elements)
{
    const int n = 75;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    int *in = device_copy(values), *largest;
    cudaMalloc(&largest, sizeof(int));
    if (mended)
        largest_of_any<<<1, 128, n * sizeof(int)>>>(in, largest, n);
    else
        largest_of<<<1, 128, n * sizeof(int)>>>(in, largest, n);
    const bool right = host_copy(largest, 1)[0] == n - 1;
    cudaFree(in);
    cudaFree(largest);
    return mended && !right;
}

__global__ void columns_of_block(const float* in, float* sums)
{
    __shared__ float part[12][8];
    const int x = threadIdx.x, y = threadIdx.y;
    part[y][x] = in[y * 8 + x];
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (y < half) part[y][x] += part[y + half][x]; // halves_rows: halving_sum
        __syncthreads();
    }
    if (y == 0) sums[x] = part[0][x];
}
PROGRAM(halves_rows)
{
    const int rows = mended ? 8 : 12;
    float* in = device_copy(std::vector<float>(8 * rows, 1)), *sums;
    cudaMalloc(&sums, 8 * sizeof(float));
    columns_of_block<<<1, dim3(8, rows)>>>(in, sums);
    const bool right = host_copy(sums, 8)[7] == rows;
    cudaFree(in);
    cudaFree(sums);
    return mended && !right;
}

// The first step adds what is beyond a power of two; a thread adds the rest of an odd number.
__global__ void sums_of_any_size(const float* in, float* sums, int n)
{
    __shared__ float folded[256], odd[256];
    const int i = threadIdx.x;
    folded[i] = odd[i] = in[i];
    __syncthreads();
    int power = 1;
    while (2 * power <= n) power *= 2;
    if (i >= power) folded[i - power] += folded[i];
    __syncthreads();
    for (int half = power / 2; half > 0; half /= 2) {
        if (i < half) folded[i] += folded[i + half];
        __syncthreads();
    }
    int left = n;
    for (int half = n / 2; half > 0; half /= 2) {
        if (i < half) odd[i] += odd[i + half];
        if (i == 0 && left % 2 == 1) odd[0] += odd[left - 1];
        left = half;
        __syncthreads();
    }
    if (i == 0) {
        sums[0] = folded[0];
        sums[1] = odd[0];
    }
}
PROGRAM(halves_with_rest)
{
    const int n = 75;
    float* in = device_copy(std::vector<float>(n, 1)), *sums;
    cudaMalloc(&sums, 2 * sizeof(float));
    sums_of_any_size<<<1, n>>>(in, sums, n);
    const auto both = host_copy(sums, 2);
    cudaFree(in);
    cudaFree(sums);
    return passed(both[0] == n && both[1] == n);
}

// --- Normalised coordinates and texel indices ---

struct Image {
    cudaArray_t array = nullptr;
    cudaTextureObject_t texture = 0;
    Image(int width, int height, bool normalized, cudaTextureAddressMode mode)
    {
        std::vector<float> texels(width * height);
        for (int i = 0; i < width * height; ++i) texels[i] = float(i);
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        cudaMallocArray(&array, &format, width, height);
        cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(float), width * sizeof(float), height,
                            cudaMemcpyHostToDevice);
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description{};
        description.addressMode[0] = description.addressMode[1] = mode;
        description.filterMode = cudaFilterModePoint;
        description.readMode = cudaReadModeElementType;
        description.normalizedCoords = normalized;
        cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    }
    ~Image()
    {
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }
};
__global__ void copy_image(cudaTextureObject_t texture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f); // texels_of_normalized: texture_coordinates
}
PROGRAM(texels_of_normalized)
{
    const int width = 48, height = 20;
    float* out;
    cudaMalloc(&out, width * height * sizeof(float));
    bool right = true;
    {
        const Image image(width, height, !mended, cudaAddressModeClamp);
        copy_image<<<dim3(3, 2), dim3(16, 16)>>>(image.texture, out, width, height);
        right = host_copy(out, width * height)[width + 5] == width + 5;
    }
    cudaFree(out);
    return mended && !right;
}

__global__ void resize(cudaTextureObject_t texture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (x + 0.5f) / width, v = (y + 0.5f) / height;
    out[y * width + x] = tex2D<float>(texture, u, v); // fractions_of_texels: texture_coordinates
}
PROGRAM(fractions_of_texels)
{
    const int width = 64, height = 64;
    float* out;
    cudaMalloc(&out, width * height * sizeof(float));
    bool right = true;
    {
        const Image image(128, 128, mended, cudaAddressModeClamp);
        resize<<<dim3(4, 4), dim3(16, 16)>>>(image.texture, out, width, height);
        right = host_copy(out, width * height)[1] == 128 + 3;
    }
    cudaFree(out);
    return mended && !right;
}

__global__ void copy_columns(cudaTextureObject_t texture, float* out, int width, int height, bool by_row)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    if (by_row)
        out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
    else
        out[y * width + x] = tex2D<float>(texture, y + 0.5f, x + 0.5f); // texture_axes: texture_coordinates
}
PROGRAM(texture_axes)
{
    const int width = 64, height = 16;
    float* out;
    cudaMalloc(&out, width * height * sizeof(float));
    bool right = true;
    {
        const Image image(width, height, false, cudaAddressModeClamp);
        copy_columns<<<dim3(4, 1), dim3(16, 16)>>>(image.texture, out, width, height, mended);
        right = host_copy(out, width * height)[width + 5] == width + 5;
    }
    cudaFree(out);
    return mended && !right;
}

// Tiles by wrapping, and zooms far into an image and out of it: coordinates that look like the others.
__global__ void look_at(cudaTextureObject_t texture, float* out, float scale, float offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(texture, i * scale + offset, 0.5f);
}
PROGRAM(other_coordinates)
{
    float* out;
    cudaMalloc(&out, 256 * sizeof(float));
    {
        const Image tiles(16, 16, true, cudaAddressModeWrap), mirrored(64, 16, true, cudaAddressModeMirror),
            edge(64, 16, true, cudaAddressModeClamp), texels(8, 4, false, cudaAddressModeClamp);
        look_at<<<1, 256>>>(tiles.texture, out, 0.0625f, 0.03125f);
        look_at<<<1, 256>>>(mirrored.texture, out, 0.25f, 0);
        look_at<<<1, 256>>>(edge.texture, out, 1 / 128.0f, -0.5f);
        look_at<<<1, 4>>>(edge.texture, out, 1, -1);
        look_at<<<1, 256>>>(texels.texture, out, 1 / 64.0f, 0.5f);
    }
    const auto texels_read = host_copy(out, 256);
    cudaFree(out);
    return passed(texels_read[0] == 0 && texels_read[255] == 4);
}

// --- The same random sequence in several threads ---

#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>

__global__ void start_sequences(curandState* states, int n, bool in_block)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) curand_init(1234, in_block ? threadIdx.x : i, 0, &states[i]); // same_in_blocks: same_sequence
}
__global__ void draw_two(curandState* states, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandState state = states[i];
    out[i] = curand_uniform(&state) + curand_uniform(&state);
    states[i] = state;
}
PROGRAM(same_in_blocks)
{
    const int n = 500;
    curandState* states;
    float* out;
    cudaMalloc(&states, n * sizeof *states);
    cudaMalloc(&out, n * sizeof *out);
    start_sequences<<<4, 128>>>(states, n, !mended);
    for (int step = 0; step < 2; ++step) draw_two<<<4, 128>>>(states, out, n);
    const auto drawn = host_copy(out, n);
    cudaFree(states);
    cudaFree(out);
    return mended && drawn[0] == drawn[128];
}

// Another seed, or another offset in one sequence, in each thread.
__global__ void start_apart(curandStatePhilox4_32_10_t* seeds, curandState* offsets, float* out)
{
    const int i = threadIdx.x;
    curand_init(i, 0, 0, &seeds[i]);
    curand_init(1, 0, 4 * i, &offsets[i]);
    out[i] = curand_uniform(&seeds[i]) + curand_uniform(&offsets[i]);
}
PROGRAM(sequences_apart)
{
    curandStatePhilox4_32_10_t* seeds;
    curandState* offsets;
    float* out;
    cudaMalloc(&seeds, 32 * sizeof *seeds);
    cudaMalloc(&offsets, 32 * sizeof *offsets);
    cudaMalloc(&out, 32 * sizeof *out);
    start_apart<<<1, 32>>>(seeds, offsets, out);
    const auto drawn = host_copy(out, 32);
    cudaFree(seeds);
    cudaFree(offsets);
    cudaFree(out);
    return passed(drawn[0] != drawn[1]);
}
#endif
