// Constant memory: its cache reads one word at a time and gives it to all lanes that want it.
#include <algorithm>

#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

namespace lanescope::counting {

SharedCost constant_load(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    const auto words = static_cast<std::uint32_t>(std::max(width_bytes / bank_bytes, 1));
    const auto unit = static_cast<std::uint64_t>(words) * bank_bytes;
    const SortedAddresses sorted(addresses, active);
    std::uint32_t distinct = 1;
    for (int i = 1; i < sorted.count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        distinct += sorted.values[at] / unit != sorted.values[at - 1] / unit ? 1 : 0;
    }
    return {distinct * words, words};
}

} // namespace lanescope::counting
