// The lockstep machine's results and counts are the measure: first against a plain launch, then
// against a counted one, which on a GPU is another kernel.
#include "tests/conformance/differential_kernels.h"

#include <chrono>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace lanescope::conformance {

namespace {

constexpr std::array<std::string_view, 6> words{"equal",  "grouping", "counts",
                                                "probed", "plain",    "error"};

// A kernel that fails on a GPU takes the process's context with it.
bool is_lost(device::Device& device)
{
    try {
        device.allocate(4);
        device.synchronize();
        return false;
    } catch (const std::exception&) {
        return true;
    }
}

} // namespace

int KernelReport::differ() const
{
    std::uint64_t sum = 0;
    for (std::size_t k = static_cast<std::size_t>(Differs::counts); k < kernels.size(); ++k)
        sum += kernels[k];
    return static_cast<int>(sum);
}

std::string KernelReport::summary() const
{
    std::uint64_t all = 0;
    for (const std::uint64_t some : kernels) all += some;
    return fmt::format(
        "{} kernels, {} equal in every bit and count, {} with lanes that met elsewhere, "
        "{} with other counts, {} with other bits when probed, {} with other bits, {} "
        "ended in an error",
        all, kernels[0], kernels[1], kernels[2], kernels[3], kernels[4], kernels[5]);
}

Differs compare(device::Device& machine, device::Device& other,
                const random_kernels::RandomKernel& kernel, std::string& text)
{
    std::string_view launch = "machine's";
    try {
        trace::Trace ours, theirs;
        const auto results = random_kernels::run(machine, kernel, &ours);
        launch = "plain";
        text = random_kernels::difference(results, random_kernels::run(other, kernel));
        if (!text.empty()) return Differs::plain;
        launch = "counted";
        text = random_kernels::difference(results, random_kernels::run(other, kernel, &theirs));
        if (!text.empty()) return Differs::probed;
        bool same_lanes = false;
        text = random_kernels::difference(ours, theirs, same_lanes, false);
        if (!text.empty()) return same_lanes ? Differs::grouping : Differs::counts;
        return Differs::nothing;
    } catch (const std::exception& error) {
        text = fmt::format("the {} launch: {}", launch, error.what());
        return Differs::error;
    }
}

KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell)
{
    constexpr std::uint64_t shrunk_of_a_kind = 3; // shrinking takes as long as hundreds of kernels
    KernelReport report;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (passed.count() > options.seconds) break;
        const random_kernels::Program program = random_kernels::draw(seed);
        std::string text;
        const Differs kind = compare(machine, other, random_kernels::kernel_of(program), text);
        const auto index = static_cast<std::size_t>(kind);
        ++report.kernels[index];
        if (kind == Differs::nothing) continue;
        if (kind == Differs::error && is_lost(other)) {
            const std::string file = fmt::format("{}/kernel_{}.ptx", options.out, seed);
            std::ofstream(file) << "// failed: " << text << "\n"
                                << random_kernels::kernel_of(program).ptx;
            tell(fmt::format("seed {}: failed: {} ({} statements, in {})", seed, text,
                             size_of(program), file));
            report.lost_at = seed;
            break;
        }
        if (report.kernels[index] > shrunk_of_a_kind) {
            tell(fmt::format("seed {}: {}: {}", seed, words[index], text));
            continue;
        }
        const random_kernels::Program small = random_kernels::shrink(
            program,
            [&](const random_kernels::Program& smaller) {
                std::string unused;
                return compare(machine, other, random_kernels::kernel_of(smaller), unused) == kind;
            },
            150);
        const random_kernels::RandomKernel kernel = random_kernels::kernel_of(small);
        compare(machine, other, kernel, text);
        const std::string file = fmt::format("{}/kernel_{}.ptx", options.out, seed);
        std::ofstream(file) << "// " << words[index] << ": " << text << "\n" << kernel.ptx;
        tell(fmt::format("seed {}: {}: {} ({} statements of {}, in {})", seed, words[index], text,
                         size_of(small), size_of(program), file));
    }
    return report;
}

} // namespace lanescope::conformance
