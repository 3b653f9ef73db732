// Each round rotates an operand relative to the previous one, so that one set of random operands
// gives new combinations: generating random numbers costs more than computing.
#include "tests/conformance/differential.h"

#include <algorithm>

#include <fmt/format.h>

namespace lanescope::conformance {

namespace {

void turn(Case& test, int round)
{
    const std::uint64_t threads = test.grid.count() * test.block.count();
    for (std::size_t k = 1; k < test.inputs.size(); ++k) {
        Bytes& input = test.inputs[k];
        // The rotated units are the inputs of one thread or, for matrices, of one warp.
        const std::size_t unit = input.size() / threads * (test.group == "matrices" ? 32 : 1);
        const std::size_t steps = static_cast<std::size_t>(round) * k * 10 % (input.size() / unit);
        std::rotate(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(steps * unit),
                    input.end());
    }
}

} // namespace

DifferentialReport run_differential(device::Device& one, device::Device& other,
                                    const DifferentialOptions& options,
                                    const std::function<bool(const Case&)>& wanted,
                                    const std::function<void(const std::string&)>& tell)
{
    DifferentialReport report;
    for (const Case& test : all_cases()) {
        if (!test.more || !wanted(test)) continue;
        ++report.cases;
        Case more = test.more(options.times, options.seed);
        const int rounds = more.inputs.size() > 1 ? options.rounds : 1;
        for (int round = 0; round < rounds; ++round) {
            if (round > 0) turn(more, round);
            std::string problem;
            try {
                problem = difference(more, run(one, more), run(other, more));
            } catch (const std::exception& error) {
                problem = fmt::format("{}/{}: {}", test.group, test.name, error.what());
            }
            for (const Output& output : more.outputs) {
                const std::size_t lanes = more.grid.count() * more.block.count();
                report.results += std::max<std::size_t>(lanes, output.bytes / 8);
            }
            if (problem.empty()) continue;
            ++report.differing_cases;
            tell(fmt::format("seed {}, round {}: {}", options.seed, round, problem));
            break;
        }
    }
    return report;
}

} // namespace lanescope::conformance
