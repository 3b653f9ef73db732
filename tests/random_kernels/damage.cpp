// Inserts a typical human mistake into a correct kernel.
#include <string_view>

#include <fmt/format.h>

#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {

namespace {

// Removes one of the barriers.
void take_barrier(RandomKernel& kernel)
{
    constexpr std::string_view barrier = "    bar.sync 0;\n";
    std::vector<std::size_t> places;
    for (std::size_t at = 0; (at = kernel.ptx.find(barrier, at)) != std::string::npos; ++at)
        places.push_back(at);
    if (!places.empty()) kernel.ptx.erase(places[kernel.seed / 4 % places.size()], barrier.size());
}

// Moves the slots of one thread to an unaligned address.
void misalign(RandomKernel& kernel)
{
    constexpr std::string_view before = "    add.u64 %mine, %mine, %a;\n";
    const std::size_t at = kernel.ptx.find(before);
    if (at == std::string::npos) return;
    const std::uint64_t threads = kernel.grid.count() * kernel.block.count();
    kernel.ptx.insert(at + before.size(),
                      fmt::format("    setp.eq.u32 %left, %self, {};\n    @%left add.u64 %mine, "
                                  "%mine, 2;\n",
                                  kernel.seed / 4 % threads));
}

} // namespace

RandomKernel damaged(RandomKernel kernel)
{
    const auto shorten = [](std::vector<std::byte>& buffer) {
        buffer.resize(buffer.size() * 3 / 4 / 4 * 4);
    };
    switch (kernel.seed % 4) {
    case 0: take_barrier(kernel); break;
    case 1: misalign(kernel); break;
    case 2: shorten(kernel.buffers[1]); break;  // the buffer `out`
    default: shorten(kernel.buffers[2]); break; // the buffer `slots`
    }
    return kernel;
}

} // namespace lanescope::random_kernels
