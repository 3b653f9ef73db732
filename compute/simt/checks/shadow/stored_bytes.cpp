// The cores share the marks, which are only ever added.
#include "compute/simt/checks/shadow/stored_bytes.h"

#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

void StoredBytes::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global || event.op == trace::Op::load) return;
    const auto mark_in = [&](const Allocation& allocation) {
        return [&memory = x.launch.memory, &allocation](std::uint64_t index, std::uint64_t bits) {
            memory.mark_cell_concurrently(allocation, static_cast<std::size_t>(index), bits);
            return true;
        };
    };
    if (event.allocation != nullptr) {
        const Allocation& allocation = *event.allocation;
        if (!allocation.known_whole && !allocation.written.empty())
            for_cells(x, event, allocation.begin, mark_in(allocation));
        return;
    }
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        const Allocation* const allocation = x.launch.memory.find(address);
        if (allocation == nullptr || allocation->written.empty()) continue;
        const std::uint64_t begin = address - allocation->begin;
        for_cells(begin, begin + width, mark_in(*allocation));
    }
}

} // namespace lanescope::simt
