// Kernels drawn by a seed: loops, divergent branches, switches, calls, shuffles, votes, shared
// memory and atomics, free of races and of anything undefined, so that every engine must give the
// same bits and the same counts. What differs is shrunk to a small kernel.
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
    int number = 0; // of its labels and of the registers that its text sets
    // Plain: the instructions. A choice sets %cN, a loop its number of rounds %nN, cases the index
    // of one of them in %nN.
    std::string text;
    std::vector<Block> parts{};    // of a choice: then and, perhaps, else; of a loop: one
    bool tests_first = false;      // a loop that may run no round
    std::uint32_t runs_on = 0;     // by case: without a way out, into the next one
    bool stands_for_itself = true; // false: its parts make no sense outside of it
};

// A counted kernel is mostly code of its probes: a small one is assembled in a third of the time.
enum class Size : std::uint8_t { usual, small };

struct Program {
    std::uint64_t seed = 0;
    Size size = Size::usual;
    Dim3 grid{};
    Dim3 block{};
    bool slots_together =
        false;       // each thread's slots are neighbours in memory, not those of one number
    int numbers = 0; // all numbers of statements are below
    std::vector<Block> functions;
    Block body; // all threads are there until its end
    Block tail; // lanes may leave
};

// Throws nothing; the same on every machine.
Program draw(std::uint64_t seed, Size size = Size::usual);

// In a run of both, one seed of eight draws a kernel of the usual size.
inline Size mixed_size(std::uint64_t seed)
{
    return seed % 8 == 0 ? Size::usual : Size::small;
}

// A launch of it: the kernel's parameters are the addresses of the buffers in order, then the
// scalars.
struct RandomKernel {
    std::uint64_t seed = 0;
    std::string ptx;
    std::string kernel;
    Dim3 grid{};
    Dim3 block{};
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<std::vector<std::byte>> buffers; // as they are before the launch
    std::vector<std::uint32_t> scalars;
};
RandomKernel kernel_of(const Program& program);
inline RandomKernel random_kernel(std::uint64_t seed)
{
    return kernel_of(draw(seed));
}

// The same with a mistake that is drawn by its seed: a barrier is missing, a thread's addresses are
// not aligned, or a buffer ends too soon. Most run into a fault, some only with checks.
RandomKernel damaged(RandomKernel kernel);

// What the buffers hold after the launch. Fills `trace` unless it is null.
std::vector<std::vector<std::byte>> run(device::Device& device, const RandomKernel& kernel,
                                        trace::Trace* trace = nullptr);
// The same of a kernel whose text is loaded already.
std::vector<std::vector<std::byte>> run(device::Device& device, const device::Module& module,
                                        const RandomKernel& kernel, trace::Trace* trace = nullptr);

// Empty where both are the same, else what differs first.
std::string difference(const std::vector<std::vector<std::byte>>& one,
                       const std::vector<std::vector<std::byte>>& other);
// The same of counts: each site's, in total and by warp. `same_lanes`: each instruction was run by
// as many lanes, only grouped otherwise. `with_models`: also of what a model says, which only the
// lockstep machine has.
std::string difference(const trace::Trace& one, const trace::Trace& other, bool& same_lanes,
                       bool with_models = true);

// The same of faults: in number, or of the first that is not the same. Where memory lies is another
// thing on each device.
std::string difference(const std::vector<trace::Fault>& one,
                       const std::vector<trace::Fault>& other);

// The smallest program that can be found for which `differs` still holds, by taking statements
// away, by putting parts in their statement's place and by smaller launches. It asks at most
// `tries` times.
Program shrink(Program program, const std::function<bool(const Program&)>& differs,
               int tries = 2000);

// How many statements there are, those within others counted, too.
std::size_t size_of(const Program& program);

} // namespace lanescope::random_kernels
