// Computes the limit on every call, because a test may change it.
#include "compute/experiment/inputs/memory_limit.h"

#include <atomic>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/process/memory.h"

namespace lanescope::labs {
namespace {

std::atomic<std::size_t>& chosen()
{
    static std::atomic<std::size_t> bytes = 0;
    return bytes;
}

} // namespace

std::size_t memory_limit()
{
    if (const std::size_t bytes = chosen(); bytes != 0) return bytes;
    return physical_memory_bytes() / 2;
}

void limit_memory(std::size_t bytes)
{
    chosen() = bytes;
}

std::size_t element_count(const std::vector<std::int64_t>& extents, std::size_t bytes,
                          const std::string& where, const std::string& what)
{
    const std::size_t max_bytes = memory_limit();
    std::size_t count = 1;
    for (const std::int64_t extent : extents) {
        if (extent < 1)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}: {} would have {} elements along an axis.", where, what, extent),
                "An extent must be at least 1.");
        const auto wanted = static_cast<std::size_t>(extent);
        if (wanted > max_bytes / bytes / count)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}: {} would take more than {:.1f} GB, half of this machine's memory.",
                            where, what, static_cast<double>(max_bytes) / 1e9),
                "Choose smaller extents.");
        count *= wanted;
    }
    return count;
}

} // namespace lanescope::labs
