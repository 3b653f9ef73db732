// CPU time of the lockstep machine for one step of every variant of every lab, counted and plain,
// at the default size: one core, one line of JSON per variant. tests/bench/labs_speed.py alternates
// two builds of it.
//   labs_bench [--seconds S] [--list] [LAB[/VARIANT] …]      S: measuring time per variant and
//   mode, default 0.15
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"

namespace {

using namespace lanescope;

double cpu_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Milliseconds per step, after the first steps have triggered native code generation.
std::vector<double> times_of(labs::Experiment& experiment, bool counted, double seconds)
{
    const auto step = [&] {
        trace::Trace trace;
        const double begin = cpu_seconds();
        experiment.step(counted ? &trace : nullptr);
        return cpu_seconds() - begin;
    };
    double spent = 0;
    for (int warmed = 0; warmed < 2 || (warmed < 100 && spent < seconds / 3); ++warmed)
        spent += step();
    std::vector<double> times;
    spent = 0;
    while (times.size() < 2 || (times.size() < 1000 && spent < seconds)) {
        times.push_back(1e3 * step());
        spent += 1e-3 * times.back();
    }
    std::ranges::sort(times);
    return times;
}

nlohmann::ordered_json measure(const labs::Lab& lab, const labs::Variant& variant, double seconds)
{
    nlohmann::ordered_json row{{"lab", lab.id}, {"variant", variant.id}};
    if (!variant.fault.empty()) {
        row["faults"] = true; // the fault ends the launch, so no step can be timed
        return row;
    }
    try {
        simt::Options options;
        options.threads = 1;
        const auto device = simt::make_device(options);
        device::PlainAllocator memory(*device);
        const labs::Values values(lab);
        const auto experiment = lab.start({*device, memory, lab, variant, values, 1, {}});
        for (const bool counted : {true, false}) {
            const auto times = times_of(*experiment, counted, seconds);
            const char* const name = counted ? "counted_ms" : "plain_ms";
            row[name] = {{"least", times.front()}, {"median", times[times.size() / 2]}};
        }
        trace::Trace trace;
        experiment->step(&trace);
        row["warp_instructions"] = trace.totals().warp_instructions;
    } catch (const Error& error) {
        row["error"] = error.what();
    }
    return row;
}

} // namespace

int main(int count, char** arguments)
{
    double seconds = 0.15;
    bool list = false;
    std::vector<std::string> wanted;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--seconds" && i + 1 < count)
            seconds = std::strtod(arguments[++i], nullptr);
        else if (word == "--list")
            list = true;
        else
            wanted.push_back(word);
    }
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            const std::string name = lab.id + "/" + variant.id;
            if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end() &&
                std::ranges::find(wanted, lab.id) == wanted.end())
                continue;
            fmt::print("{}\n", list ? name : measure(lab, variant, seconds).dump());
            std::fflush(stdout);
        }
    return 0;
}
