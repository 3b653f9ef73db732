// See hover.h.
#include "app/window/panels/hover.h"

#include <fmt/format.h>

#include "app/document/subject.h"
#include "app/export/table.h"
#include "render/views/paint/words.h"

namespace lanescope::app {

std::string warp_words(std::uint64_t warp, const trace::WarpCounts& counts, const Dim3& grid,
                       const Dim3& block)
{
    std::string words = warp_title(warp, grid, block) + "\n";
    if (counts.warp_instructions > 0)
        words += fmt::format(
            "{} instructions, {:.1f} of 32 lanes active\n", grouped(counts.warp_instructions),
            static_cast<double>(counts.thread_instructions) / counts.warp_instructions);
    const double places =
        static_cast<double>(counts.global_requests) + counts.shared_requests + counts.branches;
    if (places > 0)
        words += fmt::format("{:.1f} lanes active at accesses and branches\n",
                             counts.memory_lanes / places);
    if (counts.global_requests > 0)
        words += fmt::format("global: {} requests, {} sectors, ideal {}\n",
                             grouped(counts.global_requests), grouped(counts.global_sectors),
                             grouped(counts.global_ideal_sectors));
    if (counts.shared_requests > 0)
        words += fmt::format("shared: {} requests, {} wavefronts, ideal {}\n",
                             grouped(counts.shared_requests), grouped(counts.shared_wavefronts),
                             grouped(counts.shared_ideal_wavefronts));
    if (counts.branches > 0)
        words += fmt::format("branches: {}, divergent {}\n", grouped(counts.branches),
                             grouped(counts.divergent_branches));
    return words;
}

std::string sector_words(const std::string& memory, int sector, std::uint32_t requests,
                         std::uint32_t warps)
{
    const std::int64_t first = std::int64_t{32} * sector;
    return fmt::format("{}: bytes {} to {}\ntouched by {} of {}", memory, first, first + 31,
                       render::counted(requests, "request"), render::counted(warps, "warp"));
}

} // namespace lanescope::app
