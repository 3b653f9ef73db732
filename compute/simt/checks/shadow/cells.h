// The checks' view of memory: cells of 64 bytes with one bit per byte, so that the accesses of a
// whole warp fit in a few words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

constexpr std::uint64_t cell_bytes = 64;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t page_cells = page_bytes / cell_bytes;

// Bits of bytes [begin, end) of one cell; 0 <= begin < end <= 64.
constexpr std::uint64_t byte_bits(std::uint64_t begin, std::uint64_t end)
{
    return ~std::uint64_t{0} >> (cell_bytes - (end - begin)) << begin;
}

// Calls use(cell, bits) for each cell of [begin, end) until it returns false.
template <class Use>
bool for_cells(std::uint64_t begin, std::uint64_t end, const Use& use)
{
    std::uint64_t cell = begin / cell_bytes;
    const std::uint64_t last = (end - 1) / cell_bytes;
    std::uint64_t from = begin % cell_bytes;
    for (; cell < last; ++cell, from = 0)
        if (!use(cell, byte_bits(from, cell_bytes))) return false;
    return use(last, byte_bits(from, end - last * cell_bytes));
}

// Same, for all bytes that an access touches, relative to `origin`. A byte may occur twice.
template <class Use>
bool for_cells(const Executor& x, const AccessEvent& event, std::uint64_t origin, const Use& use)
{
    if (event.contiguous) return for_cells(event.low - origin, event.high - origin, use);
    ByteRuns own; // deliberately uninitialised: this runs on every access
    const ByteRuns* runs = &own;
    const std::uint64_t shift = event.shift - origin;
    if (event.group != nullptr) {
        ensure_runs(*event.group, x.launch.addresses);
        runs = &event.group->runs;
    } else {
        find_runs(event.lanes, event.mask, static_cast<std::uint32_t>(event.width_bytes), own);
    }
    for (int i = 0; i < runs->count; ++i) {
        const ByteRun& run = runs->run[static_cast<std::size_t>(i)];
        if (!for_cells(run.begin + shift, run.end + shift, use)) return false;
    }
    return true;
}

// Same, for bytes [begin, end) shifted by each of the offsets, which are in ascending order.
template <class Use>
bool for_cells(std::uint64_t begin, std::uint64_t end, const std::vector<std::int64_t>& offsets,
               const Use& use)
{
    const std::uint64_t bytes = end - begin;
    std::uint64_t from = 0, to = 0;
    for (const std::int64_t offset : offsets) {
        const std::uint64_t next = begin + static_cast<std::uint64_t>(offset);
        if (next > to || to == 0) {
            if (to != 0 && !for_cells(from, to, use)) return false;
            from = next;
        }
        to = next + bytes;
    }
    return for_cells(from, to, use);
}

// Same, for all bytes that a batch touches.
template <class Use>
bool for_cells(const Executor& x, const BatchEvent& event, std::uint64_t origin, const Use& use)
{
    AddressGroup& group = event.group;
    ensure_runs(group, x.launch.addresses);
    const std::uint64_t shift = 0 - group.offset - origin;
    for (int i = 0; i < group.runs.count; ++i) {
        const ByteRun& run = group.runs.run[static_cast<std::size_t>(i)];
        if (!for_cells(run.begin + shift, run.end + shift, event.batch.offsets, use)) return false;
    }
    return true;
}

inline int lowest_bit(std::uint64_t bits)
{
    return std::countr_zero(bits);
}

inline bool is_update(trace::Op op)
{
    return op == trace::Op::atomic || op == trace::Op::reduction;
}

} // namespace lanescope::simt
