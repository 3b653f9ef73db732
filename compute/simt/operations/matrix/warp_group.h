// wgmma: asynchronous matrix products of warp groups. A product reads shared memory and its
// accumulators, and writes them, when it is waited for, the latest time that the rules allow: a
// kernel that forgets to wait, or that overwrites an operand too early, computes something else, as
// it may on a GPU. Each warp computes its own 16 rows.
#pragma once

#include <cstddef>
#include <optional>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

const GroupProduct& product_of(const PendingProduct& pending);

// Returns the first warp whose pending products read bytes [low, high) of the block's shared
// memory, and the product.
struct PendingRead {
    std::size_t warp = 0;
    const PendingProduct* product = nullptr;
};
std::optional<PendingRead> pending_read(const Block& block, std::uint64_t low, std::uint64_t high);

// Observers learn from object_passes() with this address that the warp has waited for its earliest
// product.
constexpr Address group_products = Address{1} << 62;

// Call before the running warp's last lanes exit: throws if other warps of its group have executed
// wgmma instructions that it has not.
void leave_group(const Executor& executor, const Instruction& instruction, std::uint32_t mask);

} // namespace lanescope::simt
