// Latency of a step back, a jump and a slice: p50 and p95 over random positions of a long launch.
//   step_bench [LAB/VARIANT [name=value …]]     the launch; default: one of 10^8 warp instructions
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compute/experiment/lab/lab.h"
#include "compute/simt/debug/slice.h"

namespace {

using namespace lanescope;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void report(const char* what, std::vector<double> ms)
{
    std::ranges::sort(ms);
    const auto at = [&](double part) {
        return ms[std::min(ms.size() - 1,
                           static_cast<std::size_t>(part * static_cast<double>(ms.size())))];
    };
    fmt::print("{:<28} median {:8.2f} ms   p95 {:8.2f} ms   worst {:8.2f} ms   of {}\n", what,
               at(0.5), at(0.95), ms.back(), ms.size());
}

struct Opened {
    Opened(const std::string& target, const std::vector<std::string>& assignments)
    {
        const auto slash = target.find('/');
        const labs::Lab& lab = labs::find(target.substr(0, slash));
        const labs::Variant& variant = labs::find_variant(lab, target.substr(slash + 1));
        labs::Values values(lab);
        for (const std::string& each : assignments)
            values.set(each.substr(0, each.find('=')), each.substr(each.find('=') + 1));
        experiment = lab.start({device, memory, lab, variant, values, 1, {}});
    }
    simt::SteppedDevice device{simt::Options{}};
    device::PlainAllocator memory{device};
    std::unique_ptr<labs::Experiment> experiment;
};

void moves(const std::string& target, const std::vector<std::string>& assignments)
{
    Opened opened(target, assignments);
    opened.device.set_launch_hook([&](const device::Kernel& kernel, const device::Launch& launch) {
        auto begin = Clock::now();
        simt::Timeline there(opened.device, kernel, launch, {.checks = false});
        there.go_to(~std::uint64_t{0});
        const std::uint64_t end = there.position();
        fmt::print("{}: {} warp instructions, run once in {:.0f} ms, {} MB held\n", target, end,
                   ms_since(begin), there.held_bytes() >> 20);
        std::mt19937_64 random(3);
        std::vector<double> jumps;
        std::vector<double> backs;
        std::vector<double> back_steps;
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t to = random() % end;
            begin = Clock::now();
            there.go_to(to);
            jumps.push_back(ms_since(begin));
            begin = Clock::now();
            there.back();
            backs.push_back(ms_since(begin));
            for (int k = 0; k < 20; ++k) {
                begin = Clock::now();
                there.back();
                back_steps.push_back(ms_since(begin));
            }
        }
        report("jump anywhere", jumps);
        report("one back, after a jump", backs);
        report("one back, again", back_steps);
        fmt::print("{} MB held at the end\n", there.held_bytes() >> 20);
        there.go_to(end);
        return there.launch().launched;
    });
    opened.experiment->step();
}

void why(const std::string& target, const std::vector<std::string>& assignments)
{
    Opened opened(target, assignments);
    const labs::Experiment::Result result = opened.experiment->next_result();
    opened.device.note(true);
    opened.experiment->step();
    auto begin = Clock::now();
    simt::Slicer slicer(opened.device);
    const std::size_t last = opened.device.launches().size() - 1;
    slicer.timeline(last);
    fmt::print("{}: its step run once for slices in {:.0f} ms\n", target, ms_since(begin));
    std::mt19937_64 random(3);
    std::vector<double> slices;
    std::size_t nodes = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t index = random() % (static_cast<std::uint64_t>(result.width) *
                                                static_cast<std::uint64_t>(result.height));
        simt::Place place;
        place.bytes = std::min(4, result.element_bytes);
        place.address =
            result.offset_bytes + index * static_cast<std::uint64_t>(result.element_bytes);
        if (result.image != nullptr)
            place.surface = result.image->surface();
        else
            place.address += result.buffer->address();
        begin = Clock::now();
        nodes += slicer.why(place, last).nodes.size();
        slices.push_back(ms_since(begin));
    }
    report("why, a random element", slices);
    fmt::print("{} nodes a slice\n", nodes / slices.size());
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> assignments;
    for (int i = 2; i < argc; ++i) assignments.emplace_back(argv[i]);
    if (argc > 1) {
        moves(argv[1], assignments);
        why(argv[1], assignments);
        return 0;
    }
    moves("matmul/naive", {"size=1024"});
    why("heat/naive", {"size=1024"});
    why("heat/shared_tile", {"size=1024"});
}
