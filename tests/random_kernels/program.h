// Seeded random kernels: loops, divergent branches, switches, calls, shuffles, votes, shared memory
// and atomics, free of races and undefined behaviour, so that every engine must give the same bits
// and counts. Kernels that differ are shrunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::random_kernels {

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
    enum class Kind : std::uint8_t { plain, choice, loop, cases };
    Kind kind = Kind::plain;
    int number = 0; // suffix of the statement's labels and of the registers that its text sets
    // Instructions of a plain statement. Otherwise PTX that sets %cN for a choice, the trip count
    // %nN for a loop, and the selected index %nN for cases.
    std::string text;
    std::vector<Block> parts{}; // then and optional else of a choice; body of a loop
    bool tests_first = false;   // the loop may have zero iterations
    std::uint32_t runs_on = 0;  // one bit per case: falls through to the next case
    bool needs_wrapper = false; // true: its parts are only valid inside this statement
};

// Counted kernels are mostly probe code: a small one assembles in a third of the usual time.
enum class Size : std::uint8_t { usual, small };

struct Program {
    std::uint64_t seed = 0;
    Size size = Size::usual;
    Dim3 grid{};
    Dim3 block{};
    bool slots_together = false; // a thread's slots are contiguous instead of interleaved by thread
    int numbers = 0;             // exceeds every statement's number
    std::vector<Block> functions;
    Block body; // no thread exits before its end
    Block tail; // lanes may exit here
};

// Never throws; the result is the same on every machine.
Program draw(std::uint64_t seed, Size size = Size::usual);

// Sizes in a mixed run: one seed in eight has the usual size, the others are small.
inline Size mixed_size(std::uint64_t seed)
{
    return seed % 8 == 0 ? Size::usual : Size::small;
}

// A launch of a program: the kernel's parameters are the addresses of the buffers in order, then
// the scalars.
struct RandomKernel {
    std::uint64_t seed = 0;
    std::string ptx;
    std::string kernel;
    Dim3 grid{};
    Dim3 block{};
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<std::vector<std::byte>> buffers; // contents before the launch
    std::vector<std::uint32_t> scalars;
};
RandomKernel kernel_of(const Program& program);
inline RandomKernel random_kernel(std::uint64_t seed)
{
    return kernel_of(draw(seed));
}

// Returns the kernel with a random defect that depends on its seed: a missing barrier, an unaligned
// thread, or a buffer that is too short. Most of them fault, some only with checks.
RandomKernel damaged(RandomKernel kernel);

// Contents of the buffers after the launch. Fills `trace` unless it is null.
std::vector<std::vector<std::byte>> run(device::Device& device, const RandomKernel& kernel,
                                        trace::Trace* trace = nullptr);
// The same for a kernel that is already loaded.
std::vector<std::vector<std::byte>> run(device::Device& device, const device::Module& module,
                                        const RandomKernel& kernel, trace::Trace* trace = nullptr);

// Returns an empty string if both are equal, otherwise describes the first difference.
std::string difference(const std::vector<std::vector<std::byte>>& one,
                       const std::vector<std::vector<std::byte>>& other);
// Compares counts: per site, in total and per warp. Sets `same_lanes` if each instruction ran in
// the same number of lanes, only grouped differently. `with_models`: includes modelled counts,
// which only the lockstep machine has.
std::string difference(const trace::Trace& one, const trace::Trace& other, bool& same_lanes,
                       bool with_models = true);

// Compares faults: their number, then each one. Addresses are ignored, since they differ between
// devices.
std::string difference(const std::vector<trace::Fault>& one,
                       const std::vector<trace::Fault>& other);

// Finds a smaller program for which `differs` still holds, by removing statements, replacing
// statements by their parts, and shrinking launches. Calls `differs` at most `tries` times.
Program shrink(Program program, const std::function<bool(const Program&)>& differs,
               int tries = 2000);

// Number of statements, including nested ones.
std::size_t size_of(const Program& program);

} // namespace lanescope::random_kernels
