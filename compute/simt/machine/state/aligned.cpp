// The limit is computed on every call, because a test may change it.
#include "compute/simt/machine/state/aligned.h"

#include <atomic>
#include <stdexcept>

#include "compute/process/memory.h"

namespace lanescope::simt {

namespace {

std::atomic<std::size_t> counted = 0; // bytes
std::atomic<std::size_t> chosen_limit = 0;

std::size_t limit()
{
    if (const std::size_t bytes = chosen_limit; bytes != 0) return bytes;
    static const std::size_t quarter = physical_memory_bytes() / 4;
    return quarter;
}

} // namespace

void count_rows(std::size_t bytes)
{
    const std::size_t before = counted.fetch_add(bytes);
    const std::size_t most = limit();
    if (bytes <= most && before <= most - bytes) return;
    counted -= bytes;
    throw std::length_error("rows");
}

void uncount_rows(std::size_t bytes)
{
    counted -= bytes;
}

void limit_rows(std::size_t bytes)
{
    chosen_limit = bytes;
}

} // namespace lanescope::simt
