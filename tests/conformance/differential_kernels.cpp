// The lockstep machine's results and counts are the reference: compared first with a plain launch,
// then with a counted one, which on a GPU is another kernel.
#include "tests/conformance/differential_kernels.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/random_kernels/explain.h"

namespace lanescope::conformance {

namespace {

using random_kernels::Explanation;
using random_kernels::Program;
using random_kernels::RandomKernel;

constexpr std::array<std::string_view, 7> words{"equal", "grouping", "counts", "probed",
                                                "plain", "faults",   "error"};
constexpr std::array<std::string_view, 7> rows{
    "equal in every bit and count",  "lanes met elsewhere (explained)",
    "unexplained: other counts",     "unexplained: other bits when probed",
    "unexplained: other bits",       "unexplained: other behaviour with a mistake",
    "unexplained: ended in an error"};

class Watch {
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    // Seconds since construction or the previous call.
    double lap()
    {
        const double before = std::exchange(lapped_, seconds());
        return lapped_ - before;
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    double lapped_ = 0;
};

struct Comparison {
    Differs kind = Differs::nothing;
    std::string text{};   // description of the difference
    bool faulted = false; // the damaged kernel faulted on the lockstep machine
};

bool agrees(const Comparison& comparison)
{
    return comparison.kind == Differs::nothing || comparison.kind == Differs::grouping;
}

// Cancels the device if no kernel has started for a given time; if that does not help, calls
// `stuck`.
class Guard {
public:
    Guard(device::Device& device, double patience_seconds, std::function<void()> stuck)
        : device_(device), patience_(patience_seconds), stuck_(std::move(stuck)),
          thread_([this](const std::stop_token& stop) { watch(stop); })
    {
    }
    void begin() { begun_ = clock_.seconds(); }

private:
    void watch(const std::stop_token& stop)
    {
        bool cancelled = false;
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            const double waited = clock_.seconds() - begun_;
            if (waited < patience_) continue;
            if (!std::exchange(cancelled, true)) device_.cancel();
            if (waited > 1.2 * patience_) return stuck_();
        }
    }

    device::Device& device_;
    const double patience_;
    const std::function<void()> stuck_;
    const Watch clock_;
    std::atomic<double> begun_ = 0;
    std::jthread thread_; // last member, because its thread uses the others
};

// Outcome of a damaged kernel: of its plain and its counted launch.
struct Outcome {
    std::vector<std::vector<std::byte>> plain, counted; // buffers; empty after a fault
    std::vector<trace::Fault> ended;                    // faults that ended one of the launches
    trace::Trace trace;                                 // with the non-fatal faults
};

Outcome outcome_of(device::Device& device, const RandomKernel& kernel)
{
    Outcome outcome;
    const auto module = device.load(kernel.ptx);
    try {
        outcome.plain = random_kernels::run(device, *module, kernel);
    } catch (const device::KernelFault& fault) {
        outcome.ended.push_back(fault.fault());
    }
    try {
        outcome.counted = random_kernels::run(device, *module, kernel, &outcome.trace);
    } catch (const device::KernelFault& fault) {
        outcome.ended.push_back(fault.fault());
    }
    return outcome;
}

std::string difference(const Outcome& one, const Outcome& other)
{
    bool same_lanes = false;
    auto text = random_kernels::difference(one.ended, other.ended);
    if (text.empty()) text = random_kernels::difference(one.trace.faults, other.trace.faults);
    if (text.empty()) text = random_kernels::difference(one.plain, other.plain);
    if (text.empty()) text = random_kernels::difference(one.counted, other.counted);
    if (text.empty()) text = random_kernels::difference(one.trace, other.trace, same_lanes);
    return text;
}

class Comparer {
public:
    Comparer(device::Device& machine, device::Device& other, const KernelOptions& options,
             std::function<void()> stuck)
        : machine_(machine), other_(other), damaged_(options.damaged),
          guard_(other, options.patience_seconds, std::move(stuck))
    {
    }

    Comparison compare(const RandomKernel& kernel, KernelSeconds& spent)
    {
        guard_.begin();
        std::string_view launch = "machine's";
        try {
            Watch watch;
            trace::Trace ours, theirs;
            const auto results = random_kernels::run(machine_, kernel, &ours);
            spent.machine += watch.lap();
            launch = "plain";
            const auto module = other_.load(kernel.ptx);
            spent.loading += watch.lap();
            const auto plain = random_kernels::run(other_, *module, kernel);
            spent.plain += watch.lap();
            if (auto text = random_kernels::difference(results, plain); !text.empty())
                return {Differs::plain, std::move(text)};
            launch = "counted";
            watch.lap();
            const auto counted = random_kernels::run(other_, *module, kernel, &theirs);
            spent.counted += watch.lap();
            if (auto text = random_kernels::difference(results, counted); !text.empty())
                return {Differs::probed, std::move(text)};
            if (!theirs.faults.empty()) // the kernel is correct, so the checks are wrong
                return {Differs::error, theirs.faults.front().message};
            bool same_lanes = false;
            auto text = random_kernels::difference(ours, theirs, same_lanes, false);
            if (!text.empty())
                return {same_lanes ? Differs::grouping : Differs::counts, std::move(text)};
            if (!damaged_) return {};
            launch = "damaged";
            return compare_damaged(random_kernels::damaged(kernel), spent);
        } catch (const std::exception& error) {
            return {Differs::error, fmt::format("the {} launch: {}", launch, error.what())};
        }
    }

    // True if the GPU's context has been destroyed by a kernel that failed.
    bool is_lost()
    {
        try {
            other_.allocate(4);
            other_.synchronize();
            return false;
        } catch (const std::exception&) {
            return true;
        }
    }

    // Returns the known assembler issue that explains a kernel's difference: without it, the kernel
    // no longer differs. Empty if there is none. For a kernel that loses the GPU, returns the first
    // explanation after those in `tried`, since a further attempt may lose the GPU again.
    std::string explanation(const RandomKernel& kernel, std::optional<std::size_t> tried = {})
    {
        std::string alone, all;
        RandomKernel without_all = kernel;
        const auto add = [](std::string& names, std::string_view name, std::string_view between) {
            names += fmt::format("{}{}", names.empty() ? "" : between, name);
        };
        requested_ = 0;
        for (const Explanation& known : random_kernels::explanations()) {
            const std::size_t number = requested_++;
            RandomKernel without = kernel;
            without.ptx = known.without(kernel.ptx);
            if (without.ptx == kernel.ptx) continue;
            add(all, known.name, " and ");
            without_all.ptx = known.without(without_all.ptx);
            if (number < tried.value_or(0)) continue;
            const Comparison comparison = compare(without, unused_);
            if (agrees(comparison)) add(alone, known.name, ", or ");
            if (agrees(comparison) && tried) return alone;
            if (comparison.kind == Differs::error && is_lost()) return {};
        }
        if (!alone.empty() || all.find(" and ") == std::string::npos ||
            requested_++ < tried.value_or(0))
            return alone;
        return agrees(compare(without_all, unused_)) ? all : std::string{};
    }

    // Number of explanations tried, including skipped ones.
    std::size_t asked() const { return requested_; }

private:
    Comparison compare_damaged(const RandomKernel& kernel, KernelSeconds& spent)
    {
        const Watch watch;
        const Outcome wanted = outcome_of(machine_, kernel);
        auto text = difference(wanted, outcome_of(other_, kernel));
        spent.damaged += watch.seconds();
        const bool faulted = !wanted.ended.empty() || !wanted.trace.faults.empty();
        if (text.empty()) return {.faulted = faulted};
        return {Differs::faults, std::move(text), faulted};
    }

    device::Device& machine_;
    device::Device& other_;
    const bool damaged_;
    std::atomic<std::size_t> requested_ = 0;
    Guard guard_;
    KernelSeconds unused_;
};

// A kernel that differs.
struct Found {
    std::uint64_t seed = 0;
    Program program;
    Comparison comparison;
    std::string explanation;
};

std::string verdict(const Found& found)
{
    return found.explanation.empty() ? std::string("unexplained")
                                     : "explained by " + found.explanation;
}

class Run {
public:
    Run(device::Device& machine, device::Device& other, const KernelOptions& options,
        const std::function<void(const std::string&)>& tell)
        : options_(options), tell_(tell), comparer_(machine, other, options, [this] { stuck(); })
    {
    }

    KernelReport report()
    {
        find();
        shrinks_ = true;
        if (!report_.lost_at) shrink();
        return counted();
    }

private:
    KernelReport counted() const
    {
        KernelReport report = report_;
        for (const Found& found : found_) {
            if (found.explanation.empty())
                ++report.kernels[static_cast<std::size_t>(found.comparison.kind)];
            else
                ++report.explained[found.explanation];
        }
        return report;
    }

    void stuck() const
    {
        KernelReport report = counted();
        if (!shrinks_) {
            report.lost_at = seed_;
            if (options_.lost && seed_ == options_.seed) report.lost_by = comparer_.asked() - 1;
        }
        if (options_.stuck) options_.stuck(report);
    }

    void find()
    {
        const Watch watch;
        for (std::uint64_t seed = options_.seed; seed < options_.seed + options_.count; ++seed) {
            const bool lost_before = options_.lost && seed == options_.seed;
            if (watch.seconds() > options_.seconds && !lost_before) break;
            seed_ = seed;
            const Program program =
                random_kernels::draw(seed, options_.mixed ? random_kernels::mixed_size(seed)
                                                          : random_kernels::Size::usual);
            const RandomKernel kernel = random_kernels::kernel_of(program);
            const Comparison comparison = lost_before
                                              ? Comparison{Differs::error, "it lost the GPU"}
                                              : comparer_.compare(kernel, report_.seconds);
            if (agrees(comparison)) {
                ++report_.kernels[static_cast<std::size_t>(comparison.kind)];
                if (comparison.faulted) ++report_.faulted;
                continue;
            }
            if (!lost_before && comparison.kind == Differs::error && comparer_.is_lost())
                return lose({seed, program, comparison, {}});
            explain({seed, program, comparison, {}}, kernel,
                    lost_before ? options_.lost : std::nullopt);
            if (report_.lost_at) return;
        }
    }

    // Reports a kernel that lost the GPU, before any explanation has been tried.
    void lose(const Found& found)
    {
        const std::string file = keep(found, random_kernels::kernel_of(found.program));
        tell_(fmt::format("seed {}: failed: {} ({} statements, in {})", found.seed,
                          found.comparison.text, random_kernels::size_of(found.program), file));
        report_.lost_at = found.seed;
    }

    // `tried` is the number of explanations tried before; it is set for a kernel that lost the GPU.
    void explain(Found found, const RandomKernel& kernel, std::optional<std::size_t> tried)
    {
        Watch watch;
        found.explanation = comparer_.explanation(kernel, tried);
        report_.seconds.explaining += watch.seconds();
        // The kernel or a rewritten version has lost the GPU again: the next process continues.
        const bool lost = found.explanation.empty() && comparer_.is_lost();
        if (lost) report_.lost_at = found.seed;
        if (lost && tried) {
            report_.lost_by = comparer_.asked() - 1;
            return;
        }
        const std::string file = keep(found, kernel);
        tell_(fmt::format("seed {}: {}: {} ({}, {} statements, in {})", found.seed,
                          words[static_cast<std::size_t>(found.comparison.kind)],
                          found.comparison.text, verdict(found),
                          random_kernels::size_of(found.program), file));
        if (!lost) found_.push_back(std::move(found));
    }

    std::string keep(const Found& found, const RandomKernel& kernel) const
    {
        const std::string file = fmt::format("{}/kernel_{}.ptx", options_.out, found.seed);
        std::ofstream(file) << fmt::format("// {}: {}\n// {}\n{}",
                                           words[static_cast<std::size_t>(found.comparison.kind)],
                                           found.comparison.text, verdict(found), kernel.ptx);
        return file;
    }

    // Shrinks unexplained kernels first, and only a few per kind of difference, because shrinking a
    // kernel takes as long as running hundreds of kernels.
    void shrink()
    {
        constexpr int max_per_kind = 3;
        std::array<int, words.size()> done{};
        const Watch watch;
        std::ranges::stable_sort(found_, {},
                                 [](const Found& one) { return !one.explanation.empty(); });
        for (Found& found : found_) {
            if (watch.seconds() > options_.shrinking_seconds) break;
            if (found.comparison.text == "it lost the GPU") continue;
            if (done[static_cast<std::size_t>(found.comparison.kind)]++ == max_per_kind) continue;
            shrink(found, watch);
            if (comparer_.is_lost()) break;
        }
        report_.seconds.shrinking = watch.seconds();
    }

    void shrink(Found& found, const Watch& watch)
    {
        KernelSeconds unused;
        const Program small = random_kernels::shrink(
            found.program,
            [&](const Program& smaller) {
                if (watch.seconds() > options_.shrinking_seconds) return false;
                return comparer_.compare(random_kernels::kernel_of(smaller), unused).kind ==
                       found.comparison.kind;
            },
            150);
        const RandomKernel kernel = random_kernels::kernel_of(small);
        const Comparison comparison = comparer_.compare(kernel, unused);
        if (comparison.kind != found.comparison.kind) return; // the difference is not reproducible
        found.comparison = comparison;
        // In a small kernel, a rewrite is less likely to have side effects on other code.
        found.explanation = comparer_.explanation(kernel);
        const std::string file = keep(found, kernel);
        tell_(fmt::format("seed {}: {}, shrunk: {} ({}, {} statements of {}, in {})", found.seed,
                          words[static_cast<std::size_t>(found.comparison.kind)], comparison.text,
                          verdict(found), random_kernels::size_of(small),
                          random_kernels::size_of(found.program), file));
    }

    const KernelOptions& options_;
    const std::function<void(const std::string&)>& tell_;
    KernelReport report_;
    std::vector<Found> found_;
    std::atomic<std::uint64_t> seed_ = 0; // seed of the kernel in progress
    std::atomic<bool> shrinks_ = false;
    Comparer comparer_; // last member, because its thread uses the others
};

} // namespace

int KernelReport::differ() const
{
    std::uint64_t sum = lost_at ? 1 : 0;
    for (std::size_t k = static_cast<std::size_t>(Differs::counts); k < kernels.size(); ++k)
        sum += kernels[k];
    return static_cast<int>(sum);
}

std::string KernelReport::summary() const
{
    std::uint64_t all = 0, known = 0;
    for (const std::uint64_t some : kernels) all += some;
    for (const auto& [name, some] : explained) known += some;
    return fmt::format("{} kernels, {} equal in every bit and count, {} with lanes that met "
                       "elsewhere, {} explained otherwise, {} unexplained",
                       all + known, kernels[0], kernels[1], known, all - kernels[0] - kernels[1]);
}

std::string KernelReport::table() const
{
    std::string text;
    for (std::size_t k = 0; k < 2; ++k) text += fmt::format("| {} | {} |\n", rows[k], kernels[k]);
    for (const auto& [name, some] : explained)
        text += fmt::format("| explained by {} | {} |\n", name, some);
    for (std::size_t k = 2; k < rows.size(); ++k)
        text += fmt::format("| {} | {} |\n", rows[k], kernels[k]);
    if (faulted > 0) text += fmt::format("| the same faults with a mistake | {} |\n", faulted);
    const std::pair<std::string_view, double> spent[] = {
        {"machine", seconds.machine},        {"assembling plain", seconds.loading},
        {"plain launches", seconds.plain},   {"assembling and running counted", seconds.counted},
        {"with a mistake", seconds.damaged}, {"explaining", seconds.explaining},
        {"shrinking", seconds.shrinking}};
    for (const auto& [name, some] : spent) text += fmt::format("| s: {} | {:.1f} |\n", name, some);
    return text;
}

KernelReport compare_kernels(device::Device& machine, device::Device& other,
                             const KernelOptions& options,
                             const std::function<void(const std::string&)>& tell)
{
    return Run(machine, other, options, tell).report();
}

} // namespace lanescope::conformance
