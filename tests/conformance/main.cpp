// conformance_tests: compares the lockstep machine with recordings (GoogleTest). On a GPU machine:
//   --record DIR writes new recordings, --compare-gpu runs every case on both engines, --patterns
// launches each counting pattern once, to be run under Nsight Compute.
//   --differential SEED runs every instruction on random operands on both engines; --times N and
// --rounds N set the number of operands. --only TEXT,TEXT selects cases whose names contain one of
// these; --part I N selects every N-th of those, starting with the I-th.
//   --kernels SEED --count N runs N random kernels, starting with that seed, on the
// lockstep machine, and plain and probed on the GPU. Kernels that differ are explained by known
// assembler issues where possible, shrunk, and written to --out DIR. --seconds S: start none later;
// --shrinking S: time limit for shrinking. --mixed: seven of eight kernels are small. A kernel that
// fails on the GPU ends the run, because its process cannot use the GPU any more. The next process
// starts at its seed with --lost N to explain it, where N is the number of explanations tried so
// far. --print SEED prints a kernel (after --mixed: as in such a run), --launch SEED writes its
// whole launch to DIR.
//   --simt compares the machine's instruction sets and checks with each other; --native always or
// --native sometimes compares its native code with its interpreter, also on damaged kernels;
// --checked enables all checks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compute/cuda/cuda_device.h"
#include "compute/simt/simt_device.h"
#include "compute/text.h"
#include "tests/conformance/case.h"
#include "tests/conformance/differential.h"
#include "tests/conformance/differential_kernels.h"
#include "tests/conformance/patterns.h"
#include "tests/conformance/recording.h"

namespace lanescope::conformance {
namespace {

struct Options {
    std::string record;
    bool compare_gpu = false;
    bool patterns = false;
    bool differential = false;
    DifferentialOptions draws;
    int part = 0, parts = 1; // runs case I of every N selected ones
    std::string only;
    bool kernels = false;
    bool simt_hint = false;
    std::optional<simt::NativeCode> native; // native code to compare with the interpreter
    bool checked = false;
    KernelOptions drawn;
    std::optional<std::uint64_t> launch; // seed of the kernel whose launch is to be written
};

std::optional<simt::NativeCode> native_code(std::string_view word)
{
    if (word == "sometimes") return simt::NativeCode::sometimes;
    if (word == "always") return simt::NativeCode::always;
    return std::nullopt;
}

bool is_chosen(const Options& options, const Case& test)
{
    const std::string name = test.group + "/" + test.name;
    return options.only.empty() ||
           std::ranges::any_of(parts(options.only, ','), [&](std::string_view text) {
               return name.find(text) != std::string::npos;
           });
}

// Calls `use` for every selected case; returns how many failed.
int for_cases(const Options& options, const std::function<std::string(const Case&)>& use)
{
    int failed = 0;
    int done = 0;
    for (const Case& test : all_cases()) {
        if (!is_chosen(options, test)) continue;
        ++done;
        std::string problem;
        try {
            problem = use(test);
        } catch (const std::exception& error) {
            problem = fmt::format("{}/{}: {}", test.group, test.name, error.what());
        }
        if (problem.empty()) continue;
        ++failed;
        fmt::print("{}\n", problem);
    }
    fmt::print("{} cases, {} failed\n", done, failed);
    return failed;
}

int record(const Options& options)
{
    const auto gpu = cuda::make_device();
    std::filesystem::create_directories(options.record);
    std::map<std::string, Recording> groups;
    const int failed = for_cases(options, [&](const Case& test) {
        groups[test.group][test.name] = {checksum(test), run(*gpu, test)};
        return std::string{};
    });
    for (const auto& [group, recording] : groups)
        write_recording(std::filesystem::path(options.record) / (group + ".rec"), recording);
    std::ofstream(std::filesystem::path(options.record) / "device.txt")
        << "device: " << gpu->properties().name << "\ndriver: " << gpu->properties().driver << "\n";
    return failed;
}

int compare_gpu(const Options& options)
{
    const auto gpu = cuda::make_device();
    const auto machine = simt::make_device();
    return for_cases(options, [&](const Case& test) {
        return difference(test, run(*machine, test), run(*gpu, test));
    });
}

struct Engines {
    std::unique_ptr<device::Device> machine, other;
};

// The machine and the engine it is compared with: the GPU; the machine with other instruction sets
// and all checks; or its native code, in which case the machine interprets.
Engines engines(const Options& options, int threads)
{
    simt::Options plain, other;
    plain.threads = other.threads = threads;
    if (options.native) {
        plain.keep_going = other.keep_going = 16;
        if (options.checked) plain.checks = other.checks = simt::Checks::all();
        plain.native = simt::NativeCode::never;
        other.native = *options.native;
    } else if (options.simt_hint) {
        other.isa = simt::Isa::baseline;
        other.checks = simt::Checks::all();
    } else {
        return {simt::make_device(plain), cuda::make_device()};
    }
    return {simt::make_device(plain), simt::make_device(other)};
}

int differential(const Options& options)
{
    // Single-threaded if several processes share the cores.
    const auto [machine, other] = engines(options, options.parts > 1 ? 1 : 0);
    int chosen = 0;
    const DifferentialReport report = run_differential(
        *machine, *other, options.draws,
        [&](const Case& test) {
            return is_chosen(options, test) && chosen++ % options.parts == options.part;
        },
        [](const std::string& problem) { fmt::print("{}\n", problem); });
    fmt::print("seed {}: {} results of {} cases, {} cases differ\n", options.draws.seed,
               report.results, report.cases, report.differing_cases);
    return report.differing_cases;
}

int kernels(const Options& options)
{
    // Single-threaded, because kernels are small and one process runs per core.
    const auto [machine, other] = engines(options, 1);
    const auto print = [&](const KernelReport& report) {
        fmt::print("{}seeds {} to {}: {}\n", report.table(), options.drawn.seed,
                   report.lost_at.value_or(options.drawn.seed + options.drawn.count - 1),
                   report.summary());
        if (report.lost_by)
            fmt::print("lost the GPU at seed {} by explanation {}\n", *report.lost_at,
                       *report.lost_by);
        else if (report.lost_at)
            fmt::print("lost the GPU at seed {}\n", *report.lost_at);
        std::fflush(stdout);
    };
    KernelOptions drawn = options.drawn;
    drawn.damaged = options.native.has_value();
    drawn.stuck = [&](const KernelReport& report) {
        print(report);
        std::_Exit(1);
    };
    const KernelReport report =
        compare_kernels(*machine, *other, drawn, [](const std::string& problem) {
            fmt::print("{}\n", problem);
            std::fflush(stdout);
        });
    print(report);
    if (report.lost_at) std::_Exit(1); // exiting normally could wait for an endless kernel
    return report.differ();
}

random_kernels::RandomKernel drawn_kernel(const Options& options, std::uint64_t seed)
{
    using namespace random_kernels;
    return kernel_of(draw(seed, options.drawn.mixed ? mixed_size(seed) : Size::usual));
}

// Writes the PTX, the buffers before the launch and after it on the lockstep machine, and a line
// with grid, block, bytes of dynamic shared memory and scalars.
int write_launch(const Options& options)
{
    const std::uint64_t seed = *options.launch;
    const random_kernels::RandomKernel kernel = drawn_kernel(options, seed);
    const auto write = [&](const std::string& ending, std::string_view bytes) {
        std::ofstream file(fmt::format("{}/{}.{}", options.drawn.out, seed, ending),
                           std::ios::binary);
        if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            throw std::runtime_error("Cannot write " + ending + " into " + options.drawn.out + ".");
    };
    const auto text = [](const std::vector<std::byte>& bytes) {
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const auto after = random_kernels::run(*simt::make_device(), kernel);
    for (std::size_t k = 0; k < kernel.buffers.size(); ++k) {
        write(fmt::format("before{}", k), text(kernel.buffers[k]));
        write(fmt::format("after{}", k), text(after[k]));
    }
    write("ptx", kernel.ptx);
    const Dim3 grid = kernel.grid, block = kernel.block;
    write("launch",
          fmt::format("{} {} {} {} {} {} {} {}\n", grid.x, grid.y, grid.z, block.x, block.y,
                      block.z, kernel.dynamic_shared_bytes, fmt::join(kernel.scalars, " ")));
    return 0;
}

int launch_patterns()
{
    const auto gpu = cuda::make_device();
    for (const Pattern& pattern : all_patterns()) run(*gpu, pattern.test);
    gpu->synchronize();
    return 0;
}

} // namespace
} // namespace lanescope::conformance

int main(int count, char** arguments)
{
    testing::InitGoogleTest(&count, arguments);
    lanescope::conformance::Options options;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--record" && i + 1 < count)
            options.record = arguments[++i];
        else if (word == "--only" && i + 1 < count)
            options.only = arguments[++i];
        else if (word == "--compare-gpu")
            options.compare_gpu = true;
        else if (word == "--differential" && i + 1 < count) {
            options.differential = true;
            options.draws.seed = std::strtoull(arguments[++i], nullptr, 10);
        } else if (word == "--times" && i + 1 < count)
            options.draws.times =
                static_cast<std::uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
        else if (word == "--rounds" && i + 1 < count)
            options.draws.rounds = static_cast<int>(std::strtol(arguments[++i], nullptr, 10));
        else if (word == "--part" && i + 2 < count) {
            options.part = std::atoi(arguments[++i]);
            options.parts = std::max(std::atoi(arguments[++i]), 1);
        } else if (word == "--kernels" && i + 1 < count) {
            options.kernels = true;
            options.drawn.seed = std::strtoull(arguments[++i], nullptr, 10);
        } else if (word == "--count" && i + 1 < count)
            options.drawn.count = std::strtoull(arguments[++i], nullptr, 10);
        else if (word == "--seconds" && i + 1 < count)
            options.drawn.seconds = std::strtod(arguments[++i], nullptr);
        else if (word == "--out" && i + 1 < count)
            options.drawn.out = arguments[++i];
        else if (word == "--shrinking" && i + 1 < count)
            options.drawn.shrinking_seconds = std::strtod(arguments[++i], nullptr);
        else if (word == "--mixed")
            options.drawn.mixed = true;
        else if (word == "--lost" && i + 1 < count)
            options.drawn.lost = std::strtoull(arguments[++i], nullptr, 10);
        else if (word == "--simt")
            options.simt_hint = true;
        else if (word == "--native" && i + 1 < count &&
                 lanescope::conformance::native_code(arguments[i + 1]))
            options.native = lanescope::conformance::native_code(arguments[++i]);
        else if (word == "--checked")
            options.checked = true;
        else if (word == "--print" && i + 1 < count) {
            const std::uint64_t seed = std::strtoull(arguments[++i], nullptr, 10);
            fmt::print("{}", lanescope::conformance::drawn_kernel(options, seed).ptx);
            return 0;
        } else if (word == "--launch" && i + 1 < count)
            options.launch = std::strtoull(arguments[++i], nullptr, 10);
        else if (word == "--patterns")
            options.patterns = true;
        else {
            fmt::print(stderr,
                       "There is no option {}. Use --record DIR, --compare-gpu, --patterns, "
                       "--differential SEED, --times N, --rounds N, --part I N, --only TEXT, "
                       "--kernels SEED, "
                       "--count N, --seconds S, --shrinking S, --mixed, --lost N, "
                       "--simt, --native always|sometimes, --checked, --out DIR, --print SEED "
                       "or --launch SEED.\n",
                       word);
            return 2;
        }
    }
    try {
        int failed = 0;
        if (options.launch) return lanescope::conformance::write_launch(options);
        if (!options.record.empty()) failed += lanescope::conformance::record(options);
        if (options.compare_gpu) failed += lanescope::conformance::compare_gpu(options);
        if (options.differential) failed += lanescope::conformance::differential(options);
        if (options.kernels) failed += lanescope::conformance::kernels(options);
        if (options.patterns) failed += lanescope::conformance::launch_patterns();
        if (!options.record.empty() || options.compare_gpu || options.patterns ||
            options.differential || options.kernels)
            return failed == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 4;
    }
    return RUN_ALL_TESTS();
}
