// Prints a line per variant of every lab after two steps on the simulator: its check against the
// reference, checksums of its memory and of all counts. Lines of two systems must be equal.
//   labs_results [LAB[/VARIANT] …]
#include <algorithm>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"

namespace {

using namespace lanescope;

// FNV-1a.
class Checksum {
public:
    void add(std::span<const std::byte> bytes)
    {
        for (const std::byte one : bytes)
            sum_ = (sum_ ^ static_cast<unsigned char>(one)) * 0x100000001b3;
    }
    std::uint64_t sum() const { return sum_; }

private:
    std::uint64_t sum_ = 0xcbf29ce484222325;
};

std::uint64_t memory_sum(labs::Experiment& experiment, device::Device& device)
{
    std::map<std::string, const device::Buffer*> buffers;
    for (const auto& one : experiment.memory())
        if (one.buffer) buffers[one.name] = one.buffer;
    Checksum sum;
    for (const auto& [name, buffer] : buffers) {
        std::vector<std::byte> bytes(buffer->bytes());
        device.download(bytes, buffer->address());
        sum.add(bytes);
    }
    return sum.sum();
}

std::uint64_t count_sum(const trace::Trace& trace)
{
    Checksum sum;
    for (const auto& counts : trace.counts) sum.add(std::as_bytes(std::span(&counts, 1)));
    for (const auto& warp : trace.warps) sum.add(std::as_bytes(std::span(&warp, 1)));
    return sum.sum();
}

std::string result_of(const labs::Lab& lab, const labs::Variant& variant)
{
    try {
        const auto device = simt::make_device({});
        device::PlainAllocator memory(*device);
        const labs::Values values(lab);
        const auto experiment = lab.start({*device, memory, lab, variant, values, 1, {}});
        trace::Trace trace;
        experiment->step(&trace);
        const std::uint64_t counts = count_sum(trace);
        experiment->step();
        const labs::Check check = experiment->check();
        return fmt::format(
            "correct {}, max_error {}, memory {:016x}, {} instructions, counts {:016x}",
            check.correct, check.max_error, memory_sum(*experiment, *device),
            trace.warp_instructions, counts);
    } catch (const Error& error) {
        return error.what();
    }
}

} // namespace

int main(int count, char** arguments)
{
    const std::vector<std::string> wanted(arguments + 1, arguments + count);
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            const std::string name = lab.id + "/" + variant.id;
            if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end() &&
                std::ranges::find(wanted, lab.id) == wanted.end())
                continue;
            fmt::print("{}: {}\n", name, result_of(lab, variant));
            std::fflush(stdout);
        }
}
