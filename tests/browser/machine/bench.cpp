// Speed of the lockstep machine in a browser, with the desktop's arithmetic benchmark: one line for
// the interpreter and one for native code.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "compute/simt/simt_device.h"
#include "tests/bench/arithmetic_kernel.h"

namespace {

using namespace lanescope;

void measure(const char* name, simt::NativeCode native)
{
    simt::Options options;
    options.threads = 1;
    options.native = native;
    const auto device = simt::make_device(options);
    const auto module = device->load(bench::arithmetic_kernel());
    const auto out = device->allocate(1024);
    // Browser clocks have a resolution of 0.1 ms or 1 ms.
    constexpr int turns = 2000, blocks = 4, batches = 12;
    constexpr std::chrono::milliseconds min_time{60};
    double best = 0;
    for (int batch = 0; batch < batches; ++batch) {
        double instructions = 0;
        std::chrono::duration<double> took{};
        const auto begin = std::chrono::steady_clock::now();
        for (; took < min_time; took = std::chrono::steady_clock::now() - begin) {
            device->launch(module->kernel("alu"),
                           {{blocks, 1, 1}, {32, 1, 1}, 0, {*out, turns}, nullptr});
            instructions += blocks * turns * bench::arithmetic_of_a_turn;
        }
        best = std::max(best, instructions / took.count());
    }
    std::printf("%-12s %6.1f M warp instructions/s, best of %d\n", name, best / 1e6, batches);
}

} // namespace

int main()
{
    measure("interpreter", simt::NativeCode::never);
    measure("native code", simt::NativeCode::always);
}
