#!/bin/bash
# Runs the litmus tests of the lab Memory model on a GPU many times and prints how often each outcome occurred: one row
# per form of the accesses, six tests in a row, four outcomes each; the last outcome of a test is its weak one. Needs
# nvcc. Takes about ten seconds.
#
#   tests/gpu/litmus.sh [LAUNCHES]      (default 50000, with 256 instances of each test per launch)
#
# Status 1 if an outcome occurred that the memory model of PTX forbids.
set -e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=${OUT:-$ROOT/out/litmus}
NVCC=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p "$OUT"
cat >"$OUT/main.cu" <<'CODE'
#include <cstdio>
#include <cstdlib>

#include "count.cu"
#include "litmus.cu"

constexpr int tests = 6, instances = 256, forms = 4;
using Kernel = void (*)(int*, int*);

// Whether PTX forbids the weak outcome, by form and test.
constexpr bool forbidden[forms][tests] = {
    {0, 0, 0, 1, 0, 0}, {0, 0, 0, 1, 0, 0}, {1, 0, 1, 1, 1, 0}, {1, 1, 1, 1, 1, 1}};

void check(cudaError_t status)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
}

int main(int, char** arguments)
{
    const int launches = std::atoi(arguments[1]);
    const Kernel kernels[forms] = {litmus_relaxed, litmus_block_fence, litmus_acquire_release,
                                   litmus_device_fence};
    int *memory, *loaded, *seen;
    check(cudaMalloc(&memory, 2 * tests * instances * sizeof(int)));
    check(cudaMalloc(&loaded, 4 * tests * instances * sizeof(int)));
    check(cudaMalloc(&seen, 4 * tests * sizeof(int)));
    bool wrong = false;
    for (int form = 0; form < forms; ++form) {
        unsigned long long total[4 * tests] = {};
        // The kernel's counters have 32 bits: they are read after every 1000 launches.
        for (int done = 0; done < launches; done += 1000) {
            check(cudaMemsetAsync(seen, 0, 4 * tests * sizeof(int)));
            for (int i = done; i < launches && i < done + 1000; ++i) {
                check(cudaMemsetAsync(memory, 0, 2 * tests * instances * sizeof(int)));
                check(cudaMemsetAsync(loaded, 0, 4 * tests * instances * sizeof(int)));
                kernels[form]<<<dim3(4, tests), instances>>>(memory, loaded);
                litmus_count<<<(tests * instances + 255) / 256, 256>>>(loaded, seen, instances, tests);
            }
            int counts[4 * tests];
            check(cudaMemcpy(counts, seen, sizeof(counts), cudaMemcpyDeviceToHost));
            for (int i = 0; i < 4 * tests; ++i) total[i] += counts[i];
        }
        std::printf("    {{");
        for (int test = 0; test < tests; ++test) {
            const unsigned long long* row = &total[4 * test];
            std::printf("%s{%llu, %llu, %llu, %llu}", test == 0 ? "" : ", ", row[0], row[1], row[2], row[3]);
            wrong |= forbidden[form][test] && row[3] != 0;
        }
        std::printf("}},\n");
    }
    if (wrong) std::puts("An outcome occurred that PTX forbids.");
    return wrong ? 1 : 0;
}
CODE
"$NVCC" -O3 -std=c++17 -arch=native -I"$ROOT/compute/labs/memory_model" -o "$OUT/litmus" "$OUT/main.cu"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
echo "launches: ${1:-50000}, instances per launch: 256"
"$OUT/litmus" "${1:-50000}"
