// Linear scan over the text, separately for each lane size: rows are not shared between sizes.
#include "compute/simt/decode/flow/register_rows.h"

#include <algorithm>

#include "compute/ptx/instructions/table.h"

namespace lanescope::simt {

namespace {

int lane_size(ptx::Type type)
{
    if (type == ptx::Type::pred) return 0;
    return std::max(ptx::size_bytes(type), 4);
}

// Assigns row numbers, from 0, to the registers of one size. Returns the number of rows.
int scan(const std::vector<Liveness::Interval>& intervals,
         const std::vector<std::size_t>& registers, std::vector<int>& row_of)
{
    std::vector<std::size_t> order = registers;
    std::ranges::stable_sort(order, {}, [&](std::size_t reg) { return intervals[reg].first; });
    std::vector<int> busy_until; // indexed by row
    for (std::size_t reg : order) {
        const auto free =
            std::ranges::find_if(busy_until, [&](int last) { return last < intervals[reg].first; });
        const auto row = free - busy_until.begin();
        if (free == busy_until.end())
            busy_until.push_back(intervals[reg].last);
        else
            *free = intervals[reg].last;
        row_of[reg] = static_cast<int>(row);
    }
    return static_cast<int>(busy_until.size());
}

// Returns true if the function has accumulators that are written after their instruction.
bool keep_accumulators(const ptx::Function& function, std::vector<Liveness::Interval>& intervals)
{
    const int end = static_cast<int>(function.instructions.size());
    bool any = false;
    for (const ptx::Instruction& in : function.instructions) {
        if (in.op != ptx::Op::wgmma) continue;
        for (const ptx::Operand& element : in.operands[0].elements)
            if (element.reg >= 0) intervals[static_cast<std::size_t>(element.reg)] = {0, end};
        any = true;
    }
    return any;
}

RegisterRows place(const ptx::Function& function, const std::vector<Liveness::Interval>& intervals)
{
    RegisterRows placed;
    placed.rows.assign(function.registers.size(), no_row);
    std::vector<int> row_of(function.registers.size(), -1);
    // 64 bits, because the end may exceed a frame's limit; the function is then
    // refused and its rows are unused.
    std::uint64_t end = 0;
    const auto place_size = [&](int size) {
        std::vector<std::size_t> registers;
        for (std::size_t i = 0; i < function.registers.size(); ++i)
            if (lane_size(function.registers[i].type) == size &&
                intervals[i].first <= intervals[i].last)
                registers.push_back(i);
        const int rows = scan(intervals, registers, row_of);
        const auto row_bytes = static_cast<std::uint64_t>(size == 0 ? 4 : size * warp_lanes);
        for (std::size_t reg : registers)
            placed.rows[reg] =
                row_ref(end + static_cast<std::uint64_t>(row_of[reg]) * row_bytes, RowBase::frame);
        end += static_cast<std::uint64_t>(rows) * row_bytes;
    };
    for (int size : {4, 8, 16}) place_size(size);
    placed.scratch = static_cast<std::uint32_t>(end);
    end += 16 * warp_lanes;
    place_size(0); // predicates come last, so that everything else stays aligned
    placed.carry = static_cast<std::uint32_t>(end);
    end += 4;
    end = (end + row_alignment - 1) / row_alignment * row_alignment;
    placed.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, ~std::uint32_t{0}));
    placed.live = static_cast<int>(placed.scratch / (4 * warp_lanes));
    return placed;
}

} // namespace

RegisterRows place_registers(const ptx::Function& function, const Liveness& liveness,
                             bool separate_rows)
{
    std::vector<Liveness::Interval> intervals = liveness.intervals();
    if (separate_rows)
        std::ranges::fill(intervals,
                          Liveness::Interval{0, static_cast<int>(function.instructions.size())});
    std::vector<Liveness::Interval> kept = intervals;
    if (!keep_accumulators(function, kept)) return place(function, intervals);
    RegisterRows placed = place(function, kept);
    placed.live = place(function, intervals).live;
    return placed;
}

} // namespace lanescope::simt
