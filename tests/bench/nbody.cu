// Times the kernels of the lab N-body against the multiply-adds that the same GPU executes in the
// same run, and against a kernel written like that of NVIDIA's sample of the same name. Needs nvcc
// and a GPU, not the program:
//
//   nvcc -O3 -arch=native -std=c++20 -I. -o nbody tests/bench/nbody.cu && ./nbody
//
// A pair is 19 operations: 3 differences, 6 for the squared distance, 1 reciprocal root, 3 for mass
// / distance^3, 6 to add up. NVIDIA's sample counts 20 for the same; both are printed. Every
// kernel's step is compared with the naive one's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace naive {
#include "compute/labs/nbody/naive.cu"
}
namespace shared_tile {
#include "compute/labs/nbody/shared_tile.cu"
}
namespace one {
#include "compute/labs/nbody/float4.cu"
}
namespace several {
#include "compute/labs/nbody/several_bodies.cu"
}
namespace segments {
#include "compute/labs/nbody/segments.cu"
}
#include "compute/cuda/measure/flops_kernel.cu"

namespace {

void check(cudaError_t status, int line)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "nbody.cu:%d: %s\n", line, cudaGetErrorString(status));
    std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

// As NVIDIA's sample computes it: tiles of 256 float4 in shared memory, one body per thread, mass /
// distance^3 from rsqrtf(). Written from its description in GPU Gems 3, chapter 31.
__global__ void like_the_sample(const float4* bodies, const float4* velocities, float4* next,
                                float4* next_velocities, int count, float softening, float gain,
                                float dt)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = bodies[i];
    float3 sum = {};
    for (int first = 0; first < count; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 128
        for (int k = 0; k < blockDim.x; ++k) {
            float3 way = {tile[k].x - own.x, tile[k].y - own.y, tile[k].z - own.z};
            float square = way.x * way.x + way.y * way.y + way.z * way.z;
            square += softening;
            float inverse = rsqrtf(square);
            float pull = tile[k].w * (inverse * inverse * inverse);
            sum.x += way.x * pull;
            sum.y += way.y * pull;
            sum.z += way.z * pull;
        }
        __syncthreads();
    }
    float4 velocity = velocities[i];
    velocity.x += gain * sum.x;
    velocity.y += gain * sum.y;
    velocity.z += gain * sum.z;
    next_velocities[i] = velocity;
    next[i] = make_float4(own.x + dt * velocity.x, own.y + dt * velocity.y, own.z + dt * velocity.z,
                          own.w);
}

// The kernel of segments with other numbers: bodies per thread, threads per block, unrolled rounds.
template <int own_count, int threads, int unrolled>
__global__ void tuned(const float4* bodies, float4* sums, int count, int segment_length,
                      float softening)
{
    __shared__ float4 others[threads];
    int start = blockIdx.x * threads * own_count + threadIdx.x;
    int end = min((blockIdx.y + 1) * segment_length, count);
    float4 own[own_count];
    float3 sum[own_count] = {};
    for (int n = 0; n < own_count; ++n) own[n] = bodies[min(start + n * threads, count - 1)];
    for (int first = blockIdx.y * segment_length; first < end; first += threads) {
        int j = first + threadIdx.x;
        others[threadIdx.x] = j < end ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll unrolled
        for (int k = 0; k < threads; ++k) {
            float4 other = others[k];
#pragma unroll
            for (int n = 0; n < own_count; ++n) {
                float dx = other.x - own[n].x;
                float dy = other.y - own[n].y;
                float dz = other.z - own[n].z;
                float inverse = segments::plain_rsqrt(softening + dx * dx + dy * dy + dz * dz);
                float pull = other.w * inverse * inverse * inverse;
                sum[n].x += pull * dx;
                sum[n].y += pull * dy;
                sum[n].z += pull * dz;
            }
        }
        __syncthreads();
    }
    for (int n = 0; n < own_count; ++n) {
        int i = start + n * threads;
        if (i < count) sums[blockIdx.y * count + i] = make_float4(sum[n].x, sum[n].y, sum[n].z, 0);
    }
}

// Median time of a launch in milliseconds.
double median_ms(const std::function<void()>& launch, int samples)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 3; ++i) launch();
    std::vector<float> times;
    for (int i = 0; i < samples; ++i) {
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms);
    }
    CHECK(cudaGetLastError());
    std::ranges::sort(times);
    return times[times.size() / 2];
}

float uniform()
{
    return static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX) * 2 - 1;
}

} // namespace

int main()
{
    constexpr int count = 65536;
    constexpr int samples = 30;
    constexpr float softening = 0.0025f, dt = 0.004f, gain = dt / count;
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int multiprocessors = device.multiProcessorCount;

    std::vector<float4> start(2 * count);
    for (int i = 0; i < count; ++i) {
        start[i] = make_float4(uniform(), uniform(), uniform(), 0.5f + 0.5f * std::abs(uniform()));
        start[count + i] = make_float4(uniform(), uniform(), uniform(), 0);
    }
    const int parts = std::max(1, (multiprocessors + 3) / 4);
    const int length = (count + parts - 1) / parts;
    float4 *state, *next, *sums;
    float* unused;
    CHECK(cudaMalloc(&state, 2 * count * sizeof(float4)));
    CHECK(cudaMalloc(&next, 2 * count * sizeof(float4)));
    CHECK(cudaMalloc(&sums, sizeof(float4) * std::max(parts, 132) * count));
    CHECK(cudaMalloc(&unused, sizeof(float) * 64 * multiprocessors * lanescope::cuda::flops_block));
    CHECK(cudaMemcpy(state, start.data(), 2 * count * sizeof(float4), cudaMemcpyHostToDevice));
    auto* plain = reinterpret_cast<const float*>(state);
    auto* plain_next = reinterpret_cast<float*>(next);

    struct Row {
        const char* name;
        std::function<void()> launch;
    };
    const Row rows[] = {
        {"naive",
         [&] {
             naive::nbody_naive<<<count / 256, 256>>>(plain, plain + 4 * count, plain_next,
                                                      plain_next + 4 * count, count, softening,
                                                      gain, dt);
         }},
        {"shared_tile",
         [&] {
             shared_tile::nbody_shared_tile<<<count / 256, 256>>>(
                 plain, plain + 4 * count, plain_next, plain_next + 4 * count, count, softening,
                 gain, dt);
         }},
        {"float4",
         [&] {
             one::nbody_float4<<<count / 256, 256>>>(state, state + count, next, next + count,
                                                     count, softening, gain, dt);
         }},
        {"two_bodies",
         [&] {
             several::nbody_two_bodies<<<count / 256, 128>>>(
                 state, state + count, next, next + count, count, softening, gain, dt);
         }},
        {"four_bodies",
         [&] {
             several::nbody_four_bodies<<<count / 512, 128>>>(
                 state, state + count, next, next + count, count, softening, gain, dt);
         }},
        {"segments",
         [&] {
             segments::nbody_segments<<<dim3(count / 512, parts), 128>>>(state, sums, count, length,
                                                                         softening);
             segments::nbody_move<<<count / 128, 128>>>(state, state + count, sums, next,
                                                        next + count, count, parts, gain, dt);
         }},
        {"like the sample",
         [&] {
             like_the_sample<<<count / 256, 256, 256 * sizeof(float4)>>>(
                 state, state + count, next, next + count, count, softening, gain, dt);
         }},
    };
    const auto roof = [&] {
        const int blocks = 64 * multiprocessors;
        const double ms = median_ms(
            [&] { multiply_add<<<blocks, lanescope::cuda::flops_block>>>(unused, 0.5f, 1.0f); },
            15);
        return 2.0 * lanescope::cuda::flops_chains * lanescope::cuda::flops_rounds *
               lanescope::cuda::flops_block * blocks / (ms * 1e9);
    };
    const double roof_before = roof();
    std::vector<float4> wanted(2 * count), got(2 * count);
    std::vector<double> times;
    std::vector<double> errors;
    for (const Row& row : rows) {
        CHECK(cudaMemset(next, 0, 2 * count * sizeof(float4)));
        times.push_back(median_ms(row.launch, samples));
        CHECK(cudaMemcpy(got.data(), next, 2 * count * sizeof(float4), cudaMemcpyDeviceToHost));
        if (times.size() == 1) wanted = got;
        double error = 0;
        for (int i = 0; i < 2 * count; ++i)
            for (double part : {double(got[i].x) - wanted[i].x, double(got[i].y) - wanted[i].y,
                                double(got[i].z) - wanted[i].z})
                error = std::max(error, std::isfinite(part) ? std::abs(part) : 1e9);
        errors.push_back(error);
    }
    // Both launches of segments, with every combination of sizes; sorted by time below.
    struct Tried {
        int own, threads, unrolled, segments;
        double ms;
    };
    std::vector<Tried> tried;
    const auto attempt = [&]<int own, int threads, int unrolled>() {
        for (int segment_count : {4, 8, 16, 33, 66, 132}) {
            const int size = (count + segment_count - 1) / segment_count;
            const dim3 grid((count + own * threads - 1) / (own * threads), segment_count);
            const double ms = median_ms(
                [&] {
                    tuned<own, threads, unrolled>
                        <<<grid, threads>>>(state, sums, count, size, softening);
                    segments::nbody_move<<<count / 128, 128>>>(state, state + count, sums, next,
                                                               next + count, count, segment_count,
                                                               gain, dt);
                },
                7);
            tried.push_back({own, threads, unrolled, segment_count, ms});
        }
    };
    const auto each_unrolled = [&]<int own, int threads>() {
        attempt.template operator()<own, threads, 4>();
        attempt.template operator()<own, threads, 8>();
        attempt.template operator()<own, threads, 16>();
        attempt.template operator()<own, threads, 32>();
    };
    const auto each_block = [&]<int own>() {
        each_unrolled.template operator()<own, 64>();
        each_unrolled.template operator()<own, 128>();
        each_unrolled.template operator()<own, 256>();
    };
    each_block.template operator()<1>();
    each_block.template operator()<2>();
    each_block.template operator()<4>();
    each_block.template operator()<8>();
    std::ranges::sort(tried, {}, &Tried::ms);
    const double roof_after = roof();
    const double roof_tflops = (roof_before + roof_after) / 2;
    std::printf("%s, %d multiprocessors, %d bodies, medians of %d\n", device.name, multiprocessors,
                count, samples);
    std::printf("multiply-adds in the same run: %.1f TFLOP/s before, %.1f after\n", roof_before,
                roof_after);
    std::printf("%-16s %9s %22s %22s %12s\n", "kernel", "ms", "TFLOP/s (19 per pair)",
                "of the roof (19 / 20)", "difference");
    const double pairs = double(count) * count;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double rate = 19 * pairs / (times[i] * 1e9);
        std::printf("%-16s %9.3f %22.2f %13.3f / %6.3f %12.2g\n", rows[i].name, times[i], rate,
                    rate / roof_tflops, rate / 19 * 20 / roof_tflops, errors[i]);
    }
    std::printf(
        "best sizes of segments: bodies per thread, threads, unrolled, segments, ms, of the "
        "roof (19 / 20)\n");
    for (std::size_t i = 0; i < 12; ++i) {
        const Tried& one = tried[i];
        const double share = 19 * pairs / (one.ms * 1e9) / roof_tflops;
        std::printf("%4d %4d %4d %4d %9.3f %8.3f / %.3f\n", one.own, one.threads, one.unrolled,
                    one.segments, one.ms, share, share / 19 * 20);
    }
    const double best =
        std::min(tried.front().ms, *std::min_element(times.begin(), times.end() - 1));
    std::printf("sample's time / best: %.2f\n", times.back() / best);
    return *std::max_element(errors.begin(), errors.end()) <= 1e-4 ? 0 : 1;
}
