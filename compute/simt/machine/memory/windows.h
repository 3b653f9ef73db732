// Position of each memory space in the machine's virtual addresses, so that the space of a generic
// address can be derived. Global addresses are generic addresses; other spaces have addresses from
// 0, and cvta adds the window's base.
#pragma once

#include <cstdint>

#include "compute/device/device.h"
#include "compute/ptx/text/module.h"

namespace lanescope::simt {

using device::Address;

constexpr Address window_bytes = Address{1} << 28;
constexpr Address shared_window = Address{1} << 32;
constexpr Address local_window = Address{2} << 32;
constexpr Address constant_window = Address{3} << 32;
constexpr Address param_window = Address{4} << 32;
constexpr Address code_window = Address{5} << 32; // functions, for indirect calls
constexpr Address global_window = Address{0x70} << 40;

// Shared memory of a whole cluster follows the block's own in the shared window: such an address
// has bit 28 set, the block's rank in bits 24 to 27, and the offset in its memory below. It means
// the same in every block of the cluster. Addresses below 2^28 are offsets in the block's own
// memory.
constexpr Address cluster_bit = window_bytes;
constexpr Address rank_bytes = Address{1} << 24;
constexpr std::uint32_t max_cluster_blocks = 16;

// `address` is relative to the shared window. False: it is the block's own, or wild.
constexpr bool names_rank(Address address)
{
    return (address & ~(window_bytes - 1)) == cluster_bit;
}
constexpr std::uint32_t rank_of(Address address)
{
    return static_cast<std::uint32_t>(address / rank_bytes) % max_cluster_blocks;
}
constexpr Address cluster_address(std::uint32_t rank, Address offset)
{
    return cluster_bit + rank * rank_bytes + offset % rank_bytes;
}

// The base that cvta adds for a space; 0 for global.
constexpr Address window(ptx::Space space)
{
    switch (space) {
    case ptx::Space::shared: return shared_window;
    case ptx::Space::local: return local_window;
    case ptx::Space::constant: return constant_window;
    case ptx::Space::param: return param_window;
    default: return 0;
    }
}

// Space of a generic address. Addresses outside every window count as global (and fault there).
constexpr ptx::Space space_of(Address generic)
{
    const Address base = generic & ~(window_bytes - 1);
    if (base == shared_window || base == shared_window + cluster_bit) return ptx::Space::shared;
    if (base == local_window) return ptx::Space::local;
    if (base == constant_window) return ptx::Space::constant;
    if (base == param_window) return ptx::Space::param;
    return ptx::Space::global;
}

} // namespace lanescope::simt
