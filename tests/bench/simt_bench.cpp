// Speed of the lockstep machine: warp instructions, warp loads, whole kernels.
#include <benchmark/benchmark.h>

#include <string>
#include <thread>
#include <vector>

#include "assets/assets.h"
#include "compute/simt/simt_device.h"
#include "tests/bench/arithmetic_kernel.h"

namespace {

using namespace lanescope;

// Dependent approximate instructions, 63 per iteration: every function of the special-function
// unit, and the arithmetic that keeps their arguments in range.
std::string special_kernel()
{
    std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry special(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x;
    cvt.rn.f32.u32 %f1, %r2;
loop:
)";
    for (int i = 0; i < 7; ++i)
        text += "    sin.approx.f32 %f1, %f1;\n    ex2.approx.f32 %f1, %f1;\n"
                "    rsqrt.approx.f32 %f1, %f1;\n    cos.approx.f32 %f2, %f1;\n"
                "    sqrt.approx.f32 %f1, %f1;\n    lg2.approx.f32 %f3, %f1;\n"
                "    rcp.approx.f32 %f1, %f1;\n    div.approx.f32 %f2, %f2, %f1;\n"
                "    fma.rn.f32 %f1, %f2, %f3, %f1;\n";
    text += R"(    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra loop;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f1;
    ret;
}
)";
    return text;
}

// 32 adjacent floats per load, 16 loads per iteration.
std::string load_kernel()
{
    std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry loads(.param .u64 in, .param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<20>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
loop:
)";
    for (int i = 0; i < 16; ++i)
        text += "    ld.global.f32 %f" + std::to_string(i) + ", [%rd4+" + std::to_string(i * 1024) +
                "];\n";
    text += R"(    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra loop;
    st.global.f32 [%rd5], %f0;
    ret;
}
)";
    return text;
}

// 1, 2, 4 … up to the machine's number of cores.
std::vector<std::int64_t> core_counts()
{
    std::vector<std::int64_t> counts{1};
    while (2 * counts.back() <= static_cast<std::int64_t>(std::thread::hardware_concurrency()))
        counts.push_back(2 * counts.back());
    return counts;
}

void on_all_core_counts(benchmark::internal::Benchmark* one)
{
    one->ArgName("cores")->ArgsProduct({core_counts()})->MeasureProcessCPUTime()->UseRealTime();
}

simt::Options cores(int threads)
{
    simt::Options options;
    options.threads = threads;
    return options;
}

void arithmetic(benchmark::State& state, simt::Isa isa, int blocks_per_core)
{
    const int threads = static_cast<int>(state.range(0));
    if (!simt::is_available(isa)) {
        state.SkipWithError("this processor lacks the instruction set");
        return;
    }
    simt::Options options = cores(threads);
    options.isa = isa;
    const auto device = simt::make_device(options);
    const auto module = device->load(bench::arithmetic_kernel());
    const auto out = device->allocate(1024);
    constexpr int turns = 20000;
    const auto blocks = static_cast<std::uint32_t>(blocks_per_core * threads);
    for (auto _ : state)
        device->launch(module->kernel("alu"),
                       {{blocks, 1, 1}, {32, 1, 1}, 0, {*out, turns}, nullptr});
    state.counters["warp_instructions_per_s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * blocks * turns * bench::arithmetic_of_a_turn,
        benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(arithmetic, baseline, simt::Isa::baseline, 4)
    ->ArgName("cores")
    ->Arg(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(arithmetic, avx2, simt::Isa::avx2, 4)->Apply(on_all_core_counts);
BENCHMARK_CAPTURE(arithmetic, avx512, simt::Isa::avx512, 4)->Apply(on_all_core_counts);
// Runs that take as long as those of the 1024³ product below.
BENCHMARK_CAPTURE(arithmetic, avx2_long, simt::Isa::avx2, 64)->Apply(on_all_core_counts);

void special_functions(benchmark::State& state, simt::Isa isa)
{
    simt::Options options;
    options.isa = isa;
    options.threads = 1;
    const auto device = simt::make_device(options);
    const auto module = device->load(special_kernel());
    const auto out = device->allocate(1024);
    constexpr int turns = 5000;
    constexpr std::uint32_t blocks = 4;
    for (auto _ : state)
        device->launch(module->kernel("special"),
                       {{blocks, 1, 1}, {32, 1, 1}, 0, {*out, turns}, nullptr});
    state.counters["warp_instructions_per_s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * blocks * turns * 63, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(special_functions, baseline, simt::Isa::baseline)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(special_functions, avx2, simt::Isa::avx2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK_CAPTURE(special_functions, avx512, simt::Isa::avx512)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void loads(benchmark::State& state)
{
    const bool traced = state.range(0) != 0;
    const auto device = simt::make_device(cores(1));
    const auto module = device->load(load_kernel());
    const auto in = device->allocate(65536);
    const auto out = device->allocate(65536);
    constexpr int turns = 10000;
    trace::Trace trace;
    for (auto _ : state)
        device->launch(module->kernel("loads"),
                       {{4, 1, 1}, {256, 1, 1}, 0, {*in, *out, turns}, traced ? &trace : nullptr});
    state.counters["warp_loads_per_s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * 4 * 8 * turns * 16, benchmark::Counter::kIsRate);
}
BENCHMARK(loads)->ArgName("traced")->Arg(0)->Arg(1)->MeasureProcessCPUTime()->UseRealTime()->Unit(
    benchmark::kMillisecond);

// Product of two n × n matrices, in tiles of 16 × 16.
template <int n>
void matrix_multiply(benchmark::State& state)
{
    constexpr std::uint32_t tiles = n / 16;
    const bool traced = state.range(1) != 0;
    const auto device = simt::make_device(cores(static_cast<int>(state.range(0))));
    const auto module = device->load(*assets::find("tests/bench/simt_bench.ptx"));
    const auto a = device->allocate(n * n * 4);
    const auto b = device->allocate(n * n * 4);
    const auto c = device->allocate(n * n * 4);
    trace::Trace trace;
    for (auto _ : state)
        device->launch(
            module->kernel("multiply"),
            {{tiles, tiles, 1}, {16, 16, 1}, 0, {*a, *b, *c, n}, traced ? &trace : nullptr});
}
void with_and_without_trace(benchmark::internal::Benchmark* one)
{
    one->ArgNames({"cores", "traced"})
        ->ArgsProduct({core_counts(), {0, 1}})
        ->MeasureProcessCPUTime()
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}
BENCHMARK(matrix_multiply<256>)->Name("matrix_multiply")->Apply(with_and_without_trace);
// Large enough that starting and stopping many cores hardly matters.
BENCHMARK(matrix_multiply<1024>)->Name("matrix_multiply_1024")->Apply(with_and_without_trace);

// As in `emulate`: every check, and counts per site.
template <int n>
void checked_matrix_multiply(benchmark::State& state)
{
    simt::Options options = cores(static_cast<int>(state.range(0)));
    options.checks = simt::Checks::all();
    const auto device = simt::make_device(options);
    const auto module = device->load(*assets::find("tests/bench/simt_bench.ptx"));
    std::vector<std::unique_ptr<device::Buffer>> matrices;
    for (int i = 0; i < 3; ++i) {
        matrices.push_back(device->allocate(n * n * 4));
        device->fill(matrices.back()->address(), 0, n * n * 4);
    }
    trace::Trace trace;
    trace.per_warp = false;
    for (auto _ : state)
        device->launch(module->kernel("multiply"), {{n / 16, n / 16, 1},
                                                    {16, 16, 1},
                                                    0,
                                                    {*matrices[0], *matrices[1], *matrices[2], n},
                                                    &trace});
    state.counters["warp_instructions_per_s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * static_cast<double>(trace.warp_instructions),
        benchmark::Counter::kIsRate);
}
BENCHMARK(checked_matrix_multiply<512>)
    ->Name("checked_matrix_multiply")
    ->Apply(on_all_core_counts)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(checked_matrix_multiply<1024>)
    ->Name("checked_matrix_multiply_1024")
    ->Apply(on_all_core_counts)
    ->Unit(benchmark::kMillisecond);

// Steps of the heat lab's naive kernel on n × n cells.
template <int n>
void heat(benchmark::State& state)
{
    const auto device = simt::make_device(cores(static_cast<int>(state.range(0))));
    const auto module = device->load(*assets::find("compute/labs/heat/naive.ptx"));
    const auto now = device->allocate(n * n * 4);
    const auto next = device->allocate(n * n * 4);
    for (auto _ : state)
        device->launch(module->kernel("heat_naive"), {{n / 32, n / 8, 1},
                                                      {32, 8, 1},
                                                      0,
                                                      {*now, *next, n, n, 0.2f, std::uint8_t{0}},
                                                      nullptr});
    state.counters["steps_per_s"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(heat<512>)->Name("heat")->Apply(on_all_core_counts)->Unit(benchmark::kMillisecond);
BENCHMARK(heat<2048>)->Name("heat_2048")->Apply(on_all_core_counts)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
