// Launches texts that try to access memory outside their buffers: with the interpreter, with native
// code, and alternating between them. Nothing outside the buffers may change, and all three must
// give the same results.
//
// LANESCOPE_FUZZ_INPUTS is the number of texts, each launched three times, and LANESCOPE_FUZZ_SEED
// the seed, which should differ between processes. LANESCOPE_FUZZ_TEXT names a file to launch
// instead; it must start with the line that a failure prints.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "compute/experiment/lab/lab.h"
#include "tests/random_kernels/program.h"
#include "tests/support/fuzz.h"
#include "tests/unit/launches/launch.h"

namespace lanescope::simt {
namespace {

constexpr double max_s = 20; // per launch, under a sanitizer

struct Tally {
    std::int64_t launches = 0, refused = 0, faulted = 0, stopped = 0, ended = 0;
    std::map<std::string, std::int64_t> kinds;

    void add(const Left& left)
    {
        ++launches;
        refused += !left.refusal.empty();
        stopped += left.was_stopped();
        faulted += !left.faults.empty();
        ended += left.ended();
        for (const trace::Fault& fault : left.faults) ++kinds[fault.kind];
    }
    std::string text() const
    {
        std::string all = fmt::format("{} launches: {} ended, {} refused, {} faulted, {} of them "
                                      "stopped by a limit",
                                      launches, ended, refused, faulted, stopped);
        for (const auto& [kind, count] : kinds) all += fmt::format("; {} {}", count, kind);
        return all;
    }
};

// Runs the launch in all three ways. Returns the first problem, or an empty string.
std::string problem(LaunchWorld& world, const DrawnLaunch& drawn, std::uint64_t seed,
                    Tally* tally = nullptr)
{
    std::optional<Left> first;
    for (const auto& [native, name] :
         {std::pair{NativeCode::never, "interpreted"}, std::pair{NativeCode::always, "native"},
          std::pair{NativeCode::sometimes, "in turns"}}) {
        Left left = world.launch(drawn, native, seed);
        if (tally != nullptr) tally->add(left);
        if (!left.strange.empty()) return fmt::format("{}: {}", name, left.strange);
        if (left.seconds > max_s) return fmt::format("{}: took {} s", name, left.seconds);
        if (!first) {
            // Refusing a launch does not depend on how it would run.
            if (!left.refusal.empty()) return {};
            first = std::move(left);
            continue;
        }
        if (first->was_stopped() || left.was_stopped()) continue;
        if (const std::string different = difference_of(*first, left); !different.empty())
            return fmt::format("interpreted and {}: {}", name, different);
    }
    return {};
}

// Removes lines of the text for which the problem remains without them.
DrawnLaunch shrunk(LaunchWorld& world, DrawnLaunch drawn, std::uint64_t seed)
{
    constexpr int max_tries = 2000;
    int tries = 0;
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (std::size_t at = 0; at < drawn.ptx.size() && tries < max_tries;) {
            const std::size_t end = std::min(drawn.ptx.find('\n', at), drawn.ptx.size() - 1) + 1;
            DrawnLaunch fewer = drawn;
            fewer.ptx.erase(at, end - at);
            ++tries;
            if (problem(world, fewer, seed).empty()) {
                at = end;
                continue;
            }
            drawn = std::move(fewer);
            smaller = true;
        }
    }
    return drawn;
}

struct Given {
    std::string_view ptx;
    std::string kernel;
};
std::vector<Given> lab_texts()
{
    std::vector<Given> all;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants)
            all.push_back({lab.ptx(variant), variant.kernel});
    return all;
}

DrawnLaunch draw(Random& random, const std::vector<Given>& labs)
{
    DrawnLaunch drawn = draw_shape(random);
    switch (below(random, 8)) {
    case 0: {
        const random_kernels::RandomKernel kernel =
            random_kernels::kernel_of(random_kernels::draw(random(), random_kernels::Size::small));
        drawn.ptx = mutated(kernel.ptx, random);
        drawn.kernel = kernel.kernel;
        drawn.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
        break;
    }
    case 1: {
        const Given& lab = labs[below(random, labs.size())];
        drawn.ptx = mutated(std::string(lab.ptx), random);
        drawn.kernel = lab.kernel;
        break;
    }
    case 2: drawn.ptx = mutated(draw_text(random), random); break;
    default: drawn.ptx = draw_text(random);
    }
    return drawn;
}

std::size_t max_resident_bytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

TEST(Launches, StayInBoundsAndAgreeInAllModes)
{
    const std::vector<Given> labs = lab_texts();
    ASSERT_FALSE(labs.empty());
    const std::int64_t inputs = test::fuzz_inputs(400);
    const std::uint64_t seed = test::fuzz_seed(5200);
    LaunchWorld world;
    Tally tally;
    std::string running;
    for (std::int64_t i = 0; i < inputs; ++i) {
        std::seed_seq both{seed, static_cast<std::uint64_t>(i)};
        Random random(both);
        const DrawnLaunch drawn = draw(random, labs);
        const std::uint64_t memory = random();
        running = to_text(drawn, memory);
        print_on_crash(running);
        const std::string wrong = problem(world, drawn, memory, &tally);
        if (wrong.empty()) continue;
        const DrawnLaunch few = shrunk(world, drawn, memory);
        FAIL() << "input " << i << " of seed " << seed << ": " << wrong
               << "\nin fewer lines: " << problem(world, few, memory) << "\n"
               << to_text(few, memory);
    }
    RecordProperty("launches", tally.text());
    std::cout << tally.text() << "\n";
    EXPECT_GT(tally.launches, inputs) << "texts are understood";
    EXPECT_GT(tally.ended, tally.launches / 10) << tally.text();
    EXPECT_GT(tally.faulted, tally.launches / 10) << tally.text();
    EXPECT_LT(max_resident_bytes(), std::size_t{3} << 30) << tally.text();
}

TEST(Launches, GivenTextAgreesInAllModes)
{
    const char* const name = std::getenv("LANESCOPE_FUZZ_TEXT");
    if (name == nullptr) GTEST_SKIP() << "LANESCOPE_FUZZ_TEXT names a file";
    std::ifstream file(name);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::uint64_t seed = 0;
    const DrawnLaunch drawn = from_text(text, seed);
    print_on_crash(text);
    LaunchWorld world;
    Tally tally;
    EXPECT_EQ(problem(world, drawn, seed, &tally), "");
    std::cout << tally.text() << "\n";
    const Left left = world.launch(drawn, NativeCode::never, seed);
    std::cout << left.refusal << "\n";
    for (const trace::Fault& fault : left.faults) std::cout << fault.message << "\n";
}

} // namespace
} // namespace lanescope::simt
